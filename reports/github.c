/* The results of rules, or the verdicts of a comparison, as workflow commands of GitHub Actions: one line for
 * each row that does not pass, of a rule shown at its line in its file, and a
 * summary. The runner reads a command where a line begins, ends it at the line's
 * end, and takes %XX back: so '%', CR and LF are written as %25, %0D and %0A,
 * and ':' and ',' in properties as %3A and %2C. */
#include <string.h>

#include "core/base/utf8.h"
#include "reports/rule_rows.h"
#include "reports/verdict_rows.h"

/* Most bytes of a message: a runner shows a few lines of it. */
enum { NAME_BYTES_MAX = 200 };

static void add_escaped(struct str *out, const char *text, bool is_property)
{
    struct str visible;
    str_init(&visible);
    utf8_add_visible(&visible, text, strlen(text));
    for (const char *at = str_text(&visible); *at; at++) {
        if (*at == '%' || (is_property && (*at == ':' || *at == ',')))
            str_addf(out, "%%%02X", (unsigned)*at);
        else
            str_add_char(out, *at);
    }
    out->failed |= visible.failed;
    str_release(&visible);
}

static void add_property(struct str *out, const char *name, const char *text)
{
    str_addf(out, "%s=", name);
    add_escaped(out, text, true);
}

/* The name, or its first bytes up to a whole character. */
static const char *shortened(struct arena *arena, const char *name)
{
    size_t length = strlen(name);
    if (length <= NAME_BYTES_MAX)
        return name;
    for (length = NAME_BYTES_MAX; length && ((unsigned char)name[length] & 0xc0) == 0x80;)
        length--;
    return arena_printf(arena, "%.*s... (%zu bytes)", (int)length, name, strlen(name));
}

/* file=...,line=..., of a place in a file of rules. */
static void add_place(struct str *out, const char *file, size_t line)
{
    add_property(out, "file", file);
    if (line)
        str_addf(out, ",line=%zu", line);
    str_add_char(out, ',');
}

static void add_row(const struct check_report *r, const struct rule_result *row, struct arena *arena, struct str *out)
{
    str_add(out, "::error ");
    if (*row->file)
        add_place(out, row->file, row->line);
    add_property(out, "title", arena_printf(arena, "cpprof: %s", row_status(arena, row)));
    str_add(out, "::");
    add_escaped(out, arena_printf(arena, "%s: %s", row->rule, row_sentence(arena, r, row)), false);
    for (size_t i = 0; i < row->counterexample_count; i++) {
        const struct timeline_example *x = &row->counterexamples[i];
        str_add(out, "%0A");
        add_escaped(out,
                    example_line(arena, r, row, x, shortened(arena, example_label(arena, r->strings, x)),
                                 shortened(arena, example_other_label(arena, r->strings, x))),
                    false);
    }
    str_add_char(out, '\n');
}

int github_check(const struct check_report *r, struct str *out, struct err *e)
{
    struct arena arena;
    arena_init(&arena);
    size_t counts[RULE_STATUSES];
    rule_results_count(r->results, counts);
    for (size_t i = 0; i < r->results->count; i++)
        if (r->results->items[i].status != RULE_PASS)
            add_row(r, &r->results->items[i], &arena, out);
    for (size_t i = 0; i < check_caveat_count(r); i++) {
        const struct check_caveat caveat = check_caveat(&arena, r, i);
        str_add(out, caveat.kind == CAVEAT_NOTE ? "::notice title=cpprof::" : "::warning title=cpprof::");
        add_escaped(out, caveat.text, false);
        str_add_char(out, '\n');
    }
    str_addf(out, "::notice title=cpprof check::rules: %zu pass, %zu fail, %zu vacuous, %zu inconclusive on ",
             counts[RULE_PASS], counts[RULE_FAIL], counts[RULE_VACUOUS], counts[RULE_INCONCLUSIVE]);
    add_escaped(out, r->source, false);
    str_add_char(out, '\n');
    arena_release(&arena);
    return out->failed ? err_memory(e) : 0;
}

int github_check_error(const struct check_failure *f, struct str *out, struct err *e)
{
    str_add(out, "::error ");
    if (f->file)
        add_place(out, f->file, f->line);
    str_add(out, "title=cpprof%3A error::");
    add_escaped(out, f->why, false);
    str_add(out, "\n::notice title=cpprof check::rules: none judged on ");
    add_escaped(out, f->source, false);
    str_add_char(out, '\n');
    return out->failed ? err_memory(e) : 0;
}

/* ---- comparisons ---- */

static void add_verdict(const struct verdict_row *row, struct arena *arena, struct str *out)
{
    str_add(out, row->status == EXIT_INCONCLUSIVE ? "::warning " : "::error ");
    add_property(out, "title", arena_printf(arena, "cpprof: %s", row->verdict));
    str_add(out, "::");
    add_escaped(out, shortened(arena, row->name), false);
    add_escaped(out, arena_printf(arena, ": %s", row->says), false);
    str_add_char(out, '\n');
}

int github_verdicts(const struct verdict_rows *r, struct str *out, struct err *e)
{
    struct arena arena;
    size_t pass = 0, open = 0;
    arena_init(&arena);
    for (size_t i = 0; i < r->rows.count; i++) {
        const struct verdict_row *row = &r->rows.items[i];
        pass += row->status == EXIT_PASS;
        open += row->status == EXIT_INCONCLUSIVE;
        if (row->status != EXIT_PASS)
            add_verdict(row, &arena, out);
    }
    str_addf(out, "::notice title=cpprof compare::comparisons: %zu pass, %zu fail, %zu inconclusive of ", pass,
             r->rows.count - pass - open, open);
    add_escaped(out, r->source, false);
    str_add_char(out, '\n');
    arena_release(&arena);
    return out->failed ? err_memory(e) : 0;
}
