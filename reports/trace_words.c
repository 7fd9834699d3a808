/* How does every report on a trace name places, operations and doubts? */
#include "reports/trace_words.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/trace/kernel_names.h"

static const char *const side_names[TRACE_SIDES] = {"A", "B"};

const char *words_place(struct document *d, int32_t rank, int32_t device, bool is_host)
{
    const char *rank_text = rank >= 0 ? arena_printf(&d->arena, "rank %d, ", (int)rank) : "";
    if (is_host)
        return arena_printf(&d->arena, "%shost", rank_text);
    if (device >= 0)
        return arena_printf(&d->arena, "%sdevice %d", rank_text, (int)device);
    return arena_printf(&d->arena, "%sunknown device", rank_text);
}

/* NULL: the process lacks nothing of it, or does not say. */
static const char *why_missing(const json_t *report, const char *what)
{
    const json_t *missing = json_object_get(report, "missing");
    for (size_t i = 0; i < json_array_size(missing); i++)
        if (!strcmp(json_get_text(json_array_get(missing, i), "what", ""), what))
            return json_get_text(json_array_get(missing, i), "why", "no reason was recorded");
    return NULL;
}

void words_missing(struct document *d, const struct capture_map *map, const char *what, const char *title)
{
    const char *last = "";
    for (size_t i = 0; i < map->processes.count; i++) {
        const char *why = why_missing(map->processes.items[i].report, what);
        if (!why || !strcmp(why, last))
            continue;
        document_fact(d, title);
        document_span(d, SPAN_PLAIN, "%s", why);
        last = why;
    }
}

static bool continues_character(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* The next place at which a character begins, or the end. */
static size_t begin_of_character(const char *text, size_t at)
{
    while (continues_character(text[at]))
        at++;
    return at;
}

static const char *cut_to(struct document *d, const char *text, size_t columns)
{
    struct str name;
    str_init(&name);
    kernel_name_fit(&name, text, columns);
    const char *copy = arena_copy(&d->arena, str_text(&name));
    d->failed |= name.failed;
    str_release(&name);
    return copy;
}

enum { SHOWN_BEFORE = 6 }; /* what differs, "_MT16x16x128" from "_MT16x16x256", is read with what is in front of it */

/* The beginning and the end, and between them what is around a place. */
static const char *with_place(struct document *d, const char *text, size_t columns, size_t place)
{
    const size_t length = strlen(text), part = (columns - 2) / 3;
    const size_t begin = place > SHOWN_BEFORE ? place - SHOWN_BEFORE : 0;
    if (length <= columns)
        return text;
    const size_t front = begin_of_character(text, part), last = begin_of_character(text, length - part);
    const size_t from = begin_of_character(text, begin > front ? begin : front);
    const size_t to = from + part < last ? begin_of_character(text, from + part) : last;
    if (to >= last)
        return arena_printf(&d->arena, "%.*s\xe2\x80\xa6%s", (int)front, text, text + (from < last ? from : last));
    if (from == front)
        return arena_printf(&d->arena, "%.*s\xe2\x80\xa6%s", (int)to, text, text + last);
    return arena_printf(&d->arena, "%.*s\xe2\x80\xa6%.*s\xe2\x80\xa6%s", (int)front, text, (int)(to - from),
                        text + from, text + last);
}

static size_t first_difference(const char *a, const char *b)
{
    size_t at = 0;
    while (a[at] && a[at] == b[at])
        at++;
    return at;
}

/* Where another name of the document looks the same, another part is shown, or at last all of it. */
static const char *fitted(struct document *d, const char *text, size_t whole, size_t columns)
{
    enum { TRIES = 8 };
    if (strlen(text) <= whole) {
        document_cut_name(d, text, text);
        return text;
    }
    const char *cut = cut_to(d, text, columns);
    const char *name = document_cut_name(d, cut, text);
    for (int i = 0; i < TRIES && strcmp(name, text) != 0; i++) {
        cut = with_place(d, text, columns, first_difference(name, text));
        name = document_cut_name(d, cut, text);
    }
    return strcmp(name, text) != 0 ? text : cut;
}

const char *words_fitted(struct document *d, const char *text, size_t columns)
{
    return fitted(d, text, columns, columns);
}

const char *words_fitted_last(struct document *d, const char *text, size_t columns)
{
    enum { LAST_COLUMNS = 23 };
    return fitted(d, text, LAST_COLUMNS < columns ? LAST_COLUMNS : columns, columns);
}

const char *words_end(struct document *d, const char *text, size_t columns)
{
    const size_t length = strlen(text);
    if (length <= columns)
        return text;
    const char *from = text + length - (columns - 1);
    while (continues_character(*from))
        from++;
    return arena_printf(&d->arena, "\xe2\x80\xa6%s", from);
}

const char *words_name(struct document *d, const struct short_names *names, uint32_t id, enum name_style style,
                       size_t columns)
{
    return style == NAMES_SHORT ? words_fitted(d, short_names_text(names, id), columns) : short_names_full(names, id);
}

void words_answer(struct document *d, struct str *text)
{
    document_paragraph(d);
    document_span(d, SPAN_STRONG, "%s", str_text(text));
    d->failed |= text->failed;
    str_release(text);
}

char *words_count(char text[static UNITS_TEXT_BYTES], int64_t count, const char *one, const char *many)
{
    char number[UNITS_TEXT_BYTES];
    snprintf(text, UNITS_TEXT_BYTES, "%.28s %.16s", unit_format(number, UNIT_COUNT, (double)count),
             count == 1 ? one : many);
    return text;
}

void words_cell_signed(struct document *d, enum unit unit, double value)
{
    char text[UNITS_TEXT_BYTES];
    document_cell(d, "%s%s", value > 0 && isfinite(value) ? "+" : "", unit_format(text, unit, value));
}

double words_ratio(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

void words_sources(struct document *d, const struct trace_side *sides, size_t count)
{
    assert(count <= TRACE_SIDES);
    if (count && sides[0].is_part)
        return;
    document_paragraph(d);
    if (count == 1)
        document_span(d, SPAN_PLAIN, "Measured on ");
    for (size_t i = 0; i < count; i++) {
        if (count > 1)
            document_span(d, SPAN_PLAIN, "%s%s is ", i ? ", " : "", side_names[i]);
        document_span(d, SPAN_CODE, "%s", sides[i].source);
        if (sides[i].has_from)
            document_span(d, SPAN_PLAIN, " (times since its start, and --window, count from %lld ns)",
                          (long long)sides[i].from_ns);
    }
    document_span(d, SPAN_PLAIN, ".");
}

const char *words_in_doubt(const struct caveat_list *caveats)
{
    if (caveat_has(caveats, CAVEAT_HIDDEN))
        return "inconclusive, as kernels ran that are in no record: ";
    return caveat_has(caveats, CAVEAT_TIMES) ? "as far as its times can be believed: " : "";
}

void words_caveats(struct document *d, const struct trace_side *sides, size_t count)
{
    bool begun = false;
    assert(count <= TRACE_SIDES);
    if (count && sides[0].is_part)
        return;
    for (size_t s = 0; s < count; s++)
        for (size_t i = 0; i < sides[s].caveats->count; i++) {
            if (!begun)
                document_heading(d, 2, "Caveats");
            begun = true;
            document_bullet(d);
            document_span(d, SPAN_PLAIN, "%s%s%s", count > 1 ? side_names[s] : "", count > 1 ? ": " : "",
                          sides[s].caveats->items[i].text);
        }
}

json_t *json_trace_caveats(const struct caveat_list *caveats)
{
    static const char *const kinds[] = {
        [CAVEAT_NOTE] = "note",          [CAVEAT_RANGES] = "weakens_ranges", [CAVEAT_HIDDEN] = "hides_kernels",
        [CAVEAT_TIMES] = "doubts_times", [CAVEAT_WEAKENS] = "weakens",       [CAVEAT_TRUNCATED] = "truncated"};
    json_t *list = json_array();
    for (size_t i = 0; i < caveats->count; i++)
        json_array_append_new(list, json_pack("{ss so}", "kind", kinds[caveats->items[i].kind], "text",
                                              json_text(caveats->items[i].text)));
    return list;
}

json_t *json_integer_or_null(int64_t value)
{
    return value < 0 ? json_null() : json_integer(value);
}

json_t *json_ns(double value)
{
    const bool is_whole = isfinite(value) && fabs(value) < 9e15 && value == floor(value);
    return is_whole ? json_integer((json_int_t)value) : json_number_or_null(value);
}
