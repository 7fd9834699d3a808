/* How does a document look on a terminal, and in a pipe? There a verdict stays one line, for grep. */
#include <string.h>

#include "reports/document/block.h"
#include "reports/document/document.h"
#include "reports/document/fit.h"
#include "reports/document/status_words.h"
#include "reports/document/text_table.h"
#include "reports/document/wrap.h"

enum { COLUMNS_LEAST = 20 }; /* a narrower terminal is not written for */

static bool ends_label(const char *text)
{
    size_t length = strlen(text);
    while (length && text[length - 1] == ' ')
        length--;
    return length && text[length - 1] == ':';
}

/* Does an answer begin here, which may begin with a word of status? "Selection: pass, ..." */
static bool begins_answer(const struct block *block, size_t at)
{
    while (at && !block->items[at - 1].text[strspn(block->items[at - 1].text, " ")])
        at--;
    return !at || (block->items[at - 1].style == SPAN_STRONG && ends_label(block->items[at - 1].text));
}

static void add_coloured(struct str *out, const struct block *block, size_t at, const char *text)
{
    const enum span_style style = block->items[at].style;
    if (style == SPAN_CODE) /* a name says nothing about itself */
        str_add(out, text);
    else if (block->kind == BLOCK_HEADING)
        status_words_add(out, text, STYLE_BOLD);
    else if (style == SPAN_STRONG) {
        str_add(out, STYLE_BOLD);
        status_words_add(out, text, STYLE_BOLD);
        str_add(out, STYLE_OFF);
    } else if (begins_answer(block, at))
        status_words_add_first(out, text);
    else
        str_add(out, text);
}

static void add_words(struct str *out, const struct block *block, bool colours)
{
    struct str text;
    str_init(&text);
    for (size_t i = 0; i < block->count; i++) {
        str_clear(&text);
        visible_add_span(&text, &block->items[i]);
        if (colours)
            add_coloured(out, block, i, str_text(&text));
        else
            str_add(out, str_text(&text));
    }
    out->failed |= text.failed;
    str_release(&text);
}

static void add_line(struct str *out, const char *line, const char *indent, const struct document_view *view)
{
    if (view->columns)
        wrap_add_broken(out, line, view->columns, indent);
    else
        wrap_add(out, line, 0, indent, NULL);
}

static size_t words_columns(const struct block *block)
{
    struct str words;
    str_init(&words);
    add_words(&words, block, false);
    const size_t columns = visible_columns(str_text(&words));
    str_release(&words);
    return columns;
}

/* The first heading is the first line, bare; the ones below it have a line under them. */
static void add_heading(struct str *out, const struct block *block, const struct document_view *view)
{
    enum { RULE_MAX = 100 };
    struct str line;
    str_init(&line);
    const bool is_first = !out->length;
    const size_t limit = view->columns && view->columns < RULE_MAX ? view->columns : RULE_MAX;
    str_add(&line, view->colours ? STYLE_BOLD : "");
    add_words(&line, block, view->colours);
    str_add(&line, view->colours ? STYLE_OFF : "");
    add_line(out, str_text(&line), "", view);
    if (!is_first && block->level < 3) {
        for (size_t i = 0, columns = words_columns(block); i < columns && i < limit; i++)
            str_add_char(out, block->level == 1 ? '=' : '-');
        str_add_char(out, '\n');
    }
    out->failed |= line.failed;
    str_release(&line);
}

static void add_lines(struct str *out, const struct block *block, const char *mark, const char *indent,
                      const struct document_view *view)
{
    struct str line;
    str_init(&line);
    str_add(&line, mark);
    add_words(&line, block, view->colours);
    add_line(out, str_text(&line), indent, view);
    out->failed |= line.failed;
    str_release(&line);
}

static bool fits(const char *lines, size_t columns)
{
    size_t used = 0, widest = 0;
    for (; *lines; lines++) {
        used = *lines == '\n' ? 0 : used + (((unsigned char)*lines & 0xc0) != 0x80);
        widest = used > widest ? used : widest;
    }
    return !columns || widest <= columns;
}

/* A picture cannot be wrapped: where it is too wide the reader is told what it shows. */
static void add_picture(struct str *out, const struct block *block, const struct document_view *view)
{
    const struct picture *picture = block->picture;
    struct str says;
    str_init(&says);
    visible_add(&says, picture->says, WORDS_COLUMNS_MAX);
    if (picture->characters && fits(picture->characters, view->columns))
        visible_add_lines(out, picture->characters, "");
    else
        add_line(out, str_text(&says), "", view);
    out->failed |= says.failed;
    str_release(&says);
}

static void add_block(struct str *out, const struct block *block, const struct document_view *view)
{
    switch (block->kind) {
    case BLOCK_HEADING: add_heading(out, block, view); break;
    case BLOCK_PARAGRAPH: add_lines(out, block, "", "", view); break;
    case BLOCK_BULLET: add_lines(out, block, "- ", "  ", view); break;
    case BLOCK_TABLE: text_table_add(out, block, view); break;
    case BLOCK_CODE: visible_add_lines(out, block->items[0].text, "    "); break;
    case BLOCK_PICTURE: add_picture(out, block, view); break;
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

static int render(const struct document *d, const struct document_view *asked, struct str *out)
{
    struct fitted shown;
    struct document_view view = *asked;
    if (view.columns && view.columns < COLUMNS_LEAST)
        view.columns = COLUMNS_LEAST;
    document_fit(&shown, d, &view);
    add_all(out, &shown, &view);
    const bool failed = shown.failed || out->failed;
    fitted_release(&shown);
    return failed ? ERR_MEMORY : 0;
}

const struct document_format text_format = {"text", ".txt", render};
