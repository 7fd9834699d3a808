/* input_export.h - is this the report of a tool, which that tool can export as something that is read here?
 *
 * Readers start no programs. Whoever may start one is named with input_export_by (cli/record/report_export.h), and is
 * asked for each report that somebody opens. Tests and fuzzers name nobody, and nothing is started. */
#ifndef CPPROF_INPUT_EXPORT_H
#define CPPROF_INPUT_EXPORT_H

#include "core/base/err.h"
#include "core/io/input_file.h"

enum tool_report {
    TOOL_REPORT_NONE,
    TOOL_REPORT_NSYS, /* .nsys-rep, .qdrep: it has times */
    TOOL_REPORT_NCU   /* .ncu-rep: it has counters */
};

/* Reports of ncu are known by their first bytes. Those of nsys have no documented mark: a binary file with their ending
 * is one. */
enum tool_report tool_report_of(const struct open_input *input);

/* Exports the report at `path` and returns the result in *out, a file that has no name any more; *out stays NULL when
 * it does not want to. */
typedef int input_exporter(const char *path, enum tool_report report, FILE **out, struct err *e);
void input_export_by(input_exporter *exporter); /* NULL: nobody */

/* Replaces the file of `in` with its export if it is such a report. Anything else, a compressed report and one on
 * standard input stay as they are. Closes `in` when it fails. */
int input_export(struct input_file *in, enum tool_report wanted, struct err *e);

#endif
