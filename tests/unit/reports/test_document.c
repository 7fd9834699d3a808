/* Are strangers' names inert in every format, and do documents look as meant? */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/document/document.h"
#include "tests/test.h"

static char *viewed(const struct document *d, const char *format, const struct document_view *view)
{
    struct str out;
    str_init(&out);
    assert_int_equal(document_format_by_name(format)->render(d, view, &out), 0);
    return str_take(&out);
}

static char *rendered(const struct document *d, const char *format)
{
    return viewed(d, format, &view_everything);
}

/* One name, as code and as words in a paragraph, then as a cell of a table. */
static void put_name(struct document *d, const char *name)
{
    static const struct document_column columns[] = {{"name", false}, {"n", true}};
    document_paragraph(d);
    document_span(d, SPAN_CODE, "%s", name);
    document_span(d, SPAN_PLAIN, "; ");
    document_span(d, SPAN_PLAIN, "%s", name);
    document_table(d, columns, 2);
    document_cell_code(d, name);
    document_cell(d, "%s", name);
}

struct hostile {
    const char *name;
    const char *code, *words; /* Markdown, in a paragraph */
    const char *cell;         /* Markdown, as code in a table */
    const char *html;         /* between the tags */
    const char *text;
};

static const struct hostile hostile[] = {
    {"a|b", "`a|b`", "a\\|b", "`a\\|b`", "a|b", "a|b"},
    {"a\\|b", "`a\\|b`", "a\\\\\\|b", "`a\\\\|b`", "a\\|b", "a\\|b"},
    {"a`b", "``a`b``", "a\\`b", "``a`b``", "a`b", "a`b"},
    {"``", "``` `` ```", "\\`\\`", "``` `` ```", "``", "``"},
    {"<script>alert(1)</script>", "`<script>alert(1)</script>`", "&lt;script&gt;alert(1)&lt;/script&gt;",
     "`<script>alert(1)</script>`", "&lt;script&gt;alert(1)&lt;/script&gt;", "<script>alert(1)</script>"},
    {"\" onload='x'", "`\" onload='x'`", "\" onload='x'", "`\" onload='x'`", "&quot; onload=&#39;x&#39;",
     "\" onload='x'"},
    {"a\nb", "`a\\x0ab`", "a\\\\x0ab", "`a\\x0ab`", "a\\x0ab", "a\\x0ab"},
    {"\x1b[31mred", "`\\x1b[31mred`", "\\\\x1b\\[31mred", "`\\x1b[31mred`", "\\x1b[31mred", "\\x1b[31mred"},
    {"\xff\xfe", "`\xef\xbf\xbd\xef\xbf\xbd`", "\xef\xbf\xbd\xef\xbf\xbd", "`\xef\xbf\xbd\xef\xbf\xbd`",
     "\xef\xbf\xbd\xef\xbf\xbd", "\xef\xbf\xbd\xef\xbf\xbd"},
    {"\xe2\x80\xae"
     "x",
     "`\\u{202e}x`", "\\\\u{202e}x", "`\\u{202e}x`", "\\u{202e}x", "\\u{202e}x"},
    {"k<float *, 3>", "`k<float *, 3>`", "k&lt;float \\*, 3&gt;", "`k<float *, 3>`", "k&lt;float *, 3&gt;",
     "k<float *, 3>"},
    {"ctas_per_sm", "`ctas_per_sm`", "ctas_per_sm", "`ctas_per_sm`", "ctas_per_sm", "ctas_per_sm"},
    {"sm__inst", "`sm__inst`", "sm__inst", "`sm__inst`", "sm__inst", "sm__inst"},
    {"_Z1kv_", "`_Z1kv_`", "\\_Z1kv\\_", "`_Z1kv_`", "_Z1kv_", "_Z1kv_"},
    {"[x](https://e.x)", "`[x](https://e.x)`", "\\[x\\](https&#58;//e.x)", "`[x](https://e.x)`", "[x](https://e.x)",
     "[x](https://e.x)"},
    {"@you & #1", "`@you & #1`", "@&#8203;you &amp; \\#1", "`@you & #1`", "@you &amp; #1", "@you & #1"},
    {"$x$ ~y~", "`$x$ ~y~`", "\\$x\\$ \\~y\\~", "`$x$ ~y~`", "$x$ ~y~", "$x$ ~y~"},
};

/* The rendering must hold the expected form and, but for HTML's own markup, not the name itself when it is changed. */
static void assert_holds(const char *rendering, const char *before, const char *expected, const char *after)
{
    struct str wanted;
    str_init(&wanted);
    str_addf(&wanted, "%s%s%s", before, expected, after);
    if (!strstr(rendering, str_text(&wanted)))
        fail_msg("'%s' is not in:\n%s", str_text(&wanted), rendering);
    str_release(&wanted);
}

TEST(names_are_inert_in_every_format)
{
    for (size_t i = 0; i < COUNT_OF(hostile); i++) {
        const struct hostile *h = &hostile[i];
        struct document d;
        document_init(&d);
        put_name(&d, h->name);
        char *md = rendered(&d, "md"), *html = rendered(&d, "html"), *text = rendered(&d, "text");
        assert_holds(md, "", h->code, "; ");
        assert_holds(md, "; ", h->words, "\n");
        assert_holds(md, "\n| ", h->cell, " | ");
        assert_holds(html, "<p><code>", h->html, "</code>");
        assert_holds(html, "<td><code>", h->html, "</code></td>");
        assert_holds(html, "<td class=\"r\">", h->html, "</td>");
        assert_holds(text, "", h->text, "; ");
        assert_holds(text, "\n", h->text, " ");
        free(md);
        free(html);
        free(text);
        document_release(&d);
    }
}

/* At the start of a line some signs begin a list, a rule, a heading or a quotation. */
TEST(lines_cannot_begin_markup)
{
    static const struct {
        const char *words, *md;
    } cases[] = {
        {"- a", "\\- a\n"},     {"+ a", "\\+ a\n"},     {"1. a", "1\\. a\n"},     {"12) a", "12\\) a\n"},
        {"# a", "\\# a\n"},     {"> a", "&gt; a\n"},    {"===", "\\===\n"},       {"    a", "a\n"},
        {"1 a", "1 a\n"},       {"* a", "\\* a\n"},     {"| a |", "\\| a \\|\n"}, {"~~~", "\\~\\~\\~\n"},
        {"```", "\\`\\`\\`\n"}, {"___", "\\_\\_\\_\n"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct document d;
        document_init(&d);
        document_paragraph(&d);
        document_span(&d, SPAN_PLAIN, "%s", cases[i].words);
        char *md = rendered(&d, "md");
        assert_string_equal(md, cases[i].md);
        free(md);
        document_release(&d);
    }
}

/* A line is broken in the middle of a name, whose second line must be no markup either: "***" is a rule, and three
 * backticks begin a block where no other follows them on their line. */
TEST(broken_lines_cannot_begin_markup)
{
    static const struct {
        int before;       /* columns of the words before the name */
        const char *name; /* and then so many more columns without a space */
        int more;
        const char *behind, *line; /* must not stand in it */
    } cases[] = {
        {155, "a *** ", 190, "", "\n***\n"},
        {155, "a ___ ", 190, "", "\n___\n"},
        {155, "a *_*_* ", 190, "", "\n*_*_*\n"},
        {0, "a b ", 180, " ``c", "```a b\n"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct document d;
        char words[201];
        memset(words, 'w', sizeof words - 1);
        words[sizeof words - 1] = '\0';
        document_init(&d);
        document_paragraph(&d);
        if (cases[i].before)
            document_span(&d, SPAN_PLAIN, "%.*s ", cases[i].before, words);
        document_span(&d, SPAN_CODE, "%s%.*s%s", cases[i].name, cases[i].more, words, cases[i].behind);
        char *md = rendered(&d, "md");
        if (strstr(md, cases[i].line) || strchr(md, '\x1f'))
            fail_msg("'%s' is in:\n%s", cases[i].line, md);
        free(md);
        document_release(&d);
    }
}

/* 64 KB of template: at most 200 columns stay, the last ones say how long it was. */
TEST(long_names_are_cut)
{
    enum { BYTES = 65536 };
    char *name = malloc(BYTES + 1);
    assert_non_null(name);
    memset(name, 'x', BYTES);
    name[BYTES] = '\0';
    struct document d;
    document_init(&d);
    document_paragraph(&d);
    document_span(&d, SPAN_CODE, "%s", name);
    static const char note[] = "\xe2\x80\xa6 (65536 bytes)"; /* 15 columns: 1 + 1 + 13 */
    char *text = rendered(&d, "text");
    assert_int_equal(strspn(text, "x"), 200 - 15);
    assert_string_equal(text + 200 - 15, "\xe2\x80\xa6 (65536 bytes)\n");
    char *md = rendered(&d, "md");
    assert_int_equal(strlen(md), 1 + 200 - 15 + strlen(note) + 1 + 1); /* backticks and newline */
    free(md);
    free(text);
    document_release(&d);
    free(name);
}

static struct document *sample(struct document *d)
{
    static const struct document_column columns[] = {{"shape", false}, {"time", true}, {"verdict", false}};
    document_init(d);
    document_heading(d, 1, "A is faster than B");
    document_bullet(d);
    document_span(d, SPAN_STRONG, "Speed:");
    document_span(d, SPAN_PLAIN, " 1.5x");
    document_bullet(d);
    document_span(d, SPAN_PLAIN, "none");
    document_heading(d, 2, "Times");
    document_table(d, columns, 3);
    document_cell(d, "small");
    document_cell_unit(d, UNIT_NS, 12345);
    document_cell(d, "faster");
    document_cell(d, "very large");
    document_cell_unit(d, UNIT_NS, -1.0 / 0.0);
    document_cell(d, "equivalent");
    document_heading(d, 2, "Reproduce");
    document_code(d, "cpprof run 'a b'\nsecond\x1b");
    return d;
}

TEST(documents_look_as_meant)
{
    static const char md[] = "# A is faster than B\n\n- **Speed:** 1.5x\n- none\n\n## Times\n\n"
                             "| shape | time | verdict |\n|---|---:|---|\n"
                             "| small | 12.3 us | faster |\n| very large | n/a | equivalent |\n\n"
                             "## Reproduce\n\n```\ncpprof run 'a b'\nsecond\\x1b\n```\n";
    static const char text[] = "A is faster than B\n\n- Speed: 1.5x\n- none\n\nTimes\n-----\n\n"
                               "shape          time  verdict\n----------  -------  ----------\n"
                               "small       12.3 us  faster\nvery large      n/a  equivalent\n\n"
                               "Reproduce\n---------\n\n    cpprof run 'a b'\n    second\\x1b\n";
    struct document d;
    char *got = rendered(sample(&d), "md");
    assert_string_equal(got, md);
    free(got);
    got = rendered(&d, "text");
    assert_string_equal(got, text);
    free(got);
    got = viewed(&d, "text", &(struct document_view){.last = TIER_ALL, .colours = true});
    assert_non_null(strstr(got, "\x1b[1mA is \x1b[1;32mfaster\x1b[0m\x1b[1m than B\x1b[0m\n"));
    assert_non_null(strstr(got, "- \x1b[1mSpeed:\x1b[0m 1.5x\n"));
    assert_null(strstr(got, "second\x1b"));
    free(got);
    got = rendered(&d, "html");
    assert_non_null(strstr(got, "<title>A is faster than B</title>"));
    assert_non_null(strstr(got, "<ul>\n<li><strong>Speed:</strong> 1.5x</li>\n<li>none</li>\n</ul>\n"));
    assert_non_null(strstr(got, "<tr><td>small</td><td class=\"r\">12.3 us</td><td>faster</td></tr>"));
    free(got);
    document_release(&d);
}

/* Names stand whole in their cells and sentences keep a width: a table too wide for the page scrolls by itself. */
TEST(wide_tables_scroll_and_keep_their_words)
{
    static const char sentence[] = "a sentence of more than forty letters keeps a width";
    static const struct document_column columns[] = {{"name", false}, {"what", false}};
    struct document d;
    document_init(&d);
    document_table(&d, columns, 2);
    document_cell_code(&d, "sdpa/baseline");
    document_cell(&d, "%s", sentence);
    document_cell_code(&d, sentence);
    document_cell(&d, "short words");
    char *html = rendered(&d, "html");
    assert_holds(html, "<tr><td><code>sdpa/baseline</code></td><td class=\"w\">", sentence, "</td></tr>");
    assert_holds(html, "<tr><td><code>", sentence, "</code></td><td>short words</td></tr>");
    assert_holds(html, "\n", "td, td code { white-space: nowrap; }", "\n");
    assert_holds(html, "\n", ".table { overflow-x: auto;", " ");
    assert_non_null(strstr(html, "<div class=\"table\"><table>"));
    free(html);
    document_release(&d);
}

/* The words are of the table, not of its numbers. */
TEST(cut_widens_no_numbers)
{
    static const struct document_column columns[] = {{"n", true}, {"name", false}};
    static const struct document_view cut = {.last = TIER_ALL, .rows_max = 1};
    struct document d;
    document_init(&d);
    document_tier(&d, TIER_SECTIONS);
    document_heading(&d, 2, "Numbers");
    document_table(&d, columns, 2);
    for (size_t i = 0; i < 3; i++) {
        document_cell(&d, "%zu", i);
        document_cell(&d, "name");
    }
    char *text = viewed(&d, "text", &cut);
    assert_holds(text, "\nn  name\n-  ----\n0  name\n", "and 2 more: --full", "\n");
    free(text);
    document_release(&d);
}

/* A link to what is folded opens it only where its target is inside; keys need a way past the links. */
TEST(links_open_sections)
{
    static const struct document_column columns[] = {{"a", false}, {"b", false}};
    static const struct document_view cut = {.last = TIER_ALL, .rows_max = 1};
    struct document d;
    document_init(&d);
    document_heading(&d, 1, "Page");
    document_tier(&d, TIER_SECTIONS);
    for (size_t i = 0; i < 2; i++) {
        document_heading(&d, 2, "One two");
        document_table(&d, columns, 2);
        for (size_t k = 0; k < 6; k++)
            document_cell(&d, "cell");
    }
    char *html = viewed(&d, "html", &cut);
    assert_holds(html, "<a class=\"skip\" href=\"#-1\">", "Skip the contents", "</a>\n<nav ");
    assert_holds(html, "<li><a href=\"#one-two\">One two</a></li>\n", "<li><a href=\"#one-two-2\">", "One two</a>");
    assert_holds(html, "</nav>\n<div id=\"-1\"></div>\n<details><summary><h2>One two</h2>\n</summary>\n",
                 "<div class=\"section\" id=\"one-two\">", "\n<div class=\"table\">");
    assert_holds(html, "</table></div>\n", "</div></details>", "\n<details>");
    assert_holds(html, "</table></div>\n", "</div></details>", "\n</main>\n</body>");
    assert_holds(html, "<td>cell</td></tr>\n", "<tr><td colspan=\"2\">and 2 more: --full</td></tr>", "\n</tbody>");
    free(html);
    document_release(&d);
}

static size_t count_of(const char *text, const char *words)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, words)); at += strlen(words))
        count++;
    return count;
}

/* A cut takes what is behind the rows that are kept; a line that says so is no shorter than the one row left. */
TEST(rows_that_are_kept_are_not_cut)
{
    static const struct document_column columns[] = {{"a", false}};
    static const struct document_view cut = {.last = TIER_ALL, .rows_max = 1};
    static const size_t shown[] = {1, 1, 2, 3, 4, 6, 6, 6};
    for (size_t kept = 0; kept < COUNT_OF(shown); kept++) {
        struct document d;
        document_init(&d);
        document_heading(&d, 1, "Page");
        document_tier(&d, TIER_SECTIONS);
        document_table(&d, columns, 1);
        document_table_keep(&d, kept);
        for (int k = 0; k < 6; k++)
            document_cell(&d, "cell 0");
        char *text = viewed(&d, "text", &cut);
        assert_int_equal(count_of(text, "cell 0"), shown[kept]);
        free(text);
        document_release(&d);
    }
}

/* Three sections with a table of 6 rows and a list of 6 items each. */
TEST(later_tables_give_rows_first)
{
    static const struct document_column columns[] = {{"a", false}};
    static const struct {
        struct document_view view;
        size_t rows[3], items[3];
    } cases[] = {{{.last = TIER_ALL, .rows_max = 1}, {1, 1, 1}, {1, 1, 1}},
                 {{.last = TIER_ALL, .rows_max = 1, .longer_tables = 2, .longer_rows = 3}, {3, 1, 1}, {3, 1, 1}},
                 {{.last = TIER_ALL, .rows_max = 1, .longer_tables = 3, .longer_rows = 3}, {3, 3, 1}, {3, 1, 1}},
                 {{.last = TIER_ALL, .rows_max = 3, .longer_tables = 2, .longer_rows = 0}, {6, 3, 3}, {6, 3, 3}},
                 {{.last = TIER_ALL, .rows_max = 3, .longer_tables = 9, .longer_rows = 5}, {6, 6, 6}, {6, 6, 6}}};
    struct document d;
    document_init(&d);
    document_heading(&d, 1, "Page");
    document_tier(&d, TIER_SECTIONS);
    for (int section = 0; section < 3; section++) {
        document_heading(&d, 2, "Section");
        document_table(&d, columns, 1);
        for (int k = 0; k < 6; k++)
            document_cell(&d, "cell %d", section);
        for (int k = 0; k < 6; k++) {
            document_bullet(&d);
            document_span(&d, SPAN_PLAIN, "item %d", section);
        }
    }
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char *got = viewed(&d, "md", &cases[i].view);
        for (int section = 0; section < 3; section++) {
            char cell[16], item[16];
            snprintf(cell, sizeof cell, "cell %d", section);
            snprintf(item, sizeof item, "item %d", section);
            assert_int_equal(count_of(got, cell), cases[i].rows[section]);
            assert_int_equal(count_of(got, item), cases[i].items[section]);
        }
        free(got);
    }
    document_release(&d);
}

/* A heading that says only what goes without saying, and an answer that was moved. */
TEST(blocks_without_words_are_not_shown)
{
    struct document d;
    document_init(&d);
    document_heading(&d, 3, "");
    document_span(&d, SPAN_PLAIN, "%s", "");
    document_paragraph(&d);
    document_bullet(&d);
    document_span(&d, SPAN_PLAIN, "here");
    for (size_t i = 0; document_formats[i]; i++) {
        char *got = rendered(&d, document_formats[i]->name);
        assert_null(strstr(got, "### "));
        assert_null(strstr(got, "<h3>"));
        assert_null(strstr(got, "<p>"));
        assert_int_not_equal(*got, '\n');
        assert_non_null(strstr(got, "here"));
        free(got);
    }
    document_release(&d);
}

TEST(formats_have_names)
{
    assert_null(document_format_by_name("pdf"));
    assert_null(document_format_by_name(""));
    for (size_t i = 0; document_formats[i]; i++) /* each is found by its name, and no two have an ending */
        assert_ptr_equal(document_format_by_name(document_formats[i]->name), document_formats[i]);
    for (size_t i = 0; document_formats[i]; i++)
        for (size_t k = 0; k < i; k++)
            assert_true(!document_formats[i]->ending || !document_formats[k]->ending ||
                        strcmp(document_formats[i]->ending, document_formats[k]->ending));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_inert_in_every_format),
        cmocka_unit_test(lines_cannot_begin_markup),
        cmocka_unit_test(broken_lines_cannot_begin_markup),
        cmocka_unit_test(long_names_are_cut),
        cmocka_unit_test(documents_look_as_meant),
        cmocka_unit_test(wide_tables_scroll_and_keep_their_words),
        cmocka_unit_test(cut_widens_no_numbers),
        cmocka_unit_test(links_open_sections),
        cmocka_unit_test(rows_that_are_kept_are_not_cut),
        cmocka_unit_test(later_tables_give_rows_first),
        cmocka_unit_test(blocks_without_words_are_not_shown),
        cmocka_unit_test(formats_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
