/* What does a report consist of? */
#include "reports/document/document.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "reports/document/block.h"

enum { LEVEL_MAX = 3 };

void document_init(struct document *d)
{
    *d = (struct document){0};
    arena_init(&d->arena);
    strtab_init(&d->cuts);
}

void document_release(struct document *d)
{
    for (size_t i = 0; i < d->count; i++)
        free(d->items[i].items);
    free(d->items);
    arena_release(&d->arena);
    json_decref(d->facts);
    strtab_release(&d->cuts);
    free(d->cut_names.items);
    document_init(d);
}

/* arena_copy cannot say that memory ran out; a report must not lose a name in silence. */
static const char *keep(struct document *d, const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = arena_alloc(&d->arena, bytes);
    if (copy)
        return memcpy(copy, text, bytes);
    d->failed = true;
    return "";
}

static const char *keep_formatted(struct document *d, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    char *text = length < 0 ? NULL : arena_alloc(&d->arena, (size_t)length + 1);
    if (text)
        vsnprintf(text, (size_t)length + 1, format, again);
    else
        d->failed = true;
    va_end(again);
    return text ? text : "";
}

static const char *keep_formatted_text(struct document *d, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static const char *keep_formatted_text(struct document *d, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = keep_formatted(d, format, args);
    va_end(args);
    return text;
}

static struct block *begin(struct document *d, enum block_kind kind)
{
    struct block *block = ARRAY_PUSH(d);
    if (block) {
        block->kind = kind;
        block->tier = d->tier;
    } else {
        d->failed = true;
    }
    return block;
}

static void add_to_block(struct document *d, struct block *block, struct span span)
{
    struct span *slot = ARRAY_PUSH(block);
    if (slot)
        *slot = span;
    else
        d->failed = true;
}

static void add_span(struct document *d, enum span_style style, const char *kept)
{
    if (d->count)
        add_to_block(d, &d->items[d->count - 1], (struct span){style, kept});
    else
        d->failed = true;
}

void document_tier(struct document *d, enum tier tier)
{
    d->tier = tier;
}

enum tier document_evidence(struct document *d)
{
    const enum tier before = d->tier;
    if (before == TIER_SECTIONS)
        d->tier = TIER_ALL;
    return before;
}

enum tier document_evidence_of(struct document *d, size_t count)
{
    enum { MANY = 4 };
    return count > MANY ? document_evidence(d) : d->tier;
}

void document_lower(struct document *d, int levels)
{
    d->lower = levels;
}

void document_move_words(struct document *d, size_t from, size_t to)
{
    if (from >= d->count || to >= d->count)
        return;
    struct block *source = &d->items[from], *target = &d->items[to];
    for (size_t i = 0; i < source->count; i++)
        add_to_block(d, target, source->items[i]);
    source->count = 0;
}

void document_answer(struct document *d, size_t from, size_t to, const char *question)
{
    if (from >= d->count || to >= d->count || d->items[from].kind != BLOCK_PARAGRAPH)
        return;
    for (size_t i = 0; i < d->items[from].count; i++)
        d->items[from].items[i].style = SPAN_PLAIN; /* an answer stands out on a page of its own */
    /* The space is no part of the bold words: Markdown would show their asterisks. */
    add_to_block(d, &d->items[to], (struct span){SPAN_STRONG, keep_formatted_text(d, "%s:", question)});
    add_to_block(d, &d->items[to], (struct span){SPAN_PLAIN, " "});
    document_move_words(d, from, to);
}

void document_fact(struct document *d, const char *label)
{
    document_bullet(d);
    document_span(d, SPAN_STRONG, "%s:", label);
    document_span(d, SPAN_PLAIN, " ");
}

void document_heading(struct document *d, int level, const char *text)
{
    struct block *block = begin(d, BLOCK_HEADING);
    if (!block)
        return;
    block->level = level + d->lower < LEVEL_MAX ? level + d->lower : LEVEL_MAX;
    if (*text)
        add_span(d, SPAN_PLAIN, keep(d, text));
}

void document_paragraph(struct document *d)
{
    begin(d, BLOCK_PARAGRAPH);
}

void document_bullet(struct document *d)
{
    begin(d, BLOCK_BULLET);
}

static const char *keep_any(struct document *d, const char *text)
{
    return text ? keep(d, text) : NULL;
}

void document_picture(struct document *d, const struct picture *picture)
{
    struct block *block = begin(d, BLOCK_PICTURE);
    struct picture *copy = arena_alloc(&d->arena, sizeof *copy);
    if (!block || !copy) {
        d->failed = true;
        return;
    }
    *copy = (struct picture){keep(d, picture->name), keep_any(d, picture->svg), keep_any(d, picture->characters),
                             keep(d, picture->says)};
    block->picture = copy;
}

const struct picture *document_picture_at(const struct document *d, size_t index)
{
    for (size_t i = 0; i < d->count; i++)
        if (d->items[i].kind == BLOCK_PICTURE && !index--)
            return d->items[i].picture;
    return NULL;
}

void document_code(struct document *d, const char *text)
{
    if (begin(d, BLOCK_CODE))
        add_span(d, SPAN_CODE, keep(d, text));
}

void document_span(struct document *d, enum span_style style, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_span(d, style, keep_formatted(d, format, args));
    va_end(args);
}

const char *document_cut_name(struct document *d, const char *cut, const char *name)
{
    const uint32_t id = strtab_add(&d->cuts, cut);
    if (id && id <= d->cut_names.count)
        return d->cut_names.items[id - 1];
    const char **slot = id ? ARRAY_PUSH(&d->cut_names) : NULL;
    if (slot)
        *slot = keep(d, name);
    d->failed |= !slot;
    return name;
}

void document_table(struct document *d, const struct document_column *columns, size_t count)
{
    struct block *block = begin(d, BLOCK_TABLE);
    struct document_column *copy = arena_alloc(&d->arena, count * sizeof *copy);
    if (!block || !copy) {
        d->failed = true;
        return;
    }
    for (size_t i = 0; i < count; i++)
        copy[i] = (struct document_column){keep(d, columns[i].title), columns[i].right};
    block->columns = copy;
    block->column_count = count;
}

void document_table_spare(struct document *d, size_t count)
{
    if (d->count && d->items[d->count - 1].kind == BLOCK_TABLE)
        d->items[d->count - 1].spare = count;
}

void document_table_keep(struct document *d, size_t rows)
{
    if (d->count && d->items[d->count - 1].kind == BLOCK_TABLE)
        d->items[d->count - 1].kept = rows;
}

void document_cell(struct document *d, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_span(d, SPAN_PLAIN, keep_formatted(d, format, args));
    va_end(args);
}

void document_cell_code(struct document *d, const char *text)
{
    add_span(d, SPAN_CODE, keep(d, text));
}

void document_cell_unit(struct document *d, enum unit unit, double value)
{
    char text[UNITS_TEXT_BYTES];
    add_span(d, SPAN_PLAIN, keep(d, isfinite(value) ? unit_format(text, unit, value) : "n/a"));
}

size_t block_rows(const struct block *table)
{
    return table->column_count ? (table->count + table->column_count - 1) / table->column_count : 0;
}

struct span block_cell(const struct block *table, size_t row, size_t column)
{
    size_t at = row * table->column_count + column;
    return at < table->count ? table->items[at] : (struct span){SPAN_PLAIN, ""};
}
