/* What may a rule on ranges or launches say when it is not certain which call started the work? */
#include "tests/unit/judged_rule.h"

#include <string.h>

#include "core/base/count_of.h"
#include "core/trace/stream_scope.h"

#define CALL(id, on, from, to)                                                                                         \
    {                                                                                                                  \
        .kind = CPPROF_EVENT_API, .detail = CPPROF_API_LAUNCH, .correlation = (id), .thread = (on),                    \
        .start_ns = (from), .end_ns = (to), .device = -1                                                               \
    }
#define WORK(id, from, to)                                                                                             \
    {                                                                                                                  \
        .kind = CPPROF_EVENT_KERNEL, .correlation = (id), .start_ns = (from), .end_ns = (to)                           \
    }

enum { EVENTS_MAX = 4 };

#define DOUBT "which call started some work is not known: several have its correlation id"
#define EARLY "some work starts before the call that is said to have started it"

static const struct {
    struct cpprof_event events[EVENTS_MAX];
    size_t count;
    int64_t time_error_ns;
    const char *reason; /* "": the rule passes */
} cases[] = {
    {{CALL(1, 1, 10, 20), WORK(1, 30, 40)}, 2, 0, ""},
    {{CALL(1, 1, 10, 20), WORK(1, 10, 40)}, 2, 0, ""},
    {{CALL(1, 1, 10, 20), WORK(1, 9, 40)}, 2, 0, EARLY},
    {{CALL(1, 1, 10, 20), WORK(1, 6, 40)}, 2, 2, ""}, /* both may be off by 2 ns */
    {{CALL(1, 1, 10, 20), WORK(1, 5, 40)}, 2, 2, EARLY},
    {{CALL(1, 1, 10, 20), CALL(1, 1, 12, 18), WORK(1, 30, 40)}, 3, 0, ""}, /* the driver's inside the runtime's */
    {{CALL(1, 1, 10, 20), CALL(1, 1, 10, 20), WORK(1, 30, 40)}, 3, 0, ""},
    {{CALL(1, 1, 10, 20), CALL(1, 1, 12, 21), WORK(1, 30, 40)}, 3, 0, DOUBT},
    {{CALL(1, 1, 10, 20), CALL(1, 2, 12, 18), WORK(1, 30, 40)}, 3, 0, DOUBT},
    {{CALL(1, 1, 10, 20), CALL(1, 1, 50, 60), WORK(1, 30, 40)}, 3, 0, ""},   /* the later one came too late */
    {{CALL(1, 1, 10, 10), CALL(1, 1, 10, 10), WORK(1, 30, 40)}, 3, 0, ""},   /* times are rounded */
    {{CALL(1, 1, 10, 10), CALL(1, 1, 20, 0), WORK(1, 30, 40)}, 3, 0, DOUBT}, /* the second one never ended */
    {{CALL(1, 1, 10, 20), CALL(2, 1, 50, 60), CALL(2, 1, 70, 80), WORK(1, 90, 95)}, 4, 0, ""}, /* of no work */
};

static enum rule_status judge_case(size_t i, const char *rule, const char **reason, struct judged *j)
{
    struct event_stream *stream = NULL;
    struct err e = {0};
    assert_int_equal(event_stream_from_events(&stream, cases[i].events, cases[i].count, NULL, &e), 0);
    event_stream_set_time_error_ns(stream, cases[i].time_error_ns);
    judge_stream(j, rule, stream, NULL);
    *reason = j->results.items[0].reason;
    return j->results.items[0].status;
}

static void an_uncertain_call_passes_nothing_that_needs_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct judged j;
        const char *reason;
        const enum rule_status status = judge_case(i, "queue_p99(kernel) <= 1us", &reason, &j);
        if (strcmp(reason, cases[i].reason) != 0 || status != (*reason ? RULE_INCONCLUSIVE : RULE_PASS))
            fail_msg("case %zu: %s '%s'", i, rule_status_name(status), reason);
        judged_release(&j);
    }
}

/* A rule that asks for no call passes; none passes by a call that is not known. */
static void other_rules_are_judged(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct judged j;
        const char *reason;
        assert_int_equal(judge_case(i, "count(kernel) == 1", &reason, &j), RULE_PASS);
        judged_release(&j);
        const enum rule_status status = judge_case(i, "launch_p50(kernel) > 1us", &reason, &j);
        if (*cases[i].reason ? status == RULE_PASS : status != RULE_FAIL)
            fail_msg("case %zu: %s '%s'", i, rule_status_name(status), reason);
        judged_release(&j);
    }
}

/* The case with a range `step` around all of its calls. */
static struct event_stream *ranged_stream(size_t i)
{
    struct cpprof_event events[EVENTS_MAX + 1];
    struct event_stream *stream = NULL;
    struct strtab strings;
    struct err e = {0};
    strtab_init(&strings);
    events[0] = (struct cpprof_event){.kind = CPPROF_EVENT_RANGE, .thread = 1, .end_ns = 90, .device = -1};
    events[0].name = strtab_add(&strings, "step");
    memcpy(events + 1, cases[i].events, cases[i].count * sizeof *events);
    assert_int_equal(event_stream_from_events(&stream, events, cases[i].count + 1, &strings, &e), 0);
    event_stream_set_time_error_ns(stream, cases[i].time_error_ns);
    strtab_release(&strings);
    return stream;
}

/* A scope leaves work out by its call, too. */
static void a_range_of_an_uncertain_call_weakens(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct event_stream *stream = ranged_stream(i);
        struct err e = {0};
        assert_int_equal(event_stream_scope(stream, &(struct stream_scope){.range = "step"}, &e), 0);
        assert_int_equal(caveat_has(event_stream_caveats(stream), CAVEAT_WEAKENS), *cases[i].reason != '\0');
        event_stream_free(stream);
    }
}

/* Whichever of the calls it was: no rule on the work of a scope passes or fails. */
static void a_range_of_a_shared_id_decides_nothing(void **state)
{
    (void)state;
    static const char *const rules[] = {"count(kernel) == 1", "count(kernel) != 1", "busy(kernel) <= 1ns",
                                        "busy(kernel) > 1ns", "0 * count(api) < count(any)"};
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        for (size_t k = 0; !strcmp(cases[i].reason, DOUBT) && k < COUNT_OF(rules); k++) {
            struct event_stream *stream = ranged_stream(i);
            struct judged j;
            struct err e = {0};
            assert_int_equal(event_stream_scope(stream, &(struct stream_scope){.range = "step"}, &e), 0);
            judge_stream(&j, rules[k], stream, NULL);
            if (j.results.items[0].status != RULE_INCONCLUSIVE || strcmp(j.results.items[0].reason, DOUBT) != 0)
                fail_msg("case %zu, %s: %s '%s'", i, rules[k], rule_status_name(j.results.items[0].status),
                         j.results.items[0].reason);
            judged_release(&j);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_uncertain_call_passes_nothing_that_needs_it),
        cmocka_unit_test(other_rules_are_judged),
        cmocka_unit_test(a_range_of_an_uncertain_call_weakens),
        cmocka_unit_test(a_range_of_a_shared_id_decides_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
