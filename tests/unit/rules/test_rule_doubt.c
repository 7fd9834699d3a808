/* When must a rule that holds not pass? */
#include "tests/unit/scratch_bundle.h"

#include "tests/unit/judged_rule.h"

#include <stdio.h>
#include <string.h>

#include "core/base/count_of.h"
#include "core/base/str.h"
#include "core/trace/stream_scope.h"
#include "tests/unit/hand_trace.h"

static void vacuous_rules_say_why(void **state)
{
    (void)state;
    static const struct tiny_event host_only[] = {{OTHER_CALL, 0, 10, 1, "cudaFree", 0, 0}};
    static const struct tiny_event both[] = {{OTHER_CALL, 0, 10, 1, "cudaFree", 0, 0}, {KERNEL, 20, 30, 7, "k", 0, 0}};
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
        {"count(api) <= concurrency(kernel)", both, 2, "its operands never occur on the same device"},
        {"concurrency(kernel) >= 0.5 * count(api[name=none])", both, 2, "its operands never occur on the same device"},
        {"launch_p50(kernel) <= 5us", flash, 2, "the trace has no call that started its operand's events"},
        {"overlap(h2d, kernel) >= 0", flash, 2, "all of its operands' events have a duration of 0"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
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
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
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
    static const struct tiny_event with_host[] = {{OTHER_CALL, 0, 10, 1, "cudaFree", 0, 0},
                                                  {KERNEL, 20, 30, 7, "k", 0, 0}};
    static const struct tiny_event with_wait[] = {{SYNC_CALL, 0, 10, 1, "cudaDeviceSynchronize", 0, 0},
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
        {"count(api[name=cudaMalloc]) == 0", with_wait, 2, RULE_INCONCLUSIVE,
         "the trace has only calls that launch, copy, set or wait"},
        {"count(api[name=cudaMalloc]) >= 1", with_wait, 2, RULE_FAIL, ""},
        {"count(api) <= 1", with_wait, 2, RULE_INCONCLUSIVE, "the trace has only calls that launch, copy, set or wait"},
        {"count(api[name=~\"Free|Synchronize\"]) == 1", with_wait, 2, RULE_INCONCLUSIVE,
         "the trace has only calls that launch, copy, set or wait"},
        {"count(api[name=cudaDevice*]) <= 1", with_wait, 2, RULE_INCONCLUSIVE,
         "the trace has only calls that launch, copy, set or wait"}, /* cudaDeviceReset */
        {"count(api[name=*Synchronize]) <= 1", with_wait, 2, RULE_PASS, ""},
        {"count(api[name=~\"Device(Synchronize|Reset)\"]) <= 1", with_wait, 2, RULE_INCONCLUSIVE,
         "the trace has only calls that launch, copy, set or wait"},
        {"count(api[name=~\"Device(Synchronize)?\"]) <= 1", with_wait, 2, RULE_INCONCLUSIVE,
         "the trace has only calls that launch, copy, set or wait"},
        {"count(api[name=~\"^cudaDeviceSynchronize$|Memcpy[A]\"]) <= 1", with_wait, 2, RULE_INCONCLUSIVE,
         "the trace has only calls that launch, copy, set or wait"},
        {"count(api[name=~\"(Memcpy.*)?DeviceS\"]) <= 1", with_wait, 2, RULE_INCONCLUSIVE,
         "the trace has only calls that launch, copy, set or wait"},
        {"count(api[name=~\"(Memcpy|Memset|DeviceSynchronize)*\"]) <= 1", with_wait, 2, RULE_INCONCLUSIVE,
         "the trace has only calls that launch, copy, set or wait"},
        {"count(api[name=~\"^cu(da)?DeviceSynchronize\"]) <= 1", with_wait, 2, RULE_PASS, ""},
        {"count(api[name=~\"DeviceSynchronize|^cudaMemcpy\"]) <= 1", with_wait, 2, RULE_PASS, ""},
        {"count(api[name=~\"Synchronize|Launch\"]) <= 1", with_wait, 2, RULE_INCONCLUSIVE,
         "the trace has only calls that launch, copy, set or wait"}, /* cudaLaunchHostFunc does no work */
        {"count(api) >= 1", with_wait, 2, RULE_PASS, ""},            /* more of them change nothing */
        {"count(api) > 1", with_wait, 2, RULE_FAIL, ""},
        {"count(api) <= 1", with_host, 2, RULE_PASS, ""},
        {"count(nvtx) == 0", with_host, 2, RULE_INCONCLUSIVE, "no NVTX was recorded"},
        {"count(api[nvtx=step]) == 0", with_host, 2, RULE_INCONCLUSIVE, "no NVTX was recorded"},
        {"count(kernel[nvtx=~anything]) <= 0", with_host, 2, RULE_INCONCLUSIVE, "no NVTX was recorded"},
        {"count(kernel[nvtx=step]) >= 1", with_host, 2, RULE_FAIL, ""},
        {"count(copy[nvtx=step]) == 0", two_devices, TWO_DEVICES, RULE_INCONCLUSIVE,
         "the trace does not say where its work was launched"},
        {"count(copy[nvtx=step]) >= 1", two_devices, TWO_DEVICES, RULE_FAIL, ""},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct judged j;
        judge(&j, cases[i].rule, cases[i].events, cases[i].count, NULL);
        assert_int_equal(j.results.count, 1);
        assert_int_equal(j.results.items[0].status, cases[i].status);
        assert_string_equal(j.results.items[0].reason, cases[i].reason);
        judged_release(&j);
    }
}

/* Rank 0 has all, rank 1 calls and no ranges, rank 2 ranges and no calls, rank 3 no events of the host; only rank 0 has
 * work on device 1. What the scope leaves of a rank's work changes nothing about what was recorded of its host. */
static void a_rank_without_work_in_the_scope_is_asked_too(void **state)
{
    (void)state;
    static const struct host_event events[] = {
        {RANGE, 0, 100, 0, 1, "step", 0, 1},
        {LAUNCH_CALL, 10, 12, 1, 1, "cudaLaunchKernel", 0, 1},
        {KERNEL, 20, 30, 1, 7, "k", 1, 1},
        {LAUNCH_CALL, 10, 12, 1, 1, "cudaLaunchKernel", 0, 2},
        {KERNEL, 20, 30, 1, 7, "k", 0, 2},
        {RANGE, 0, 100, 0, 1, "step", 0, 3},
        {KERNEL, 20, 30, 0, 7, "k", 0, 3},
        {KERNEL, 20, 30, 0, 7, "k", 0, 4},
        {SYNC_CALL, 40, 50, 2, 1, "cudaDeviceSynchronize", 0, 2},
        {OTHER_CALL, 110, 111, 3, 1, "cudaGetDevice", 0, 1},
        {OTHER_CALL, 110, 111, 3, 1, "cudaGetDevice", 0, 2},
    };
    static const struct scope_numbers all = {.count = 0}, first = {{0}, 1}, two = {{0, 1}, 2}, three = {{0, 2}, 2},
                                      four = {{0, 3}, 2};
    static const char *const none = "the trace has no events of the host", *const no_calls = "no calls were recorded",
                             *const no_ranges = "no NVTX was recorded";
    static const struct {
        const char *rule;
        const struct scope_numbers *ranks;
        const char *reason; /* "": it passes */
    } cases[] = {
        {"bytes(api[nvtx=other]) >= 0", &first, ""},
        {"bytes(api[nvtx=other]) >= 0", &two, no_ranges},
        {"bytes(api[nvtx=other]) >= 0", &three, no_calls},
        {"bytes(api[nvtx=other]) >= 0", &four, none},
        {"bytes(api[rank=0, nvtx=other]) >= 0", &all, ""},
        {"bytes(api[rank=1, nvtx=other]) >= 0", &all, no_ranges},
        {"count(api[name=cudaFree]) == 0", &two, ""},
        {"count(api[name=cudaFree]) == 0", &three, no_calls},
        {"count(api[name=cudaFree]) == 0", &four, none},
        {"count(api[device=1]) == 0", &four, none},
        {"count(nvtx[name=other]) == 0", &three, ""},
        {"count(nvtx[name=other]) == 0", &two, no_ranges},
        {"count(nvtx[name=other]) == 0", &four, none},
        {"count(sync) == 0", &first, ""},
        {"count(sync) == 0", &two, "the trace has waits as calls only: api[name=~Synchronize]"},
        {"count(sync) == 0", &three, "no waits were recorded"},
        {"count(sync) == 0", &four, none},
        {"count(kernel) == 1", &all, ""},
        {"count(kernel[nvtx=step]) == 1", &all, ""}, /* on device 1 is work of rank 0 alone */
        {"busy(api[rank=0, nvtx=step]) == 2ns", &all, ""},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct event_stream *stream = host_stream(events, COUNT_OF(events));
        const struct stream_scope scope = {.devices = {{1}, 1}, .ranks = *cases[i].ranks};
        struct err e = {0};
        assert_int_equal(event_stream_scope(stream, &scope, &e), 0);
        struct judged j;
        judge_stream(&j, cases[i].rule, stream, NULL);
        assert_int_equal(j.results.count, 1);
        const struct rule_result *row = &j.results.items[0];
        if (row->status != (*cases[i].reason ? RULE_INCONCLUSIVE : RULE_PASS) ||
            strcmp(row->reason, cases[i].reason) != 0)
            fail_msg("case %zu, %s: %s '%s'", i, cases[i].rule, rule_status_name(row->status), row->reason);
        judged_release(&j);
    }
}

/* Where no range was recorded nobody knows what --range leaves out: what is counted on the other rank is not all. */
static void a_rank_without_ranges_weakens_a_range(void **state)
{
    (void)state;
    static const struct host_event events[] = {
        {RANGE, 0, 100, 0, 1, "step", 0, 1}, {LAUNCH_CALL, 10, 12, 1, 1, "cudaLaunchKernel", 0, 1},
        {KERNEL, 20, 30, 1, 7, "k", 0, 1},   {LAUNCH_CALL, 10, 12, 1, 1, "cudaLaunchKernel", 0, 2},
        {KERNEL, 20, 30, 1, 7, "k", 0, 2},
    };
    static const struct {
        const char *range;
        struct scope_numbers ranks;
        enum rule_status status;
    } cases[] = {
        {"step", {{0}, 1}, RULE_PASS}, {"step", {.count = 0}, RULE_INCONCLUSIVE}, {NULL, {.count = 0}, RULE_FAIL}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct event_stream *stream = host_stream(events, COUNT_OF(events));
        const struct stream_scope scope = {.range = cases[i].range, .ranks = cases[i].ranks};
        struct judged j;
        MUST(event_stream_scope(stream, &scope, &e));
        judge_stream(&j, "count(kernel) == 1", stream, NULL);
        assert_int_equal(j.results.items[0].status, cases[i].status);
        judged_release(&j);
    }
}

/* A profiler that is asked to leave waits out does not say so in a Chrome trace: no wait is no evidence there. */
static void waits_that_may_be_missing_are_not_counted_as_none(void **state)
{
    (void)state;
    static const char call_and_kernel[] =
        "{\"schemaVersion\":1,\"traceEvents\":["
        "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1},"
        "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":5,\"dur\":2,"
        "\"args\":{\"device\":0,\"stream\":7}}]}";
    struct scratch s;
    scratch_create(&s);
    scratch_write(&s, "chrome.json", call_and_kernel);
    char path[sizeof s.path + 16];
    snprintf(path, sizeof path, "%s/chrome.json", s.path);
    struct event_stream *stream = NULL;
    MUST(event_stream_open(&stream, path, &e));
    struct judged j;
    judge_stream(&j, "count(sync) == 0", stream, NULL);
    assert_int_equal(j.results.items[0].status, RULE_INCONCLUSIVE);
    assert_string_equal(j.results.items[0].reason, "no waits were recorded");
    judged_release(&j);
    scratch_remove(&s);
}

/* Judges one rule on times that are off by up to time_error_ns; 0: exact. */
static enum rule_status judge_coarse(const char *rule, const struct tiny_event *events, size_t count,
                                     int64_t time_error_ns, struct str *reason)
{
    struct judged j = {.stream = tiny_stream(events, count)};
    struct timeline narrow = {0}, wide = {0};
    struct err e = {0};
    event_stream_set_time_error_ns(j.stream, time_error_ns);
    assert_int_equal(rule_list_new(&j.rules, &e), 0);
    assert_int_equal(rule_list_add(j.rules, rule, "r", &e), 0);
    assert_int_equal(rule_list_query(j.rules, &j.query, &e), 0);
    struct timeline *const measured[] = {&narrow, &wide, &j.timeline};
    const int64_t widen_ns[] = {-time_error_ns, time_error_ns, 0};
    for (size_t i = 0; i < 3; i++) {
        j.query.widen_ns = widen_ns[i];
        assert_int_equal(event_stream_rewind(j.stream, &e), 0);
        assert_int_equal(timeline_measure(j.stream, &j.query, measured[i], &e), 0);
    }
    const struct rule_evidence evidence = {.query = &j.query,
                                           .timeline = &j.timeline,
                                           .narrow = time_error_ns ? &narrow : NULL,
                                           .wide = time_error_ns ? &wide : NULL,
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
    static const struct tiny_event events[] = {{H2D, 100000, 420000, 7, "c", 0, 5},
                                               {KERNEL, 410000, 910000, 7, "k", 0, 0},
                                               {KERNEL, 900000, 1000000, 7, "k", 0, 0}};
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
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const enum rule_status got = judge_coarse(cases[i].rule, events, 3, 10000, &reason);
        if (got != cases[i].status || strcmp(str_text(&reason), cases[i].reason) != 0)
            fail_msg("%s: %s '%s'", cases[i].rule, rule_status_name(got), str_text(&reason));
    }
    str_release(&reason);
}

/* Two copies that are told to be empty, at 0 and 200 ns, and a kernel from 400 ns on: with the first alone there is a
 * gap of 400 ns, give or take 20, and with neither there is none. */
static void what_is_told_to_be_empty_may_be(void **state)
{
    (void)state;
    static const struct tiny_event
        before[] = {{H2D, 0, 0, 1, "a", 0, 1}, {H2D, 200, 200, 1, "b", 0, 1}, {KERNEL, 400, 600, 1, "k", 0, 0}},
        behind[] = {{KERNEL, 0, 200, 1, "k", 0, 0}, {H2D, 400, 400, 1, "a", 0, 1}, {H2D, 600, 600, 1, "b", 0, 1}},
        all[] = {{H2D, 0, 0, 1, "a", 0, 1}, {H2D, 200, 200, 1, "b", 0, 1}, {H2D, 400, 400, 1, "c", 0, 1}},
        between[] = {{KERNEL, 0, 200, 1, "k", 0, 0}, {H2D, 300, 300, 1, "a", 0, 1}, {KERNEL, 500, 600, 1, "l", 0, 0}};
    static const struct {
        const struct tiny_event *events;
        const char *rule;
        enum rule_status status;
    } cases[] = {
        {before, "gap_max(any) <= 419ns", RULE_INCONCLUSIVE},
        {before, "gap_max(any) <= 420ns", RULE_PASS},
        {before, "gap_max(any) >= 1ns", RULE_INCONCLUSIVE},
        {behind, "gap_max(any) <= 419ns", RULE_INCONCLUSIVE},
        {behind, "gap_max(any) <= 420ns", RULE_PASS},
        {all, "gap_max(any) <= 419ns", RULE_INCONCLUSIVE},
        {all, "gap_max(any) <= 420ns", RULE_PASS},
        {between, "gap_max(any) >= 181ns", RULE_INCONCLUSIVE},
        {between, "gap_max(any) >= 180ns", RULE_PASS},
        {between, "gap_max(any) <= 320ns", RULE_PASS},
        {between, "gap_max(any) <= 319ns", RULE_INCONCLUSIVE},
    };
    struct str reason;
    str_init(&reason);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const enum rule_status got = judge_coarse(cases[i].rule, cases[i].events, 3, 10, &reason);
        if (got != cases[i].status)
            fail_msg("case %zu, %s: %s '%s'", i, cases[i].rule, rule_status_name(got), str_text(&reason));
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
        "overlap(copy, kernel) >= %u%%",
        "overlap_ns(copy, kernel) < %u0ns",
        "exposed(copy, kernel) <= %u0ns",
        "busy(kernel) > %u0ns",
        "idle() < %u%%",
        "gap_max(any) <= %u0ns",
        "gap_max(kernel) > %u0ns",
        "dur_p50(kernel) < %uns",
        "dur_p99(any) >= %uns",
        "alternations(copy, kernel) <= %u",
        "concurrency(any) > %u",
    };
    static const char *const predicates[] = {"serial(any)", "serial(kernel)", "before(copy, kernel)",
                                             "concurrency(any) == 2", "busy(copy) <= 0.7 * busy(kernel)"};
    enum { RULES = COUNT_OF(rules), PREDICATES = COUNT_OF(predicates) };
    enum { ROUNDS = 3000, EVENTS = 6, STEP = 10 };
    uint64_t random = 7;
    size_t decided = 0;
    struct str reason;
    str_init(&reason);
    for (size_t round = 0; round < ROUNDS; round++) {
        struct tiny_event exact[EVENTS], told[EVENTS];
        const size_t count = 2 + random_below(&random, EVENTS - 1);
        for (size_t i = 0; i < count; i++) {
            const bool is_short = random_below(&random, 3) == 0; /* and may be told to have no length */
            const int64_t start = random_below(&random, 600), length = random_below(&random, is_short ? STEP : 200);
            exact[i] = (struct tiny_event){
                i % 2 ? KERNEL : H2D, start, start + length, 1 + random_below(&random, 2), "e", 0, 1};
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vacuous_rules_say_why),
        cmocka_unit_test(caveats_weaken_a_pass),
        cmocka_unit_test(unfinished_operands_weaken_a_pass),
        cmocka_unit_test(what_a_trace_cannot_say_is_no_pass),
        cmocka_unit_test(a_rank_without_work_in_the_scope_is_asked_too),
        cmocka_unit_test(a_rank_without_ranges_weakens_a_range),
        cmocka_unit_test(waits_that_may_be_missing_are_not_counted_as_none),
        cmocka_unit_test(coarse_times_decide_only_what_they_can),
        cmocka_unit_test(what_is_told_to_be_empty_may_be),
        cmocka_unit_test(rounding_changes_no_verdict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
