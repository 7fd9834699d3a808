/* What must be seen without scrolling? The verdict, a table, a picture, and why. */
#include <math.h>
#include <string.h>

#include "core/base/count_of.h"
#include "core/run/instrumented_arm.h"
#include "reports/document/block.h"
#include "reports/pictures/inside_picture.h"
#include "reports/pictures/interval_picture.h"
#include "reports/pictures/lost_time_picture.h"
#include "reports/pictures/sweep_picture.h"
#include "reports/run/run_cases.h"
#include "reports/run/run_headline.h"
#include "reports/run/run_screen.h"
#include "reports/run/summary_choice.h"

/* Rows of the table, fewer above the picture of a sweep, and warnings: with them all a terminal of 24 lines is full. */
enum { ROWS_MAX = 5, ROWS_OF_SWEEP = 3, WARNINGS_MAX = 2 };

static size_t rows_max(const struct analysis *a)
{
    return sweep_picture_is_there(a) ? ROWS_OF_SWEEP : ROWS_MAX;
}

/* ---- where ---- */

/* "in 5 processes", "in 3 to 7 processes" where arms differ. */
/* An interval stands beside the verdict, and is no reason to call it open. */
static void write_too_few(const struct analysis *a, struct document *d)
{
    size_t count = 0;
    for (size_t i = 0; i < a->comparisons.count; i++)
        count += a->comparisons.items[i].reason == COMPARISON_TOO_FEW_PROCESSES;
    if (count)
        document_span(d, SPAN_PLAIN, ": too few for a verdict in %zu of %zu comparisons, which needs three of each",
                      count, a->comparisons.count);
}

static void write_processes(const struct analysis *a, struct document *d)
{
    int64_t least = INT64_MAX, most = 0;
    for (size_t i = 0; i < a->timings.count; i++) {
        const int64_t processes = a->timings.items[i].processes;
        if (processes <= 0)
            continue;
        least = processes < least ? processes : least;
        most = processes > most ? processes : most;
    }
    if (!most)
        return;
    document_span(d, SPAN_PLAIN, ", in ");
    if (least < most)
        document_span(d, SPAN_PLAIN, "%lld to ", (long long)least);
    document_span(d, SPAN_PLAIN, "%lld process%s", (long long)most, most == 1 ? "" : "es");
}

/* "H200": Provenance has the whole name. */
static const char *name_without_vendor(const char *name)
{
    static const char vendor[] = "NVIDIA ";
    const size_t length = sizeof vendor - 1;
    return !strncmp(name, vendor, length) && name[length] ? name + length : name;
}

/* ---- by what ---- */

/* Kernels have one time; a sample of a program has several. */
static const char *time_title(const struct analysis *a)
{
    return bundle_programs(a->bundle) ? "GPU busy" : "time";
}

static void add_measure(const struct analysis *a, struct document *d)
{
    if (!bundle_programs(a->bundle) || !a->timings.count)
        return;
    document_fact(d, "Measure");
    run_measures_write(a, d);
}

static void add_where(const struct analysis *a, struct document *d)
{
    const json_t *gpu = json_object_get(a->bundle->manifest, "gpu");
    const char *name = json_get_text(gpu, "name", ""), *common = cases_common(d);
    if (!*name && !*common)
        return;
    document_fact(d, "Measured");
    const size_t others = json_array_size(json_object_get(a->bundle->manifest, "other_gpus"));
    document_span(d, SPAN_PLAIN, "%s%s", *name ? "on " : "", name_without_vendor(name));
    if (*name && others)
        document_span(d, SPAN_PLAIN, " and %zu more GPU%s", others, others == 1 ? "" : "s");
    if (*common) {
        document_span(d, SPAN_PLAIN, *name ? ", at " : "at ");
        document_span(d, SPAN_CODE, "%s", common);
    }
    write_processes(a, d);
    write_too_few(a, d);
}

/* ---- the table ---- */

/* "latency, fma 21.5%": the class, and the busiest unit of either side; "10 kernels" of a program of several. */
static void cell_bound(const struct analysis *a, struct document *d, const struct arm *arm)
{
    const struct bound *b = analysis_only_bound(a, arm);
    const size_t kernels = analysis_rows(a, ARM_BOUNDS, arm).count;
    if (kernels > 1) {
        document_cell(d, "%zu kernels", kernels);
        return;
    }
    if (!b || b->class_ == BOUND_INCONCLUSIVE) {
        document_cell(d, "%s", b ? "inconclusive" : "");
        return;
    }
    char share[UNITS_TEXT_BYTES];
    const bool memory = b->memory_share > b->compute_share;
    const double side = memory ? b->memory_share : b->compute_share;
    const char *class_ = bound_class_name(b->class_);
    document_cell(d, "%.*s, %s %s", (int)strcspn(class_, "-"), class_,
                  *b->unit ? b->unit
                  : memory ? "memory"
                           : "compute",
                  unit_format(share, UNIT_RATIO, *b->unit ? b->unit_share : side));
}

/* As many as tell the ends of an interval apart; at least three digits. */
static int decimals_of(double value, double width)
{
    enum { DECIMALS_MAX = 5 };
    int decimals = value >= 100 ? 0 : value >= 10 ? 1 : 2;
    while (decimals < DECIMALS_MAX && width > 0 && width * pow(10, decimals) < 2)
        decimals++;
    return decimals;
}

/* "1.544x [1.543, 1.546]" */
static void cell_speedup(struct document *d, const struct comparison *c)
{
    char speedup[UNITS_TEXT_BYTES];
    const double low = 1 / c->ci_high, high = 1 / c->ci_low;
    if (c->verdict >= COMPARE_UNUSABLE || !isfinite(c->speedup)) {
        document_cell(d, "n/a");
    } else if (isfinite(low) && isfinite(high)) {
        const int decimals = decimals_of(c->speedup, high - low);
        document_cell(d, "%.*fx [%.*f, %.*f]", decimals, c->speedup, decimals, low, decimals, high);
    } else
        document_cell(d, "%s", unit_format_factor(speedup, c->speedup));
}

/* One baseline at one case is a row of its own; else its time is a column. */
static const struct comparison *only_baseline(const struct analysis *a)
{
    const struct comparison *first = &a->comparisons.items[0];
    for (size_t i = 1; i < a->comparisons.count; i++)
        if (a->comparisons.items[i].base.arm != first->base.arm ||
            strcmp(a->comparisons.items[i].cache, first->cache) != 0)
            return NULL;
    return first->base.arm ? first : NULL;
}

static bool same_baseline(const struct analysis *a)
{
    for (size_t i = 1; i < a->comparisons.count; i++)
        if (strcmp(a->comparisons.items[0].baseline, a->comparisons.items[i].baseline) != 0)
            return false;
    return true;
}

static bool is_only_faster(const struct analysis *a, const struct summary_choice *choice, size_t at)
{
    for (size_t i = 0; i < choice->shown; i++)
        if ((a->comparisons.items[choice->by_importance[i]].verdict == COMPARE_FASTER) != (i == at))
            return false;
    return true;
}

/* Nobody looks for the slowest row in a table of the fastest. */
static void take_lowest(const struct analysis *a, struct summary_choice *choice)
{
    size_t lowest = a->comparisons.count;
    for (size_t i = 0; i < a->comparisons.count; i++)
        if (isfinite(a->comparisons.items[i].speedup) &&
            (lowest == a->comparisons.count || a->comparisons.items[i].speedup < a->comparisons.items[lowest].speedup))
            lowest = i;
    if (lowest == a->comparisons.count || !choice->shown || choice->chosen[lowest])
        return;
    size_t last = choice->shown - 1;
    last -= last && is_only_faster(a, choice, last);
    choice->chosen[choice->by_importance[last]] = false;
    choice->chosen[lowest] = true;
}

static struct summary_choice choose_comparisons(const struct analysis *a, struct document *d)
{
    struct summary_choice choice = summary_of_comparisons(&d->arena, a, rows_max(a));
    if (choice.chosen)
        take_lowest(a, &choice);
    return choice;
}

static void add_baseline_row(const struct analysis *a, const struct comparison *c, struct document *d)
{
    document_cell_code(d, c->baseline);
    document_cell(d, "%s", words_case(d, c->config, c->cache));
    document_cell(d, "baseline");
    document_cell(d, " ");
    document_cell_unit(d, UNIT_NS, c->baseline_ns);
    document_cell(d, "%s", "");
    document_cell(d, "%s", "");
    cell_bound(a, d, c->base.arm);
}

static void add_comparisons(const struct analysis *a, struct document *d)
{
    const struct document_column columns[] = {{"variant", false},      {"at", false},         {"verdict", false},
                                              {"speedup [95%]", true}, {time_title(a), true}, {"baseline", true},
                                              {"of", false},           {"bound by", false}};
    const struct summary_choice choice = choose_comparisons(a, d);
    const struct comparison *baseline = only_baseline(a);
    const bool one_baseline = same_baseline(a);
    if (!choice.chosen)
        return;
    document_table(d, columns, COUNT_OF(columns));
    document_table_spare(d, 3); /* Speed and Bounds have them */
    if (baseline)
        add_baseline_row(a, baseline, d);
    for (size_t i = 0; i < a->comparisons.count; i++) {
        const struct comparison *c = &a->comparisons.items[i];
        if (!choice.chosen[i])
            continue;
        document_cell_code(d, c->candidate);
        document_cell(d, "%s", words_case(d, c->config, c->cache));
        document_cell(d, "%s", comparison_verdict_words(c));
        cell_speedup(d, c);
        document_cell_unit(d, UNIT_NS, c->candidate_ns);
        if (baseline)
            document_cell(d, "%s", "");
        else
            document_cell_unit(d, UNIT_NS, c->baseline_ns);
        document_cell_code(d, one_baseline ? "" : c->baseline);
        cell_bound(a, d, c->cand.arm);
    }
}

/* Nothing to compare with: what each arm takes. */
static void add_times(const struct analysis *a, struct document *d)
{
    const struct document_column columns[] = {
        {"variant", false}, {"at", false}, {time_title(a), true}, {"bound by", false}};
    if (!a->timings.count)
        return;
    document_table(d, columns, COUNT_OF(columns));
    for (size_t i = 0; i < a->timings.count && i < ROWS_MAX; i++) {
        const struct timing_summary *t = &a->timings.items[i];
        document_cell_code(d, t->variant);
        document_cell(d, "%s", words_case(d, t->config, t->cache));
        document_cell_unit(d, UNIT_NS, t->p50_ns);
        cell_bound(a, d, analysis_arm(a, t->variant, t->config));
    }
}

/* ---- checked ---- */

static size_t selection_count(const struct analysis *a, enum verdict_status status)
{
    size_t count = 0;
    for (size_t i = 0; i < a->selection.count; i++)
        count += a->selection.items[i].status == status;
    return count;
}

static const struct selection_check *first_not_passed(const struct analysis *a)
{
    for (size_t i = 0; i < a->selection.count; i++)
        if (a->selection.items[i].status != VERDICT_PASS)
            return &a->selection.items[i];
    return NULL;
}

static void write_bitwise(const struct analysis *a, struct document *d)
{
    size_t equal = 0, differ = 0;
    for (size_t i = 0; i < a->correctness.count; i++) {
        equal += a->correctness.items[i].bitwise_equal == 1;
        differ += a->correctness.items[i].bitwise_equal == 0;
    }
    if (equal && !differ)
        document_span(d, SPAN_PLAIN, ", bitwise equal to the baseline");
    else if (differ)
        document_span(d, SPAN_PLAIN, ", not bitwise equal to the baseline in %zu of %zu", differ, equal + differ);
}

/* All that was checked passed: one line. */
static bool add_passed(const struct analysis *a, struct document *d)
{
    long long checks = 0;
    for (size_t i = 0; i < a->correctness.count; i++) {
        if (a->correctness.items[i].status != VERDICT_PASS)
            return false;
        checks += a->correctness.items[i].checks;
    }
    if (!a->selection.count || first_not_passed(a) || !checks)
        return false;
    document_fact(d, "Checked");
    document_span(d, SPAN_PLAIN, "pass, %zu of %zu ran the %s; %lld of %lld results are right", a->selection.count,
                  a->selection.count,
                  bundle_programs(a->bundle) ? "work that was to be measured" : "kernel that was meant", checks,
                  checks);
    write_bitwise(a, d);
    return true;
}

static void add_selection(const struct analysis *a, struct document *d)
{
    const size_t passed = selection_count(a, VERDICT_PASS), failed = selection_count(a, VERDICT_FAIL),
                 by_name = run_selected_by_name(a);
    const struct selection_check *open = first_not_passed(a);
    if (!a->selection.count)
        return;
    document_fact(d, "Selection");
    document_span(d, SPAN_PLAIN, "%s, %zu of %zu ran the %s%s",
                  verdict_status_name(failed ? VERDICT_FAIL
                                      : open ? VERDICT_INCONCLUSIVE
                                             : VERDICT_PASS),
                  passed + by_name, a->selection.count,
                  bundle_programs(a->bundle) ? "work that was to be measured" : "kernel that was meant",
                  run_selection_lacks_processes(a) ? " in every process, and the rest in some" : "");
    if (by_name)
        document_span(d, SPAN_PLAIN, " by its name, of which the counters confirm %zu", passed);
    if (open && *open->detail) {
        document_span(d, SPAN_PLAIN, "; ");
        document_span(d, SPAN_CODE, "%s", open->variant);
        document_span(d, SPAN_PLAIN, ": ");
        screen_beginning(d, open->detail, "; ");
    }
}

/* The worst arm's hint is the one to read first. */
static void write_correctness_failure(const struct analysis *a, struct document *d)
{
    const struct correctness *worst = NULL;
    for (size_t i = 0; i < a->correctness.count; i++) {
        const struct correctness *c = &a->correctness.items[i];
        if (c->status == VERDICT_FAIL && (!worst || c->bad_ratio > worst->bad_ratio))
            worst = c;
    }
    if (!worst)
        return;
    document_span(d, SPAN_PLAIN, "; worst: ");
    words_arm(d, worst->variant, worst->config);
    document_span(d, SPAN_PLAIN, " with ");
    words_unit(d, UNIT_RATIO, worst->bad_ratio);
    document_span(d, SPAN_PLAIN, " of the values%s%s", *worst->hint ? ": " : "", worst->hint);
}

/* Programs whose results nobody compared: why, and what to do. */
static bool add_uncompared(const struct analysis *a, struct document *d)
{
    if (!analysis_all_uncompared(a))
        return false;
    document_fact(d, "Results");
    run_uncompared_write(a, d);
    return true;
}

static void add_correctness(const struct analysis *a, struct document *d)
{
    if (!a->correctness.count || add_uncompared(a, d))
        return;
    enum verdict_status status = VERDICT_PASS;
    long long checks = 0, failed = 0;
    double largest = 0;
    for (size_t i = 0; i < a->correctness.count; i++) {
        const struct correctness *c = &a->correctness.items[i];
        checks += c->checks;
        failed += c->failed;
        if (c->checks && (c->max_abs_err > largest || isnan(c->max_abs_err)))
            largest = c->max_abs_err; /* a NaN stays: nothing is larger */
        if (c->status == VERDICT_FAIL || (c->status == VERDICT_INCONCLUSIVE && status == VERDICT_PASS))
            status = c->status;
    }
    document_fact(d, "Correctness");
    document_span(d, SPAN_PLAIN, "%s", verdict_status_name(status));
    if (checks)
        document_span(d, SPAN_PLAIN, ", %lld of %lld checks passed, largest error %.3g", checks - failed, checks,
                      largest);
    else
        document_span(d, SPAN_PLAIN, ", no output was checked");
    write_bitwise(a, d);
    write_correctness_failure(a, d);
}

/* ---- what else must be known ---- */

/* The first line, or that on selection or correctness, has said it. */
static bool is_said_elsewhere(const struct analysis *a, const struct finding *f)
{
    const struct selection_check *selection = analysis_selection(a, f->arm);
    const struct correctness *correctness = analysis_correctness(a, f->arm);
    return f->severity == SEVERITY_FAILURE &&
           ((selection && selection->status == VERDICT_FAIL) || (correctness && correctness->status == VERDICT_FAIL) ||
            !strcmp(f->id, "contradicted"));
}

/* Why a solution does not pass stands below the table. */
static bool is_of_failed_solution(const struct analysis *a, const struct finding *f)
{
    for (size_t i = 0; i < a->solutions.count; i++)
        if (a->solutions.items[i].arm == f->arm)
            return a->solutions.items[i].status == VERDICT_FAIL;
    return false;
}

static bool is_warning(const struct analysis *a, const struct finding *f)
{
    return f->severity >= SEVERITY_WARNING && !is_said_elsewhere(a, f) && !is_of_failed_solution(a, f);
}

/* How many warnings of the same kind are there from this one on? 0: an earlier one stands for it. */
static size_t count_alike(const struct analysis *a, size_t first)
{
    const struct finding *all = a->findings.items;
    size_t alike = 0;
    for (size_t i = 0; i < a->findings.count; i++) {
        if (strcmp(all[i].id, all[first].id) != 0 || !is_warning(a, &all[i]))
            continue;
        if (i < first)
            return 0;
        alike++;
    }
    return alike;
}

/* The first of each kind. */
static void add_warnings(const struct analysis *a, struct document *d)
{
    size_t kinds = 0;
    for (size_t i = 0; i < a->findings.count && kinds < WARNINGS_MAX; i++) {
        const struct finding *f = &a->findings.items[i];
        const size_t alike = is_warning(a, f) ? count_alike(a, i) : 0;
        if (!alike)
            continue;
        kinds++;
        document_fact(d, f->severity == SEVERITY_FAILURE ? "Failure" : "Warning");
        if (*f->variant) {
            words_arm(d, f->variant, f->config);
            document_span(d, SPAN_PLAIN, ": ");
        }
        screen_beginning(d, f->claim, "; ");
        if (alike > 1)
            document_span(d, SPAN_PLAIN, " (and %zu like it)", alike - 1);
    }
}

/* What one of the sections says in bullets: the first, and how many more there are, `left_out` of them not there. */
static void add_first_of(const struct document *said, size_t left_out, const char *line, const char *section,
                         struct document *d)
{
    const size_t more = said->count + left_out - 1;
    if (!said->count)
        return;
    document_fact(d, line);
    for (size_t i = 0; i < said->items[0].count; i++)
        document_span(d, said->items[0].items[i].style, "%s", said->items[0].items[i].text);
    if (more)
        document_span(d, SPAN_PLAIN, "; and %zu more: see %s", more, section);
}

static void write_missing(struct document *d, const char *what, const char *why)
{
    document_bullet(d);
    document_span(d, SPAN_PLAIN, "%s, because ", what);
    screen_beginning(d, why, "; ");
}

/* A note changes no verdict: it waits below. */
static void write_caveat(struct document *d, const struct caveat *caveat)
{
    if (caveat->kind == CAVEAT_NOTE)
        return;
    document_bullet(d);
    screen_beginning(d, caveat->text, "; ");
}

static size_t add_all_refused(const struct analysis *a, struct document *d)
{
    run_refused_each(a, d);
    return 0;
}

/* Without the results that nobody compared, which have a line of their own. */
static void write_missing_else(struct document *d, const char *what, const char *why)
{
    static const char results[] = "correctness of ";
    if (strncmp(what, results, sizeof results - 1) != 0)
        write_missing(d, what, why);
}

static size_t add_all_missing(const struct analysis *a, struct document *d)
{
    return run_missing_each(a, d, analysis_all_uncompared(a) ? write_missing_else : write_missing);
}

static size_t add_all_caveats(const struct analysis *a, struct document *d)
{
    run_caveats_each(a, d, write_caveat);
    return 0;
}

static void add_notices(const struct analysis *a, struct document *d)
{
    static const struct {
        const char *line;
        size_t (*add)(const struct analysis *a, struct document *d); /* returns how many it left out */
    } kinds[] = {{"Not run", add_all_refused}, {"Missing", add_all_missing}, {"Caveat", add_all_caveats}};
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        struct document said;
        document_init(&said);
        cases_begin(a, &said);
        const size_t left_out = kinds[i].add(a, &said);
        add_first_of(&said, left_out, kinds[i].line, "Caveats", d);
        d->failed |= said.failed;
        document_release(&said);
    }
}

/* Is a row of its candidate shown or named as faster? */
static bool is_known_faster(const struct analysis *a, const struct summary_choice *choice, size_t row)
{
    for (size_t i = 0; i < a->comparisons.count; i++) {
        const struct comparison *c = &a->comparisons.items[i];
        if (c->verdict == COMPARE_FASTER && (choice->chosen[i] || i < row) &&
            !strcmp(c->candidate, a->comparisons.items[row].candidate))
            return true;
    }
    return false;
}

static bool all_are_faster(const struct analysis *a)
{
    for (size_t i = 0; i < a->comparisons.count; i++)
        if (a->comparisons.items[i].verdict != COMPARE_FASTER)
            return false;
    return true;
}

/* Faster candidates among others that are not: somebody looks for them. */
static void add_hidden_faster(const struct analysis *a, struct document *d)
{
    enum { NAMED = 8 };
    const struct summary_choice choice = choose_comparisons(a, d);
    size_t hidden = 0;
    if (!choice.chosen || all_are_faster(a))
        return;
    for (size_t i = 0; i < a->comparisons.count; i++) {
        const struct comparison *c = &a->comparisons.items[i];
        if (c->verdict != COMPARE_FASTER || choice.chosen[i] || is_known_faster(a, &choice, i) || hidden++ >= NAMED)
            continue;
        document_span(d, SPAN_PLAIN, hidden > 1 ? ", " : "; faster, too: ");
        document_span(d, SPAN_CODE, "%s", c->candidate);
        if (!only_baseline(a))
            document_span(d, SPAN_PLAIN, " at %s", words_case(d, c->config, c->cache));
    }
    if (hidden > NAMED)
        document_span(d, SPAN_PLAIN, " and %zu more", hidden - NAMED);
}

/* The table above has no room for all. */
static void add_shown(const struct analysis *a, struct document *d)
{
    const size_t count = a->comparisons.count ? a->comparisons.count : a->timings.count;
    const size_t rows = rows_max(a);
    if (count <= rows)
        return;
    document_fact(d, "Shown");
    if (a->comparisons.count) {
        document_span(d, SPAN_PLAIN, "%zu of %zu comparisons, the worst among them", rows, count);
        add_hidden_faster(a, d);
    } else
        document_span(d, SPAN_PLAIN, "the first %zu of %zu arms", rows, count);
}

/* The picture that decides; others are in their sections. */
static void add_picture(const struct analysis *a, struct document *d)
{
    if (a->comparisons.count == 1)
        lost_time_picture_add_one(a, &a->comparisons.items[0], d);
    else if (sweep_picture_is_there(a))
        sweep_picture_add(a, d);
    else if (a->comparisons.count)
        interval_picture_add(a, d);
    else if (a->insides.count)
        inside_picture_add(a, d);
}

/* Builds with marks are instruments: without them where there is anything else. */
static struct analysis results_of(const struct analysis *a, struct document *d)
{
    struct analysis results = *a; /* the same rows */
    results.timings.items = arena_alloc(&d->arena, (a->timings.count + 1) * sizeof *a->timings.items);
    results.timings.count = 0;
    if (!results.timings.items) {
        d->failed = true;
        return *a;
    }
    for (size_t i = 0; i < a->timings.count; i++)
        if (!arm_is_instrumented(a->timings.items[i].arm))
            results.timings.items[results.timings.count++] = a->timings.items[i];
    return results;
}

void run_screen_add(const struct analysis *all, struct document *d)
{
    const struct analysis results = results_of(all, d), *a = &results;
    run_headline_add(a, d);
    const bool is_of_solutions = run_solutions_screen(a, d);
    if (!is_of_solutions && a->comparisons.count)
        add_comparisons(a, d);
    else if (!is_of_solutions)
        add_times(a, d);
    if (run_solutions_are_few(a))
        add_picture(a, d);
    add_warnings(a, d);
    if (!is_of_solutions)
        add_shown(a, d);
    add_measure(a, d);
    add_where(a, d);
    if (is_of_solutions)
        run_solutions_checked(a, d);
    else if (!add_passed(a, d)) {
        add_selection(a, d);
        add_correctness(a, d);
    }
    run_progress_screen(all, d);
    if (run_solution_rows(a) <= 2)
        run_why_add(a, d);
    add_notices(a, d);
    run_last_words_add(a, d);
}
