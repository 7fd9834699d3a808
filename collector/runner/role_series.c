/* What do the units of the GPU do during a launch? One process samples the whole GPU while the variants that have a
 * build that records are launched, without their marks. -> inside_series.csv */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "collector/profiler/pm_sampler.h"
#include "collector/runner/runner.h"

/* A sample every microsecond, which costs a kernel no time that could be measured. Launches are kept as long as there
 * are rows for all of their samples. A launch that is longer is sampled less often. */
enum {
    STEP_LEAST_NS = 1000,
    SAMPLES_PER_LAUNCH = 500,
    ROWS_MAX = 1000, /* of an arm */
    LAUNCHES_MIN = 3,
    LAUNCHES_MAX = 400,
    WARM_LAUNCHES = 3,
    PAUSE_NS = 8000,       /* between launches: the GPU idles for some samples, which separates them */
    PAUSE_DITHER_NS = 3000 /* and up to this much more, so that samples fall on all parts of a launch */
};

#define SHARE ".avg.pct_of_peak_sustained_elapsed"

/* The columns' counters, the important ones first. One pass of GH100 has room for all of them. The busy cycles of the
 * FMA pipe take a pass of their own there; its instructions stand in for them: its peak is one a cycle and scheduler.
 */
static const struct sampled_unit {
    size_t column;
    const char *name;
} units[] = {
    {INSIDE_SERIES_ACTIVE, "sm__cycles_active" SHARE},
    {INSIDE_SERIES_TENSOR, "TPC.TriageCompute.sm__pipe_tensor_cycles_active_realtime" SHARE},
    {INSIDE_SERIES_L1_REQUEST, "SM_A.TriageCompute.l1tex__m_l1tex2xbar_req_cycles_active_realtime" SHARE},
    {INSIDE_SERIES_FMA, "TPC.TriageCompute.sm__inst_executed_pipe_fma_realtime" SHARE},
    {INSIDE_SERIES_L1_FILL, "SM_A.TriageCompute.l1tex__m_xbar2l1tex_read_sectors_realtime" SHARE},
    {INSIDE_SERIES_ISSUE, "TPC.TriageCompute.sm__inst_executed_realtime" SHARE},
    {INSIDE_SERIES_XU, "SM_A.TriageCompute.sm__inst_executed_pipe_xu_realtime" SHARE},
    {INSIDE_SERIES_L2, "LTS.TriageCompute.lts__t_sector_throughput" SHARE},
    {INSIDE_SERIES_DRAM, "FBSP.TriageCompute.dramc__read_throughput" SHARE},
};
enum { UNITS = sizeof units / sizeof units[0] };
_Static_assert(sizeof units / sizeof units[0] == INSIDE_SERIES_UNIT_COUNT, "each unit of the table has its counter");

/* From before the call of a launch until the GPU idles again. */
struct stay {
    uint64_t begin_ns, end_ns;
};

struct sampled {
    uint64_t begin_ns, taken_ns;
    double values[UNITS];
};

struct series {
    struct runner *r;
    struct pm_sampler *sampler;
    struct arm arm;
    uint64_t step_ns;
    int64_t launches;
    struct stay stays[LAUNCHES_MAX];
    int64_t at;     /* the launch that the next sample may belong to */
    int64_t kept;   /* launches in the table */
    int64_t gapped; /* launches that lack a sample */
    size_t rows;
    ARRAY_OF(struct sampled) samples; /* of the launch `at` */
};

/* ---- launches ---- */

static void pause_for(int64_t ns)
{
    const int64_t end_ns = clock_now_ns() + ns;
    while (clock_now_ns() < end_ns)
        ;
}

/* Multiples of the golden ratio spread evenly, however many there are. */
static int64_t pause_of(int64_t launch)
{
    return PAUSE_NS + (int64_t)(fmod((double)launch * 0.6180339887498949, 1) * PAUSE_DITHER_NS);
}

static int launch_all(void *context, struct err *e)
{
    struct series *s = context;
    int rc = 0;
    for (int64_t i = 0; i < s->launches && !rc; i++) {
        pause_for(pause_of(i));
        rc = pm_sampler_time(s->sampler, &s->stays[i].begin_ns, e);
        if (!rc)
            rc = arm_launch(s->r, &s->arm, e);
        if (!rc)
            rc = arm_synchronize(s->r, &s->arm, e);
        if (!rc)
            rc = pm_sampler_time(s->sampler, &s->stays[i].end_ns, e);
    }
    return rc;
}

static int warm_up(struct series *s, int64_t *each_ns, struct err *e)
{
    int rc = 0;
    *each_ns = INT64_MAX;
    for (int i = 0; i < WARM_LAUNCHES && !rc; i++) {
        const int64_t begin_ns = clock_now_ns();
        rc = arm_launch(s->r, &s->arm, e);
        if (!rc)
            rc = arm_synchronize(s->r, &s->arm, e);
        const int64_t taken_ns = clock_now_ns() - begin_ns;
        if (taken_ns < *each_ns)
            *each_ns = taken_ns;
    }
    return rc;
}

/* `each_ns` holds the launch's call, too, so that there is room for what it stands for. */
static void choose(struct series *s, int64_t each_ns)
{
    const int64_t step_ns = each_ns / SAMPLES_PER_LAUNCH + 1;
    s->step_ns = (uint64_t)(step_ns > STEP_LEAST_NS ? step_ns : STEP_LEAST_NS);
    const int64_t stay_ns = each_ns + PAUSE_NS + PAUSE_DITHER_NS;
    const int64_t room = (int64_t)(pm_sampler_room(s->sampler) / 2 * s->step_ns) / stay_ns;
    s->launches = ROWS_MAX * (int64_t)s->step_ns / (each_ns > 0 ? each_ns : 1) * 2;
    if (s->launches > room)
        s->launches = room;
    if (s->launches > LAUNCHES_MAX)
        s->launches = LAUNCHES_MAX;
    if (s->launches < LAUNCHES_MIN)
        s->launches = LAUNCHES_MIN;
}

/* ---- samples ---- */

static int add_row(struct series *s, const struct sampled *sample, uint64_t origin_ns, struct err *e)
{
    struct table *t = &s->r->tables[BUNDLE_INSIDE_SERIES];
    struct cell *row = table_add_row(t);
    if (!row)
        return err_memory(e);
    row[INSIDE_SERIES_VARIANT] = cell_text(t, s->arm.run_case->name);
    row[INSIDE_SERIES_SHAPE] = cell_text(t, s->arm.run_case->key);
    row[INSIDE_SERIES_LAUNCH] = cell_integer(s->kept);
    row[INSIDE_SERIES_BEGIN_NS] = cell_integer((int64_t)(sample->begin_ns - origin_ns));
    row[INSIDE_SERIES_TAKEN_NS] = cell_integer((int64_t)sample->taken_ns);
    for (size_t i = 0; i < UNITS; i++)
        row[units[i].column] = isnan(sample->values[i]) ? cell_missing(t, "not counted together with the others")
                                                        : cell_number(sample->values[i] / 100);
    s->rows++;
    return 0;
}

/* A launch counts with all of its samples: from the first in which an SM is active to the last. One that takes much
 * longer than a step, or does not begin where the one before ended, says that some are lost. */
static int end_launch(struct series *s, struct err *e)
{
    const struct sampled *items = s->samples.items;
    size_t first = 0, end = s->samples.count;
    bool is_whole = true;
    int rc = 0;
    while (first < end && !(items[first].values[0] > 0))
        first++;
    while (end > first && !(items[end - 1].values[0] > 0))
        end--;
    for (size_t i = first; i < end; i++)
        is_whole = is_whole && items[i].taken_ns < 2 * s->step_ns &&
                   (i == first || items[i].begin_ns <= items[i - 1].begin_ns + items[i - 1].taken_ns + s->step_ns / 4);
    s->gapped += !is_whole || first == end;
    if (is_whole && first < end && (!s->rows || s->rows + end - first <= ROWS_MAX)) {
        for (size_t i = first; i < end && !rc; i++)
            rc = add_row(s, &items[i], items[first].begin_ns, e);
        s->kept++;
    }
    s->samples.count = 0;
    s->at++;
    return rc;
}

/* Launches part in the middle of the time between them. */
static int see(void *context, uint64_t begin_ns, uint64_t end_ns, const double *values, struct err *e)
{
    struct series *s = context;
    int rc = 0;
    while (!rc && s->at + 1 < s->launches &&
           begin_ns >= s->stays[s->at].end_ns + (s->stays[s->at + 1].begin_ns - s->stays[s->at].end_ns) / 2)
        rc = end_launch(s, e);
    if (rc)
        return rc;
    struct sampled *slot = ARRAY_PUSH(&s->samples);
    if (!slot)
        return err_memory(e);
    *slot = (struct sampled){.begin_ns = begin_ns, .taken_ns = end_ns - begin_ns};
    memcpy(slot->values, values, sizeof slot->values);
    return 0;
}

/* ---- arms ---- */

static void report_losses(struct series *s)
{
    char what[CASE_NAME_BYTES + CASE_KEY_BYTES + 32], why[96];
    if (!s->gapped)
        return;
    snprintf(what, sizeof what, "series of %s at %s", s->arm.run_case->name, s->arm.run_case->key);
    snprintf(why, sizeof why, "%lld of %lld launches lack samples", (long long)s->gapped, (long long)s->launches);
    runner_missing(s->r, what, why);
}

static int sample_arm(struct runner *r, struct pm_sampler *sampler, const struct run_case *c, struct err *e)
{
    struct series s = {.r = r, .sampler = sampler};
    const struct pm_watch watch = {see, &s};
    int64_t each_ns = 0;
    int rc = arm_setup(r, &s.arm, c, runner_seed(r, 0), e);
    if (!rc)
        rc = warm_up(&s, &each_ns, e);
    if (!rc) {
        choose(&s, each_ns);
        rc = pm_sampler_watch(sampler, s.step_ns, launch_all, &s, &watch, e);
    }
    if (!rc)
        rc = end_launch(&s, e);
    if (!rc)
        report_losses(&s);
    arm_teardown(&s.arm);
    free(s.samples.items);
    return rc;
}

/* Only what has a record build to stand next to, and one GPU. */
static bool is_asked_for(const struct runner *r, const struct run_case *c)
{
    char refusal[160];
    if (c->build || run_case_is_on_several(c) || runner_refusal(r, c, refusal, sizeof refusal))
        return false;
    for (size_t i = 0; i < r->cases.count; i++) {
        const struct run_case *other = &r->cases.items[i];
        if (other->build && inside_build_records(other->build) && !strcmp(other->build->of->name, c->name) &&
            !strcmp(other->key, c->key))
            return true;
    }
    return false;
}

static void report_left_out(struct runner *r, const bool *accepted)
{
    for (size_t i = 0; i < UNITS; i++)
        if (!accepted[i])
            runner_missing(r, units[i].name, "the chip does not sample it, or not together with the others");
}

static int sample_all(struct runner *r, const struct cupti_api *api, struct err *e)
{
    const char *names[UNITS];
    bool accepted[UNITS];
    struct pm_sampler *sampler = NULL;
    for (size_t i = 0; i < UNITS; i++)
        names[i] = units[i].name;
    int rc = pm_sampler_new_series(&sampler, api, r->device.ordinal, names, UNITS, accepted, e);
    if (!rc)
        report_left_out(r, accepted);
    if (!rc && !accepted[0]) /* without it no launch has an edge */
        rc = err_set(e, ERR_ENVIRONMENT, "the chip does not sample %s", units[0].name);
    for (size_t i = 0; i < r->cases.count && !rc; i++)
        if (is_asked_for(r, &r->cases.items[i]))
            rc = sample_arm(r, sampler, &r->cases.items[i], e);
    pm_sampler_free(sampler);
    return rc;
}

/* A machine that does not sample still has its records. */
int role_series(struct runner *r, struct err *e)
{
    struct cupti_api api;
    struct err why = {0};
    int rc = runner_open_device(r, e);
    if (rc)
        return rc;
    if (cupti_api_load_pm(&api, &why) || sample_all(r, &api, &why))
        runner_missing(r, "series", why.text);
    return 0;
}
