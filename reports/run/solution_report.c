/* Which solutions of a task pass, and how fast are they: the whole answer in one table, a row for each at each shape.
 */
#include <math.h>
#include <string.h>

#include "core/base/count_of.h"
#include "reports/pictures/interval_picture.h"
#include "reports/run/run_cases.h"
#include "reports/run/run_screen.h"
#include "reports/run/summary_choice.h"

/* With more than FEW_ROWS a screen has no room for the picture. */
enum { FEW_ROWS = 4, ROWS_ON_A_SCREEN = 7, REASONS_ON_A_SCREEN = 3, NAMES_ON_A_SCREEN = 3 };

/* Hot and cold caches of one solution at one shape; one of both, or both. One that was not timed is in `hot`. */
struct solution_row {
    const struct solution *hot, *cold;
};

struct solution_rows {
    struct solution_row *items;
    size_t count;
    size_t task_length; /* of "TASK/", where all names begin with it */
};

static const struct solution *solution_of(const struct solution_row *row)
{
    return row->hot ? row->hot : row->cold;
}

static size_t task_length(const struct analysis *a)
{
    const char *first = a->solutions.items[0].variant, *slash = strchr(first, '/');
    const size_t length = slash ? (size_t)(slash - first) + 1 : 0;
    for (size_t i = 1; i < a->solutions.count; i++)
        if (strncmp(a->solutions.items[i].variant, first, length) != 0)
            return 0;
    return length;
}

/* The rows of an arm stand behind each other. */
static struct solution_rows rows_of(const struct analysis *a, struct document *d)
{
    struct solution_rows rows = {.items = arena_alloc(&d->arena, (a->solutions.count + 1) * sizeof *rows.items)};
    if (!rows.items || !a->solutions.count) {
        d->failed |= !rows.items;
        return rows;
    }
    for (size_t i = 0; i < a->solutions.count; i++) {
        const struct solution *s = &a->solutions.items[i];
        if (!i || s->arm != s[-1].arm)
            rows.count++;
        struct solution_row *row = &rows.items[rows.count - 1];
        if (strcmp(s->cache, "cold") != 0)
            row->hot = s;
        else
            row->cold = s;
    }
    rows.task_length = task_length(a);
    return rows;
}

size_t run_solution_rows(const struct analysis *a)
{
    size_t count = 0;
    for (size_t i = 0; i < a->solutions.count; i++)
        count += !i || a->solutions.items[i].arm != a->solutions.items[i - 1].arm;
    return count;
}

bool run_solutions_are_few(const struct analysis *a)
{
    return run_solution_rows(a) <= FEW_ROWS;
}

/* ---- the table ---- */

static void cell_speedup(const struct solution *s, bool is_whole, struct document *d)
{
    if (!isfinite(s->speedup))
        document_cell(d, "%s", "");
    else if (is_whole && isfinite(s->ci_low) && isfinite(s->ci_high))
        document_cell(d, "%.3fx [%.3f, %.3f]", s->speedup, s->ci_low, s->ci_high);
    else
        document_cell(d, "%.3fx", s->speedup);
}

/* A time of what is wrong says nothing. */
static bool has_time(const struct solution *s)
{
    return s && s->status != VERDICT_FAIL && isfinite(s->time_ns);
}

static void cells_time(const struct solution *s, bool is_whole, struct document *d)
{
    if (!has_time(s)) {
        document_cell(d, "%s", "");
        document_cell(d, "%s", "");
        return;
    }
    document_cell_unit(d, UNIT_NS, s->time_ns);
    cell_speedup(s, is_whole, d);
}

static void cell_light(const struct solution *s, struct document *d)
{
    char share[UNITS_TEXT_BYTES];
    if (has_time(s) && isfinite(s->light))
        document_cell(d, "%s (%s)", unit_format(share, UNIT_RATIO, s->light), s->light_by);
    else
        document_cell(d, "%s", "");
}

static void cell_verified(const struct solution *s, struct document *d)
{
    if (s && isfinite(s->verified))
        document_cell_unit(d, UNIT_COUNT, s->verified);
    else
        document_cell(d, "%s", "");
}

static void add_row(const struct solution_rows *rows, size_t at, bool is_whole, struct document *d)
{
    const struct solution_row *row = &rows->items[at];
    const struct solution *s = solution_of(row);
    document_cell_code(d, s->variant + rows->task_length);
    document_cell(d, "%s", case_short(d, s->config));
    document_cell(d, "%s", verdict_status_name(s->status));
    document_cell(d, "%s", s->verdict_words);
    cells_time(row->hot, is_whole, d);
    cells_time(row->cold, is_whole, d);
    cell_light(row->hot, d);
    document_cell(d, "%s", is_whole && row->hot && row->cold ? row->cold->verdict_words : "");
    cell_light(is_whole || !row->hot ? row->cold : NULL, d);
    cell_verified(is_whole ? row->hot : NULL, d);
    cell_verified(is_whole ? row->cold : NULL, d);
}

static void begin_table(bool is_whole, struct document *d)
{
    const struct document_column columns[] = {{"solution", false},     {"shape", false},
                                              {"status", false},       {"verdict", false},
                                              {"time", true},          {is_whole ? "speedup [95%]" : "speedup", true},
                                              {"cold L2", true},       {is_whole ? "speedup [95%]" : "speedup", true},
                                              {"of light", true},      {"cold verdict", false},
                                              {"cold of light", true}, {"verified", true},
                                              {"cold verified", true}};
    document_table(d, columns, COUNT_OF(columns));
    document_table_spare(d, 5);
}

/* The first baseline, then those that pass, the fastest first, then those of which that is not known. */
static double weight_of(const struct solution_row *row, bool is_first_baseline)
{
    const struct solution *s = solution_of(row);
    const double speedup = isfinite(s->speedup) ? s->speedup : 1;
    if (is_first_baseline)
        return 1e300;
    return s->status == VERDICT_PASS ? speedup : s->status == VERDICT_FAIL ? NAN : speedup * 1e-100;
}

static void add_best(const struct solution_rows *rows, struct document *d)
{
    bool has_baseline = false;
    double *weights = arena_alloc(&d->arena, (rows->count + 1) * sizeof *weights);
    for (size_t i = 0; weights && i < rows->count; i++) {
        const bool is_baseline = !has_baseline && !strcmp(solution_of(&rows->items[i])->verdict, "baseline");
        weights[i] = weight_of(&rows->items[i], is_baseline);
        has_baseline |= is_baseline;
    }
    const struct summary_choice choice =
        summary_by_weight(&d->arena, weights, NULL, weights ? rows->count : 0, ROWS_ON_A_SCREEN);
    for (size_t i = 0; i < choice.shown; i++)
        add_row(rows, choice.by_importance[i], false, d);
    document_fact(d, "Shown");
    document_span(d, SPAN_PLAIN, "%zu of %zu rows, those that pass and the fastest first", choice.shown, rows->count);
}

/* ---- reasons ---- */

/* Without what differs from one solution to the next: the kernel that ran, and what makes the inputs of a failure
 * again.
 */
static const char *reason_of(const struct solution *s, struct document *d)
{
    static const char *const doubts[] = {"its launches wait for", "no counter shows", "declared operations were"};
    const char *begin = s->why;
    for (size_t i = 0; i < COUNT_OF(doubts); i++)
        begin = strstr(begin, doubts[i]) ? strstr(begin, doubts[i]) : begin;
    const char *salt = strstr(begin, "; salt ");
    return salt ? arena_printf(&d->arena, "%.*s", (int)(salt - begin), begin) : begin;
}

struct reasons {
    const struct solution_rows *rows;
    const char **of; /* of each row; "" where it passes, or was told */
};

static bool is_of_solution_before(const struct reasons *r, size_t first, size_t at)
{
    const char *variant = solution_of(&r->rows->items[at])->variant;
    for (size_t i = first; i < at; i++)
        if (!strcmp(solution_of(&r->rows->items[i])->variant, variant) && !strcmp(r->of[i], r->of[at]))
            return true;
    return false;
}

/* Those of the same reason from `first` on, once each. */
static void write_names(const struct reasons *r, size_t first, size_t most, struct document *d)
{
    size_t named = 0, left = 0;
    for (size_t i = first; i < r->rows->count; i++) {
        if (strcmp(r->of[i], r->of[first]) != 0 || is_of_solution_before(r, first, i))
            continue;
        if (named == most) {
            left++;
            continue;
        }
        document_span(d, SPAN_PLAIN, "%s", named++ ? ", " : "");
        document_span(d, SPAN_CODE, "%s", solution_of(&r->rows->items[i])->variant + r->rows->task_length);
    }
    if (left)
        document_span(d, SPAN_PLAIN, " and %zu more", left);
}

static bool is_told_before(const struct reasons *r, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (!strcmp(r->of[i], r->of[at]))
            return true;
    return false;
}

/* How much was allowed is evidence, and half of it says nothing. */
static const char *without_allowed(const char *reason, struct document *d)
{
    const char *allowed = strstr(reason, ": allowed: ");
    return allowed ? arena_printf(&d->arena, "%.*s", (int)(allowed - reason), reason) : reason;
}

/* How many values are wrong, and the beginning of the cause: on which inputs, and how it was found, the page says. */
static void write_in_short(const char *reason, struct document *d)
{
    static const char found[] = "inputs changed just before a launch, and its outputs are not theirs: ";
    const char *inputs = strstr(reason, " with inputs "), *cause = inputs ? strstr(inputs, ": ") : NULL;
    if (cause) {
        document_span(d, SPAN_PLAIN, "%.*s: ", (int)(inputs - reason), reason);
        reason = cause + 2;
    }
    const char *how = strstr(reason, found);
    if (how) {
        document_span(d, SPAN_PLAIN, "%.*s", (int)(how - reason), reason);
        reason = how + sizeof found - 1;
    }
    screen_beginning(d, reason, "; ");
}

/* All, or the first ones in short. */
static void add_reasons(const struct solution_rows *rows, bool is_whole, struct document *d)
{
    struct reasons r = {rows, arena_alloc(&d->arena, (rows->count + 1) * sizeof *r.of)};
    size_t told = 0, left = 0;
    for (size_t i = 0; r.of && i < rows->count; i++)
        r.of[i] = reason_of(solution_of(&rows->items[i]), d);
    for (size_t i = 0; r.of && i < rows->count; i++) {
        if (!*r.of[i] || is_told_before(&r, i))
            continue;
        if (!is_whole && told == REASONS_ON_A_SCREEN) {
            left++;
            continue;
        }
        told++;
        document_fact(d, "Not passed");
        write_names(&r, i, is_whole ? rows->count : NAMES_ON_A_SCREEN, d);
        document_span(d, SPAN_PLAIN, ": ");
        if (is_whole)
            document_span(d, SPAN_PLAIN, "%s", r.of[i]);
        else
            write_in_short(without_allowed(r.of[i], d), d);
    }
    if (left)
        document_span(d, SPAN_PLAIN, " (and %zu more reason%s: see Solutions)", left, left == 1 ? "" : "s");
}

/* ---- what was checked ---- */

/* Does any row of this solution not pass? */
static bool passes_everywhere(const struct solution_rows *rows, size_t at)
{
    for (size_t i = 0; i < rows->count; i++)
        if (!strcmp(solution_of(&rows->items[i])->variant, solution_of(&rows->items[at])->variant) &&
            solution_of(&rows->items[i])->status != VERDICT_PASS)
            return false;
    return true;
}

static bool is_first_row(const struct solution_rows *rows, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (!strcmp(solution_of(&rows->items[i])->variant, solution_of(&rows->items[at])->variant))
            return false;
    return true;
}

void run_solutions_checked(const struct analysis *a, struct document *d)
{
    const struct solution_rows rows = rows_of(a, d);
    size_t solutions = 0, pass = 0, selected = 0;
    long long checks = 0, failed = 0;
    for (size_t i = 0; i < rows.count; i++)
        if (is_first_row(&rows, i)) {
            solutions++;
            pass += passes_everywhere(&rows, i);
        }
    for (size_t i = 0; i < a->correctness.count; i++) {
        checks += a->correctness.items[i].checks;
        failed += a->correctness.items[i].failed;
    }
    for (size_t i = 0; i < a->selection.count; i++)
        selected += a->selection.items[i].status == VERDICT_PASS ||
                    a->selection.items[i].reason == SELECTION_UNCOUNTED ||
                    a->selection.items[i].reason == SELECTION_NO_OPERATIONS;
    document_fact(d, "Checked");
    document_span(d, SPAN_PLAIN, "%zu of %zu solutions pass%s", pass, solutions,
                  rows.count > solutions ? " at all shapes" : "");
    if (checks)
        document_span(d, SPAN_PLAIN, "; %lld of %lld results are right", checks - failed, checks);
    if (selected < a->selection.count)
        document_span(d, SPAN_PLAIN, ", %zu of %zu ran the kernel that was meant", selected, a->selection.count);
}

/* ---- how many timed outputs were verified ---- */

static const struct solution *fewest_verified(const struct analysis *a)
{
    const struct solution *fewest = NULL;
    for (size_t i = 0; i < a->solutions.count; i++) {
        const struct solution *s = &a->solutions.items[i];
        if (s->status == VERDICT_PASS && isfinite(s->verified) && (!fewest || s->verified < fewest->verified))
            fewest = s;
    }
    return fewest;
}

static bool is_judged_before(const struct analysis *a, size_t at)
{
    const struct solution *all = a->solutions.items;
    for (size_t i = 0; i < at; i++)
        if (!strcmp(all[i].judged, all[at].judged) && all[i].status == VERDICT_PASS)
            return true;
    return false;
}

/* "inside, without a gate": each once, with those that pass all the same. */
static void add_judged(const struct analysis *a, size_t task_length, struct document *d)
{
    for (size_t i = 0; i < a->solutions.count; i++) {
        const struct solution *s = &a->solutions.items[i];
        size_t named = 0;
        if (!*s->judged || s->status != VERDICT_PASS || is_judged_before(a, i))
            continue;
        document_fact(d, "Judged");
        document_span(d, SPAN_PLAIN, "%s: ", s->judged);
        for (size_t k = i; k < a->solutions.count && named < NAMES_ON_A_SCREEN; k++) {
            const struct solution *other = &a->solutions.items[k];
            if (strcmp(other->judged, s->judged) != 0 || other->status != VERDICT_PASS ||
                (k > i && !strcmp(other->variant, other[-1].variant)))
                continue;
            document_span(d, SPAN_PLAIN, "%s", named++ ? ", " : "");
            document_span(d, SPAN_CODE, "%s", other->variant + task_length);
        }
        if (strstr(s->judged, "without a gate"))
            document_span(d, SPAN_PLAIN, "; a launch may have begun before the clock, so no gain counts");
    }
}

/* "`packed` 81.0 us": each with the largest shape's longest. */
static void add_set_up(const struct solution_rows *rows, struct document *d)
{
    char time[UNITS_TEXT_BYTES];
    size_t named = 0;
    for (size_t i = 0; i < rows->count; i++) {
        const struct solution *s = solution_of(&rows->items[i]);
        if (!isfinite(s->set_up_ns) || named == NAMES_ON_A_SCREEN)
            continue;
        if (!named)
            document_fact(d, "Set-up");
        document_span(d, SPAN_PLAIN, "%s", named++ ? ", " : "");
        document_span(d, SPAN_CODE, "%s", s->variant + rows->task_length);
        document_span(d, SPAN_PLAIN, "%s%s %s", *case_short(d, s->config) ? " " : "", case_short(d, s->config),
                      unit_format(time, UNIT_NS, s->set_up_ns));
    }
    if (named)
        document_span(d, SPAN_PLAIN, ": packs constant inputs ahead, which is no part of a time");
}

/* At which shapes the first time is none of launches that find their data in the cache. */
static void add_rotated(const struct solution_rows *rows, struct document *d)
{
    const char *last = NULL;
    for (size_t i = 0; i < rows->count; i++) {
        const struct solution *s = rows->items[i].hot;
        if (!s || strcmp(s->cache, "rotated") != 0 || (last && !strcmp(last, s->config)))
            continue;
        if (!last)
            document_fact(d, "Not hot");
        document_span(d, SPAN_PLAIN, "%s%s", last ? ", " : "", case_short(d, s->config));
        last = s->config;
    }
    if (last)
        document_span(d, SPAN_PLAIN, "%sthe arrays of a series take twice the L2 cache (rotated)",
                      *case_short(d, last) ? ": " : "");
}

static void add_verified(const struct analysis *a, const struct solution_rows *rows, struct document *d)
{
    const struct solution *fewest = fewest_verified(a);
    char share[UNITS_TEXT_BYTES], count[UNITS_TEXT_BYTES];
    if (fewest) {
        document_fact(d, "Verified");
        document_span(d, SPAN_PLAIN, "%s timed outputs of each row%s: up to %s of its launches may be wrong unseen",
                      unit_format(count, UNIT_COUNT, fewest->verified), rows->count > 1 ? " or more" : "",
                      unit_format(share, UNIT_RATIO, fewest->unseen));
    }
    add_judged(a, rows->task_length, d);
    add_rotated(rows, d);
    add_set_up(rows, d);
}

/* ---- what copies take ---- */

enum { COPIES_LEAST_PERCENT = 10 };

/* "`torch`: 65.6% kernels, 34.4% copies, 3 a launch": time that no faster kernel saves. */
static void add_copies(const struct solution_rows *rows, struct document *d)
{
    for (size_t i = 0; i < rows->count; i++) {
        const struct solution *s = solution_of(&rows->items[i]);
        char kernels[UNITS_TEXT_BYTES], copies[UNITS_TEXT_BYTES];
        if (!has_time(s) || !(s->copied * 100 >= COPIES_LEAST_PERCENT) || !is_first_row(rows, i))
            continue;
        document_fact(d, "Of its time");
        document_span(d, SPAN_CODE, "%s", s->variant + rows->task_length);
        document_span(d, SPAN_PLAIN, ": kernels %s, copies %s (%.3g a launch), as of outputs that a function returns",
                      unit_format(kernels, UNIT_RATIO, 1 - s->copied), unit_format(copies, UNIT_RATIO, s->copied),
                      s->copies);
    }
}

/* ---- parts of the page ---- */

bool run_solutions_screen(const struct analysis *a, struct document *d)
{
    const struct solution_rows rows = rows_of(a, d);
    if (!rows.count)
        return false;
    begin_table(false, d);
    if (rows.count > ROWS_ON_A_SCREEN)
        add_best(&rows, d);
    for (size_t i = 0; i < rows.count && rows.count <= ROWS_ON_A_SCREEN; i++)
        add_row(&rows, i, false, d);
    add_copies(&rows, d);
    add_verified(a, &rows, d);
    add_reasons(&rows, false, d);
    return true;
}

void run_solutions_add(const struct analysis *a, struct document *d)
{
    const struct solution_rows rows = rows_of(a, d);
    if (!rows.count)
        return;
    document_heading(d, 2, "Solutions");
    const enum tier before = rows.count > ROWS_ON_A_SCREEN ? d->tier : document_evidence(d);
    begin_table(true, d);
    for (size_t i = 0; i < rows.count; i++)
        add_row(&rows, i, true, d);
    document_tier(d, before);
    if (!run_solutions_are_few(a))
        interval_picture_add(a, d);
    add_verified(a, &rows, d);
    add_reasons(&rows, true, d);
    document_paragraph(d);
    document_span(
        d, SPAN_PLAIN,
        "A solution passes when it launched what was meant, every output was right, nothing else was written, "
        "a counter shows its work, "
        "and its witnesses agree. \"Of light\" is the share of its time that the least work of the task needs "
        "at the highest rate that is known here: of the L2 cache, with cold caches of device memory, or of "
        "its operations.");
}
