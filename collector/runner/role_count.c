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
#include "model/metrics.h"

struct counted {
    struct runner *r;
    struct arm arm;
};

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

/* What was asked for, else the default set; what the variants expect always. */
static int choose_names(const struct runner *r, struct text_list *names, struct err *e)
{
    int rc = 0;
    size_t defaults;
    const struct metric *metric = metrics_default(&defaults);
    for (size_t i = 0; i < r->metrics.count && !rc; i++)
        rc = add_name(names, r->metrics.items[i], e);
    for (size_t i = 0; !r->metrics.count && i < defaults && !rc; i++)
        rc = add_name(names, metric[i].name, e);
    for (size_t c = 0; c < r->cases.count && !rc; c++)
        for (size_t i = 0; i < r->cases.items[c].variant->expect_count && !rc; i++)
            rc = add_name(names, r->cases.items[c].variant->expect[i].metric, e);
    return rc;
}

static void report_unknown(struct runner *r, const struct text_list *names, const bool *accepted)
{
    for (size_t i = 0; i < names->count; i++)
        if (!accepted[i])
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

static int count_all(struct runner *r, const struct cupti_api *api, const struct text_list *names, bool *accepted,
                     struct err *e)
{
    CUcontext context = NULL;
    struct range_profiler *p = NULL;
    int rc = device_context(&context, e);
    if (!rc)
        rc = range_profiler_new(&p, api, context, r->device.ordinal, names->items, names->count, accepted, e);
    if (!rc) {
        report_unknown(r, names, accepted);
        json_object_set_new(r->report, "counters", json_pack("{s:I,s:I}", "metrics", (json_int_t)names->count, "passes",
                                                             (json_int_t)range_profiler_passes(p)));
    }
    for (size_t i = 0; i < r->cases.count && !rc; i++) {
        char refusal[160];
        if (!runner_refusal(r, &r->cases.items[i], refusal, sizeof refusal))
            rc = count_case(r, p, names, &r->cases.items[i], e);
    }
    range_profiler_free(p);
    return rc;
}

int role_count(struct runner *r, struct err *e)
{
    struct cupti_api api;
    struct text_list names = {0};
    int rc = cupti_api_load(&api, e);
    if (!rc)
        rc = choose_names(r, &names, e);
    bool *accepted = calloc(names.count + 1, sizeof *accepted);
    if (!rc)
        rc = accepted ? count_all(r, &api, &names, accepted, e) : err_memory(e);
    if (!rc)
        json_object_set_new(r->report, "cupti", json_pack("{s:i,s:s}", "version", (int)api.version, "library", api.found));
    else
        runner_missing(r, "counters", e->text);
    free(accepted);
    free(names.items);
    return rc;
}
