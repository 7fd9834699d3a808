/* judged_rule.h - one rule, held against a few events written by hand. */
#ifndef CPPROF_JUDGED_RULE_H
#define CPPROF_JUDGED_RULE_H

#include "rules/rules.h"
#include "tests/test.h"
#include "tests/unit/hand_trace.h"

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
enum { TWO_DEVICES = COUNT_OF(two_devices) };

struct judged {
    struct rule_list *rules;
    struct event_stream *stream;
    struct timeline_query query;
    struct timeline timeline;
    struct rule_results results;
};

static inline void judge_stream(struct judged *j, const char *rule, struct event_stream *stream,
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

static inline void judge(struct judged *j, const char *rule, const struct tiny_event *events, size_t count,
                         const struct caveat_list *caveats)
{
    judge_stream(j, rule, tiny_stream(events, count), caveats);
}

static inline void judged_release(struct judged *j)
{
    rule_results_release(&j->results);
    timeline_release(&j->timeline);
    event_stream_free(j->stream);
    rule_list_free(j->rules);
}

#endif
