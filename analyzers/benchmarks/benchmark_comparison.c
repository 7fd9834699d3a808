/* Is a benchmark of another tool faster than it was?
 *
 * Files of three processes and more on each side are replicates, and their medians are compared as those of variants.
 * With one process each, repetitions and samples show the spread inside this process alone: the rule is that of two
 * traces (analyzers/spread_decision.h). */
#include "analyzers/benchmarks/benchmark_comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/spread_decision.h"
#include "analyzers/verdict_status.h"
#include "core/base/count_of.h"
#include "core/base/words.h"
#include "core/stats/statistics.h"

/* ---- rows by name ---- */

struct named_rows {
    const struct benchmark_times **items;
    size_t count;
};

static int by_name_then_process(const void *left, const void *right)
{
    const struct benchmark_times *a = *(const struct benchmark_times *const *)left,
                                 *b = *(const struct benchmark_times *const *)right;
    const int names = strcmp(a->name, b->name);
    return names ? names : a->process < b->process ? -1 : a->process > b->process;
}

static int sort_rows(struct named_rows *out, const struct benchmark_results *r, struct err *e)
{
    out->items = calloc(r->items.count + 1, sizeof *out->items);
    if (!out->items)
        return err_memory(e);
    out->count = r->items.count;
    for (size_t i = 0; i < out->count; i++)
        out->items[i] = &r->items.items[i];
    qsort(out->items, out->count, sizeof *out->items, by_name_then_process);
    return 0;
}

/* The rows of one name, one for each process that has it. */
static struct named_rows rows_named(const struct named_rows *all, const char *name)
{
    size_t low = 0, high = all->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(all->items[middle]->name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    struct named_rows found = {all->items + low, 0};
    while (low + found.count < all->count && !strcmp(found.items[found.count]->name, name))
        found.count++;
    return found;
}

/* ---- values ---- */

/* The times of a benchmark on one side. */
struct values {
    double *items; /* of processes, or of blocks in one process */
    size_t count;
    size_t single; /* repetitions or samples behind them */
    double typical_ns;
};

/* What one process says; its file's mean where it has no values. */
static int value_of_process(const struct benchmark_times *t, double *out, struct err *e)
{
    double *copy = calloc(t->times.count + 1, sizeof *copy);
    if (!copy)
        return err_memory(e);
    if (t->times.count)
        memcpy(copy, t->times.items, t->times.count * sizeof *copy);
    *out = t->times.count ? median(copy, t->times.count) : t->mean_ns;
    free(copy);
    return 0;
}

/* The same statistic as that of the ratio, so that the ratio is that of the two times. */
static int set_typical(struct values *v, struct err *e)
{
    double *copy = calloc(v->count + 1, sizeof *copy);
    if (!copy)
        return err_memory(e);
    if (v->count)
        memcpy(copy, v->items, v->count * sizeof *copy);
    v->typical_ns = typical_over_processes(copy, v->count);
    free(copy);
    return 0;
}

static int take_processes(struct values *v, const struct named_rows *rows, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < rows->count && !rc; i++) {
        rc = value_of_process(rows->items[i], &v->items[v->count++], e);
        v->single += rows->items[i]->times.count;
    }
    return rc ? rc : set_typical(v, e);
}

static int values_init(struct values *v, const struct named_rows *rows, struct err *e)
{
    size_t room = rows->count;
    for (size_t i = 0; i < rows->count; i++)
        room += rows->items[i]->times.count;
    *v = (struct values){.items = calloc(room + 1, sizeof *v->items), .typical_ns = NAN};
    return v->items ? take_processes(v, rows, e) : err_memory(e);
}

/* In place of one process, the blocks of what it repeated. */
static int take_blocks(struct values *v, const struct benchmark_times *t, struct err *e)
{
    if (t->times.count)
        memcpy(v->items, t->times.items, t->times.count * sizeof *v->items);
    v->count = spread_fold(v->items, t->times.count);
    return set_typical(v, e);
}

/* ---- the verdict on one ---- */

static enum benchmark_reason of_ratio(enum ratio_reason reason)
{
    static const enum benchmark_reason reasons[] = {[RATIO_TOO_FEW_PROCESSES] = BENCHMARK_TOO_FEW_PROCESSES,
                                                    [RATIO_BELOW_MARGIN] = BENCHMARK_INTERVAL_BELOW_MARGIN,
                                                    [RATIO_ABOVE_MARGIN] = BENCHMARK_INTERVAL_ABOVE_MARGIN,
                                                    [RATIO_WITHIN_MARGIN] = BENCHMARK_INTERVAL_WITHIN_MARGIN,
                                                    [RATIO_CROSSES_MARGIN] = BENCHMARK_INTERVAL_CROSSES_MARGIN,
                                                    [RATIO_BEYOND_SPREAD] = BENCHMARK_BEYOND_SPREAD,
                                                    [RATIO_WITHIN_SPREAD] = BENCHMARK_WITHIN_SPREAD};
    return reasons[reason];
}

static void set_verdict(struct benchmark_comparison *c, enum comparison_verdict verdict, enum benchmark_reason reason)
{
    c->verdict = verdict;
    c->reason = reason;
}

/* Has a side no times to compare? */
static bool is_unusable(const struct named_rows *rows, enum benchmark_reason *why, const char **detail)
{
    for (size_t i = 0; i < rows->count; i++) {
        const struct benchmark_times *row = rows->items[i];
        *why = row->failure ? BENCHMARK_FAILED : BENCHMARK_SAME_NAME;
        *detail = row->failure ? row->failure : "";
        if (row->failure || row->is_twice)
            return true;
    }
    return false;
}

static bool is_difference(const struct benchmark_comparison *c)
{
    return c->verdict == COMPARE_FASTER || c->verdict == COMPARE_SLOWER;
}

static void decide(struct benchmark_comparison *c, const struct values *before, const struct values *after,
                   double margin)
{
    const struct arm_values arms = {before->items, after->items, before->count, after->count, false};
    const struct ratio_decision decision = spread_decide(&arms, c->has_replicates, margin);
    c->interval = decision.interval;
    c->p_value = c->has_replicates ? decision.p_value : NAN;
    set_verdict(c, decision.verdict, of_ratio(decision.reason));
}

/* A mean and a median of the same times differ, so a side of one is not held against a side of the other. */
static bool is_mixed(const struct named_rows rows[2])
{
    size_t single = 0, all = 0;
    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < rows[side].count; i++, all++)
            single += rows[side].items[i]->times.count > 0;
    return single && single < all;
}

/* Processes are replicates from three on. Two are neither that nor one. */
static int judge(struct benchmark_comparison *c, const struct named_rows rows[2], struct values v[2], double margin,
                 struct err *e)
{
    c->has_replicates = rows[0].count >= RATIO_PROCESSES_MIN && rows[1].count >= RATIO_PROCESSES_MIN;
    if (!c->has_replicates && (rows[0].count > 1 || rows[1].count > 1)) {
        set_verdict(c, COMPARE_INCONCLUSIVE, BENCHMARK_TOO_FEW_PROCESSES);
        return 0;
    }
    if (is_mixed(rows)) {
        set_verdict(c, COMPARE_INCONCLUSIVE, BENCHMARK_NO_VALUES);
        return 0;
    }
    const size_t fewer = v[0].single < v[1].single ? v[0].single : v[1].single;
    if (!c->has_replicates && fewer < SPREAD_VALUES_MIN) {
        set_verdict(c, COMPARE_INCONCLUSIVE, fewer ? BENCHMARK_TOO_FEW_VALUES : BENCHMARK_NO_VALUES);
        return 0;
    }
    int rc = 0;
    for (size_t i = 0; i < 2 && !c->has_replicates && !rc; i++)
        rc = take_blocks(&v[i], rows[i].items[0], e);
    if (rc)
        return rc;
    decide(c, &v[0], &v[1], margin);
    if (!c->has_replicates) /* two processes are apart in most cases without a change, too */
        c->verdict = COMPARE_INCONCLUSIVE;
    return 0;
}

static int compare_rows(struct benchmark_comparisons *all, struct benchmark_comparison *c,
                        const struct named_rows rows[2], struct err *e)
{
    struct values v[2] = {{0}};
    enum benchmark_reason why;
    const char *detail = "";
    const bool unusable = is_unusable(&rows[0], &why, &detail) || is_unusable(&rows[1], &why, &detail);
    int rc = values_init(&v[0], &rows[0], e);
    if (!rc)
        rc = values_init(&v[1], &rows[1], e);
    c->before_values = v[0].single, c->after_values = v[1].single;
    c->detail = arena_copy(&all->arena, detail);
    if (!rc && unusable)
        set_verdict(c, COMPARE_UNUSABLE, why);
    else if (!rc && !rows[1].count)
        set_verdict(c, COMPARE_INCONCLUSIVE, BENCHMARK_NOT_IN_CANDIDATE);
    else if (!rc)
        rc = judge(c, rows, v, all->margin, e);
    c->before_ns = v[0].typical_ns, c->after_ns = v[1].typical_ns;
    free(v[0].items);
    free(v[1].items);
    return rc;
}

static int add_row(struct benchmark_comparisons *all, const char *name, const struct named_rows rows[2], struct err *e)
{
    struct benchmark_comparison *c = ARRAY_PUSH(&all->rows);
    if (!c)
        return err_memory(e);
    *c = (struct benchmark_comparison){.name = arena_copy(&all->arena, name),
                                       .interval = {NAN, NAN, NAN},
                                       .before_processes = rows[0].count,
                                       .after_processes = rows[1].count,
                                       .p_value = NAN,
                                       .p_adjusted = NAN};
    return compare_rows(all, c, rows, e);
}

/* ---- all of them ---- */

/* In the order of the first file, each name once. */
static int add_rows(struct benchmark_comparisons *all, const struct benchmark_results *before,
                    const struct named_rows sorted[2], struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < before->items.count && !rc; i++) {
        const struct benchmark_times *row = &before->items.items[i];
        const struct named_rows rows[2] = {rows_named(&sorted[0], row->name), rows_named(&sorted[1], row->name)};
        if (rows[0].items[0] == row)
            rc = add_row(all, row->name, rows, e);
    }
    return rc;
}

static int add_only_after(struct benchmark_comparisons *all, const struct benchmark_results *after,
                          const struct named_rows sorted[2], struct err *e)
{
    for (size_t i = 0; i < after->items.count; i++) {
        const struct benchmark_times *row = &after->items.items[i];
        if (rows_named(&sorted[0], row->name).count || rows_named(&sorted[1], row->name).items[0] != row)
            continue;
        const char **slot = ARRAY_PUSH(&all->only_after);
        if (!slot)
            return err_memory(e);
        *slot = arena_copy(&all->arena, row->name);
    }
    return 0;
}

static int adjust(struct benchmark_comparisons *all, struct err *e)
{
    double *p = calloc(2 * all->rows.count + 1, sizeof *p);
    if (!p)
        return err_memory(e);
    for (size_t i = 0; i < all->rows.count; i++)
        p[i] = all->rows.items[i].p_value;
    holm_adjust(p, all->rows.count, p + all->rows.count);
    for (size_t i = 0; i < all->rows.count; i++)
        all->rows.items[i].p_adjusted = p[all->rows.count + i];
    for (size_t i = 0; i < all->rows.count; i++)
        if (is_difference(&all->rows.items[i]) && !(all->rows.items[i].p_adjusted < 1 - RATIO_CONFIDENCE))
            set_verdict(&all->rows.items[i], COMPARE_INCONCLUSIVE, BENCHMARK_HOLM);
    free(p);
    return 0;
}

/* A ratio across machines says nothing of the change, unless they differ on purpose. */
static void compare_machines(struct benchmark_comparisons *all, const struct benchmark_results *before,
                             const struct benchmark_results *after, const char *across)
{
    const bool is_known = *before->machine && *after->machine,
               differ = before->machines_differ || after->machines_differ || strcmp(before->machine, after->machine);
    if (is_known && !differ)
        return;
    all->machines = is_known ? "the files name different machines" : "the files do not name the machine";
    for (size_t i = 0; i < all->rows.count; i++)
        if (!words_list_has(across, "device") && all->rows.items[i].verdict != COMPARE_UNUSABLE &&
            all->rows.items[i].verdict != COMPARE_INCONCLUSIVE)
            set_verdict(&all->rows.items[i], COMPARE_INCONCLUSIVE,
                        is_known ? BENCHMARK_OTHER_MACHINE : BENCHMARK_UNKNOWN_MACHINE);
}

/* What agrees with itself says nothing of the next measurement. */
static void find_copies(struct benchmark_comparisons *all, const struct benchmark_results *before,
                        const struct benchmark_results *after)
{
    if (!benchmark_results_share_a_file(before, after))
        return;
    for (size_t i = 0; i < all->rows.count; i++)
        if (all->rows.items[i].verdict != COMPARE_UNUSABLE)
            set_verdict(&all->rows.items[i], COMPARE_UNUSABLE, BENCHMARK_SAME_RECORDING);
}

static int check_sides(const struct benchmark_results *before, const struct benchmark_results *after, struct err *e)
{
    if (!before->processes || !after->processes)
        return err_set(e, ERR_INPUT, "a side has no file");
    if (before->format != after->format)
        return err_set(e, ERR_INPUT, "the first side is of %s and the second of %s: their times are other ones",
                       before->format->tool, after->format->tool);
    return 0;
}

static int check_names(const struct benchmark_comparisons *all, struct err *e)
{
    for (size_t i = 0; i < all->rows.count; i++)
        if (all->rows.items[i].reason != BENCHMARK_NOT_IN_CANDIDATE)
            return 0;
    return err_set(e, ERR_INPUT, "nothing to compare: no benchmark of one side has the name of one of the other");
}

int benchmark_comparisons_make(struct benchmark_comparisons *out, const struct benchmark_results *before,
                               const struct benchmark_results *after, double margin, const char *across, struct err *e)
{
    const struct benchmark_results *const sides[2] = {before, after};
    struct named_rows sorted[2] = {{0}};
    *out = (struct benchmark_comparisons){.margin = margin, .machines = ""};
    arena_init(&out->arena);
    int rc = check_sides(before, after, e);
    for (size_t i = 0; i < 2 && !rc; i++) {
        const struct benchmark_format *f = sides[i]->format;
        out->sides[i] = (struct benchmark_side){f->tool, f->values, f->more, sides[i]->processes};
        rc = sort_rows(&sorted[i], sides[i], e);
    }
    if (!rc)
        rc = add_rows(out, before, sorted, e);
    if (!rc)
        rc = add_only_after(out, after, sorted, e);
    if (!rc)
        rc = check_names(out, e);
    if (!rc)
        rc = adjust(out, e);
    if (!rc) {
        compare_machines(out, before, after, across);
        find_copies(out, before, after);
    }
    free(sorted[0].items);
    free(sorted[1].items);
    return rc;
}

void benchmark_comparisons_release(struct benchmark_comparisons *c)
{
    free(c->rows.items);
    free(c->only_after.items);
    arena_release(&c->arena);
}

enum exit_status benchmark_comparisons_status(const struct benchmark_comparisons *c)
{
    enum exit_status status = EXIT_PASS;
    for (size_t i = 0; i < c->rows.count; i++)
        status = exit_status_worse(status, verdict_status(c->rows.items[i].verdict));
    return status;
}
