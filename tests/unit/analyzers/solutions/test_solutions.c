/* Does the table of a task's solutions say of each whether it passes, why not, and how fast it is? */
#include "tests/unit/solver_scene.h"

#include "analyzers/run_facts.h"

static const struct solver all[] = {
    {"v1", 100, 0, "", SYNC_SYMBOL, false, NULL, 0, NULL, 0},
    {"v2", 50, 0, "", SYNC_SYMBOL, false, NULL, 0, NULL, 0},
    {"v3", 10, 0.25, "the launch wrote into its input in", SYNC_SYMBOL, false, NULL, 0, NULL, 0},
    {"v4", 100, 0, "", ASYNC_SYMBOL, false, NULL, 0, NULL, 0}, /* not the kernel that was meant */
    {"v5", 0, 0, "", SYNC_SYMBOL, false, NULL, 0, NULL, 0},
};

static void each_solution_passes_or_has_a_reason(void **state)
{
    (void)state;
    static const struct {
        enum verdict_status status;
        const char *why, *verdict;
    } expected[COUNT_OF(all)] = {
        {VERDICT_PASS, "", "baseline"},
        {VERDICT_PASS, "", "faster"},
        {VERDICT_FAIL, "25.0% of the values at s are wrong: the launch wrote into its input in", "unusable"},
        {VERDICT_FAIL, "pipeline_cpasync", "unusable"},
        {VERDICT_PASS, "", ""},
    };
    struct trial t;
    scene_judge(&t, all, COUNT_OF(all), "task");
    assert_int_equal(t.analysis.solutions.count, COUNT_OF(all));
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        const struct solution *s = &t.analysis.solutions.items[i];
        if (s->status != expected[i].status || !strstr(s->why, expected[i].why) ||
            strcmp(s->verdict, expected[i].verdict) != 0)
            fail_msg("%s: status %d, '%s', '%s'", s->variant, s->status, s->why, s->verdict);
    }
    trial_end(&t);
}

/* A pass without a counter would be by the name of a kernel alone. */
static void nothing_passes_without_a_receipt(void **state)
{
    (void)state;
    static const struct solver two[] = {{"v1", 100, 0, "", SYNC_SYMBOL, false, NULL, 0, NULL, 0},
                                        {"v2", 50, 0, "", SYNC_SYMBOL, true, NULL, 0, NULL, 0}};
    struct trial t;
    scene_judge(&t, two, COUNT_OF(two), "task");
    const struct solution *v1 = &t.analysis.solutions.items[0], *v2 = &t.analysis.solutions.items[1];
    assert_int_equal(v1->status, VERDICT_PASS);
    assert_int_equal(v2->status, VERDICT_INCONCLUSIVE);
    assert_non_null(strstr(v2->why, "no counter shows that it did the work of its task: no counter of the L2 cache"));
    assert_string_equal(selection_reasons[analysis_selection(&t.analysis, v2->arm)->reason].key, "no_counters");
    assert_false(analysis_is_proven(&t.analysis, v2->arm));
    assert_int_equal(analysis_status(&t.analysis), EXIT_INCONCLUSIVE);
    trial_end(&t);
    scene_judge(&t, two, COUNT_OF(two), "");
    assert_true(analysis_is_proven(&t.analysis, analysis_arm(&t.analysis, "t/v2", SHAPE)));
    trial_end(&t);
}

/* Two solutions that are right where they are timed, and at the shape "ragged" as far as rows say. Takes `failures`,
 * which may be NULL. */
static void judge_verified(struct trial *t, const char *const *rows, size_t count, json_t *failures)
{
    static const struct solver two[] = {{"v1", 100, 0, "", SYNC_SYMBOL, false, NULL, 0, NULL, 0},
                                        {"v2", 50, 0, "", SYNC_SYMBOL, false, NULL, 0, NULL, 0}};
    scratch_create(&t->scratch);
    json_object_set_new(t->scratch.manifest, "libraries", json_pack("[{s:s,s:s}]", "name", "l.so", "as", "task"));
    if (failures)
        json_object_set_new(t->scratch.manifest, "failures", failures);
    for (size_t i = 0; i < COUNT_OF(two); i++) {
        scene_add_solver(&t->scratch, &two[i]);
        scene_add_counters(&t->scratch, &two[i]);
    }
    for (size_t i = 0; i < count; i++)
        scratch_row(&t->scratch, BUNDLE_VERIFY, rows[i]);
    scene_write_trace(&t->scratch, two, COUNT_OF(two));
    trial_judge(t);
}

static void all_shapes_are_verified_or_none_passes(void **state)
{
    (void)state;
#define RAGGED(variant, phase, pass) variant "|ragged|0|7|" phase "|0|0|100|||" pass "|"
    static const struct {
        const char *rows[2], *failed_role;
        enum verdict_status first, second;
        const char *why;    /* of the second */
        const char *loaded; /* by the process that failed */
    } cases[] = {
        {{RAGGED("t/v1", "all", "yes"), RAGGED("t/v2", "all", "yes")}, "", VERDICT_PASS, VERDICT_PASS, "", NULL},
        {{RAGGED("t/v1", "all", "yes")}, "", VERDICT_PASS, VERDICT_INCONCLUSIVE, "not all verified", NULL},
        {{RAGGED("t/v1", "all", "yes"), RAGGED("t/v2", "timed", "yes")},
         "",
         VERDICT_PASS,
         VERDICT_INCONCLUSIVE,
         "not all verified",
         NULL},
        {{RAGGED("t/v1", "all", "yes"), RAGGED("t/v2", "all", "")},
         "",
         VERDICT_PASS,
         VERDICT_INCONCLUSIVE,
         "not all verified",
         NULL},
        {{RAGGED("t/v1", "all", "yes"), RAGGED("t/v2", "all", "no")}, "", VERDICT_PASS, VERDICT_FAIL, "ragged", NULL},
        {{NULL},
         "verify",
         VERDICT_INCONCLUSIVE,
         VERDICT_INCONCLUSIVE,
         "not all verified: the verify process 0 failed: it was ended by signal 11",
         NULL},
        {{NULL}, "sample", VERDICT_PASS, VERDICT_PASS, "", NULL},
        {{NULL}, "sample", VERDICT_PASS, VERDICT_PASS, "", "v2"},
        {{NULL},
         "verify",
         VERDICT_PASS,
         VERDICT_INCONCLUSIVE,
         "not all verified: the verify process 0 with v2 failed: it was ended by signal 11",
         "v2"},
        {{NULL}, "time", VERDICT_PASS, VERDICT_INCONCLUSIVE, "the time process 0 with v2 failed: it was", "v2"},
        {{NULL}, "count", VERDICT_PASS, VERDICT_INCONCLUSIVE, "the count process 0 with v2 failed: it was", "v2"},
        {{NULL}, "verify", VERDICT_PASS, VERDICT_PASS, "", "v20"},
    };
#undef RAGGED
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct trial t;
        const size_t count = (cases[i].rows[0] != NULL) + (cases[i].rows[1] != NULL);
        json_t *failures = !*cases[i].failed_role
                               ? NULL
                               : json_pack("[{s:s,s:i,s:s,s:o*}]", "role", cases[i].failed_role, "index", 0, "detail",
                                           "it was ended by signal 11", "solutions",
                                           cases[i].loaded ? json_pack("[s]", cases[i].loaded) : NULL);
        judge_verified(&t, cases[i].rows, count, failures);
        const struct solution *s = t.analysis.solutions.items;
        if (s[0].status != cases[i].first || s[1].status != cases[i].second || !strstr(s[1].why, cases[i].why))
            fail_msg("case %zu: %d and %d, '%s'", i, s[0].status, s[1].status, s[1].why);
        trial_end(&t);
    }
}

static void whose_judge_found_other_than_it_says_fails(void **state)
{
    (void)state;
    static const struct {
        const char *solutions[2];
        enum verdict_status first, second;
    } cases[] = {{{"v2", NULL}, VERDICT_PASS, VERDICT_FAIL},
                 {{"v1", NULL}, VERDICT_FAIL, VERDICT_PASS},
                 {{"v1", "v2"}, VERDICT_INCONCLUSIVE, VERDICT_INCONCLUSIVE}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct trial t;
        judge_verified(&t, NULL, 0,
                       json_pack("[{s:s,s:i,s:s,s:[s,s*],s:b}]", "role", "verify", "index", 0, "detail",
                                 "outputs are wrong", "solutions", cases[i].solutions[0], cases[i].solutions[1],
                                 "dishonest", 1));
        assert_int_equal(t.analysis.solutions.items[0].status, cases[i].first);
        assert_int_equal(t.analysis.solutions.items[1].status, cases[i].second);
        assert_int_equal(analysis_status(&t.analysis), EXIT_CHECK_FAILED);
        trial_end(&t);
    }
}

static void what_is_verified_is_what_is_measured(void **state)
{
    (void)state;
#define SLOW_SYMBOL "_Z18pipeline_sync_slowPf" /* matches the pattern as well */
    static const struct {
        const char *measured, *verified, *as;
        enum verdict_status status;
        const char *why;
    } cases[] = {
        {SYNC_SYMBOL, SLOW_SYMBOL, "task", VERDICT_FAIL,
         "ran pipeline_sync(float const*, float*, int), but pipeline_sync_slow(float*) where its output is verified"},
        {SYNC_SYMBOL, ASYNC_SYMBOL, "task", VERDICT_FAIL, "meant a kernel matching 'pipeline_sync'"},
        {SYNC_SYMBOL, SYNC_SYMBOL, "task", VERDICT_PASS, ""},
        {SYNC_SYMBOL, SLOW_SYMBOL, "", VERDICT_PASS, ""}, /* of variants that judge themselves names may differ */
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct solver one = {"v1", 100, 0, "", cases[i].measured, false, cases[i].verified, 0, NULL, 0};
        struct trial t;
        scene_judge(&t, &one, 1, cases[i].as);
        const struct selection_check *check = analysis_selection(&t.analysis, analysis_arm(&t.analysis, "t/v1", SHAPE));
        if (check->status != cases[i].status || !strstr(check->detail, cases[i].why))
            fail_msg("case %zu: %s, '%s'", i, selection_reasons[check->reason].key, check->detail);
        if (t.analysis.solutions.count)
            assert_int_equal(t.analysis.solutions.items[0].status, cases[i].status);
        trial_end(&t);
    }
}

/* A phase of one kernel, and of a call without a record. */
static void tape_graph_phase(struct tape *tape, const char *range, const char *call)
{
    tape->now_ns += 1000;
    const int64_t start_ns = tape->now_ns;
    tape_launch(tape, SYNC_SYMBOL);
    struct cpprof_event launch = {.kind = CPPROF_EVENT_API,
                                  .detail = CPPROF_API_LAUNCH,
                                  .start_ns = tape->now_ns,
                                  .end_ns = tape->now_ns + 100,
                                  .correlation = ++tape->correlation,
                                  .name = shard_writer_string(&tape->shard, call)};
    tape_add(tape, launch);
    tape->now_ns += 1000;
    tape_range(tape, range, start_ns);
}

/* A graph of copies leaves no kernel; whether one is missing is known from the nodes of the graph that is timed. */
static void a_graph_without_kernels_is_no_gap(void **state)
{
    (void)state;
    static const struct {
        const char *call, *noted; /* kernels of the timed graph, NULL: none is timed */
        enum verdict_status status;
        const char *reason;
    } cases[] = {
        {"cudaGraphLaunch", "50", VERDICT_PASS, "kernel_matches"},
        {"cudaGraphLaunch", "100", VERDICT_INCONCLUSIVE, "trace_incomplete"}, /* its kernel left no record */
        {"cudaGraphLaunch", NULL, VERDICT_INCONCLUSIVE, "trace_incomplete"},
        {"cudaLaunchKernel", "50", VERDICT_INCONCLUSIVE, "trace_incomplete"},
    };
    static const struct solver one = {"v1", 100, 0, "", SYNC_SYMBOL, false, NULL, 0, NULL, 0};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct trial t;
        struct tape tape;
        char row[100];
        scratch_create(&t.scratch);
        json_object_set_new(t.scratch.manifest, "libraries", json_pack("[{s:s,s:s}]", "name", "l.so", "as", "task"));
        scene_add_solver(&t.scratch, &one);
        scene_add_counters(&t.scratch, &one);
        tape_open(&tape, &t.scratch);
        tape_graph_phase(&tape, "t/v1 | s | measure", cases[i].call);
        tape_graph_phase(&tape, "t/v1 | s | verify", cases[i].call);
        tape_close(&tape);
        scratch_row(&t.scratch, BUNDLE_WITNESS, "t/v1|s|0|measure|calls|1");
        scratch_row(&t.scratch, BUNDLE_WITNESS, "t/v1|s|0|verify|calls|1");
        if (cases[i].noted) {
            scratch_row(&t.scratch, BUNDLE_WITNESS, "t/v1|s|0|graph|calls|50");
            snprintf(row, sizeof row, "t/v1|s|0|graph|kernels|%s", cases[i].noted);
            scratch_row(&t.scratch, BUNDLE_WITNESS, row);
        }
        trial_judge(&t);
        const struct selection_check *check = analysis_selection(&t.analysis, analysis_arm(&t.analysis, "t/v1", "s"));
        if (check->status != cases[i].status || strcmp(selection_reasons[check->reason].key, cases[i].reason) != 0)
            fail_msg("case %zu: %s, '%s'", i, selection_reasons[check->reason].key, check->detail);
        const bool is_gap = cases[i].noted && !strcmp(cases[i].noted, "100");
        assert_true((analysis_contradiction(&t.analysis, check->arm) != NULL) == is_gap);
        trial_end(&t);
    }
}

static void times_and_light_stand_beside_it(void **state)
{
    (void)state;
    struct trial t;
    scene_judge(&t, all, COUNT_OF(all), "task");
    const struct solution *v1 = &t.analysis.solutions.items[0], *v2 = &t.analysis.solutions.items[1];
    assert_near(v1->time_ns, 100e3, 1);
    assert_near(v2->time_ns, 50e3, 1);
    assert_near(v2->speedup, 2, 1e-6);
    assert_true(isnan(v1->speedup));
    /* 1e6 bytes at 1e12 bytes/s are 1 us: 1% of 100 us, 2% of 50 us */
    assert_near(v1->light, 0.01, 1e-9);
    assert_near(v2->light, 0.02, 1e-9);
    assert_string_equal(v2->light_by, "l2");
    assert_true(isnan(t.analysis.solutions.items[4].time_ns) && isnan(t.analysis.solutions.items[4].light));
    trial_end(&t);
}

static void variants_that_judge_themselves_have_no_such_table(void **state)
{
    (void)state;
    struct trial t;
    scene_judge(&t, all, 2, "");
    assert_int_equal(t.analysis.solutions.count, 0);
    trial_end(&t);
}

/* Gains of 2.0x and more, whose lower end is 50%: k in each of three processes leave 3 / 3k unseen. */
static void a_gain_is_more_than_what_was_not_verified(void **state)
{
    (void)state;
    static const struct {
        const char *hint; /* of the faster one; the other has "24 timed outputs" */
        const char *verdict, *reason;
        double verified;
        const char *judged;
    } cases[] = {
        {"24 timed outputs; salt 01ab", "faster", "interval_below_margin", 72, ""},
        {"3 timed outputs; salt 01ab", "faster", "interval_below_margin", 9, ""},       /* 33% */
        {"2 timed outputs; salt 01ab", "inconclusive", "few_verified", 6, ""},          /* 50%, as much as the gain */
        {"a fault; 2 timed outputs; salt 01ab", "inconclusive", "few_verified", 6, ""}, /* behind other words */
        {"salt 01ab", "inconclusive", "few_verified", 0, ""},                           /* the other one has some */
        {"24 timed outputs without a gate; on the host, salt 1", "inconclusive", "without_gate", 72,
         "on the host, without a gate"},
        {"24 timed outputs without a gate; inside, salt 1", "inconclusive", "without_gate", 72,
         "inside, without a gate"},
        {"240 outputs; x24 timed outputs; salt 1", "inconclusive", "few_verified", 0, ""}, /* no count of the judge's */
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct solver two[] = {{"v1", 100, 0, "", SYNC_SYMBOL, false, NULL, 0, "24 timed outputs; salt 01ab", 0},
                                     {"v2", 50, 0, "", SYNC_SYMBOL, false, NULL, 0, cases[i].hint, 0}};
        struct trial t;
        scene_judge(&t, two, COUNT_OF(two), "task");
        const struct comparison *c = &t.analysis.comparisons.items[0];
        const struct solution *v2 = &t.analysis.solutions.items[1];
        if (strcmp(v2->verdict, cases[i].verdict) != 0 ||
            strcmp(comparison_reasons[c->reason].key, cases[i].reason) != 0 ||
            strcmp(v2->judged, cases[i].judged) != 0 || v2->verified != cases[i].verified)
            fail_msg("'%s': %s, %s, %g, '%s'", cases[i].hint, v2->verdict, c->detail, v2->verified, v2->judged);
        assert_int_equal(v2->status, VERDICT_PASS); /* it is right, and not faster beyond doubt */
        trial_end(&t);
    }
}

/* Bundles of earlier versions do not say how many they verified, and other variants are not asked. */
static void nothing_is_asked_of_those_that_do_not_count(void **state)
{
    (void)state;
    static const struct {
        const char *hint, *as;
    } cases[] = {{"new 900 ns, again 890 ns; salt 1", "task"}, {"", "task"}, {"1 timed outputs; salt 1", ""}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct solver two[] = {{"v1", 100, 0, "", SYNC_SYMBOL, false, NULL, 0, cases[i].hint, 0},
                                     {"v2", 50, 0, "", SYNC_SYMBOL, false, NULL, 0, cases[i].hint, 0}};
        struct trial t;
        scene_judge(&t, two, COUNT_OF(two), cases[i].as);
        assert_int_equal(t.analysis.comparisons.items[0].verdict, COMPARE_FASTER);
        assert_true(!t.analysis.solutions.count || isnan(t.analysis.solutions.items[1].verified));
        trial_end(&t);
    }
}

/* A launch that waits for the GPU inside its call has no time, in one process or in all. */
static void what_cannot_be_timed_does_not_pass(void **state)
{
    (void)state;
    for (int untimed = 1; untimed <= PROCESSES; untimed++) {
        const struct solver two[] = {
            {"v1", 100, 0, "", SYNC_SYMBOL, false, NULL, 0, "24 timed outputs; salt 1", 0},
            {"v2", 50, 0, "", SYNC_SYMBOL, false, NULL, 0, "24 timed outputs; salt 1", untimed}};
        struct trial t;
        scene_judge(&t, two, COUNT_OF(two), "task");
        const struct solution *v2 = &t.analysis.solutions.items[1];
        const struct comparison *c = &t.analysis.comparisons.items[0];
        assert_int_equal(t.analysis.solutions.count, 2);
        assert_int_equal(v2->status, VERDICT_INCONCLUSIVE);
        assert_non_null(strstr(v2->why, "its launches wait for the GPU inside their call"));
        assert_string_equal(v2->verdict, "inconclusive");
        assert_string_equal(comparison_reasons[c->reason].key, "uncounted");
        assert_true(isnan(v2->time_ns) && isnan(v2->speedup));
        assert_int_equal(analysis_status(&t.analysis), EXIT_INCONCLUSIVE);
        trial_end(&t);
    }
}

/* Bytes alone can be copied: operations that a task declares are counted, or nothing passes. */
static void declared_operations_are_checked(void **state)
{
    (void)state;
    static const struct solver one = {"v1", 100, 0, "", SYNC_SYMBOL, false, NULL, 0, NULL, 0};
    for (int counts_all = 0; counts_all < 2; counts_all++) {
        struct trial t;
        scratch_create(&t.scratch);
        json_object_set_new(t.scratch.manifest, "libraries", json_pack("[{s:s,s:s}]", "name", "l.so", "as", "task"));
        scene_add_solver(&t.scratch, &one);
        if (counts_all)
            scene_add_counters(&t.scratch, &one);
        else
            scene_add_counter(&t.scratch, &one, "lts__t_bytes.sum", "bytes", 1e6);
        scene_write_trace(&t.scratch, &one, 1);
        trial_judge(&t);
        const struct solution *s = &t.analysis.solutions.items[0];
        assert_int_equal(s->status, counts_all ? VERDICT_PASS : VERDICT_INCONCLUSIVE);
        assert_true(counts_all ||
                    strstr(s->why, "declared operations were not checked: not all operations have a counter"));
        trial_end(&t);
    }
}

/* A solution as an earlier version timed it, and as this one does: the inputs make a difference. */
static void new_inputs_are_not_compared_with_old_ones(void **state)
{
    (void)state;
    static const char *const hints[] = {"new 900 ns, again 890 ns; salt 1", "24 timed outputs; salt 1"};
    for (size_t i = 0; i < 4; i++) {
        const struct solver base = {"v1", 100, 0, "", SYNC_SYMBOL, false, NULL, 0, hints[i / 2], 0};
        const struct solver cand = {"v1", 50, 0, "", SYNC_SYMBOL, false, NULL, 0, hints[i % 2], 0};
        struct trial before, after;
        struct analysis between;
        scene_judge(&before, &base, 1, "task");
        scene_judge(&after, &cand, 1, "task");
        analysis_init(&between, &after.bundle);
        MUST(compare_bundles(&between, &before.analysis, &after.analysis, NULL, &e));
        const struct comparison *c = &between.comparisons.items[0];
        const bool is_mixed = i / 2 != i % 2;
        if (is_mixed != !strcmp(comparison_reasons[c->reason].key, "mixed_timing"))
            fail_msg("case %zu: %s (%s)", i, comparison_reasons[c->reason].key, c->detail);
        analysis_release(&between);
        trial_end(&after);
        trial_end(&before);
    }
}

/* v2 and v3 have v1 as their baseline, and none is that of the other: a rule may ask for their ratio. */
static void a_ratio_of_any_two_has_the_same_doubts(void **state)
{
    (void)state;
    static const struct {
        const char *hint; /* of the faster one */
        int untimed;
        enum comparison_reason doubt;
    } cases[] = {{"24 timed outputs; salt 1", 0, COMPARISON_INTERVAL_BELOW_MARGIN},
                 {"2 timed outputs; salt 1", 0, COMPARISON_FEW_VERIFIED},
                 {"24 timed outputs without a gate; salt 1", 0, COMPARISON_WITHOUT_GATE},
                 {"24 timed outputs; salt 1", PROCESSES, COMPARISON_UNCOUNTED}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct solver three[] = {{"v1", 200, 0, "", SYNC_SYMBOL, false, NULL, 0, "24 timed outputs; salt 1", 0},
                                       {"v2", 100, 0, "", SYNC_SYMBOL, false, NULL, 0, "24 timed outputs; salt 1", 0},
                                       {"v3", 50, 0, "", SYNC_SYMBOL, false, NULL, 0, cases[i].hint, cases[i].untimed}};
        struct trial t;
        scene_judge(&t, three, COUNT_OF(three), "task");
        struct run_facts *facts = NULL;
        MUST(run_facts_new(&facts, &t.analysis, &e));
        const struct arm *v2 = analysis_arm(&t.analysis, "t/v2", SHAPE), *v3 = analysis_arm(&t.analysis, "t/v3", SHAPE);
        struct fact_interval interval;
        double ratio;
        const char *doubt =
            cases[i].doubt == COMPARISON_INTERVAL_BELOW_MARGIN ? "" : comparison_reasons[cases[i].doubt].sentence;
        MUST(run_facts_time_ratio(facts, v3, v2, &ratio, &interval, &e));
        assert_string_equal(interval.doubt, doubt);
        MUST(run_facts_time_ratio(facts, v2, v3, &ratio, &interval, &e));
        assert_string_equal(interval.doubt, doubt);
        run_facts_free(facts);
        trial_end(&t);
    }
}

/* Right at all shapes, and timed in as many processes as it has times. */
static void add_timed(const struct scratch *s, const char *name, const char *bus_factor, const double *us,
                      int processes)
{
    char row[200];
    snprintf(row, sizeof row, "t/%s|" SHAPE "|%s|pipeline_sync||0|2000|1000000|ready|%s|||||", name,
             strcmp(name, "v1") ? "t/v1" : "", bus_factor);
    scratch_row(s, BUNDLE_VARIANTS, row);
    for (int i = 0; i < processes; i++) {
        snprintf(row, sizeof row, "t/%s|" SHAPE "|%d|0|0|0|hot|1|1980000000|%.17g|no", name, i, 1000 * us[i]);
        scratch_row(s, BUNDLE_TIMING, row);
        snprintf(row, sizeof row, "t/%s|" SHAPE "|%d|7|timed|0|0|100|||yes|24 timed outputs; salt 1", name, i);
        scratch_row(s, BUNDLE_VERIFY, row);
    }
}

/* Processes 0, 2, 4 and 1, 3 are the halves. */
static void a_collective_that_is_not_as_fast_as_itself_is_inconclusive(void **state)
{
    enum { TIMES = 5 };
    (void)state;
    static const struct {
        const char *bus_factor, *as;
        double base[TIMES], cand[TIMES];
        const char *verdict, *reason;
    } cases[] = {
        {"0.5", "task", {100, 100, 100, 100, 100}, {50, 50, 50, 50, 50}, "faster", "interval_below_margin"},
        {"0.5", "task", {100, 101.9, 100, 101.9, 100}, {50, 50, 50, 50, 50}, "faster", "interval_below_margin"},
        {"0.5", "task", {100, 102.1, 100, 102.1, 100}, {50, 50, 50, 50, 50}, "inconclusive", "unsteady_ranks"},
        {"0.5", "task", {100, 100, 100, 100, 100}, {51.1, 50, 51.1, 50, 51.1}, "inconclusive", "unsteady_ranks"},
        {"0.5", "task", {50, 50, 50, 50, 50}, {100, 110, 100, 110, 100}, "inconclusive", "unsteady_ranks"},
        /* Each pair is equal, and none of them is known. */
        {"0.5", "task", {100, 110, 100, 110, 100}, {100, 110, 100, 110, 100}, "inconclusive", "unsteady_ranks"},
        /* Other tasks, and variants that are no solutions, have an interval and nothing else. */
        {"", "task", {100, 110, 100, 110, 100}, {50, 50, 50, 50, 50}, "faster", "interval_below_margin"},
        {"0.5", "", {100, 110, 100, 110, 100}, {50, 50, 50, 50, 50}, "faster", "interval_below_margin"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct trial t;
        scratch_create(&t.scratch);
        json_object_set_new(t.scratch.manifest, "libraries",
                            json_pack("[{s:s,s:s}]", "name", "libtask.so", "as", cases[i].as));
        add_timed(&t.scratch, "v1", cases[i].bus_factor, cases[i].base, TIMES);
        add_timed(&t.scratch, "v2", cases[i].bus_factor, cases[i].cand, TIMES);
        add_timed(&t.scratch, "v3", cases[i].bus_factor, cases[i].base, TIMES);
        trial_judge(&t);
        const struct comparison *c = &t.analysis.comparisons.items[0];
        if (strcmp(comparison_verdict_name(c->verdict), cases[i].verdict) != 0 ||
            strcmp(comparison_reasons[c->reason].key, cases[i].reason) != 0)
            fail_msg("case %zu: %s, %s: %s", i, comparison_verdict_name(c->verdict), comparison_reasons[c->reason].key,
                     c->detail);
        /* The rule on two that are no baselines of each other says the same. */
        const bool is_unsteady = !strcmp(cases[i].reason, "unsteady_ranks");
        struct run_facts *facts = NULL;
        MUST(run_facts_new(&facts, &t.analysis, &e));
        struct fact_interval interval;
        double ratio;
        MUST(run_facts_time_ratio(facts, analysis_arm(&t.analysis, "t/v3", SHAPE),
                                  analysis_arm(&t.analysis, "t/v2", SHAPE), &ratio, &interval, &e));
        if (is_unsteady != !strcmp(interval.doubt, comparison_reasons[COMPARISON_UNSTEADY_RANKS].sentence))
            fail_msg("case %zu: doubt '%s'", i, interval.doubt);
        run_facts_free(facts);
        trial_end(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_solution_passes_or_has_a_reason),
        cmocka_unit_test(nothing_passes_without_a_receipt),
        cmocka_unit_test(all_shapes_are_verified_or_none_passes),
        cmocka_unit_test(whose_judge_found_other_than_it_says_fails),
        cmocka_unit_test(what_is_verified_is_what_is_measured),
        cmocka_unit_test(a_graph_without_kernels_is_no_gap),
        cmocka_unit_test(times_and_light_stand_beside_it),
        cmocka_unit_test(a_gain_is_more_than_what_was_not_verified),
        cmocka_unit_test(nothing_is_asked_of_those_that_do_not_count),
        cmocka_unit_test(what_cannot_be_timed_does_not_pass),
        cmocka_unit_test(declared_operations_are_checked),
        cmocka_unit_test(new_inputs_are_not_compared_with_old_ones),
        cmocka_unit_test(a_ratio_of_any_two_has_the_same_doubts),
        cmocka_unit_test(a_collective_that_is_not_as_fast_as_itself_is_inconclusive),
        cmocka_unit_test(variants_that_judge_themselves_have_no_such_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
