/* What bounds each launch that another tool counted?
 *
 * Launches of one kernel that came to the same verdict are one row: its time is
 * that of all, its other numbers are those of the first, the JSON has all of them.
 * Rows with the most time come first. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/bounds/lost_time.h"
#include "analyzers/bounds/ncu_words.h"
#include "analyzers/counted_thresholds.h"
#include "core/base/array.h"
#include "core/base/count_of.h"
#include "core/base/strtab.h"
#include "reports/reports.h"
#include "reports/run/run_report.h"
#include "reports/trace_words.h"

/* Tables with several rows for each group have those of the first ones. */
enum { EVIDENCE_GROUPS_MAX = 16 };

struct group {
    const struct bound *first;
    size_t count;
    double duration_ns; /* of all of its launches; NAN when that of one is not known */
};

struct groups {
    struct group *items;
    size_t count, capacity;
    bool many_processes, many_devices, any_ncu_rule, any_duration; /* the columns that are needed */
    double duration_ns;                                            /* of all launches; NAN as in a group */
    struct short_names names;
};

/* What the launches of a group have in common. */
static void add_key(struct str *key, const struct bound *b)
{
    const struct imported_launch *l = b->counted;
    const char *const parts[] = {l->kernel,
                                 l->process_id,
                                 l->device,
                                 l->grid,
                                 l->block,
                                 b->unit,
                                 b->lean,
                                 bound_class_name(b->class_),
                                 b->bound_by,
                                 b->ncu_rule ? b->ncu_rule : "",
                                 l->ncu_rule ? l->ncu_rule : ""};
    str_clear(key);
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        str_addf(key, "%s\n", parts[i]);
}

static void add_duration(struct groups *groups, struct group *group, const struct bound *b)
{
    const double ns = counters_value(&b->counted->counters, METRIC_DURATION);
    groups->any_duration |= ns >= 0;
    group->duration_ns += ns;
    groups->duration_ns += ns;
}

/* The most time first. Groups without a time come last, and of equals the first in the file. */
static int by_duration(const void *left, const void *right)
{
    const struct group *a = left, *b = right;
    const double a_ns = isnan(a->duration_ns) ? -1 : a->duration_ns, b_ns = isnan(b->duration_ns) ? -1 : b->duration_ns;
    if (a_ns != b_ns)
        return a_ns > b_ns ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

static int gather(const struct analysis *a, struct groups *groups, struct err *e)
{
    struct strtab keys;
    struct str key;
    int rc = 0;
    strtab_init(&keys);
    str_init(&key);
    for (size_t i = 0; i < a->bounds.count && !rc; i++) {
        const struct bound *b = &a->bounds.items[i], *first = &a->bounds.items[0];
        add_key(&key, b);
        const size_t known = strtab_count(&keys);
        const uint32_t id = key.failed ? 0 : strtab_add_bytes(&keys, key.text, key.length);
        struct group *group = !id ? NULL : strtab_count(&keys) > known ? ARRAY_PUSH(groups) : &groups->items[id - 1];
        if (!group) {
            rc = err_memory(e);
            break;
        }
        group->first = group->count++ ? group->first : b;
        add_duration(groups, group, b);
        groups->many_processes |= strcmp(b->counted->process_id, first->counted->process_id) != 0;
        groups->many_devices |= strcmp(b->counted->device, first->counted->device) != 0;
        groups->any_ncu_rule |= b->counted->ncu_rule != NULL;
    }
    if (groups->count)
        qsort(groups->items, groups->count, sizeof *groups->items, by_duration);
    strtab_release(&keys);
    str_release(&key);
    return rc;
}

static void write_headline(const struct analysis *a, const struct groups *groups, const char *path, struct document *d)
{
    document_heading(d, 1, "");
    if (groups->count == 1 && a->bounds.count == 1) {
        words_kernel(d, a->bounds.items[0].kernel);
        document_span(d, SPAN_PLAIN, " is ");
        words_bound(d, &a->bounds.items[0]);
        return;
    }
    document_span(d, SPAN_PLAIN, "%zu launches in ", a->bounds.count);
    document_span(d, SPAN_CODE, "%s", path);
    words_class_counts(d, a);
}

/* A share that is only a limit is said to be one. */
static void cell_share(struct document *d, double share, enum share_certainty certainty)
{
    char text[UNITS_TEXT_BYTES];
    if (certainty == SHARE_AT_MOST || certainty == SHARE_AT_LEAST)
        document_cell(d, "%s %s", share_certainty_name(certainty), unit_format(text, UNIT_RATIO, share));
    else
        document_cell_unit(d, UNIT_RATIO, share);
}

static void add_row(struct document *d, struct groups *groups, const struct group *group)
{
    const struct bound *b = group->first;
    if (group->count > 1)
        document_cell(d, "%s and %zu more", b->counted->id, group->count - 1);
    else
        document_cell(d, "%s", b->counted->id);
    cell_kernel(d, &groups->names, b->kernel);
    if (groups->any_duration) {
        document_cell_unit(d, UNIT_NS, group->duration_ns);
        document_cell_unit(d, UNIT_RATIO, words_ratio(group->duration_ns, groups->duration_ns));
    }
    if (groups->many_processes)
        document_cell(d, "%s", b->counted->process_id);
    if (groups->many_devices)
        document_cell(d, "%s", b->counted->device);
    document_cell_unit(d, UNIT_COUNT, b->counted->resource.grid_blocks);
    document_cell_unit(d, UNIT_NONE, b->counted->resource.waves);
    document_cell_unit(d, UNIT_COUNT, b->counted->resource.registers);
    document_cell(d, "%s", bound_class_name(b->class_));
    document_cell(d, "%s", b->unit_is_open ? "open" : *b->unit ? b->unit : "n/a");
    document_cell(d, "%s", *b->lean ? b->lean : "n/a");
    cell_share(d, b->compute_share, b->compute_is);
    cell_share(d, b->memory_share, b->memory_is);
    document_cell_unit(d, UNIT_RATIO, b->margin);
    document_cell(d, "%s", b->ncu_rule ? b->ncu_rule : "n/a");
    if (groups->any_ncu_rule)
        document_cell(d, "%s", b->counted->ncu_rule ? b->counted->ncu_rule : "n/a");
}

static void add_table(struct document *d, struct groups *groups)
{
    struct document_column columns[18] = {{"id", true}, {"kernel", false}};
    size_t count = 2;
    if (groups->any_duration) {
        columns[count++] = (struct document_column){"time", true};
        columns[count++] = (struct document_column){"share", true};
    }
    if (groups->many_processes)
        columns[count++] = (struct document_column){"process", true};
    if (groups->many_devices)
        columns[count++] = (struct document_column){"device", true};
    static const struct document_column others[] = {
        {"blocks", true}, {"waves", true},   {"registers", true}, {"class", false}, {"unit", false},
        {"lean", false},  {"compute", true}, {"memory", true},    {"margin", true}, {"Nsight Compute's rule", false}};
    for (size_t i = 0; i < COUNT_OF(others); i++)
        columns[count++] = others[i];
    if (groups->any_ncu_rule)
        columns[count++] = (struct document_column){"said in the file", false};
    document_heading(d, 2, "Bounds");
    document_table(d, columns, count);
    for (size_t i = 0; i < groups->count; i++)
        add_row(d, groups, &groups->items[i]);
    document_paragraph(d);
    document_span(
        d, SPAN_PLAIN,
        "Compute and memory are shares of peak over elapsed cycles, and the lean is the larger one; the margin is the "
        "distance to the nearest other class, in points of those shares.");
}

static void add_reasons(struct document *d, const struct analysis *a, const struct bound *b)
{
    struct str ncu;
    str_init(&ncu);
    ncu_words_add(&ncu, counted_thresholds_of(a, b->counted), b);
    document_bullet(d);
    document_span(d, SPAN_PLAIN, "%s, ", b->counted->id);
    words_kernel(d, b->kernel);
    document_span(d, SPAN_PLAIN, ": ");
    document_span(d, SPAN_STRONG, "%s", bound_class_name(b->class_));
    document_span(d, SPAN_PLAIN, ", %s.", b->cause);
    if (*b->advice)
        document_span(d, SPAN_PLAIN, " To try: %s.", b->advice);
    if (*b->will_not_help)
        document_span(d, SPAN_PLAIN, " Will not help: %s.", b->will_not_help);
    if (ncu.length)
        document_span(d, SPAN_PLAIN, " %s", str_text(&ncu));
    d->failed |= ncu.failed;
    str_release(&ncu);
}

static void write_first_ones(struct document *d, const struct groups *groups)
{
    if (groups->count <= EVIDENCE_GROUPS_MAX)
        return;
    document_paragraph(d);
    document_span(d, SPAN_PLAIN, "Of the first %d rows; --format json has all launches.", EVIDENCE_GROUPS_MAX);
}

static void add_lost_time(struct document *d, const struct groups *groups)
{
    static const struct document_column columns[] = {
        {"id", true}, {"part", false}, {"share", true}, {"kind", false}, {"what it is", false}};
    bool begun = false;
    for (size_t i = 0; i < groups->count && i < EVIDENCE_GROUPS_MAX; i++) {
        const struct bound *b = groups->items[i].first;
        if (b->lost_count && !begun) {
            document_heading(d, 3, "Where the time goes");
            document_table(d, columns, COUNT_OF(columns));
            begun = true;
        }
        for (size_t k = 0; k < b->lost_count; k++) {
            document_cell(d, "%s", b->counted->id);
            document_cell(d, "%s", b->lost[k].name);
            document_cell_unit(d, UNIT_RATIO, b->lost[k].share);
            document_cell(d, "%s", lost_kind_name(b->lost[k].kind));
            document_cell(d, "%s", b->lost[k].meaning);
        }
    }
    if (begun)
        write_first_ones(d, groups);
}

static void add_evidence(struct document *d, const struct groups *groups)
{
    static const struct document_column columns[] = {{"id", true}, {"metric", false}, {"value", true}};
    document_heading(d, 3, "Evidence");
    document_table(d, columns, COUNT_OF(columns));
    for (size_t i = 0; i < groups->count && i < EVIDENCE_GROUPS_MAX; i++) {
        const struct bound *b = groups->items[i].first;
        for (size_t k = 0; k < b->evidence.count; k++) {
            document_cell(d, "%s", b->counted->id);
            document_cell_code(d, b->evidence.items[k].metric);
            document_cell_unit(d, (enum unit)b->evidence.items[k].unit, b->evidence.items[k].value);
        }
    }
    write_first_ones(d, groups);
}

static void add_steps(struct document *d, const struct groups *groups)
{
    document_heading(d, 2, "How it was decided");
    for (size_t i = 0; i < groups->count; i++) {
        const struct bound *b = groups->items[i].first;
        document_paragraph(d);
        document_span(d, SPAN_PLAIN, "%s, ", b->counted->id);
        words_kernel(d, b->kernel);
        document_span(d, SPAN_PLAIN, ": ");
        words_bound(d, b);
        for (size_t k = 0; k < b->step_count; k++) {
            document_bullet(d);
            document_span(d, SPAN_PLAIN, "%s", b->steps[k]);
        }
    }
}

static void add_caveats(struct document *d, const struct caveat_list *caveats)
{
    for (size_t i = 0; i < caveats->count; i++) {
        document_bullet(d);
        document_span(d, SPAN_PLAIN, "%s", caveats->items[i].text);
    }
}

int report_counted(const struct analysis *a, const struct imported_launches *launches, const char *path, bool explain,
                   struct document *out, struct err *e)
{
    struct groups groups = {0};
    int rc = gather(a, &groups, e);
    kernel_names_of(&groups.names, a, out);
    if (!rc) {
        write_headline(a, &groups, path, out);
        add_table(out, &groups);
        document_tier(out, TIER_SECTIONS);
        for (size_t i = 0; i < groups.count; i++)
            add_reasons(out, a, groups.items[i].first);
        add_lost_time(out, &groups);
        document_tier(out, TIER_ALL);
        add_evidence(out, &groups);
        document_tier(out, TIER_SECTIONS);
        if (!run_thresholds_asked(a, explain, out))
            run_thresholds_hint(out);
        document_tier(out, TIER_SCREEN);
        if (explain)
            add_steps(out, &groups);
        add_caveats(out, &launches->caveats);
        rc = out->failed ? err_memory(e) : 0;
    }
    short_names_release(&groups.names);
    free(groups.items);
    return rc;
}
