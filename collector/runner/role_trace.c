/* What was launched, when, and with which machine code? One traced process: each arm's first launch, a series of
 * launches, then one that is verified, with CUPTI's activity records. -> trace-PID-0.bin, resources.csv, witness.csv */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/activity/activity.h"
#include "collector/runner/code_hash.h"
#include "collector/runner/judge/judged.h"
#include "collector/runner/marks.h"
#include "collector/runner/runner.h"
#include "core/base/str.h"
#include "kernels/ptxas_facts.h"

enum { TRACED_LAUNCHES = 30, FLUSH_NS = 1000000000 };

struct tracer {
    struct runner *r;
    struct cupti_api api;
    struct shard_writer shard;
    const struct run_case *run_case; /* the case whose kernels arrive now */
    bool collecting;                 /* the case's resources are not known yet */
};

static int64_t trace_now_ns(const struct tracer *t)
{
    uint64_t now = 0;
    t->api.cuptiGetTimestamp(&now);
    return (int64_t)now;
}

/* Writes the phase as an NVTX range for other tools and as an event for us. Our event needs no NVTX injection and has
 * the same name. */
static int write_range(struct tracer *t, const char *name, int64_t start_ns, struct err *e)
{
    struct cpprof_event range = {
        .start_ns = start_ns,
        .end_ns = trace_now_ns(t),
        .kind = CPPROF_EVENT_RANGE,
        .name = shard_writer_string(&t->shard, name),
        .device = -1,
        .rank = -1,
        .thread = (uint32_t)gettid(),
        .detail = shard_writer_string(&t->shard, "cpprof"),
    };
    return shard_writer_add(&t->shard, &range, e);
}

static int traced_launches(struct tracer *t, struct arm *arm, const char *phase, int launches, struct err *e)
{
    char name[MARK_BYTES];
    mark_name(name, sizeof name, arm->run_case->name, arm->run_case->key, phase);
    int64_t start_ns = trace_now_ns(t);
    mark_push(arm->run_case->name, arm->run_case->key, phase);
    const int fresh = judged_new_inputs(arm->run_case->variant, arm->state);
    int rc = 0;
    for (int i = 0; i < launches && !rc; i++) {
        if (launches > 1 && fresh && i % fresh == 0) /* a single one is verified, and was poisoned */
            rc = arm_poison(t->r, arm, e);
        if (!rc)
            rc = arm_launch(t->r, arm, e);
    }
    if (!rc)
        rc = arm_synchronize(t->r, arm, e);
    mark_pop();
    if (!rc)
        rc = write_range(t, name, start_ns, e);
    return rc ? rc : runner_witness(t->r, arm->run_case, phase, WITNESS_CALLS, launches, e);
}

/* A launch whose output is verified. The measured launches have to do the same work. It comes after them, because
 * verifying takes time and clocks drop. */
static int verified_launch(struct tracer *t, struct arm *arm, struct err *e)
{
    uint64_t hash = 0;
    int rc = arm_poison(t->r, arm, e);
    if (!rc)
        rc = arm_synchronize(t->r, arm, e);
    if (!rc)
        rc = traced_launches(t, arm, WITNESS_VERIFY, 1, e);
    return rc ? rc : arm_judge(t->r, arm, runner_seed_text(t->r, 0), "traced", NULL, &hash, e);
}

static void add_code(struct table *table, struct cell *row, const char *symbol)
{
    const struct kernel_code *code = code_hash_find(symbol);
    if (!code) {
        row[RESOURCES_CODE_HASH] =
            cell_missing(table, "the kernel's module was not seen, or several have a kernel of this name");
        return;
    }
    char hash[32];
    snprintf(hash, sizeof hash, "%016" PRIx64, code->hash);
    row[RESOURCES_CODE_HASH] = cell_text(table, hash);
    row[RESOURCES_CODE_BYTES] = cell_integer((int64_t)code->bytes);
}

static void add_spills(struct runner *r, struct table *table, struct cell *row, const char *symbol)
{
    const struct ptxas_facts *facts =
        ptxas_facts_find(symbol, r->device.properties.major * 10 + r->device.properties.minor);
    if (facts)
        row[RESOURCES_SPILL] = cell_integer(facts->spill_store_bytes + facts->spill_load_bytes);
    else
        row[RESOURCES_SPILL] = cell_missing(table, "not one of cpprof's own kernels for this architecture");
}

static void add_resources(struct tracer *t, const struct cpprof_event *k, const char *symbol)
{
    struct runner *r = t->r;
    struct table *table = &r->tables[BUNDLE_RESOURCES];
    struct cell *row = table_add_row(table);
    if (!row)
        return;
    int threads = k->block[0] * k->block[1] * k->block[2];
    double blocks = (double)k->grid[0] * k->grid[1] * k->grid[2];
    int per_sm =
        device_blocks_per_sm(&r->device, threads, k->registers, k->shared_static_bytes, k->shared_dynamic_bytes);
    row[RESOURCES_VARIANT] = cell_text(table, t->run_case->name);
    row[RESOURCES_SHAPE] = cell_text(table, t->run_case->key);
    row[RESOURCES_KERNEL] = cell_text(table, symbol);
    row[RESOURCES_GRID] = cell_number(blocks);
    row[RESOURCES_BLOCK] = cell_integer(threads);
    row[RESOURCES_REGISTERS] = cell_integer(k->registers);
    row[RESOURCES_SHARED] = cell_integer((int64_t)k->shared_static_bytes + k->shared_dynamic_bytes);
    row[RESOURCES_LOCAL] = cell_integer(k->local_bytes);
    add_spills(r, table, row, symbol);
    if (per_sm > 0) {
        const struct cudaDeviceProp *p = &r->device.properties;
        row[RESOURCES_BLOCKS_PER_SM] = cell_integer(per_sm);
        row[RESOURCES_OCCUPANCY] = cell_number((double)per_sm * threads / p->maxThreadsPerMultiProcessor);
        row[RESOURCES_WAVES] = cell_number(blocks / ((double)per_sm * p->multiProcessorCount));
    }
    add_code(table, row, symbol);
}

/* The first kernel of the case's first phase is the variant's: an earlier drain took everything that setup launched. */
static void on_event(void *context, const struct cpprof_event *event, const char *name)
{
    struct tracer *t = context;
    if (event->kind != CPPROF_EVENT_KERNEL || !t->collecting)
        return;
    add_resources(t, event, name);
    t->collecting = false;
}

static int trace_case(struct tracer *t, const struct run_case *c, struct err *e)
{
    struct arm arm;
    int rc = arm_setup(t->r, &arm, c, runner_seed(t->r, 0), e);
    if (rc)
        return rc;
    t->run_case = c;
    rc = arm_synchronize(t->r, &arm, e);
    if (!rc)
        rc = activity_drain(ACTIVITY_FLUSH_ENDED, on_event, t, e);
    t->collecting = true;
    if (!rc)
        rc = traced_launches(t, &arm, "first", 1, e);
    if (!rc)
        rc = activity_drain(ACTIVITY_FLUSH_ENDED, on_event, t, e);
    t->collecting = false;
    if (!rc)
        rc = traced_launches(t, &arm, WITNESS_MEASURE, TRACED_LAUNCHES, e);
    if (!rc)
        rc = verified_launch(t, &arm, e);
    arm_teardown(&arm);
    return rc;
}

static void report_cost(struct tracer *t)
{
    struct activity_cost cost;
    activity_cost(&cost);
    json_object_set_new(t->r->report, "cupti",
                        json_pack("{s:i,s:s}", "version", (int)t->api.version, "library", t->api.found));
    json_object_set_new(t->r->report, "collector",
                        json_pack("{s:I,s:I,s:I,s:I,s:I}", "records", (json_int_t)cost.records, "record_bytes",
                                  (json_int_t)cost.record_bytes, "unknown_records", (json_int_t)cost.unknown_records,
                                  "decode_ns", (json_int_t)cost.decode_ns, "trace_bytes",
                                  (json_int_t)t->shard.written_bytes));
    json_object_set_new(t->r->report, "dropped", json_pack("{s:I}", "records", (json_int_t)cost.dropped));
}

static int trace_all(struct tracer *t, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < t->r->cases.count && !rc; i++) {
        char refusal[160];
        if (!runner_refusal(t->r, &t->r->cases.items[i], refusal, sizeof refusal))
            rc = trace_case(t, &t->r->cases.items[i], e);
    }
    if (!rc)
        rc = activity_finish(on_event, t, e);
    return rc;
}

/* Records work, and the calls that launch, copy, set and wait. From the absence of other calls a rule concludes
 * nothing. NVTX ranges are not recorded: write_range writes those of the phases. */
static int start_trace(struct tracer *t, struct err *e)
{
    const struct activity_options options = {.flush_ns = FLUSH_NS};
    int rc = activity_start(&t->api, &t->shard, &options, e);
    return rc ? rc : activity_collect(true, e);
}

int role_trace(struct runner *r, struct err *e)
{
    struct tracer t = {.r = r};
    struct str path;
    str_init(&path);
    int rc = cupti_api_load_trace(&t.api, e);
    if (rc) {
        runner_missing(r, "trace", e->text);
        return rc;
    }
    str_addf(&path, "%s/trace-%d-0.bin", r->directory, (int)getpid());
    rc = shard_writer_open(&t.shard, str_text(&path), -1, trace_now_ns(&t), e);
    str_release(&path);
    if (rc)
        return rc;
    rc = code_hash_start(&t.api, e);
    if (!rc)
        rc = start_trace(&t, e);
    if (rc)
        runner_missing(r, "trace", e->text);
    if (!rc)
        rc = runner_open_device(r, e);
    if (!rc)
        rc = trace_all(&t, e);
    report_cost(&t);
    int closed = shard_writer_close(&t.shard, rc ? NULL : e);
    code_hash_clear();
    return rc ? rc : closed;
}
