/* What stands in the formats of a bound? The context is the analysis. */
#include <string.h>

#include "analyzers/analysis.h"
#include "analyzers/bounds/bound_repeats.h"
#include "analyzers/bounds/lost_time.h"
#include "analyzers/bounds/ncu_words.h"
#include "analyzers/columns.h"
#include "analyzers/counted_thresholds.h"
#include "analyzers/inner_rows.h"
#include "core/run/imported_launches.h"

/* ---- what is inside ---- */

static struct row_value tally_class_of(const void *row, const void *context, struct str *scratch)
{
    (void)context, (void)scratch;
    return row_text(bound_class_name(((const struct bound_tally *)row)->class_));
}

static const struct row_column tally_list[] = {
    {"class", ROW_MADE(ROW_TEXT, tally_class_of), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE, "as `class` of a kernel"},
    {"limit", ROW_AT_OR_NULL(struct bound_tally, bound_by), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "as `limit` of a kernel"},
    {"count", ROW_AT(struct bound_tally, count), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE, "how many launches come to it"},
};
const struct row_columns tally_columns = ROW_COLUMNS("bound tally", struct bound_tally, tally_list);

static struct row_value lost_kind_of(const void *row, const void *context, struct str *scratch)
{
    (void)context, (void)scratch;
    return row_text(lost_kind_name(((const struct lost_part *)row)->kind));
}

#define OF_PART(field) ROW_AT(struct lost_part, field)
static const struct row_column part_list[] = {
    {"kind", ROW_MADE(ROW_TEXT, lost_kind_of), UNIT_TEXT, ROW_JSON | ROW_TABLE, ROW_TITLE("kind"),
     "`host`, `copy`, `other-work`, `small-grid`, `tail`, `unit`, `stall`, `synchronisation`"},
    {"name", OF_PART(name), UNIT_TEXT, ROW_JSON | ROW_TABLE, ROW_TITLE("part"), "which part of that kind"},
    {"share", OF_PART(share), UNIT_RATIO, ROW_JSON | ROW_TABLE, ROW_TITLE("share"),
     "share of the time; all add up to 1"},
    {"meaning", OF_PART(meaning), UNIT_TEXT, ROW_TABLE, ROW_TITLE("what it is"), ""},
};
const struct row_columns lost_part_columns =
    ROW_COLUMNS_ORDERED("lost part", struct lost_part, part_list, {ROW_TABLE, "name share kind meaning"});

LIST_OF(tallies_of, struct bound, tallies, tally_count)
LIST_OF(evidence_of, struct bound, evidence.items, evidence.count)
LIST_OF(steps_of, struct bound, steps, step_count)
LIST_OF(parts_of, struct bound, lost, lost_count)

/* None of a kernel whose operations were not counted. */
static size_t roofline_of_bound(const void *row, const void *context, const void **items)
{
    const struct analysis *a = context;
    const struct bound *b = row;
    const struct arm_rows rows = analysis_rows(a, ARM_ROOFLINES, b->arm);
    for (size_t i = rows.first; i < rows.end; i++) {
        const struct roofline *r = &a->rooflines.items[i];
        *items = r;
        if (r->arm == b->arm && !strcmp(r->kernel, b->kernel))
            return 1;
    }
    return 0;
}

/* ---- values that are no members ---- */

static struct row_value id_of(const void *row, const void *context, struct str *scratch)
{
    const struct bound *b = row;
    if (b->counted)
        return row_text(b->counted->id);
    str_addf(scratch, "%zu", (size_t)(b - ((const struct analysis *)context)->bounds.items));
    return row_text(str_text(scratch));
}

static struct row_value class_of(const void *row, const void *context, struct str *scratch)
{
    (void)context, (void)scratch;
    return row_text(bound_class_name(((const struct bound *)row)->class_));
}

static struct row_value as_stated_of(const void *row, const void *context, struct str *scratch)
{
    const struct bound *b = row;
    (void)context, (void)scratch;
    return *b->stated ? row_boolean(bound_is_as_stated(b)) : row_unknown();
}

static struct row_value ncu_note_of(const void *row, const void *context, struct str *scratch)
{
    const struct bound *b = row;
    const struct analysis *a = context;
    if (b->counted)
        ncu_words_add(scratch, counted_thresholds_of(a, b->counted), b);
    else
        ncu_words_add_difference(scratch, b);
    return row_text_or_unknown(str_text(scratch));
}

static void show_agreeing(struct str *out, const struct row_value *value, const void *row, const void *context)
{
    (void)context;
    str_addf(out, "%lld of %lld", (long long)value->integer, (long long)((const struct bound *)row)->repeats);
}

/* The columns of a launch that another tool counted. */
#define COUNTED(name, value)                                                                                           \
    static struct row_value name(const void *row, const void *context, struct str *scratch)                            \
    {                                                                                                                  \
        const struct bound *b = row;                                                                                   \
        (void)context, (void)scratch;                                                                                  \
        return b->counted ? (value) : row_unknown();                                                                   \
    }
COUNTED(compute_share_is_of, row_text_or_unknown(share_certainty_name(b->compute_is)))
COUNTED(memory_share_is_of, row_text_or_unknown(share_certainty_name(b->memory_is)))
COUNTED(process_of, row_text_or_unknown(b->counted->process_id))
COUNTED(process_name_of, row_text_or_unknown(b->counted->process_name))
COUNTED(device_of, row_text_or_unknown(b->counted->device))
COUNTED(grid_of, row_text_or_unknown(b->counted->grid))
COUNTED(block_of, row_text_or_unknown(b->counted->block))
COUNTED(registers_of, row_number(b->counted->resource.registers))
COUNTED(shared_bytes_of, row_number(b->counted->resource.shared_bytes))
COUNTED(ncu_rule_in_file_of, row_text_or_unknown(b->counted->ncu_rule))
COUNTED(ncu_agrees_of, ncu_agrees(b) < 0 ? row_unknown() : row_boolean(ncu_agrees(b)))
#undef COUNTED

#define AT(field)         ROW_AT(struct bound, field)
#define AT_OR_NULL(field) ROW_AT_OR_NULL(struct bound, field)
enum {
    JSON = ROW_JSON,
    MORE = ROW_JSON_MORE,
    CLASSES = BOUND_CLASSES,
    BY_CONFIG = BOUND_BY_CONFIG,
    BY_KERNEL = BOUND_BY_KERNEL
};

static const struct row_column columns[] = {
    {"id", ROW_MADE(ROW_TEXT, id_of), UNIT_TEXT, JSON, ROW_NO_TITLE,
     "the row's number, as a string; of a launch, ncu's"},
    {"name", AT(kernel), UNIT_TEXT, JSON | CLASSES | BY_KERNEL, ROW_TITLE_KERNEL("kernel"), "which kernel"},
    {"variant", AT(variant), UNIT_TEXT, JSON | CLASSES | BY_CONFIG | BY_KERNEL, ROW_TITLE_CODE("variant"),
     "the variant; empty of a launch"},
    {"shape", AT(config), UNIT_TEXT, JSON | CLASSES | BY_CONFIG, ROW_TITLE("shape"), "the case; empty of a launch"},
    {"class", ROW_MADE(ROW_TEXT, class_of), UNIT_TEXT, JSON | CLASSES, ROW_TITLE("class"),
     "`compute-bound`, `memory-bound`, `latency-bound`, `launch-bound`, `copy-bound`, `other-work-bound`, `balanced` or "
     "`inconclusive`"},
    {"lean", AT_OR_NULL(lean), UNIT_TEXT, JSON | CLASSES, ROW_TITLE("lean"),
     "`compute` or `memory`, whatever the class; `null` without counters, and where they leave it open"},
    {"unit", AT_OR_NULL(unit), UNIT_TEXT, JSON | CLASSES, ROW_TITLE("unit"),
     "the busiest unit of that side; `null` without counters, or when it is open"},
    {"limit", AT_OR_NULL(bound_by), UNIT_TEXT, JSON, ROW_NO_TITLE,
     "of a compute or memory bound the unit, of a latency bound `small-grid`, `tail` or the leading stall; else `null`, and of "
     "a compute bound whose unit is open"},
    {"cause", AT(cause), UNIT_TEXT, JSON, ROW_NO_TITLE, "one sentence"},
    {"margin", AT(margin), UNIT_RATIO, JSON | CLASSES, ROW_TITLE("margin"),
     "distance to the nearest other class, as a share"},
    {"compute_share", AT(compute_share), UNIT_RATIO, JSON | CLASSES, ROW_TITLE("compute"),
     "share of peak over elapsed cycles"},
    {"memory_share", AT(memory_share), UNIT_RATIO, JSON | CLASSES, ROW_TITLE("memory"), "the same"},
    {"ncu_rule", AT_OR_NULL(ncu_rule), UNIT_TEXT, JSON | CLASSES, ROW_TITLE("Nsight Compute would say"),
     "what Nsight Compute's speed-of-light rule says of the same numbers, or `null`"},
    {"repeats", AT(repeats), UNIT_COUNT, JSON, ROW_NO_TITLE, "how many launches were counted"},
    {"agreeing", AT(agreeing), UNIT_COUNT, JSON | BOUND_READINGS, ROW_SHOWN("readings that agree", show_agreeing),
     "how many of them, each judged for itself, have this class and limit"},
    {"repeat_bounds", ROW_LIST_OF(tallies_of, &tally_columns), UNIT_NONE, JSON, ROW_NO_TITLE,
     "what the launches come to, most first: list of `class`, `limit`, `count`"},
    {"stated", AT_OR_NULL(stated), UNIT_TEXT, JSON, ROW_NO_TITLE,
     "the bound that the variant has by construction ([bounds](bounds.md#known-bounds)), as `class limit`; `null` for most"},
    {"as_stated", ROW_MADE(ROW_BOOLEAN, as_stated_of), UNIT_NONE, JSON, ROW_NO_TITLE,
     "is that what was found? `null` without `stated`"},
    {"evidence", ROW_LIST_OF(evidence_of, &evidence_columns), UNIT_NONE, JSON, ROW_NO_TITLE,
     "list of `metric`, `value`, `unit`"},
    {"steps", ROW_LIST_OF(steps_of, NULL), UNIT_NONE, JSON, ROW_NO_TITLE,
     "how it was decided: a sentence for each step, with its numbers"},
    {"time", ROW_LIST_OF(parts_of, &lost_part_columns), UNIT_NONE, JSON, ROW_NO_TITLE,
     "where the time goes from one launch to the next; empty without counters"},
    {"roofline", ROW_OBJECT_OF(roofline_of_bound, &roofline_columns), UNIT_NONE, JSON, ROW_NO_TITLE,
     "`null` when operations were not counted ([bounds](bounds.md#roofline))"},
    {"advice", AT_OR_NULL(advice), UNIT_TEXT, JSON, ROW_NO_TITLE, "what to try, or `null`"},
    {"will_not_help", AT_OR_NULL(will_not_help), UNIT_TEXT, JSON, ROW_NO_TITLE, "what will not help, or `null`"},
    {"compute_share_is", ROW_MADE(ROW_TEXT, compute_share_is_of), UNIT_TEXT, MORE, ROW_NO_TITLE,
     "of a launch, what `compute_share` is where units were not counted: `exact`, none of them can be busier; `at most`, they "
     "have an upper limit; `at least`, nothing limits one of them; `null` without a share"},
    {"memory_share_is", ROW_MADE(ROW_TEXT, memory_share_is_of), UNIT_TEXT, MORE, ROW_NO_TITLE,
     "the same of `memory_share`"},
    {"process", ROW_MADE(ROW_TEXT, process_of), UNIT_TEXT, MORE, ROW_NO_TITLE, "of a launch, as the file has it"},
    {"process_name", ROW_MADE(ROW_TEXT, process_name_of), UNIT_TEXT, MORE, ROW_NO_TITLE, "of a launch"},
    {"device", ROW_MADE(ROW_TEXT, device_of), UNIT_TEXT, MORE, ROW_NO_TITLE, "of a launch"},
    {"grid", ROW_MADE(ROW_TEXT, grid_of), UNIT_TEXT, MORE, ROW_NO_TITLE, "of a launch"},
    {"block", ROW_MADE(ROW_TEXT, block_of), UNIT_TEXT, MORE, ROW_NO_TITLE, "of a launch"},
    {"registers", ROW_MADE(ROW_NUMBER, registers_of), UNIT_COUNT, MORE, ROW_NO_TITLE, "of a launch"},
    {"shared_bytes", ROW_MADE(ROW_NUMBER, shared_bytes_of), UNIT_BYTES, MORE, ROW_NO_TITLE, "of a launch"},
    {"ncu_rule_in_file", ROW_MADE(ROW_TEXT, ncu_rule_in_file_of), UNIT_TEXT, MORE, ROW_NO_TITLE,
     "of a launch, the headline of the rule whose text is in the file"},
    {"ncu_agrees", ROW_MADE(ROW_BOOLEAN, ncu_agrees_of), UNIT_NONE, MORE, ROW_NO_TITLE,
     "of a launch, whether `ncu_rule` is the same"},
    {"ncu_note", ROW_MADE(ROW_TEXT, ncu_note_of), UNIT_TEXT, JSON, ROW_NO_TITLE,
     "where `ncu_rule` points elsewhere than `class`, the reason, else `null`; of a launch the sentences about both rules"},
};

const struct row_columns bound_columns = ROW_COLUMNS_ORDERED(
    "bound", struct bound, columns,
    {CLASSES | BY_CONFIG | BY_KERNEL, "variant shape name class unit lean compute_share memory_share margin ncu_rule"});
