/* How do the parts of a report say the same thing in the same words? */
#include <stdio.h>
#include <string.h>

#include "core/base/count_of.h"
#include "core/base/demangle.h"
#include "core/trace/kernel_names.h"
#include "reports/run/run_cases.h"
#include "reports/run/run_report.h"
#include "reports/trace_words.h"

enum { KERNEL_COLUMNS = 64 };

void words_arm(struct document *d, const char *variant, const char *config)
{
    const char *words = case_short(d, config);
    document_span(d, SPAN_CODE, "%s", variant);
    if (*words)
        document_span(d, SPAN_PLAIN, " at %s", words);
}

const char *words_case(struct document *d, const char *config, const char *cache)
{
    struct str text;
    str_init(&text);
    case_words_add(&text, config, cache);
    const char *words = case_short(d, arena_copy(&d->arena, str_text(&text)));
    d->failed |= text.failed;
    str_release(&text);
    return words;
}

uint32_t kernel_names_add(struct document *d, struct short_names *names, const char *symbol)
{
    struct str full;
    str_init(&full);
    demangle_full(&full, symbol);
    const uint32_t id = full.failed ? 0 : short_names_add(names, str_text(&full));
    d->failed |= !id;
    str_release(&full);
    return id;
}

void kernel_names_of(struct short_names *names, const struct analysis *a, struct document *d)
{
    short_names_init(names);
    for (size_t i = 0; i < a->bounds.count; i++)
        kernel_names_add(d, names, a->bounds.items[i].kernel);
    for (size_t i = 0; i < a->resources.count; i++)
        kernel_names_add(d, names, a->resources.items[i].kernel);
}

void cell_kernel(struct document *d, struct short_names *names, const char *symbol)
{
    const uint32_t id = kernel_names_add(d, names, symbol);
    document_cell_code(d, id ? words_name(d, names, id, NAMES_SHORT, KERNEL_COLUMNS) : "");
}

void words_kernel(struct document *d, const char *symbol)
{
    struct str name;
    str_init(&name);
    kernel_name_alone(&name, symbol);
    document_span(d, SPAN_CODE, "%s", str_text(&name));
    d->failed |= name.failed;
    str_release(&name);
}

void words_unit(struct document *d, enum unit unit, double value)
{
    char text[UNITS_TEXT_BYTES];
    document_span(d, SPAN_PLAIN, "%s", unit_format(text, unit, value));
}

void cells_gain(struct document *d, const struct comparison *c)
{
    struct gain_words words;
    gain_words_of(&words, c);
    document_cell(d, "%s", words.gain);
    document_cell(d, "%s", words.interval);
}

/* Only where a unit is the limit does its name belong to the verdict. */
void words_class_counts(struct document *d, const struct analysis *a)
{
    static const enum bound_class order[] = {BOUND_COMPUTE, BOUND_MEMORY, BOUND_BALANCED,   BOUND_LATENCY,
                                             BOUND_LAUNCH,  BOUND_COPY,   BOUND_OTHER_WORK, BOUND_INCONCLUSIVE};
    const char *between = ": ";
    for (size_t c = 0; c < COUNT_OF(order); c++) {
        size_t count = 0;
        for (size_t i = 0; i < a->bounds.count; i++)
            count += a->bounds.items[i].class_ == order[c];
        if (count)
            document_span(d, SPAN_PLAIN, "%s%zu %s", between, count, bound_class_name(order[c]));
        between = count ? ", " : between;
    }
}

void words_bound(struct document *d, const struct bound *b)
{
    document_span(d, SPAN_STRONG, "%s", bound_class_name(b->class_));
    if (*b->unit && (b->class_ == BOUND_COMPUTE || b->class_ == BOUND_MEMORY))
        document_span(d, SPAN_PLAIN, " (%s)", b->unit);
    else if (b->unit_is_open)
        document_span(d, SPAN_PLAIN, " (unit open)");
}

/* For several readings: how close the verdict was, how many came to it, and what the others said. */
void words_repeats(struct document *d, const struct bound *b)
{
    char margin[UNITS_TEXT_BYTES];
    if (b->repeats < 2)
        return;
    document_span(d, SPAN_PLAIN, ", margin %s, %lld of %lld readings", unit_format(margin, UNIT_RATIO, b->margin),
                  (long long)b->agreeing, (long long)b->repeats);
    size_t others = 0;
    for (size_t i = 0; i < b->tally_count; i++) {
        const struct bound_tally *t = &b->tallies[i];
        if (t->class_ == b->class_ && !strcmp(t->bound_by, b->bound_by))
            continue;
        document_span(d, SPAN_PLAIN, "%s%lld %s%s%s", others++ ? ", " : " (", (long long)t->count,
                      bound_class_name(t->class_), *t->bound_by ? " " : "", t->bound_by);
    }
    document_span(d, SPAN_PLAIN, "%s", others ? ")" : "");
}

bool mirrors_earlier_pair(const struct timeline_query *query, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (query->pairs[i].a == query->pairs[at].b && query->pairs[i].b == query->pairs[at].a)
            return true;
    return false;
}
