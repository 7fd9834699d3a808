/* How often is a comparison wrong when the truth is known?
 *
 *   simulate_verdicts [TRIALS]        default 1000 comparisons a cell
 *
 * Makes timings of two arms as a run with the schedule abba would record them
 * (7 processes of 4 blocks of 25 launches an arm), with the disturbances that
 * real machines have, and lets four rules judge the same numbers: ours, Welch's
 * t-test and Mann-Whitney's test over all launches at 5%, and a fixed threshold
 * of 2% between the means. Prints Markdown tables (docs/statistics.md holds
 * them), then what stopping when a verdict is there costs and saves, and how often
 * intervals of other numbers of processes hold the truth; exits 1 when ours calls
 * a difference that is not there in more than one comparison in twenty of any
 * scenario, or an interval misses the truth that often. The seed is fixed. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/count_of.h"
#include "core/base/splitmix.h"
#include "core/stats/ratio_decision.h"
#include "core/stats/sequential_looks.h"
#include "core/stats/statistics.h"

enum { PROCESSES = 7, BLOCKS = 4, LAUNCHES = 25, ARM_SAMPLES = PROCESSES * BLOCKS * LAUNCHES, ARMS = 2 };

static const double margin = 0.01, significance = 0.05, fixed_threshold = 0.02;

/* A wander that goes on from one process to the next makes neighbours alike; in pairs it cancels, between two runs not.
 */
static const double significance_of_a_wander = 0.08;
static const double pi = 3.14159265358979323846;

/* ---- chance ---- */

static uint64_t state = 0x5eed;

static double uniform(void) /* (0, 1) */
{
    return ((double)(splitmix_next(&state) >> 11) + 0.5) / 9007199254740992.0;
}

static double gauss(void)
{
    return sqrt(-2 * log(uniform())) * cos(2 * pi * uniform());
}

/* ---- machines ---- */

/* Spreads are standard deviations of logarithms; shares are of the time. */
struct machine {
    const char *name, *what;
    double process;        /* shared by both arms of a process */
    double arm;            /* of each arm in each process: where its memory came to lie */
    double launch;         /* of each launch */
    double drift;          /* from the first launch of the run to the last, linear */
    double slow_mode_odds; /* that an arm in a process runs slow_mode slower throughout */
    double slow_mode;
    double tail_odds, tail; /* launches that take longer by a Pareto-distributed share (alpha 1.5) of at least `tail` */
    double memory, wander;  /* AR(1) over launches: coefficient, and spread of what comes of it */
};

static const struct machine machines[] = {
    {"quiet", "process 0.3%, arm 0.1%, launch 0.3%", 0.003, 0.001, 0.003, 0, 0, 0, 0, 0, 0, 0},
    {"drift", "quiet, and 3% slower from start to end", 0.003, 0.001, 0.003, 0.03, 0, 0, 0, 0, 0, 0},
    {"bimodal", "quiet, and an arm is 2% slower in 3 of 10 processes", 0.003, 0.001, 0.003, 0, 0.3, 0.02, 0, 0, 0, 0},
    {"heavy tails", "quiet, and 1 launch in 20 takes 5% longer or much more", 0.003, 0.001, 0.003, 0, 0, 0, 0.05, 0.05,
     0, 0},
    {"autocorrelated", "quiet, and a wander of 1% (AR(1), 0.98)", 0.003, 0.001, 0.003, 0, 0, 0, 0, 0, 0.98, 0.01},
    {"all of it", "drift, two modes, tails and wander together", 0.003, 0.001, 0.003, 0.03, 0.3, 0.02, 0.05, 0.05, 0.98,
     0.01},
};
enum { MACHINES = COUNT_OF(machines) };

/* One run. */
struct scene {
    const struct machine *machine;
    double truth;  /* candidate over baseline */
    int processes; /* over which a drift extends */
};

/* All launches of one comparison, or of the last processes of a longer one; arm 1 is the candidate. */
struct recording {
    double ns[ARMS][PROCESSES][BLOCKS * LAUNCHES];
};

static double one_launch(const struct machine *m, double level, double progress, double *wander)
{
    *wander = m->memory * *wander + sqrt(1 - m->memory * m->memory) * m->wander * gauss();
    double t = level * exp(m->launch * gauss() + *wander) * (1 + m->drift * progress);
    if (uniform() < m->tail_odds)
        t *= 1 + m->tail * pow(uniform(), -1 / 1.5);
    return t;
}

static void record_process(struct recording *r, const struct scene *s, int process, double *wander)
{
    const struct machine *m = s->machine;
    double level[ARMS];
    const double shared = m->process * gauss();
    for (int arm = 0; arm < ARMS; arm++)
        level[arm] = 50e3 * (arm ? s->truth : 1) * exp(shared + m->arm * gauss()) *
                     (uniform() < m->slow_mode_odds ? 1 + m->slow_mode : 1);
    for (int block = 0; block < BLOCKS; block++)
        for (int turn = 0; turn < ARMS; turn++) {
            const int arm = (turn + block + process) % ARMS; /* A B, B A, ...; reversed in every other process */
            for (int i = 0; i < LAUNCHES; i++) {
                const int nth = ((process * BLOCKS + block) * ARMS + turn) * LAUNCHES + i;
                const double progress = (double)nth / (s->processes * ARMS * BLOCKS * LAUNCHES);
                r->ns[arm][process % PROCESSES][block * LAUNCHES + i] = one_launch(m, level[arm], progress, wander);
            }
        }
}

static void record(struct recording *r, const struct machine *m, double truth)
{
    const struct scene scene = {m, truth, PROCESSES};
    double wander = m->wander * gauss();
    for (int p = 0; p < PROCESSES; p++)
        record_process(r, &scene, p, &wander);
}

/* ---- judges ---- */

enum call { CALL_FASTER, CALL_SLOWER, CALL_EQUIVALENT, CALL_NOTHING, CALLS };

static double process_typical(const struct recording *r, int arm, int process)
{
    double copy[BLOCKS * LAUNCHES];
    for (int i = 0; i < BLOCKS * LAUNCHES; i++)
        copy[i] = r->ns[arm][process % PROCESSES][i];
    return midmean(copy, BLOCKS * LAUNCHES);
}

static enum call judge_ours(const struct recording *r)
{
    double typical[ARMS][PROCESSES];
    for (int arm = 0; arm < ARMS; arm++)
        for (int p = 0; p < PROCESSES; p++)
            typical[arm][p] = process_typical(r, arm, p);
    const struct arm_values pairs = {typical[0], typical[1], PROCESSES, PROCESSES, true};
    switch (ratio_decide(&pairs, margin).verdict) {
    case COMPARE_FASTER: return CALL_FASTER;
    case COMPARE_SLOWER: return CALL_SLOWER;
    case COMPARE_EQUIVALENT: return CALL_EQUIVALENT;
    default: return CALL_NOTHING;
    }
}

static const double *all_launches(const struct recording *r, int arm)
{
    return &r->ns[arm][0][0];
}

static enum call call_of(bool significant, double difference)
{
    return !significant ? CALL_NOTHING : difference < 0 ? CALL_FASTER : CALL_SLOWER;
}

/* Welch's test; with a thousand launches t is normal. */
static enum call judge_t_test(const struct recording *r)
{
    const double *base = all_launches(r, 0), *cand = all_launches(r, 1);
    const double sb = standard_deviation(base, ARM_SAMPLES), sc = standard_deviation(cand, ARM_SAMPLES);
    const double difference = mean(cand, ARM_SAMPLES) - mean(base, ARM_SAMPLES);
    const double z = difference / sqrt((sb * sb + sc * sc) / ARM_SAMPLES);
    return call_of(2 * normal_cdf(-fabs(z)) < significance, difference);
}

struct ranked {
    double ns;
    int arm;
};

static int by_time(const void *a, const void *b)
{
    const double x = ((const struct ranked *)a)->ns, y = ((const struct ranked *)b)->ns;
    return (x > y) - (x < y);
}

/* U by the sum of ranks, normal approximation; continuous times have no ties. */
static enum call judge_mann_whitney(const struct recording *r)
{
    static struct ranked all[ARMS * ARM_SAMPLES];
    for (int i = 0; i < ARM_SAMPLES; i++) {
        all[i] = (struct ranked){all_launches(r, 0)[i], 0};
        all[ARM_SAMPLES + i] = (struct ranked){all_launches(r, 1)[i], 1};
    }
    qsort(all, ARMS * ARM_SAMPLES, sizeof all[0], by_time);
    double ranks = 0;
    for (int i = 0; i < ARMS * ARM_SAMPLES; i++)
        ranks += all[i].arm ? i + 1 : 0;
    const double n = ARM_SAMPLES, u = ranks - n * (n + 1) / 2;
    const double z = (u - n * n / 2) / sqrt(n * n * (2 * n + 1) / 12);
    return call_of(2 * normal_cdf(-fabs(z)) < significance, z);
}

static enum call judge_threshold(const struct recording *r)
{
    const double change = mean(all_launches(r, 1), ARM_SAMPLES) / mean(all_launches(r, 0), ARM_SAMPLES) - 1;
    return call_of(fabs(change) > fixed_threshold, change);
}

static const struct judge {
    const char *name;
    enum call (*call)(const struct recording *r);
} judges[] = {
    {"cpprof", judge_ours},
    {"t-test", judge_t_test},
    {"Mann-Whitney", judge_mann_whitney},
    {"2% threshold", judge_threshold},
};
enum { JUDGES = COUNT_OF(judges) };

/* ---- tables ---- */

/* Shares of `trials` comparisons, by judge and call. */
static void try_cell(const struct machine *m, double truth, int trials, double shares[JUDGES][CALLS])
{
    static struct recording r;
    int counts[JUDGES][CALLS] = {0};
    for (int t = 0; t < trials; t++) {
        record(&r, m, truth);
        for (int j = 0; j < JUDGES; j++)
            counts[j][judges[j].call(&r)]++;
    }
    for (int j = 0; j < JUDGES; j++)
        for (int c = 0; c < CALLS; c++)
            shares[j][c] = (double)counts[j][c] / trials;
}

static void print_header(const char *first)
{
    printf("| %s |", first);
    for (int j = 0; j < JUDGES; j++)
        printf(" %s |", judges[j].name);
    printf(" cpprof: equivalent | cpprof: inconclusive |\n|---|");
    for (int j = 0; j < JUDGES + 2; j++)
        printf("---|");
    printf("\n");
}

static void print_row(const struct machine *m, double shares[JUDGES][CALLS], bool different)
{
    printf("| %s |", m->name);
    for (int j = 0; j < JUDGES; j++)
        printf(" %.1f%% |", 100 * (shares[j][CALL_FASTER] + (different ? shares[j][CALL_SLOWER] : 0)));
    printf(" %.1f%% | %.1f%% |\n", 100 * shares[0][CALL_EQUIVALENT], 100 * shares[0][CALL_NOTHING]);
}

/* The largest share of comparisons of two equal arms that ours calls different. */
static double print_equal_arms(int trials)
{
    double worst = 0;
    printf("Equal arms: called different.\n\n");
    print_header("machine");
    for (int i = 0; i < MACHINES; i++) {
        double shares[JUDGES][CALLS];
        try_cell(&machines[i], 1, trials, shares);
        print_row(&machines[i], shares, true);
        worst = fmax(worst, shares[0][CALL_FASTER] + shares[0][CALL_SLOWER]);
    }
    return worst;
}

static void print_gain(double gain, int trials)
{
    printf("\nA true gain of %.1f%%: called faster.\n\n", 100 * gain);
    print_header("machine");
    for (int i = 0; i < MACHINES; i++) {
        double shares[JUDGES][CALLS];
        try_cell(&machines[i], 1 - gain, trials, shares);
        print_row(&machines[i], shares, false);
    }
}

/* ---- stopping ---- */

enum { STOPPED_AFTER = 20 }; /* where patience, or a budget, ends */

/* When are the numbers looked at, and what does an interval pay for it? */
struct stopping {
    const char *name;
    long (*next)(long processes); /* NULL: there is one look, at PROCESSES */
    int looks;                    /* that the decision reckons with */
};

static long after_each(long processes)
{
    return processes + 1;
}

/* What comes of many runs that end with the first look that decides, or with STOPPED_AFTER. */
struct stopped {
    double called, equivalent, missed, processes; /* shares of the runs; mean number */
};

struct stopped_run {
    struct ratio_decision decision;
    int processes;
};

static void add_processes(double typical[ARMS][STOPPED_AFTER], int *have, int want, const struct scene *s,
                          double *wander)
{
    static struct recording r;
    for (; *have < want; ++*have) {
        record_process(&r, s, *have, wander);
        for (int arm = 0; arm < ARMS; arm++)
            typical[arm][*have] = process_typical(&r, arm, *have);
    }
}

static struct stopped_run run_until(const struct stopping *rule, const struct machine *m, double truth)
{
    const struct scene scene = {m, truth, STOPPED_AFTER};
    double typical[ARMS][STOPPED_AFTER], wander = m->wander * gauss();
    int have = 0;
    for (long want = PROCESSES;; want = rule->next(have)) {
        add_processes(typical, &have, want < STOPPED_AFTER ? (int)want : STOPPED_AFTER, &scene, &wander);
        const struct arm_values pairs = {typical[0], typical[1], (size_t)have, (size_t)have, true};
        const struct ratio_decision decision = ratio_decide_looks(&pairs, margin, rule->looks);
        if (decision.verdict != COMPARE_INCONCLUSIVE || !rule->next || have == STOPPED_AFTER)
            return (struct stopped_run){decision, have};
    }
}

static struct stopped try_stopping(const struct stopping *rule, const struct machine *m, double truth, int trials)
{
    struct stopped sum = {0};
    for (int t = 0; t < trials; t++) {
        const struct stopped_run run = run_until(rule, m, truth);
        const struct ratio_interval *interval = &run.decision.interval;
        const enum comparison_verdict verdict = run.decision.verdict;
        sum.called += (verdict == COMPARE_FASTER || verdict == COMPARE_SLOWER) / (double)trials;
        sum.equivalent += (verdict == COMPARE_EQUIVALENT) / (double)trials;
        sum.missed += (truth < interval->low || truth > interval->high) / (double)trials;
        sum.processes += (double)run.processes / trials;
    }
    return sum;
}

/* The largest share of runs by cpprof's rule, the last one, whose interval misses the truth. */
static double print_stopping(double gain, int trials)
{
    const struct stopping rules[] = {{"always 7", NULL, 1},
                                     {"a look after each", after_each, 1},
                                     {"cpprof's looks", sequential_looks_next, sequential_looks_planned(PROCESSES)}};
    enum { RULES = COUNT_OF(rules) };
    double worst = 0;
    printf("\nA true gain of %.1f%%, stopped when decided, at most %d processes, %d runs a row.\n\n", 100 * gain,
           STOPPED_AFTER, trials);
    printf(
        "| machine | stopping | called different | called equivalent | interval misses | processes |\n|---|---|---|---|---|---|\n");
    for (int i = 0; i < MACHINES; i++)
        for (int k = 0; k < RULES && !machines[i].drift; k++) { /* a drift from start to end needs an end */
            const struct stopped s = try_stopping(&rules[k], &machines[i], 1 - gain, trials);
            printf("| %s | %s | %.1f%% | %.1f%% | %.1f%% | %.1f |\n", machines[i].name, rules[k].name, 100 * s.called,
                   100 * s.equivalent, 100 * s.missed, s.processes);
            if (k == RULES - 1)
                worst = fmax(worst, s.missed);
        }
    return worst;
}

/* ---- coverage ---- */

/* How often the 95% interval holds the truth, and half of its width. */
struct covered {
    double share, half_width;
};

/* In pairs; or the baseline of one run and the candidate of another. */
static struct covered try_coverage(const struct scene *s, bool paired, int trials)
{
    struct covered sum = {0};
    for (int t = 0; t < trials; t++) {
        double first[ARMS][STOPPED_AFTER], second[ARMS][STOPPED_AFTER], wander = s->machine->wander * gauss();
        int have = 0, again = 0;
        add_processes(first, &have, s->processes, s, &wander);
        wander = s->machine->wander * gauss();
        add_processes(second, &again, paired ? 0 : s->processes, s, &wander);
        const struct arm_values values = {first[0], paired ? first[1] : second[1], (size_t)have, (size_t)have, paired};
        const struct ratio_interval interval = ratio_decide(&values, margin).interval;
        sum.share += (interval.low <= s->truth && s->truth <= interval.high) / (double)trials;
        sum.half_width += log(interval.high / interval.low) / 2 / trials;
    }
    return sum;
}

/* The largest share of intervals that miss the truth. */
static double print_coverage(bool paired, int trials)
{
    static const int processes[] = {3, 5, 6, 7, 8, 10, 15, 20};
    enum { COUNTS = COUNT_OF(processes) };
    double worst = 0;
    printf(
        "\n%s: the 95%% interval holds the truth, and half of its width; %d comparisons a cell, by the number of processes.\n\n| machine |",
        paired ? "Paired" : "Independent", trials);
    for (int k = 0; k < COUNTS; k++)
        printf(" %d |", processes[k]);
    printf("\n|---|");
    for (int k = 0; k < COUNTS; k++)
        printf("---|");
    printf("\n");
    for (int i = 0; i < MACHINES; i++) {
        printf("| %s |", machines[i].name);
        for (int k = 0; k < COUNTS; k++) {
            const struct scene scene = {&machines[i], 0.98, processes[k]};
            const struct covered c = try_coverage(&scene, paired, trials);
            printf(" %.1f%%, %.2f%% |", 100 * c.share, 100 * c.half_width);
            worst = fmax(worst, 1 - c.share);
        }
        printf("\n");
    }
    return worst;
}

int main(int argc, char **argv)
{
    const int trials = argc > 1 ? atoi(argv[1]) : 1000;
    if (argc > 2 || trials < 1) {
        fprintf(stderr, "usage: simulate_verdicts [TRIALS]\n");
        return EXIT_USAGE;
    }
    printf("%d comparisons a cell, %d processes of %d launches an arm, margin %.0f%%.\n\n", trials, PROCESSES,
           BLOCKS * LAUNCHES, 100 * margin);
    for (int i = 0; i < MACHINES; i++)
        printf("- *%s*: %s\n", machines[i].name, machines[i].what);
    printf("\n");
    const double false_positives = print_equal_arms(trials);
    print_gain(0.005, trials);
    print_gain(0.02, trials);
    print_gain(0.05, trials);
    const int runs = trials < 10 ? 1 : trials / 2; /* each takes up to twenty processes and nearly as many looks */
    const double at_margin = print_stopping(margin, runs), beyond = print_stopping(0.015, runs);
    const double paired = print_coverage(true, trials), independent = print_coverage(false, trials);
    const double error =
        4 * sqrt(significance * (1 - significance) / runs); /* of the worst of a hundred shares of so few runs */
    const bool holds = false_positives <= significance &&
                       fmax(fmax(at_margin, beyond), paired) <= significance + error &&
                       independent <= significance_of_a_wander + error;
    return holds ? EXIT_PASS : EXIT_CHECK_FAILED;
}
