/* How does a document look as one HTML page that needs nothing else? */
#include <string.h>

#include "reports/document/block.h"
#include "reports/document/document.h"
#include "reports/document/fit.h"

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
    "       font: 16px/1.5 system-ui, sans-serif; overflow-wrap: break-word; }\n"
    ":focus-visible { outline: 2px solid; outline-offset: 2px; }\n"
    ".skip:not(:focus) { position: absolute; left: -100rem; }\n"
    "h1, p, li, figure { max-width: 72rem; }\n"
    "h1 { font-size: 1.4rem; line-height: 1.3; }\n"
    "h2 { font-size: 1.15rem; margin-top: 2rem; border-bottom: 1px solid var(--line); }\n"
    "h3 { font-size: 1rem; }\n"
    "code, pre { font: 0.9em ui-monospace, monospace; background: var(--soft); border-radius: 3px; }\n"
    "code { padding: 0 0.25em; overflow-wrap: anywhere; }\n"
    "pre { padding: 0.75em 1em; overflow-x: auto; }\n"
    ".table { overflow-x: auto; margin: 1rem 0; /* a shade at the right, until the last column is reached */\n"
    "         background: linear-gradient(to left, var(--back) 1.5rem, transparent) 100% 0 / 4rem 100% no-repeat local,\n"
    "                     linear-gradient(to left, var(--line), transparent) 100% 0 / 1rem 100% no-repeat scroll; }\n"
    "table { border-collapse: collapse; font-size: 0.9rem; font-variant-numeric: tabular-nums; }\n"
    "th, td { padding: 0.25em 0.75em; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }\n"
    "th { background: var(--soft); white-space: nowrap; }\n"
    "td, td code { white-space: nowrap; }\n"
    "td.w { min-width: 28rem; white-space: normal; }\n"
    "ul { padding-left: 1.5rem; }\n"
    "nav ul { display: flex; flex-wrap: wrap; gap: 0 1rem; padding: 0; list-style: none; }\n"
    "summary { cursor: pointer; }\n"
    "summary h2 { display: inline-block; margin: 0.5rem 0; border: 0; }\n"
    "details { border-top: 1px solid var(--line); }\n"
    ".section { scroll-margin-top: 4rem; padding-bottom: 0.25rem; }\n"
    "figure { margin: 1rem 0; }\n"
    "figure img { max-width: 100%; height: auto; }\n"
    "figcaption { font-size: 0.9rem; }\n"
    ".r { text-align: right; }\n"
    "@media print { /* what is folded, too */\n"
    "  .table, pre { overflow-x: visible; background: none; }\n"
    "  pre { white-space: pre-wrap; }\n"
    "  table { font-size: 0.7rem; }\n"
    "  th, td, td code, td.w { padding: 0.2em 0.4em; min-width: 0; white-space: normal; overflow-wrap: break-word; }\n"
    "  tr, figure { break-inside: avoid; }\n"
    "  nav, .skip { display: none; }\n"
    "  summary { list-style: none; }\n"
    "  details:not([open]) > .section { display: block; }\n"
    "  details::details-content { display: block; content-visibility: visible; height: auto; }\n"
    "}\n"
    "</style>\n"
    "</head>\n"
    "<body>\n"
    "<main>\n";

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

/* The last row has one cell: what was cut. */
static void add_line_cell(struct str *out, const struct block *table)
{
    str_addf(out, "<td colspan=\"%zu\">", table->column_count);
    add_span(out, &table->items[table->count - 1], true);
    str_add(out, "</td>");
}

static void add_table(struct str *out, const struct block *table)
{
    str_add(out, "<div class=\"table\"><table>\n<thead><tr>");
    for (size_t c = 0; c < table->column_count; c++)
        add_cell(out, "th", (struct span){SPAN_PLAIN, table->columns[c].title}, table->columns[c].right);
    str_add(out, "</tr></thead>\n<tbody>\n");
    for (size_t r = 0; r < block_rows(table); r++) {
        str_add(out, "<tr>");
        if (r * table->column_count + 1 == table->count)
            add_line_cell(out, table);
        else
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

/* As an image, not as part of the page: nothing in it can act on the page. Without a drawing, its characters. */
static void add_picture(struct str *out, const struct block *block)
{
    const struct picture *picture = block->picture;
    if (!picture->svg) {
        add_code_block(out, picture->characters ? picture->characters : picture->says);
        return;
    }
    str_add(out, "<figure><img alt=\"");
    add_span(out, &(struct span){SPAN_PLAIN, picture->says}, false);
    str_add(out, "\" src=\"data:image/svg+xml;base64,");
    add_base64(out, picture->svg, strlen(picture->svg));
    str_add(out, "\">\n<figcaption>");
    for (size_t i = 0; i < block->count; i++)
        add_span(out, &block->items[i], false);
    str_add(out, "</figcaption></figure>\n");
}

static void add_block(struct str *out, const struct block *block)
{
    static const char *const headings[] = {"", "h1", "h2", "h3"};
    switch (block->kind) {
    case BLOCK_HEADING: add_words(out, headings[block->level], block); break;
    case BLOCK_PARAGRAPH: add_words(out, "p", block); break;
    case BLOCK_BULLET: add_words(out, "li", block); break;
    case BLOCK_TABLE: add_table(out, block); break;
    case BLOCK_CODE: add_code_block(out, block->items[0].text); break;
    case BLOCK_PICTURE: add_picture(out, block); break;
    }
}

/* ---- sections ---- */

/* The anchor is inside: a link to what is folded opens it, without a script. */
static void begin_section(struct str *out, const struct fitted *f, size_t heading)
{
    str_add(out, "<details><summary>");
    add_words(out, "h2", &f->items[heading]);
    str_add(out, "</summary>\n<div class=\"section\" id=\"");
    fitted_anchor(f, heading, out);
    str_add(out, "\">\n");
}

static const char section_end[] = "</div></details>\n";

/* Who goes by keys can skip them; `first` names what comes behind, where several pages are one. */
static void add_contents(struct str *out, const struct fitted *f, size_t first)
{
    str_addf(out, "<a class=\"skip\" href=\"#-%zu\">Skip the contents</a>\n<nav aria-label=\"Contents\"><ul>\n", first);
    for (size_t i = first; i < f->count && !(f->items[i].kind == BLOCK_HEADING && f->items[i].level == 1); i++) {
        if (!block_begins_section(&f->items[i]))
            continue;
        str_add(out, "<li><a href=\"#");
        fitted_anchor(f, i, out);
        str_add(out, "\">");
        for (size_t k = 0; k < f->items[i].count; k++)
            add_span(out, &f->items[i].items[k], false);
        str_add(out, "</a></li>\n");
    }
    str_addf(out, "</ul></nav>\n<div id=\"-%zu\"></div>\n", first);
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

static void add_all(struct str *out, const struct fitted *f)
{
    bool in_section = false, has_contents = false, in_list = false;
    for (size_t i = 0; i < f->count; i++) {
        const struct block *block = &f->items[i];
        const bool is_section = block_begins_section(block), is_bullet = block->kind == BLOCK_BULLET;
        if (in_list != is_bullet)
            str_add(out, is_bullet ? "<ul>\n" : "</ul>\n");
        if (in_section && block->kind == BLOCK_HEADING && block->level <= 2) {
            str_add(out, section_end);
            in_section = false;
        }
        has_contents &= !(block->kind == BLOCK_HEADING && block->level == 1);
        if (is_section && !has_contents)
            add_contents(out, f, i);
        if (is_section)
            begin_section(out, f, i);
        else
            add_block(out, block);
        in_list = is_bullet;
        in_section |= is_section;
        has_contents |= is_section;
    }
    str_add(out, in_list ? "</ul>\n" : "");
    str_add(out, in_section ? section_end : "");
}

static int render(const struct document *d, const struct document_view *view, struct str *out)
{
    struct fitted shown;
    document_fit(&shown, d, view);
    str_add(out, page_head);
    add_title(out, d);
    str_add(out, page_style);
    add_all(out, &shown);
    str_add(out, "</main>\n</body>\n</html>\n");
    const bool failed = shown.failed || out->failed;
    fitted_release(&shown);
    return failed ? ERR_MEMORY : 0;
}

const struct document_format html_format = {"html", ".html", render};
