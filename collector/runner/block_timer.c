/* How long do the launches of one block take, and at which clock? */
#include "collector/runner/block_timer.h"

#include <math.h>
#include <stdlib.h>

#include "collector/runner/judge/judged.h"
#include "core/stats/statistics.h"

enum { FLOOR_PAIRS = PROBE_MOST, TAIL_FIRST = 8, TAIL_MOST = 2048 };

static int check(int status, const char *doing, struct err *e)
{
    return status ? device_error(status, doing, e) : 0;
}

int block_timer_open(struct block_timer *t, struct runner *r, size_t blocks, struct err *e)
{
    *t = (struct block_timer){.r = r, .iterations = ((size_t)r->iterations + blocks - 1) / blocks};
    const size_t least = t->iterations < FLOOR_PAIRS ? FLOOR_PAIRS : t->iterations;
    t->events = calloc(2 * least, sizeof *t->events);
    int rc = t->events ? 0 : err_memory(e);
    for (; t->event_count < 2 * least && !rc; t->event_count += !rc)
        rc = check(cudaEventCreate(&t->events[t->event_count]), "create an event", e);
    if (!rc)
        rc = check(cudaEventCreateWithFlags(&t->behind, cudaEventDisableTiming), "create an event", e);
    return !rc && r->cold ? l2_flush_open(&t->flush, &r->device, e) : rc;
}

void block_timer_release(struct block_timer *t)
{
    for (size_t i = 0; i < t->event_count; i++)
        cudaEventDestroy(t->events[i]);
    if (t->behind)
        cudaEventDestroy(t->behind);
    free(t->events);
    cudaFree(t->reads);
    l2_flush_release(&t->flush);
    *t = (struct block_timer){0};
}

/* ---- work ---- */

static int record(struct block_timer *t, cudaEvent_t event, struct err *e)
{
    return check(cudaEventRecord(event, t->r->device.stream), "record an event", e);
}

static int flush_if_cold(struct block_timer *t, enum cache_state cache, struct err *e)
{
    return cache == CACHE_COLD ? l2_flush_submit(&t->flush, t->r->device.stream, e) : 0;
}

/* Submits one sample: a launch, or a graph of many. Cold launches are always single, because only the first launch of a
 * graph would be cold. */
static int submit(struct block_timer *t, struct timed_arm *arm, enum cache_state cache, struct err *e)
{
    if (arm->graph && cache == CACHE_HOT)
        return check(cudaGraphLaunch(arm->graph, t->r->device.stream), "launch a graph", e);
    return arm_launch(t->r, &arm->arm, e);
}

static int batch_of(const struct timed_arm *arm, enum cache_state cache)
{
    return arm->graph && cache == CACHE_HOT ? arm->batch : 1;
}

/* The flush comes before the first event, so it is not part of the sample. */
static int submit_timed(struct block_timer *t, struct timed_arm *arm, enum cache_state cache, size_t samples,
                        struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < samples && !rc; i++) {
        rc = flush_if_cold(t, cache, e);
        if (!rc)
            rc = record(t, t->events[2 * i], e);
        if (!rc)
            rc = submit(t, arm, cache, e);
        if (!rc)
            rc = record(t, t->events[2 * i + 1], e);
    }
    return rc;
}

static double elapsed_ns(const struct block_timer *t, size_t i, int batch)
{
    float ms = NAN;
    if (cudaEventElapsedTime(&ms, t->events[2 * i], t->events[2 * i + 1]))
        return NAN;
    return (double)ms * 1e6 / batch;
}

/* ---- the clock ---- */

/* An event that is still pending is not an error, and must not look like one of the next launch. */
static bool is_to_come(cudaEvent_t event)
{
    const bool to_come = cudaEventQuery(event) == cudaErrorNotReady;
    if (to_come)
        cudaGetLastError();
    return to_come;
}

/* NVML takes longer to answer than a block of short kernels runs. So launches that are not timed follow the block, more
 * of them each time, until the reading ends before they do: then it was taken from a busy GPU. Beyond TAIL_MOST
 * launches nothing is known: a stream then makes the host wait, and the reading would be as late. */
int block_timer_read_clock(struct block_timer *t, struct timed_arm *arm, enum cache_state cache,
                           struct nvml_moment *moment, struct err *e)
{
    *moment = nvml_moment_unknown;
    int rc = 0;
    size_t *tail = &arm->tail[cache];
    for (; *tail <= TAIL_MOST && t->r->device.nvml.device && !rc; *tail = *tail ? 4 * *tail : TAIL_FIRST) {
        for (size_t i = 0; i < *tail && !rc; i++) {
            rc = flush_if_cold(t, cache, e);
            if (!rc)
                rc = submit(t, arm, cache, e);
        }
        if (!rc)
            rc = record(t, t->behind, e);
        if (rc)
            return rc;
        nvml_read_moment(&t->r->device.nvml, moment);
        if (is_to_come(t->behind))
            return 0;
        *moment = nvml_moment_unknown;
    }
    return rc;
}

/* ---- blocks ---- */

int block_timer_add(struct block_timer *t, const struct timed_arm *arm, const struct block_place *place,
                    size_t iteration, int batch, double ns, const struct nvml_moment *moment, struct err *e)
{
    static const char *const caches[CACHE_STATES] = {"hot", "cold", "rotated"};
    struct table *table = &t->r->tables[BUNDLE_TIMING];
    struct cell *row = table_add_row(table);
    if (!row)
        return err_memory(e);
    const int slowed = nvml_is_slowed(moment->throttle_mask);
    row[TIMING_VARIANT] = cell_text(table, arm->arm.run_case->name);
    row[TIMING_SHAPE] = cell_text(table, arm->arm.run_case->key);
    row[TIMING_PROCESS] = cell_integer(t->r->index);
    row[TIMING_BLOCK] = cell_integer((int64_t)place->block);
    row[TIMING_ORDER] = cell_integer((int64_t)place->order);
    row[TIMING_ITERATION] = cell_integer((int64_t)iteration);
    row[TIMING_CACHE] = cell_text(table, caches[place->cache]);
    row[TIMING_BATCH] = cell_integer(batch);
    if (moment->sm_clock_mhz >= 0)
        row[TIMING_SM_CLOCK] = cell_number((double)moment->sm_clock_mhz * 1e6);
    row[TIMING_DURATION] = cell_number(ns);
    if (slowed >= 0)
        row[TIMING_THROTTLED] = cell_text(table, slowed ? "yes" : "no");
    return 0;
}

int block_timer_sample(struct block_timer *t, struct timed_arm *arm, enum cache_state cache, struct nvml_moment *moment,
                       struct err *e)
{
    int rc = submit_timed(t, arm, cache, t->iterations, e);
    if (!rc)
        rc = block_timer_read_clock(t, arm, cache, moment, e);
    return rc ? rc : arm_synchronize(t->r, &arm->arm, e);
}

/* Does the same, but reads the clock first: no launch may follow those whose output is verified. */
static int sample_poisoned(struct block_timer *t, struct timed_arm *arm, enum cache_state cache,
                           struct nvml_moment *moment, struct err *e)
{
    int rc = block_timer_read_clock(t, arm, cache, moment, e);
    if (!rc)
        rc = arm_poison(t->r, &arm->arm, e);
    if (!rc)
        rc = arm_synchronize(t->r, &arm->arm, e);
    if (!rc)
        rc = submit_timed(t, arm, cache, t->iterations, e);
    return rc ? rc : arm_synchronize(t->r, &arm->arm, e);
}

static int sample(struct block_timer *t, struct timed_arm *arm, const struct block_place *place,
                  struct nvml_moment *moment, struct err *e)
{
    const int batch = batch_of(arm, place->cache);
    int rc = place->is_last ? sample_poisoned(t, arm, place->cache, moment, e)
                            : block_timer_sample(t, arm, place->cache, moment, e);
    for (size_t i = 0; i < t->iterations && !rc; i++)
        rc = block_timer_add(t, arm, place, i, batch, elapsed_ns(t, i, batch), moment, e);
    return rc;
}

double block_timer_sample_ns(const struct block_timer *t, const struct timed_arm *arm, enum cache_state cache, size_t i)
{
    return elapsed_ns(t, i, batch_of(arm, cache));
}

int block_timer_run(struct block_timer *t, struct timed_arm *arm, struct block_place place, struct err *e)
{
    struct nvml_moment moment;
    if (place.cache == CACHE_COLD)
        l2_flush_forbid_persisting(&t->flush);
    const int rc = sample(t, arm, &place, &moment, e);
    const size_t found = place.cache == CACHE_COLD ? l2_flush_let_persist(&t->flush) : 0;
    if (found > arm->persisting_bytes)
        arm->persisting_bytes = found;
    return rc;
}

int block_timer_probe(struct block_timer *t, struct timed_arm *arm, size_t samples, double *median_ns, struct err *e)
{
    double probe_ns[PROBE_MOST];
    int rc = submit_timed(t, arm, CACHE_HOT, samples, e);
    if (!rc)
        rc = arm_synchronize(t->r, &arm->arm, e);
    for (size_t i = 0; i < samples && !rc; i++)
        probe_ns[i] = elapsed_ns(t, i, batch_of(arm, CACHE_HOT));
    if (rc)
        return rc;
    *median_ns = median(probe_ns, samples);
    return 0;
}

static void drop_graph(struct timed_arm *arm)
{
    if (arm->graph)
        cudaGraphExecDestroy(arm->graph);
    if (arm->one)
        cudaGraphExecDestroy(arm->one);
    arm->graph = arm->one = NULL;
}

int block_timer_probe_batch(struct block_timer *t, struct timed_arm *arm, int launches, double *median_ns,
                            struct err *e)
{
    int rc = timed_arm_make_graph(t, arm, launches, e);
    if (!rc)
        rc = block_timer_probe(t, arm, PROBE_LEAST, median_ns, e);
    drop_graph(arm);
    return rc;
}

/* After a flush, as with a cold launch: the events are submitted long before the GPU reaches them. */
int block_timer_floor(struct block_timer *t, double *median_ns, struct err *e)
{
    double floor_ns[FLOOR_PAIRS];
    int rc = 0;
    for (size_t i = 0; i < FLOOR_PAIRS && !rc; i++) {
        rc = l2_flush_submit(&t->flush, t->r->device.stream, e);
        if (!rc)
            rc = record(t, t->events[2 * i], e);
        if (!rc)
            rc = record(t, t->events[2 * i + 1], e);
    }
    if (!rc)
        rc = check(cudaStreamSynchronize(t->r->device.stream), "time nothing", e);
    for (size_t i = 0; i < FLOOR_PAIRS && !rc; i++)
        floor_ns[i] = elapsed_ns(t, i, 1);
    if (!rc)
        *median_ns = median(floor_ns, FLOOR_PAIRS);
    return rc;
}

/* A series that was begun is ended, even after a launch that failed. */
static int submit_series(struct block_timer *t, struct timed_arm *arm, int launches, struct err *e)
{
    int rc = arm_fork(t->r, &arm->arm, e);
    if (rc)
        return rc;
    for (int i = 0; i < launches && !rc; i++)
        rc = arm_launch(t->r, &arm->arm, e);
    const int joined = arm_join(t->r, &arm->arm, rc ? NULL : e);
    return rc ? rc : joined;
}

static int capture(struct block_timer *t, struct timed_arm *arm, int launches, cudaGraphExec_t *out,
                   struct graph_work *work, struct err *e)
{
    cudaStream_t stream = t->r->device.stream;
    int rc = check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "begin a graph", e);
    if (!rc)
        rc = submit_series(t, arm, launches, e);
    cudaGraph_t graph = NULL;
    int ended = cudaStreamEndCapture(stream, &graph);
    if (!rc)
        rc = check(ended, "end a graph", e);
    if (!rc)
        rc = check(cudaGraphInstantiate(out, graph, 0), "instantiate a graph", e);
    if (!rc && work)
        graph_work_count(graph, work);
    if (graph)
        cudaGraphDestroy(graph);
    return rc;
}

int timed_arm_make_graph(struct block_timer *t, struct timed_arm *arm, int launches, struct err *e)
{
    int rc = capture(t, arm, launches, &arm->graph, &arm->work, e);
    if (!rc && variant_is_judged(arm->arm.run_case->variant))
        rc = capture(t, arm, 1, &arm->one, NULL, e);
    arm->batch = launches;
    if (!rc)
        rc = submit(t, arm, CACHE_HOT, e);
    return rc ? rc : arm_synchronize(t->r, &arm->arm, e);
}

void timed_arm_release(struct timed_arm *arm)
{
    drop_graph(arm);
    if (arm->ready)
        arm_teardown(&arm->arm);
    arm->ready = false;
}
