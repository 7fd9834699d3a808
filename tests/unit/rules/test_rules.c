/* Are rules judged as their words say, where they say, and each for itself? */
#include "tests/unit/judged_rule.h"

#include <math.h>
#include <string.h>

#include "core/base/count_of.h"
#include "core/base/str.h"

static void rules_are_judged_on_each_device(void **state)
{
    (void)state;
    static const struct {
        const char *rule;
        const char *rows; /* a letter a row: p f v i */
        double value;     /* of the first row */
    } cases[] = {
        {"overlap(h2d, kernel) >= 50%", "pf", 0.5},
        {"overlap(h2d[device=0], kernel) >= 50%", "p", 0.5},
        {"overlap(h2d, kernel) <= 0.5", "pp", 0.5},
        {"overlap(h2d, kernel) < 0.5", "fp", 0.5},
        {"overlap_ns(h2d, kernel) == 10ns", "pf", 10},
        {"overlap_ns(h2d, kernel) >= 0.5 * busy(h2d)", "pf", 10},
        {"0.5 * busy(h2d) <= overlap_ns(h2d, kernel)", "pf", 10},
        {"overlap_ns(h2d, kernel) >= 0.6 * busy(h2d)", "ff", 10},
        {"exposed(h2d, kernel) <= 10 ns", "pp", 10},
        {"overlap(d2h, kernel) == 0", "p", 0}, /* device 1 has no d2h */
        {"busy(kernel) > 25ns", "pf", 30},
        {"busy(any) == 45ns", "pf", 45}, /* [0,30) [50,60) [70,75) */
        {"idle() <= 40%", "pp", 0.4},    /* 1 - 45/75; 1 - 30/35 */
        {"idle() < 40%", "fp", 0.4},
        {"gap_max(kernel) == 20ns", "pf", 20}, /* 30..50; 20..25 */
        {"concurrency(any) == 2", "pf", 2},
        {"alternations(copy, kernel) == 2", "pf", 2}, /* a | k l | z */
        {"dur_p50(kernel) == 15ns", "pf", 15},        /* of {20, 10} */
        {"dur_p99(kernel) < 20ns", "pp", 19.9},       /* type 7: 10 + 0.99 * 10 */
        {"serial(kernel)", "pp", 0},
        {"before(h2d, kernel)", "fp", 10}, /* device 0: 20 - 10; device 1: 10 - 10 */
        {"before(h2d, d2h)", "p", -50},
        {"imbalance(kernel) <= 1.2", "p", 1.2}, /* 30 and 20: 30 / 25 */
        {"imbalance(kernel) < 1.2", "f", 1.2},
        {"2 >= 1.5 * imbalance(kernel)", "p", 2},
        {"imbalance(d2h) <= 9", "v", NAN}, /* on one device */
        {"skew(comm) <= 1s", "v", NAN},
        {"late(any) <= 1%", "v", NAN},
        {"count(kernel) == 4", "p", 4},
        {"count(h2d) == 2", "p", 2},
        {"count(kernel[device=1]) == 2", "p", 2},
        {"bytes(copy) == 1025", "p", 1025},
        {"bytes(h2d) < 1KiB", "p", 1001},
        {"count(memset) == 0", "p", 0},
        {"bytes(memset) > 0", "f", 0},
        {"2 * count(h2d) == count(kernel)", "p", 4},
        {"count(kernel) == 2 * alternations(copy, kernel)", "fp", 2}, /* tied to a device: 2 == 2 * 2; 2 == 2 * 1 */
        {"exposed(d2h, kernel[name=k]) == 5ns", "p", 5},
        {"exposed(kernel, d2h) == 20ns", "fp", 30}, /* no d2h on device 1: 10 + 10, all exposed */
        {"exposed(kernel, memset) == 20ns", "fp", 30},
        {"exposed(kernel, d2h[device=0]) == 30ns", "p", 30},     /* it was not asked about device 1 */
        {"exposed(kernel, kernel[name=none]) >= 0ns", "v", NAN}, /* a name that is nowhere */
        {"exposed(memset, kernel) >= 0ns", "v", NAN},
        {"exposed(kernel, api) >= 0ns", "v", NAN},
        {"overlap(memset, kernel) < 10%", "v", NAN},
        {"overlap(kernel, memset) < 10%", "v", NAN},
        {"before(memset, kernel)", "v", NAN},
        {"serial(kernel[name=none])", "v", NAN},
        {"before(d2h, kernel[device=1])", "v", NAN}, /* never on one device */
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct judged j;
        judge(&j, cases[i].rule, two_devices, TWO_DEVICES, NULL);
        char rows[8] = "";
        for (size_t k = 0; k < j.results.count; k++)
            rows[k] = *rule_status_name(j.results.items[k].status);
        if (strcmp(rows, cases[i].rows) != 0)
            fail_msg("%s: %s instead of %s", cases[i].rule, rows, cases[i].rows);
        const double value = j.results.items[0].value;
        if (isnan(cases[i].value) ? !isnan(value) : fabs(value - cases[i].value) > 1e-9)
            fail_msg("%s: %g instead of %g", cases[i].rule, value, cases[i].value);
        assert_string_equal(j.results.items[0].rule, cases[i].rule);
        judged_release(&j);
    }
}

/* What asks about ranges is open where some may be missing, whatever is there; nothing else is. */
static void missing_ranges_leave_rules_on_them_open(void **state)
{
    (void)state;
    static const struct {
        const char *rule;
        enum rule_status status;
    } cases[] = {
        {"concurrency(kernel[device=0]) <= 1", RULE_PASS},
        {"count(kernel) == 3", RULE_FAIL},
        {"count(kernel[nvtx=step]) == 0", RULE_INCONCLUSIVE},
        {"count(kernel[nvtx=step]) >= 1", RULE_INCONCLUSIVE},
        {"overlap(h2d[nvtx=step], kernel) >= 1%", RULE_INCONCLUSIVE},
        {"count(nvtx) == 0", RULE_INCONCLUSIVE},
    };
    struct caveat_list caveats;
    caveat_list_init(&caveats);
    assert_int_equal(caveat_add(&caveats, CAVEAT_RANGES, NULL, "ranges may be missing"), 0);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct judged j;
        judge(&j, cases[i].rule, two_devices, TWO_DEVICES, &caveats);
        assert_int_equal(j.results.count, 1);
        if (j.results.items[0].status != cases[i].status)
            fail_msg("%s: %s", cases[i].rule, rule_status_name(j.results.items[0].status));
        judged_release(&j);
    }
    caveat_list_release(&caveats);
}

/* k and l on streams 1 and 2 of device 0, one after the other; m and n beside each other on streams 1 and 2 of
 * device 1. */
static void a_serial_answer_says_on_how_many_streams(void **state)
{
    (void)state;
    static const struct tiny_event events[] = {{KERNEL, 0, 10, 1, "k", 0, 0},
                                               {KERNEL, 10, 20, 2, "l", 0, 0},
                                               {KERNEL, 0, 10, 1, "m", 1, 0},
                                               {KERNEL, 0, 10, 2, "n", 1, 0},
                                               {KERNEL, 10, 20, 2, "n", 1, 0}};
    static const struct {
        const char *rule, *note;
    } cases[] = {{"serial(kernel)", "on 2 streams, each by itself"},
                 {"serial(kernel[device=1, name=n])", "on 1 stream"},
                 {"count(kernel) == 5", ""}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct judged j;
        judge(&j, cases[i].rule, events, 5, NULL);
        assert_int_equal(j.results.items[0].status, RULE_PASS);
        assert_string_equal(j.results.items[0].note, cases[i].note);
        judged_release(&j);
    }
}

/* Kernels on devices 0 to 9, a copy on device 0 alone: nine lack it, of which eight are named. */
static void devices_without_an_operand_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *rule;
        size_t devices; /* that lack an operand */
    } cases[] = {
        {"overlap(h2d, kernel) >= 0%", 9},
        {"overlap(h2d, kernel[device=3]) >= 0%", 0}, /* vacuous: nothing was judged */
        {"overlap(h2d[device=0], kernel) >= 0%", 0}, /* it was not asked about the others */
        {"busy(h2d[rank=1]) >= 0ns", 0},
        {"busy(h2d) >= 0 * busy(kernel)", 9},
        {"busy(kernel) >= 0ns", 0},
        {"count(h2d) == 1", 0},
    };
    struct tiny_event events[11] = {{H2D, 0, 5, 1, "copy", 0, 8}};
    for (int i = 0; i < 10; i++)
        events[i + 1] = (struct tiny_event){KERNEL, 10 + i, 20 + i, 1, "k", i, 0};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct judged j;
        judge(&j, cases[i].rule, events, 11, NULL);
        assert_int_equal(j.results.absences.count, cases[i].devices > 0);
        const struct rule_absence *absence = j.results.absences.items;
        if (cases[i].devices) {
            assert_int_equal(absence->devices, cases[i].devices);
            assert_string_equal(absence->rule, cases[i].rule);
            for (int k = 0; k < RULE_ABSENCES_SHOWN; k++)
                assert_int_equal(absence->places[k].device, k + 1);
        }
        judged_release(&j);
    }
}

/* thread 1: step [0,50)   calls 1 [0,8) 2 [40,44) 3 [60,80)
 *            1 starts two kernels (a graph): a [10,20) b [20,40); 2: a copy [50,60); 3: a kernel [100,110)
 * A kernel at 200 has no call. */
static const struct cpprof_event launched[] = {
    {.kind = CPPROF_EVENT_RANGE, .name = 1, .thread = 1, .start_ns = 0, .end_ns = 50, .device = -1},
    {.kind = CPPROF_EVENT_API, .detail = CPPROF_API_LAUNCH, .thread = 1, .correlation = 1, .end_ns = 8, .device = -1},
    {.kind = CPPROF_EVENT_KERNEL, .correlation = 1, .start_ns = 10, .end_ns = 20},
    {.kind = CPPROF_EVENT_KERNEL, .correlation = 1, .start_ns = 20, .end_ns = 40},
    {.kind = CPPROF_EVENT_API,
     .detail = CPPROF_API_COPY,
     .thread = 1,
     .correlation = 2,
     .start_ns = 40,
     .end_ns = 44,
     .device = -1},
    {.kind = CPPROF_EVENT_COPY, .correlation = 2, .start_ns = 50, .end_ns = 60},
    {.kind = CPPROF_EVENT_API,
     .detail = CPPROF_API_LAUNCH,
     .thread = 1,
     .correlation = 3,
     .start_ns = 60,
     .end_ns = 80,
     .device = -1},
    {.kind = CPPROF_EVENT_KERNEL, .correlation = 3, .start_ns = 100, .end_ns = 110},
    {.kind = CPPROF_EVENT_KERNEL, .start_ns = 200, .end_ns = 210},
};

static struct event_stream *launched_stream(void)
{
    struct strtab strings;
    struct event_stream *stream = NULL;
    struct err e = {0};
    strtab_init(&strings);
    assert_int_equal(strtab_add(&strings, "step"), 1);
    assert_int_equal(event_stream_from_events(&stream, launched, COUNT_OF(launched), &strings, &e), 0);
    strtab_release(&strings);
    return stream;
}

static void rules_ask_who_launched_it(void **state)
{
    (void)state;
    static const struct {
        const char *rule;
        double value; /* NAN: vacuous */
        bool open;    /* the last kernel has no recorded call: it may belong to the range */
    } cases[] = {
        {"count(kernel[nvtx=step]) == 2", 2, true},
        {"count(any[nvtx=~\"^st\"]) == 3", 3, true},
        {"busy(kernel[nvtx=step]) == 30ns", 30, true},
        {"count(api[nvtx=step]) == 2", 2, true}, /* other calls may not have been asked for */
        {"count(api[nvtx=step]) >= 2", 2, false},
        {"count(kernel[nvtx=stop]) == 0", 0, true},
        {"busy(kernel[nvtx=stop]) == 0ns", NAN, false},
        {"launch_p50(kernel) == 14ns", 14, false}, /* of 8 (once, for both of its kernels) and 20 */
        {"launch_p99(kernel) < 20ns", 8 + 0.99 * 12, false},
        {"launch_p50(copy) == 4ns", 4, false},
        {"queue_p50(kernel) == 20ns", 20, false}, /* of 10, 20, 40 */
        {"queue_p99(kernel) <= 40ns", 20 + 0.98 * 20, false},
        {"queue_p50(kernel[nvtx=step]) == 15ns", 15, true}, /* of 10, 20 */
        {"launch_p50(kernel[name=none]) < 1us", NAN, false},
        {"launch_p50(api) < 1us", NAN, false}, /* calls are started by nobody */
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct judged j;
        judge_stream(&j, cases[i].rule, launched_stream(), NULL);
        assert_int_equal(j.results.count, 1);
        const struct rule_result *row = &j.results.items[0];
        const enum rule_status held = cases[i].open ? RULE_INCONCLUSIVE : RULE_PASS;
        if (row->status != (isnan(cases[i].value) ? RULE_VACUOUS : held))
            fail_msg("%s: %s", cases[i].rule, rule_status_name(row->status));
        if (isnan(cases[i].value) ? !isnan(row->value) : fabs(row->value - cases[i].value) > 1e-9)
            fail_msg("%s: %g instead of %g", cases[i].rule, row->value, cases[i].value);
        judged_release(&j);
    }
}

/* What is found about one rule, as text: rows in their order. */
static void describe_rows(const struct rule_results *results, size_t rule, struct str *out)
{
    for (size_t i = 0; i < results->count; i++) {
        const struct rule_result *row = &results->items[i];
        if (row->index == rule)
            str_addf(out, "%d:%d %s '%s' %.17g %.17g %zu; ", row->rank, row->device, rule_status_name(row->status),
                     row->reason, row->value, row->threshold, row->counterexample_count);
    }
}

/* Judges these rules of the pool, in this order, on a new stream of it. */
static void judge_chosen(struct judged *j, const char *const *pool, const size_t *chosen, size_t count,
                         struct event_stream *stream)
{
    struct err e = {0};
    *j = (struct judged){.stream = stream};
    assert_int_equal(rule_list_new(&j->rules, &e), 0);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(rule_list_add(j->rules, pool[chosen[i]], "r", &e), 0);
    assert_int_equal(rule_list_query(j->rules, &j->query, &e), 0);
    assert_int_equal(timeline_measure(j->stream, &j->query, &j->timeline, &e), 0);
    const struct rule_evidence evidence = {
        .query = &j->query, .timeline = &j->timeline, .caveats = event_stream_caveats(j->stream)};
    assert_int_equal(rule_list_judge(j->rules, &evidence, &j->results, &e), 0);
}

/* A rule says the same alone as among any others, in any order. */
static void rules_do_not_change_one_another(void **state)
{
    (void)state;
    static const char *const pool[] = {
        "count(kernel[nvtx=step]) <= 1",
        "count(kernel[nvtx=step]) <= 9",
        "busy(kernel) >= 0.1 * busy(kernel[nvtx=step])",
        "count(copy[nvtx=step]) == 1",
        "busy(kernel[nvtx=step]) >= 1ns",
        "overlap(copy, kernel[nvtx=step]) >= 0",
        "count(api[nvtx=step]) == 2",
        "count(nvtx) == 1",
        "count(kernel[nvtx=~none]) == 0",
        "launch_p50(kernel) <= 14ns",
        "queue_p50(kernel[nvtx=step]) <= 15ns",
        "dur_p50(kernel) <= 10ns",
        "serial(kernel)",
        "serial(api)",
        "concurrency(any) <= 1",
        "before(copy, kernel)",
        "idle() <= 50%",
        "gap_max(any) <= 20ns",
        "alternations(copy, kernel) <= 1",
        "exposed(copy, kernel) <= 1ns",
        "count(copy[nvtx=step]) >= 2 * count(kernel[nvtx=step])",
        "count(sync) == 0",
    };
    enum { POOL = COUNT_OF(pool), ROUNDS = 300, CHOSEN_MAX = 6 };
    struct str alone[POOL];
    for (size_t i = 0; i < POOL; i++) {
        struct judged j;
        judge_chosen(&j, pool, &i, 1, launched_stream());
        str_init(&alone[i]);
        describe_rows(&j.results, 0, &alone[i]);
        judged_release(&j);
    }
    uint64_t random = 1;
    for (size_t round = 0; round < ROUNDS; round++) {
        size_t chosen[CHOSEN_MAX];
        const size_t count = 2 + round % (CHOSEN_MAX - 1);
        for (size_t i = 0; i < count; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            chosen[i] = (size_t)(random >> 33) % POOL;
        }
        struct judged j;
        judge_chosen(&j, pool, chosen, count, launched_stream());
        for (size_t i = 0; i < count; i++) {
            struct str together;
            str_init(&together);
            describe_rows(&j.results, i, &together);
            if (strcmp(str_text(&together), str_text(&alone[chosen[i]])) != 0)
                fail_msg("round %zu, rule %zu of %zu, '%s': %s instead of %s", round, i, count, pool[chosen[i]],
                         str_text(&together), str_text(&alone[chosen[i]]));
            str_release(&together);
        }
        judged_release(&j);
    }
    for (size_t i = 0; i < POOL; i++)
        str_release(&alone[i]);
}

/* Calls on two threads may overlap; on one they may not. */
static void host_events_are_serial_per_thread(void **state)
{
    (void)state;
    static const struct tiny_event events[] = {{OTHER_CALL, 0, 10, 1, "cudaLaunchKernel", 0, 0},
                                               {OTHER_CALL, 5, 15, 2, "cudaLaunchKernel", 0, 0},
                                               {KERNEL, 20, 30, 7, "k", 0, 0},
                                               {OTHER_CALL, 14, 16, 2, "cudaFree", 0, 0}};
    struct judged j;
    judge(&j, "serial(api)", events, 3, NULL);
    assert_int_equal(j.results.items[0].status, RULE_PASS);
    assert_int_equal(j.results.items[0].device, -1);
    judged_release(&j);
    judge(&j, "serial(api)", events, 4, NULL);
    assert_int_equal(j.results.items[0].status, RULE_FAIL);
    judged_release(&j);
}

static void failures_show_counterexamples(void **state)
{
    (void)state;
    static const struct {
        const char *rule;
        int64_t start_ns, end_ns; /* of the first on device 0 */
        const char *name, *other;
    } cases[] = {
        {"overlap(h2d, kernel) > 90%", 0, 10, "a", ""},      {"90% < overlap(h2d, kernel)", 0, 10, "a", ""},
        {"overlap(h2d, kernel) < 10%", 10, 20, "a", ""},     {"exposed(h2d, kernel) < 5ns", 0, 10, "a", ""},
        {"overlap_ns(h2d, kernel) == 20ns", 0, 10, "a", ""}, {"idle() < 10%", 30, 50, "l", "k"},
        {"gap_max(kernel) < 10ns", 30, 50, "l", "k"},        {"concurrency(any) <= 1", 10, 20, "k", ""},
        {"before(h2d, kernel)", 10, 20, "a", "k"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct judged j;
        judge(&j, cases[i].rule, two_devices, TWO_DEVICES, NULL);
        const struct rule_result *row = &j.results.items[0];
        assert_int_equal(row->status, RULE_FAIL);
        assert_int_not_equal(row->counterexample_count, 0);
        const struct timeline_example *x = &row->counterexamples[0];
        const struct strtab *strings = event_stream_strings(j.stream);
        if (x->start_ns != cases[i].start_ns || x->end_ns != cases[i].end_ns)
            fail_msg("%s: [%d, %d)", cases[i].rule, (int)x->start_ns, (int)x->end_ns);
        assert_string_equal(strtab_text(strings, x->name), cases[i].name);
        assert_string_equal(strtab_text(strings, x->other_name), cases[i].other);
        judged_release(&j);
    }
}

/* 57 * 0.01 is 0.57000000000000006 in binary, 57/100 is not: a rule must not see that. */
static void written_per_cents_are_exact(void **state)
{
    (void)state;
    static const struct tiny_event events[] = {{H2D, 0, 100, 1, "c", 0, 0}, {KERNEL, 43, 100, 2, "k", 0, 0}};
    static const char *const rules[] = {"overlap(h2d, kernel) >= 57%", "overlap(h2d, kernel) <= 57%",
                                        "overlap(h2d, kernel) == 57%"};
    for (size_t i = 0; i < COUNT_OF(rules); i++) {
        struct judged j;
        judge(&j, rules[i], events, 2, NULL);
        assert_int_equal(j.results.items[0].status, RULE_PASS);
        judged_release(&j);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_are_judged_on_each_device),
        cmocka_unit_test(devices_without_an_operand_are_named),
        cmocka_unit_test(rules_ask_who_launched_it),
        cmocka_unit_test(rules_do_not_change_one_another),
        cmocka_unit_test(host_events_are_serial_per_thread),
        cmocka_unit_test(a_serial_answer_says_on_how_many_streams),
        cmocka_unit_test(missing_ranges_leave_rules_on_them_open),
        cmocka_unit_test(failures_show_counterexamples),
        cmocka_unit_test(written_per_cents_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
