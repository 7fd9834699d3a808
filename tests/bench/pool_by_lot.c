/* Would another way to an interval keep what it promises, on what a machine really did?
 *
 *   pool_by_lot POOL [TRIALS]        default 2000 comparisons a case and number of processes
 *
 * Draws the processes of a comparison from a recorded pool (cpprof aa) by lot, many times, and prints for our interval
 * of pairs and for the t interval of their trimmed mean: how often it holds 1, half of its mean width, the detectable
 * effect (the slowdown that 80% would have called at the margin) and false positives; and the coverage of the
 * comparisons as they were recorded, one after another. Lots share processes, so they are no more evidence than the
 * pool is; they only take the luck of the grouping out. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzers/compare/aa_comparisons.h"
#include "core/base/count_of.h"
#include "core/base/splitmix.h"
#include "core/bundle/bundle.h"
#include "core/bundle/bundle_open.h"
#include "core/stats/ratio_decision.h"

enum { PROCESSES_MAX = 20, MOST = 100000 };

static uint64_t state = 0x5eed;

/* What came of an interval of many comparisons. */
struct account {
    size_t comparisons, covered, called;
    double half_width;
    double *detectable;
};

struct ends {
    double low, high; /* logs */
};

static struct ends ours(const struct ratio_estimate *e)
{
    const struct ratio_interval r = ratio_estimate_interval(e, RATIO_CONFIDENCE);
    return (struct ends){log(r.low), log(r.high)};
}

static struct ends by_t(const struct ratio_estimate *e)
{
    const double half = e->error > 0 ? student_t_quantile(1 - (1 - RATIO_CONFIDENCE) / 2, e->df) * e->error : 0;
    return (struct ends){e->mean - half, e->mean + half};
}

static struct ends (*const methods[])(const struct ratio_estimate *) = {ours, by_t};
enum { METHODS = COUNT_OF(methods) };

static void add(struct account *a, struct ends x)
{
    const double margin = -log(1 - RATIO_MARGIN);
    a->covered += x.low <= 0 && 0 <= x.high;
    a->called += x.low > margin || x.high < -margin;
    a->half_width += (x.high - x.low) / 2;
    a->detectable[a->comparisons++] = exp(margin - x.low) - 1;
}

static void compare(struct account accounts[METHODS], const struct aa_pair *pair, const size_t *chosen,
                    size_t processes)
{
    double base[PROCESSES_MAX], cand[PROCESSES_MAX];
    for (size_t i = 0; i < processes; i++) {
        base[i] = pair->base[chosen[i]];
        cand[i] = pair->cand[chosen[i]];
    }
    const struct arm_values values = {base, cand, processes, processes, true};
    struct ratio_estimate e;
    if (!ratio_estimate_init(&e, &values))
        for (int m = 0; m < METHODS; m++)
            add(&accounts[m], methods[m](&e));
    ratio_estimate_release(&e);
}

/* The first of the order, by lot among all; in whatever order they were. */
static void draw(size_t *order, size_t count, size_t processes)
{
    for (size_t i = 0; i < processes; i++) {
        const size_t other = i + splitmix_next(&state) % (count - i), chosen = order[other];
        order[other] = order[i];
        order[i] = chosen;
    }
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double detectable_80(struct account *a)
{
    qsort(a->detectable, a->comparisons, sizeof *a->detectable, ascending);
    return a->detectable[(size_t)ceil(0.8 * (double)a->comparisons - 1e-9) - 1];
}

/* What came of all cases of a pool. */
struct row {
    size_t cases;
    struct account recorded[METHODS], lots[METHODS];                                /* lots: of the case at hand */
    double covered[METHODS], half_width[METHODS], called[METHODS], effect[METHODS]; /* sums over the cases */
};

static void try_case(struct row *row, const struct aa_pair *pair, size_t processes, size_t trials)
{
    static size_t order[MOST];
    for (size_t i = 0; i < pair->count; i++)
        order[i] = i;
    for (size_t first = 0; first + processes <= pair->count; first += processes)
        compare(row->recorded, pair, order + first, processes);
    for (size_t t = 0; t < trials; t++) {
        draw(order, pair->count, processes);
        compare(row->lots, pair, order, processes);
    }
    for (int m = 0; m < METHODS; m++) {
        struct account *a = &row->lots[m];
        row->effect[m] += detectable_80(a);
        row->covered[m] += (double)a->covered / (double)a->comparisons;
        row->half_width[m] += a->half_width / (double)a->comparisons;
        row->called[m] += (double)a->called / (double)a->comparisons;
        *a = (struct account){.detectable = a->detectable};
    }
    row->cases++;
}

static void print_row(const struct row *row, size_t processes)
{
    static const char *const names[] = {"signed ranks", "t"};
    for (int m = processes < RATIO_PAIRS_RANKED; m < METHODS && row->cases; m++) {
        const struct account *r = &row->recorded[m];
        const double share = 100 / (double)row->cases;
        printf("| %zu | %s | %.1f%% of %zu | %.1f%% | %.3f%% | %.2f%% | %.2f%% |\n", processes, names[m],
               100.0 * (double)r->covered / (double)r->comparisons, r->comparisons, share * row->covered[m],
               share * row->half_width[m], share * row->effect[m], share * row->called[m]);
    }
}

static void try_processes(const struct aa_comparisons *pool, size_t processes, size_t trials)
{
    static double detectable[2 * METHODS][MOST];
    struct row row = {0};
    for (int m = 0; m < METHODS; m++) {
        row.recorded[m].detectable = detectable[m];
        row.lots[m].detectable = detectable[METHODS + m];
    }
    for (size_t i = 0; i < pool->count; i++)
        if (pool->items[i].share == 0 && pool->items[i].count >= processes)
            try_case(&row, &pool->items[i], processes, trials);
    print_row(&row, processes);
}

static int check_size(const struct aa_comparisons *pool, struct err *e)
{
    size_t sum = 0;
    for (size_t i = 0; i < pool->count; i++)
        sum += pool->items[i].count;
    return sum > MOST ? err_set(e, ERR_INPUT, "a pool of more than %d pairs", MOST) : 0;
}

static int print_pool(const char *path, size_t trials, struct err *e)
{
    static const size_t processes[] = {5, 6, 7, 8, 10, 15, 20};
    struct bundle bundle;
    struct aa_comparisons pool = {0};
    bundle_init(&bundle);
    int rc = bundle_open(&bundle, path, e);
    if (!rc)
        rc = aa_comparisons_read(&pool, &bundle, e);
    if (!rc)
        rc = check_size(&pool, e);
    if (!rc)
        printf(
            "| processes | interval | holds 1, as recorded | by lot | half width | 80%% find | false |\n|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < COUNT_OF(processes) && !rc; i++)
        try_processes(&pool, processes[i], trials);
    aa_comparisons_release(&pool);
    bundle_release(&bundle);
    return rc;
}

int main(int argc, char **argv)
{
    struct err e = {0};
    const int trials = argc > 2 ? atoi(argv[2]) : 2000;
    if (argc < 2 || argc > 3 || trials < 1 || trials > MOST) {
        fprintf(stderr, "usage: pool_by_lot POOL [TRIALS]\n");
        return EXIT_USAGE;
    }
    if (print_pool(argv[1], (size_t)trials, &e)) {
        fprintf(stderr, "pool_by_lot: %s\n", e.text);
        return err_exit_status(e.code);
    }
    return EXIT_PASS;
}
