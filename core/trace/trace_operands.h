/* trace_operands.h - which traces do the operands of a command line name, and which ranks do they have? */
#ifndef CPPROF_TRACE_OPERANDS_H
#define CPPROF_TRACE_OPERANDS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/caveat.h"
#include "core/base/err.h"

enum { TRACE_OPERANDS_MAX = 16384, TRACE_RANK_MAX = 9999 };

struct trace_operand {
    char *path;
    bool listed; /* found in a folder, not named by the user */
};

/* Something in a folder that cannot be inspected. It is reported, so that no trace is missed silently. */
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

/* Adds `path` to a list that starts as zeros. A directory that is not a bundle stands for the files and bundles in it
 * and in its folders, sorted by name; their readers decide whether they are traces. Hidden files are ignored. Omissions
 * are: a non-empty folder further down, a folder that cannot be listed, and an entry that is neither file nor
 * folder. */
int trace_operands_add(struct trace_operand_list *list, const char *path, struct err *e);
/* Adds one trace at `path`, whatever is there. */
int trace_operands_add_trace(struct trace_operand_list *list, const char *path, bool listed, struct err *e);
/* Adds an omission, whose text is copied. */
int trace_operands_omit(struct trace_operand_list *list, enum caveat_kind kind, const char *text, struct err *e);
/* Does as trace_operands_add for several paths. */
int trace_operands_add_all(struct trace_operand_list *list, const char *const *paths, size_t count, struct err *e);
void trace_operands_release(struct trace_operand_list *list);

/* Returns the rank that a path names: "rank0", "rank_12" or "Rank-3" in its last part or in its folder's name, else the
 * number in a last part such as "x.0.y", but for the time in "host_PID.TIME.pt.trace.json". -1 when there is none, or
 * one above TRACE_RANK_MAX. */
int trace_rank_of_path(const char *path);

#endif
