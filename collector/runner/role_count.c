/* What do the hardware counters show for one launch of each arm, once or several times? User replay: an arm is launched
 * once per pass. -> metrics.csv, witness.csv */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/profiler/counter_host.h"
#include "collector/profiler/range_profiler.h"
#include "collector/runner/collective_count.h"
#include "collector/runner/count_report.h"
#include "collector/runner/judge/judged.h"
#include "collector/runner/l2_flush.h"
#include "collector/runner/marks.h"
#include "collector/runner/runner.h"
#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/base/str.h"
#include "core/gpu/metric_choice.h"
#include "core/gpu/metric_sets.h"

/* A pass costs about 15 ms of CUPTI's work whatever runs in it, so arms are counted together. Each arm is launched
 * twice in a row and the second launch is counted: it finds the caches as the arm itself leaves them. Before the first
 * launch the L2 cache is flushed in every pass; otherwise an arm would be charged for what CUPTI itself has written
 * (range_profiler.h). The flush is a kernel and is counted, too. */
enum { FLUSHES = 1, LAUNCHES = 2, BATCH_ARMS = (RANGE_KERNELS_MAX - FLUSHES) / LAUNCHES };

struct counted {
    struct arm arm;
    size_t kernels; /* kernels of one launch: assumed to be 1 until counting it alone gave another number */
    bool is_known;  /* it has */
};

/* Two launches of an arm execute the same instructions, except for those executed while waiting. */
#define INSTRUCTIONS_ALIKE 1.25

struct batch {
    struct runner *r;
    struct counted items[BATCH_ARMS];
    size_t count;
    struct l2_flush flush;
    size_t first, end; /* the items that are counted together */
    int flushes;       /* before these items */
    int launches;      /* of each item */
    bool is_apart;     /* one arm on the device at a time, because something failed with several */
};

/* Chooses the names: those asked for, else the default set; always those that the variants expect (the plan has checked
 * these). */
static int choose_names(const struct runner *r, struct metric_choice *choice, size_t *own, struct err *e)
{
    if (r->device_ordinal)
        cudaSetDevice(r->device_ordinal); /* a declaration depends on the current device */
    int rc = r->metrics.count ? 0 : metric_choice_add(choice, metric_set(METRIC_SET_BOUND)->name, e);
    for (size_t i = 0; i < r->metrics.count && !rc; i++)
        rc = metric_choice_add(choice, r->metrics.items[i], e);
    if (!rc && r->cold)
        rc = metric_choice_add(choice, "l2_write_sectors", e); /* written sectors, which a cold launch need not read */
    if (!rc && !r->metrics.count && r->cases.count && variant_is_judged(r->cases.items[0].variant))
        rc = metric_choice_add(choice, "tensor_int8_ops", e); /* work that is none of a task's `flops` */
    *own = choice->count;
    for (size_t c = 0; c < r->cases.count && !rc; c++) {
        struct cpprof_declaration declared;
        rc = runner_declaration(&r->cases.items[c], &declared, e);
        for (size_t i = 0; i < declared.expect_count && !rc; i++)
            rc = metric_choice_add(choice, declared.expect[i].metric, e);
    }
    return rc;
}

/* Lists the names that CUPTI takes in one configuration. */
static int names_of(struct text_list *names, const struct metric_choice *choice, size_t group, struct err *e)
{
    names->count = 0;
    for (size_t i = 0; i < choice->count; i++) {
        if (metric_choice_group(choice, i) != group)
            continue;
        const char **slot = ARRAY_PUSH(names);
        if (!slot)
            return err_memory(e);
        *slot = choice->items[i].name;
    }
    return 0;
}

/* The inputs of a solution are in the cache then. Behind a flush they must not be. */
static int renew_inputs(struct batch *b, size_t first, size_t end, struct err *e)
{
    int rc = 0;
    for (size_t i = first; i < end && !rc; i++)
        if (judged_new_inputs(b->items[i].arm.run_case->variant, b->items[i].arm.state))
            rc = arm_poison(b->r, &b->items[i].arm, e);
    return rc;
}

static int launch_arm(struct runner *r, struct arm *arm, struct err *e)
{
    mark_push(arm->run_case->name, arm->run_case->key, "count");
    int rc = arm_launch(r, arm, e);
    if (!rc)
        rc = arm_synchronize(r, arm, e);
    mark_pop();
    return rc;
}

static int launch_all(void *context, struct err *e)
{
    struct batch *b = context;
    int rc = renew_inputs(b, b->first, b->end, e);
    if (!rc && b->flushes)
        rc = l2_flush_submit_read(&b->flush, b->r->device.stream, e);
    for (size_t i = b->first; i < b->end; i++)
        for (int k = 0; k < b->launches && !rc; k++) {
            rc = k ? renew_inputs(b, i, i + 1, e) : 0;
            if (!rc)
                rc = launch_arm(b->r, &b->items[i].arm, e);
        }
    return rc;
}

static size_t index_of(const struct text_list *names, const char *metric_id)
{
    const char *name = metric_by_id(metric_id)->name;
    size_t i = 0;
    while (i < names->count && strcmp(names->items[i], name) != 0)
        i++;
    return i;
}

/* The launch before the counted one is the first after the flush: all that it reads was only in DRAM. */
static int add_cold_row(struct runner *r, const struct counted *one, const struct text_list *names,
                        const double *values, struct err *e)
{
    const size_t name = index_of(names, "dram_read");
    double bytes = 0;
    for (size_t k = 0; k < one->kernels && name < names->count; k++)
        bytes += values[k * names->count + name];
    return name < names->count && isfinite(bytes)
               ? runner_witness(r, one->arm.run_case, WITNESS_COLD, WITNESS_DRAM_READ, bytes, e)
               : 0;
}

static int add_rows(struct runner *r, const struct counted *one, const struct text_list *names, int64_t repeat,
                    const double *values, struct err *e)
{
    int rc = 0;
    for (size_t k = 0; k < one->kernels && !rc; k++) {
        char kernel[32] = "";
        if (one->kernels > 1)
            snprintf(kernel, sizeof kernel, "kernel %zu", k + 1);
        rc = count_add_rows(r, one->arm.run_case, names, kernel, repeat, values + k * names->count, e);
    }
    return rc;
}

static size_t kernels_of(const struct batch *b)
{
    size_t kernels = FLUSHES;
    for (size_t i = 0; i < b->count; i++)
        kernels += LAUNCHES * b->items[i].kernels;
    return kernels;
}

static bool are_alike(double a, double b)
{
    return !(fmax(a, b) > INSTRUCTIONS_ALIKE * fmin(a, b));
}

/* The total may match the assumed number of kernels although one arm had none and another had two. Then the two kernels
 * of one launch would look like two launches of one kernel. Their instructions show it, if these are counted. */
static bool is_each_its_own(const struct batch *b, const struct text_list *names, const double *values)
{
    const size_t name = index_of(names, "instructions");
    size_t next = FLUSHES;
    for (size_t i = 0; i < b->count && name < names->count; i++) {
        const size_t kernels = b->items[i].kernels;
        for (size_t k = 0; k < kernels && !b->items[i].is_known; k++)
            if (!are_alike(values[(next + k) * names->count + name],
                           values[(next + kernels + k) * names->count + name]))
                return false;
        next += LAUNCHES * kernels;
    }
    return true;
}

/* *done stays false when they cannot be counted together, or launched another number of kernels than assumed: then it
 * is not known which kernel belongs to which arm. */
static int count_together(struct range_profiler *p, struct batch *b, const struct text_list *names, int64_t repeat,
                          bool *done, struct err *e)
{
    double *values = NULL;
    size_t kernels = 0, next = FLUSHES;
    int rc = 0;
    b->first = 0;
    b->end = b->count;
    b->flushes = FLUSHES;
    b->launches = LAUNCHES;
    *done = !range_profiler_collect(p, launch_all, b, &values, &kernels, NULL) && kernels == kernels_of(b) &&
            is_each_its_own(b, names, values);
    for (size_t i = 0; i < b->count && *done && !rc; i++) {
        rc = add_cold_row(b->r, &b->items[i], names, values + next * names->count, e);
        next += (LAUNCHES - 1) * b->items[i].kernels;
        if (!rc)
            rc = add_rows(b->r, &b->items[i], names, repeat, values + next * names->count, e);
        next += b->items[i].kernels;
    }
    free(values);
    return rc;
}

/* Gives the counts of the last of these launches; *kernels does not include the others. */
static int collect_one(struct range_profiler *p, struct batch *b, size_t i, int flushes, int launches, double **values,
                       size_t *kernels, struct err *e)
{
    size_t counted = 0;
    b->first = i;
    b->end = i + 1;
    b->flushes = flushes;
    b->launches = launches;
    int rc = range_profiler_collect(p, launch_all, b, values, &counted, e);
    if (!rc && (counted < (size_t)flushes || (counted - (size_t)flushes) % (size_t)launches))
        rc = err_set(e, ERR_ENVIRONMENT, "two launches in a row are not of as many kernels each");
    if (!rc)
        *kernels = (counted - (size_t)flushes) / (size_t)launches;
    return rc;
}

/* A launch with too many kernels to be counted twice is counted once. The launch before it is that of the previous
 * pass, and what CUPTI wrote at its start was written back during the attempt. */
static int count_alone(struct range_profiler *p, struct batch *b, size_t i, const struct text_list *names,
                       int64_t repeat, struct err *e)
{
    struct counted *one = &b->items[i];
    double *values = NULL;
    size_t before = 0;
    int rc = collect_one(p, b, i, FLUSHES, LAUNCHES, &values, &one->kernels, NULL);
    if (!rc) {
        before = FLUSHES + (LAUNCHES - 1) * one->kernels;
    } else {
        free(values);
        rc = collect_one(p, b, i, 0, 1, &values, &one->kernels, e);
    }
    one->is_known = !rc;
    if (!rc && before)
        rc = add_cold_row(b->r, one, names, values + FLUSHES * names->count, e);
    if (!rc)
        rc = add_rows(b->r, one, names, repeat, values + before * names->count, e);
    free(values);
    return rc;
}

static void part(struct batch *b)
{
    for (size_t i = 0; i < b->count; i++)
        arm_teardown(&b->items[i].arm);
    b->is_apart = true;
    cudaGetLastError();
}

static int count_apart(struct range_profiler *p, struct batch *b, size_t i, const struct text_list *names,
                       int64_t repeat, struct err *e)
{
    struct arm *arm = &b->items[i].arm;
    int rc = arm_setup(b->r, arm, arm->run_case, runner_seed(b->r, 0), e);
    if (!rc)
        rc = count_alone(p, b, i, names, repeat, e);
    arm_teardown(arm);
    return rc;
}

/* The device may have room for the arms, but not for what they, or CUPTI, need at a launch. So an arm fails for good
 * only when it fails alone. */
static int count_one(struct range_profiler *p, struct batch *b, size_t i, const struct text_list *names, int64_t repeat,
                     struct err *e)
{
    if (!b->is_apart) {
        struct err beside_others = {0};
        int rc = count_alone(p, b, i, names, repeat, &beside_others);
        if (!rc || b->count == 1)
            return rc ? err_set(e, rc, "%s", beside_others.text) : 0;
        part(b);
    }
    return count_apart(p, b, i, names, repeat, e);
}

static int count_batch(struct range_profiler *p, struct batch *b, const struct text_list *names, struct err *e)
{
    int rc = 0;
    for (int64_t repeat = 0; repeat < b->r->repeats && !rc; repeat++) {
        bool done = false;
        if (b->count > 1 && !b->is_apart && kernels_of(b) <= RANGE_KERNELS_MAX)
            rc = count_together(p, b, names, repeat, &done, e);
        for (size_t i = 0; i < b->count && !done && !rc; i++)
            rc = count_one(p, b, i, names, repeat, e);
    }
    return rc;
}

/* Half of the device's memory is left for the launches and for other processes. */
static bool has_room(void)
{
    size_t free_bytes = 0, all_bytes = 0;
    return cudaMemGetInfo(&free_bytes, &all_bytes) || free_bytes > all_bytes / 2;
}

/* Sets up arms from *next on, as many as there are or as the device has room for; at least one. */
static int fill(struct batch *b, size_t *next, struct err *e)
{
    int rc = 0;
    b->count = 0;
    b->is_apart = false;
    for (; *next < b->r->cases.count && b->count < BATCH_ARMS && (b->count == 0 || has_room()); ++*next) {
        const struct run_case *c = &b->r->cases.items[*next];
        struct counted *one = &b->items[b->count];
        char refusal[160];
        if (run_case_is_on_several(c) || inside_build_waits(c->build) ||
            runner_refusal(b->r, c, refusal, sizeof refusal))
            continue;
        one->kernels = 1;
        one->is_known = false;
        rc = arm_setup(b->r, &one->arm, c, runner_seed(b->r, 0), e);
        if (rc)
            break;
        b->count++;
    }
    if (!rc || !b->count)
        return rc;
    cudaGetLastError(); /* it gets a batch of its own, where its error is reported */
    *e = (struct err){0};
    return 0;
}

static void empty(struct batch *b)
{
    for (size_t i = 0; i < b->count; i++)
        arm_teardown(&b->items[i].arm);
    b->count = 0;
}

/* The requested names, in groups that CUPTI takes in one configuration. */
struct asked {
    struct metric_choice choice;
    size_t own; /* how many of the first ones are the user's and not a variant's */
    struct text_list names[METRIC_GROUPS];
};

static int choose(struct asked *asked, const struct runner *r, struct err *e)
{
    int rc = choose_names(r, &asked->choice, &asked->own, e);
    for (size_t group = 0; group < METRIC_GROUPS && !rc; group++)
        rc = names_of(&asked->names[group], &asked->choice, group, e);
    return rc;
}

static void asked_release(struct asked *asked)
{
    for (size_t group = 0; group < METRIC_GROUPS; group++)
        free(asked->names[group].items);
    metric_choice_release(&asked->choice);
}

/* The plan that was made meanwhile is for the first group. */
static int open_profiler(struct range_profiler **p, struct runner *r, struct counter_host_loading *loading,
                         const struct asked *asked, const struct text_list *names, struct err *e)
{
    struct range_profiler_request request = {.api = loading->api,
                                             .device = r->device.ordinal,
                                             .names = names->items,
                                             .count = names->count,
                                             .is_whole_gpu = nvml_is_whole_gpu(&r->device.nvml)};
    bool *accepted = calloc(names->count + 1, sizeof *accepted);
    int rc = accepted ? device_context(&request.context, e) : err_memory(e);
    if (loading->is_planned && loading->names == names->items) {
        request.plan = &loading->plan;
        loading->is_planned = false;
    }
    if (!rc)
        rc = range_profiler_new(p, &request, accepted, e);
    if (!rc) {
        count_report_names(r, &asked->choice, names, accepted);
        count_report_passes(r, names, accepted, range_profiler_passes(*p));
    }
    free(accepted);
    return rc;
}

/* CUPTI needs memory, too, and the arms may have left none. */
static int open_beside(struct range_profiler **p, struct batch *b, struct counter_host_loading *loading,
                       const struct asked *asked, const struct text_list *names, struct err *e)
{
    struct err beside_arms = {0};
    if (!open_profiler(p, b->r, loading, asked, names, &beside_arms))
        return 0;
    part(b);
    return open_profiler(p, b->r, loading, asked, names, e);
}

static void report_spent(struct runner *r, const struct range_profiler *p)
{
    for (enum range_profiler_step step = 0; p && step < RANGE_PROFILER_STEPS; step++)
        runner_spent(r, range_profiler_step_name(step), range_profiler_spent_ns(p, step));
}

/* Reads a buffer that fits into the cache, flushes the cache as before a timed launch, and reads the buffer again. */
static int read_twice(void *context, struct err *e)
{
    struct batch *b = context;
    cudaStream_t stream = b->r->device.stream;
    const struct l2_flush part = {b->flush.buffer, b->flush.bytes / 8, 0};
    int rc = l2_flush_submit_read(&part, stream, e);
    if (!rc)
        rc = l2_flush_submit(&b->flush, stream, e);
    if (!rc)
        rc = l2_flush_submit_read(&part, stream, e);
    if (!rc && cudaStreamSynchronize(stream))
        rc = err_set(e, ERR_ENVIRONMENT, "the flush of the L2 cache does not end");
    return rc;
}

/* Once in a run with cold caches: does the flush leave nothing in the cache? Without the counter, or without a value,
 * nothing is claimed. */
static int prove_flush(struct range_profiler *p, struct batch *b, const struct text_list *names, struct err *e)
{
    const size_t name = index_of(names, "dram_read");
    double *values = NULL;
    size_t kernels = 0;
    int rc = 0;
    if (b->r->cold && name < names->count && !range_profiler_collect(p, read_twice, b, &values, &kernels, NULL) &&
        kernels) {
        rc = runner_witness(b->r, NULL, WITNESS_FLUSH, WITNESS_BYTES, (double)(b->flush.bytes / 8), e);
        if (!rc)
            rc = runner_witness(b->r, NULL, WITNESS_FLUSH, WITNESS_DRAM_READ,
                                values[(kernels - 1) * names->count + name], e);
    }
    free(values);
    return rc;
}

/* The first arms are set up before the profiler is opened. Opening needs CUPTI's data, which is being loaded
 * meanwhile. */
static int count_batches(struct batch *b, struct range_profiler **p, struct counter_host_loading *loading,
                         const struct asked *asked, const struct text_list *names, struct err *e)
{
    int rc = 0;
    for (size_t next = 0; !rc && next < b->r->cases.count;) {
        int64_t begin_ns = clock_now_ns();
        rc = fill(b, &next, e);
        runner_spent(b->r, "set-up", clock_now_ns() - begin_ns);
        begin_ns = clock_now_ns();
        counter_host_load_end(loading);
        runner_spent(b->r, "wait-for-data", clock_now_ns() - begin_ns);
        const bool is_first = !*p;
        if (!rc && b->count && is_first)
            rc = open_beside(p, b, loading, asked, names, e);
        if (!rc && b->count && is_first)
            rc = prove_flush(*p, b, names, e);
        if (!rc)
            rc = count_batch(*p, b, names, e);
        begin_ns = clock_now_ns();
        empty(b);
        runner_spent(b->r, "tear-down", clock_now_ns() - begin_ns);
    }
    return rc;
}

static int count_names(struct runner *r, struct counter_host_loading *loading, const struct asked *asked,
                       const struct text_list *names, struct err *e)
{
    struct range_profiler *p = NULL;
    struct batch *b = calloc(1, sizeof *b);
    int rc = b ? l2_flush_open(&b->flush, &r->device, e) : err_memory(e);
    if (!rc) {
        b->r = r;
        if (r->cold)
            l2_flush_forbid_persisting(&b->flush); /* not in a pass, where CUPTI would count it as a kernel */
        rc = count_batches(b, &p, loading, asked, names, e);
    }
    report_spent(r, p);
    const int64_t begin_ns = clock_now_ns();
    range_profiler_free(p);
    if (b)
        l2_flush_release(&b->flush);
    free(b);
    runner_spent(r, "close", clock_now_ns() - begin_ns);
    return rc;
}

static int count_all(struct runner *r, struct counter_host_loading *loading, const struct asked *asked, struct err *e)
{
    int rc = 0;
    for (size_t group = 0; group < METRIC_GROUPS && !rc; group++)
        if (asked->names[group].count)
            rc = count_names(r, loading, asked, &asked->names[group], e);
    return rc ? rc : collective_count(r, loading->api, &asked->choice, asked->own, e);
}

/* The driver is loaded first, because the dynamic loader works for one thread at a time. Its context is made while
 * CUPTI's data is loaded and the names are configured. */
static int open_device(struct runner *r, struct counter_host_loading *loading, const struct cupti_api *api,
                       const struct asked *asked, struct err *e)
{
    int64_t begin_ns = clock_now_ns();
    runner_spent(r, "start", begin_ns - r->start_ns);
    int rc = device_find(&r->device, r->device_ordinal, e);
    runner_spent(r, "driver", clock_now_ns() - begin_ns);
    if (rc)
        return rc;
    size_t group = 0;
    while (group < METRIC_GROUPS - 1 && !asked->names[group].count)
        group++;
    counter_host_load_begin(loading, api, r->device.ordinal, asked->names[group].items, asked->names[group].count);
    begin_ns = clock_now_ns();
    rc = runner_open_device(r, e);
    runner_spent(r, "device", clock_now_ns() - begin_ns);
    return rc;
}

static void end_loading(struct runner *r, struct counter_host_loading *loading)
{
    counter_host_load_end(loading);
    if (loading->is_planned)
        counter_plan_release(&loading->plan);
    runner_spent(r, "data", loading->data_ns);
    runner_spent(r, "plan", loading->plan_ns);
}

int role_count(struct runner *r, struct err *e)
{
    struct cupti_api api;
    struct counter_host_loading loading = {0};
    struct asked asked = {0};
    struct err missing = {0};
    int rc = choose(&asked, r, e);
    if (!rc)
        rc = cupti_api_load_pm(&api, &missing) ? runner_open_device(r, e) : open_device(r, &loading, &api, &asked, e);
    if (!rc)
        rc = missing.code ? err_set(e, missing.code, "%s", missing.text) : count_all(r, &loading, &asked, e);
    end_loading(r, &loading);
    asked_release(&asked);
    if (!rc)
        json_object_set_new(r->report, "cupti",
                            json_pack("{s:i,s:s}", "version", (int)api.version, "library", api.found));
    else
        runner_missing(r, "counters", e->text);
    return rc;
}
