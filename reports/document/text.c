/* How does a document look on a terminal, and in a pipe? There a verdict stays one line, for grep. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "reports/document/block.h"
#include "reports/document/document.h"
#include "reports/document/fit.h"
#include "reports/document/wrap.h"

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
static void add_heading(struct str *out, const struct block *block, const struct document_view *view)
{
    struct str line;
    str_init(&line);
    const bool is_first = !out->length;
    str_add(&line, view->colours ? bold_on : "");
    const size_t begin = line.length;
    add_words(&line, block, false);
    const size_t columns = line.failed ? 0 : visible_columns(line.text + begin);
    str_add(&line, view->colours ? bold_off : "");
    wrap_add(out, str_text(&line), view->columns, "", NULL);
    if (!is_first && block->level < 3) {
        add_repeated(out, block->level == 1 ? '=' : '-', columns < 100 ? columns : 100);
        str_add_char(out, '\n');
    }
    out->failed |= line.failed;
    str_release(&line);
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

static void add_lines(struct str *out, const struct block *block, const char *mark, const char *indent,
                      const struct document_view *view)
{
    struct str line;
    str_init(&line);
    str_add(&line, mark);
    add_words(&line, block, view->colours);
    wrap_add(out, str_text(&line), view->columns, indent, NULL);
    out->failed |= line.failed;
    str_release(&line);
}

static void add_picture(struct str *out, const struct block *block)
{
    visible_add_lines(out, block->picture->characters ? block->picture->characters : block->picture->says, "");
}

static void add_block(struct str *out, const struct block *block, const struct document_view *view)
{
    switch (block->kind) {
    case BLOCK_HEADING: add_heading(out, block, view); break;
    case BLOCK_PARAGRAPH: add_lines(out, block, "", "", view); break;
    case BLOCK_BULLET: add_lines(out, block, "- ", "  ", view); break;
    case BLOCK_TABLE: add_table(out, block, view->colours); break;
    case BLOCK_CODE: visible_add_lines(out, block->items[0].text, "    "); break;
    case BLOCK_PICTURE: add_picture(out, block); break;
    }
}

static void add_all(struct str *out, const struct fitted *f, const struct document_view *view)
{
    bool was_bullet = false, first = true;
    for (size_t i = 0; i < f->count; i++) {
        const bool is_bullet = f->items[i].kind == BLOCK_BULLET;
        if (!first && !(was_bullet && is_bullet))
            str_add_char(out, '\n');
        add_block(out, &f->items[i], view);
        was_bullet = is_bullet;
        first = false;
    }
}

static int render(const struct document *d, const struct document_view *view, struct str *out)
{
    struct fitted shown;
    document_fit(&shown, d, view);
    add_all(out, &shown, view);
    const bool failed = shown.failed || out->failed;
    fitted_release(&shown);
    return failed ? ERR_MEMORY : 0;
}

const struct document_format text_format = {"text", ".txt", render};
