/* Does the recorded graph of any trace give the recorded times again, and does nothing end later when a kernel is
 * shorter? */
#include "tests/fuzz/byte_trace.h"

#include "analyzers/dependencies/dependency_rows.h"
#include "analyzers/dependencies/graph_rerun.h"
#include "core/trace/short_names.h"

static void check_times(const struct recorded_graph *g, const struct rerun_times *t)
{
    for (size_t i = 0; i < g->works.count; i++)
        REQUIRE(t->work_start_ns[i] == g->works.items[i].start_ns && t->work_end_ns[i] == g->works.items[i].end_ns);
    for (size_t i = 0; i < g->calls.count; i++)
        REQUIRE(t->call_start_ns[i] == g->calls.items[i].start_ns && t->call_end_ns[i] == g->calls.items[i].end_ns);
}

static void check_rerun(const struct recorded_graph *g, struct rerun_times *t, uint32_t name)
{
    int64_t last_ns[2];
    for (int most = 0; most < 2; most++) {
        struct rerun how = {.left = 1, .gains_most = most};
        REQUIRE(graph_rerun(g, &how, t) == g->last_ns);
        check_times(g, t);
        how.name = name;
        how.left = 0.25;
        last_ns[most] = graph_rerun(g, &how, t);
        REQUIRE(last_ns[most] <= g->last_ns);
    }
    REQUIRE(last_ns[1] <= last_ns[0]);
}

static void check_graph(struct event_stream *stream)
{
    struct recorded_graph g = {0};
    struct rerun_times t = {0};
    struct err e;
    REQUIRE(recorded_graph_read(&g, stream, &e) == 0);
    if (!g.reason) {
        REQUIRE(recorded_graph_join(&g, event_stream_strings(stream), &e) == 0);
        REQUIRE(rerun_times_new(&t, &g, &e) == 0);
        for (uint32_t name = 1; name <= BYTE_TRACE_NAMES; name++)
            check_rerun(&g, &t, name);
    }
    rerun_times_release(&t);
    recorded_graph_release(&g);
}

static void check_rows(struct event_stream *stream)
{
    struct dependencies found;
    struct short_names names;
    struct err e;
    short_names_init(&names);
    REQUIRE(dependencies_measure(&found, stream, true, &names, &e) == 0);
    REQUIRE(!found.reason || !found.count);
    for (size_t i = 0; i < found.count; i++) {
        const struct bounded *c = &found.rows[i].criticality;
        REQUIRE(found.rows[i].reason || (c->low >= 0 && c->low <= c->value && c->value <= c->high));
        REQUIRE((found.rows[i].status == CAUSAL_INCONCLUSIVE) == (found.rows[i].reason != 0));
    }
    dependencies_release(&found);
    short_names_release(&names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int64_t bases_ns[] = {0, -40, INT64_C(1764108000000000000), INT64_MAX - 200};
    struct cpprof_event events[BYTE_TRACE_EVENTS_MAX];
    if (!size)
        return 0;
    const size_t count = byte_events(events, data + 1, size - 1, bases_ns[data[0] & 3]);
    const int64_t base_ns = bases_ns[data[0] & 3], scale = data[0] & 4 ? 1 : 500; /* longer than what counts as late */
    for (size_t i = 0; i < count && base_ns < INT64_MAX - 200; i++) {
        if (byte_event_is_open(&events[i]))
            continue;
        events[i].start_ns = base_ns + (events[i].start_ns - base_ns) * scale;
        events[i].end_ns = base_ns + (events[i].end_ns - base_ns) * scale;
    }
    struct event_stream *stream = byte_stream(events, count);
    check_graph(stream);
    check_rows(stream);
    event_stream_free(stream);
    return 0;
}
