/* causal_blocks.h - which launches of a causal run belong to one block, and how long did they take? */
#ifndef CPPROF_CAUSAL_BLOCKS_H
#define CPPROF_CAUSAL_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/array.h"
#include "core/base/causal_plan.h"
#include "core/base/err.h"

struct event_stream;

/* What was asked for. Texts are the manifest's. */
struct causal_request {
    struct causal_target targets[CAUSAL_TARGETS_MAX];
    size_t target_count;
    int64_t doses_ns[CAUSAL_DOSES_MAX];
    size_t dose_count;
};

/* A launch is that of a kernel or a copy. The last launch, which may be of another dose, ends the time and is not in
 * the sums: what a program does between bursts of launches is in the time of one of them. */
struct causal_block {
    int rank;
    size_t target, dose;
    int64_t number; /* in the process, from 0 */
    int64_t launches;
    int64_t elsewhere;          /* of these on another stream than the first */
    double span_ns;             /* from the first delay to the last */
    double delay_ns, kernel_ns; /* all delays, of the host as they were asked for, and all launches behind them */
};

struct causal_kernel { /* or copies of one kind */
    int rank;
    size_t target;
    uint32_t name; /* of the stream */
    int64_t launches;
    int64_t undelayed; /* others of its name, without a delay */
};

struct causal_blocks { /* starts zeroed */
    ARRAY_OF(struct causal_block) blocks;
    ARRAY_OF(struct causal_kernel) kernels;
    int64_t left_out;
};

/* The first and the last block of a process are not whole and are left out, as are those with few launches. */
int causal_blocks_cut(struct causal_blocks *out, struct event_stream *stream, const struct causal_request *asked,
                      struct err *e);
void causal_blocks_release(struct causal_blocks *b);

#endif
