/* What do the counters of each GPU show about a launch that runs on several? */
#define _GNU_SOURCE
#include "collector/runner/collective_count.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "collector/profiler/pm_sampler.h"
#include "collector/runner/count_report.h"
#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/gpu/metrics.h"

/* A kernel that waits in vain gives up after 10 s (family allreduce), or never. A reading takes a little over a
 * second. */
enum { POLL_NS = 20000 };
#define LONGEST_NS INT64_C(30000000000)

struct collective {
    struct runner *r;
    const struct cupti_api *api;
    const struct metric_choice *choice;
    struct text_list names; /* all requested ones, and the witness */
    size_t own;     /* the first items of `choice` that the user asked for, as opposed to expectations of variants */
    bool *accepted; /* which names can be sampled */
    bool *is_lost;  /* cases that could not be counted on some GPU: results of their other GPUs are dropped, too */
    double *values; /* room for each name */
    int device;     /* the device whose turn it is */
    struct pm_sampler *sampler; /* its sampler */
    struct arm arm;
    int64_t end_ns; /* deadline for reading the arm */
    bool is_stuck;  /* its kernels do not end, and CUDA would wait for them in any call */
};

/* Polls instead of waiting, because a wait that never ends could not report anything. */
static int launch_and_look(void *context, struct err *e)
{
    struct collective *c = context;
    cudaError_t status = cudaSuccess;
    const int rc = arm_launch(c->r, &c->arm, e); /* when it fails, a part may have been launched */
    while ((status = cudaStreamQuery(c->r->device.stream)) == cudaErrorNotReady && clock_now_ns() < c->end_ns)
        nanosleep(&(struct timespec){.tv_nsec = POLL_NS}, NULL);
    c->is_stuck = status == cudaErrorNotReady;
    if (rc)
        return rc;
    if (c->is_stuck || clock_now_ns() >= c->end_ns)
        return err_set(e, ERR_ENVIRONMENT,
                       "it was not done within %d s while its GPUs were counted: do their kernels wait for each other?",
                       (int)(LONGEST_NS / 1000000000));
    return status ? device_error(status, "run what is counted", e) : 0;
}

/* Removes the results of earlier launches, which prove nothing about those that are counted. */
static int poison(struct collective *c, struct err *e)
{
    int status = c->arm.run_case->variant->poison(c->arm.state, c->r->device.stream);
    if (!status)
        status = cudaStreamSynchronize(c->r->device.stream);
    return status ? device_error(status, "poison the outputs", e) : 0;
}

/* The counts of a GPU whose peers were late, or gave up, mean nothing. */
static int check_result(struct collective *c, struct err *e)
{
    const struct cpprof_variant *v = c->arm.run_case->variant;
    struct cpprof_verification result = {0};
    const int status = v->verify(c->arm.state, c->r->device.stream, &result);
    if (status)
        return device_error(status, "compare what was computed while it was counted", e);
    return verification_passes(&result) ? 0
                                        : err_set(e, ERR_ENVIRONMENT, "what it computed while it was counted is wrong");
}

/* Every kernel executes instructions. When none were counted, other zeros mean nothing. */
static int check_witness(const struct collective *c, struct err *e)
{
    for (size_t i = 0; i < c->names.count; i++)
        if (!strcmp(c->names.items[i], COLLECTIVE_WITNESS) && !(c->values[i] > 0))
            return err_set(e, ERR_ENVIRONMENT, "CUPTI counted no instruction on GPU %d while it ran", c->device);
    return 0;
}

static int add_rows(struct collective *c, int64_t repeat, struct err *e)
{
    char gpu[32];
    snprintf(gpu, sizeof gpu, "gpu %d", c->device);
    int rc = 0;
    for (size_t i = 0; i < c->names.count && !rc; i++) {
        const struct text_list one = {.items = &c->names.items[i], .count = 1};
        if (c->accepted[i])
            rc = count_add_rows(c->r, c->arm.run_case, &one, gpu, repeat, &c->values[i], e);
    }
    return rc;
}

static int count_once(struct collective *c, int64_t repeat, struct err *e)
{
    c->end_ns = clock_now_ns() + LONGEST_NS;
    int rc = launch_and_look(c, e); /* one-time work, such as loading modules, is not counted */
    if (!rc)
        rc = poison(c, e);
    if (!rc)
        rc = pm_sampler_sum(c->sampler, launch_and_look, c, c->values, e);
    if (!rc)
        rc = check_result(c, e);
    if (!rc)
        rc = check_witness(c, e);
    return rc ? rc : add_rows(c, repeat, e);
}

/* When kernels do not end, everything is left to the end of the process. */
static int count_case(struct collective *c, const struct run_case *run_case, struct err *e)
{
    int rc = arm_setup(c->r, &c->arm, run_case, runner_seed(c->r, 0), e);
    if (rc)
        return rc;
    for (int64_t repeat = 0; repeat < c->r->repeats && !rc; repeat++)
        rc = count_once(c, repeat, e);
    if (!c->is_stuck)
        arm_teardown(&c->arm);
    cudaGetLastError();
    return rc;
}

/* Also drops what other GPUs have counted for the case. */
static void lose_case(struct collective *c, size_t i, const char *why)
{
    const struct run_case *run_case = &c->r->cases.items[i];
    struct table *t = &c->r->tables[BUNDLE_METRICS];
    char what[CASE_NAME_BYTES + CASE_KEY_BYTES + 64];
    snprintf(what, sizeof what, "counters of %s at %s on GPU %d", run_case->name, run_case->key, c->device);
    runner_missing(c->r, what, why);
    c->is_lost[i] = true;
    for (size_t row = 0; row < table_rows(t); row++)
        if (!strcmp(table_text(t, row, METRICS_VARIANT), run_case->name) &&
            !strcmp(table_text(t, row, METRICS_SHAPE), run_case->key))
            table_clear(t, row, METRICS_VALUE, "not counted on each GPU");
}

/* A mark that waits is not counted, as in role_count. */
static bool is_to_be_counted(const struct collective *c, size_t i)
{
    char refusal[160];
    const struct run_case *run_case = &c->r->cases.items[i];
    return !c->is_lost[i] && run_case_shares(run_case, c->device) && !inside_build_waits(run_case->build) &&
           !runner_refusal(c->r, run_case, refusal, sizeof refusal);
}

static int open_sampler(struct collective *c, struct err *e)
{
    if (c->sampler)
        return 0;
    return pm_sampler_new(&c->sampler, c->api, c->device, c->names.items, c->names.count, c->accepted, e);
}

static void close_sampler(struct collective *c)
{
    pm_sampler_free(c->sampler);
    c->sampler = NULL;
}

/* Counts on one GPU at a time (pm_sampler.h), all cases that run on it. After a failure the sampler is opened anew. */
static void count_device(struct collective *c)
{
    for (size_t i = 0; i < c->r->cases.count && !c->is_stuck; i++) {
        struct err why = {0};
        if (!is_to_be_counted(c, i))
            continue;
        int rc = open_sampler(c, &why);
        if (!rc)
            rc = count_case(c, &c->r->cases.items[i], &why);
        if (rc)
            lose_case(c, i, why.text);
        if (rc && !c->is_stuck)
            close_sampler(c);
    }
}

static int add_name(struct text_list *names, const char *name, struct err *e)
{
    for (size_t i = 0; i < names->count; i++)
        if (!strcmp(names->items[i], name))
            return 0;
    const char **slot = ARRAY_PUSH(names);
    if (!slot)
        return err_memory(e);
    *slot = name;
    return 0;
}

static int choose_names(struct collective *c, struct err *e)
{
    int rc = add_name(&c->names, COLLECTIVE_WITNESS, e);
    for (size_t i = 0; i < c->choice->count && !rc; i++)
        rc = add_name(&c->names, c->choice->items[i].name, e);
    return rc;
}

/* It is known that sets have names that cannot be sampled; it is reported only for names that the user asked for. */
static void report_names(const struct collective *c)
{
    for (size_t i = 0; i < c->names.count; i++)
        for (size_t k = 0; k < c->own && !c->accepted[i]; k++)
            if (c->choice->items[k].asked_for && !strcmp(c->choice->items[k].name, c->names.items[i]))
                runner_missing(c->r, c->names.items[i], "is not counted of launches on several GPUs (docs/metrics.md)");
    count_report_passes(c->r, &c->names, c->accepted, pm_sampler_passes(c->sampler));
}

/* Names and passes are reported once: they are the same for all GPUs. */
static void count_all(struct collective *c)
{
    bool is_said = false;
    for (c->device = 0; c->device < CASE_DEVICES_MAX && !c->is_stuck; c->device++) {
        count_device(c);
        if (c->sampler && !c->is_stuck && !is_said)
            report_names(c);
        is_said |= c->sampler != NULL;
        if (!c->is_stuck)
            close_sampler(c);
    }
}

int collective_count(struct runner *r, const struct cupti_api *api, const struct metric_choice *choice, size_t own,
                     struct err *e)
{
    struct collective c = {.r = r, .api = api, .choice = choice, .own = own};
    int rc = choose_names(&c, e);
    c.accepted = calloc(c.names.count + 1, sizeof *c.accepted);
    c.is_lost = calloc(r->cases.count + 1, sizeof *c.is_lost);
    c.values = calloc(c.names.count + 1, sizeof *c.values);
    if (!rc && !(c.accepted && c.is_lost && c.values))
        rc = err_memory(e);
    if (!rc)
        count_all(&c);
    free(c.accepted);
    free(c.is_lost);
    free(c.values);
    free(c.names.items);
    r->is_stuck |= c.is_stuck;
    if (rc)
        return rc;
    return c.is_stuck ? err_set(e, ERR_ENVIRONMENT, "a GPU does not end what it was given: nothing more can be counted")
                      : 0;
}
