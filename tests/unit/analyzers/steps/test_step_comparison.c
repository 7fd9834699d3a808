/* Is the step of one trace faster than that of another? */
#define _GNU_SOURCE
#include <math.h>
#include <string.h>

#include "analyzers/steps/step_comparison.h"
#include "tests/test.h"
#include "tests/unit/hand_trace.h"

enum { STEPS_MOST = 40, PROCESSES_MOST = 4, EVENTS_OF_STEP = 9 };

/* Each step is open for 1000 us on the host. It launches kernels that run back to back from 10 us on, and a copy behind
 * them; the next one begins when the range and the work are over. */
struct plan {
    int steps, kernels, kernel_us, spread_us; /* four steps, then four that are longer by the spread */
    int processes;                            /* one after the other; 0: one */
    int64_t first_longer_us;                  /* the first step's range */
    int unlaunched;                           /* kernels without a call */
};

static int64_t add_step(struct host_event *events, size_t *count, const struct plan *p, int64_t begin_ns, int rank,
                        int nth)
{
    static unsigned correlation = 1;
    const int64_t us = 1000, open_ns = us * (1000 + (nth ? 0 : p->first_longer_us));
    int64_t at_ns = begin_ns + 10 * us;
    events[(*count)++] = (struct host_event){RANGE, begin_ns, begin_ns + open_ns, 0, 7, "step", 0, rank + 1};
    for (int k = 0; k < p->kernels; k++) {
        const int64_t end_ns = at_ns + us * (p->kernel_us + (nth / 4 % 2 ? p->spread_us : 0));
        const int64_t call_ns = begin_ns + (1 + k) * us;
        if (k >= p->unlaunched)
            events[(*count)++] = (struct host_event){LAUNCH_CALL,        call_ns, call_ns + 500, correlation, 7,
                                                     "cudaLaunchKernel", 0,       rank + 1};
        events[(*count)++] = (struct host_event){KERNEL, at_ns, end_ns, correlation++, 1, "flash", 0, rank + 1};
        at_ns = end_ns;
    }
    events[(*count)++] = (struct host_event){
        COPY_CALL, begin_ns + 100 * us, begin_ns + 101 * us, correlation, 7, "cudaMemcpyAsync", 0, rank + 1};
    events[(*count)++] = (struct host_event){H2D, at_ns, at_ns + 5 * us, correlation++, 1, "", 0, rank + 1};
    at_ns += 5 * us;
    return at_ns > begin_ns + open_ns ? at_ns : begin_ns + open_ns;
}

static struct event_stream *make_stream(const struct plan *p)
{
    static struct host_event events[STEPS_MOST * PROCESSES_MOST * EVENTS_OF_STEP];
    size_t count = 0;
    int64_t at_ns = 1000;
    for (int rank = 0; rank < (p->processes ? p->processes : 1); rank++)
        for (int nth = 0; nth < p->steps; nth++)
            at_ns = add_step(events, &count, p, at_ns, rank, nth);
    return host_stream(events, count);
}

struct pair {
    struct event_stream *streams[2];
    struct trace_steps steps[2];
    struct caveat_list caveats[2];
    struct step_comparison comparison;
};

static void pair_init(struct pair *p, const struct plan *before, const struct plan *after, const char *range)
{
    const struct plan *plans[] = {before, after};
    struct err e = {0};
    for (size_t i = 0; i < 2; i++) {
        p->streams[i] = make_stream(plans[i]);
        caveat_list_init(&p->caveats[i]);
        assert_int_equal(trace_steps_read(&p->steps[i], p->streams[i], range, &e), 0);
    }
}

static void pair_compare(struct pair *p)
{
    struct err e = {0};
    const struct step_input a = {&p->steps[0], &p->caveats[0], NULL}, b = {&p->steps[1], &p->caveats[1], NULL};
    assert_int_equal(step_comparison_make(&p->comparison, &a, &b, 0.01, "device,driver", &e), 0);
}

static void pair_release(struct pair *p)
{
    step_comparison_release(&p->comparison);
    for (size_t i = 0; i < 2; i++) {
        trace_steps_release(&p->steps[i]);
        caveat_list_release(&p->caveats[i]);
        event_stream_free(p->streams[i]);
    }
}

TEST(verdicts_follow_from_steps)
{
    /* Two kernels of 1000 us: a step takes 10 + 2 x 1000 + 5 = 2015 us; of 1100 us, 2215 us. */
    static const struct plan plain = {.steps = 21, .kernels = 2, .kernel_us = 1000, .spread_us = 2},
                             slow = {.steps = 21, .kernels = 2, .kernel_us = 1100, .spread_us = 2},
                             wide = {.steps = 21, .kernels = 2, .kernel_us = 1000, .spread_us = 300},
                             wide_slow = {.steps = 21, .kernels = 2, .kernel_us = 1020, .spread_us = 300},
                             few = {.steps = 5, .kernels = 2, .kernel_us = 1100},
                             one = {.steps = 1, .kernels = 2, .kernel_us = 1100},
                             unlaunched = {.steps = 21, .kernels = 2, .kernel_us = 900, .unlaunched = 1},
                             three = {.steps = 5, .kernels = 2, .kernel_us = 1000, .processes = 3},
                             three_slow = {.steps = 5, .kernels = 2, .kernel_us = 1100, .processes = 3};
    static const struct {
        const struct plan *before, *after;
        const char *range;
        enum comparison_verdict verdict;
        const char *reason;
    } cases[] = {
        {&plain, &slow, "step", COMPARE_SLOWER, "beyond_spread"},
        {&slow, &plain, "step", COMPARE_FASTER, "beyond_spread"},
        {&plain, &plain, "step", COMPARE_INCONCLUSIVE, "within_spread"}, /* never equivalent */
        {&wide, &wide_slow, "step", COMPARE_INCONCLUSIVE, "within_spread"},
        {&plain, &few, "step", COMPARE_INCONCLUSIVE, "too_few_steps"}, /* four are left */
        {&one, &one, "step", COMPARE_INCONCLUSIVE, "too_few_steps"},
        {&plain, &slow, NULL, COMPARE_INCONCLUSIVE, "no_steps"},
        {&plain, &unlaunched, "step", COMPARE_INCONCLUSIVE, "unlaunched"},
        {&three, &three, "step", COMPARE_EQUIVALENT, "interval_within_margin"},
        {&three, &three_slow, "step", COMPARE_SLOWER, "interval_above_margin"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct pair p = {0};
        pair_init(&p, cases[i].before, cases[i].after, cases[i].range);
        pair_compare(&p);
        if (p.comparison.verdict != cases[i].verdict ||
            strcmp(step_reasons[p.comparison.reason].key, cases[i].reason) != 0)
            fail_msg("case %zu: %s, %s", i, comparison_verdict_name(p.comparison.verdict),
                     step_reasons[p.comparison.reason].key);
        pair_release(&p);
    }
}

/* One process waits for the other: the slowest counts, and they are no replicates. */
TEST(processes_at_once_are_no_replicates)
{
    static const struct plan plan = {.steps = 11, .kernels = 1, .kernel_us = 1000, .processes = 3};
    struct pair p = {0};
    pair_init(&p, &plan, &plan, "step");
    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < p.steps[side].count; i++)
            if (p.steps[side].items[i].rank > 0) { /* by two thirds of the trace towards the first */
                p.steps[side].items[i].start_ns -= p.steps[side].items[i].rank * INT64_C(10000000);
                p.steps[side].items[i].end_ns -= p.steps[side].items[i].rank * INT64_C(10000000);
            }
    pair_compare(&p);
    assert_false(p.comparison.has_replicates);
    assert_string_equal(step_reasons[p.comparison.reason].key, "within_spread");
    pair_release(&p);
}

/* Two kernels of 1000 us and a copy of 5 us, from 10 us on: a step is 2015 us, 10 of them idle. With one of three
 * kernels less, 1015 us are over after 1000 us of the range, so its end is that of the work. */
TEST(parts_add_up_and_work_is_counted)
{
    static const struct plan before = {.steps = 8, .kernels = 3, .kernel_us = 1000, .first_longer_us = 5000},
                             after = {.steps = 8, .kernels = 2, .kernel_us = 1000};
    static const double expected[2][STEP_MEASURES] = {{3015e3, 3000e3, 0, 5e3, 0, 0, 10e3},
                                                      {2015e3, 2000e3, 0, 5e3, 0, 0, 10e3}};
    struct pair p = {0};
    pair_init(&p, &before, &after, "step");
    pair_compare(&p);
    assert_int_equal(p.comparison.sides[0].steps, 7);
    assert_int_equal(p.comparison.sides[0].left_out, 1);
    for (size_t m = 0; m < STEP_MEASURES; m++) {
        assert_true(p.comparison.measures[m].before_ns == expected[0][m]);
        assert_true(p.comparison.measures[m].after_ns == expected[1][m]);
    }
    assert_int_equal(p.comparison.work.count, 2);
    const struct step_work *flash = &p.comparison.work.items[0], *copy = &p.comparison.work.items[1];
    assert_string_equal(flash->name, "flash");
    assert_true(flash->differs && flash->before_launches == 3 && flash->after_launches == 2);
    assert_true(flash->before_ns == 3000e3 && flash->after_ns == 2000e3);
    assert_string_equal(copy->name, "copy h2d");
    assert_false(copy->differs);
    pair_release(&p);
}

TEST(evidence_that_is_missing_takes_a_pass_away)
{
    static const struct plan plain = {.steps = 21, .kernels = 2, .kernel_us = 1000},
                             slow = {.steps = 21, .kernels = 2, .kernel_us = 1100};
    static const struct {
        enum caveat_kind kind;
        const char *faster, *slower; /* the reasons; what is slower stays it */
    } cases[] = {{CAVEAT_NOTE, "beyond_spread", "beyond_spread"},
                 {CAVEAT_RANGES, "incomplete", "beyond_spread"},
                 {CAVEAT_WEAKENS, "incomplete", "beyond_spread"},
                 {CAVEAT_TRUNCATED, "damaged", "beyond_spread"}};
    struct err e = {0};
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        for (size_t side = 0; side < 2; side++)
            for (int is_slower = 0; is_slower < 2; is_slower++) {
                struct pair p = {0};
                pair_init(&p, is_slower ? &plain : &slow, is_slower ? &slow : &plain, "step");
                assert_int_equal(caveat_add(&p.caveats[side], cases[i].kind, &e, "a remark"), 0);
                pair_compare(&p);
                assert_string_equal(step_reasons[p.comparison.reason].key,
                                    is_slower ? cases[i].slower : cases[i].faster);
                pair_release(&p);
            }
}

TEST(other_machines_are_said)
{
    static const struct plan plain = {.steps = 21, .kernels = 2, .kernel_us = 1000},
                             slow = {.steps = 21, .kernels = 2, .kernel_us = 1100};
    json_t *one = json_pack("{s{ss}s[{s[{ss}]}]}", "driver", "version", "580.1", "processes", "gpus", "name", "H100"),
           *two = json_pack("{s{ss}s[{s[{ss}]}]}", "driver", "version", "590.2", "processes", "gpus", "name", "H200");
    static const struct {
        const char *across, *reason;
    } cases[] = {{NULL, "other_machine"}, {"device", "other_machine"}, {"driver,device", "beyond_spread"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct pair p = {0};
        struct err e = {0};
        pair_init(&p, &plain, &slow, "step");
        const struct step_input a = {&p.steps[0], &p.caveats[0], one}, b = {&p.steps[1], &p.caveats[1], two};
        assert_int_equal(step_comparison_make(&p.comparison, &a, &b, 0.01, cases[i].across, &e), 0);
        assert_string_equal(step_reasons[p.comparison.reason].key, cases[i].reason);
        assert_int_equal(p.comparison.machines.count, 2);
        assert_string_equal(p.comparison.machines.items[0], "device H100 before, H200 after");
        assert_string_equal(p.comparison.machines.items[1], "driver 580.1 before, 590.2 after");
        pair_release(&p);
    }
    json_decref(one);
    json_decref(two);
}

/* A step of 100 us on the host that launches a kernel of 300 us each time: the device is always behind. The first
 * begins at 0, the second is launched at 100 and runs from 310 to 610: its step is from there, not from 100. */
TEST(work_that_runs_behind_is_not_counted_twice)
{
    static const struct host_event events[] = {
        {RANGE, 0, 100, 0, 7, "step#1", 0, 0},    {LAUNCH_CALL, 1, 2, 1, 7, "l", 0, 0},
        {KERNEL, 10, 310, 1, 1, "a", 0, 0},       {RANGE, 100, 200, 0, 7, "step#2", 0, 0},
        {LAUNCH_CALL, 101, 102, 2, 7, "l", 0, 0}, {KERNEL, 310, 610, 2, 1, "a", 0, 0},
        {LAUNCH_CALL, 250, 251, 3, 7, "l", 0, 0}, {KERNEL, 610, 700, 3, 1, "between", 0, 0}};
    struct event_stream *stream = host_stream(events, COUNT_OF(events));
    struct trace_steps steps;
    struct err e = {0};
    assert_int_equal(trace_steps_read(&steps, stream, "^step", &e), 0);
    assert_int_equal(steps.count, 2);
    assert_string_equal(steps.side.range, "step#");
    assert_true(steps.items[0].start_ns == 0 && steps.items[0].end_ns == 310);
    assert_true(steps.items[1].start_ns == 310 && steps.items[1].end_ns == 610);
    assert_int_equal(steps.kernels.count, 1); /* what was launched between them is no part of a step */
    trace_steps_release(&steps);
    event_stream_free(stream);
}

TEST(ranges_must_be_one)
{
    static const struct host_event events[] = {{RANGE, 0, 100, 0, 7, "step 1", 0, 0},
                                               {RANGE, 200, 300, 0, 7, "stop 1", 0, 0},
                                               {RANGE, 400, 500, 0, 7, "alone", 0, 0},
                                               {RANGE, 450, 550, 0, 8, "alone", 0, 0},
                                               {KERNEL, 10, 20, 1, 1, "a", 0, 0}};
    static const struct {
        const char *range;
        int code;
    } cases[] = {{"^st", ERR_INPUT}, {"(", ERR_USAGE}, {"none", ERR_INPUT}, {"alone", ERR_INPUT}, {"step", ERR_INPUT}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct event_stream *stream = host_stream(events, COUNT_OF(events));
        struct trace_steps steps;
        struct err e = {0};
        assert_int_equal(trace_steps_read(&steps, stream, cases[i].range, &e), cases[i].code);
        trace_steps_release(&steps);
        event_stream_free(stream);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts_follow_from_steps),
        cmocka_unit_test(processes_at_once_are_no_replicates),
        cmocka_unit_test(parts_add_up_and_work_is_counted),
        cmocka_unit_test(evidence_that_is_missing_takes_a_pass_away),
        cmocka_unit_test(other_machines_are_said),
        cmocka_unit_test(work_that_runs_behind_is_not_counted_twice),
        cmocka_unit_test(ranges_must_be_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
