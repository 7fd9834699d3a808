/* What does a program read about comparisons and gates? cpprof.compare/1 */
#include "analyzers/columns.h"
#include "core/base/count_of.h"
#include "reports/compare_report.h"
#include "reports/reports.h"
#include "reports/rows/row_formats.h"
#include "reports/run/run_report.h"

#define ROWS(list, rows) row_json_array(&list, 0, (rows).items, (rows).count, NULL)

/* Appends the rows, and nothing when memory is out. */
static int add_rows(json_t *array, const struct row_columns *list, const void *rows, size_t count, const void *context)
{
    json_t *more = row_json_array(list, 0, rows, count, context);
    const int failed = !more || json_array_extend(array, more);
    json_decref(more);
    return failed;
}

/* What always counts is a gate too: nobody has to ask for it. */
static int add_gates(json_t *gates, const struct analysis *a)
{
    return add_rows(gates, &selection_columns, a->selection.items, a->selection.count, NULL) ||
           add_rows(gates, &correctness_columns, a->correctness.items, a->correctness.count, a);
}

static json_t *caveat_texts(const struct caveat_list *caveats)
{
    json_t *texts = json_array();
    for (size_t i = 0; i < caveats->count; i++)
        json_array_append_new(texts, json_text(caveats->items[i].text));
    return texts;
}

static int add_witnesses(json_t *list, const struct analysis *a)
{
    return add_rows(list, &witness_columns, a->witnesses.items, a->witnesses.count, NULL);
}

struct member {
    const char *name;
    json_t *value;
};

/* The object with these members; NULL when one of them could not be made. */
static json_t *with_members(json_t *object, const struct member *members, size_t count, int failed)
{
    for (size_t i = 0; i < count; i++)
        failed |= json_object_set_new(object, members[i].name, members[i].value);
    if (!failed)
        return object;
    json_decref(object);
    return NULL;
}

json_t *json_compare(const struct analysis *a)
{
    json_t *gates = json_array(), *witnesses = json_array(), *out = json_object();
    int failed = add_gates(gates, a) | add_witnesses(witnesses, a);
    const struct member members[] = {
        {"schema", json_string("cpprof.compare/1")},
        {"rows", ROWS(comparison_columns, a->comparisons)},
        {"gates", gates},
        {"witnesses", witnesses},
        {"caveats", caveat_texts(&a->bundle->caveats)},
        {"stops", json_pack("[o]", json_stop(a->bundle->manifest))},
        {"looks", json_integer(a->looks)},
        {"sweeps", ROWS(sweep_columns, a->sweeps)},
        {"findings", ROWS(finding_columns, a->findings)},
        {"transitions", ROWS(transition_columns, a->transitions)},
        {"signals", ROWS(expected_change_columns, a->expected_changes)},
    };
    out = with_members(out, members, COUNT_OF(members), failed);
    const struct member hangs = {"hangs", a->hangs.count ? ROWS(hang_columns, a->hangs) : NULL};
    const struct member costs = {"mark_costs", a->mark_costs.count ? ROWS(comparison_columns, a->mark_costs) : NULL};
    const struct member solutions = {"solutions", a->solutions.count ? ROWS(solution_columns, a->solutions) : NULL};
    if (out && solutions.value)
        out = with_members(out, &solutions, 1, 0);
    if (out && hangs.value)
        out = with_members(out, &hangs, 1, 0);
    return out && costs.value ? with_members(out, &costs, 1, 0) : out;
}

/* With two bundles, gates, caveats and stops are those of both, the baseline's first. */
json_t *json_compare_report(const struct compare_report *r)
{
    json_t *out = json_compare(r->verdicts);
    if (r->side_count == 1 || !out)
        return out;
    json_t *gates = json_array(), *witnesses = json_array(), *caveats = json_array(), *stops = json_array();
    int failed = 0;
    for (size_t i = 0; i < r->side_count; i++) {
        const struct analysis *a = r->sides[i].analysis;
        json_t *texts = caveat_texts(&a->bundle->caveats);
        failed |= add_gates(gates, a) | add_witnesses(witnesses, a);
        failed |= json_array_extend(caveats, texts);
        failed |= json_array_append_new(stops, json_stop(a->bundle->manifest));
        json_decref(texts);
    }
    const struct member members[] = {
        {"gates", gates},
        {"witnesses", witnesses},
        {"caveats", caveats},
        {"stops", stops},
        {"baseline_bundle", json_text(r->sides[0].path)},
        {"candidate_bundle", json_text(r->sides[1].path)},
    };
    return with_members(out, members, COUNT_OF(members), failed);
}
