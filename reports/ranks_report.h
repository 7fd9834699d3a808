/* ranks_report.h - what `ranks` prints of any number of ranks. */
#ifndef CPPROF_RANKS_REPORT_H
#define CPPROF_RANKS_REPORT_H

#include "analyzers/ranks/ranks_rows.h"
#include "core/base/byte_sink.h"
#include "reports/trace_words.h"

struct ranks_report {
    struct trace_side side;
    const struct ranks *ranks; /* not owned */
    const char *operand;       /* the only one that was given: a folder, or a trace of several ranks; NULL: several */
};

int report_ranks(const struct ranks_report *r, struct document *out, struct err *e);

/* Writes cpprof.ranks/1 (docs/json.md), some collectives at a time: there may be a million. */
int json_ranks_write(const struct ranks_report *r, struct byte_sink *to, struct err *e);

#endif
