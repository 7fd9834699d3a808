/* How much of a document does a reader see who looks no further than this? */
#include "reports/document/fit.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"

const struct document_view view_everything = {.last = TIER_ALL};

bool block_begins_section(const struct block *block)
{
    return block->kind == BLOCK_HEADING && block->level == 2 && block->tier > TIER_SCREEN;
}

/* ---- what is shown ---- */

/* Its words were moved elsewhere, or go without saying. */
static bool is_without_words(const struct block *block)
{
    const bool is_words = block->kind == BLOCK_PARAGRAPH || block->kind == BLOCK_BULLET || block->kind == BLOCK_HEADING;
    for (size_t i = 0; is_words && i < block->count; i++)
        if (*block->items[i].text)
            return false;
    return is_words;
}

/* A heading of a section of which nothing is shown is not shown either. */
static bool is_empty_heading(const struct document *d, size_t at, enum tier last)
{
    const struct block *heading = &d->items[at];
    for (size_t i = at + 1; i < d->count; i++) {
        const struct block *block = &d->items[i];
        if (block->kind == BLOCK_HEADING && block->level <= heading->level)
            return true;
        if (block->kind != BLOCK_HEADING && block->tier <= last && !is_without_words(block))
            return false;
    }
    return true;
}

static bool is_shown(const struct document *d, size_t at, enum tier last)
{
    const struct block *block = &d->items[at];
    const bool is_section = block->kind == BLOCK_HEADING && block->level > 1;
    return block->tier <= last && !is_without_words(block) && !(is_section && is_empty_heading(d, at, last));
}

/* ---- cuts ---- */

static const char *cut_words(struct fitted *f, size_t left_out)
{
    return arena_printf(&f->arena, "and %zu more: --full", left_out);
}

static void cut_table(struct fitted *f, struct block *table, size_t rows_max)
{
    const size_t rows = block_rows(table);
    rows_max = rows_max < table->kept ? table->kept : rows_max;
    if (rows <= rows_max + 1) /* a line that says so is no shorter than the row */
        return;
    const size_t kept = rows_max * table->column_count;
    struct span *items = arena_alloc(&f->arena, (kept + 1) * sizeof *items);
    if (!items) {
        f->failed = true;
        return;
    }
    memcpy(items, table->items, kept * sizeof *items);
    items[kept] = (struct span){SPAN_PLAIN, cut_words(f, rows - rows_max)};
    table->items = items;
    table->count = kept + 1;
}

static void make_cut_bullet(struct fitted *f, struct block *bullet, size_t left_out)
{
    struct span *words = arena_alloc(&f->arena, sizeof *words);
    if (!words) {
        f->failed = true;
        return;
    }
    *words = (struct span){SPAN_PLAIN, cut_words(f, left_out)};
    bullet->items = words;
    bullet->count = 1;
}

static size_t list_length(const struct block *items, size_t count)
{
    size_t length = 0;
    while (length < count && items[length].kind == BLOCK_BULLET)
        length++;
    return length;
}

/* Returns how many rows a table or list may have. `at` is its number, from 1. */
static size_t rows_of_table(const struct document_view *view, size_t at)
{
    if (at > view->longer_tables)
        return view->rows_max;
    return view->longer_rows ? view->longer_rows : SIZE_MAX - 1;
}

/* Cuts what is behind the first screen; the blocks stay in order. */
static void cut_all(struct fitted *f, const struct document_view *view)
{
    size_t kept = 0, tables = 0;
    for (size_t i = 0; i < f->count;) {
        struct block *block = &f->items[i];
        const bool is_behind = block->tier > TIER_SCREEN, is_table = is_behind && block->kind == BLOCK_TABLE;
        const size_t length = is_behind ? list_length(block, f->count - i) : 0;
        tables += is_table || length;
        const size_t rows_max = rows_of_table(view, tables);
        if (is_table)
            cut_table(f, block, rows_max);
        if (length > rows_max + 1) {
            make_cut_bullet(f, &f->items[i + rows_max], length - rows_max);
            memmove(&f->items[kept], block, (rows_max + 1) * sizeof *block);
            kept += rows_max + 1;
            i += length;
        } else {
            memmove(&f->items[kept], block, (length ? length : 1) * sizeof *block);
            kept += length ? length : 1;
            i += length ? length : 1;
        }
    }
    f->count = kept;
}

/* ---- fit ---- */

/* A column in which nothing stands says nothing. */
static bool is_empty_column(const struct block *table, size_t column)
{
    const size_t rows = block_rows(table);
    for (size_t r = 0; r < rows; r++)
        if (*block_cell(table, r, column).text)
            return false;
    return rows > 0;
}

static void drop_empty_columns(struct fitted *f, struct block *table)
{
    size_t kept = 0;
    bool *empty = arena_alloc(&f->arena, table->column_count * sizeof *empty);
    for (size_t c = 0; empty && c < table->column_count; c++)
        kept += !(empty[c] = is_empty_column(table, c));
    if (!empty || kept == table->column_count || !kept)
        return;
    const size_t rows = block_rows(table);
    struct document_column *columns = arena_alloc(&f->arena, kept * sizeof *columns);
    struct span *items = arena_alloc(&f->arena, kept * rows * sizeof *items);
    if (!columns || !items)
        return;
    size_t at = 0, spare = 0;
    for (size_t c = 0, to = 0; c < table->column_count; c++)
        if (!empty[c]) {
            columns[to++] = table->columns[c];
            spare += c + table->spare >= table->column_count;
        }
    table->spare = spare;
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < table->column_count; c++)
            if (!empty[c])
                items[at++] = block_cell(table, r, c);
    table->columns = columns;
    table->column_count = kept;
    table->items = items;
    table->count = at;
}

static void take_shown(struct fitted *f, const struct document *d, enum tier last)
{
    f->count = 0;
    for (size_t i = 0; i < d->count; i++) {
        if (!is_shown(d, i, last))
            continue;
        struct block *slot = ARRAY_PUSH(f);
        if (!slot) {
            f->failed = true;
            return;
        }
        *slot = d->items[i];
        if (slot->kind == BLOCK_TABLE)
            drop_empty_columns(f, slot);
    }
}

void document_fit(struct fitted *out, const struct document *d, const struct document_view *view)
{
    *out = (struct fitted){.failed = d->failed};
    arena_init(&out->arena);
    take_shown(out, d, view->last);
    if (view->rows_max)
        cut_all(out, view);
}

void fitted_release(struct fitted *f)
{
    free(f->items);
    arena_release(&f->arena);
    *f = (struct fitted){0};
}

/* ---- anchors ---- */

static void add_slug(struct str *out, const struct block *heading)
{
    for (size_t i = 0; i < heading->count; i++)
        for (const char *c = heading->items[i].text; *c; c++) {
            if (isalnum((unsigned char)*c))
                str_add_char(out, (char)tolower((unsigned char)*c));
            else if (*c == ' ' || *c == '-')
                str_add_char(out, '-');
        }
}

void fitted_anchor(const struct fitted *f, size_t heading, struct str *out)
{
    struct str slug, other;
    size_t before = 0;
    str_init(&slug);
    str_init(&other);
    add_slug(&slug, &f->items[heading]);
    for (size_t i = 0; i < heading; i++) {
        if (!block_begins_section(&f->items[i]))
            continue;
        str_clear(&other);
        add_slug(&other, &f->items[i]);
        before += !strcmp(str_text(&other), str_text(&slug));
    }
    str_add(out, str_text(&slug));
    if (before)
        str_addf(out, "-%zu", before + 1);
    out->failed |= slug.failed || other.failed;
    str_release(&slug);
    str_release(&other);
}
