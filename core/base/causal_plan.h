/* causal_plan.h - what does a causal run delay, and by how much? And how does the record of a delay say which one it is
 * (docs/profile.md)?
 *
 * A delay is a kernel of our own on the stream of the launch or copy that follows it. Its block of threads tells: in x
 * one more than the dose, in y one more than the target. So it has at most 32 threads, which is one warp. Where the
 * host is delayed, that kernel takes no time: the host has waited before it launched it. */
#ifndef CPPROF_CAUSAL_PLAN_H
#define CPPROF_CAUSAL_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "cpprof/event.h"

#define CAUSAL_KERNEL "cpprof_delay"
#define CAUSAL_SHOWN  "cpprof's own delays" /* what pages and JSON call that kernel */
#define CAUSAL_DOSES  "20us,60us"

/* A launch of a target while another one has its turn waits for a dose of its own, which is no delay. */
enum { CAUSAL_TARGETS_MAX = 8, CAUSAL_DOSES_MAX = 3, CAUSAL_OUT_OF_TURN = CAUSAL_DOSES_MAX };

/* What a dose may be. */
enum { CAUSAL_DOSE_NS_MIN = 5000, CAUSAL_DOSE_NS_MAX = 10000000 };

/* A target: kernels or copies, and whether the stream or the host waits before them. */
struct causal_target {
    const char *text;    /* as it was asked for: "gemm", "copy:h2d", "host:gemm", "host:copy:d2h" */
    bool on_host;        /* the host waits before the call; else the stream before the work */
    const char *pattern; /* of kernels' names; NULL: it is copies */
    uint32_t copies;     /* enum cpprof_copy_kind; CPPROF_COPY_UNKNOWN: all */
};

/* Reads one target, of which `t` keeps the text. ERR_USAGE says what is wrong. */
int causal_target_read(struct causal_target *t, const char *text, struct err *e);

struct causal_plan {
    struct causal_target targets[CAUSAL_TARGETS_MAX];
    size_t target_count;
    int64_t doses_ns[CAUSAL_DOSES_MAX]; /* ascending; the first is 0 */
    size_t dose_count;
    char *text; /* of the targets */
};

/* Reads targets with commas between them, and one or two delays such as "20us,60us". ERR_USAGE says what is wrong.
 * Release it even after an error. */
int causal_plan_init(struct causal_plan *plan, const char *targets, const char *doses, struct err *e);
void causal_plan_release(struct causal_plan *plan);

#endif
