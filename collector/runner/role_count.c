/* What do the hardware counters say of one launch of each arm, once or several
 * times? User replay: an arm is launched once per pass. -> metrics.csv */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/str.h"
#include "collector/profiler/range_profiler.h"
#include "collector/runner/marks.h"
#include "collector/runner/runner.h"
#include "model/metric_choice.h"
#include "model/metric_sets.h"

struct counted {
    struct runner *r;
    struct arm arm;
};

/* What was asked for, else the set of a run that names none; what the variants expect always. */
static int choose_names(const struct runner *r, struct metric_choice *choice, struct err *e)
{
    int rc = r->metrics.count ? 0 : metric_choice_add(choice, metric_set(METRIC_SET_BOUND)->name, e);
    for (size_t i = 0; i < r->metrics.count && !rc; i++)
        rc = metric_choice_add(choice, r->metrics.items[i], e);
    for (size_t c = 0; c < r->cases.count && !rc; c++)
        for (size_t i = 0; i < r->cases.items[c].variant->expect_count && !rc; i++)
            rc = metric_choice_add(choice, r->cases.items[c].variant->expect[i].metric, e);
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

static int launch_once(void *context, struct err *e)
{
    struct counted *counted = context;
    const struct run_case *c = counted->arm.run_case;
    mark_push(c->name, c->key, "count");
    int rc = arm_launch(counted->r, &counted->arm, e);
    if (!rc)
        rc = arm_synchronize(counted->r, &counted->arm, e);
    mark_pop();
    return rc;
}

/* `kernel` is "" for a variant of one kernel, else its place in the launch. */
static int add_rows(const struct counted *counted, const struct text_list *names, const char *kernel, int64_t repeat,
                    const double *values, struct err *e)
{
    struct table *t = &counted->r->tables[BUNDLE_METRICS];
    for (size_t i = 0; i < names->count; i++) {
        if (!isfinite(values[i]) && metric_has_others(names->items[i]))
            continue; /* the chip has it under another name */
        struct cell *row = table_add_row(t);
        if (!row)
            return err_memory(e);
        row[METRICS_VARIANT] = cell_text(t, counted->arm.run_case->name);
        row[METRICS_SHAPE] = cell_text(t, counted->arm.run_case->key);
        row[METRICS_KERNEL] = cell_text(t, kernel);
        row[METRICS_LAUNCH] = cell_integer(repeat);
        row[METRICS_METRIC] = cell_text(t, names->items[i]);
        row[METRICS_UNIT] = cell_text(t, unit_name(metric_unit(names->items[i])));
        row[METRICS_VALUE] = isfinite(values[i]) ? cell_number(metric_to_base(names->items[i], values[i]))
                                                 : cell_missing(t, "not available on this chip");
    }
    return 0;
}

static int count_once(struct range_profiler *p, struct counted *counted, const struct text_list *names, int64_t repeat,
                      struct err *e)
{
    double *values = NULL;
    size_t kernels = 0;
    int rc = range_profiler_collect(p, launch_once, counted, &values, &kernels, e);
    for (size_t k = 0; k < kernels && !rc; k++) {
        char kernel[32] = "";
        if (kernels > 1)
            snprintf(kernel, sizeof kernel, "kernel %zu", k + 1);
        rc = add_rows(counted, names, kernel, repeat, values + k * names->count, e);
    }
    free(values);
    return rc;
}

static int count_case(struct runner *r, struct range_profiler *p, const struct text_list *names,
                      const struct run_case *c, struct err *e)
{
    struct counted counted = {.r = r};
    int rc = arm_setup(r, &counted.arm, c, runner_seed(r, 0), e);
    for (int64_t repeat = 0; repeat < r->repeats && !rc; repeat++)
        rc = count_once(p, &counted, names, repeat, e);
    arm_teardown(&counted.arm);
    return rc;
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

static int count_names(struct runner *r, const struct cupti_api *api, const struct metric_choice *choice,
                       const struct text_list *names, struct err *e)
{
    CUcontext context = NULL;
    struct range_profiler *p = NULL;
    bool *accepted = calloc(names->count + 1, sizeof *accepted);
    int rc = accepted ? device_context(&context, e) : err_memory(e);
    if (!rc)
        rc = range_profiler_new(&p, api, context, r->device.ordinal, names->items, names->count, accepted, e);
    if (!rc) {
        report_unknown(r, choice, names, accepted);
        report_passes(r, accepted, names->count, range_profiler_passes(p));
    }
    for (size_t i = 0; i < r->cases.count && !rc; i++) {
        char refusal[160];
        if (!runner_refusal(r, &r->cases.items[i], refusal, sizeof refusal))
            rc = count_case(r, p, names, &r->cases.items[i], e);
    }
    range_profiler_free(p);
    free(accepted);
    return rc;
}

static int count_all(struct runner *r, const struct cupti_api *api, struct err *e)
{
    struct metric_choice choice = {0};
    struct text_list names = {0};
    int rc = choose_names(r, &choice, e);
    for (size_t group = 0; group < METRIC_GROUPS && !rc; group++) {
        rc = names_of(&names, &choice, group, e);
        if (!rc && names.count)
            rc = count_names(r, api, &choice, &names, e);
    }
    free(names.items);
    metric_choice_release(&choice);
    return rc;
}

int role_count(struct runner *r, struct err *e)
{
    struct cupti_api api;
    int rc = cupti_api_load(&api, e);
    if (!rc)
        rc = count_all(r, &api, e);
    if (!rc)
        json_object_set_new(r->report, "cupti", json_pack("{s:i,s:s}", "version", (int)api.version, "library", api.found));
    else
        runner_missing(r, "counters", e->text);
    return rc;
}
