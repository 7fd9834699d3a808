/* traced_launches.h - the launches of each kernel (name, grid, block) of a trace by their numbers, in the order of the
 * calls, and which of them stand for the others: of those in the part of the program that repeats, those whose
 * durations are nearest to the median, the first and the last decile. */
#ifndef CPPROF_TRACED_LAUNCHES_H
#define CPPROF_TRACED_LAUNCHES_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/array.h"
#include "core/base/err.h"
#include "core/base/strtab.h"
#include "core/trace/event_stream.h"

enum { LAUNCHES_CHOSEN_MAX = 3, TRACED_LAUNCHES_MAX = 4 * 1024 * 1024 };

struct traced_launch {
    uint32_t kernel; /* id of its text */
    uint32_t call;   /* correlation ids ascend with the calls of a process */
    int64_t duration_ns;
};

struct traced_kernel {
    uint32_t text;       /* id of core/base/launch_key.h's text */
    size_t first, count; /* of the launches */
    double total_ns;
};

struct traced_launches { /* starts zeroed */
    struct strtab texts;
    ARRAY_OF(struct traced_launch) launches; /* those of a kernel in the order of the calls */
    ARRAY_OF(struct traced_kernel) kernels;  /* most time first */
    double total_ns;
    uint32_t first_call, last_call; /* of the part that repeats; 0 and 0: there is none */
    int device, rank;               /* of the first kernel; -2: there is none */
    const char *why;                /* why the launches cannot be made again, a literal; NULL: they can */
};

/* Reads them in one pass over the stream, which it rewinds before: kernels that a call of their own has launched, and
 * that ended. Release even after an error. */
int traced_launches_read(struct traced_launches *t, struct event_stream *stream, struct err *e);
void traced_launches_release(struct traced_launches *t);

/* NULL: the trace has no such kernel. */
const struct traced_kernel *traced_launches_find(const struct traced_launches *t, const char *text);

/* Gives the numbers of those that stand for the others, the median one first, and returns how many there are. A kernel
 * outside the part that repeats is chosen from all of its launches. The first one, which warms up, is none of them
 * unless it is the only one. */
size_t traced_launches_choose(const struct traced_launches *t, const struct traced_kernel *k,
                              size_t numbers[LAUNCHES_CHOSEN_MAX], struct err *e);

/* Do launches of these lengths stand for one another, one of them perhaps in a replay? False for NAN. */
bool traced_launches_are_alike(double a_ns, double b_ns);

#endif
