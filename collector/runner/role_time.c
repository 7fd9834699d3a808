/* How long does each arm take? One process: every group's arms verified, warmed
 * up, timed in an order that cancels drift (A B B A), verified again. CUPTI and
 * NVTX are never loaded here. -> timing.csv, verify.csv */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/str.h"
#include "collector/runner/pool_rows.h"
#include "collector/runner/runner.h"
#include "model/statistics.h"

/* Event timing resolves about half a microsecond: shorter kernels are timed as
 * a CUDA graph of many launches. */
enum { BATCH_LAUNCHES = 100, PROBE_LAUNCHES = 5, BLOCKS = 4 };
#define BATCH_BELOW_NS 5000.0

struct timed_arm {
    struct arm arm;
    cudaGraphExec_t graph; /* NULL: single launches */
    uint64_t hash;
    bool ready;
};

struct group_run {
    struct runner *r;
    struct timed_arm *arms;
    size_t count;
    cudaEvent_t *events; /* two per iteration of a block */
    size_t block_iterations;
};

static int check(int status, const char *doing, struct err *e)
{
    return status ? device_error(status, doing, e) : 0;
}

static int submit(struct group_run *g, struct timed_arm *arm, struct err *e)
{
    if (arm->graph)
        return check(cudaGraphLaunch(arm->graph, g->r->device.stream), "launch a graph", e);
    return arm_launch(g->r, &arm->arm, e);
}

static int submit_timed(struct group_run *g, struct timed_arm *arm, size_t iterations, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < iterations && !rc; i++) {
        rc = check(cudaEventRecord(g->events[2 * i], g->r->device.stream), "record an event", e);
        if (!rc)
            rc = submit(g, arm, e);
        if (!rc)
            rc = check(cudaEventRecord(g->events[2 * i + 1], g->r->device.stream), "record an event", e);
    }
    return rc;
}

static double elapsed_ns(const struct group_run *g, const struct timed_arm *arm, size_t i)
{
    float ms = NAN;
    if (cudaEventElapsedTime(&ms, g->events[2 * i], g->events[2 * i + 1]))
        return NAN;
    return (double)ms * 1e6 / (arm->graph ? BATCH_LAUNCHES : 1);
}

static int add_timing_row(struct group_run *g, const struct timed_arm *arm, size_t block, size_t order, size_t iteration,
                          long long clock_mhz, struct err *e)
{
    struct table *t = &g->r->tables[BUNDLE_TIMING];
    struct cell *row = table_add_row(t);
    if (!row)
        return err_memory(e);
    row[TIMING_VARIANT] = cell_text(t, arm->arm.run_case->name);
    row[TIMING_SHAPE] = cell_text(t, arm->arm.run_case->key);
    row[TIMING_PROCESS] = cell_integer(g->r->index);
    row[TIMING_BLOCK] = cell_integer((int64_t)block);
    row[TIMING_ORDER] = cell_integer((int64_t)order);
    row[TIMING_ITERATION] = cell_integer((int64_t)iteration);
    row[TIMING_CACHE] = cell_text(t, "hot");
    row[TIMING_BATCH] = cell_integer(arm->graph ? BATCH_LAUNCHES : 1);
    if (clock_mhz >= 0)
        row[TIMING_SM_CLOCK] = cell_number((double)clock_mhz * 1e6);
    row[TIMING_DURATION] = cell_number(elapsed_ns(g, arm, iteration));
    return 0;
}

/* The clock is read while the block's launches are still running. */
static int time_block(struct group_run *g, struct timed_arm *arm, size_t block, size_t order, struct err *e)
{
    int rc = submit_timed(g, arm, g->block_iterations, e);
    if (rc)
        return rc;
    long long clock_mhz = nvml_sm_clock_mhz(&g->r->device.nvml);
    rc = arm_synchronize(g->r, &arm->arm, e);
    for (size_t i = 0; i < g->block_iterations && !rc; i++)
        rc = add_timing_row(g, arm, block, order, i, clock_mhz, e);
    return rc;
}

static int make_graph(struct group_run *g, struct timed_arm *arm, struct err *e)
{
    cudaStream_t stream = g->r->device.stream;
    int rc = check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "begin a graph", e);
    for (int i = 0; i < BATCH_LAUNCHES && !rc; i++)
        rc = arm_launch(g->r, &arm->arm, e);
    cudaGraph_t graph = NULL;
    int ended = cudaStreamEndCapture(stream, &graph);
    if (!rc)
        rc = check(ended, "end a graph", e);
    if (!rc)
        rc = check(cudaGraphInstantiate(&arm->graph, graph, 0), "instantiate a graph", e);
    if (graph)
        cudaGraphDestroy(graph);
    return rc;
}

/* Warms up and says what a few single launches took (their median). */
static int warm_up(struct group_run *g, struct timed_arm *arm, double *probe_median_ns, struct err *e)
{
    int rc = 0;
    for (int64_t i = 0; i < g->r->warmup && !rc; i++)
        rc = arm_launch(g->r, &arm->arm, e);
    size_t probes = g->block_iterations < PROBE_LAUNCHES ? g->block_iterations : PROBE_LAUNCHES;
    if (!rc)
        rc = submit_timed(g, arm, probes, e);
    if (!rc)
        rc = arm_synchronize(g->r, &arm->arm, e);
    if (rc)
        return rc;
    double probe_ns[PROBE_LAUNCHES];
    for (size_t i = 0; i < probes; i++)
        probe_ns[i] = elapsed_ns(g, arm, i);
    *probe_median_ns = median(probe_ns, probes);
    return 0;
}

/* What the processes before this one did with the group; 0 when this is the first. */
static int earlier_batch(const struct group_run *g, const char *key)
{
    struct str path;
    str_init(&path);
    struct table timing;
    bundle_table_init(&timing, BUNDLE_TIMING);
    int batch = 0;
    if (g->r->index > 0 &&
        !table_read_csv(&timing, files_join(&path, g->r->directory, bundle_table_file(BUNDLE_TIMING)), NULL))
        for (size_t row = 0; row < table_rows(&timing) && !batch; row++)
            if (!strcmp(table_text(&timing, row, TIMING_SHAPE), key))
                batch = (int)table_number(&timing, row, TIMING_BATCH);
    table_release(&timing);
    str_release(&path);
    return batch;
}

/* One method for all arms of a group, in all processes: durations from single
 * launches and from graphs must not meet in a ratio. */
static int choose_method(struct group_run *g, double shortest_ns, struct err *e)
{
    int batch = earlier_batch(g, g->arms[0].arm.run_case->key);
    bool graphs = batch ? batch > 1 : shortest_ns < BATCH_BELOW_NS;
    int rc = 0;
    for (size_t i = 0; i < g->count && graphs && !rc; i++) {
        if (!g->arms[i].ready)
            continue;
        rc = make_graph(g, &g->arms[i], e);
        if (!rc)
            rc = submit(g, &g->arms[i], e);
        if (!rc)
            rc = arm_synchronize(g->r, &g->arms[i].arm, e);
    }
    return rc;
}

static int warm_up_arms(struct group_run *g, struct err *e)
{
    double shortest_ns = INFINITY;
    int rc = 0;
    for (size_t i = 0; i < g->count && !rc; i++) {
        double probe_ns = INFINITY;
        if (g->arms[i].ready)
            rc = warm_up(g, &g->arms[i], &probe_ns, e);
        shortest_ns = fmin(shortest_ns, probe_ns);
    }
    return rc || !isfinite(shortest_ns) ? rc : choose_method(g, shortest_ns, e);
}

static int verify_arms(struct group_run *g, const char *phase, struct err *e)
{
    int rc = 0;
    const uint64_t *baseline = NULL;
    for (size_t i = 0; i < g->count && !rc; i++) {
        struct timed_arm *arm = &g->arms[i];
        if (!arm->ready)
            continue;
        rc = arm_verify(g->r, &arm->arm, runner_seed_text(g->r, (size_t)g->r->index), phase, baseline, &arm->hash, e);
        if (runner_is_baseline(g->r, arm->arm.run_case))
            baseline = &arm->hash;
    }
    return rc;
}

/* A B C, C B A, A B C, ...; the whole reversed in every other process. */
static int time_arms(struct group_run *g, struct err *e)
{
    int rc = 0;
    size_t order = 0;
    for (size_t block = 0; block < BLOCKS && !rc; block++)
        for (size_t i = 0; i < g->count && !rc; i++) {
            bool backwards = (block % 2 == 1) != g->r->flip;
            struct timed_arm *arm = &g->arms[backwards ? g->count - 1 - i : i];
            if (arm->ready)
                rc = time_block(g, arm, block, order++, e);
        }
    return rc;
}

static int set_up_arms(struct group_run *g, size_t first, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < g->count && !rc; i++) {
        const struct run_case *c = &g->r->cases.items[first + i];
        char refusal[160];
        g->arms[i].arm.run_case = c;
        if (runner_refusal(g->r, c, refusal, sizeof refusal))
            continue;
        rc = arm_setup(g->r, &g->arms[i].arm, c, runner_seed(g->r, (size_t)g->r->index), e);
        g->arms[i].ready = !rc;
    }
    return rc;
}

static int run_group(struct runner *r, size_t group, cudaEvent_t *events, size_t block_iterations, struct err *e)
{
    size_t first = 0;
    struct group_run g = {.r = r, .count = runner_group(r, group, &first), .events = events,
                          .block_iterations = block_iterations};
    g.arms = calloc(g.count, sizeof *g.arms);
    int rc = g.arms ? set_up_arms(&g, first, e) : err_memory(e);
    if (!rc)
        rc = verify_arms(&g, "before", e);
    if (!rc)
        rc = warm_up_arms(&g, e);
    if (!rc)
        rc = time_arms(&g, e);
    if (!rc)
        rc = verify_arms(&g, "after", e);
    for (size_t i = 0; g.arms && i < g.count; i++) {
        if (g.arms[i].graph)
            cudaGraphExecDestroy(g.arms[i].graph);
        arm_teardown(&g.arms[i].arm);
    }
    free(g.arms);
    return rc;
}

/* The checks of the first process stay: they say what was checked. */
static int keep_for_pool(struct runner *r, struct err *e)
{
    int rc = pool_rows_medians(&r->tables[BUNDLE_TIMING], e);
    return rc || r->index == 0 ? rc : pool_rows_failed(&r->tables[BUNDLE_VERIFY], e);
}

int role_time(struct runner *r, struct err *e)
{
    size_t block_iterations = (size_t)(r->iterations + BLOCKS - 1) / BLOCKS;
    size_t event_count = 2 * block_iterations, made = 0;
    cudaEvent_t *events = calloc(event_count, sizeof *events);
    int rc = events ? 0 : err_memory(e);
    for (; made < event_count && !rc; made++)
        rc = check(cudaEventCreate(&events[made]), "create an event", e);
    for (size_t group = 0; group < r->cases.group_count && !rc; group++)
        rc = run_group(r, group, events, block_iterations, e);
    if (!rc && r->pool)
        rc = keep_for_pool(r, e);
    for (size_t i = 0; events && i < made; i++)
        cudaEventDestroy(events[i]);
    free(events);
    return rc;
}
