/* How long do launches take whose inputs are new? */
#include "collector/runner/series_timer.h"

#include <math.h>
#include <stdlib.h>

#include "collector/runner/judge/judge_message.h"
#include "collector/runner/judge/judged.h"
#include "core/base/clock.h"
#include "kernels/cache_read.h"

/* A block of samples that take long has fewer of them: four blocks have 20 at least. */
enum { SAMPLES_LEAST = 5 };
#define BLOCK_NS 1000000000

/* Two graphs of a kernel of our own, and what it reads: it is about as large as a small launch. */
enum { EDGE_SHORT = 4, EDGE_LONG = 20, EDGE_SAMPLES = 40 };
#define EDGE_BYTES ((size_t)512 << 10)
/* On an H200 it is 2.4 to 3.2 us. Whoever makes it longer gains no more than this. */
#define EDGE_MOST_NS 5000.0

/* Kernels of our own that come between the inputs and a hot series. */
enum { LEADS = 2 };

static int check(int status, const char *doing, struct err *e)
{
    return status ? device_error(status, doing, e) : 0;
}

/* ---- the edge of a graph ---- */

static int capture_reads(cudaGraphExec_t *out, void *buffer, int launches, cudaStream_t stream)
{
    cudaGraph_t graph = NULL;
    int status = cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    if (status)
        return status;
    for (int i = 0; i < launches && !status; i++)
        status = cache_read(buffer, EDGE_BYTES, stream);
    const int ended = cudaStreamEndCapture(stream, &graph);
    if (!status)
        status = ended;
    if (!status)
        status = cudaGraphInstantiate(out, graph, 0);
    if (graph)
        cudaGraphDestroy(graph);
    return status;
}

/* Between the same events, and behind a launch, as a series is. The least: what comes between makes it longer. */
static int time_reads(struct block_timer *t, cudaGraphExec_t graph, void *buffer, double *least_ns)
{
    cudaStream_t stream = t->r->device.stream;
    int status = 0;
    *least_ns = INFINITY;
    for (size_t i = 0; i < EDGE_SAMPLES && !status; i++) {
        float ms = NAN;
        status = cache_read(buffer, EDGE_BYTES, stream);
        if (!status)
            status = cudaEventRecord(t->events[0], stream);
        if (!status)
            status = cudaGraphLaunch(graph, stream);
        if (!status)
            status = cudaEventRecord(t->events[1], stream);
        if (!status)
            status = cudaStreamSynchronize(stream);
        if (!status)
            status = cudaEventElapsedTime(&ms, t->events[0], t->events[1]);
        *least_ns = fmin(*least_ns, (double)ms * 1e6);
    }
    return status;
}

/* A graph takes one time and a time for each launch; two graphs tell both. */
static int measure_edge(struct block_timer *t)
{
    static const int launches[] = {EDGE_SHORT, EDGE_LONG};
    cudaStream_t stream = t->r->device.stream;
    double ns[2] = {NAN, NAN};
    int status = 0;
    for (int i = 0; i < 2 && !status; i++) {
        cudaGraphExec_t graph = NULL;
        status = capture_reads(&graph, t->reads, launches[i], stream);
        if (!status)
            status = time_reads(t, graph, t->reads, &ns[i]);
        if (graph)
            cudaGraphExecDestroy(graph);
    }
    const double edge_ns = ns[0] - EDGE_SHORT * (ns[1] - ns[0]) / (EDGE_LONG - EDGE_SHORT);
    t->edge_ns = fmin(fmax(edge_ns, 0), EDGE_MOST_NS);
    return status;
}

int series_timer_open(struct block_timer *t, struct err *e)
{
    int status = cudaMalloc(&t->reads, EDGE_BYTES);
    if (!status)
        status = cudaMemsetAsync(t->reads, 0, EDGE_BYTES, t->r->device.stream);
    if (!status)
        status = measure_edge(t);
    if (status)
        return check(status, "time graphs of a kernel of its own", e);
    return json_object_set_new(t->r->report, "graph_edge_ns", json_number_or_null(t->edge_ns)) ? err_memory(e) : 0;
}

/* ---- samples ---- */

static int flush(void *context)
{
    struct err e = {0};
    const struct block_timer *t = context;
    return l2_flush_submit(&t->flush, t->r->device.stream, &e) ? (int)cudaErrorUnknown : 0;
}

/* Reading writes what is in the cache back to DRAM, and leaves nothing to write there. */
static int flush_by_reading(void *context)
{
    struct err e = {0};
    const struct block_timer *t = context;
    return l2_flush_submit_read(&t->flush, t->r->device.stream, &e) ? (int)cudaErrorUnknown : 0;
}

static int lead_in(void *context)
{
    const struct block_timer *t = context;
    int status = 0;
    for (int i = 0; i < LEADS && !status; i++)
        status = cache_read(t->reads, EDGE_BYTES, t->r->device.stream);
    return status;
}

static double launch_ns(const struct block_timer *t, const struct judged_series *s, int batch)
{
    float ms = NAN;
    if (!s->is_timed || cudaEventElapsedTime(&ms, s->begin, s->end))
        return NAN;
    return fmax((double)ms * 1e6 - (batch > 1 ? t->edge_ns : 0), 1) / batch;
}

static int sample(struct block_timer *t, struct timed_arm *arm, enum cache_state cache, int batch, double *ns,
                  struct err *e)
{
    const bool is_cold = cache == CACHE_COLD;
    struct judged_series s = {.opened = t->behind,
                              .begin = t->events[0],
                              .end = t->events[1],
                              .graph = batch > 1 ? arm->graph : arm->one,
                              .launches = batch,
                              .lead_in = is_cold ? NULL : lead_in,
                              .flush = is_cold                             ? JUDGE_FLUSH_BY_WRITING
                                       : judged_is_rotated(arm->arm.state) ? JUDGE_FLUSH_BY_READING
                                                                           : JUDGE_NO_FLUSH,
                              .do_flush = is_cold ? flush : flush_by_reading,
                              .context = t};
    *ns = NAN;
    if (arm->waits)
        return 0;
    int rc = check(judged_time(arm->arm.state, t->r->device.stream, &s), "time launches on new inputs", e);
    if (!rc && s.waits) /* the host may have been away for as long, once */
        rc = check(judged_time(arm->arm.state, t->r->device.stream, &s), "time launches on new inputs", e);
    arm->waits = s.waits;
    *ns = launch_ns(t, &s, batch);
    return rc;
}

static int open_flush(struct block_timer *t, const struct timed_arm *arm, struct err *e)
{
    return judged_is_rotated(arm->arm.state) && !t->flush.buffer ? l2_flush_open(&t->flush, &t->r->device, e) : 0;
}

/* One that cannot be timed is verified all the same. */
static int launch_untimed(struct block_timer *t, struct timed_arm *arm, struct err *e)
{
    int rc = arm_poison(t->r, &arm->arm, e);
    if (!rc)
        rc = arm_launch(t->r, &arm->arm, e);
    return rc ? rc : arm_synchronize(t->r, &arm->arm, e);
}

static int time_samples(struct block_timer *t, struct timed_arm *arm, const struct block_place *place,
                        const struct nvml_moment *moment, int batch, struct err *e)
{
    const int64_t begin_ns = clock_now_ns();
    struct block_place named = *place;
    int rc = 0;
    if (place->cache == CACHE_HOT && judged_is_rotated(arm->arm.state))
        named.cache = CACHE_ROTATED;
    for (size_t i = 0; i < t->iterations && !rc; i++) {
        double ns;
        if (i >= SAMPLES_LEAST && clock_now_ns() - begin_ns > BLOCK_NS)
            break;
        rc = sample(t, arm, place->cache, batch, &ns, e);
        if (!rc)
            rc = block_timer_add(t, arm, &named, i, batch, ns, moment, e);
    }
    return !rc && arm->waits ? launch_untimed(t, arm, e) : rc;
}

int series_timer_run(struct block_timer *t, struct timed_arm *arm, struct block_place place, struct err *e)
{
    struct nvml_moment moment;
    const bool is_cold = place.cache == CACHE_COLD;
    const int batch = arm->graph && !is_cold ? arm->batch : 1;
    int rc = open_flush(t, arm, e);
    if (!rc && is_cold)
        l2_flush_forbid_persisting(&t->flush);
    if (!rc)
        rc = block_timer_read_clock(t, arm, place.cache, &moment, e);
    if (!rc)
        rc = arm_synchronize(t->r, &arm->arm, e);
    if (!rc)
        rc = time_samples(t, arm, &place, &moment, batch, e);
    const size_t found = is_cold ? l2_flush_let_persist(&t->flush) : 0;
    if (found > arm->persisting_bytes)
        arm->persisting_bytes = found;
    return rc;
}
