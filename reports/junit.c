/* The results of rules, or the verdicts of a comparison, as JUnit XML, in the form that CI servers read: a suite
 * for the input, a case for each row. The format has no word for "cannot be
 * judged", and a skipped case counts as good: so a row that is neither pass nor
 * fail is an error. tests/data/junit.xsd is the schema that we keep. */
#include <string.h>

#include "core/base/utf8.h"
#include "reports/rule_rows.h"
#include "reports/verdict_rows.h"

/* XML 1.0 has no way to write U+FFFE and U+FFFF; control characters are gone
 * already. Both are three bytes that begin with EF BF. */
static bool is_noncharacter(const char *at)
{
    return !memcmp(at, "\xef\xbf", 2) && ((unsigned char)at[2] == 0xbe || (unsigned char)at[2] == 0xbf);
}

static const char *entity(char c)
{
    switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    default: return NULL;
    }
}

static void add_escaped(struct str *out, const char *text)
{
    struct str visible;
    str_init(&visible);
    utf8_add_visible(&visible, text, strlen(text));
    for (const char *at = str_text(&visible); *at; at++) {
        if (is_noncharacter(at)) {
            str_add(out, "\xef\xbf\xbd");
            at += 2;
        } else if (entity(*at)) {
            str_add(out, entity(*at));
        } else {
            str_add_char(out, *at);
        }
    }
    out->failed |= visible.failed;
    str_release(&visible);
}

static void add_attribute(struct str *out, const char *name, const char *text)
{
    str_addf(out, " %s=\"", name);
    add_escaped(out, text);
    str_add_char(out, '"');
}

static void add_numbers(size_t tests, size_t fails, size_t errors, struct str *out)
{
    str_addf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"0\"", tests, fails, errors);
}

static void add_counts(const struct check_report *r, struct str *out)
{
    size_t fails = 0, errors = 0;
    for (size_t i = 0; i < r->results->count; i++) {
        const enum rule_status status = r->results->items[i].status;
        fails += status == RULE_FAIL;
        errors += status == RULE_VACUOUS || status == RULE_INCONCLUSIVE;
    }
    add_numbers(r->results->count, fails, errors, out);
}

static void add_examples(const struct check_report *r, const struct rule_result *row, struct arena *arena,
                         struct str *out)
{
    for (size_t i = 0; i < row->counterexample_count; i++) {
        const struct timeline_example *x = &row->counterexamples[i];
        add_escaped(out, example_line(arena, r, row, x, example_label(arena, r->strings, x),
                                      example_other_label(arena, r->strings, x)));
        str_add_char(out, '\n');
    }
}

static void add_case(const struct check_report *r, const struct rule_result *row, struct arena *arena, struct str *out)
{
    str_add(out, "    <testcase");
    add_attribute(out, "classname", *row->file ? row->file : "--assert");
    add_attribute(out, "name", arena_printf(arena, "%s (%s)", row->rule, row_place(arena, r, row)));
    if (*row->file) {
        add_attribute(out, "file", row->file);
        str_addf(out, " line=\"%zu\"", row->line);
    }
    if (row->status == RULE_PASS) {
        str_add(out, "/>\n");
        return;
    }
    const char *element = row->status == RULE_FAIL ? "failure" : "error";
    str_addf(out, ">\n      <%s", element);
    add_attribute(out, "type", row_status(arena, row));
    add_attribute(out, "message", row_sentence(arena, r, row));
    str_add_char(out, '>');
    add_examples(r, row, arena, out);
    str_addf(out, "</%s>\n    </testcase>\n", element);
}

static void add_caveats(const struct check_report *r, struct arena *arena, struct str *out)
{
    const size_t count = check_caveat_count(r);
    if (!count)
        return;
    str_add(out, "    <system-err>");
    for (size_t i = 0; i < count; i++) {
        add_escaped(out, check_caveat(arena, r, i).text);
        str_add_char(out, '\n');
    }
    str_add(out, "</system-err>\n");
}

int junit_check(const struct check_report *r, struct str *out, struct err *e)
{
    struct arena arena;
    arena_init(&arena);
    str_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"cpprof check\"");
    add_counts(r, out);
    str_add(out, ">\n  <testsuite");
    add_attribute(out, "name", r->source);
    add_counts(r, out);
    str_add(out, ">\n");
    for (size_t i = 0; i < r->results->count; i++)
        add_case(r, &r->results->items[i], &arena, out);
    add_caveats(r, &arena, out);
    str_add(out, "  </testsuite>\n</testsuites>\n");
    arena_release(&arena);
    return out->failed ? err_memory(e) : 0;
}

int junit_check_error(const struct check_failure *f, struct str *out, struct err *e)
{
    static const char counts[] = " tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\"";
    str_addf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"cpprof check\"%s>\n  <testsuite",
             counts);
    add_attribute(out, "name", f->source);
    str_addf(out, "%s>\n    <testcase classname=\"cpprof check\"", counts);
    add_attribute(out, "name", f->source);
    str_add(out, ">\n      <error type=\"error\"");
    add_attribute(out, "message", f->why);
    str_add(out, "></error>\n    </testcase>\n  </testsuite>\n</testsuites>\n");
    return out->failed ? err_memory(e) : 0;
}

/* ---- comparisons ---- */

static void add_verdict_counts(const struct verdict_rows *r, struct str *out)
{
    size_t fails = 0, errors = 0;
    for (size_t i = 0; i < r->rows.count; i++) {
        const enum exit_status status = r->rows.items[i].status;
        fails += status == EXIT_CHECK_FAILED;
        errors += status != EXIT_CHECK_FAILED && status != EXIT_PASS;
    }
    add_numbers(r->rows.count, fails, errors, out);
}

static void add_verdict(const struct verdict_row *row, struct str *out)
{
    const char *element = row->status == EXIT_CHECK_FAILED ? "failure" : "error";
    str_add(out, "    <testcase classname=\"cpprof compare\"");
    add_attribute(out, "name", row->name);
    if (row->status == EXIT_PASS) {
        str_add(out, "/>\n");
        return;
    }
    str_addf(out, ">\n      <%s", element);
    add_attribute(out, "type", row->verdict);
    add_attribute(out, "message", row->says);
    str_addf(out, "></%s>\n    </testcase>\n", element);
}

int junit_verdicts(const struct verdict_rows *r, struct str *out, struct err *e)
{
    str_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"cpprof compare\"");
    add_verdict_counts(r, out);
    str_add(out, ">\n  <testsuite");
    add_attribute(out, "name", r->source);
    add_verdict_counts(r, out);
    str_add(out, ">\n");
    for (size_t i = 0; i < r->rows.count; i++)
        add_verdict(&r->rows.items[i], out);
    str_add(out, "  </testsuite>\n</testsuites>\n");
    return out->failed ? err_memory(e) : 0;
}
