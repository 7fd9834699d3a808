/* Does the re-run of a recorded graph give what was built, and nothing where the trace cannot tell? */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/dependencies/dependency_rows.h"
#include "analyzers/dependencies/graph_rerun.h"
#include "core/base/splitmix.h"
#include "core/base/stream_edge.h"
#include "core/trace/event_stream.h"
#include "core/trace/short_names.h"
#include "tests/test.h"

#define US INT64_C(1000)

enum { EVENTS_MAX = 60000, LATENCY_US = 5, CALL_US = 3, NEXT_US = 1, WAKE_US = 2, STREAMS = 4 };

/* A program that is played: a host that launches, streams that work off what was launched. */
static struct {
    struct cpprof_event events[EVENTS_MAX];
    size_t count;
    struct strtab strings;
    int64_t host_ns;           /* the host's time */
    int64_t free_ns[STREAMS];  /* when a stream has worked off all */
    int64_t ready_ns[STREAMS]; /* when the event comes that it waits for */
    int64_t more_ns[3];        /* by which a launch, going on, and waking take longer */
    uint32_t correlation;
    int16_t rank;
} game;

static void begin(void)
{
    strtab_release(&game.strings);
    memset(&game, 0, sizeof game);
    strtab_init(&game.strings);
    game.host_ns = INT64_C(1764108000000000000);
    game.rank = -1;
}

static struct cpprof_event *add(uint16_t kind, const char *name, int64_t start_ns, int64_t end_ns)
{
    assert_true(game.count < EVENTS_MAX);
    game.events[game.count] = (struct cpprof_event){.kind = kind,
                                                    .start_ns = start_ns,
                                                    .end_ns = end_ns,
                                                    .name = strtab_add(&game.strings, name),
                                                    .rank = game.rank,
                                                    .device = kind == CPPROF_EVENT_API ? -1 : 0};
    return &game.events[game.count++];
}

/* The host calls, and goes on. */
static void call_until(const char *name, uint32_t detail, int64_t end_ns, uint32_t correlation)
{
    struct cpprof_event *c = add(CPPROF_EVENT_API, name, game.host_ns, end_ns);
    c->detail = detail;
    c->correlation = correlation;
    c->thread = 1;
    game.host_ns = end_ns;
}

static void call(const char *name, uint32_t detail, int64_t us, uint32_t correlation)
{
    call_until(name, detail, game.host_ns + us * US, correlation);
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* A kernel starts 5 us after its call began, 1 us after the one before it, and 2 us after an event. */
static int64_t launch_ns(const char *name, unsigned stream, int64_t length_ns)
{
    int64_t start_ns =
        later(game.host_ns + LATENCY_US * US + game.more_ns[0], game.free_ns[stream] + NEXT_US * US + game.more_ns[1]);
    start_ns = later(start_ns, game.ready_ns[stream] + WAKE_US * US + game.more_ns[2]);
    struct cpprof_event *k = add(CPPROF_EVENT_KERNEL, name, start_ns, start_ns + length_ns);
    k->stream = stream;
    k->correlation = ++game.correlation;
    k->grid[0] = k->grid[1] = k->grid[2] = 1;
    call("cudaLaunchKernel", CPPROF_API_LAUNCH, CALL_US, game.correlation);
    game.free_ns[stream] = start_ns + length_ns;
    return start_ns + length_ns;
}

static int64_t launch(const char *name, unsigned stream, int64_t us)
{
    return launch_ns(name, stream, us * US);
}

/* The stream is told to wait for an event: in the trace only where waits are recorded. */
static void record_wait(unsigned stream)
{
    struct cpprof_event *wait = add(CPPROF_EVENT_SYNC, "", game.host_ns, game.host_ns + 1);
    wait->detail = CPPROF_SYNC_STREAM_EVENT;
    wait->stream = stream;
}

/* The trace says which waits of streams there are, and what they wait for. */
static void record_edges(void)
{
    add(CPPROF_EVENT_SYNC, "", game.host_ns, game.host_ns)->detail = STREAM_EDGE;
}

static void record_edge(unsigned stream, unsigned source)
{
    struct cpprof_event *edge = add(CPPROF_EVENT_SYNC, "", game.host_ns, game.host_ns);
    edge->detail = STREAM_EDGE;
    edge->stream = stream;
    edge->grid[1] = source;
    edge->grid[2] = ++game.correlation;
    edge->correlation = ++game.correlation;
}

static void work_on_host(int64_t us)
{
    game.host_ns += us * US;
}

static void stream_waits(unsigned stream, int64_t event_ns)
{
    game.ready_ns[stream] = event_ns;
}

/* The host goes on 2 us after the work that it waits for. */
static void synchronise(const char *name, unsigned stream)
{
    const int64_t end_ns = later(game.host_ns, game.free_ns[stream]) + WAKE_US * US;
    call_until(name, CPPROF_API_SYNC, end_ns, ++game.correlation);
}

/* ---- what is measured ---- */

static struct dependencies found;
static struct short_names names;

static void measure_part(bool is_whole, int64_t time_error_ns)
{
    struct event_stream *stream;
    struct err e = {0};
    short_names_init(&names);
    assert_int_equal(event_stream_from_events(&stream, game.events, game.count, &game.strings, &e), 0);
    event_stream_set_time_error_ns(stream, time_error_ns);
    if (dependencies_measure(&found, stream, is_whole, &names, &e))
        fail_msg("%s", e.text);
    event_stream_free(stream);
}

static void measure(void)
{
    measure_part(true, 0);
}

static void forget(void)
{
    dependencies_release(&found);
    short_names_release(&names);
}

static const struct dependency_row *row_of(const char *name)
{
    for (size_t i = 0; i < found.count; i++)
        if (!strcmp(short_names_full(&names, found.rows[i].name), name))
            return &found.rows[i];
    fail_msg("no row of '%s' (%s)", name, dependency_reasons[found.reason].key);
    return NULL;
}

static void expect(const char *name, double low, double high, const char *status, const char *reason)
{
    const struct dependency_row *row = row_of(name);
    if (!(fabs(row->criticality.low - low) < 0.02) || !(fabs(row->criticality.high - high) < 0.02))
        fail_msg("%s: %g to %g instead of %g to %g", name, row->criticality.low, row->criticality.high, low, high);
    assert_string_equal(causal_status_name(row->status), status);
    assert_string_equal(dependency_reasons[row->reason].key, reason);
}

static void expect_nothing(const char *reason)
{
    struct bounded gain;
    struct step_gain step;
    assert_string_equal(dependency_reasons[found.reason].key, reason);
    assert_int_equal(found.count, 0);
    assert_string_equal(dependency_reasons[dependencies_gain(&found, 1, 0, 1000, &gain, &step)].key, reason);
    assert_true(isnan(gain.value) && isnan(gain.low) && isnan(gain.high));
}

/* ---- programs whose answers are known by construction ---- */

/* Launches of 3 us, kernels of 100 and 30 us: the GPU is never idle. */
TEST(one_stream)
{
    begin();
    for (int i = 0; i < 100; i++) {
        launch("link", 0, 100);
        launch("tail", 0, 30);
    }
    synchronise("cudaDeviceSynchronize", 0);
    measure();
    assert_true(found.error == 0);
    expect("link", 1, 1, "critical", "");
    expect("tail", 1, 1, "critical", "");
    assert_int_equal(found.works, 200);
    assert_int_equal(found.calls, 201);
    /* From 5 us: 200 kernels with 199 gaps of 1 us. */
    assert_true(found.program_ns == 100 * 130e3 + 199e3);
    forget();
}

/* 300 us of the host between launches of a kernel of 50. */
static void launch_from_slow_host(int launches)
{
    for (int i = 0; i < launches; i++) {
        launch("short", 0, 50);
        work_on_host(300);
    }
}

/* A launch each 303 us, of a kernel of 50 us. Only the last one, of 100, ends the program: 0.01. */
TEST(a_host_that_is_slower)
{
    begin();
    launch_from_slow_host(100);
    measure();
    expect("short", 0.01, 0.01, "hidden", "");
    forget();
}

/* The host waits for each kernel, then works for 30 us: all but nothing of a saving is lost. The program ends with the
 * last kernel. */
TEST(a_host_that_waits)
{
    static const char *const calls[] = {"cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaEventSynchronize"};
    for (size_t i = 0; i < COUNT_OF(calls); i++) {
        begin();
        for (int step = 0; step < 50; step++) {
            launch("step", 0, 50);
            synchronise(calls[i], 0);
            work_on_host(30);
        }
        measure();
        assert_int_equal(found.unexplained, 0);
        expect("step", 1, 1, "critical", "");
        forget();
    }
}

/* As guests of tests/gpu: each step three kernels of 60 us on stream 0. One of 40 us on stream 1 waits for the step
 * before, and the next step waits for it. No event is recorded: that stream 1 waited is seen by 49 starts, each 2 us
 * behind a kernel of stream 0. That stream 0 has to wait for stream 1 cannot be seen, and it does not come to that:
 * with 54 us instead of 60 the kernel beside still ends before. */
static void two_streams(int steps, bool has_record)
{
    int64_t chained_ns = 0, beside_ns = 0;
    begin();
    for (int i = 0; i < steps; i++) {
        stream_waits(1, chained_ns);
        if (has_record && i)
            record_wait(1);
        const int64_t done_ns = launch("beside", 1, 40);
        for (int k = 0; k < 3; k++) {
            stream_waits(0, k ? 0 : beside_ns);
            chained_ns = launch("chain", 0, 60);
        }
        beside_ns = done_ns;
    }
    synchronise("cudaDeviceSynchronize", 0);
}

TEST(a_hidden_stream)
{
    two_streams(50, false);
    measure();
    assert_int_equal(found.sure, 49);
    assert_int_equal(found.unsure + found.unexplained, 0);
    expect("chain", 1, 1, "critical", "");
    expect("beside", 0, 0, "hidden", "");
    forget();
}

/* Three starts may be behind other work by chance. If they came late for another reason, stream 1 does not move when
 * chain gets shorter. With a wait for it that cannot be seen, stream 0 has to stay behind it. */
TEST(what_may_be_chance)
{
    two_streams(4, false);
    measure();
    assert_int_equal(found.sure, 0);
    assert_int_equal(found.unsure, 3);
    const struct dependency_row *row = row_of("chain");
    assert_true(row->criticality.low < 0.7);
    assert_true(row->criticality.high > 0.98);
    forget();
    two_streams(4, true); /* the same, and the stream's waits are in the trace */
    measure();
    assert_int_equal(found.sure, 3);
    expect("chain", 1, 1, "critical", "");
    expect("beside", 0, 0, "hidden", "");
    forget();
}

/* Four steps are too few to conclude anything from times, and enough where the trace says it. Stream 0 has waited for
 * stream 1, too, though that never held it up: when the kernel beside takes 40 us, and chain next to nothing, the
 * program ends with the kernel beside. */
TEST(what_the_trace_tells)
{
    struct bounded gain;
    struct step_gain step;
    begin();
    record_edges();
    int64_t chained_ns = 0;
    for (int i = 0; i < 4; i++) {
        stream_waits(1, chained_ns);
        if (i)
            record_edge(1, 0);
        const int64_t beside_ns = launch("beside", 1, 40);
        for (int k = 0; k < 3; k++)
            chained_ns = launch("chain", 0, 60);
        stream_waits(0, beside_ns);
        record_edge(0, 1);
    }
    launch("last", 0, 10);
    synchronise("cudaDeviceSynchronize", 0);
    measure();
    assert_int_equal(found.recorded, 3 + 4);
    assert_int_equal(found.unsure + found.unexplained, 0);
    expect("chain", 1, 1, "critical", "");
    expect("beside", 0, 0, "hidden", "");
    const struct dependency_row *chain = row_of("chain");
    /* All but 10 of 60 us go, three times in each of four steps. A step of 4 x 2 + 3 x 61 becomes 2 + 40 + 2 + ... */
    assert_string_equal(dependency_reasons[dependencies_gain(&found, chain->symbol, 0, 12 * 50e3, &gain, &step)].key,
                        "");
    assert_true(gain.high * found.program_ns < 12 * 50e3 && gain.low > 0.9 * gain.high);
    forget();
}

static void expect_host(double share, double criticality, const char *status)
{
    const struct host_dependency *h = &found.host;
    assert_string_equal(dependency_reasons[h->reason].key, "");
    assert_string_equal(causal_status_name(h->status), status);
    if (!(fabs(h->share - share) < 0.02) || !(fabs(h->criticality.low - criticality) < 0.03) ||
        !(fabs(h->criticality.high - criticality) < 0.03))
        fail_msg("host: %g of the time, %g to %g", h->share, h->criticality.low, h->criticality.high);
}

/* 300 us between launches of a kernel of 50, and 10 between those of one of 100. Of two ranks that are alike each has
 * as much. With no time between calls nothing can be said. */
TEST(the_host_between_its_calls)
{
    begin();
    launch_from_slow_host(100);
    measure();
    expect_host(0.99, 1, "critical");
    forget();
    begin();
    for (int i = 0; i < 100; i++) {
        launch("long", 0, 100);
        work_on_host(10);
    }
    measure();
    expect_host(0.1, 0, "hidden");
    forget();
    begin();
    const int64_t host_ns = game.host_ns;
    for (int16_t rank = 0; rank < 2; rank++) {
        game.rank = rank;
        game.host_ns = host_ns;
        game.free_ns[0] = 0;
        launch_from_slow_host(100);
    }
    measure();
    expect_host(0.99, 1, "critical");
    forget();
    begin();
    for (int i = 0; i < 100; i++)
        launch("long", 0, 100);
    measure();
    assert_string_equal(dependency_reasons[found.host.reason].key, "no_launches");
    assert_true(isnan(found.host.gain.value));
    forget();
}

static void add_range(const char *name, int number, int64_t start_ns)
{
    char text[64];
    snprintf(text, sizeof text, "%s%d", name, number);
    add(CPPROF_EVENT_RANGE, text, start_ns, game.host_ns)->thread = 1;
}

/* Eight steps. In each the host waits for a kernel of 50 us, and works for 40 us; in the last two it works for 240.
 * What goes is 25 us of some 100 us, and of some 300 us. The names that are open for longer do not come five times. */
TEST(steps_of_a_program)
{
    struct bounded gain;
    struct step_gain step;
    size_t count = 0;
    begin();
    const int64_t begin_ns = game.host_ns;
    for (int i = 0; i < 8; i++) {
        const int64_t start_ns = game.host_ns;
        launch("kernel", 0, 50);
        synchronise("cudaStreamSynchronize", 0);
        work_on_host(i < 6 ? 40 : 240);
        add_range("forward ", i, start_ns + 1000);
        add_range("step ", i, start_ns);
        if (i % 2)
            add_range("pair ", i, start_ns - 50000);
    }
    add_range("train", 0, begin_ns);
    measure();
    const struct dependency_row *row = row_of("kernel");
    assert_string_equal(dependencies_steps(&found, &count), "step");
    assert_int_equal(count, 7);
    assert_string_equal(dependency_reasons[dependencies_gain(&found, row->symbol, 0, 8 * 25e3, &gain, &step)].key, "");
    /* From end to end: 2 us to wake, the host's 40, 5 to launch and 50; or 240 in the step behind one with so much. */
    assert_true(fabs(step.median.value - 25. / 97) < 0.001 && step.median.low <= step.median.high);
    assert_true(fabs(step.least.value - 25. / 297) < 0.001);
    assert_true(fabs(row->step.median.value - 5. / 97) < 0.001);
    forget();
    begin();
    for (int i = 0; i < 50; i++)
        launch("kernel", 0, 50);
    measure();
    assert_null(dependencies_steps(&found, &count));
    assert_true(isnan(row_of("kernel")->step.median.value));
    forget();
}

/* CUDA has room for 1,024 launches: each further one returns 2 us after a kernel of 10 us has ended. */
TEST(a_full_queue)
{
    static int64_t ends_ns[6000];
    begin();
    for (int i = 0; i < 6000; i++) {
        const int64_t start_ns = game.host_ns, room_ns = i < 1024 ? 0 : ends_ns[i - 1024] + 2 * US;
        ends_ns[i] = launch("tiny", 0, 10);
        if (room_ns <= game.host_ns)
            continue;
        game.host_ns = room_ns;
        game.events[game.count - 1].end_ns = room_ns;
        assert_true(game.events[game.count - 1].start_ns == start_ns);
    }
    measure();
    assert_true(found.error == 0);
    expect("tiny", 1, 1, "critical", "");
    forget();
}

/* Rank 1 comes 100 us later to each all-reduce, because of a kernel of 150 us where rank 0 has one of 50 us. */
static void two_ranks(bool with_second)
{
    begin();
    const int64_t host_ns = game.host_ns;
    for (int16_t rank = 0; rank < 2; rank++) {
        game.rank = rank;
        game.host_ns = host_ns;
        game.free_ns[0] = 0;
        for (int i = 0; i < 50; i++) {
            launch(rank ? "late" : "early", 0, rank ? 150 : 50);
            launch("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 0, rank ? 20 : 120);
        }
        if (!with_second)
            return;
    }
}

TEST(a_collective_waits_for_the_last)
{
    two_ranks(true);
    measure();
    expect("late", 1, 1, "critical", "");
    expect("early", 0, 0, "hidden", "");
    forget();
    /* Whether a rank that is not there lets it end earlier is not known. */
    two_ranks(false);
    measure();
    expect("early", 0, 1, "inconclusive", "unseen_waits");
    forget();
}

/* Steps of 100 + 1 + 30 + 1 = 132 us on the GPU, and of 2 x (3 + 39) = 84 us on the host. With link half as long the
 * GPU would take 82 us, so the host sets the pace: 48 us of 50 go. Some of the host's 39 us end right after a kernel,
 * as if it had waited: if it had, it would be no slower than the GPU. */
TEST(shortened_to_a_roof)
{
    struct bounded gain;
    struct step_gain step;
    begin();
    for (int i = 0; i < 100; i++) {
        launch("link", 0, 100);
        work_on_host(39);
        launch("tail", 0, 30);
        work_on_host(39);
    }
    measure();
    const uint32_t link = strtab_find(&game.strings, "link");
    assert_string_equal(dependency_reasons[dependencies_gain(&found, link, 1, 100 * 50e3, &gain, &step)].key, "");
    assert_true(fabs(gain.low - 48.0 / 132) < 0.005);
    assert_true(gain.high >= gain.low && gain.high <= 50.0 / 132 + 0.005);
    assert_string_equal(dependency_reasons[dependencies_gain(&found, link, 7, 100 * 50e3, &gain, &step)].key,
                        "no_launches"); /* no such grid */
    assert_string_equal(dependency_reasons[dependencies_gain(&found, link, 1, 101 * 100e3, &gain, &step)].key,
                        "no_launches"); /* more than it takes */
    assert_string_equal(dependency_reasons[dependencies_gain(&found, link, 1, NAN, &gain, &step)].key, "no_launches");
    forget();
}

/* ---- what is not known ---- */

/* cudaFree may wait for all work, or take that long for its own sake. */
TEST(a_call_that_may_wait)
{
    begin();
    for (int step = 0; step < 50; step++) {
        launch("step", 0, 50);
        call_until("cudaFree", CPPROF_API_OTHER, game.free_ns[0] + 10 * US, ++game.correlation);
    }
    measure();
    expect("step", 0.02, 1, "inconclusive", "unseen_waits");
    forget();
}

/* Each second kernel begins 40 us before the first of 60 us ends, and takes 60 us: as dependent launches do. How much
 * of it waits for the first, the trace does not tell. */
TEST(work_that_begins_early)
{
    begin();
    for (int i = 0; i < 50; i++) {
        launch("first", 0, 60);
        game.free_ns[0] -= 41 * US;
        launch("second", 0, 60);
    }
    measure();
    expect("first", 0, 1, "inconclusive", "unseen_waits");
    assert_int_equal(row_of("second")->status, CAUSAL_INCONCLUSIVE);
    forget();
}

/* Each fifth kernel starts 500 us late, and nothing says why: of 1 ms for five of them, half. */
TEST(delays_without_a_cause)
{
    begin();
    for (int i = 0; i < 100; i++) {
        if (i % 5 == 4)
            game.free_ns[0] += 500 * US;
        launch("kernel", 0, 100);
    }
    measure();
    assert_true(found.error > 0.4 && found.error < 0.6);
    assert_int_equal(found.unexplained, 20);
    struct bounded gain;
    struct step_gain step;
    assert_string_equal(dependency_reasons[found.reason].key, "not_explained");
    assert_string_equal(dependency_reasons[dependencies_gain(&found, 1, 0, 1000, &gain, &step)].key, "not_explained");
    assert_int_equal(found.count, 0);
    forget();
}

/* A trace that is damaged has no gains, whatever the intact one has. */
TEST(a_damaged_trace)
{
    two_streams(50, false);
    measure_part(false, 0);
    expect_nothing("records_missing");
    forget();
    measure_part(true, 5000);
    expect_nothing("times_rounded");
    forget();
    game.events[20].flags |= CPPROF_EVENT_UNFINISHED;
    if (game.events[20].kind != CPPROF_EVENT_KERNEL)
        game.events[21].flags |= CPPROF_EVENT_UNFINISHED;
    measure();
    expect_nothing("records_missing");
    forget();
    begin();
    measure();
    expect_nothing("no_work");
    forget();
}

/* One call in 200 is gone, or all of them: the host would look as if it held up nothing. */
TEST(calls_that_are_gone)
{
    for (int gone = 1; gone <= 200; gone += 199) {
        size_t kept = 0;
        begin();
        launch_from_slow_host(200);
        for (size_t i = 0, calls = 0; i < game.count; i++)
            if (game.events[i].kind != CPPROF_EVENT_API || calls++ >= (size_t)gone)
                game.events[kept++] = game.events[i];
        game.count = kept;
        measure();
        expect_nothing("calls_missing");
        forget();
    }
}

/* ---- whatever the trace ---- */

/* Calls and work at random times, some of which overlap, have no call, or take no time. */
static void play_at_random(uint64_t *random)
{
    begin();
    const bool tells = splitmix_next(random) % 2;
    for (int i = 0; i < 400; i++) {
        const unsigned stream = (unsigned)(splitmix_next(random) % STREAMS);
        const char *name = splitmix_next(random) % 9 ? "kernel" : "ncclDevKernel_AllReduce";
        game.rank = (int16_t)(splitmix_next(random) % 2);
        launch(name, stream, (int64_t)(splitmix_next(random) % 60));
        game.events[game.count - 1].thread = (uint32_t)(splitmix_next(random) % 2);
        if (splitmix_next(random) % 5 == 0)
            game.free_ns[stream] += (int64_t)(splitmix_next(random) % 200) * US - 50 * US;
        if (splitmix_next(random) % 7 == 0)
            game.events[game.count - 1].correlation = 0;
        if (splitmix_next(random) % 6 == 0)
            synchronise(splitmix_next(random) % 2 ? "cudaDeviceSynchronize" : "cudaEventSynchronize", stream);
        if (splitmix_next(random) % 4 == 0)
            work_on_host((int64_t)(splitmix_next(random) % 90));
        if (tells && splitmix_next(random) % 3 == 0)
            record_edge(stream, (unsigned)(splitmix_next(random) % STREAMS));
    }
}

static void rerun_all(struct recorded_graph *g, struct rerun_times *times, uint32_t kernel)
{
    int64_t ends_ns[2];
    for (unsigned most = 0; most < 2; most++) {
        struct rerun how = {.left = 1, .gains_most = most};
        assert_true(graph_rerun(g, &how, times) == g->last_ns);
        for (size_t i = 0; i < g->works.count; i++)
            assert_true(times->work_start_ns[i] == g->works.items[i].start_ns &&
                        times->work_end_ns[i] == g->works.items[i].end_ns);
        for (size_t i = 0; i < g->calls.count; i++)
            assert_true(times->call_start_ns[i] == g->calls.items[i].start_ns &&
                        times->call_end_ns[i] == g->calls.items[i].end_ns);
        how.name = kernel;
        how.left = 0.5;
        ends_ns[most] = graph_rerun(g, &how, times);
        assert_true(ends_ns[most] <= g->last_ns);
    }
    assert_true(ends_ns[0] >= ends_ns[1]);
}

/* With nothing shorter every node keeps its recorded time, under every assumption; with something shorter none of them
 * ends later, and the strictest gains least. */
TEST(any_trace_is_reproduced)
{
    uint64_t random = 7;
    for (int trial = 0; trial < 100; trial++) {
        struct recorded_graph g = {0};
        struct rerun_times times = {0};
        struct event_stream *stream;
        struct err e = {0};
        play_at_random(&random);
        assert_int_equal(event_stream_from_events(&stream, game.events, game.count, &game.strings, &e), 0);
        assert_int_equal(recorded_graph_read(&g, stream, &e), 0);
        assert_int_equal(recorded_graph_join(&g, event_stream_strings(stream), &e), 0);
        assert_int_equal(rerun_times_new(&times, &g, &e), 0);
        rerun_all(&g, &times, strtab_find(&game.strings, "kernel"));
        rerun_times_release(&times);
        recorded_graph_release(&g);
        event_stream_free(stream);
    }
}

/* ---- programs at random, whose answers are played ---- */

enum { OPERATIONS = 10, KERNELS = 3, STEPS = 60, PROGRAMS = 300, PROGRAMS_DEEP = 5000 };

enum operation { LAUNCH, WAIT, HOST_WORK, SYNCHRONISE };

/* What each step does. */
struct program {
    struct {
        enum operation what;
        unsigned stream, other, kernel;
        int64_t us;
    } items[OPERATIONS];
    bool records_waits, records_edges;
};

static struct program any_program(uint64_t *random)
{
    static const enum operation often[] = {LAUNCH, LAUNCH, LAUNCH, LAUNCH, WAIT, WAIT, HOST_WORK, SYNCHRONISE};
    struct program p = {.records_waits = splitmix_next(random) % 4 == 0};
    const unsigned streams = 1 + (unsigned)(splitmix_next(random) % 3);
    for (size_t i = 0; i < OPERATIONS; i++) {
        p.items[i].what = i ? often[splitmix_next(random) % 8] : LAUNCH;
        p.items[i].stream = (unsigned)splitmix_next(random) % streams;
        p.items[i].other = (unsigned)splitmix_next(random) % streams;
        p.items[i].kernel = (unsigned)splitmix_next(random) % KERNELS;
        p.items[i].us = 10 + (int64_t)(splitmix_next(random) % 90);
    }
    return p;
}

enum { HOST = KERNELS, NOBODY };

/* Lengths and latencies vary, in the same way each time. `shorter`: a kernel, or the host. Returns the time from the
 * first work to the last. */
static double play(const struct program *p, unsigned shorter, double left, double *saved_ns)
{
    static const char *const kernels[KERNELS] = {"gemm", "copy", "sort"};
    static const uint64_t varies_ns[] = {2000, 600, 4000};
    uint64_t random = 99;
    int64_t last_ns = 0;
    begin();
    *saved_ns = 0;
    if (p->records_edges)
        record_edges();
    for (int step = 0; step < STEPS; step++)
        for (size_t i = 0; i < OPERATIONS; i++) {
            const int64_t ns =
                p->items[i].us * US + (int64_t)(splitmix_next(&random) % (uint64_t)(p->items[i].us * US / 10));
            const bool is_shorter = p->items[i].kernel == shorter;
            for (size_t k = 0; k < 3; k++)
                game.more_ns[k] = (int64_t)(splitmix_next(&random) % varies_ns[k]);
            const unsigned stream = p->items[i].stream, other = p->items[i].other;
            switch (p->items[i].what) {
            case LAUNCH:
                launch_ns(kernels[p->items[i].kernel], stream, is_shorter ? (int64_t)((double)ns * left) : ns);
                *saved_ns += is_shorter ? (double)ns * (1 - left) : 0;
                break;
            case WAIT:
                if (p->records_waits && stream != other)
                    record_wait(stream);
                if (p->records_edges && stream != other)
                    record_edge(stream, other);
                game.ready_ns[stream] = later(game.ready_ns[stream], stream == other ? 0 : game.free_ns[other]);
                break;
            case HOST_WORK:
                game.host_ns += shorter == HOST ? (int64_t)((double)ns * left) : ns;
                *saved_ns += shorter == HOST ? (double)ns * (1 - left) : 0;
                break;
            case SYNCHRONISE:
                if (p->records_edges) {
                    struct cpprof_event *wait = add(CPPROF_EVENT_SYNC, "", game.host_ns, game.host_ns + 1);
                    wait->detail = CPPROF_SYNC_STREAM;
                    wait->stream = stream;
                    wait->correlation = game.correlation + 1;
                }
                synchronise("cudaStreamSynchronize", stream);
                break;
            }
        }
    for (unsigned s = 0; s < STREAMS; s++)
        last_ns = later(last_ns, game.free_ns[s]);
    return (double)last_ns;
}

/* Is a criticality that is played outside of the interval, by more than times are off? */
static bool is_outside(const struct bounded *criticality, double truth)
{
    return truth < criticality->low - 0.05 || truth > criticality->high + 0.05;
}

struct tally {
    int said, asked, missed, narrow;
};

static void count_answer(struct tally *t, const struct bounded *criticality, enum causal_status status, double truth)
{
    t->asked++;
    if (status == CAUSAL_INCONCLUSIVE)
        return;
    t->said++;
    t->missed += is_outside(criticality, truth);
    t->narrow += criticality->high - criticality->low < 0.05;
}

static struct tally ask_programs(bool records_edges, struct tally *host)
{
    static const char *const kernels[KERNELS] = {"gemm", "copy", "sort"};
    struct tally t = {0};
    uint64_t random = 1;
    const int programs = getenv("CPPROF_DEEP") ? PROGRAMS_DEEP : PROGRAMS;
    for (int trial = 0; trial < programs; trial++) {
        struct program p = any_program(&random);
        double end_ns[NOBODY], saving_ns[NOBODY], nothing_ns;
        p.records_edges = records_edges;
        for (unsigned k = 0; k < NOBODY; k++)
            end_ns[k] = play(&p, k, 0.9, &saving_ns[k]);
        const double recorded_ns = play(&p, NOBODY, 1, &nothing_ns);
        measure();
        if (!found.reason && saving_ns[HOST] > 0)
            count_answer(host, &found.host.criticality, found.host.status,
                         (recorded_ns - end_ns[HOST]) / saving_ns[HOST]);
        for (unsigned k = 0; k < KERNELS && !found.reason; k++) {
            const struct dependency_row *row = saving_ns[k] > 0 ? row_of(kernels[k]) : NULL;
            if (row)
                count_answer(&t, &row->criticality, row->status, (recorded_ns - end_ns[k]) / saving_ns[k]);
        }
        forget();
    }
    return t;
}

/* Whatever is said of a kernel must hold when it is shortened, and nine tenths of all questions must get an answer.
 * Where two causes of a start are within the 2 us by which nothing can tell them apart, each time anew, an interval may
 * miss: of 500 answers at most two. */
TEST(the_truth_is_in_the_interval)
{
    struct tally host = {0};
    const struct tally t = ask_programs(false, &host);
    if (host.missed * 50 > host.said || host.said * 10 < host.asked * 9 || host.asked * 3 < PROGRAMS)
        fail_msg("of %d answers to %d questions on the host %d are wrong", host.said, host.asked, host.missed);
    if (t.missed * 250 > t.said || t.said * 10 < t.asked * 9 || t.asked < PROGRAMS)
        fail_msg("of %d answers to %d questions %d are wrong", t.said, t.asked, t.missed);
}

/* More is known where the trace says what streams wait for. */
TEST(the_truth_where_the_trace_tells)
{
    struct tally host = {0};
    const struct tally t = ask_programs(true, &host), guessed = ask_programs(false, &host);
    if (t.missed * 250 > t.said || t.said * 100 < t.asked * 96 || t.narrow <= guessed.narrow || t.asked < PROGRAMS)
        fail_msg("of %d answers to %d questions %d are wrong and %d narrow, %d of them without edges", t.said, t.asked,
                 t.missed, t.narrow, guessed.narrow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_stream),
        cmocka_unit_test(a_host_that_is_slower),
        cmocka_unit_test(a_host_that_waits),
        cmocka_unit_test(a_hidden_stream),
        cmocka_unit_test(what_may_be_chance),
        cmocka_unit_test(what_the_trace_tells),
        cmocka_unit_test(steps_of_a_program),
        cmocka_unit_test(the_host_between_its_calls),
        cmocka_unit_test(a_full_queue),
        cmocka_unit_test(a_collective_waits_for_the_last),
        cmocka_unit_test(shortened_to_a_roof),
        cmocka_unit_test(a_call_that_may_wait),
        cmocka_unit_test(work_that_begins_early),
        cmocka_unit_test(delays_without_a_cause),
        cmocka_unit_test(a_damaged_trace),
        cmocka_unit_test(calls_that_are_gone),
        cmocka_unit_test(any_trace_is_reproduced),
        cmocka_unit_test(the_truth_is_in_the_interval),
        cmocka_unit_test(the_truth_where_the_trace_tells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
