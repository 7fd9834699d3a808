/* How does a document look as GitHub flavoured Markdown? */
#include <ctype.h>
#include <string.h>

#include "core/base/count_of.h"
#include "reports/document/block.h"
#include "reports/document/document.h"
#include "reports/document/fit.h"
#include "reports/document/wrap.h"

enum { COLUMNS_MAX = 160 }; /* of a line that is no heading, table or code */

/* A space where no line may end; visible text has no such character. */
enum { KEPT_SPACE = '\x1f' };

/* What would turn words into markup, links or mentions. The longer ones first. */
static const struct {
    const char *text;
    const char *inert;
} escapes[] = {
    {"://", "&#58;//"}, {"www.", "www&#46;"}, {"\\", "\\\\"}, {"`", "\\`"},  {"*", "\\*"},
    {"[", "\\["},       {"]", "\\]"},         {"<", "&lt;"},  {">", "&gt;"}, {"&", "&amp;"},
    {"|", "\\|"},       {"~", "\\~"},         {"$", "\\$"},   {"#", "\\#"},  {"@", "@&#8203;"},
};

/* Markup only where a line begins. */
static const char line_begins[] = "-+=";

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || (unsigned char)c >= 0x80;
}

/* Underscores inside a word are no emphasis, and names are full of them. */
static bool is_plain_underscore(const char *text, const char *at)
{
    const char *before = at, *after = at + strspn(at, "_");
    while (before > text && before[-1] == '_')
        before--;
    return before > text && is_word(before[-1]) && is_word(*after);
}

static size_t add_escaped_at(struct str *out, const char *text, const char *at)
{
    for (size_t i = 0; i < COUNT_OF(escapes); i++) {
        size_t length = strlen(escapes[i].text);
        if (!strncmp(at, escapes[i].text, length)) {
            str_add(out, escapes[i].inert);
            return length;
        }
    }
    if (*at == '_' && !is_plain_underscore(text, at))
        str_add_char(out, '\\');
    str_add_char(out, *at);
    return 1;
}

/* "1." and "1)" begin a list as "-" does. */
static size_t list_number_length(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    return digits && (text[digits] == '.' || text[digits] == ')') ? digits : 0;
}

static void add_escaped(struct str *out, const char *text, bool line_start)
{
    const char *at = text;
    if (line_start) {
        at += strspn(text, " "); /* four spaces would be a code block */
        size_t digits = list_number_length(at);
        str_add_bytes(out, at, digits);
        at += digits;
        if (digits || (*at && strchr(line_begins, *at))) {
            str_add_char(out, '\\');
            str_add_char(out, *at++);
        }
    }
    while (*at)
        at += add_escaped_at(out, text, at);
}

static size_t longest_run(const char *text, char c)
{
    size_t longest = 0;
    for (size_t run = 0; *text; text++) {
        run = *text == c ? run + 1 : 0;
        if (run > longest)
            longest = run;
    }
    return longest;
}

/* A code span ends at a run of exactly as many backticks as began it. Three would begin a block where their line has no
 * others: a span of several is not broken. A table splits at every pipe that has no backslash, in code as well. */
static void add_code(struct str *out, const char *text, bool in_table)
{
    size_t ticks = longest_run(text, '`') + 1;
    size_t length = strlen(text);
    const char space = ticks > 1 ? KEPT_SPACE : ' ';
    bool pad = !length || text[0] == '`' || text[length - 1] == '`' || (text[0] == ' ' && text[length - 1] == ' ');
    for (size_t i = 0; i < ticks; i++)
        str_add_char(out, '`');
    if (pad)
        str_add_char(out, space);
    for (; *text; text++) {
        if (in_table && *text == '|')
            str_add_char(out, '\\');
        str_add_char(out, *text == ' ' ? space : *text);
    }
    if (pad)
        str_add_char(out, space);
    for (size_t i = 0; i < ticks; i++)
        str_add_char(out, '`');
}

static void add_span(struct str *out, const struct span *span, bool line_start, bool in_table)
{
    struct str words;
    str_init(&words);
    if (in_table)
        visible_add(&words, span->text, NAME_COLUMNS_MAX);
    else
        visible_add_span(&words, span);
    const char *text = str_text(&words);
    if (span->style == SPAN_CODE && *text) {
        add_code(out, text, in_table);
    } else {
        const char *mark = span->style == SPAN_STRONG && *text ? "**" : "";
        str_add(out, mark);
        add_escaped(out, text, line_start && !*mark);
        str_add(out, mark);
    }
    out->failed |= words.failed;
    str_release(&words);
}

static void add_words(struct str *out, const struct block *block)
{
    for (size_t i = 0; i < block->count; i++)
        add_span(out, &block->items[i], i == 0, false);
}

/* What would begin a list, a quote, a heading, a table or a fence, or be a rule, is no beginning of a line. */
static bool may_begin_line(const char *text)
{
    const size_t rule = strspn(text, "*_");
    if (rule && (!text[rule] || text[rule] == ' '))
        return false;
    return !strchr("-+>#|=:<", *text) && strncmp(text, "```", 3) != 0 && strncmp(text, "~~~", 3) != 0 &&
           !list_number_length(text);
}

/* A paragraph, or a bullet: its lines after the first are indented. */
static void add_lines(struct str *out, const struct block *block, const char *mark, const char *indent)
{
    struct str line;
    str_init(&line);
    str_add(&line, mark);
    add_words(&line, block);
    wrap_add(out, str_text(&line), COLUMNS_MAX, indent, may_begin_line);
    out->failed |= line.failed;
    str_release(&line);
}

static void add_table(struct str *out, const struct block *table)
{
    for (size_t c = 0; c < table->column_count; c++) {
        str_add(out, c ? " | " : "| ");
        add_span(out, &(struct span){SPAN_PLAIN, table->columns[c].title}, false, true);
    }
    str_add(out, " |\n");
    for (size_t c = 0; c < table->column_count; c++)
        str_add(out, table->columns[c].right ? "|---:" : "|---");
    str_add(out, "|\n");
    for (size_t r = 0; r < block_rows(table); r++) {
        for (size_t c = 0; c < table->column_count; c++) {
            struct span cell = block_cell(table, r, c);
            str_add(out, c ? " | " : "| ");
            add_span(out, &cell, false, true);
        }
        str_add(out, " |\n");
    }
}

static void add_code_block(struct str *out, const char *text)
{
    size_t ticks = longest_run(text, '`') + 1;
    for (int end = 0; end < 2; end++) {
        for (size_t i = 0; i < (ticks < 3 ? 3 : ticks); i++)
            str_add_char(out, '`');
        str_add_char(out, '\n');
        if (!end)
            visible_add_lines(out, text, "");
    }
}

/* Its caption is for the drawing: characters speak for themselves. */
static void add_picture(struct str *out, const struct picture *picture)
{
    add_code_block(out, picture->characters ? picture->characters : picture->says);
}

static void add_heading(struct str *out, const struct block *block)
{
    static const char *const marks[] = {"", "# ", "## ", "### "};
    str_add(out, marks[block->level]);
    add_words(out, block);
    str_add_char(out, '\n');
}

/* ---- sections ---- */

static void begin_section(struct str *out, const struct fitted *f, size_t heading)
{
    str_add(out, "<details><summary><b id=\"");
    fitted_anchor(f, heading, out);
    str_add(out, "\">");
    for (size_t i = 0; i < f->items[heading].count; i++) /* no Markdown in there: as plain words */
        add_span(out, &(struct span){SPAN_PLAIN, f->items[heading].items[i].text}, false, false);
    str_add(out, "</b></summary>\n");
}

/* A document's sections, before the first of them. */
static void add_contents(struct str *out, const struct fitted *f, size_t first)
{
    struct str line;
    str_init(&line);
    str_add(&line, "Sections:");
    for (size_t i = first; i < f->count && !(f->items[i].kind == BLOCK_HEADING && f->items[i].level == 1); i++) {
        if (!block_begins_section(&f->items[i]))
            continue;
        str_add(&line, i == first ? " [" : ", [");
        add_words(&line, &f->items[i]);
        str_add(&line, "](#");
        fitted_anchor(f, i, &line);
        str_add_char(&line, ')');
    }
    wrap_add(out, str_text(&line), COLUMNS_MAX, "", NULL);
    str_add_char(out, '\n');
    out->failed |= line.failed;
    str_release(&line);
}

static void add_block(struct str *out, const struct block *block)
{
    switch (block->kind) {
    case BLOCK_HEADING: add_heading(out, block); break;
    case BLOCK_PARAGRAPH: add_lines(out, block, "", ""); break;
    case BLOCK_BULLET: add_lines(out, block, "- ", "  "); break;
    case BLOCK_TABLE: add_table(out, block); break;
    case BLOCK_CODE: add_code_block(out, block->items[0].text); break;
    case BLOCK_PICTURE: add_picture(out, block->picture); break;
    }
}

/* Blocks are apart by an empty line; a list is one. */
static void add_all(struct str *out, const struct fitted *f)
{
    bool in_section = false, has_contents = false, first = true, was_bullet = false;
    for (size_t i = 0; i < f->count; i++) {
        const struct block *block = &f->items[i];
        const bool is_section = block_begins_section(block), is_bullet = block->kind == BLOCK_BULLET;
        if (!first && !(was_bullet && is_bullet))
            str_add_char(out, '\n');
        if (in_section && block->kind == BLOCK_HEADING && block->level <= 2) {
            str_add(out, "</details>\n\n");
            in_section = false;
        }
        has_contents &= !(block->kind == BLOCK_HEADING && block->level == 1);
        if (is_section && !has_contents)
            add_contents(out, f, i);
        if (is_section)
            begin_section(out, f, i);
        else
            add_block(out, block);
        in_section |= is_section;
        has_contents |= is_section;
        was_bullet = is_bullet;
        first = false;
    }
    str_add(out, in_section ? "\n</details>\n" : "");
}

static void release_spaces(struct str *out)
{
    for (size_t i = 0; i < out->length; i++)
        if (out->text[i] == KEPT_SPACE)
            out->text[i] = ' ';
}

static int render(const struct document *d, const struct document_view *view, struct str *out)
{
    struct fitted shown;
    document_fit(&shown, d, view);
    add_all(out, &shown);
    release_spaces(out);
    const bool failed = shown.failed || out->failed;
    fitted_release(&shown);
    return failed ? ERR_MEMORY : 0;
}

const struct document_format markdown_format = {"md", ".md", render};
