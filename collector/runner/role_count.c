/* What do the hardware counters say of one launch of each arm, once or several
 * times? User replay: an arm is launched once per pass. -> metrics.csv */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/str.h"
#include "collector/profiler/counter_host.h"
#include "collector/profiler/range_profiler.h"
#include "collector/runner/marks.h"
#include "collector/runner/runner.h"
#include "model/metric_choice.h"
#include "model/metric_sets.h"

/* A pass costs some 15 ms of CUPTI's work whatever runs in it, so arms are counted
 * together. Each is launched twice in a row and the second launch is read: it finds the caches as
 * the arm itself leaves them. */
enum { LAUNCHES = 2, BATCH_ARMS = RANGE_KERNELS_MAX / LAUNCHES };

struct counted {
    struct arm arm;
    size_t kernels; /* of one launch: one, until a reading alone has shown another number. (That one has none
                       and another two is not noticed; without a kernel nothing passes the selection check.) */
};

struct batch {
    struct runner *r;
    struct counted items[BATCH_ARMS];
    size_t count;
    size_t first, end; /* the items whose turn it is */
    int launches;      /* of each */
    bool is_apart;     /* one arm on the device at a time, as something failed beside the others */
};

/* What was asked for, else the set of a run that names none; what the variants expect always (the plan has checked it). */
static int choose_names(const struct runner *r, struct metric_choice *choice, struct err *e)
{
    int rc = r->metrics.count ? 0 : metric_choice_add(choice, metric_set(METRIC_SET_BOUND)->name, e);
    for (size_t i = 0; i < r->metrics.count && !rc; i++)
        rc = metric_choice_add(choice, r->metrics.items[i], e);
    for (size_t c = 0; c < r->cases.count && !rc; c++) {
        struct cpprof_declaration declared;
        cpprof_variant_declare(r->cases.items[c].variant, &r->cases.items[c].config, &declared);
        for (size_t i = 0; i < declared.expect_count && !rc; i++)
            rc = metric_choice_add(choice, declared.expect[i].metric, e);
    }
    return rc;
}

/* Those that CUPTI configures in one go. */
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

/* That a chip lacks a counter of a set is known (model/metric_sets.h); of one that somebody asked for it is said. */
static void report_unknown(struct runner *r, const struct metric_choice *choice, const struct text_list *names,
                           const bool *accepted)
{
    for (size_t i = 0; i < names->count; i++)
        for (size_t k = 0; k < choice->count && !accepted[i]; k++)
            if (choice->items[k].asked_for && choice->items[k].name == names->items[i])
                runner_missing(r, names->items[i], "this chip has no metric of that name");
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
    int rc = 0;
    for (size_t i = b->first; i < b->end; i++)
        for (int k = 0; k < b->launches && !rc; k++)
            rc = launch_arm(b->r, &b->items[i].arm, e);
    return rc;
}

/* `kernel` is "" for a variant of one kernel, else its place in the launch. */
static int add_row_of_each(struct runner *r, const struct run_case *c, const struct text_list *names, const char *kernel,
                           int64_t repeat, const double *values, struct err *e)
{
    struct table *t = &r->tables[BUNDLE_METRICS];
    for (size_t i = 0; i < names->count; i++) {
        if (!isfinite(values[i]) && metric_has_others(names->items[i]))
            continue; /* the chip has it under another name */
        struct cell *row = table_add_row(t);
        if (!row)
            return err_memory(e);
        row[METRICS_VARIANT] = cell_text(t, c->name);
        row[METRICS_SHAPE] = cell_text(t, c->key);
        row[METRICS_KERNEL] = cell_text(t, kernel);
        row[METRICS_LAUNCH] = cell_integer(repeat);
        row[METRICS_METRIC] = cell_text(t, names->items[i]);
        row[METRICS_UNIT] = cell_text(t, unit_name(metric_unit(names->items[i])));
        row[METRICS_VALUE] = isfinite(values[i]) ? cell_number(metric_to_base(names->items[i], values[i]))
                                                 : cell_missing(t, "not available on this chip");
    }
    return 0;
}

static int add_rows(struct runner *r, const struct counted *one, const struct text_list *names, int64_t repeat,
                    const double *values, struct err *e)
{
    int rc = 0;
    for (size_t k = 0; k < one->kernels && !rc; k++) {
        char kernel[32] = "";
        if (one->kernels > 1)
            snprintf(kernel, sizeof kernel, "kernel %zu", k + 1);
        rc = add_row_of_each(r, one->arm.run_case, names, kernel, repeat, values + k * names->count, e);
    }
    return rc;
}

static size_t kernels_of(const struct batch *b)
{
    size_t kernels = 0;
    for (size_t i = 0; i < b->count; i++)
        kernels += LAUNCHES * b->items[i].kernels;
    return kernels;
}

/* *done stays false when they cannot be read together, or launched another number of kernels than was
 * thought: nobody could say then which is whose. */
static int count_together(struct range_profiler *p, struct batch *b, const struct text_list *names, int64_t repeat,
                          bool *done, struct err *e)
{
    double *values = NULL;
    size_t kernels = 0, next = 0;
    int rc = 0;
    b->first = 0;
    b->end = b->count;
    b->launches = LAUNCHES;
    *done = !range_profiler_collect(p, launch_all, b, &values, &kernels, NULL) && kernels == kernels_of(b);
    for (size_t i = 0; i < b->count && *done && !rc; i++) {
        next += (LAUNCHES - 1) * b->items[i].kernels;
        rc = add_rows(b->r, &b->items[i], names, repeat, values + next * names->count, e);
        next += b->items[i].kernels;
    }
    free(values);
    return rc;
}

static int count_alone(struct range_profiler *p, struct batch *b, size_t i, const struct text_list *names,
                       int64_t repeat, struct err *e)
{
    double *values = NULL;
    b->first = i;
    b->end = i + 1;
    b->launches = 1; /* the one before was in the pass before */
    int rc = range_profiler_collect(p, launch_all, b, &values, &b->items[i].kernels, e);
    if (!rc)
        rc = add_rows(b->r, &b->items[i], names, repeat, values, e);
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

/* The device may have room for the arms, and none for what they, or CUPTI, ask for at a launch: an arm fails for good
 * only when it does so without the others. */
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

/* Half of the device's memory is left to the launches, and to other processes. */
static bool has_room(void)
{
    size_t free_bytes = 0, all_bytes = 0;
    return cudaMemGetInfo(&free_bytes, &all_bytes) || free_bytes > all_bytes / 2;
}

/* As many arms as there are, from *next on, or as the device has room for; one at least. */
static int fill(struct batch *b, size_t *next, struct err *e)
{
    int rc = 0;
    b->count = 0;
    b->is_apart = false;
    for (; *next < b->r->cases.count && b->count < BATCH_ARMS && (b->count == 0 || has_room()); ++*next) {
        const struct run_case *c = &b->r->cases.items[*next];
        struct counted *one = &b->items[b->count];
        char refusal[160];
        if (runner_refusal(b->r, c, refusal, sizeof refusal))
            continue;
        one->kernels = 1;
        rc = arm_setup(b->r, &one->arm, c, runner_seed(b->r, 0), e);
        if (rc)
            break;
        b->count++;
    }
    if (!rc || !b->count)
        return rc;
    cudaGetLastError(); /* it gets a batch of its own, and is told of it there */
    *e = (struct err){0};
    return 0;
}

static void empty(struct batch *b)
{
    for (size_t i = 0; i < b->count; i++)
        arm_teardown(&b->items[i].arm);
    b->count = 0;
}

static void report_passes(struct runner *r, const bool *accepted, size_t names, size_t passes)
{
    size_t metrics = 0;
    for (size_t i = 0; i < names; i++)
        metrics += accepted[i];
    const json_t *before = json_object_get(r->report, "counters");
    json_object_set_new(r->report, "counters",
                        json_pack("{s:I,s:I}", "metrics",
                                  (json_int_t)metrics + json_get_integer(before, "metrics", 0), "passes",
                                  (json_int_t)passes + json_get_integer(before, "passes", 0)));
}

static int open_profiler(struct range_profiler **p, struct runner *r, const struct cupti_api *api,
                         const struct metric_choice *choice, const struct text_list *names, struct err *e)
{
    CUcontext context = NULL;
    bool *accepted = calloc(names->count + 1, sizeof *accepted);
    int rc = accepted ? device_context(&context, e) : err_memory(e);
    if (!rc)
        rc = range_profiler_new(p, api, context, r->device.ordinal, names->items, names->count, accepted, e);
    if (!rc) {
        report_unknown(r, choice, names, accepted);
        report_passes(r, accepted, names->count, range_profiler_passes(*p));
    }
    free(accepted);
    return rc;
}

/* CUPTI needs memory, too, which the arms may have left none of. */
static int open_beside(struct range_profiler **p, struct batch *b, const struct cupti_api *api,
                       const struct metric_choice *choice, const struct text_list *names, struct err *e)
{
    struct err beside_arms = {0};
    if (!open_profiler(p, b->r, api, choice, names, &beside_arms))
        return 0;
    part(b);
    return open_profiler(p, b->r, api, choice, names, e);
}

static void report_spent(struct runner *r, const struct range_profiler *p)
{
    for (enum range_profiler_step step = 0; p && step < RANGE_PROFILER_STEPS; step++)
        runner_spent(r, range_profiler_step_name(step), range_profiler_spent_ns(p, step));
}

/* The first arms are set up before the profiler is opened, for which CUPTI's data must be there: it is being loaded. */
static int count_names(struct runner *r, struct counter_host_loading *loading, const struct metric_choice *choice,
                       const struct text_list *names, struct err *e)
{
    struct range_profiler *p = NULL;
    struct batch *b = calloc(1, sizeof *b);
    int rc = b ? 0 : err_memory(e);
    for (size_t next = 0; !rc && next < r->cases.count;) {
        int64_t begin_ns = clock_now_ns();
        b->r = r;
        rc = fill(b, &next, e);
        runner_spent(r, "set-up", clock_now_ns() - begin_ns);
        begin_ns = clock_now_ns();
        counter_host_load_end(loading);
        runner_spent(r, "wait-for-data", clock_now_ns() - begin_ns);
        if (!rc && !p)
            rc = open_beside(&p, b, loading->api, choice, names, e);
        if (!rc)
            rc = count_batch(p, b, names, e);
        empty(b);
    }
    report_spent(r, p);
    range_profiler_free(p);
    free(b);
    return rc;
}

static int count_all(struct runner *r, struct counter_host_loading *loading, struct err *e)
{
    struct metric_choice choice = {0};
    struct text_list names = {0};
    int rc = choose_names(r, &choice, e);
    for (size_t group = 0; group < METRIC_GROUPS && !rc; group++) {
        rc = names_of(&names, &choice, group, e);
        if (!rc && names.count)
            rc = count_names(r, loading, &choice, &names, e);
    }
    free(names.items);
    metric_choice_release(&choice);
    return rc;
}

/* The driver is loaded first, because the loader has one thread at a time; its context is made while CUPTI's data is
 * loaded. */
static int open_device(struct runner *r, struct counter_host_loading *loading, const struct cupti_api *api,
                       struct err *e)
{
    int64_t begin_ns = clock_now_ns();
    runner_spent(r, "start", begin_ns - r->start_ns);
    int rc = device_find(&r->device, r->device_ordinal, e);
    runner_spent(r, "driver", clock_now_ns() - begin_ns);
    if (rc)
        return rc;
    counter_host_load_begin(loading, api);
    begin_ns = clock_now_ns();
    rc = runner_open_device(r, e);
    runner_spent(r, "device", clock_now_ns() - begin_ns);
    return rc;
}

int role_count(struct runner *r, struct err *e)
{
    struct cupti_api api;
    struct counter_host_loading loading = {0};
    struct err missing = {0};
    int rc = cupti_api_load_lists(&api, &missing) ? runner_open_device(r, e) : open_device(r, &loading, &api, e);
    if (!rc)
        rc = missing.code ? err_set(e, missing.code, "%s", missing.text) : count_all(r, &loading, e);
    counter_host_load_end(&loading);
    runner_spent(r, "data", loading.took_ns);
    if (!rc)
        json_object_set_new(r->report, "cupti", json_pack("{s:i,s:s}", "version", (int)api.version, "library", api.found));
    else
        runner_missing(r, "counters", e->text);
    return rc;
}
