/* How does a document look as one HTML page that needs nothing else? */
#include <string.h>

#include "reports/document/block.h"
#include "reports/document/document.h"

enum { SENTENCE_BYTES = 40 };

static const char page_head[] =
    "<!DOCTYPE html>\n"
    "<html lang=\"en\">\n"
    "<head>\n"
    "<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n";

static const char page_style[] =
    "<style>\n"
    ":root { --text: #1b1f24; --back: #ffffff; --soft: #f3f5f7; --line: #d4d9df; }\n"
    "@media (prefers-color-scheme: dark) {\n"
    "  :root { --text: #e4e7eb; --back: #16191d; --soft: #21262c; --line: #3a414a; }\n"
    "}\n"
    "body { max-width: 120rem; margin: 2rem auto; padding: 0 1rem; color: var(--text); background: var(--back);\n"
    "       font: 16px/1.5 system-ui, sans-serif; }\n"
    "h1, p, li, figure { max-width: 72rem; }\n"
    "h1 { font-size: 1.4rem; line-height: 1.3; }\n"
    "h2 { font-size: 1.15rem; margin-top: 2rem; border-bottom: 1px solid var(--line); }\n"
    "h3 { font-size: 1rem; }\n"
    "code, pre { font: 0.9em ui-monospace, monospace; background: var(--soft); border-radius: 3px; }\n"
    "code { padding: 0 0.25em; overflow-wrap: anywhere; }\n"
    "pre { padding: 0.75em 1em; overflow-x: auto; }\n"
    ".table { overflow-x: auto; /* a shade at the right, until the last column is reached */\n"
    "         background: linear-gradient(to left, var(--back) 1.5rem, transparent) 100% 0 / 4rem 100% no-repeat local,\n"
    "                     linear-gradient(to left, var(--line), transparent) 100% 0 / 1rem 100% no-repeat scroll; }\n"
    "table { border-collapse: collapse; font-size: 0.9rem; font-variant-numeric: tabular-nums; }\n"
    "th, td { padding: 0.25em 0.75em; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }\n"
    "th { background: var(--soft); white-space: nowrap; }\n"
    "td code { white-space: nowrap; }\n"
    ".w { min-width: 18rem; }\n"
    "figure { margin: 1rem 0; }\n"
    "figure img { max-width: 100%; height: auto; }\n"
    "figcaption { font-size: 0.9rem; }\n"
    ".r { text-align: right; white-space: nowrap; }\n"
    "@media print { .table { overflow-x: visible; background: none; } td code { white-space: normal; } .w { min-width: 0; } }\n"
    "</style>\n"
    "</head>\n"
    "<body>\n";

static const char *entity(char c)
{
    switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    default: return NULL;
    }
}

static void add_escaped(struct str *out, const char *text)
{
    for (; *text; text++) {
        const char *replacement = entity(*text);
        if (replacement)
            str_add(out, replacement);
        else
            str_add_char(out, *text);
    }
}

static void add_span(struct str *out, const struct span *span, bool in_table)
{
    static const char *const begin[] = {[SPAN_PLAIN] = "", [SPAN_STRONG] = "<strong>", [SPAN_CODE] = "<code>"};
    static const char *const end[] = {[SPAN_PLAIN] = "", [SPAN_STRONG] = "</strong>", [SPAN_CODE] = "</code>"};
    struct str words;
    str_init(&words);
    if (in_table)
        visible_add(&words, span->text, NAME_COLUMNS_MAX);
    else
        visible_add_span(&words, span);
    str_add(out, begin[span->style]);
    add_escaped(out, str_text(&words));
    str_add(out, end[span->style]);
    out->failed |= words.failed;
    str_release(&words);
}

static void add_words(struct str *out, const char *tag, const struct block *block)
{
    str_addf(out, "<%s>", tag);
    for (size_t i = 0; i < block->count; i++)
        add_span(out, &block->items[i], false);
    str_addf(out, "</%s>\n", tag);
}

/* A sentence in a table that is wider than the page is not squeezed to a word a line. */
static bool is_sentence(const struct span *cell)
{
    return cell->style != SPAN_CODE && strlen(cell->text) > SENTENCE_BYTES && strchr(cell->text, ' ');
}

static void add_cell(struct str *out, const char *tag, struct span cell, bool right)
{
    str_addf(out, right ? "<%s class=\"r\">" : is_sentence(&cell) ? "<%s class=\"w\">" : "<%s>", tag);
    add_span(out, &cell, true);
    str_addf(out, "</%s>", tag);
}

static void add_table(struct str *out, const struct block *table)
{
    str_add(out, "<div class=\"table\"><table>\n<thead><tr>");
    for (size_t c = 0; c < table->column_count; c++)
        add_cell(out, "th", (struct span){SPAN_PLAIN, table->columns[c].title}, table->columns[c].right);
    str_add(out, "</tr></thead>\n<tbody>\n");
    for (size_t r = 0; r < block_rows(table); r++) {
        str_add(out, "<tr>");
        for (size_t c = 0; c < table->column_count; c++)
            add_cell(out, "td", block_cell(table, r, c), table->columns[c].right);
        str_add(out, "</tr>\n");
    }
    str_add(out, "</tbody>\n</table></div>\n");
}

static void add_code_block(struct str *out, const char *text)
{
    struct str lines;
    str_init(&lines);
    visible_add_lines(&lines, text, "");
    str_add(out, "<pre>");
    add_escaped(out, str_text(&lines));
    str_add(out, "</pre>\n");
    out->failed |= lines.failed;
    str_release(&lines);
}

static void add_base64(struct str *out, const char *bytes, size_t count)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < count; i += 3) {
        const size_t taken = count - i < 3 ? count - i : 3;
        unsigned long word = 0;
        for (size_t k = 0; k < 3; k++)
            word = word << 8 | (k < taken ? (unsigned char)bytes[i + k] : 0);
        for (size_t k = 0; k < 4; k++)
            str_add_char(out, k <= taken ? digits[word >> (18 - 6 * k) & 63] : '=');
    }
}

/* As an image, not as part of the page: nothing in it can act on the page. */
static void add_chart(struct str *out, const struct block *chart, chart_drawer *draw)
{
    struct str svg;
    struct err why = {0};
    str_init(&svg);
    const bool drawn = draw && !draw(chart->items[0].text, &svg, &why);
    if (!drawn) {
        str_add(out, "<p>No chart: ");
        add_escaped(out, draw ? why.text : "nothing here draws");
        str_add(out, "; the tables have its numbers.</p>\n");
    } else {
        str_add(out, "<figure><img alt=\"chart; the tables have its numbers\" "
                     "src=\"data:image/svg+xml;base64,");
        add_base64(out, str_text(&svg), svg.length);
        str_add(out, "\">\n<figcaption>");
        for (size_t i = 1; i < chart->count; i++)
            add_span(out, &chart->items[i], false);
        str_add(out, "</figcaption></figure>\n");
    }
    out->failed |= svg.failed;
    str_release(&svg);
}

static void add_block(struct str *out, const struct block *block, chart_drawer *draw)
{
    static const char *const headings[] = {"", "h1", "h2", "h3"};
    switch (block->kind) {
    case BLOCK_HEADING: add_words(out, headings[block->level], block); break;
    case BLOCK_PARAGRAPH: add_words(out, "p", block); break;
    case BLOCK_BULLET: add_words(out, "li", block); break;
    case BLOCK_TABLE: add_table(out, block); break;
    case BLOCK_CODE: add_code_block(out, block->items[0].text); break;
    case BLOCK_CHART: add_chart(out, block, draw); break;
    }
}

/* The page is named after its first heading. */
static void add_title(struct str *out, const struct document *d)
{
    str_add(out, "<title>");
    if (d->count && d->items[0].kind == BLOCK_HEADING) {
        for (size_t i = 0; i < d->items[0].count; i++) {
            struct span words = {SPAN_PLAIN, d->items[0].items[i].text};
            add_span(out, &words, true);
        }
    } else {
        str_add(out, "cpprof");
    }
    str_add(out, "</title>\n");
}

static int render(const struct document *d, struct str *out)
{
    str_add(out, page_head);
    add_title(out, d);
    str_add(out, page_style);
    for (size_t i = 0; i < d->count; i++) {
        bool bullet = d->items[i].kind == BLOCK_BULLET;
        if (bullet && (!i || d->items[i - 1].kind != BLOCK_BULLET))
            str_add(out, "<ul>\n");
        add_block(out, &d->items[i], d->draw);
        if (bullet && (i + 1 == d->count || d->items[i + 1].kind != BLOCK_BULLET))
            str_add(out, "</ul>\n");
    }
    str_add(out, "</body>\n</html>\n");
    return d->failed || out->failed ? ERR_MEMORY : 0;
}

const struct document_format html_format = {"html", ".html", render};
