/* What do the counters of each GPU say of a launch that runs on several? */
#define _GNU_SOURCE
#include "collector/runner/collective_count.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "base/clock.h"
#include "collector/profiler/range_profiler.h"
#include "collector/runner/count_report.h"
#include "model/counters.h"

/* A kernel that waits in vain gives up after 10 s (family allreduce) or never; a reading takes a good second. */
enum { DEVICES_MAX = 16, POLL_NS = 20000 };
#define LONGEST_NS INT64_C(30000000000)

struct collective {
    struct runner *r;
    struct arm arm;
    cudaGraph_t graph; /* of one launch of the arm */
    int device[DEVICES_MAX];
    size_t devices, opened;
    struct range_profiler *profilers[DEVICES_MAX]; /* of these devices, for all arms on them: to open them takes long */
    int64_t end_ns; /* until then it must have been read */
    bool is_stuck;  /* its kernels do not end: CUDA would wait for them in whatever is called */
};

bool collective_count_is_for(const struct run_case *c)
{
    int device[DEVICES_MAX];
    return cpprof_variant_devices(c->variant, &c->config, device, DEVICES_MAX) > 1;
}

static int enter(void *context, size_t i, struct err *e)
{
    const struct collective *c = context;
    if (c->is_stuck)
        return err_set(e, ERR_ENVIRONMENT, "what runs on it does not end"); /* nor would what is done with it then */
    const cudaError_t status = cudaSetDevice(c->device[i]);
    return status ? device_error(status, "use one of the GPUs", e) : 0;
}

/* The graph is made ready for each launch: one that was ready before counting began has been seen uncounted.
 * Looks instead of waiting: what waits for ever could say nothing. */
static int launch_and_look(void *context, struct err *e)
{
    struct collective *c = context;
    cudaGraphExec_t exec = NULL;
    cudaError_t status = cudaGraphInstantiate(&exec, c->graph, 0);
    if (!status)
        status = cudaGraphLaunch(exec, c->r->device.stream);
    if (status)
        return device_error(status, "launch what is counted", e);
    while ((status = cudaStreamQuery(c->r->device.stream)) == cudaErrorNotReady && clock_now_ns() < c->end_ns)
        nanosleep(&(struct timespec){.tv_nsec = POLL_NS}, NULL);
    c->is_stuck = status == cudaErrorNotReady;
    if (!c->is_stuck)
        cudaGraphExecDestroy(exec);
    if (c->is_stuck || clock_now_ns() >= c->end_ns)
        return err_set(e, ERR_ENVIRONMENT, "it was not done within %d s while its GPUs were counted: do their kernels wait for each other?",
                       (int)(LONGEST_NS / 1000000000));
    return status ? device_error(status, "run what is counted", e) : 0;
}

/* While ranges are counted CUPTI lets a launch return only when its kernel has ended (seen with CUDA 13.0): the first GPU's
 * would wait for a peer's that is not launched yet. A graph is one launch for all GPUs. */
static int capture(struct collective *c, struct err *e)
{
    cudaStream_t stream = c->r->device.stream;
    cudaError_t status = cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    if (status)
        return device_error(status, "begin a graph", e);
    const int rc = arm_launch(c->r, &c->arm, e);
    status = cudaStreamEndCapture(stream, &c->graph);
    return rc || !status ? rc : device_error(status, "make a graph of what is counted", e);
}

/* A range on a GPU whose peers were late, or gave up, says nothing. */
static int check_result(struct collective *c, struct err *e)
{
    const struct cpprof_variant *v = c->arm.run_case->variant;
    struct cpprof_verification result = {0};
    const int status = v->verify(c->arm.state, c->r->device.stream, &result);
    if (status)
        return device_error(status, "compare what was computed while it was counted", e);
    return verification_passes(&result) ? 0 : err_set(e, ERR_ENVIRONMENT, "what it computed while it was counted is wrong");
}

/* What the launches before left behind says nothing about those that are counted. */
static int poison(struct collective *c, struct err *e)
{
    int status = c->arm.run_case->variant->poison(c->arm.state, c->r->device.stream);
    if (!status)
        status = cudaStreamSynchronize(c->r->device.stream);
    return status ? device_error(status, "poison the outputs", e) : 0;
}

/* The counters of a range over a launch that is a graph have been seen to read 0 for kernels that ran (H200, CUDA 13.0:
 * cp.async that was certainly executed). What is 0 for all instructions is no count of any. */
static int check_witness(const struct collective *c, const struct text_list *names, const double *values, struct err *e)
{
    for (size_t i = 0; i < c->devices * names->count; i++)
        if (!strcmp(names->items[i % names->count], COLLECTIVE_WITNESS) && !(values[i] > 0))
            return err_set(e, ERR_ENVIRONMENT, "CUPTI counted no instruction on GPU %d while it ran", c->device[i / names->count]);
    return 0;
}

/* The same names, and the witness beside counters of the SMs. */
static int with_witness(struct text_list *out, const struct text_list *names, struct err *e)
{
    bool has_it = false, needs_it = false;
    for (size_t i = 0; i < names->count; i++) {
        has_it |= !strcmp(names->items[i], COLLECTIVE_WITNESS);
        needs_it |= !strncmp(names->items[i], "sm", 2);
    }
    for (size_t i = 0; i < names->count + (needs_it && !has_it); i++) {
        const char **slot = ARRAY_PUSH(out);
        if (!slot)
            return err_memory(e);
        *slot = i < names->count ? names->items[i] : COLLECTIVE_WITNESS;
    }
    return 0;
}

static int open_one(struct collective *c, size_t i, const struct cupti_api *api, const struct text_list *names,
                    bool *accepted, struct err *e)
{
    struct range_profiler_request request = {
        .api = api, .device = c->device[i], .names = names->items, .count = names->count};
    int rc = enter(c, i, e);
    if (!rc)
        rc = device_context(&request.context, e);
    if (!rc)
        rc = range_profiler_new(&c->profilers[i], &request, accepted, e);
    c->opened += !rc;
    return rc;
}

static int open_all(struct collective *c, const struct cupti_api *api, const struct metric_choice *choice,
                    const struct text_list *names, struct err *e)
{
    bool *accepted = calloc(names->count + 1, sizeof *accepted);
    int rc = accepted ? 0 : err_memory(e);
    while (c->opened < c->devices && !rc)
        rc = open_one(c, c->opened, api, names, accepted, e);
    for (size_t i = 1; i < c->opened && !rc; i++)
        if (range_profiler_passes(c->profilers[i]) != range_profiler_passes(c->profilers[0]))
            rc = err_set(e, ERR_ENVIRONMENT, "its GPUs take different numbers of passes for these counters: they are not alike");
    if (!rc)
        count_report_names(c->r, choice, names, accepted);
    if (!rc)
        count_report_passes(c->r, names, accepted, range_profiler_passes(c->profilers[0]));
    free(accepted);
    const int home = enter(c, 0, rc ? NULL : e);
    return rc ? rc : home;
}

static int count_once(struct collective *c, const struct text_list *names, int64_t repeat, struct err *e)
{
    double *values = NULL;
    c->end_ns = clock_now_ns() + LONGEST_NS;
    int rc = launch_and_look(c, e);
    if (!rc)
        rc = poison(c, e);
    if (!rc)
        rc = range_profiler_collect_together(c->profilers, c->devices, enter, launch_and_look, c, &values, e);
    if (!rc)
        rc = check_result(c, e);
    if (!rc)
        rc = check_witness(c, names, values, e);
    for (size_t i = 0; i < c->devices && !rc; i++) {
        char gpu[32];
        snprintf(gpu, sizeof gpu, "gpu %d", c->device[i]);
        rc = count_add_rows(c->r, c->arm.run_case, names, gpu, repeat, values + i * names->count, e);
    }
    free(values);
    return rc;
}

/* With kernels that do not end everything is left to the end of the process. */
static void close_arm(struct collective *c)
{
    if (c->is_stuck)
        return;
    if (c->graph)
        cudaGraphDestroy(c->graph);
    c->graph = NULL;
    arm_teardown(&c->arm);
    cudaGetLastError();
}

static void close_profilers(struct collective *c)
{
    for (size_t i = 0; i < c->opened && !c->is_stuck; i++) {
        enter(c, i, NULL);
        range_profiler_free(c->profilers[i]);
    }
    if (c->opened)
        enter(c, 0, NULL);
    c->opened = 0;
}

/* Those of this case; profilers of others are closed. */
static int choose_devices(struct collective *c, const struct run_case *run_case, struct err *e)
{
    int device[DEVICES_MAX] = {0};
    const int devices = cpprof_variant_devices(run_case->variant, &run_case->config, device, DEVICES_MAX);
    if (devices > DEVICES_MAX)
        return err_set(e, ERR_ENVIRONMENT, "it runs on %d GPUs: at most %d are counted together", devices, DEVICES_MAX);
    if (c->devices != (size_t)devices || memcmp(c->device, device, sizeof device) != 0)
        close_profilers(c);
    c->devices = (size_t)devices;
    memcpy(c->device, device, sizeof device);
    return 0;
}

static int count_case(struct collective *c, const struct run_case *run_case, const struct cupti_api *api,
                      const struct metric_choice *choice, const struct text_list *names, struct err *e)
{
    int rc = choose_devices(c, run_case, e);
    if (!rc)
        rc = arm_setup(c->r, &c->arm, run_case, runner_seed(c->r, 0), e);
    if (rc)
        return rc;
    rc = arm_launch(c->r, &c->arm, e); /* what is done once, as loading modules, is no part of a graph */
    if (!rc)
        rc = capture(c, e);
    if (!rc && !c->opened)
        rc = open_all(c, api, choice, names, e);
    for (int64_t repeat = 0; repeat < c->r->repeats && !rc; repeat++)
        rc = count_once(c, names, repeat, e);
    if (rc)
        close_profilers(c); /* whatever they are in the middle of */
    close_arm(c);
    return rc;
}

int collective_count(struct runner *r, const struct cupti_api *api, const struct metric_choice *choice,
                     const struct text_list *asked, struct err *e)
{
    struct collective c = {.r = r};
    struct text_list names = {0};
    int rc = with_witness(&names, asked, e);
    for (size_t i = 0; i < r->cases.count && !c.is_stuck && !rc; i++) {
        const struct run_case *run_case = &r->cases.items[i];
        struct err why = {0};
        char refusal[160], what[CASE_NAME_BYTES + CASE_KEY_BYTES + 32];
        if (!collective_count_is_for(run_case) || runner_refusal(r, run_case, refusal, sizeof refusal))
            continue;
        snprintf(what, sizeof what, "counters of %s at %s", run_case->name, run_case->key);
        if (count_case(&c, run_case, api, choice, &names, &why))
            runner_missing(r, what, why.text);
    }
    close_profilers(&c);
    free(names.items);
    r->is_stuck = c.is_stuck;
    if (rc)
        return rc;
    return c.is_stuck ? err_set(e, ERR_ENVIRONMENT, "a GPU does not end what it was given: nothing more can be counted") : 0;
}
