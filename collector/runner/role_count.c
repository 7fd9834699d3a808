/* What do the hardware counters say of one launch of each arm? User replay: the
 * arms of a group are launched once per pass. -> metrics.csv */
#include <math.h>
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
    struct arm *arms;
    size_t count;
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

static int launch_range(void *context, size_t index, struct err *e)
{
    struct counted *counted = context;
    int rc = arm_launch(counted->r, &counted->arms[index], e);
    return rc ? rc : arm_synchronize(counted->r, &counted->arms[index], e);
}

static int add_rows(struct runner *r, const struct arm *arm, const struct text_list *names, const double *values,
                    struct err *e)
{
    struct table *t = &r->tables[BUNDLE_METRICS];
    for (size_t i = 0; i < names->count; i++) {
        struct cell *row = table_add_row(t);
        if (!row)
            return err_memory(e);
        row[METRICS_VARIANT] = cell_text(t, arm->run_case->variant->name);
        row[METRICS_SHAPE] = cell_text(t, arm->run_case->key);
        row[METRICS_KERNEL] = cell_text(t, "");
        row[METRICS_LAUNCH] = cell_integer(0);
        row[METRICS_METRIC] = cell_text(t, names->items[i]);
        row[METRICS_UNIT] = cell_text(t, unit_name(metric_unit(names->items[i])));
        row[METRICS_VALUE] = isfinite(values[i]) ? cell_number(metric_to_base(names->items[i], values[i]))
                                                 : cell_missing(t, "not available on this chip");
    }
    return 0;
}

static int set_up(struct counted *counted, size_t first, size_t group_count, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < group_count && !rc; i++) {
        const struct run_case *c = &counted->r->cases.items[first + i];
        char refusal[160];
        if (runner_refusal(counted->r, c, refusal, sizeof refusal))
            continue;
        rc = arm_setup(counted->r, &counted->arms[counted->count], c, runner_seed(counted->r, 0), e);
        counted->count += !rc;
    }
    for (size_t i = 0; i < counted->count && !rc; i++) /* loaded and warm before it is counted */
        rc = launch_range(counted, i, e);
    return rc;
}

static int count_group(struct runner *r, struct range_profiler *p, const struct text_list *names, size_t group,
                       struct err *e)
{
    size_t first = 0, group_count = runner_group(r, group, &first);
    struct counted counted = {.r = r, .arms = calloc(group_count, sizeof *counted.arms)};
    double *values = calloc(group_count * names->count, sizeof *values);
    int rc = counted.arms && values ? set_up(&counted, first, group_count, e) : err_memory(e);
    if (!rc && counted.count)
        rc = range_profiler_collect(p, counted.count, launch_range, &counted, values, e);
    for (size_t i = 0; i < counted.count && !rc; i++)
        rc = add_rows(r, &counted.arms[i], names, values + i * names->count, e);
    for (size_t i = 0; i < counted.count; i++)
        arm_teardown(&counted.arms[i]);
    free(counted.arms);
    free(values);
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
    for (size_t group = 0; group < r->cases.group_count && !rc; group++)
        rc = count_group(r, p, names, group, e);
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
