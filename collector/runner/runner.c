/* What do the roles share? */
#define _GNU_SOURCE
#include "collector/runner/runner.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/runner/judge/judged.h"
#include "collector/runner/variant_check.h"
#include "core/base/units.h"
#include "kernels/kernel_code.h"

int runner_open_device(struct runner *r, struct err *e)
{
    return device_open(&r->device, r->device_ordinal, e);
}

const char *runner_seed_text(const struct runner *r, size_t index)
{
    return r->seeds.count ? r->seeds.items[index % r->seeds.count] : "0";
}

uint64_t runner_seed(const struct runner *r, size_t index)
{
    return strtoull(runner_seed_text(r, index), NULL, 10);
}

int runner_witness(struct runner *r, const struct run_case *c, const char *place, const char *what, double value,
                   struct err *e)
{
    struct table *t = &r->tables[BUNDLE_WITNESS];
    struct cell *row = table_add_row(t);
    if (!row)
        return err_memory(e);
    if (c) {
        row[WITNESS_VARIANT] = cell_text(t, c->name);
        row[WITNESS_SHAPE] = cell_text(t, c->key);
    }
    row[WITNESS_PROCESS] = cell_integer(r->index);
    row[WITNESS_PLACE] = cell_text(t, place);
    row[WITNESS_WHAT] = cell_text(t, what);
    row[WITNESS_VALUE] = cell_number(value);
    return 0;
}

void runner_missing(struct runner *r, const char *what, const char *why)
{
    json_t *list = json_object_get(r->report, "missing");
    if (!list) {
        list = json_array();
        json_object_set_new(r->report, "missing", list);
    }
    json_array_append_new(list, json_pack("{s:s,s:o}", "what", what, "why", json_text(why)));
}

void runner_spent(struct runner *r, const char *what, int64_t ns)
{
    json_t *spent = json_object_get(r->report, "spent_ns");
    if (!spent) {
        spent = json_object();
        json_object_set_new(r->report, "spent_ns", spent);
    }
    json_object_set_new(spent, what, json_integer(json_get_integer(spent, what, 0) + ns));
}

const char *runner_refusal(const struct runner *r, const struct run_case *c, char *text, size_t bytes)
{
    text[0] = text[bytes - 1] = '\0';
    if (kernel_code_refuses(text, bytes)) /* also of others' variants: the runner's own kernels run beside them */
        return text;
    judged_announce(c->variant);
    if (c->variant->refuse && c->variant->refuse(&c->config, text, bytes - 1))
        return text[0] ? text : "the variant refuses, and does not say why";
    size_t needs = c->variant->shared_bytes(&c->config), allows = r->device.properties.sharedMemPerBlockOptin;
    if (needs <= allows)
        return NULL;
    char need[UNITS_TEXT_BYTES], allow[UNITS_TEXT_BYTES];
    snprintf(text, bytes, "needs %s of shared memory, the device allows %s",
             unit_format(need, UNIT_BYTES, (double)needs), unit_format(allow, UNIT_BYTES, (double)allows));
    return text;
}

int runner_declaration(const struct run_case *c, struct cpprof_declaration *out, struct err *e)
{
    cpprof_variant_declare(c->variant, &c->config, out);
    out->chosen[sizeof out->chosen - 1] = out->no_verdict[sizeof out->no_verdict - 1] = '\0';
    if (inside_build_waits(c->build))
        out->expect_count = 0; /* it is not counted */
    const int rc = variant_check_declaration(out, e);
    return rc ? err_context(e, "what '%s' declares at '%s'", c->variant->name, c->key) : 0;
}

size_t runner_group(const struct runner *r, size_t group, size_t *first)
{
    size_t count = 0;
    for (size_t i = 0; i < r->cases.count; i++)
        if (r->cases.items[i].group == group && !count++)
            *first = i;
    return count;
}

bool runner_is_baseline(const struct runner *r, const struct run_case *c)
{
    return r->baseline && !strcmp(r->baseline, c->variant->name);
}

static int arm_error(const struct arm *arm, int status, const char *doing, struct err *e)
{
    device_error(status, doing, e);
    return err_context(e, "variant '%s' at '%s'", arm->run_case->name, arm->run_case->key);
}

/* Gives an instrumented build its settings, on each device its own. They hold for the launches that follow, those of
 * other arms too. */
static int set_inside(const struct inside_build *build, const struct inside_rooms *rooms)
{
    const struct cpprof_inside_settings waits = {.delay_cycles = build->delay_cycles};
    const bool writes = inside_build_records(build) || inside_build_progresses(build);
    int status = 0;
    for (int i = 0; i < rooms->count && !status; i++) {
        const struct inside_room *room = &rooms->of[i];
        if (rooms->count > 1)
            status = cudaSetDevice(room->device);
        if (!status)
            status = build->inside->set(writes ? &room->settings : &waits);
    }
    const int back = rooms->count > 1 ? (int)cudaSetDevice(rooms->home) : 0;
    return status ? status : back;
}

static int launch_with(struct runner *r, struct arm *arm, const struct inside_rooms *rooms, struct err *e)
{
    const struct run_case *c = arm->run_case;
    int status = c->build ? set_inside(c->build, rooms) : 0;
    if (!status)
        status = c->variant->launch(arm->state, r->device.stream);
    return status ? arm_error(arm, status, "launch", e) : 0;
}

int arm_launch(struct runner *r, struct arm *arm, struct err *e)
{
    return launch_with(r, arm, &arm->rooms, e);
}

struct trial_context {
    struct runner *r;
    struct arm *arm;
};

static int launch_trial(void *context, const struct inside_rooms *rooms, struct err *e)
{
    const struct trial_context *t = context;
    const int rc = launch_with(t->r, t->arm, rooms, e);
    return rc ? rc : arm_synchronize(t->r, t->arm, e);
}

/* On which devices does a build with marks run, and where does one that writes leave what it writes? */
static int make_rooms(struct runner *r, struct arm *arm, struct err *e)
{
    const struct run_case *c = arm->run_case;
    struct trial_context context = {r, arm};
    int devices[CASE_DEVICES_MAX] = {r->device.ordinal};
    const int count = cpprof_variant_devices(c->variant, &c->config, devices, CASE_DEVICES_MAX);
    int rc = inside_rooms_init(&arm->rooms, r->device.ordinal, devices, count, e);
    if (!rc && inside_build_progresses(c->build)) /* without a trial, which may not end */
        rc = inside_rooms_open_all(&arm->rooms, e);
    if (!rc && inside_build_records(c->build))
        rc = inside_rooms_open(&arm->rooms, &(struct inside_trial){launch_trial, &context}, e);
    return rc ? err_context(e, "variant '%s' at '%s'", arm->run_case->name, arm->run_case->key) : 0;
}

int arm_setup(struct runner *r, struct arm *arm, const struct run_case *c, uint64_t seed, struct err *e)
{
    *arm = (struct arm){.run_case = c};
    struct cpprof_config config = c->config;
    config.seed = seed;
    judged_announce(c->variant);
    int status = c->variant->setup(&config, r->device.stream, &arm->state);
    if (status)
        arm->state = NULL; /* a setup that fails has cleaned up, whatever the pointer is */
    if (status)
        return arm_error(arm, status, "set up", e);
    const int rc = c->build ? make_rooms(r, arm, e) : 0;
    if (rc)
        arm_teardown(arm);
    return rc;
}

int arm_fork(struct runner *r, struct arm *arm, struct err *e)
{
    const struct cpprof_variant *v = arm->run_case->variant;
    int status = cpprof_variant_forks_once(v) ? v->fork(arm->state, r->device.stream) : 0;
    return status ? arm_error(arm, status, "fork", e) : 0;
}

int arm_join(struct runner *r, struct arm *arm, struct err *e)
{
    const struct cpprof_variant *v = arm->run_case->variant;
    int status = cpprof_variant_forks_once(v) ? v->join(arm->state, r->device.stream) : 0;
    return status ? arm_error(arm, status, "join", e) : 0;
}

int arm_synchronize(struct runner *r, const struct arm *arm, struct err *e)
{
    cudaError_t status = cudaStreamSynchronize(r->device.stream);
    return status ? arm_error(arm, status, "run", e) : 0;
}

void arm_teardown(struct arm *arm)
{
    if (arm->state)
        arm->run_case->variant->teardown(arm->state);
    arm->state = NULL;
    inside_rooms_release(&arm->rooms);
}

/* The verify of a library's variant may have left any values. */
static void tidy(struct cpprof_verification *v)
{
    if (v->mismatch_count > CPPROF_MISMATCHES_MAX)
        v->mismatch_count = CPPROF_MISMATCHES_MAX;
    for (uint32_t i = 0; i < v->mismatch_count; i++)
        v->mismatches[i].where[sizeof v->mismatches[i].where - 1] = '\0';
    v->hint[sizeof v->hint - 1] = '\0';
}

bool verification_passes(const struct cpprof_verification *v)
{
    return v->values && v->bad_ratio == 0 && isfinite(v->max_abs_err);
}

static void add_mismatches(struct runner *r, const struct arm *arm, const char *seed, const char *phase,
                           const struct cpprof_verification *v)
{
    struct table *t = &r->tables[BUNDLE_MISMATCHES];
    for (uint32_t i = 0; i < v->mismatch_count; i++) {
        struct cell *row = table_add_row(t);
        if (!row)
            return;
        row[MISMATCHES_VARIANT] = cell_text(t, arm->run_case->name);
        row[MISMATCHES_SHAPE] = cell_text(t, arm->run_case->key);
        row[MISMATCHES_SEED] = cell_text(t, seed);
        row[MISMATCHES_PHASE] = cell_text(t, phase);
        row[MISMATCHES_INDEX] = cell_integer((int64_t)v->mismatches[i].index);
        row[MISMATCHES_WHERE] = cell_text(t, v->mismatches[i].where);
        row[MISMATCHES_EXPECTED] = cell_number(v->mismatches[i].expected);
        row[MISMATCHES_GOT] = cell_number(v->mismatches[i].got);
    }
}

static int add_verification(struct runner *r, const struct arm *arm, const char *seed, const char *phase,
                            const struct cpprof_verification *v, const uint64_t *baseline_hash, struct err *e)
{
    struct table *t = &r->tables[BUNDLE_VERIFY];
    struct cell *row = table_add_row(t);
    if (!row)
        return err_memory(e);
    char hash[32];
    row[VERIFY_VARIANT] = cell_text(t, arm->run_case->name);
    row[VERIFY_SHAPE] = cell_text(t, arm->run_case->key);
    row[VERIFY_PROCESS] = cell_integer(r->index);
    row[VERIFY_SEED] = cell_text(t, seed);
    row[VERIFY_PHASE] = cell_text(t, phase);
    row[VERIFY_MAX_ABS_ERR] = cell_number(v->max_abs_err);
    row[VERIFY_BAD_RATIO] = cell_number(v->bad_ratio);
    row[VERIFY_VALUES] = cell_integer((int64_t)v->values);
    snprintf(hash, sizeof hash, "%016" PRIx64, v->output_hash);
    row[VERIFY_OUTPUT_HASH] =
        v->output_hash ? cell_text(t, hash) : cell_missing(t, "the variant does not hash its output");
    if (baseline_hash && *baseline_hash && v->output_hash)
        row[VERIFY_BITWISE] = cell_text(t, *baseline_hash == v->output_hash ? "yes" : "no");
    row[VERIFY_PASS] = cell_text(t, verification_passes(v) ? "yes" : "no");
    if (v->hint[0])
        row[VERIFY_HINT] = cell_text(t, v->hint);
    add_mismatches(r, arm, seed, phase, v);
    return 0;
}

int arm_poison(struct runner *r, struct arm *arm, struct err *e)
{
    const int status = arm->run_case->variant->poison(arm->state, r->device.stream);
    return status ? arm_error(arm, status, "poison the output", e) : 0;
}

int arm_look(struct runner *r, struct arm *arm, struct cpprof_verification *result, struct err *e)
{
    *result = (struct cpprof_verification){.max_abs_err = NAN}; /* fields that a verify leaves unset are unknown */
    const int status = arm->run_case->variant->verify(arm->state, r->device.stream, result);
    tidy(result);
    return status ? arm_error(arm, status, "verify", e) : 0;
}

int arm_judge(struct runner *r, struct arm *arm, const char *seed, const char *phase, const uint64_t *baseline_hash,
              uint64_t *hash, struct err *e)
{
    struct cpprof_verification v;
    const int rc = arm_look(r, arm, &v, e);
    if (rc)
        return rc;
    *hash = v.output_hash;
    return add_verification(r, arm, seed, phase, &v, baseline_hash, e);
}

int arm_verify(struct runner *r, struct arm *arm, const char *seed, const char *phase, const uint64_t *baseline_hash,
               uint64_t *hash, struct err *e)
{
    int rc = arm_poison(r, arm, e);
    if (!rc)
        rc = arm_launch(r, arm, e);
    if (!rc)
        rc = arm_synchronize(r, arm, e);
    return rc ? rc : arm_judge(r, arm, seed, phase, baseline_hash, hash, e);
}
