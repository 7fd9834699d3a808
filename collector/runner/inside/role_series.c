/* What do the units of the GPU do during a launch? One process samples the whole GPU while the variants that have a
 * build that records are launched, without their marks. -> inside_series.csv */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/profiler/pm_sampler.h"
#include "collector/runner/inside/series_launches.h"
#include "collector/runner/runner.h"
#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/gpu/sampled_units.h"

/* A sample every microsecond. Launches are kept as long as there are rows for all of their samples. A launch that is
 * longer is sampled less often. */
enum {
    STEP_LEAST_NS = 1000,
    SAMPLES_PER_LAUNCH = 500,
    ROWS_MAX = 1000, /* of an arm */
    LAUNCHES_MIN = 3,
    LAUNCHES_MAX = 400,
    WARM_LAUNCHES = 3,
    PAUSE_STEPS = 8,       /* between launches: the GPU idles for some samples, which separates them */
    PAUSE_DITHER_STEPS = 3 /* and up to so many more, so that samples fall on all parts of a launch */
};

/* The column of each unit. */
static const size_t columns[SAMPLED_SERIES_COUNT] = {
    [SAMPLED_ACTIVE] = INSIDE_SERIES_ACTIVE,
    [SAMPLED_TENSOR] = INSIDE_SERIES_TENSOR,
    [SAMPLED_L1_REQUEST] = INSIDE_SERIES_L1_REQUEST,
    [SAMPLED_FMA] = INSIDE_SERIES_FMA,
    [SAMPLED_L1_FILL] = INSIDE_SERIES_L1_FILL,
    [SAMPLED_ISSUE] = INSIDE_SERIES_ISSUE,
    [SAMPLED_XU] = INSIDE_SERIES_XU,
    [SAMPLED_L2] = INSIDE_SERIES_L2,
    [SAMPLED_DRAM_READ] = INSIDE_SERIES_DRAM,
};
_Static_assert((int)SAMPLED_SERIES_COUNT == (int)INSIDE_SERIES_UNIT_COUNT, "each unit of the table has its counter");

/* A sample that becomes a row. */
struct kept_sample {
    int64_t launch;
    uint64_t origin_ns; /* where the first sample of its launch begins */
    struct series_sample sample;
};

struct series {
    struct runner *r;
    struct pm_sampler *sampler;
    struct arm arm;
    uint64_t step_ns;
    int64_t launches;
    bool has_failed; /* the variant, not the sampler */
    struct series_stay stays[LAUNCHES_MAX];
    int64_t kept_launches;
    ARRAY_OF(struct kept_sample) kept;
    struct series_launches seen;
};

/* ---- launches ---- */

static void pause_for(int64_t ns)
{
    const int64_t end_ns = clock_now_ns() + ns;
    while (clock_now_ns() < end_ns)
        ;
}

/* Multiples of the golden ratio spread evenly, however many there are. */
static int64_t pause_of(int64_t launch, uint64_t step_ns)
{
    const double steps = PAUSE_STEPS + fmod((double)launch * 0.6180339887498949, 1) * PAUSE_DITHER_STEPS;
    return (int64_t)(steps * (double)step_ns);
}

static int launch_once(struct series *s, struct err *e)
{
    int rc = arm_launch(s->r, &s->arm, e);
    if (!rc)
        rc = arm_synchronize(s->r, &s->arm, e);
    s->has_failed = rc != 0;
    return rc;
}

static int launch_all(void *context, struct err *e)
{
    struct series *s = context;
    int rc = 0;
    for (int64_t i = 0; i < s->launches && !rc; i++) {
        pause_for(pause_of(i, s->step_ns));
        rc = pm_sampler_time(s->sampler, &s->stays[i].begin_ns, e);
        if (!rc)
            rc = launch_once(s, e);
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
        rc = launch_once(s, e);
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
    const int64_t stay_ns = each_ns + (PAUSE_STEPS + PAUSE_DITHER_STEPS) * (int64_t)s->step_ns;
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

static int add_row(struct series *s, const struct kept_sample *kept, struct err *e)
{
    struct table *t = &s->r->tables[BUNDLE_INSIDE_SERIES];
    struct cell *row = table_add_row(t);
    if (!row)
        return err_memory(e);
    row[INSIDE_SERIES_VARIANT] = cell_text(t, s->arm.run_case->name);
    row[INSIDE_SERIES_SHAPE] = cell_text(t, s->arm.run_case->key);
    row[INSIDE_SERIES_LAUNCH] = cell_integer(kept->launch);
    row[INSIDE_SERIES_BEGIN_NS] = cell_integer((int64_t)(kept->sample.begin_ns - kept->origin_ns));
    row[INSIDE_SERIES_TAKEN_NS] = cell_integer((int64_t)(kept->sample.end_ns - kept->sample.begin_ns));
    for (size_t i = 0; i < SAMPLED_SERIES_COUNT; i++)
        row[columns[i]] = isnan(kept->sample.values[i]) ? cell_missing(t, "not counted together with the others")
                                                        : cell_number(kept->sample.values[i] / 100);
    return 0;
}

static int add_rows(struct series *s, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < s->kept.count && !rc; i++)
        rc = add_row(s, &s->kept.items[i], e);
    return rc;
}

static int keep_launch(void *context, const struct series_sample *samples, size_t count, struct err *e)
{
    struct series *s = context;
    if (s->kept.count && s->kept.count + count > ROWS_MAX)
        return 0;
    for (size_t i = 0; i < count; i++) {
        struct kept_sample *slot = ARRAY_PUSH(&s->kept);
        if (!slot)
            return err_memory(e);
        *slot = (struct kept_sample){s->kept_launches, samples[0].begin_ns, samples[i]};
    }
    s->kept_launches++;
    return 0;
}

static int see(void *context, uint64_t begin_ns, uint64_t end_ns, const double *values, struct err *e)
{
    struct series *s = context;
    struct series_sample sample = {.begin_ns = begin_ns, .end_ns = end_ns};
    memcpy(sample.values, values, sizeof sample.values);
    return series_launches_see(&s->seen, &sample, e);
}

/* ---- arms ---- */

static void report_losses(const struct series *s)
{
    char what[CASE_NAME_BYTES + CASE_KEY_BYTES + 32], why[96];
    if (!s->seen.gapped)
        return;
    snprintf(what, sizeof what, "series of %s at %s", s->arm.run_case->name, s->arm.run_case->key);
    snprintf(why, sizeof why, "%zu of %lld launches lack samples", s->seen.gapped, (long long)s->launches);
    runner_missing(s->r, what, why);
}

/* Rows are added when all went well. */
static int watch(struct series *s, struct err *e)
{
    const struct pm_watch watcher = {see, s};
    s->seen = (struct series_launches){
        .stays = s->stays, .count = (size_t)s->launches, .step_ns = s->step_ns, .keep = keep_launch, .context = s};
    int rc = pm_sampler_watch(s->sampler, s->step_ns, launch_all, s, &watcher, e);
    if (!rc)
        rc = series_launches_end(&s->seen, e);
    if (!rc)
        rc = add_rows(s, e);
    if (!rc)
        report_losses(s);
    return rc;
}

/* When only the sampler failed, *why says how, and no further arm can be sampled. */
static int sample_arm(struct runner *r, struct pm_sampler *sampler, const struct run_case *c, struct err *why,
                      struct err *e)
{
    struct series s = {.r = r, .sampler = sampler};
    int64_t each_ns = 0;
    int rc = arm_setup(r, &s.arm, c, runner_seed(r, 0), e);
    if (rc)
        return rc;
    rc = warm_up(&s, &each_ns, e);
    if (!rc) {
        choose(&s, each_ns);
        if (watch(&s, why) && (s.has_failed || why->code == ERR_MEMORY)) {
            *e = *why;
            rc = e->code;
        }
    }
    arm_teardown(&s.arm);
    series_launches_release(&s.seen);
    free(s.kept.items);
    return rc;
}

/* Only what has a record build to stand next to. */
static bool is_asked_for(const struct runner *r, const struct run_case *c)
{
    char refusal[160];
    if (c->build || runner_refusal(r, c, refusal, sizeof refusal))
        return false;
    for (size_t i = 0; i < r->cases.count; i++) {
        const struct run_case *other = &r->cases.items[i];
        if (inside_build_records(other->build) && !strcmp(other->build->of->name, c->name) &&
            !strcmp(other->key, c->key))
            return true;
    }
    return false;
}

static void report_left_out(struct runner *r, const char *const *names, const bool *accepted)
{
    for (size_t i = 0; i < SAMPLED_SERIES_COUNT; i++)
        if (!names[i])
            runner_missing(r, sampled_unit((enum sampled_unit_id)i)->id, "its samples would miss work on this chip");
        else if (!accepted[i])
            runner_missing(r, names[i], "the chip does not sample it, or not together with the others");
}

static int open_sampler(struct pm_sampler **out, struct runner *r, const struct cupti_api *api, struct err *e)
{
    const char *names[SAMPLED_UNIT_COUNT];
    bool accepted[SAMPLED_SERIES_COUNT];
    int rc = pm_sampler_unit_names(api, r->device.ordinal, names, e);
    if (!rc)
        rc = pm_sampler_new_series(out, api, r->device.ordinal, names, SAMPLED_SERIES_COUNT, accepted, e);
    if (rc)
        return rc;
    report_left_out(r, names, accepted);
    return accepted[SAMPLED_ACTIVE] ? 0 /* without it no launch has an edge */
                                    : err_set(e, ERR_ENVIRONMENT, "the chip does not sample %s", names[SAMPLED_ACTIVE]);
}

/* A machine that does not sample still has its records. */
int role_series(struct runner *r, struct err *e)
{
    struct cupti_api api;
    struct pm_sampler *sampler = NULL;
    struct err why = {0};
    int rc = runner_open_device(r, e);
    if (rc)
        return rc;
    if (!cupti_api_load_pm(&api, &why))
        open_sampler(&sampler, r, &api, &why);
    for (size_t i = 0; i < r->cases.count && !rc && !why.code; i++) {
        const struct run_case *c = &r->cases.items[i];
        if (!is_asked_for(r, c))
            continue;
        if (run_case_is_on_several(c))
            runner_missing(r, c->name, "the units of several GPUs are not sampled");
        else
            rc = sample_arm(r, sampler, c, &why, e);
    }
    if (!rc && why.code)
        runner_missing(r, "series", why.text);
    pm_sampler_free(sampler);
    return rc;
}
