/* block_timer.h - times blocks of launches of one arm, each sample between two events, and reads the clock while the
 * GPU still works on them. The result is rows of timing.csv. */
#ifndef CPPROF_BLOCK_TIMER_H
#define CPPROF_BLOCK_TIMER_H

#include "collector/runner/graph_work.h"
#include "collector/runner/l2_flush.h"
#include "collector/runner/runner.h"
#include "core/stats/batch_method.h"

enum { PROBE_LEAST = 5, PROBE_MOST = 15 }; /* samples of a probe */

/* Rotated: of solutions, whose launches together need more than the L2 cache has. */
enum cache_state { CACHE_HOT, CACHE_COLD, CACHE_ROTATED, CACHE_STATES };

struct timed_arm {
    struct arm arm;
    cudaGraphExec_t graph; /* NULL: single launches */
    int batch;             /* launches of the graph */
    uint64_t hash;         /* hash of its output */
    bool ready;            /* set up on the device */
    /* How many launches after a block kept the GPU busy until NVML answered. */
    size_t tail[CACHE_STATES];
    struct graph_work work; /* of the graph */
    cudaGraphExec_t one;    /* of one launch of a solution, beside a graph of many; NULL: it is called */
    bool waits;             /* for the GPU inside its call: such a solution cannot be timed so */
    /* The most bytes that were set aside in the L2 cache after a cold block, although it was forbidden. */
    size_t persisting_bytes;
};

struct block_timer {
    struct runner *r;
    struct l2_flush flush; /* opened when cold caches were asked for */
    cudaEvent_t *events;   /* two per iteration of a block */
    size_t event_count;
    size_t iterations;  /* of a block */
    cudaEvent_t behind; /* recorded after everything that was submitted */
    double edge_ns;     /* by which begin and end of a graph lengthen a series of a solution */
    void *reads;        /* device memory that a kernel of our own reads before it; NULL: none */
};

/* The place of a block in its process, as in the table. */
struct block_place {
    enum cache_state cache;
    size_t block, order;
    /* The last block of its kind in this process. It starts with a poisoned output, and its output is verified. */
    bool is_last;
};

/* `blocks` is how many blocks share the iterations of the run. */
int block_timer_open(struct block_timer *t, struct runner *r, size_t blocks, struct err *e);
void block_timer_release(struct block_timer *t);

/* Runs a block of `iterations` samples and reads the clock meanwhile. The samples can be read until the next block. */
int block_timer_sample(struct block_timer *t, struct timed_arm *arm, enum cache_state cache, struct nvml_moment *moment,
                       struct err *e);
double block_timer_sample_ns(const struct block_timer *t, const struct timed_arm *arm, enum cache_state cache,
                             size_t i); /* of one launch; NAN: unknown */

/* Submits launches that are not timed until NVML has read the clock of a GPU that works on them. */
int block_timer_read_clock(struct block_timer *t, struct timed_arm *arm, enum cache_state cache,
                           struct nvml_moment *moment, struct err *e);
/* Appends a row. */
int block_timer_add(struct block_timer *t, const struct timed_arm *arm, const struct block_place *place,
                    size_t iteration, int batch, double ns, const struct nvml_moment *moment, struct err *e);

/* Runs a block and appends its rows. */
int block_timer_run(struct block_timer *t, struct timed_arm *arm, struct block_place place, struct err *e);

/* Gives the median of PROBE_LEAST to PROBE_MOST samples of single launches with hot caches. It includes what the host
 * adds to a launch. */
int block_timer_probe(struct block_timer *t, struct timed_arm *arm, size_t samples, double *median_ns, struct err *e);

/* Gives the median time of a launch in a graph of `launches`, from PROBE_LEAST samples. The arm has no graph
 * afterwards. */
int block_timer_probe_batch(struct block_timer *t, struct timed_arm *arm, int launches, double *median_ns,
                            struct err *e);

/* Gives the median time between two events with nothing between them: the part of a single launch's time that is not
 * the kernel's. */
int block_timer_floor(struct block_timer *t, double *median_ns, struct err *e);

/* Makes the arm's hot samples graphs of this many launches, and runs one to warm up. If a graph cannot hold the launch,
 * this returns an error and the stream stays usable. */
int timed_arm_make_graph(struct block_timer *t, struct timed_arm *arm, int launches, struct err *e);
void timed_arm_release(struct timed_arm *arm);

#endif
