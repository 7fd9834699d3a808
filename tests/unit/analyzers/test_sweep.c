/* Do the line over sizes and the average say what the numbers say, and when is there no line? */
#include "tests/unit/analysed_scratch.h"

#include <math.h>

#include "core/base/count_of.h"
#include "core/stats/line_fit.h"

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.12g is not within %g of %.12g", value, tolerance, expected);
}

/* Times 5, 7, 9, 13 at 1, 2, 3, 4 with equal weights: means 2.5 and 8.5, sum of
 * squares 5, of products 1.5 * 3.5 + 0.5 * 1.5 + 0.5 * 0.5 + 1.5 * 4.5 = 13, slope
 * 2.6, fixed 2; residuals 0.4, -0.2, -0.8, 0.6: squares 1.2, over 2 degrees 0.6. */
static void a_line_by_hand(void **state)
{
    (void)state;
    static const double x[] = {1, 2, 3, 4}, y[] = {5, 7, 9, 13}, w[] = {1, 1, 1, 1};
    struct line_fit fit;
    assert_true(line_fit(&fit, x, y, w, 4));
    assert_near(fit.slope, 2.6, 1e-12);
    assert_near(fit.fixed, 2, 1e-12);
    assert_near(fit.slope_error, sqrt(0.6 / 5), 1e-12);
    assert_near(fit.fixed_error, sqrt(0.6 * (0.25 + 2.5 * 2.5 / 5)), 1e-12);
    assert_near(fit.df, 2, 0);
    assert_false(line_fit(&fit, x, y, w, 2));
    static const double same[] = {3, 3, 3, 3};
    assert_false(line_fit(&fit, same, y, w, 4));
}

/* A point of weight 0 is on no line: without it 5, 7, 9 lie on 3 + 2 x. */
static void weights_count(void **state)
{
    (void)state;
    static const double x[] = {1, 2, 3, 4}, y[] = {5, 7, 9, 13}, w[] = {2, 2, 2, 0};
    struct line_fit fit;
    assert_true(line_fit(&fit, x, y, w, 4));
    assert_near(fit.slope, 2, 1e-12);
    assert_near(fit.fixed, 3, 1e-12);
}

/* ---- whole bundles ---- */

struct trial {
    struct scratch scratch;
    struct bundle bundle;
    struct analysis analysis;
};

static void trial_judge(struct trial *t)
{
    scratch_analyse(&t->scratch, &t->bundle, &t->analysis);
}

static void trial_end(struct trial *t)
{
    scratch_remove_analysed(&t->scratch, &t->bundle, &t->analysis);
}

static void add_size(struct trial *t, const char *variant, const char *baseline, long bytes, double bus_factor)
{
    char row[160];
    snprintf(row, sizeof row, "%s|bytes=%ld ctas=2|%s|k||||%ld|ready|", variant, bytes, baseline, bytes);
    if (bus_factor > 0)
        snprintf(row + strlen(row), sizeof row - strlen(row), "%g", bus_factor);
    scratch_row(&t->scratch, BUNDLE_VARIANTS, row);
}

static void add_sample(struct trial *t, const char *variant, long bytes, int process, const char *batch, double ns)
{
    char row[160];
    snprintf(row, sizeof row, "%s|bytes=%ld ctas=2|%d|0|0|0|hot|%s|1.5e9|%.17g|", variant, bytes, process, batch, ns);
    scratch_row(&t->scratch, BUNDLE_TIMING, row);
}

static void add_time(struct trial *t, const char *variant, long bytes, int process, double ns)
{
    add_sample(t, variant, bytes, process, "1", ns);
}

static const struct finding *find(const struct analysis *a, const char *id, const char *variant)
{
    for (size_t i = 0; i < a->findings.count; i++)
        if (!strcmp(a->findings.items[i].id, id) && !strcmp(a->findings.items[i].variant, variant))
            return &a->findings.items[i];
    return NULL;
}

/* An all-reduce by hand, as somebody tabled it: GB/s at 256 KiB to 4 MiB, one time each. t =
 * bytes / rate: 69.35, 148.95, 292.08, 577.73, 1149.12 us. Weighted by 1 / t^2 the line is -2.67 us + bytes /
 * 3.583 GB/s; residuals -1.6%, 3.6%, 0.7%, -0.8%, -1.6%: s = 2.53%, the error of the
 * fixed part 2.337 us, t(0.975, 3) = 3.182: from -10.1 to 4.76 us, 6.9% of 69.35. */
static void the_table_of_an_all_reduce(void **state)
{
    (void)state;
    static const double gb_per_s[] = {3.78, 3.52, 3.59, 3.63, 3.65};
    struct trial t;
    scratch_create(&t.scratch);
    for (size_t i = COUNT_OF(gb_per_s); i-- > 0;) { /* largest first: the sweep sorts */
        const long bytes = 262144L << i;
        add_size(&t, "allreduce/1stage", "", bytes, 1);
        add_time(&t, "allreduce/1stage", bytes, 0, (double)bytes / gb_per_s[i]);
    }
    trial_judge(&t);
    assert_int_equal(t.analysis.sweeps.count, 1);
    const struct sweep *s = &t.analysis.sweeps.items[0];
    assert_int_equal(s->count, 5);
    assert_string_equal(s->points[0].size, "bytes=262144");
    assert_string_equal(s->parameters, "ctas=2");
    assert_near(s->points[0].base_ns, 69350.26, 0.01);
    assert_near(s->points[0].base_bus_factor, 1, 0);
    assert_true(s->has_fit);
    assert_near(s->base.fixed_ns.value, -2673.4, 0.1);
    assert_near(s->base.fixed_ns.low, -2673.4 - 7437.6, 2);
    assert_near(s->base.fixed_ns.high, -2673.4 + 7437.6, 2);
    assert_near(s->base.bytes_per_s.value, 3.5833e9, 1e5);
    assert_int_equal(s->base.worst_point, 1);
    assert_string_equal(s->base.worst_size, "bytes=524288"); /* 262144 << 1 */
    assert_near(s->base.worst_residual, 0.0356, 1e-4);
    const struct finding *f = find(&t.analysis, "bandwidth-limited", "allreduce/1stage");
    assert_non_null(f);
    assert_string_equal(
        f->claim, "launch overhead cannot be the cause: of the 69.4 us at bytes=262144 at most 4.76 us (6.9%) do not "
                  "grow with the size; the rest is bytes at 3.58 GB/s");
    trial_end(&t);
}

/* Five processes at 8 KiB .. 8 MiB; each is off by its own share, the same at every size. */
static void add_lines(struct trial *t, double base_fixed, double base_rate, double cand_fixed, double cand_rate)
{
    static const double off[] = {0, 0.004, -0.003, 0.002, -0.005};
    scratch_create(&t->scratch);
    for (int i = 0; i <= 10; i += 2) {
        const long bytes = 8192L << i;
        add_size(t, "f/a", "", bytes, 0);
        add_size(t, "f/b", "f/a", bytes, 0);
        for (int p = 0; p < 5; p++) {
            add_time(t, "f/a", bytes, p, (base_fixed + (double)bytes / base_rate) * (1 + off[p]));
            add_time(t, "f/b", bytes, p, (cand_fixed + (double)bytes / cand_rate) * (1 + off[p]));
        }
    }
}

/* Times are exactly on their lines (the middle process is off by nothing): fixed 2 us
 * and 300 GB/s, in bytes per ns. Which of latency and bandwidth did f/b change? */
static void what_an_arm_changed(void **state)
{
    (void)state;
    static const struct {
        double fixed, rate;
        const char *claim;
    } cases[] = {
        {2000, 300, "it changes neither beyond doubt"},
        {1000, 300, "it changes the fixed part beyond doubt"},
        {2000, 450, "it changes the bandwidth beyond doubt"},
        {1000, 450, "it changes both beyond doubt"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct trial t;
        add_lines(&t, 2000, 300, cases[i].fixed, cases[i].rate);
        trial_judge(&t);
        const struct sweep *s = &t.analysis.sweeps.items[0];
        assert_int_equal(t.analysis.sweeps.count, 1);
        assert_near(s->base.fixed_ns.value, 2000, 1e-6);
        assert_near(s->base.bytes_per_s.value, 300e9, 1);
        assert_near(s->cand.fixed_ns.value, cases[i].fixed, 1e-6);
        assert_near(s->fixed_change_ns.value, cases[i].fixed - 2000, 1e-6);
        assert_near(s->bandwidth_factor.value, cases[i].rate / 300, 1e-9);
        assert_true(s->base.fixed_ns.low < 2000 && s->base.fixed_ns.high > 2000);
        assert_true(s->base.fixed_ns.low > 1980 && s->base.fixed_ns.high < 2020); /* 0.5% is 10 ns */
        assert_true(fabs(s->base.worst_residual) < 1e-9);
        const struct finding *f = find(&t.analysis, "latency-or-bandwidth", "f/b");
        if (!f || !strstr(f->claim, cases[i].claim))
            fail_msg("'%s'", f ? f->claim : "nothing said");
        /* Fixed 2 us of 2 us + 8192 / 300 = 2.027 us; 2000 ns * 300 bytes/ns = 586 KiB. */
        assert_non_null(strstr(find(&t.analysis, "fixed-cost", "f/a")->claim, "98.7% of the time at bytes=8192"));
        assert_non_null(strstr(find(&t.analysis, "fixed-cost", "f/a")->claim, "from about 586 KiB on"));
        trial_end(&t);
    }
}

/* Ratios 0.5, 0.8 and 1.25 have the geometric mean (0.5)^(1/3) = 0.7937. */
static void the_average_is_the_geometric_mean(void **state)
{
    (void)state;
    static const double ratios[] = {0.5, 0.8, 1.25};
    struct trial t;
    scratch_create(&t.scratch);
    for (size_t i = 0; i < COUNT_OF(ratios); i++) {
        const long bytes = 1024L << i;
        add_size(&t, "f/a", "", bytes, 0);
        add_size(&t, "f/b", "f/a", bytes, 0);
        for (int p = 0; p < 4; p++) {
            add_time(&t, "f/a", bytes, p, 1000 + p);
            add_time(&t, "f/b", bytes, p, (1000 + p) * ratios[i]);
        }
    }
    trial_judge(&t);
    const struct sweep *s = &t.analysis.sweeps.items[0];
    assert_int_equal(s->averaged, 3);
    assert_int_equal(s->n_processes, 4);
    assert_near(s->average.value, pow(0.5, 1.0 / 3), 1e-12);
    assert_near(s->average.low, pow(0.5, 1.0 / 3), 1e-9); /* every process has the same */
    assert_int_equal(s->verdict, COMPARE_FASTER);
    assert_string_equal(s->points[2].row->config, "bytes=4096 ctas=2");
    trial_end(&t);
}

/* Four sizes of 2 us + bytes / 300 and of 0.9 times that, shared out: processes 0, 2, 4 ... time the first and the
 * third, 1, 3, 5 ... the others; round r is slower by r per mille. */
static void add_shared_out(struct trial *t, int rounds)
{
    scratch_create(&t->scratch);
    for (int i = 0; i < 4; i++) {
        const long bytes = 65536L << i;
        add_size(t, "f/a", "", bytes, 0);
        add_size(t, "f/b", "f/a", bytes, 0);
        for (int r = 0; r < rounds; r++) {
            const double ns = (2000 + (double)bytes / 300) * (1 + 0.001 * r), wobble = 1 + 0.000125 * (4 * r % 9 - 4);
            add_time(t, "f/a", bytes, 2 * r + i % 2, ns);
            add_time(t, "f/b", bytes, 2 * r + i % 2, 0.9 * ns * wobble);
        }
    }
}

/* No process measured all sizes: the nth processes of the sizes together are what is resampled. */
static void sizes_that_are_shared_out_have_a_line_and_an_average(void **state)
{
    (void)state;
    struct trial t;
    add_shared_out(&t, 5);
    trial_judge(&t);
    const struct sweep *s = &t.analysis.sweeps.items[0];
    assert_true(s->in_rounds);
    assert_int_equal(s->n_processes, 5);
    assert_near(s->average.value, 0.9, 1e-3);
    assert_true(s->average.low < s->average.value && s->average.high < 0.91 && s->average.low > 0.89);
    assert_int_equal(s->verdict, COMPARE_FASTER);
    assert_true(s->has_fit);
    assert_near(s->base.fixed_ns.value, 2000 * 1.002, 1e-6); /* the median round */
    assert_near(s->base.bytes_per_s.value, 300e9 / 1.002, 1);
    trial_end(&t);
}

/* The average and the lines of a run that could have stopped at six looks pay for them as its rows do. */
static void looks_widen_the_average_and_the_line(void **state)
{
    (void)state;
    double widths[2], lines[2];
    for (size_t i = 0; i < 2; i++) {
        struct trial t;
        add_shared_out(&t, 9);
        json_object_set_new(t.scratch.manifest, "stop", json_pack("{s:i}", "looks", i ? 6 : 1));
        trial_judge(&t);
        const struct sweep *s = &t.analysis.sweeps.items[0];
        widths[i] = s->average.high - s->average.low;
        lines[i] = s->cand.fixed_ns.high - s->cand.fixed_ns.low;
        trial_end(&t);
    }
    assert_true(widths[1] > 1.2 * widths[0]);
    assert_true(lines[1] > lines[0]);
}

/* Beyond 1 MiB the rate falls to a quarter: no line, and nothing is read off it. */
static void times_off_every_line(void **state)
{
    (void)state;
    struct trial t;
    scratch_create(&t.scratch);
    for (int i = 0; i < 6; i++) {
        const long bytes = 65536L << i;
        add_size(&t, "f/a", "", bytes, 0);
        for (int p = 0; p < 3; p++)
            add_time(&t, "f/a", bytes, p, (double)bytes / (i < 4 ? 400 : 100) + p);
    }
    trial_judge(&t);
    assert_non_null(find(&t.analysis, "sweep-no-line", "f/a"));
    assert_null(find(&t.analysis, "bandwidth-limited", "f/a"));
    assert_null(find(&t.analysis, "fixed-cost", "f/a"));
    trial_end(&t);
}

static size_t count_findings(const struct analysis *a, const char *id)
{
    size_t count = 0;
    for (size_t i = 0; i < a->findings.count; i++)
        count += !strcmp(a->findings.items[i].id, id);
    return count;
}

/* Three sizes of a baseline and two candidates, bytes 1000, 2000, 4000 and times that
 * are on the line 100 ns + bytes; `flops` at each size. */
static void add_work(struct trial *t, const double flops[3])
{
    static const char *const arms[] = {"w/a", "w/b", "w/c"};
    scratch_create(&t->scratch);
    for (int size = 0; size < 3; size++)
        for (size_t arm = 0; arm < COUNT_OF(arms); arm++) {
            const long bytes = 1000L << size;
            char row[160];
            snprintf(row, sizeof row, "%s|bytes=%ld ctas=2|%s|k|||%.17g|%ld|ready|", arms[arm], bytes, arm ? "w/a" : "",
                     flops[size], bytes);
            scratch_row(&t->scratch, BUNDLE_VARIANTS, row);
            for (int p = 0; p < 5; p++)
                add_time(t, arms[arm], bytes, p, (100 + (double)bytes) * (1 + 0.001 * p));
        }
}

/* Bytes alone say how times grow only where the work per byte is the same; each arm is spoken of once. */
static void work_that_outgrows_the_bytes_has_no_line(void **state)
{
    (void)state;
    static const struct {
        double flops[3];
        bool has_line;
    } cases[] = {
        {{2000, 4000, 8000}, true},                                 /* 2 per byte */
        {{2000, 4800, 9600}, true},                                 /* 2 to 2.4: 20% */
        {{2000, 4820, 9640}, false},                                /* 2 to 2.41 */
        {{2000, 8000, 32000}, false}, {{9600, 8000, 16000}, false}, /* 9.6 to 4 */
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct trial t;
        add_work(&t, cases[i].flops);
        trial_judge(&t);
        assert_int_equal(t.analysis.sweeps.count, 2);
        assert_int_equal(t.analysis.sweeps.items[0].has_fit, cases[i].has_line);
        assert_int_equal(t.analysis.sweeps.items[1].work_varies, !cases[i].has_line);
        assert_int_equal(count_findings(&t.analysis, "sweep-no-line"), !cases[i].has_line);
        assert_int_equal(count_findings(&t.analysis, "fixed-cost") + count_findings(&t.analysis, "bandwidth-limited") +
                             count_findings(&t.analysis, "fixed-cost-unknown"),
                         cases[i].has_line ? 3 : 0);
        trial_end(&t);
    }
    struct trial t;
    add_work(&t, cases[3].flops);
    trial_judge(&t);
    assert_string_equal(
        find(&t.analysis, "sweep-no-line", "w/a")->claim,
        "no line t = fixed + bytes / bandwidth is fitted: the operations per byte change with the size, "
        "from 2 at bytes=1000 to 8 at bytes=4000");
    trial_end(&t);
}

/* Four sizes of 1000 to 8000 bytes on the line 100 ns + bytes; what a launch alone costs besides is in none of them.
 * "f/a" has its two candidates, "f/z" stands alone. */
static void add_methods(struct trial *t, const char *const batches[4])
{
    static const char *const arms[] = {"f/a", "f/b", "f/c", "f/z"};
    scratch_create(&t->scratch);
    for (int size = 0; size < 4; size++)
        for (size_t arm = 0; arm < COUNT_OF(arms); arm++) {
            const long bytes = 1000L << size;
            add_size(t, arms[arm], arm == 1 || arm == 2 ? "f/a" : "", bytes, 0);
            for (int p = 0; p < 5; p++)
                add_sample(t, arms[arm], bytes, p, batches[size], (100 + (double)bytes) * (1 + 0.001 * p));
        }
}

/* A launch costs more alone than in a graph: between the two there is a step and no line. A pair is told so once.
 */
static void no_line_over_two_ways_of_timing(void **state)
{
    (void)state;
    static const struct {
        const char *batches[4];
        const char *why; /* NULL: there is a line */
    } cases[] = {
        {{"1", "1", "1", "1"}, NULL},
        {{"100", "100", "41", "2"}, NULL}, /* graphs cost a launch alike, however many are in one */
        {{"100", "37", "1", "1"}, "the sizes up to bytes=2000 are timed in graphs, the others launch by launch, and"},
        {{"100", "1", "1", "1"}, "the sizes up to bytes=1000 are timed in graphs, the others launch by launch, and"},
        {{"1", "1", "1", "9"}, "the sizes up to bytes=4000 are timed launch by launch, the others in graphs, and"},
        {{"9", "1", "9", "1"},
         "the sizes up to bytes=1000 are timed in graphs, of the others some launch by launch, and"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct trial t;
        add_methods(&t, cases[i].batches);
        trial_judge(&t);
        assert_int_equal(t.analysis.sweeps.count, 3);
        for (size_t s = 0; s < 3; s++) {
            assert_int_equal(t.analysis.sweeps.items[s].has_fit, !cases[i].why);
            assert_int_equal(t.analysis.sweeps.items[s].timing_varies, cases[i].why != NULL);
        }
        assert_int_equal(t.analysis.sweeps.items[0].averaged, 4); /* each ratio is of one way */
        assert_int_equal(count_findings(&t.analysis, "sweep-no-line"), cases[i].why ? 2 : 0);
        assert_int_equal(count_findings(&t.analysis, "fixed-cost") + count_findings(&t.analysis, "bandwidth-limited") +
                             count_findings(&t.analysis, "fixed-cost-unknown"),
                         cases[i].why ? 0 : 4);
        for (size_t k = 0; cases[i].why && k < 2; k++) {
            const char *claim = find(&t.analysis, "sweep-no-line", k ? "f/z" : "f/a")->claim;
            if (!strstr(claim, cases[i].why))
                fail_msg("'%s'", claim);
        }
        trial_end(&t);
    }
}

/* Samples of which nobody knows: of an arm alone, as of a pair there would be no ratio. */
static void no_line_over_an_unknown_way_of_timing(void **state)
{
    (void)state;
    struct trial t;
    add_methods(&t, (const char *const[]){"1", "1", "", "1"});
    trial_judge(&t);
    assert_non_null(
        strstr(find(&t.analysis, "sweep-no-line", "f/z")->claim,
               "the sizes up to bytes=2000 are timed launch by launch, of the others some in a way that is not known"));
    assert_null(find(&t.analysis, "sweep-no-line", "f/a")); /* three sizes are left, all alone */
    trial_end(&t);
}

/* A line whose fixed part may be more than the shortest time: no more than all of it is. Off
 * the line 100 ns + bytes by 6%, with 3 sizes: t(0.975, 1) = 12.7 makes it wide. */
static void no_share_of_the_time_is_above_all_of_it(void **state)
{
    (void)state;
    static const double off[] = {1.06, 0.94, 1.06};
    struct trial t;
    scratch_create(&t.scratch);
    for (int size = 0; size < 3; size++) {
        const long bytes = 1000L << size;
        add_size(&t, "f/a", "", bytes, 0);
        for (int p = 0; p < 3; p++)
            add_time(&t, "f/a", bytes, p, (100 + (double)bytes) * off[size]);
    }
    trial_judge(&t);
    assert_true(t.analysis.sweeps.items[0].base.fixed_ns.high > 1.1 * t.analysis.sweeps.items[0].points[0].base_ns);
    const struct finding *f = find(&t.analysis, "fixed-cost-unknown", "f/a");
    assert_non_null(f);
    assert_non_null(strstr(f->claim, "from none to 1.17 us, 100.0% of the time at bytes=1000"));
    trial_end(&t);
}

/* What ranks that share a GPU take is on no line: sizes 1000 to 16000 bytes on 100 ns + bytes, of which the arms
 * declare those from `from` bytes on to say nothing. "f/a" has its two candidates, "f/z" stands alone. */
static void add_shared(struct trial *t, const long from[4])
{
    static const char *const arms[] = {"f/a", "f/b", "f/c", "f/z"};
    scratch_create(&t->scratch);
    for (int size = 0; size < 5; size++)
        for (size_t arm = 0; arm < COUNT_OF(arms); arm++) {
            const long bytes = 1000L << size;
            char row[160];
            snprintf(row, sizeof row, "%s|bytes=%ld ctas=2|%s|k||||%ld|ready||||||%s", arms[arm], bytes,
                     arm == 1 || arm == 2 ? "f/a" : "", bytes, bytes >= from[arm] ? "all 2 ranks share one GPU" : "");
            scratch_row(&t->scratch, BUNDLE_VARIANTS, row);
            for (int p = 0; p < 5; p++)
                add_time(t, arms[arm], bytes, p, (100 + (double)bytes) * (1 + 0.001 * p));
        }
}

static size_t count_of_lines(const struct analysis *a)
{
    static const char *const ids[] = {"fixed-cost", "bandwidth-limited", "fixed-cost-unknown", "latency-or-bandwidth"};
    size_t count = 0;
    for (size_t i = 0; i < COUNT_OF(ids); i++)
        count += count_findings(a, ids[i]);
    return count;
}

/* No line is fitted to times that say nothing, of a pair as of an arm alone, and the reason is said once of each arm
 * that declares it; the sizes that say something still have one if they are three. */
static void times_that_say_nothing_are_on_no_line(void **state)
{
    (void)state;
    enum { NEVER = 99999 };
    static const struct {
        long from[4];
        bool fits[3];        /* of a and b, a and c, z */
        const char *told[3]; /* of whom the reason is said */
        size_t of_lines;     /* findings that rest on a line: one an arm, one a pair */
    } cases[] = {
        {{NEVER, NEVER, NEVER, NEVER}, {true, true, true}, {NULL}, 6},
        {{0, 0, 0, 0}, {false, false, false}, {"f/a", "f/z"}, 0},
        {{0, NEVER, NEVER, NEVER}, {false, false, true}, {"f/a"}, 1},
        {{NEVER, 0, 0, NEVER}, {false, false, true}, {"f/b", "f/c"}, 1},
        {{NEVER, 0, NEVER, 0}, {false, true, false}, {"f/b", "f/z"}, 3},
        {{8000, 8000, 8000, 8000}, {true, true, true}, {NULL}, 6},
        {{4000, 4000, 4000, 4000}, {false, false, false}, {"f/a", "f/z"}, 0},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct trial t;
        size_t told = 0;
        add_shared(&t, cases[i].from);
        trial_judge(&t);
        assert_int_equal(t.analysis.sweeps.count, 3);
        for (size_t s = 0; s < 3; s++)
            assert_int_equal(t.analysis.sweeps.items[s].has_fit, cases[i].fits[s]);
        for (; told < 3 && cases[i].told[told]; told++) {
            const struct finding *f = find(&t.analysis, "sweep-no-line", cases[i].told[told]);
            assert_non_null(f);
            assert_string_equal(f->claim,
                                "no line t = fixed + bytes / bandwidth is fitted: times of this form say nothing of "
                                "the variants (all 2 ranks share one GPU)");
        }
        assert_int_equal(count_findings(&t.analysis, "sweep-no-line"), told);
        assert_int_equal(count_of_lines(&t.analysis), cases[i].of_lines);
        trial_end(&t);
    }
}

/* Two sizes have an average and no line; one size has neither; parameters make no sweep. */
static void few_sizes(void **state)
{
    (void)state;
    struct trial t;
    scratch_create(&t.scratch);
    add_size(&t, "f/a", "", 1024, 0);
    add_size(&t, "f/a", "", 2048, 0);
    scratch_row(&t.scratch, BUNDLE_VARIANTS, "f/c|mission ctas=1||k||||10|ready|");
    scratch_row(&t.scratch, BUNDLE_VARIANTS, "f/c|mission ctas=2||k||||20|ready|");
    for (int p = 0; p < 3; p++) {
        char row[128];
        add_time(&t, "f/a", 1024, p, 100 + p);
        add_time(&t, "f/a", 2048, p, 200 + p);
        for (int ctas = 1; ctas <= 2; ctas++) {
            snprintf(row, sizeof row, "f/c|mission ctas=%d|%d|0|0|0|hot|1|1.5e9|%d|", ctas, p, 100 * ctas);
            scratch_row(&t.scratch, BUNDLE_TIMING, row);
        }
    }
    trial_judge(&t);
    assert_int_equal(t.analysis.sweeps.count, 1);
    assert_string_equal(t.analysis.sweeps.items[0].baseline, "f/a");
    assert_false(t.analysis.sweeps.items[0].has_fit);
    assert_int_equal(t.analysis.sweeps.items[0].averaged, 0);
    trial_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_line_over_two_ways_of_timing),
        cmocka_unit_test(no_line_over_an_unknown_way_of_timing),
        cmocka_unit_test(a_line_by_hand),
        cmocka_unit_test(weights_count),
        cmocka_unit_test(the_table_of_an_all_reduce),
        cmocka_unit_test(what_an_arm_changed),
        cmocka_unit_test(the_average_is_the_geometric_mean),
        cmocka_unit_test(times_off_every_line),
        cmocka_unit_test(few_sizes),
        cmocka_unit_test(sizes_that_are_shared_out_have_a_line_and_an_average),
        cmocka_unit_test(looks_widen_the_average_and_the_line),
        cmocka_unit_test(work_that_outgrows_the_bytes_has_no_line),
        cmocka_unit_test(no_share_of_the_time_is_above_all_of_it),
        cmocka_unit_test(times_that_say_nothing_are_on_no_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
