/* How does a document look on a terminal? Lines are not wrapped: terminals do
 * that, and a verdict stays one line for grep. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "reports/document/block.h"
#include "reports/document/document.h"

static const char bold_on[] = "\x1b[1m", bold_off[] = "\x1b[0m";

static void add_repeated(struct str *out, char c, size_t count)
{
    while (count--)
        str_add_char(out, c);
}

static void add_words(struct str *out, const struct block *block, bool bold)
{
    for (size_t i = 0; i < block->count; i++) {
        bool strong = bold && block->items[i].style == SPAN_STRONG;
        str_add(out, strong ? bold_on : "");
        visible_add_span(out, &block->items[i]);
        str_add(out, strong ? bold_off : "");
    }
}

/* The first heading is the first line, bare; the ones below it have a line under them. */
static void add_heading(struct str *out, const struct block *block, bool bold)
{
    size_t before = out->length;
    str_add(out, bold ? bold_on : "");
    size_t begin = out->length;
    add_words(out, block, false);
    size_t columns = out->failed ? 0 : visible_columns(out->text + begin);
    str_add(out, bold ? bold_off : "");
    str_add_char(out, '\n');
    if (before && block->level < 3) {
        add_repeated(out, block->level == 1 ? '=' : '-', columns < 100 ? columns : 100);
        str_add_char(out, '\n');
    }
}

/* The widest cell of each column decides; NULL when memory is out. */
static size_t *column_widths(const struct block *table, struct str *scratch)
{
    size_t *widths = NULL, capacity = 0;
    if (array_reserve((void **)&widths, &capacity, table->column_count, sizeof *widths))
        return NULL;
    for (size_t c = 0; c < table->column_count; c++) {
        widths[c] = visible_columns(table->columns[c].title);
        for (size_t r = 0; r < block_rows(table); r++) {
            str_clear(scratch);
            visible_add(scratch, block_cell(table, r, c).text, NAME_COLUMNS_MAX);
            size_t width = visible_columns(str_text(scratch));
            if (width > widths[c])
                widths[c] = width;
        }
    }
    return widths;
}

/* One cell, padded; the last column of a row is not padded on its right. */
static void add_cell(struct str *out, const char *text, size_t width, bool right, bool last)
{
    size_t begin = out->length;
    visible_add(out, text, NAME_COLUMNS_MAX);
    size_t used = out->failed ? width : visible_columns(out->text + begin);
    size_t space = width > used ? width - used : 0;
    if (right) {
        struct str cell;
        str_init(&cell);
        str_add(&cell, out->failed ? "" : out->text + begin);
        out->length = begin;
        add_repeated(out, ' ', space);
        str_add(out, str_text(&cell));
        out->failed |= cell.failed;
        str_release(&cell);
    } else if (!last) {
        add_repeated(out, ' ', space);
    }
    str_add(out, last ? "\n" : "  ");
}

static void add_table(struct str *out, const struct block *table, bool bold)
{
    struct str scratch;
    str_init(&scratch);
    size_t *widths = column_widths(table, &scratch);
    out->failed |= !widths || scratch.failed;
    str_release(&scratch);
    if (!widths)
        return;
    size_t last = table->column_count - 1;
    str_add(out, bold ? bold_on : "");
    for (size_t c = 0; c <= last; c++)
        add_cell(out, table->columns[c].title, widths[c], table->columns[c].right, c == last);
    str_add(out, bold ? bold_off : "");
    for (size_t c = 0; c <= last; c++) {
        add_repeated(out, '-', widths[c]);
        str_add(out, c == last ? "\n" : "  ");
    }
    for (size_t r = 0; r < block_rows(table); r++)
        for (size_t c = 0; c <= last; c++)
            add_cell(out, block_cell(table, r, c).text, widths[c], table->columns[c].right, c == last);
    free(widths);
}

static void add_block(struct str *out, const struct block *block, bool bold)
{
    switch (block->kind) {
    case BLOCK_HEADING: add_heading(out, block, bold); break;
    case BLOCK_PARAGRAPH:
    case BLOCK_BULLET:
        str_add(out, block->kind == BLOCK_BULLET ? "- " : "");
        add_words(out, block, bold);
        str_add_char(out, '\n');
        break;
    case BLOCK_TABLE: add_table(out, block, bold); break;
    case BLOCK_CODE: visible_add_lines(out, block->items[0].text, "    "); break;
    case BLOCK_CHART: break;
    }
}

static int render(const struct document *d, struct str *out, bool bold)
{
    for (size_t i = 0; i < d->count; i++) {
        if (d->items[i].kind == BLOCK_CHART)
            continue;
        bool list_goes_on = i && d->items[i].kind == BLOCK_BULLET && d->items[i - 1].kind == BLOCK_BULLET;
        if (i && !list_goes_on)
            str_add_char(out, '\n');
        add_block(out, &d->items[i], bold);
    }
    return d->failed || out->failed ? ERR_MEMORY : 0;
}

static int render_text(const struct document *d, struct str *out)
{
    return render(d, out, false);
}

static int render_ansi(const struct document *d, struct str *out)
{
    return render(d, out, true);
}

const struct document_format text_format = {"text", ".txt", render_text};
const struct document_format ansi_format = {"ansi", NULL, render_ansi};
