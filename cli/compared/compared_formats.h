/* compared_formats.h - what `compare` writes besides documents and JSON, whatever it compared. */
#ifndef CPPROF_COMPARED_FORMATS_H
#define CPPROF_COMPARED_FORMATS_H

#include <stdbool.h>

#include "cli/output.h"
#include "reports/verdict_rows.h"

extern const struct other_format compared_formats[]; /* csv, junit, github */

/* junit and github are the verdicts alone. */
bool compared_is_verdicts(const char *format);

/* Writes them, none better than `status`. */
int compared_write_verdicts(struct verdict_rows *r, enum exit_status status, const char *format, const char *output,
                            bool force, struct err *e);

/* The same of a comparison that could not be made: who collects results must find one. */
void compared_write_failure(const char *first, const char *second, const struct err *why, const char *format,
                            const char *output, bool force);

#endif
