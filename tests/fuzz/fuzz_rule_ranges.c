/* Does the true value of a rule's function lie between those that are given for rounded times? */
#include "tests/fuzz/byte_trace.h"

#include <math.h>
#include <string.h>

#include "core/base/count_of.h"
#include "core/trace/timeline.h"
#include "rules/rule_functions.h"

static const char *const set_texts[] = {"kernel", "copy", "any", "h2d", "kernel[stream=1]", "api"};
enum { SETS = COUNT_OF(set_texts), SLACK_MAX_NS = 3 };

/* The true times, those that are told, and those with all events at their shortest and at their longest. */
enum motion { TRUE_TIMES, TOLD, NARROW, WIDE, MOTIONS };

struct measured {
    struct timeline_query query;
    struct timeline timelines[MOTIONS];
    int64_t time_error_ns;
};

/* Rounds to the nearest step, halves upwards: half a step is the most that it changes. */
static int64_t round_to(int64_t time_ns, int64_t step_ns)
{
    return (time_ns + step_ns / 2) / step_ns * step_ns;
}

/* As readers meet it: the start and the duration are rounded, so that starts keep their order. */
static void tell(struct cpprof_event *event, int64_t start_step_ns, int64_t duration_step_ns)
{
    const int64_t duration_ns = event->end_ns - event->start_ns;
    const bool has_ended = !byte_event_is_open(event);
    event->start_ns = round_to(event->start_ns, start_step_ns);
    if (has_ended)
        event->end_ns = event->start_ns + round_to(duration_ns, duration_step_ns);
}

/* No two calls share an id: of those that do it is not known which one started the work. */
static void name_calls(struct cpprof_event *events, size_t count)
{
    uint32_t calls = 0;
    for (size_t i = 0; i < count; i++)
        if (events[i].kind == CPPROF_EVENT_API)
            events[i].correlation = ++calls;
}

static void measure(struct measured *m, enum motion which, const struct cpprof_event *events, size_t count)
{
    struct event_stream *stream = byte_stream(events, count);
    struct err e = {0};
    event_stream_set_time_error_ns(stream, which == TRUE_TIMES ? 0 : m->time_error_ns);
    m->query.widen_ns = which == NARROW ? -m->time_error_ns : which == WIDE ? m->time_error_ns : 0;
    const int rc = timeline_measure(stream, &m->query, &m->timelines[which], &e);
    if (rc)
        fprintf(stderr, "%s\n", e.text);
    REQUIRE(rc == 0);
    event_stream_free(stream);
}

static struct rule_scope scope_of(const struct measured *m, enum motion which, size_t device, size_t pair)
{
    const struct timeline_device *d = &m->timelines[which].devices[device];
    return (struct rule_scope){.a = &d->sets[m->query.pairs[pair].a],
                               .b = &d->sets[m->query.pairs[pair].b],
                               .pair = &d->pairs[pair],
                               .device = d};
}

static bool has_finished(const struct timeline_set *set)
{
    return set->count > set->unfinished;
}

/* A little more than doubles lose. */
static bool is_within(double value, double low, double high)
{
    return value >= low - 1e-9 * fabs(low) - 1e-12 && value <= high + 1e-9 * fabs(high) + 1e-12;
}

static void check_function(const struct measured *m, const struct rule_function *f, size_t device, size_t pair)
{
    const struct rule_scope truth = scope_of(m, TRUE_TIMES, device, pair), told = scope_of(m, TOLD, device, pair);
    const struct rule_scope narrow = scope_of(m, NARROW, device, pair), wide = scope_of(m, WIDE, device, pair);
    if (!has_finished(told.a) || (f->operand_count == 2 && !has_finished(told.b)))
        return; /* no such rule is judged */
    if (f->wants_launches && m->timelines[TRUE_TIMES].early)
        return; /* work before its call: no times that are true */
    const double value = f->value(&truth), as_told = f->value(&told);
    if (isnan(value) || isnan(as_told))
        return;
    double low = as_told, high = as_told;
    f->range(&(struct rule_motion){&told, &narrow, &wide, (double)m->time_error_ns}, &low, &high);
    low = fmin(low, as_told);
    high = fmax(high, as_told);
    if (!is_within(value, low, high))
        fprintf(stderr, "%s(%s, %s), slack %lld: %g, told %g, said to be between %g and %g\n", f->name,
                set_texts[m->query.pairs[pair].a], set_texts[m->query.pairs[pair].b], (long long)m->time_error_ns,
                value, as_told, low, high);
    REQUIRE(is_within(value, low, high));
}

static void check(const struct measured *m)
{
    const size_t devices = m->timelines[TOLD].device_count;
    for (size_t i = 0; i < MOTIONS; i++)
        REQUIRE(m->timelines[i].device_count == devices);
    for (size_t f = 0; f < rule_function_count; f++)
        for (size_t d = 0; rule_functions[f].range && d < devices; d++)
            for (size_t p = 0; p < m->query.pair_count; p++)
                check_function(m, &rule_functions[f], d, p);
}

static void make_query(struct timeline_query *query)
{
    static const uint8_t pairs[][2] = {{1, 0}, {0, 1}, {3, 4}, {4, 2}, {5, 5}};
    for (size_t i = 0; i < SETS; i++) {
        const char *text = set_texts[i];
        REQUIRE(selector_parse(&query->sets[i], &text, NULL, NULL) == 0);
        query->wants_durations[i] = true;
        query->wants_launches[i] = i < 3;
    }
    query->set_count = SETS;
    query->pair_count = COUNT_OF(pairs);
    for (size_t i = 0; i < query->pair_count; i++) {
        query->pairs[i].a = pairs[i][0];
        query->pairs[i].b = pairs[i][1];
    }
}

/* The first byte says to which steps starts and durations are rounded. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int64_t steps_ns[4] = {1, 2, 4, 8};
    struct measured m = {.time_error_ns = 0};
    struct cpprof_event events[BYTE_TRACE_EVENTS_MAX];
    const uint8_t head = fuzz_take(&data, &size);
    const int64_t start_step_ns = steps_ns[head & 3], duration_step_ns = steps_ns[head >> 2 & 3];
    m.time_error_ns = start_step_ns / 2 + duration_step_ns / 2;
    const size_t count = byte_events(events, data, size, 1000);
    name_calls(events, count);
    make_query(&m.query);
    measure(&m, TRUE_TIMES, events, count);
    for (size_t i = 0; i < count; i++)
        tell(&events[i], start_step_ns, duration_step_ns);
    for (enum motion which = TOLD; which < MOTIONS; which++)
        measure(&m, which, events, count);
    check(&m);
    for (size_t i = 0; i < MOTIONS; i++)
        timeline_release(&m.timelines[i]);
    for (size_t i = 0; i < SETS; i++)
        selector_free(m.query.sets[i]);
    return 0;
}
