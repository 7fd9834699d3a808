/* What is written about a reading of counters? */
#include "collector/runner/count_report.h"

#include <math.h>

#include "core/base/json.h"

int count_add_rows(struct runner *r, const struct run_case *c, const struct text_list *names, const char *kernel,
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

/* It is known which counters of sets a chip lacks (core/gpu/chips.h); it is reported only for names that the user asked
 * for. */
void count_report_names(struct runner *r, const struct metric_choice *choice, const struct text_list *names,
                        const bool *accepted)
{
    for (size_t i = 0; i < names->count; i++)
        for (size_t k = 0; k < choice->count && !accepted[i]; k++)
            if (choice->items[k].asked_for && choice->items[k].name == names->items[i])
                runner_missing(r, names->items[i], "this chip has no metric of that name");
}

void count_report_passes(struct runner *r, const struct text_list *names, const bool *accepted, size_t passes)
{
    size_t metrics = 0;
    for (size_t i = 0; i < names->count; i++)
        metrics += accepted[i];
    const json_t *before = json_object_get(r->report, "counters");
    json_object_set_new(r->report, "counters",
                        json_pack("{s:I,s:I}", "metrics", (json_int_t)metrics + json_get_integer(before, "metrics", 0),
                                  "passes", (json_int_t)passes + json_get_integer(before, "passes", 0)));
}
