/* How long does each arm take? One process: in each group the arms of its part of the schedule are verified, warmed up
 * and timed in an order that cancels drift. The output of the last timed launches is verified, too. CUPTI and NVTX are
 * never loaded here. -> timing.csv, verify.csv, witness.csv */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collector/runner/block_timer.h"
#include "collector/runner/judge/judged.h"
#include "collector/runner/pool_rows.h"
#include "collector/runner/python/python_solution.h"
#include "collector/runner/series_timer.h"
#include "core/base/files.h"
#include "core/base/str.h"
#include "core/stats/batch_method.h"
#include "core/stats/schedule.h"

enum { BLOCKS = 4 };

struct time_run {
    struct runner *r;
    struct block_timer timer;
    struct table earlier; /* timing.csv as the earlier processes left it */
};

struct group_run {
    struct time_run *run;
    struct runner *r;
    struct timed_arm *arms;
    struct batch_arm *batches; /* what is known of the launches of each arm */
    size_t *set_up_order;      /* of the arms of a wave, first to last */
    size_t count;
    enum batch_method method; /* for hot samples; BATCH_AUTO: not chosen yet */
    struct err refusal;       /* why a graph cannot hold one of the arms; an empty text: it can */
    size_t order;             /* number of the next block */
};

/* ---- arms ---- */

/* An arm that cannot run here is left out; the plan has reported it. */
static int set_up(struct group_run *g, struct timed_arm *arm, struct err *e)
{
    char refusal[160];
    const struct run_case *c = arm->arm.run_case;
    if (runner_refusal(g->r, c, refusal, sizeof refusal))
        return 0;
    int rc = arm_setup(g->r, &arm->arm, c, runner_seed(g->r, (size_t)g->r->round), e);
    arm->ready = !rc;
    return rc;
}

/* ---- the method ---- */

/* When graphs are required this is an error. Otherwise it decides that all arms are timed with single launches. */
static int refuse_graphs(struct group_run *g, size_t i, struct err *why, struct err *e)
{
    const struct run_case *c = g->arms[i].arm.run_case;
    if (g->method == BATCH_GRAPHS) {
        err_context(why, "'%s' at '%s' cannot be timed in graphs%s", c->name, c->key,
                    g->r->method == BATCH_GRAPHS ? ", use --method auto" : " as what it is compared with was");
        *e = *why;
        return why->code;
    }
    g->batches[i].refused = true;
    g->refusal = *why;
    err_context(&g->refusal, "'%s' and what it is compared with at '%s' are timed one launch at a time", c->name,
                c->key);
    cudaGetLastError();
    return arm_synchronize(g->r, &g->arms[i].arm, e);
}

static bool is_of_solutions(const struct group_run *g)
{
    return variant_is_judged(g->arms[0].arm.run_case->variant);
}

/* Solutions are timed in graphs of a series wherever all of them can be. */
static bool is_settled(const struct group_run *g, size_t i)
{
    return is_of_solutions(g) ? g->method == BATCH_SINGLE || g->batches[i].refused || isfinite(g->batches[i].batched_ns)
                              : !batch_method_try(g->method, g->batches, g->count, i);
}

static int launches_to_try(const struct group_run *g, size_t i)
{
    const struct arm *arm = &g->arms[i].arm;
    return is_of_solutions(g) ? judged_series_launches(arm->run_case->variant, arm->state)
                              : batch_method_try(g->method, g->batches, g->count, i);
}

/* Times the arm in a graph if the choice depends on it. While nothing is decided the single launches are timed again,
 * so that clocks are up for both. */
static int look_at_graph(struct group_run *g, size_t i, struct err *e)
{
    struct timed_arm *arm = &g->arms[i];
    struct batch_arm *batch = &g->batches[i];
    struct err why = {0};
    if (!arm->ready || is_settled(g, i))
        return 0;
    if (block_timer_probe_batch(&g->run->timer, arm, launches_to_try(g, i), &batch->batched_ns, &why))
        return refuse_graphs(g, i, &why, e);
    return g->method == BATCH_AUTO ? block_timer_probe(&g->run->timer, arm, PROBE_MOST, &batch->single_ns, e) : 0;
}

/* A function of a Python file runs longer on the host than many kernels on the GPU, and the events of a single launch
 * would measure that. What is compared with one is launched in the same way. */
static int replay_launches(struct group_run *g, const struct timed_arm *arm, struct err *e)
{
    const struct run_case *c = arm->arm.run_case;
    const int status = judged_replay(c->variant, arm->arm.state, g->r->device.stream);
    if (!status)
        return 0;
    device_error(status, "record a launch into a graph", e);
    return err_context(e, "'%s' at '%s' is timed with functions of Python files, whose launches are graphs", c->name,
                       c->key);
}

/* Every process runs the probe, whether it uses the result or not, so that all warm up alike. */
static int warm_up(struct group_run *g, size_t i, struct err *e)
{
    struct timed_arm *arm = &g->arms[i];
    int rc = 0;
    if (!arm->ready)
        return 0;
    for (int64_t launch = 0; launch < g->r->warmup && !rc; launch++)
        rc = arm_launch(g->r, &arm->arm, e);
    if (!rc && python_host_is_set())
        rc = replay_launches(g, arm, e);
    if (!rc)
        rc = block_timer_probe(&g->run->timer, arm, PROBE_LEAST, &g->batches[i].single_ns, e);
    return rc ? rc : look_at_graph(g, i, e);
}

/* Returns the launches per sample of an arm in earlier processes; 0 when there were none. */
static int earlier_batch(const struct table *earlier, const struct run_case *c)
{
    for (size_t row = 0; row < table_rows(earlier); row++)
        if (!strcmp(table_text(earlier, row, TIMING_VARIANT), c->name) &&
            !strcmp(table_text(earlier, row, TIMING_SHAPE), c->key) &&
            strcmp(table_text(earlier, row, TIMING_CACHE), "cold") != 0)
            return (int)table_number(earlier, row, TIMING_BATCH);
    return 0;
}

/* All arms of a group use one method, in all processes: durations of single launches and of graphs must not be
 * compared. */
static void recall_method(struct group_run *g)
{
    g->method = g->r->hot ? g->r->method : BATCH_SINGLE;
    for (size_t i = 0; i < g->count; i++) {
        const int batch = earlier_batch(&g->run->earlier, g->arms[i].arm.run_case);
        g->batches[i] = (struct batch_arm){.single_ns = NAN, .batched_ns = NAN, .batch = batch};
        if (batch && g->method == BATCH_AUTO)
            g->method = batch > 1 ? BATCH_GRAPHS : BATCH_SINGLE;
    }
}

static void choose_method(struct group_run *g)
{
    if (g->method != BATCH_AUTO)
        return;
    g->method = !is_of_solutions(g) ? batch_method_choose(g->batches, g->count)
                : *g->refusal.text  ? BATCH_SINGLE
                                    : BATCH_GRAPHS;
    if (*g->refusal.text)
        runner_missing(g->r, "launches in graphs", g->refusal.text);
}

/* Where arms are never on the device together, the first process probes each of them, one at a time, before it times
 * any. Some are probed twice. */
static int probe_group(struct group_run *g, struct err *e)
{
    int rc = 0;
    for (size_t turn = 0; turn < 2 * g->count && !rc; turn++) {
        const size_t i = turn % g->count;
        if (turn >= g->count && is_settled(g, i))
            continue;
        rc = set_up(g, &g->arms[i], e);
        if (!rc)
            rc = warm_up(g, i, e);
        timed_arm_release(&g->arms[i]);
    }
    choose_method(g);
    return rc;
}

/* ---- one wave: arms that are on the device together ---- */

static int set_up_wave(struct group_run *g, struct wave wave, struct err *e)
{
    int rc = 0;
    schedule_set_up_order(wave, (uint64_t)g->r->index, g->set_up_order);
    for (size_t i = 0; i < wave.count && !rc; i++)
        rc = set_up(g, &g->arms[g->set_up_order[i]], e);
    return rc;
}

/* Verifies the output of a launch after poisoning or, in a phase of timed launches, the output of the last block. */
static int verify_wave(struct group_run *g, struct wave wave, const char *timed, struct err *e)
{
    int rc = 0;
    const uint64_t *baseline = NULL;
    const char *seed = runner_seed_text(g->r, (size_t)g->r->round);
    for (size_t i = wave.first; i < wave.first + wave.count && !rc; i++) {
        struct timed_arm *arm = &g->arms[i];
        if (!arm->ready)
            continue;
        rc = timed ? arm_judge(g->r, &arm->arm, seed, timed, baseline, &arm->hash, e)
                   : arm_verify(g->r, &arm->arm, seed, "before", baseline, &arm->hash, e);
        if (runner_is_baseline(g->r, arm->arm.run_case))
            baseline = &arm->hash;
    }
    return rc;
}

static int launches_of(const struct group_run *g, size_t i)
{
    return is_of_solutions(g) ? launches_to_try(g, i) : batch_method_launches(&g->batches[i]);
}

static int warm_up_wave(struct group_run *g, struct wave wave, struct err *e)
{
    int rc = 0;
    for (size_t i = wave.first; i < wave.first + wave.count && !rc; i++)
        rc = warm_up(g, i, e);
    for (size_t i = wave.first; i < wave.first + wave.count && !rc; i++)
        rc = look_at_graph(g, i, e); /* for arms that were probed before another one asked for graphs */
    choose_method(g);
    for (size_t i = 0; i < wave.count && !rc && g->method == BATCH_GRAPHS; i++) {
        const size_t nth = g->set_up_order[i];
        if (g->arms[nth].ready)
            rc = timed_arm_make_graph(&g->run->timer, &g->arms[nth], launches_of(g, nth), e);
    }
    return rc;
}

/* Times hot blocks, then cold ones; block numbers continue. */
static int time_blocks(struct group_run *g, struct wave wave, enum cache_state cache, size_t first_block, struct err *e)
{
    int rc = 0;
    for (size_t block = first_block; block < first_block + BLOCKS && !rc; block++)
        for (size_t nth = 0; nth < wave.count && !rc; nth++) {
            struct timed_arm *arm = &g->arms[schedule_turn(wave, block, g->r->flip, nth)];
            const struct block_place place = {cache, block, g->order, block + 1 == first_block + BLOCKS};
            g->order += arm->ready;
            if (arm->ready)
                rc = is_of_solutions(g) ? series_timer_run(&g->run->timer, arm, place, e)
                                        : block_timer_run(&g->run->timer, arm, place, e);
        }
    return rc;
}

/* Verifying takes any length of time, and clocks drop meanwhile. */
static int warm_up_again(struct group_run *g, struct wave wave, struct err *e)
{
    int rc = 0;
    for (size_t i = wave.first; i < wave.first + wave.count; i++)
        for (int64_t launch = 0; g->arms[i].ready && launch < g->r->warmup && !rc; launch++)
            rc = arm_launch(g->r, &g->arms[i].arm, e);
    return rc;
}

static int time_wave(struct group_run *g, struct wave wave, struct err *e)
{
    int rc = g->r->hot ? time_blocks(g, wave, CACHE_HOT, 0, e) : 0;
    if (!rc && g->r->hot)
        rc = verify_wave(g, wave, VERIFY_TIMED, e);
    if (!rc && g->r->hot && g->r->cold)
        rc = warm_up_again(g, wave, e);
    if (!rc && g->r->cold)
        rc = time_blocks(g, wave, CACHE_COLD, g->r->hot ? BLOCKS : 0, e);
    return rc || !g->r->cold ? rc : verify_wave(g, wave, VERIFY_TIMED_COLD, e);
}

/* Reports what the timed graph launches, and how much of the cache was set aside after cold launches. */
static int report_witnesses(struct group_run *g, const struct timed_arm *arm, struct err *e)
{
    const struct run_case *c = arm->arm.run_case;
    const struct {
        bool is_seen;
        const char *place, *what;
        double value;
    } seen[] = {
        {arm->graph, WITNESS_GRAPH, WITNESS_CALLS, arm->batch},
        {arm->graph, WITNESS_GRAPH, WITNESS_KERNELS, arm->work.kernels},
        {arm->graph, WITNESS_GRAPH, WITNESS_BLOCKS, arm->work.blocks},
        {arm->graph, WITNESS_GRAPH, WITNESS_COPIES, arm->work.copies},
        {arm->graph, WITNESS_GRAPH, WITNESS_MEMSETS, arm->work.memsets},
        {arm->graph, WITNESS_GRAPH, WITNESS_MOVED, arm->work.moved_bytes},
        {g->r->cold, WITNESS_COLD, WITNESS_PERSISTING, (double)arm->persisting_bytes},
    };
    int rc = 0;
    for (size_t i = 0; i < sizeof seen / sizeof seen[0] && !rc; i++)
        if (seen[i].is_seen && isfinite(seen[i].value) && !g->r->pool)
            rc = runner_witness(g->r, c, seen[i].place, seen[i].what, seen[i].value, e);
    return rc;
}

static int run_wave(struct group_run *g, struct wave wave, struct err *e)
{
    int rc = set_up_wave(g, wave, e);
    if (!rc)
        rc = verify_wave(g, wave, NULL, e);
    if (!rc)
        rc = warm_up_wave(g, wave, e);
    if (!rc)
        rc = time_wave(g, wave, e);
    for (size_t i = wave.first; i < wave.first + wave.count; i++) {
        if (!rc && g->arms[i].ready)
            rc = report_witnesses(g, &g->arms[i], e);
        timed_arm_release(&g->arms[i]);
    }
    return rc;
}

/* ---- groups ---- */

/* Nothing of a group stays on the device for the next one. */
static int run_group(struct time_run *run, size_t group, struct err *e)
{
    struct runner *r = run->r;
    size_t first = 0;
    struct group_run g = {.run = run, .r = r, .count = runner_group(r, group, &first)};
    const size_t waves = schedule_waves(r->schedule, g.count, (size_t)r->arm);
    if (!waves)
        return 0;
    g.arms = calloc(g.count, sizeof *g.arms);
    g.batches = calloc(g.count, sizeof *g.batches);
    g.set_up_order = calloc(g.count, sizeof *g.set_up_order);
    int rc = g.arms && g.batches && g.set_up_order ? 0 : err_memory(e);
    for (size_t i = 0; i < g.count && !rc; i++)
        g.arms[i].arm.run_case = &r->cases.items[first + i];
    if (!rc)
        recall_method(&g);
    if (!rc && g.method == BATCH_AUTO && r->schedule != SCHEDULE_ABBA)
        rc = probe_group(&g, e);
    for (size_t nth = 0; nth < waves && !rc; nth++)
        rc = run_wave(&g, schedule_wave(r->schedule, g.count, (size_t)r->arm, r->flip, nth), e);
    free(g.arms);
    free(g.batches);
    free(g.set_up_order);
    return rc;
}

/* The first process of a run finds no table; one that cannot be read counts as none. */
static void read_earlier(struct time_run *run)
{
    struct str path;
    str_init(&path);
    if (run->r->index > 0)
        table_read_csv(&run->earlier, files_join(&path, run->r->directory, bundle_table_file(BUNDLE_TIMING)), NULL);
    str_release(&path);
}

static int report_flush(struct time_run *run, struct err *e)
{
    double floor_ns = NAN;
    int rc = run->r->cold ? block_timer_floor(&run->timer, &floor_ns, e) : 0;
    if (rc || !run->r->cold)
        return rc;
    json_t *flush = json_pack("{s:I,s:o}", "bytes", (json_int_t)run->timer.flush.bytes, "event_pair_ns",
                              json_number_or_null(floor_ns));
    return json_object_set_new(run->r->report, "l2_flush", flush) ? err_memory(e) : 0;
}

/* The checks of the first process stay, to show what was verified. */
static int keep_for_pool(struct runner *r, struct err *e)
{
    int rc = pool_rows_typical(&r->tables[BUNDLE_TIMING], e);
    return rc || r->index == 0 ? rc : pool_rows_failed(&r->tables[BUNDLE_VERIFY], e);
}

int role_time(struct runner *r, struct err *e)
{
    struct time_run run = {.r = r};
    bundle_table_init(&run.earlier, BUNDLE_TIMING);
    read_earlier(&run);
    int rc = block_timer_open(&run.timer, r, BLOCKS, e);
    if (!rc && r->cases.count && variant_is_judged(r->cases.items[0].variant))
        rc = series_timer_open(&run.timer, e); /* before a solution has done anything */
    if (!rc)
        rc = report_flush(&run, e);
    for (size_t group = 0; group < r->cases.group_count && !rc; group++)
        rc = run_group(&run, group, e);
    if (!rc && r->pool)
        rc = keep_for_pool(r, e);
    block_timer_release(&run.timer);
    table_release(&run.earlier);
    return rc;
}
