/* trace_operands.h - which traces do the operands of a command line name, and
 * whose are they? */
#ifndef CPPROF_TRACE_OPERANDS_H
#define CPPROF_TRACE_OPERANDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/caveat.h"
#include "base/err.h"

enum { TRACE_OPERANDS_MAX = 4096, TRACE_RANK_MAX = 9999 };

struct trace_operand {
    char *path;
    bool listed; /* found in a folder, not named by the user */
};

/* What lies in a folder and cannot be looked into; no trace may be missed in silence. */
struct trace_omission {
    char *text; /* one line, place first */
    enum caveat_kind kind;
};

struct trace_operand_list {
    struct trace_operand *items;
    size_t count, capacity;
    struct {
        struct trace_omission *items;
        size_t count, capacity;
    } omissions;
};

/* Adds `path` to a list that starts as zeros. A directory that is no bundle stands for the files
 * and bundles in it and in the folders in it, in the order of their names; whether they are traces is
 * for their readers to say. Hidden files are passed over. A folder further down that holds something,
 * one that cannot be listed, and what is no file are omissions. */
int trace_operands_add(struct trace_operand_list *list, const char *path, struct err *e);
void trace_operands_release(struct trace_operand_list *list);

/* The rank that a path names: "rank0", "rank_12", "Rank-3" in its last part or
 * in its folder's name, else a last part with ".0." in it. -1 when it names
 * none or one above TRACE_RANK_MAX. */
int trace_rank_of_path(const char *path);

#endif
