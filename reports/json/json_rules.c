/* The results of rules for programs, as they stand in cpprof.overlap/1 and cpprof.check/1. */
#include <math.h>

#include "core/base/demangle.h"
#include "reports/rule_rows.h"

static json_t *integer_or_null(int value)
{
    return value < 0 ? json_null() : json_integer(value);
}

static json_t *name_or_null(const struct strtab *strings, uint32_t id)
{
    if (!id)
        return json_null();
    struct str name;
    str_init(&name);
    demangle_full(&name, strtab_text(strings, id));
    json_t *out = json_text(str_text(&name));
    str_release(&name);
    return out;
}

static json_t *counterexamples_of(const struct check_report *r, const struct rule_result *row)
{
    json_t *list = json_array();
    for (size_t i = 0; i < row->counterexample_count; i++) {
        const struct timeline_example *x = &row->counterexamples[i];
        json_t *entry = json_pack("{sI sI sI so}", "start_ns", (json_int_t)x->start_ns, "length_ns",
                                  (json_int_t)timeline_example_ns(x), "stream", (json_int_t)x->stream, "name",
                                  name_or_null(r->strings, x->name));
        if (x->is_gap)
            json_object_set_new(entry, "is_gap", json_true());
        if (x->is_pageable)
            json_object_set_new(entry, "is_pageable", json_true());
        if (x->other_is_pageable)
            json_object_set_new(entry, "other_is_pageable", json_true());
        if (x->other_name) {
            json_object_set_new(entry, "other_stream", json_integer(x->other_stream));
            json_object_set_new(entry, "other_name", name_or_null(r->strings, x->other_name));
        }
        json_array_append_new(list, entry);
    }
    return list;
}

/* A count or a time is an integer, unless a factor made it a fraction. */
static json_t *number(int unit, double value)
{
    const bool is_whole = unit != UNIT_RATIO && isfinite(value) && fabs(value) < 9e15 && value == floor(value);
    return is_whole ? json_integer((json_int_t)value) : json_number_or_null(value);
}

static json_t *word_or_number(const struct rule_result *row, const char *word, double value)
{
    return word ? json_text(word) : number(row->unit, value);
}

json_t *json_assertions(const struct check_report *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->results->count; i++) {
        const struct rule_result *row = &r->results->items[i];
        json_t *entry =
            json_pack("{so so so ss so so so ss so}", "rule", json_text(row->rule), "rank", integer_or_null(row->rank),
                      "device", integer_or_null(row->device), "status", rule_status_name(row->status), "reason",
                      json_text(row->reason), "value", word_or_number(row, row->value_word, row->value), "threshold",
                      word_or_number(row, row->threshold_word, row->threshold), "unit", unit_name((enum unit)row->unit),
                      "counterexamples", counterexamples_of(r, row));
        if (row->config)
            json_object_set_new(entry, "shape", json_text(row->config));
        if (row->variant)
            json_object_set_new(entry, "variant", json_text(row->variant));
        if (*row->failure)
            json_object_set_new(entry, "failure", json_text(row->failure));
        if (*row->note)
            json_object_set_new(entry, "note", json_text(row->note));
        if (row->line) {
            json_object_set_new(entry, "file", json_text(row->file));
            json_object_set_new(entry, "line", json_integer((json_int_t)row->line));
        }
        json_array_append_new(list, entry);
    }
    return list;
}

json_t *json_caveats(const struct check_report *r)
{
    static const char *const kinds[] = {
        [CAVEAT_NOTE] = "note",          [CAVEAT_RANGES] = "weakens_ranges", [CAVEAT_HIDDEN] = "hides_kernels",
        [CAVEAT_TIMES] = "doubts_times", [CAVEAT_WEAKENS] = "weakens",       [CAVEAT_TRUNCATED] = "truncated"};
    json_t *list = json_array();
    struct arena arena;
    arena_init(&arena);
    for (size_t i = 0; i < check_caveat_count(r); i++) {
        const struct check_caveat caveat = check_caveat(&arena, r, i);
        json_array_append_new(list, json_pack("{ss so}", "kind", kinds[caveat.kind], "text", json_text(caveat.text)));
    }
    arena_release(&arena);
    return list;
}
