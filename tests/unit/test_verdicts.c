/* Does each verdict need its evidence, and follow from it? */
#include "scratch_bundle.h"

#include <math.h>

#include "analyzers/analyzer.h"
#include "model/launches.h"
#include "reports/reports.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define LDGSTS "sm__sass_inst_executed_op_ldgsts.sum"
#define SYNC_SYMBOL "_Z13pipeline_syncPKfPfi"                /* pipeline_sync(float const*, float*, int) */
#define ASYNC_SYMBOL "_Z16pipeline_cpasyncILi3EEvPKfPfi"      /* void pipeline_cpasync<3>(float const*, float*, int) */
#define ASYNC_PATTERN "pipeline_cpasync<3>"

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.12g is not within %g of %.12g", value, tolerance, expected);
}

/* ---- a trace, event by event, on a clock that each event moves on ---- */

struct tape {
    struct shard_writer shard;
    int64_t now_ns;
    uint32_t correlation;
};

static void tape_open(struct tape *tape, const struct scratch *s)
{
    struct str file;
    str_init(&file);
    *tape = (struct tape){.now_ns = 1000};
    MUST(shard_writer_open(&tape->shard, files_join(&file, s->path, "trace-77-0.bin"), -1, 0, &e));
    str_release(&file);
}

static void tape_close(struct tape *tape)
{
    MUST(shard_writer_close(&tape->shard, &e));
}

static void tape_add(struct tape *tape, struct cpprof_event event)
{
    if (event.kind == CPPROF_EVENT_KERNEL || event.kind == CPPROF_EVENT_COPY)
        event.stream = 7;
    else
        event.device = -1, event.thread = 42;
    event.rank = -1;
    MUST(shard_writer_add(&tape->shard, &event, &e));
}

/* A call of 5 us and, 10 us after its start, a kernel of 100 us. */
static void tape_launch(struct tape *tape, const char *symbol)
{
    const int64_t at = tape->now_ns;
    const uint32_t correlation = ++tape->correlation;
    tape_add(tape, (struct cpprof_event){.kind = CPPROF_EVENT_API, .detail = CPPROF_API_LAUNCH, .start_ns = at,
                                         .end_ns = at + 5000, .correlation = correlation,
                                         .name = shard_writer_string(&tape->shard, "cudaLaunchKernel")});
    if (symbol)
        tape_add(tape, (struct cpprof_event){.kind = CPPROF_EVENT_KERNEL, .start_ns = at + 10000,
                                             .end_ns = at + 110000, .correlation = correlation,
                                             .name = shard_writer_string(&tape->shard, symbol)});
    tape->now_ns = at + 200000;
}

/* A range around `calls` launches of the kernel (NULL: calls without a record). */
static void tape_phase(struct tape *tape, const char *range, const char *symbol, int calls)
{
    const int64_t start_ns = tape->now_ns;
    tape->now_ns += 1000;
    for (int i = 0; i < calls; i++)
        tape_launch(tape, symbol);
    tape->now_ns += 1000;
    tape_add(tape, (struct cpprof_event){.kind = CPPROF_EVENT_RANGE, .start_ns = start_ns, .end_ns = tape->now_ns,
                                         .name = shard_writer_string(&tape->shard, range),
                                         .detail = shard_writer_string(&tape->shard, "cpprof")});
    tape->now_ns += 1000;
}

/* ---- a bundle under judgement ---- */

struct trial {
    struct scratch scratch;
    struct bundle bundle;
    struct analysis analysis;
};

static void trial_judge(struct trial *t)
{
    MUST(bundle_seal(t->scratch.path, t->scratch.manifest, &e));
    bundle_init(&t->bundle);
    MUST(bundle_open(&t->bundle, t->scratch.path, &e));
    analysis_init(&t->analysis, &t->bundle);
    MUST(analyzers_run(&t->analysis, &e));
}

static void trial_end(struct trial *t)
{
    analysis_release(&t->analysis);
    bundle_release(&t->bundle);
    scratch_remove(&t->scratch);
}

static const struct finding *find(const struct analysis *a, const char *id)
{
    for (size_t i = 0; i < a->findings.count; i++)
        if (!strcmp(a->findings.items[i].id, id))
            return &a->findings.items[i];
    return NULL;
}

static void add_timing(const struct scratch *s, const char *variant, int process, double duration_ns)
{
    char row[256];
    for (int i = -1; i <= 1; i++) { /* three samples whose median is the duration */
        snprintf(row, sizeof row, "%s|mission|%d|0|0|%d|hot|1|1.5e9|%.17g", variant, process, i + 1, duration_ns + i);
        scratch_row(s, BUNDLE_TIMING, row);
    }
}

/* ---- selection ---- */

struct selection_case {
    const char *what;
    const char *pattern;
    const char *first, *measure; /* symbols launched; "" the phase without a launch, NULL no such phase */
    const char *min, *max, *measured;
    unsigned dropped;
    enum verdict_status status;
    const char *reason, *detail;
};

static const struct selection_case selection_cases[] = {
    {"meant and counted", ASYNC_PATTERN, ASYNC_SYMBOL, ASYNC_SYMBOL, "1", "", "4096", 0, VERDICT_PASS,
     "kernel_matches", "executed: 4,096, expected at least 1"},
    {"meant, nothing to count", ASYNC_PATTERN, ASYNC_SYMBOL, ASYNC_SYMBOL, NULL, NULL, NULL, 0, VERDICT_PASS,
     "kernel_matches", "ran void pipeline_cpasync<3>(float const*, float*, int)"},
    {"another kernel", ASYNC_PATTERN, SYNC_SYMBOL, SYNC_SYMBOL, "1", "", "0", 0, VERDICT_FAIL, "kernel_differs",
     "ran pipeline_sync(float const*, float*, int), meant a kernel matching 'pipeline_cpasync<3>'; "
     "cp.async (LDGSTS) warp instructions executed: 0, expected at least 1"},
    {"another kernel once", ASYNC_PATTERN, SYNC_SYMBOL, ASYNC_SYMBOL, NULL, NULL, NULL, 0, VERDICT_FAIL,
     "kernel_differs", "ran pipeline_sync("},
    {"another kernel in a trace with gaps", ASYNC_PATTERN, SYNC_SYMBOL, NULL, NULL, NULL, NULL, 9, VERDICT_FAIL,
     "kernel_differs", "ran pipeline_sync("},
    {"the name alone is not enough", ASYNC_PATTERN, ASYNC_SYMBOL, ASYNC_SYMBOL, "1", "", "0", 0, VERDICT_FAIL,
     "expectation_missed", "expected at least 1"},
    {"too many", "pipeline_sync", SYNC_SYMBOL, SYNC_SYMBOL, "0", "0", "8", 0, VERDICT_FAIL, "expectation_missed",
     "executed: 8, expected 0"},
    {"counters missing", ASYNC_PATTERN, ASYNC_SYMBOL, ASYNC_SYMBOL, "1", "", NULL, 0, VERDICT_INCONCLUSIVE,
     "no_counters", LDGSTS " was not measured"},
    {"counter without a value", ASYNC_PATTERN, ASYNC_SYMBOL, ASYNC_SYMBOL, "1", "", "", 0, VERDICT_INCONCLUSIVE,
     "no_counters", "was not measured"},
    {"no trace", ASYNC_PATTERN, NULL, NULL, "1", "", "4096", 0, VERDICT_INCONCLUSIVE, "no_trace",
     "holds no trace"},
    {"nothing launched", ASYNC_PATTERN, "", "", NULL, NULL, NULL, 0, VERDICT_FAIL, "not_launched",
     "no kernel of it"},
    {"gaps in the trace", ASYNC_PATTERN, ASYNC_SYMBOL, ASYNC_SYMBOL, "1", "", "4096", 3, VERDICT_INCONCLUSIVE,
     "trace_incomplete", "the trace has gaps: "},
    {"no pattern", "", ASYNC_SYMBOL, ASYNC_SYMBOL, NULL, NULL, NULL, 0, VERDICT_INCONCLUSIVE, "no_pattern",
     "no valid pattern"},
    {"a pattern that would take gigabytes", "((a{32767}){32767}){32767}", ASYNC_SYMBOL, ASYNC_SYMBOL, NULL, NULL, NULL, 0,
     VERDICT_INCONCLUSIVE, "no_pattern", "no valid pattern"},
    {"one repetition that would take gigabytes", "(a|b|c|.*){9000}", ASYNC_SYMBOL, ASYNC_SYMBOL, NULL, NULL, NULL, 0,
     VERDICT_INCONCLUSIVE, "no_pattern", "no valid pattern"},
    {"a pattern that would take for ever", "(.*)\\1", ASYNC_SYMBOL, ASYNC_SYMBOL, NULL, NULL, NULL, 0,
     VERDICT_INCONCLUSIVE, "no_pattern", "no valid pattern"},
    {"a broken pattern", "pipeline_(", ASYNC_SYMBOL, ASYNC_SYMBOL, NULL, NULL, NULL, 0, VERDICT_INCONCLUSIVE,
     "no_pattern", "no valid pattern"},
};

static void build_selection_case(const struct selection_case *c, struct scratch *s)
{
    char row[256];
    scratch_create(s);
    snprintf(row, sizeof row, "p/async|mission||%s|||||", c->pattern);
    scratch_row(s, BUNDLE_VARIANTS, row);
    if (c->min) {
        snprintf(row, sizeof row, "p/async|" LDGSTS "|%s|%s", c->min, c->max);
        scratch_row(s, BUNDLE_EXPECT, row);
    }
    if (c->measured) {
        snprintf(row, sizeof row, "p/async|mission|k|0|" LDGSTS "|count|%s", c->measured);
        scratch_row(s, BUNDLE_METRICS, row);
    }
    if (!c->first && !c->measure)
        return;
    struct tape tape;
    tape_open(&tape, s);
    tape_phase(&tape, "p/async | mission | verify", "_Z6poisonPf", 1); /* may be any kernel */
    if (c->first)
        tape_phase(&tape, "p/async | mission | first", c->first, c->first[0] ? 1 : 0);
    if (c->measure)
        tape_phase(&tape, "p/async | mission | measure", c->measure, c->measure[0] ? 3 : 0);
    shard_writer_dropped(&tape.shard, CPPROF_EVENT_KERNEL, c->dropped);
    tape_close(&tape);
}

static void selection_needs_two_witnesses(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(selection_cases); i++) {
        const struct selection_case *c = &selection_cases[i];
        struct trial t;
        build_selection_case(c, &t.scratch);
        trial_judge(&t);
        const struct selection_check *check = analysis_selection(&t.analysis, "p/async", "mission");
        assert_non_null(check);
        if (check->status != c->status || strcmp(check->reason, c->reason) != 0 || !strstr(check->detail, c->detail))
            fail_msg("%s: %s, %s, '%s'", c->what, verdict_status_name(check->status), check->reason, check->detail);
        const struct finding *finding = find(&t.analysis, "wrong-kernel");
        assert_true((finding != NULL) == (c->status == VERDICT_FAIL));
        if (finding) {
            assert_int_equal(finding->severity, SEVERITY_FAILURE);
            assert_true(finding->evidence.count > 0);
            assert_int_equal(analysis_status(&t.analysis), EXIT_CHECK_FAILED);
        } else {
            assert_int_equal(analysis_status(&t.analysis), EXIT_INCONCLUSIVE); /* nothing was verified */
        }
        trial_end(&t);
    }
}

/* One launch of a variant with two kernels: the one without LDGSTS is no
 * contradiction. The second launch, where neither has any, is one. */
static void counters_are_read_launch_by_launch(void **state)
{
    (void)state;
    static const struct {
        const char *second;
        const char *reason;
    } cases[] = {{"7", "no_trace"}, {"0", "expectation_missed"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct trial t;
        char row[256];
        scratch_create(&t.scratch);
        scratch_row(&t.scratch, BUNDLE_VARIANTS, "p/async|mission||" ASYNC_PATTERN "|||||");
        scratch_row(&t.scratch, BUNDLE_EXPECT, "p/async|" LDGSTS "|1|");
        scratch_row(&t.scratch, BUNDLE_METRICS, "p/async|mission|a|0|" LDGSTS "|count|9");
        scratch_row(&t.scratch, BUNDLE_METRICS, "p/async|mission|b|0|" LDGSTS "|count|0");
        scratch_row(&t.scratch, BUNDLE_METRICS, "p/async|mission|a|1|" LDGSTS "|count|0");
        snprintf(row, sizeof row, "p/async|mission|b|1|" LDGSTS "|count|%s", cases[i].second);
        scratch_row(&t.scratch, BUNDLE_METRICS, row);
        trial_judge(&t);
        assert_string_equal(t.analysis.selection.items[0].reason, cases[i].reason);
        trial_end(&t);
    }
}

static void launches_are_attributed(void **state)
{
    (void)state;
    struct scratch s;
    struct tape tape;
    scratch_create(&s);
    tape_open(&tape, &s);
    tape_launch(&tape, "_Z7foreignv"); /* outside of every range */
    tape_phase(&tape, "p/a | mission | verify", "_Z1vv", 1);
    tape_phase(&tape, "p/a | odd | shape | first", SYNC_SYMBOL, 1);
    tape_phase(&tape, "p/a | odd | shape | measure", SYNC_SYMBOL, 2);
    tape_phase(&tape, "no phase here", SYNC_SYMBOL, 1);
    /* A graph of two kernels, started by a runtime call with an id of its own
     * around the driver call that the kernels name. */
    const int64_t at = tape.now_ns;
    const uint32_t outer = ++tape.correlation, inner = ++tape.correlation;
    const uint32_t name = shard_writer_string(&tape.shard, ASYNC_SYMBOL);
    tape_add(&tape, (struct cpprof_event){.kind = CPPROF_EVENT_API, .detail = CPPROF_API_LAUNCH, .start_ns = at + 100,
                                          .end_ns = at + 9000, .correlation = outer});
    tape_add(&tape, (struct cpprof_event){.kind = CPPROF_EVENT_API, .detail = CPPROF_API_LAUNCH, .start_ns = at + 200,
                                          .end_ns = at + 8000, .correlation = inner,
                                          .flags = CPPROF_EVENT_DRIVER_API});
    for (int i = 0; i < 2; i++)
        tape_add(&tape, (struct cpprof_event){.kind = CPPROF_EVENT_KERNEL, .start_ns = at + 20000 + 1000 * i,
                                              .end_ns = at + 20500 + 1000 * i, .correlation = inner, .name = name});
    tape_phase(&tape, "p/b | mission | measure", "", 0);
    tape.now_ns = at + 50000;
    tape_close(&tape);
    MUST(bundle_seal(s.path, s.manifest, &e));

    struct launch_list list;
    launch_list_init(&list);
    MUST(launches_read(&list, s.path, &e));
    assert_true(list.has_trace);
    assert_false(list.partial);
    static const struct {
        const char *variant, *shape, *kernel;
        enum launch_phase phase;
        bool first;
        uint32_t part;
    } expected[] = {
        {"p/a", "mission", "v()", LAUNCH_PHASE_VERIFY, false, 0},
        {"p/a", "odd | shape", "pipeline_sync(float const*, float*, int)", LAUNCH_PHASE_FIRST, true, 0},
        {"p/a", "odd | shape", "pipeline_sync(float const*, float*, int)", LAUNCH_PHASE_MEASURE, false, 0},
        {"p/a", "odd | shape", "pipeline_sync(float const*, float*, int)", LAUNCH_PHASE_MEASURE, false, 0},
        {"p/b", "mission", "void pipeline_cpasync<3>(float const*, float*, int)", LAUNCH_PHASE_MEASURE, true, 0},
        {"p/b", "mission", "void pipeline_cpasync<3>(float const*, float*, int)", LAUNCH_PHASE_MEASURE, true, 1},
    };
    assert_int_equal(list.count, COUNT(expected));
    for (size_t i = 0; i < list.count; i++) {
        const struct launch *launch = &list.items[i];
        assert_string_equal(launch->variant, expected[i].variant);
        assert_string_equal(launch->shape, expected[i].shape);
        assert_string_equal(launch_kernel(&list, launch), expected[i].kernel);
        assert_int_equal(launch->phase, expected[i].phase);
        assert_int_equal(launch->first, expected[i].first);
        assert_int_equal(launch->part, expected[i].part);
        assert_true(launch->has_kernel);
    }
    assert_int_equal(list.items[5].api_start_ns, at + 100); /* the outer call's */
    assert_int_equal(list.items[5].kernel_start_ns, at + 21000);
    launch_list_release(&list);
    scratch_remove(&s);
}

/* ---- comparison ---- */

struct comparison_case {
    const char *what;
    double base_ns[6], cand_ns[6]; /* medians of processes 0, 1, 2 ...; 0 ends */
    int cand_from;                 /* number of the candidate's first process */
    enum comparison_verdict verdict;
    const char *reason;
    double ratio;
    int64_t n_processes;
};

/* Where every pair has the same ratio, every resample of the pairs has it too,
 * the log ratios have no spread, and the interval is the ratio itself. */
static const struct comparison_case comparison_cases[] = {
    {"each pair 0.8", {1000, 1100, 1200, 1300, 1400}, {800, 880, 960, 1040, 1120}, 0, COMPARE_FASTER,
     "interval_below_margin", 0.8, 5},
    {"each pair 1.25", {1000, 1100, 1200, 1300, 1400}, {1250, 1375, 1500, 1625, 1750}, 0, COMPARE_SLOWER,
     "interval_above_margin", 1.25, 5},
    {"each pair 0.995: within 1%", {1000, 1100, 1200, 1300, 1400}, {995, 1094.5, 1194, 1293.5, 1393}, 0,
     COMPARE_EQUIVALENT, "interval_within_margin", 0.995, 5},
    /* log ratios {0, .05, -.05, .02, -.02}: s = 0.0381, half width 0.047 or more */
    {"as much noise as effect", {1000, 1000, 1000, 1000, 1000}, {1000, 1051.3, 951.2, 1020.2, 980.2}, 0,
     COMPARE_INCONCLUSIVE, "interval_crosses_margin", 1, 5},
    {"two processes", {1000, 1100}, {500, 550}, 0, COMPARE_INCONCLUSIVE, "too_few_processes", 0.5, 2},
    {"one process", {1000}, {500}, 0, COMPARE_INCONCLUSIVE, "too_few_processes", 0.5, 1},
    {"not timed", {1000, 1000, 1000}, {0}, 0, COMPARE_INCONCLUSIVE, "no_timing", NAN, 0},
    /* arms in processes of their own: 0..4 and 10..14 */
    {"half, not in pairs", {1000, 1001, 1002, 1003, 1004}, {500, 501, 502, 503, 504}, 10, COMPARE_FASTER,
     "interval_below_margin", 502.0 / 1002, 5},
    /* shared drift of 40% hides 10% when the arms are not in the same processes ... */
    {"drift, not in pairs", {1000, 1100, 1200, 1300, 1400}, {900, 990, 1080, 1170, 1260}, 10, COMPARE_INCONCLUSIVE,
     "interval_crosses_margin", 0.9, 5},
    /* ... and does not when they are */
    {"drift, in pairs", {1000, 1100, 1200, 1300, 1400}, {900, 990, 1080, 1170, 1260}, 0, COMPARE_FASTER,
     "interval_below_margin", 0.9, 5},
    /* the candidate died in process 0: four pairs are left */
    {"a process lost", {1000, 1100, 1200, 1300, 1400}, {880, 960, 1040, 1120}, 1, COMPARE_FASTER,
     "interval_below_margin", 0.8, 4},
};

static void build_comparison_case(const struct comparison_case *c, struct scratch *s)
{
    scratch_create(s);
    scratch_row(s, BUNDLE_VARIANTS, "p/sync|mission||pipeline_sync|||2e6|3e3|");
    scratch_row(s, BUNDLE_VARIANTS, "p/async|mission|p/sync|" ASYNC_PATTERN "|||||");
    for (int i = 0; i < 6 && c->base_ns[i] > 0; i++)
        add_timing(s, "p/sync", i, c->base_ns[i]);
    for (int i = 0; i < 6 && c->cand_ns[i] > 0; i++)
        add_timing(s, "p/async", c->cand_from + i, c->cand_ns[i]);
}

static void comparisons_follow_from_the_interval(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(comparison_cases); i++) {
        const struct comparison_case *c = &comparison_cases[i];
        struct trial t;
        build_comparison_case(c, &t.scratch);
        trial_judge(&t);
        assert_int_equal(t.analysis.comparisons.count, 1);
        const struct comparison *got = &t.analysis.comparisons.items[0];
        if (got->verdict != c->verdict || strcmp(got->reason, c->reason) != 0)
            fail_msg("%s: %s, %s, [%g, %g]", c->what, comparison_verdict_name(got->verdict), got->reason, got->ci_low,
                     got->ci_high);
        assert_int_equal(got->n_processes, c->n_processes);
        if (!isnan(c->ratio)) {
            assert_near(got->ratio, c->ratio, 1e-12);
            assert_near(got->speedup, 1 / c->ratio, 1e-12);
            assert_near(got->gain, 1 - c->ratio, 1e-12);
            assert_near(got->clock_ratio, 1, 1e-12);
        }
        trial_end(&t);
    }
}

static void the_first_comparison_to_the_last_digit(void **state)
{
    (void)state;
    struct trial t;
    build_comparison_case(&comparison_cases[0], &t.scratch);
    trial_judge(&t);
    const struct comparison *c = &t.analysis.comparisons.items[0];
    assert_near(c->baseline_ns, 1200, 1e-9);
    assert_near(c->candidate_ns, 960, 1e-9);
    assert_near(c->ci_low, 0.8, 1e-12);
    assert_near(c->ci_high, 0.8, 1e-12);
    assert_near(c->mde, 0.01, 1e-12); /* an interval without width needs only the margin */
    assert_int_equal(c->n_samples, 30); /* 2 arms, 5 processes, 3 each */
    assert_int_equal(comparisons_status(&t.analysis), EXIT_PASS);

    /* 15 samples 999..1001, 1099..1101, ... 1399..1401: the 8th is 1200. */
    const struct timing_summary *timing = &t.analysis.timings.items[0];
    assert_near(timing->p50_ns, 1200, 1e-9);
    assert_near(timing->min_ns, 999, 1e-9);
    assert_near(timing->mean_ns, 1200, 1e-9);
    assert_near(timing->p90_ns, 1399.6, 1e-9); /* position 0.9 * 14 = 12.6, between 1399 and 1400 */
    assert_near(timing->flops_per_s, 2e6 / 1200e-9, 1);
    assert_near(timing->bytes_per_s, 3e3 / 1200e-9, 1);
    assert_true(isnan(t.analysis.timings.items[1].flops_per_s)); /* it states none */
    assert_int_equal(timing->samples, 15);
    assert_int_equal(timing->processes, 5);
    trial_end(&t);
}

static void what_failed_is_never_a_win(void **state)
{
    (void)state;
    static const struct {
        const char *verify[3];
        bool wrong_kernel;
        enum comparison_verdict verdict;
        const char *reason;
    } cases[] = {
        {{"p/async|mission|0|0|before|0|0|9|h|yes|yes|", "p/async|mission|0|0|after|2.5|0.25|9|h|no|no|stage 2 early"},
         false, COMPARE_UNUSABLE, "failed_verification"},
        {{"p/async|ragged|0|0|before|2.5|0.25|9|h||no|"}, false, COMPARE_UNUSABLE, "failed_verification"},
        {{"p/sync|mission|0|0|before|2.5|0.25|9|h||no|"}, false, COMPARE_UNUSABLE, "failed_verification"},
        {{"p/async|mission|0|0|before|0|0|9|h|yes|yes|"}, true, COMPARE_UNUSABLE, "wrong_kernel"},
        {{"p/async|mission|0|0|before|0|0|9|h|yes|yes|"}, false, COMPARE_FASTER, "interval_below_margin"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct trial t;
        build_comparison_case(&comparison_cases[0], &t.scratch);
        for (size_t row = 0; row < COUNT(cases[i].verify) && cases[i].verify[row]; row++)
            scratch_row(&t.scratch, BUNDLE_VERIFY, cases[i].verify[row]);
        if (cases[i].wrong_kernel) {
            struct tape tape;
            tape_open(&tape, &t.scratch);
            tape_phase(&tape, "p/async | mission | measure", SYNC_SYMBOL, 1);
            tape_close(&tape);
        }
        trial_judge(&t);
        const struct comparison *c = &t.analysis.comparisons.items[0];
        assert_int_equal(c->verdict, cases[i].verdict);
        assert_string_equal(c->reason, cases[i].reason);
        const bool unusable = c->verdict == COMPARE_UNUSABLE;
        assert_true(isnan(c->ratio) == unusable);
        assert_int_equal(comparisons_status(&t.analysis), unusable ? EXIT_UNUSABLE_INPUT : EXIT_PASS);
        assert_int_equal(analysis_status(&t.analysis), unusable ? EXIT_CHECK_FAILED : EXIT_INCONCLUSIVE);
        trial_end(&t);
    }
}

static void correctness_sums_up_the_worst(void **state)
{
    (void)state;
    struct trial t;
    scratch_create(&t.scratch);
    scratch_row(&t.scratch, BUNDLE_VARIANTS, "p/a|mission|||||||");
    scratch_row(&t.scratch, BUNDLE_VARIANTS, "p/b|mission|||||||");
    scratch_row(&t.scratch, BUNDLE_VARIANTS, "p/c|mission|||||||");
    scratch_row(&t.scratch, BUNDLE_VERIFY, "p/a|mission|0|0|before|0.01|0|9|h|yes|yes|");
    scratch_row(&t.scratch, BUNDLE_VERIFY, "p/a|mission|0|0|after|0.02|0|9|h|no|yes|");
    scratch_row(&t.scratch, BUNDLE_VERIFY, "p/b|mission|0|1|before|0.5|0.1|9|h|no|no|every 4th value");
    scratch_row(&t.scratch, BUNDLE_VERIFY, "p/b|mission|0|2|before|0.25|0.2|9|h||yes|");
    scratch_row(&t.scratch, BUNDLE_VERIFY, "p/b|ragged|0|2|before|0|0|9|h|yes||"); /* no verdict */
    trial_judge(&t);
    const struct correctness *a = analysis_correctness(&t.analysis, "p/a", "mission");
    assert_int_equal(a->status, VERDICT_PASS);
    assert_int_equal(a->checks, 2);
    assert_near(a->max_abs_err, 0.02, 0);
    assert_int_equal(a->bitwise_equal, 0); /* once not is not */
    const struct correctness *b = analysis_correctness(&t.analysis, "p/b", "mission");
    assert_int_equal(b->status, VERDICT_FAIL);
    assert_int_equal(b->failed, 1);
    assert_near(b->max_abs_err, 0.5, 0);
    assert_near(b->bad_ratio, 0.2, 0);
    assert_string_equal(b->hint, "every 4th value");
    assert_int_equal(analysis_correctness(&t.analysis, "p/b", "ragged")->status, VERDICT_INCONCLUSIVE);
    assert_int_equal(analysis_correctness(&t.analysis, "p/c", "mission")->status, VERDICT_INCONCLUSIVE);
    assert_int_equal(analysis_correctness(&t.analysis, "p/c", "mission")->bitwise_equal, -1);
    const struct finding *wrong = find(&t.analysis, "wrong-result");
    assert_string_equal(wrong->claim, "p/b computes a wrong result at mission: 1 of 2 checks failed");
    assert_string_equal(wrong->advice, "every 4th value");
    assert_int_equal(wrong->evidence.count, 3);
    assert_int_equal(analysis_status(&t.analysis), EXIT_CHECK_FAILED);
    trial_end(&t);
}

static void the_same_code_is_said(void **state)
{
    (void)state;
    struct trial t;
    scratch_create(&t.scratch);
    static const char *const rows[] = {
        "p/a|mission|k|132|256|32|0|0|0|8|1|1|feed|1024", "p/b|mission|k|132|256|32|0|0|0|8|1|1|feed|1024",
        "p/c|mission|k|132|256|32|0|0|0|8|1|1|beef|1024", "p/d|mission|k|132|256|32|0|0||8|1|1||", /* unknown */
        "p/e|mission|k|132|256|32|0|0||8|1|1||",          "p/f|other|k|132|256|32|0|0|0|8|1|1|feed|1024",
        "p/b|mission|k|132|256|32|0|0|0|8|1|1|feed|1024", /* a second kernel with the code of the first */
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        scratch_row(&t.scratch, BUNDLE_RESOURCES, rows[i]);
    trial_judge(&t);
    assert_int_equal(t.analysis.resources.count, COUNT(rows));
    assert_int_equal(t.analysis.identical.count, 1);
    assert_string_equal(t.analysis.identical.items[0].a, "p/a");
    assert_string_equal(t.analysis.identical.items[0].b, "p/b");
    assert_non_null(strstr(find(&t.analysis, "identical-code")->claim, "any difference between them is noise"));
    assert_true(t.analysis.identical.items[0].launched_alike);
    assert_true(isnan(t.analysis.resources.items[3].spill_bytes));
    trial_end(&t);
}

/* One kernel with another grid is another experiment; launched alike it is the same one. */
static void the_same_code_is_the_same_kernel_only_when_launched_alike(void **state)
{
    (void)state;
    static const struct {
        const char *candidate;
        enum comparison_verdict verdict;
        const char *reason, *claim;
    } cases[] = {
        {"p/async|mission|k|132|256|32|0|0|0|8|1|1|feed|1024", COMPARE_INCONCLUSIVE, "identical_code", "is noise"},
        {"p/async|mission|k|1056|256|32|0|0|0|8|1|1|feed|1024", COMPARE_FASTER, "interval_below_margin",
         "launched differently"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct trial t;
        build_comparison_case(&comparison_cases[0], &t.scratch);
        scratch_row(&t.scratch, BUNDLE_RESOURCES, "p/sync|mission|k|132|256|32|0|0|0|8|1|1|feed|1024");
        scratch_row(&t.scratch, BUNDLE_RESOURCES, cases[i].candidate);
        trial_judge(&t);
        assert_int_equal(t.analysis.comparisons.items[0].verdict, cases[i].verdict);
        assert_string_equal(t.analysis.comparisons.items[0].reason, cases[i].reason);
        assert_non_null(strstr(find(&t.analysis, "identical-code")->claim, cases[i].claim));
        trial_end(&t);
    }
}

/* Single launches carry the cost of their events, graphs of many do not. */
static void two_ways_of_timing_make_no_ratio(void **state)
{
    (void)state;
    struct trial t;
    scratch_create(&t.scratch);
    scratch_row(&t.scratch, BUNDLE_VARIANTS, "p/sync|mission|||||||");
    scratch_row(&t.scratch, BUNDLE_VARIANTS, "p/async|mission|p/sync||||||");
    for (int process = 0; process < 5; process++) {
        char row[128];
        snprintf(row, sizeof row, "p/sync|mission|%d|0|0|0|hot|1|1.6e9|5500", process);
        scratch_row(&t.scratch, BUNDLE_TIMING, row);
        snprintf(row, sizeof row, "p/async|mission|%d|0|1|0|hot|100|1.6e9|3400", process);
        scratch_row(&t.scratch, BUNDLE_TIMING, row);
    }
    trial_judge(&t);
    assert_int_equal(t.analysis.comparisons.items[0].verdict, COMPARE_UNUSABLE);
    assert_string_equal(t.analysis.comparisons.items[0].reason, "mixed_timing");
    assert_non_null(strstr(t.analysis.comparisons.items[0].detail, "baseline 1, candidate 100"));
    assert_true(isnan(t.analysis.comparisons.items[0].ratio));
    trial_end(&t);
}

/* 10% less time on a clock that is 12.5% higher is 0.9 * 1.125 = 1.0125 times the cycles. */
static void a_faster_clock_is_no_faster_kernel(void **state)
{
    (void)state;
    struct trial t;
    scratch_create(&t.scratch);
    scratch_row(&t.scratch, BUNDLE_VARIANTS, "p/sync|mission|||||||");
    scratch_row(&t.scratch, BUNDLE_VARIANTS, "p/async|mission|p/sync||||||");
    for (int process = 0; process < 3; process++) {
        char row[128];
        snprintf(row, sizeof row, "p/sync|mission|%d|0|0|0|hot|1|1.6e9|1000", process);
        scratch_row(&t.scratch, BUNDLE_TIMING, row);
        snprintf(row, sizeof row, "p/async|mission|%d|0|1|0|hot|1|1.8e9|900", process);
        scratch_row(&t.scratch, BUNDLE_TIMING, row);
        snprintf(row, sizeof row, "p/async|mission|%d|0|1|0|cold|1|1.8e9|9000", process); /* not compared */
        scratch_row(&t.scratch, BUNDLE_TIMING, row);
    }
    trial_judge(&t);
    assert_near(t.analysis.comparisons.items[0].ratio, 0.9, 1e-12);
    assert_near(t.analysis.comparisons.items[0].clock_ratio, 1.125, 1e-12);
    assert_int_equal(t.analysis.comparisons.items[0].verdict, COMPARE_INCONCLUSIVE);
    assert_string_equal(t.analysis.comparisons.items[0].reason, "clock_difference");
    const struct finding *clock = find(&t.analysis, "clock-difference");
    assert_non_null(clock);
    assert_near(clock->evidence.items[2].value, 1.0125, 1e-12);
    trial_end(&t);
}

/* ---- the whole ---- */

static void build_good_run(struct scratch *s)
{
    build_comparison_case(&comparison_cases[0], s);
    scratch_row(s, BUNDLE_VERIFY, "p/sync|mission|0|0|before|0|0|9|h|yes|yes|");
    scratch_row(s, BUNDLE_VERIFY, "p/async|mission|0|0|before|0|0|9|h|yes|yes|");
    scratch_row(s, BUNDLE_VERIFY, "p/sync|mission|0|0|after|0|0|9|h|yes|yes|");
    scratch_row(s, BUNDLE_VERIFY, "p/async|mission|0|0|after|0|0|9|h|yes|yes|");
    struct tape tape;
    tape_open(&tape, s);
    tape_phase(&tape, "p/sync | mission | measure", SYNC_SYMBOL, 2);
    tape_phase(&tape, "p/async | mission | measure", ASYNC_SYMBOL, 2);
    /* one copy by a call of the first measured range, and one that setup made under the same kernel */
    tape_add(&tape, (struct cpprof_event){.kind = CPPROF_EVENT_API, .detail = CPPROF_API_COPY, .start_ns = 8000,
                                          .end_ns = 9000, .correlation = 90,
                                          .name = shard_writer_string(&tape.shard, "cudaMemcpyAsync")});
    tape_add(&tape, (struct cpprof_event){.kind = CPPROF_EVENT_COPY, .detail = CPPROF_COPY_H2D, .start_ns = 12000,
                                          .end_ns = 62000, .correlation = 90, .size_bytes = 4096});
    tape_add(&tape, (struct cpprof_event){.kind = CPPROF_EVENT_COPY, .detail = CPPROF_COPY_D2H, .start_ns = 70000,
                                          .end_ns = 80000, .correlation = 91, .size_bytes = 8});
    tape_close(&tape);
}

static void missing_evidence_takes_the_pass_away(void **state)
{
    (void)state;
    static const struct {
        const char *manifest; /* members to add */
        const char *table;    /* what expect.csv holds */
        enum exit_status status;
    } cases[] = {
        {"{}", NULL, EXIT_PASS},
        {"{\"failures\": [{\"role\": \"time\", \"index\": 4, \"detail\": \"killed\"}]}", NULL, EXIT_INCONCLUSIVE},
        {"{\"dropped\": {\"kernel\": 1}}", NULL, EXIT_INCONCLUSIVE},
        {"{\"dropped\": {\"kernel\": 0}}", NULL, EXIT_PASS},
        {"{}", "variant,metric,min,max\np/x,", EXIT_UNUSABLE_INPUT},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct trial t;
        build_good_run(&t.scratch);
        json_t *members = json_loads(cases[i].manifest, 0, NULL);
        json_object_update(t.scratch.manifest, members);
        json_decref(members);
        if (cases[i].table)
            scratch_write(&t.scratch, "expect.csv", cases[i].table);
        trial_judge(&t);
        if (analysis_status(&t.analysis) != cases[i].status)
            fail_msg("case %zu: status %d", i, (int)analysis_status(&t.analysis));
        trial_end(&t);
    }
}

/* A timed arm that was not looked at after its loop may have broken in it. */
static void a_check_on_one_side_of_the_loop_is_no_pass(void **state)
{
    (void)state;
    struct trial t;
    build_comparison_case(&comparison_cases[0], &t.scratch);
    scratch_row(&t.scratch, BUNDLE_VERIFY, "p/sync|mission|0|0|before|0|0|9|h|yes|yes|");
    scratch_row(&t.scratch, BUNDLE_VERIFY, "p/sync|ragged|0|0|before|0|0|9|h|yes|yes|"); /* not timed */
    trial_judge(&t);
    assert_int_equal(analysis_correctness(&t.analysis, "p/sync", "mission")->status, VERDICT_INCONCLUSIVE);
    assert_int_equal(analysis_correctness(&t.analysis, "p/sync", "ragged")->status, VERDICT_PASS);
    trial_end(&t);
}

/* Tables of results without the plan that names the variants. */
static void a_bundle_without_variants_never_passes(void **state)
{
    (void)state;
    struct trial t;
    scratch_create(&t.scratch);
    scratch_row(&t.scratch, BUNDLE_VERIFY, "p/sync|mission|0|0|before|0|0|9|h|yes|yes|");
    trial_judge(&t);
    assert_int_equal(analysis_status(&t.analysis), EXIT_UNUSABLE_INPUT);
    trial_end(&t);
}

static void an_empty_bundle_proves_nothing(void **state)
{
    (void)state;
    struct trial t;
    scratch_create(&t.scratch);
    trial_judge(&t);
    assert_int_equal(analysis_status(&t.analysis), EXIT_UNUSABLE_INPUT);
    assert_int_equal(comparisons_status(&t.analysis), EXIT_UNUSABLE_INPUT);
    trial_end(&t);
}

static const struct timeline_device *gpu_of(const struct timeline *timeline)
{
    for (size_t i = 0; i < timeline->device_count; i++)
        if (timeline->devices[i].device == 0)
            return &timeline->devices[i];
    fail_msg("the timeline has no device 0");
    return NULL;
}

/* The measured copy [12, 62) us lies under the first kernel [12, 112) us; setup's [70, 80) does not count. */
static void overlap_is_measured(void **state)
{
    (void)state;
    struct trial t;
    build_good_run(&t.scratch);
    trial_judge(&t);
    assert_true(t.analysis.has_timeline);
    const struct timeline_device *device = gpu_of(&t.analysis.timeline);
    assert_string_equal(selector_text(t.analysis.query.sets[0]), "kernel");
    assert_int_equal(device->sets[0].count, 4);
    assert_int_equal(device->sets[0].busy_ns, 400000);
    assert_string_equal(selector_text(t.analysis.query.sets[t.analysis.query.pairs[0].a]), "copy");
    assert_int_equal(device->pairs[0].overlap_ns, 50000);
    trial_end(&t);
}

static void comparisons_as_json(void **state)
{
    (void)state;
    struct trial t;
    build_good_run(&t.scratch);
    trial_judge(&t);
    json_t *out = json_compare(&t.analysis);
    assert_string_equal(json_get_text(out, "schema", ""), "cpprof.compare/1");
    const json_t *row = json_array_get(json_object_get(out, "rows"), 0);
    assert_string_equal(json_get_text(row, "baseline", ""), "p/sync");
    assert_string_equal(json_get_text(row, "candidate", ""), "p/async");
    assert_string_equal(json_get_text(row, "verdict", ""), "faster");
    assert_near(json_get_number(row, "ratio", 0), 0.8, 1e-12);
    assert_near(json_get_number(row, "confidence", 0), 0.95, 1e-12);
    assert_int_equal(json_get_integer(row, "n_processes", 0), 5);
    const json_t *gates = json_object_get(out, "gates");
    assert_int_equal(json_array_size(gates), 4);
    assert_string_equal(json_get_text(json_array_get(gates, 0), "rule", ""), "selection: p/sync, mission");
    assert_string_equal(json_get_text(json_array_get(gates, 3), "status", ""), "pass");
    json_decref(out);
    trial_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(selection_needs_two_witnesses),
        cmocka_unit_test(counters_are_read_launch_by_launch),
        cmocka_unit_test(launches_are_attributed),
        cmocka_unit_test(comparisons_follow_from_the_interval),
        cmocka_unit_test(the_first_comparison_to_the_last_digit),
        cmocka_unit_test(what_failed_is_never_a_win),
        cmocka_unit_test(correctness_sums_up_the_worst),
        cmocka_unit_test(the_same_code_is_said),
        cmocka_unit_test(a_faster_clock_is_no_faster_kernel),
        cmocka_unit_test(the_same_code_is_the_same_kernel_only_when_launched_alike),
        cmocka_unit_test(two_ways_of_timing_make_no_ratio),
        cmocka_unit_test(a_check_on_one_side_of_the_loop_is_no_pass),
        cmocka_unit_test(a_bundle_without_variants_never_passes),
        cmocka_unit_test(missing_evidence_takes_the_pass_away),
        cmocka_unit_test(an_empty_bundle_proves_nothing),
        cmocka_unit_test(overlap_is_measured),
        cmocka_unit_test(comparisons_as_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
