/* block_timer.h - blocks of launches of one arm, each sample between two events,
 * the clock read while the GPU still works on them. -> rows of timing.csv */
#ifndef CPPROF_BLOCK_TIMER_H
#define CPPROF_BLOCK_TIMER_H

#include "collector/runner/graph_work.h"
#include "collector/runner/l2_flush.h"
#include "collector/runner/runner.h"
#include "stats/batch_method.h"

enum { PROBE_LEAST = 5, PROBE_MOST = 15 }; /* samples of a probe */

enum cache_state { CACHE_HOT, CACHE_COLD, CACHE_STATES };

struct timed_arm {
    struct arm arm;
    cudaGraphExec_t graph;     /* NULL: single launches */
    int batch;                 /* launches of the graph */
    uint64_t hash;             /* of its output */
    bool ready;                /* set up on the device */
    size_t tail[CACHE_STATES]; /* launches behind a block that kept the GPU busy for as long as NVML took to answer */
    struct graph_work work;    /* of the graph */
    size_t
        persisting_bytes; /* most that was set aside in the L2 cache behind a cold block, although it was forbidden */
};

struct block_timer {
    struct runner *r;
    struct l2_flush flush; /* opened when cold caches were asked for */
    cudaEvent_t *events;   /* two per iteration of a block */
    size_t event_count;
    size_t iterations;  /* of a block */
    cudaEvent_t behind; /* after everything that was submitted */
};

/* Which block of which process this is, as the table says it. */
struct block_place {
    enum cache_state cache;
    size_t block, order;
    bool
        is_last; /* of its kind in this process: it finds a poisoned output, and leaves the one of its timed launches */
};

/* `blocks` share the iterations of the run. */
int block_timer_open(struct block_timer *t, struct runner *r, size_t blocks, struct err *e);
void block_timer_release(struct block_timer *t);

/* Runs a block: `iterations` samples, which can be asked for until the next one, and the clock meanwhile. */
int block_timer_sample(struct block_timer *t, struct timed_arm *arm, enum cache_state cache, struct nvml_moment *moment,
                       struct err *e);
double block_timer_sample_ns(const struct block_timer *t, const struct timed_arm *arm, enum cache_state cache,
                             size_t i); /* of one launch; NAN unknown */

/* Runs a block and appends its rows. */
int block_timer_run(struct block_timer *t, struct timed_arm *arm, struct block_place place, struct err *e);

/* Median of PROBE_LEAST to PROBE_MOST samples with hot caches, of one launch: what it takes alone, with what the host
 * adds to it, ... */
int block_timer_probe(struct block_timer *t, struct timed_arm *arm, size_t samples, double *median_ns, struct err *e);

/* ... and among the launches of a graph, of PROBE_LEAST samples. The arm is left without one. */
int block_timer_probe_batch(struct block_timer *t, struct timed_arm *arm, int launches, double *median_ns,
                            struct err *e);

/* Median of what two events say when nothing is between them: the part of a
 * single launch's time that is not the kernel's. */
int block_timer_floor(struct block_timer *t, double *median_ns, struct err *e);

/* From now on the arm's hot samples are graphs of this many launches; one is run to warm it up. An error is no harm
 * to the stream when a launch does what a graph cannot hold. */
int timed_arm_make_graph(struct block_timer *t, struct timed_arm *arm, int launches, struct err *e);
void timed_arm_release(struct timed_arm *arm);

#endif
