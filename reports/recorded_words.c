/* What did the condition of `--when` record, and why? */
#include "reports/recorded_words.h"

#include <string.h>

#include "core/base/trigger_rule.h"
#include "core/base/units.h"
#include "reports/trace_words.h"

enum { PIECES_SHOWN = 3 };

static const json_t *when_of(const struct capture_process *p)
{
    return json_object_get(p->report, "when");
}

static size_t pieces_of(const json_t *when)
{
    return json_array_size(json_object_get(when, "recorded"));
}

static void write_number(struct str *text, long long number)
{
    char buffer[UNITS_TEXT_BYTES];
    str_add(text, unit_format(buffer, UNIT_COUNT, (double)number));
}

/* "57 to 64 (after 56, which took 1.8 times the median)" */
static void write_piece(const json_t *piece, struct str *text)
{
    const long long first = json_get_integer(piece, "first", 0), last = json_get_integer(piece, "last", 0);
    const json_t *after = json_object_get(piece, "after");
    const double median_ns = json_get_number(after, "median_ns", 0);
    write_number(text, first);
    if (last > first) {
        str_add(text, " to ");
        write_number(text, last);
    }
    if (!after)
        return;
    str_add(text, " (after ");
    write_number(text, json_get_integer(after, "occurrence", 0));
    if (median_ns > 0)
        str_addf(text, ", which took %.2f times the median", json_get_number(after, "length_ns", 0) / median_ns);
    str_add(text, ")");
}

static void write_occurrences(const json_t *when, struct str *text)
{
    const json_t *pieces = json_object_get(when, "recorded"), *first = json_array_get(pieces, 0);
    const size_t count = json_array_size(pieces);
    const bool is_one = count == 1 && json_get_integer(first, "first", 0) == json_get_integer(first, "last", 0);
    str_add(text, is_one ? "occurrence " : "occurrences ");
    for (size_t i = 0; i < count && i < PIECES_SHOWN; i++) {
        str_add(text, i ? ", " : "");
        write_piece(json_array_get(pieces, i), text);
    }
    if (count > PIECES_SHOWN)
        str_addf(text, " and %zu more", count - PIECES_SHOWN);
}

static void write_seen(const struct capture_process *p, const char *range, struct str *text)
{
    str_addf(text, " of range '%s', of %s", range,
             strcmp(json_get_text(p->report, "state", ""), "ended") != 0 ? "at least " : "");
    write_number(text, json_get_integer(when_of(p), "seen", 0));
    str_add(text, " seen");
}

static void write_counted(const struct capture_process *p, const struct trigger_rule *rule, const char *range,
                          struct str *text)
{
    const json_t *when = when_of(p);
    if (pieces_of(when))
        write_occurrences(when, text);
    else if (rule->kind == TRIGGER_SLOWER)
        str_addf(text, "nothing, as the condition never held: no occurrence longer than %g times the median",
                 rule->ratio);
    else
        str_addf(text, "nothing, as the condition never held: no occurrence %s", json_get_text(when, "condition", ""));
    write_seen(p, range, text);
}

static void write_touched(const struct capture_process *p, struct str *text)
{
    char times[UNITS_TEXT_BYTES];
    const size_t pieces = pieces_of(when_of(p));
    if (pieces)
        str_addf(text, "%s of time, after '" TRIGGER_FILE "' in its folder was touched",
                 words_count(times, (int64_t)pieces, "stretch", "stretches"));
    else
        str_add(text, "nothing, as the condition never held: '" TRIGGER_FILE "' in its folder was not touched");
}

/* The first process that has recorded something stands for all. */
static const struct capture_process *find_process(const struct capture_facts *f, size_t *count, size_t *recorded)
{
    const struct capture_process *found = NULL;
    for (size_t i = 0; i < f->map.processes.count; i++) {
        const struct capture_process *p = &f->map.processes.items[i];
        if (!when_of(p))
            continue;
        *count += 1;
        *recorded += pieces_of(when_of(p)) > 0;
        if (!found || (pieces_of(when_of(p)) && !pieces_of(when_of(found))))
            found = p;
    }
    return found;
}

bool words_recorded(const struct capture_facts *f, struct str *text)
{
    size_t count = 0, recorded = 0;
    const struct capture_process *p = find_process(f, &count, &recorded);
    const json_t *scope = json_object_get(json_object_get(f->bundle.manifest, "capture"), "scope");
    struct trigger_rule rule;
    if (!p || trigger_rule_read(json_get_text(when_of(p), "condition", "none"), &rule, NULL))
        return false;
    if (trigger_rule_counts(&rule))
        write_counted(p, &rule, json_get_text(scope, "range", ""), text);
    else
        write_touched(p, text);
    if (count > 1)
        str_addf(text, "; %zu of %zu processes have recorded something", recorded, count);
    return true;
}
