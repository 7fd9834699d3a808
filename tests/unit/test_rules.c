/* Does the rule engine say pass only where there is evidence, and where a rule is wrong? */
#define _DEFAULT_SOURCE
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/files.h"
#include "model/rule_functions.h"
#include "model/rules.h"
#include "tiny_trace.h"

#define FUNCTIONS                                                                                                      \
    " overlap(a,b) overlap_ns(a,b) exposed(a,b) busy(a) idle() gap_max(a) count(a) bytes(a) concurrency(a) "           \
    "alternations(a,b) dur_p50(a) dur_p99(a) launch_p50(a) launch_p99(a) queue_p50(a) queue_p99(a) serial(a) "         \
    "before(a,b) time(V) ratio(V) speedup(V) gain(V) registers(V) shared(V) spills(V) local(V) waves(V) launches(V) "   \
    "occupancy(V) max_abs_err(V) bad_ratio(V) metric(V,NAME) class(V) recorded(MEMBER); V is a variant's name, A or B"

static void good_rules_parse(void **state)
{
    (void)state;
    static const char *const rules[] = {
        "overlap(h2d, kernel) >= 80%",
        "overlap(h2d,kernel)>=0.8",
        "  overlap ( h2d , kernel )\t>= 80 %  ",
        "overlap_ns(h2d, kernel) >= 0.5 * busy(h2d)",
        "0.5*busy(h2d) <= overlap_ns(h2d, kernel)",
        "2 * count(copy) == count(kernel)",
        "80% <= overlap(copy, kernel)",
        "exposed(copy[stream=7], kernel[name=~gemm|tile]) < 1.5 ms",
        "overlap(copy[name=\"a),b] >= 1\"], kernel) > 0",
        "idle() < 5%",
        "gap_max(any) <= 20us",
        "count(memset) == 0",
        "bytes(h2d) <= 16 MiB",
        "bytes(h2d) == 0",
        "concurrency(kernel) != 1",
        "alternations(copy, kernel) <= 3",
        "dur_p50(kernel) < dur_p99(kernel)",
        "serial(kernel)",
        "before(copy, kernel)",
        "time(B) <= 0.97 * time(A)",
        "time(sdpa/stage1-sync) < 5.5 us",
        "registers(\"my, own\") == registers(A)",
        "shared(B) <= 48 KiB",
        "spills(B) == 0",
        "occupancy(B) >= 50%",
        "max_abs_err(B) <= 1e-3",
        "bad_ratio(B) == 0",
        "metric(B, dram_share) >= 60%",
        "metric(B, smsp__inst_executed_op_ldgsts.sum) > 0",
        "class(B) == memory-bound",
        "class(A) != class(B)",
        "gain(B) >= 10%",
        "gain(f/x) >= -5%",
        "0.9 >= ratio(B)",
        "speedup(B) >= 1.1",
        "launches(B) == launches(A)",
        "recorded(cpprof.commit)",
        "recorded( \"gpu.uuid\" )",
        "expect tensor_cycles up; sm_throughput up 5%; dram_bytes flat 3%",
        "  expect\tdram_bytes flat;",
    };
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        struct rule_list *list;
        struct err e = {0};
        assert_int_equal(rule_list_new(&list, &e), 0);
        if (rule_list_add(list, rules[i], "--assert", &e))
            fail_msg("%s: %s", rules[i], e.text);
        rule_list_free(list);
    }
}

static void bad_rules_say_where(void **state)
{
    (void)state;
    static const struct {
        const char *rule, *message;
    } cases[] = {
        {"", "r:1: expected a function or a value; functions:" FUNCTIONS},
        {"overlapp(h2d, kernel) >= 80%", "r:1: unknown function 'overlapp'; known:" FUNCTIONS},
        {"time(B) < 5", "r:11: time is a time: write the value with ns, us, ms or s"},
        {"time() < 5us", "r:6: expected a variant: its name, A (the baseline) or B"},
        {"time(A, B) < 5us", "r:7: expected ')': it is time(V)"},
        {"metric(A) < 5", "r:9: expected ',': it is metric(V,NAME)"},
        {"metric(A,) < 5", "r:10: expected the name of a counter"},
        {"metric(A, dram_shar) < 5%", "r:11: unknown counter 'dram_shar'; did you mean 'dram_share'?"},
        {"metric(A, dram_share) < 5us", "r:25: metric is a share: write the value with % or as a number from 0 to 1"},
        {"time(B) < busy(kernel)",
         "r:11: busy(a) is of a trace and time(V) of a run's variant: they cannot be compared"},
        {"registers(B) <= time(A)", "r:17: registers and time have different units"},
        {"class(A) == fast",
         "r:13: class(V) is a word: inconclusive compute-bound memory-bound latency-bound launch-bound balanced"},
        {"class(A) == 3",
         "r:13: class(V) is a word: inconclusive compute-bound memory-bound latency-bound launch-bound balanced"},
        {"class(A) >= memory-bound", "r:1: a class is equal to another one or not: compare with == or !="},
        {"count(kernel) == memory-bound", "r:18: count(a) is no word: compare it with a number"},
        {"time(\"A) < 5us", "r:6: the quote is never closed"},
        {"count(kernel) == many", "r:18: unknown function 'many'; known:" FUNCTIONS},
        {"3 == 3", "r:1: a rule that compares two values asks nothing; functions:" FUNCTIONS},
        {"overlap(h2d) >= 80%", "r:12: expected ',': it is overlap(a,b)"},
        {"busy(h2d, kernel) >= 8us", "r:9: expected ')': it is busy(a)"},
        {"idle(kernel) < 5%", "r:6: expected ')': it is idle()"},
        {"count kernel == 3", "r:7: expected '(': it is count(a)"},
        {"overlap(h2d, kernels) >= 80%",
         "r:14: unknown class 'kernels'; known: kernel copy h2d d2h d2d p2p memset migration comm compute api sync "
         "nvtx any"},
        {"count(kernel[nme=x]) == 1", "r:14: unknown filter key 'nme'; known: name stream device nvtx rank"},
        {"count(kernel[name=~\"(\"]) == 1",
         "r:20: name pattern '(' is no extended regular expression: Unmatched ( or \\("},
        {"count(kernel[nvtx=a, nvtx=b]) == 1", "r:27: a selector takes one nvtx filter"},
        {"count(kernel[nvtx=~\"(\"]) == 1",
         "r:20: range pattern '(' is no extended regular expression: Unmatched ( or \\("},
        {"count(kernel)", "r:14: expected one of >= <= > < == !="},
        {"count(kernel) = 3", "r:15: expected one of >= <= > < == !="},
        {"count(kernel) =< 3", "r:15: expected one of >= <= > < == !="},
        {"count(kernel) ==", "r:17: expected a function or a value; functions:" FUNCTIONS},
        {"count(kernel) == 3 4", "r:20: '4' stands behind the end of the rule"},
        {"serial(kernel) == 1", "r:16: '== 1' stands behind the end of the rule"},
        {"2 * serial(kernel)", "r:1: serial takes no factor"},
        {"1 == serial(kernel)", "r:6: serial(a) stands alone in a rule"},
        {"2us * busy(kernel) > 1us", "r:1: the factor before '*' has a unit; write a plain number"},
        {"busy(kernel) > 100", "r:16: busy is a time: write the value with ns, us, ms or s"},
        {"100 < busy(kernel)", "r:1: busy is a time: write the value with ns, us, ms or s"},
        {"busy(kernel) > 80%", "r:16: busy is a time: write the value with ns, us, ms or s"},
        {"overlap(h2d, kernel) >= 80",
         "r:25: overlap is a share: the value is not within 0% and 100% (a percentage needs its sign)"},
        {"overlap(h2d, kernel) >= 120%", "r:25: overlap is a share: the value is not within 0% and 100%"},
        {"overlap(h2d, kernel) >= -0.1",
         "r:25: overlap is a share: the value is not within 0% and 100% (a percentage needs its sign)"},
        {"overlap(h2d, kernel) >= 5us", "r:25: overlap is a share: write the value with % or as a number from 0 to 1"},
        {"count(kernel) == 3us", "r:18: count is a plain number: write the value without a unit"},
        {"count(kernel) == 30%", "r:18: count is a plain number: write the value without a unit"},
        {"bytes(h2d) == 3us", "r:15: bytes is a size: write the value with B KB KiB MB MiB GB GiB or none"},
        {"busy(h2d) > 5 parsecs", "r:13: '5' is no number with a unit of % ns us ms s B KB KiB MB MiB GB GiB"},
        {"busy(h2d) > 0x10ns", "r:13: '0x10ns' is no number with a unit of % ns us ms s B KB KiB MB MiB GB GiB"},
        {"busy(h2d) > count(h2d)", "r:13: busy and count have different units"},
        {"gain(B) >= 10", "r:12: gain is a share: the value is not 100% or less (a percentage needs its sign)"},
        {"speedup(B) >= 110%", "r:15: speedup is a plain number: write the value without a unit"},
        {"recorded()", "r:10: expected a member of the manifest, such as gpu.uuid"},
        {"recorded(gpu.uuid) == 1", "r:20: '== 1' stands behind the end of the rule"},
        {"expect", "r:7: expected a signal, such as 'sm_throughput up' or 'dram_bytes flat 3%'"},
        {"expect dram_bytes", "r:18: expected up, down or flat behind 'dram_bytes'"},
        {"expect bank_conflict down", "r:8: unknown counter 'bank_conflict'; did you mean 'bank_conflicts'?"},
        {"expect  tensor_cycle up", "r:9: unknown counter 'tensor_cycle'; did you mean 'tensor_cycles'?"},
        {"expect dram_bytes level", "r:19: expected up, down or flat behind 'dram_bytes'"},
        {"expect dram_bytes flat 3", "r:24: expected per cent, as in 'flat 3%', or ';'"},
        {"expect a up, b down", "r:10: expected up, down or flat behind 'a'"},
        {"expect a up b down", "r:13: expected per cent, as in 'flat 3%', or ';'"},
        {"expect a flat 3% b", "r:18: expected ';' before the next signal"},
        {"expected(kernel)", "r:1: unknown function 'expected'; known:" FUNCTIONS},
        {"count(kernel)\n== 3", "r:14: the rule holds a control character"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rule_list *list;
        struct err e = {0};
        assert_int_equal(rule_list_new(&list, &e), 0);
        assert_int_equal(rule_list_add(list, cases[i].rule, "r", &e), ERR_USAGE);
        assert_string_equal(e.text, cases[i].message);
        assert_int_equal(rule_list_count(list), 0);
        rule_list_free(list);
    }
}

static void a_rule_has_a_greatest_length(void **state)
{
    (void)state;
    char rule[1100];
    memset(rule, ' ', sizeof rule);
    memcpy(rule, "serial(kernel)", 14);
    struct rule_list *list;
    struct err e = {0};
    assert_int_equal(rule_list_new(&list, &e), 0);
    rule[1000] = '\0';
    assert_int_equal(rule_list_add(list, rule, "r", &e), 0);
    rule[1000] = ' ';
    rule[1001] = '\0';
    assert_int_equal(rule_list_add(list, rule, "r", &e), ERR_USAGE);
    assert_string_equal(e.text, "r:1001: the rule is longer than 1000 bytes");
    rule_list_free(list);
}

/*          0   10   20   30   40   50   60   70   80
 * device 0
 *  h2d     [a---------)                               1000 bytes
 *  kernel       [k--------)         [l---)
 *  d2h                                        [z)     24 bytes
 * device 1
 *  h2d     [b---)                                     1 byte
 *  kernel       [m---) [n--)
 * So overlap(h2d, kernel) is 10/20 on device 0 and 0/10 on device 1. */
static const struct tiny_event two_devices[] = {
    {H2D, 0, 20, 1, "a", 0, 1000},  {H2D, 0, 10, 1, "b", 1, 1},     {KERNEL, 10, 30, 2, "k", 0, 0},
    {KERNEL, 10, 20, 2, "m", 1, 0}, {KERNEL, 25, 35, 2, "n", 1, 0}, {KERNEL, 50, 60, 2, "l", 0, 0},
    {D2H, 70, 75, 1, "z", 0, 24},
};
enum { TWO_DEVICES = sizeof two_devices / sizeof two_devices[0] };

struct judged {
    struct rule_list *rules;
    struct event_stream *stream;
    struct timeline_query query;
    struct timeline timeline;
    struct rule_results results;
};

static void judge_stream(struct judged *j, const char *rule, struct event_stream *stream,
                         const struct caveat_list *caveats)
{
    struct err e = {0};
    *j = (struct judged){.stream = stream};
    assert_int_equal(rule_list_new(&j->rules, &e), 0);
    assert_int_equal(rule_list_add(j->rules, rule, "r", &e), 0);
    assert_int_equal(rule_list_query(j->rules, &j->query, &e), 0);
    assert_int_equal(timeline_measure(j->stream, &j->query, &j->timeline, &e), 0);
    const struct rule_evidence evidence = {
        .query = &j->query, .timeline = &j->timeline, .caveats = caveats ? caveats : event_stream_caveats(j->stream)};
    assert_int_equal(rule_list_judge(j->rules, &evidence, &j->results, &e), 0);
}

static void judge(struct judged *j, const char *rule, const struct tiny_event *events, size_t count,
                  const struct caveat_list *caveats)
{
    judge_stream(j, rule, tiny_stream(events, count), caveats);
}

static void judged_release(struct judged *j)
{
    rule_results_release(&j->results);
    timeline_release(&j->timeline);
    event_stream_free(j->stream);
    rule_list_free(j->rules);
}

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
        {"count(kernel) == 4", "p", 4},
        {"count(h2d) == 2", "p", 2},
        {"count(kernel[device=1]) == 2", "p", 2},
        {"bytes(copy) == 1025", "p", 1025},
        {"bytes(h2d) < 1KiB", "p", 1001},
        {"count(memset) == 0", "p", 0},
        {"bytes(memset) > 0", "f", 0},
        {"2 * count(h2d) == count(kernel)", "p", 4},
        {"count(kernel) == 2 * alternations(copy, kernel)", "fp", 2}, /* tied to a device: 2 == 2 * 2; 2 == 2 * 1 */
        {"overlap(memset, kernel) < 10%", "v", NAN},
        {"overlap(kernel, memset) < 10%", "v", NAN},
        {"before(memset, kernel)", "v", NAN},
        {"serial(kernel[name=none])", "v", NAN},
        {"before(d2h, kernel[device=1])", "v", NAN}, /* never on one device */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
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
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
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
    assert_int_equal(event_stream_from_events(&stream, launched, sizeof launched / sizeof launched[0], &strings, &e),
                     0);
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
        {"count(api[nvtx=step]) == 2", 2, false},
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
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
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
    enum { POOL = sizeof pool / sizeof pool[0], ROUNDS = 300, CHOSEN_MAX = 6 };
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

static void vacuous_rules_say_why(void **state)
{
    (void)state;
    static const struct tiny_event host_only[] = {{API, 0, 10, 1, "cudaFree", 0, 0}};
    static const struct tiny_event flash[] = {{H2D, 5, 5, 1, "c", 0, 0}, {KERNEL, 0, 10, 1, "k", 0, 0}};
    static const struct {
        const char *rule;
        const struct tiny_event *events;
        size_t count;
        const char *reason;
    } cases[] = {
        {"serial(kernel[name=none])", two_devices, TWO_DEVICES, "no event is 'kernel[name=none]'"},
        {"overlap(h2d, memset) > 0", two_devices, TWO_DEVICES, "no event is 'memset'"},
        {"before(d2h, kernel[device=1])", two_devices, TWO_DEVICES, "its operands never occur on the same device"},
        {"before(api, kernel)", two_devices, TWO_DEVICES, "no event is 'api'"},
        {"count(kernel) == 0", host_only, 1, "the input has no GPU events"},
        {"count(api) == 1", host_only, 1, "the input has no GPU events"},
        {"count(kernel) == 0", NULL, 0, "the input has no GPU events"},
        {"launch_p50(kernel) <= 5us", flash, 2, "the trace has no call that started its operand's events"},
        {"overlap(h2d, kernel) >= 0", flash, 2, "all of its operands' events have a duration of 0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct judged j;
        judge(&j, cases[i].rule, cases[i].events, cases[i].count, NULL);
        assert_int_equal(j.results.count, 1);
        assert_int_equal(j.results.items[0].status, RULE_VACUOUS);
        assert_string_equal(j.results.items[0].reason, cases[i].reason);
        assert_int_equal(rule_results_status(&j.results), EXIT_UNUSABLE_INPUT);
        judged_release(&j);
    }
}

/* Missing evidence takes a pass away and never hides a failure. */
static void caveats_weaken_a_pass(void **state)
{
    (void)state;
    static const struct {
        enum caveat_kind kind;
        const char *rule;
        enum rule_status status;
        const char *reason;
    } cases[] = {
        {CAVEAT_NOTE, "count(kernel) == 4", RULE_PASS, ""},
        {CAVEAT_WEAKENS, "count(kernel) == 4", RULE_INCONCLUSIVE, "evidence may be missing, see the caveats"},
        {CAVEAT_TRUNCATED, "count(kernel) == 4", RULE_INCONCLUSIVE, "the input is truncated"},
        {CAVEAT_WEAKENS, "count(kernel) == 5", RULE_FAIL, ""},
        {CAVEAT_TRUNCATED, "count(kernel) == 5", RULE_FAIL, ""},
        {CAVEAT_WEAKENS, "serial(memset)", RULE_VACUOUS, "no event is 'memset'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct caveat_list caveats;
        caveat_list_init(&caveats);
        assert_int_equal(caveat_add(&caveats, cases[i].kind, NULL, "something"), 0);
        struct judged j;
        judge(&j, cases[i].rule, two_devices, TWO_DEVICES, &caveats);
        assert_int_equal(j.results.items[0].status, cases[i].status);
        assert_string_equal(j.results.items[0].reason, cases[i].reason);
        judged_release(&j);
        caveat_list_release(&caveats);
    }
}

static void unfinished_operands_weaken_a_pass(void **state)
{
    (void)state;
    static const struct tiny_event events[] = {
        {KERNEL, 0, 10, 1, "k", 0, 0}, {H2D, 0, 10, 2, "c", 0, 0}, {KERNEL, 10, -1, 1, "hangs", 0, 0}};
    struct judged j;
    judge(&j, "serial(kernel)", events, 3, NULL);
    assert_int_equal(j.results.items[0].status, RULE_INCONCLUSIVE);
    assert_string_equal(j.results.items[0].reason, "some of its events never ended");
    assert_int_equal(rule_results_status(&j.results), EXIT_INCONCLUSIVE);
    judged_release(&j);
    judge(&j, "serial(h2d)", events, 3, NULL);
    assert_int_equal(j.results.items[0].status, RULE_PASS);
    judged_release(&j);
    judge(&j, "count(kernel) == 1", events, 3, NULL); /* two were launched */
    assert_int_equal(j.results.items[0].status, RULE_FAIL);
    judged_release(&j);
}

/* A trace of GPU work alone holds no calls and no ranges, whatever the program did. */
static void what_a_trace_cannot_say_is_no_pass(void **state)
{
    (void)state;
    static const struct tiny_event with_host[] = {{API, 0, 10, 1, "cudaFree", 0, 0}, {KERNEL, 20, 30, 7, "k", 0, 0}};
    static const struct tiny_event with_wait[] = {{WAIT_CALL, 0, 10, 1, "cudaDeviceSynchronize", 0, 0},
                                                  {KERNEL, 20, 30, 7, "k", 0, 0}};
    static const struct {
        const char *rule;
        const struct tiny_event *events;
        size_t count;
        enum rule_status status;
        const char *reason;
    } cases[] = {
        {"count(sync) == 0", with_wait, 2, RULE_INCONCLUSIVE,
         "the trace has waits as calls only: api[name=~Synchronize]"},
        {"count(sync) == 0", with_host, 2, RULE_PASS, ""},
        {"count(api[name=~Synchronize]) == 1", with_wait, 2, RULE_PASS, ""},
        {"count(api[name=cudaMemcpy]) == 0", two_devices, TWO_DEVICES, RULE_INCONCLUSIVE,
         "the trace has no events of the host"},
        {"count(nvtx) == 0", two_devices, TWO_DEVICES, RULE_INCONCLUSIVE, "the trace has no events of the host"},
        {"count(nvtx) >= 1", two_devices, TWO_DEVICES, RULE_FAIL, ""},
        {"count(api[name=cudaMemcpy]) == 0", with_host, 2, RULE_PASS, ""},
        {"count(nvtx) == 0", with_host, 2, RULE_INCONCLUSIVE, "no NVTX was recorded"},
        {"count(api[nvtx=step]) == 0", with_host, 2, RULE_INCONCLUSIVE, "no NVTX was recorded"},
        {"count(kernel[nvtx=~anything]) <= 0", with_host, 2, RULE_INCONCLUSIVE, "no NVTX was recorded"},
        {"count(kernel[nvtx=step]) >= 1", with_host, 2, RULE_FAIL, ""},
        {"count(copy[nvtx=step]) == 0", two_devices, TWO_DEVICES, RULE_INCONCLUSIVE,
         "the trace does not say where its work was launched"},
        {"count(copy[nvtx=step]) >= 1", two_devices, TWO_DEVICES, RULE_FAIL, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct judged j;
        judge(&j, cases[i].rule, cases[i].events, cases[i].count, NULL);
        assert_int_equal(j.results.count, 1);
        assert_int_equal(j.results.items[0].status, cases[i].status);
        assert_string_equal(j.results.items[0].reason, cases[i].reason);
        judged_release(&j);
    }
}

/* Judges one rule on times that are off by up to slack_ns; 0: exact. */
static enum rule_status judge_coarse(const char *rule, const struct tiny_event *events, size_t count, int64_t slack_ns,
                                     struct str *reason)
{
    struct judged j = {.stream = tiny_stream(events, count)};
    struct timeline narrow = {0}, wide = {0};
    struct err e = {0};
    event_stream_set_slack_ns(j.stream, slack_ns);
    assert_int_equal(rule_list_new(&j.rules, &e), 0);
    assert_int_equal(rule_list_add(j.rules, rule, "r", &e), 0);
    assert_int_equal(rule_list_query(j.rules, &j.query, &e), 0);
    struct timeline *const measured[] = {&narrow, &wide, &j.timeline};
    const int64_t widen_ns[] = {-slack_ns, slack_ns, 0};
    for (size_t i = 0; i < 3; i++) {
        j.query.widen_ns = widen_ns[i];
        assert_int_equal(event_stream_rewind(j.stream, &e), 0);
        assert_int_equal(timeline_measure(j.stream, &j.query, measured[i], &e), 0);
    }
    const struct rule_evidence evidence = {.query = &j.query,
                                           .timeline = &j.timeline,
                                           .narrow = slack_ns ? &narrow : NULL,
                                           .wide = slack_ns ? &wide : NULL,
                                           .caveats = event_stream_caveats(j.stream)};
    assert_int_equal(rule_list_judge(j.rules, &evidence, &j.results, &e), 0);
    assert_int_equal(j.results.count, 1);
    const enum rule_status status = j.results.items[0].status;
    str_clear(reason);
    str_add(reason, j.results.items[0].reason);
    timeline_release(&narrow);
    timeline_release(&wide);
    judged_release(&j);
    return status;
}

/* A copy and a kernel on one stream, in a trace that shows 10 us: both end within 5 us of what is told, and a start
 * and a length are rounded, so that an end is off by up to 10 us. They overlap by 10 us of 320 us as told. */
static void coarse_times_decide_only_what_they_can(void **state)
{
    (void)state;
    static const struct tiny_event events[] = {
        {H2D, 100000, 420000, 7, "c", 0, 5}, {KERNEL, 410000, 910000, 7, "k", 0, 0}, {KERNEL, 900000, 1000000, 7, "k", 0, 0}};
    static const struct {
        const char *rule;
        enum rule_status status;
        const char *reason;
    } cases[] = {
        {"overlap(copy, kernel) > 0%", RULE_INCONCLUSIVE,
         "times are rounded, each is off by up to 10000 ns: it is between 0.0% and 10.0%"}, /* 0 or 30 of 300 us */
        {"overlap(copy, kernel) < 20%", RULE_PASS, ""},
        {"overlap_ns(copy, kernel) >= 40us", RULE_FAIL, ""},
        {"concurrency(any) >= 2", RULE_INCONCLUSIVE,
         "times are rounded, each is off by up to 10000 ns: it is between 1 and 2"},
        {"concurrency(any) <= 2", RULE_PASS, ""},
        {"serial(any)", RULE_INCONCLUSIVE, "times are rounded, each is off by up to 10000 ns: it is between 0 and 2"},
        {"before(copy, kernel)", RULE_INCONCLUSIVE,
         "times are rounded, each is off by up to 10000 ns: it is between -10.0 us and 30.0 us"},
        {"before(kernel, copy)", RULE_FAIL, ""},
        {"busy(kernel) >= 100us", RULE_PASS, ""},
        {"busy(kernel) >= 590us", RULE_INCONCLUSIVE,
         "times are rounded, each is off by up to 10000 ns: it is between 560 us and 610 us"},
        {"busy(kernel) >= busy(copy)", RULE_PASS, ""},
        {"-1 * busy(kernel) <= -500us", RULE_PASS, ""},
        {"dur_p50(kernel) <= 1ms", RULE_PASS, ""},
        {"count(any) == 3", RULE_PASS, ""},
    };
    struct str reason;
    str_init(&reason);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const enum rule_status got = judge_coarse(cases[i].rule, events, 3, 10000, &reason);
        if (got != cases[i].status || strcmp(str_text(&reason), cases[i].reason) != 0)
            fail_msg("%s: %s '%s'", cases[i].rule, rule_status_name(got), str_text(&reason));
    }
    str_release(&reason);
}

static uint32_t random_below(uint64_t *random, uint32_t limit)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*random >> 33) % limit;
}

/* What is decided on rounded times is so on the true ones. */
static void rounding_changes_no_verdict(void **state)
{
    (void)state;
    static const char *const rules[] = {
        "overlap(copy, kernel) >= %u%%", "overlap_ns(copy, kernel) < %u0ns", "exposed(copy, kernel) <= %u0ns",
        "busy(kernel) > %u0ns",          "idle() < %u%%",                    "gap_max(any) <= %uns",
        "gap_max(kernel) > %uns",        "dur_p50(kernel) < %uns",           "dur_p99(any) >= %uns",
        "alternations(copy, kernel) <= %u", "concurrency(any) > %u",
    };
    static const char *const predicates[] = {"serial(any)", "serial(kernel)", "before(copy, kernel)",
                                             "concurrency(any) == 2", "busy(copy) <= 0.7 * busy(kernel)"};
    enum { RULES = sizeof rules / sizeof rules[0], PREDICATES = sizeof predicates / sizeof predicates[0] };
    enum { ROUNDS = 3000, EVENTS = 6, STEP = 10 };
    uint64_t random = 7;
    size_t decided = 0;
    struct str reason;
    str_init(&reason);
    for (size_t round = 0; round < ROUNDS; round++) {
        struct tiny_event exact[EVENTS], told[EVENTS];
        const size_t count = 2 + random_below(&random, EVENTS - 1);
        for (size_t i = 0; i < count; i++) {
            const int64_t start = random_below(&random, 600), length = 1 + random_below(&random, 200);
            exact[i] = (struct tiny_event){i % 2 ? KERNEL : H2D, start, start + length, 1 + random_below(&random, 2),
                                           "e", 0, 1};
            told[i] = exact[i];
            told[i].start_ns = (start + STEP / 2) / STEP * STEP;
            told[i].end_ns = told[i].start_ns + (length + STEP / 2) / STEP * STEP;
        }
        char rule[100];
        const uint32_t which = random_below(&random, RULES + PREDICATES), limit = random_below(&random, 100);
        if (which < RULES)
            snprintf(rule, sizeof rule, rules[which], which < RULES - 2 ? limit : limit % 5);
        else
            snprintf(rule, sizeof rule, "%s", predicates[which - RULES]);
        const enum rule_status truth = judge_coarse(rule, exact, count, 0, &reason);
        const enum rule_status got = judge_coarse(rule, told, count, STEP, &reason);
        if (got != truth && got != RULE_INCONCLUSIVE && got != RULE_VACUOUS)
            fail_msg("round %zu: %s: %s instead of %s", round, rule, rule_status_name(got), rule_status_name(truth));
        decided += got == truth;
    }
    assert_true(decided > ROUNDS / 3); /* and something is */
    str_release(&reason);
}

/* Calls on two threads may overlap; on one they may not. */
static void host_events_are_serial_per_thread(void **state)
{
    (void)state;
    static const struct tiny_event events[] = {{API, 0, 10, 1, "cudaLaunchKernel", 0, 0},
                                               {API, 5, 15, 2, "cudaLaunchKernel", 0, 0},
                                               {KERNEL, 20, 30, 7, "k", 0, 0},
                                               {API, 14, 16, 2, "cudaFree", 0, 0}};
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
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
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
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        struct judged j;
        judge(&j, rules[i], events, 2, NULL);
        assert_int_equal(j.results.items[0].status, RULE_PASS);
        judged_release(&j);
    }
}

static void too_many_selectors_are_refused(void **state)
{
    (void)state;
    struct rule_list *list;
    struct timeline_query query = {0};
    struct err e = {0};
    assert_int_equal(rule_list_new(&list, &e), 0);
    for (int i = 0; i < TIMELINE_SETS_MAX + 1; i++) {
        char rule[64];
        snprintf(rule, sizeof rule, "count(kernel[stream=%d]) == 1", i);
        assert_int_equal(rule_list_add(list, rule, "r", &e), 0);
        assert_int_equal(rule_list_add(list, rule, "r", &e), 0); /* the same selector counts once */
    }
    assert_int_equal(rule_list_query(list, &query, &e), ERR_USAGE);
    assert_string_equal(e.text, "the rules name more than 64 different selectors; check them in two calls");
    rule_list_free(list);
}

static void write_file(const char *path, const char *text, size_t length)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static int make_scratch_file(void **state)
{
    static char path[4096];
    const char *folder = getenv("TMPDIR");
    const int length = snprintf(path, sizeof path, "%s/rules_XXXXXX", folder && *folder ? folder : "/tmp");
    const int fd = length < (int)sizeof path ? mkstemp(path) : -1;
    *state = path;
    return fd < 0 ? -1 : close(fd);
}

/* Also behind a test that failed; one that passed has removed it. */
static int remove_scratch_file(void **state)
{
    unlink(*state);
    return 0;
}

static void rules_files(void **state)
{
    const char *path = *state;
    static const struct {
        const char *text;
        int code;
        size_t count;
        const char *message; /* behind the path */
    } cases[] = {
        {"# gates\n\nserial(kernel)\r\n  count(kernel) == 3  \n   # more\nidle() < 5%", 0, 3, ""},
        {"serial(kernel)\n\ncount(kernel) == x\n", ERR_USAGE, 1, ":3:18: unknown function 'x'; known:" FUNCTIONS},
        {"\xef\xbb\xbfserial(kernel)\r\n\r\n# comment\r\ncount(kernel) == 3\r\n", 0, 2, ""}, /* as Windows writes */
        {"\xef\xbb\xbf# comment\nserial(kernel)", 0, 1, ""},
        {"\xef\xbb\xbfserial(kernels)\n", ERR_USAGE, 0,
         ":1:8: unknown class 'kernels'; known: kernel copy h2d d2h d2d p2p memset migration comm compute api sync nvtx any"},
        {"serial(kernel)\n\xef\xbb\xbfidle() < 5%", ERR_USAGE, 1,
         ":2:1: expected a function or a value; functions:" FUNCTIONS}, /* only the first bytes of a file are a mark */
        {"\xef\xbb\xbf", ERR_USAGE, 0, "': write one a line"},
        {"# nothing\n\n", ERR_USAGE, 0, "': write one a line"},
        {"", ERR_USAGE, 0, "': write one a line"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        write_file(path, cases[i].text, strlen(cases[i].text));
        struct rule_list *list;
        struct err e = {0};
        assert_int_equal(rule_list_new(&list, &e), 0);
        assert_int_equal(rule_list_read(list, path, &e), cases[i].code);
        assert_int_equal(rule_list_count(list), cases[i].count);
        const char *behind = strstr(e.text, path);
        assert_string_equal(behind ? behind + strlen(path) : "", cases[i].message);
        rule_list_free(list);
    }
    write_file(path, "serial(kernel)\0 == 3", 20);
    struct rule_list *list;
    struct err e = {0};
    assert_int_equal(rule_list_new(&list, &e), 0);
    assert_int_equal(rule_list_read(list, path, &e), ERR_USAGE);
    unlink(path);
    assert_int_equal(rule_list_read(list, path, &e), ERR_USAGE);
    assert_memory_equal(e.text, "cannot read the rules file '", 28);
    rule_list_free(list);
}

static void the_manual_has_every_function_and_class(void **state)
{
    (void)state;
    struct str manual;
    struct err e = {0};
    str_init(&manual);
    assert_int_equal(files_read(TEST_DATA_DIRECTORY "/../../docs/rules.md", 1 << 20, &manual, &e), 0);
    for (size_t i = 0; i < rule_function_count; i++) {
        char entry[64];
        snprintf(entry, sizeof entry, "`%s(", rule_functions[i].name);
        if (!strstr(str_text(&manual), entry))
            fail_msg("docs/rules.md does not explain %s", rule_functions[i].name);
    }
    char classes[256] = "    class   :=";
    for (int c = 0; c < CLASS_COUNT; c++)
        strcat(strcat(classes, " "), event_class_name((enum event_class)c));
    assert_non_null(strstr(str_text(&manual), classes));
    str_release(&manual);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_rules_parse),
        cmocka_unit_test(bad_rules_say_where),
        cmocka_unit_test(a_rule_has_a_greatest_length),
        cmocka_unit_test(rules_are_judged_on_each_device),
        cmocka_unit_test(devices_without_an_operand_are_named),
        cmocka_unit_test(rules_ask_who_launched_it),
        cmocka_unit_test(rules_do_not_change_one_another),
        cmocka_unit_test(vacuous_rules_say_why),
        cmocka_unit_test(caveats_weaken_a_pass),
        cmocka_unit_test(unfinished_operands_weaken_a_pass),
        cmocka_unit_test(what_a_trace_cannot_say_is_no_pass),
        cmocka_unit_test(coarse_times_decide_only_what_they_can),
        cmocka_unit_test(rounding_changes_no_verdict),
        cmocka_unit_test(host_events_are_serial_per_thread),
        cmocka_unit_test(failures_show_counterexamples),
        cmocka_unit_test(written_per_cents_are_exact),
        cmocka_unit_test(too_many_selectors_are_refused),
        cmocka_unit_test_setup_teardown(rules_files, make_scratch_file, remove_scratch_file),
        cmocka_unit_test(the_manual_has_every_function_and_class),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
