/* comm_names.h - which kernels communicate, by their names? */
#ifndef CPPROF_COMM_NAMES_H
#define CPPROF_COMM_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/err.h"

/* A library's own names, and names after a collective. */
enum comm_kind { COMM_LIBRARY, COMM_COLLECTIVE, COMM_KINDS };

/* A row of the table of docs/overlap.md. */
struct comm_name {
    enum comm_kind kind;
    const char *pattern; /* extended regex, on the name as it was recorded and on the demangled one */
    const char *project; /* whose kernels have such names */
    const char *example; /* one of them, which the test matches */
};
const struct comm_name *comm_names(size_t *count);

/* Names that the patterns of the same kind match although such kernels only work on data of their own GPU. */
const struct comm_name *comm_names_except(size_t *count);

/* `more`: an expression whose kernels communicate, too; NULL: none. A bad one is ERR_USAGE. */
struct comm_matcher;
int comm_matcher_new(struct comm_matcher **out, const char *more, struct err *e);
void comm_matcher_free(struct comm_matcher *m);
bool comm_matcher_takes(const struct comm_matcher *m, const char *name);

#endif
