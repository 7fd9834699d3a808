/* Is the criticality of a kernel the one that was played, and is nothing said where blocks cannot tell? */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/causal/causal_rows.h"
#include "core/trace/event_stream.h"
#include "core/trace/short_names.h"
#include "tests/test.h"

#define US INT64_C(1000)

enum { EVENTS_MAX = 40000, NO_DELAY_NS = 1500, KERNEL_NS = 50000 };

/* A program whose step launches each target once, as the host hands them out. */
static struct {
    struct cpprof_event events[EVENTS_MAX];
    size_t count;
    struct strtab strings;
    int64_t now_ns;
    uint32_t correlation;
    size_t targets, doses;
    int blocks, launches;  /* of each pair, in turns; of a block */
    double criticality[2]; /* of the targets: what a delay adds to the step, over it */
    int64_t free_ns;       /* so much delay costs nothing */
    double delay_factor;   /* what a delay is, over what was asked for */
    int64_t noise_ns;
    unsigned streams; /* which launches take in turns; each is so many steps behind the one before: */
    int64_t lag_ns;
    int64_t period_ns; /* of the blocks, each of which is over before; 0: one follows the other */
    bool undelayed;    /* each launch has another one beside it without a delay */
    bool is_copy;      /* what is launched */
    bool on_host;      /* the second target is the host before the first */
    bool is_whole;
} game;

static const int64_t doses_ns[] = {0, 20 * US, 60 * US};

static void play(double first, double second)
{
    strtab_release(&game.strings);
    memset(&game, 0, sizeof game);
    strtab_init(&game.strings);
    game.targets = game.streams = 1;
    game.doses = 3;
    game.blocks = 6;
    game.launches = 20;
    game.criticality[0] = first;
    game.criticality[1] = second;
    game.delay_factor = 1;
    game.is_whole = true;
    game.now_ns = INT64_C(1764108000000000001); /* a double has no such number */
}

static void add_kernel(const char *name, int64_t start_ns, int64_t length_ns, unsigned stream, size_t x, size_t y)
{
    assert_true(game.count < EVENTS_MAX);
    game.events[game.count++] = (struct cpprof_event){.kind = CPPROF_EVENT_KERNEL,
                                                      .start_ns = start_ns,
                                                      .end_ns = start_ns + length_ns,
                                                      .name = strtab_add(&game.strings, name),
                                                      .rank = -1,
                                                      .stream = stream,
                                                      .correlation = ++game.correlation,
                                                      .block = {(uint16_t)x, (uint16_t)y, 1}};
}

static void add_copy(int64_t start_ns, unsigned stream)
{
    add_kernel("[CUDA memcpy Host-to-Device]", start_ns, KERNEL_NS, stream, 0, 0);
    game.events[game.count - 1].kind = CPPROF_EVENT_COPY;
    game.events[game.count - 1].detail = CPPROF_COPY_H2D;
}

/* The host has waited, and a delay of no time tells of it, in front of that of the stream. */
static double wait_on_host(size_t dose)
{
    const double delay_ns = dose == CAUSAL_OUT_OF_TURN ? 0 : (double)doses_ns[dose];
    add_kernel(CAUSAL_KERNEL, game.now_ns - NO_DELAY_NS, NO_DELAY_NS, 0, dose + 1, 2);
    return game.criticality[1] * delay_ns;
}

/* One launch of a target; returns what its delay adds to the step. */
static double launch(size_t target, size_t dose, int number)
{
    static const char *const names[] = {"_Z4gemmPf", "_Z4copyPf"};
    const double delay_ns = dose == CAUSAL_OUT_OF_TURN ? 0 : (double)doses_ns[dose] * game.delay_factor;
    const unsigned stream = (unsigned)target * 10 + (unsigned)number % game.streams;
    const int64_t start_ns = game.now_ns + game.lag_ns * ((int64_t)number % game.streams);
    add_kernel(CAUSAL_KERNEL, start_ns, NO_DELAY_NS + (int64_t)delay_ns, stream, dose + 1, target + 1);
    if (game.is_copy)
        add_copy(start_ns + NO_DELAY_NS + (int64_t)delay_ns, stream);
    else
        add_kernel(names[target], start_ns + NO_DELAY_NS + (int64_t)delay_ns, KERNEL_NS, stream, 256, 1);
    if (game.undelayed)
        add_kernel(names[target], start_ns, KERNEL_NS, 99, 256, 1);
    return game.criticality[target] * fmax(0, delay_ns - (double)game.free_ns);
}

/* Noise that is no different from one dose to the next: plus and minus in turns of unequal length. */
static int64_t noise(int block)
{
    static const int signs[] = {1, -1, -1, 1, 1, -1, 1};
    return signs[block % 7] * game.noise_ns;
}

static void run_block(size_t target, size_t dose, int block)
{
    const int64_t begin_ns = game.now_ns;
    for (int i = 0; i < game.launches; i++) {
        double step_ns = 200e3 + (double)noise(block);
        if (game.on_host)
            step_ns += wait_on_host(target == 1 ? dose : CAUSAL_OUT_OF_TURN);
        for (size_t other = 0; other < (game.on_host ? 1 : game.targets); other++)
            step_ns += launch(other, other == target ? dose : CAUSAL_OUT_OF_TURN, i);
        game.now_ns += (int64_t)step_ns;
    }
    if (game.period_ns)
        game.now_ns = begin_ns + game.period_ns + noise(block);
}

/* A pair takes its turn behind all others, in another order each time. */
static void run_program(void)
{
    int block = 0;
    const size_t pairs = game.targets * game.doses;
    for (int round = 0; round < game.blocks; round++)
        for (size_t i = 0; i < pairs; i++, block++) {
            const size_t pair = round % 2 ? pairs - 1 - i : i;
            run_block(pair / game.doses, (pair + (size_t)round) % game.doses, block);
        }
}

static json_t *asked(void)
{
    json_t *targets = json_array(), *doses = json_array();
    for (size_t i = 0; i < game.targets; i++)
        json_array_append_new(
            targets, json_string(i ? (game.on_host ? "host:gemm" : "copy") : (game.is_copy ? "copy:h2d" : "gemm")));
    for (size_t i = 0; i < game.doses; i++)
        json_array_append_new(doses, json_integer(doses_ns[i]));
    return json_pack("{s:o,s:o}", "targets", targets, "doses_ns", doses);
}

/* The caller releases the rows; the texts of `request` must live as long. */
static void measure(struct causal *rows, const json_t *request, struct short_names *names)
{
    struct event_stream *stream;
    struct err e = {0};
    assert_int_equal(event_stream_from_events(&stream, game.events, game.count, &game.strings, &e), 0);
    if (causal_measure(rows, stream, request, game.is_whole, names, &e))
        fail_msg("%s", e.text);
    event_stream_free(stream);
}

static void expect_near(double got, double wanted, double room)
{
    if (!(fabs(got - wanted) <= room))
        fail_msg("%g is not %g, to within %g", got, wanted, room);
}

/* One target, played anew. */
static void expect_row(double value, const char *status, const char *reason)
{
    struct causal rows;
    struct short_names names;
    json_t *request = asked();
    short_names_init(&names);
    run_program();
    measure(&rows, request, &names);
    assert_int_equal(rows.count, 1);
    assert_string_equal(causal_reasons[rows.items[0].reason].key, reason);
    assert_string_equal(causal_status_name(rows.items[0].status), status);
    if (!isnan(value))
        expect_near(rows.items[0].criticality.value, value, 0.02);
    causal_release(&rows);
    short_names_release(&names);
    json_decref(request);
}

/* ---- what is found ---- */

TEST(a_critical_kernel)
{
    play(1, 0);
    expect_row(1, "critical", "");
}

TEST(a_hidden_kernel)
{
    play(0, 0);
    game.noise_ns = 2 * US;
    expect_row(0, "hidden", "");
}

TEST(half_of_it)
{
    play(0.5, 0);
    game.noise_ns = 2 * US;
    expect_row(0.5, "partly", "");
}

/* 6 blocks of 20 launches of each dose; the first block (no delay) and the last one are left out, and each other one
 * ends at the next launch. The kernel takes 50 us of a step of 200 us, less the 1.5 us of its delay. */
TEST(what_a_row_holds)
{
    struct causal rows;
    struct short_names names;
    json_t *request = asked();
    play(1, 0);
    json_decref(request);
    request = asked();
    short_names_init(&names);
    run_program();
    measure(&rows, request, &names);
    const struct causal_row *row = &rows.items[0];
    assert_string_equal(row->target, "gemm");
    assert_string_equal(short_names_full(&names, row->name), "gemm(float*)");
    assert_int_equal(row->kernels, 1);
    assert_int_equal(row->launches, 6 * 3 * 20);
    assert_int_equal(row->rank, -1);
    expect_near(row->share, 50 / (200 - 1.5), 1e-6);
    assert_int_equal(row->dose_count, 3);
    int64_t blocks = 0;
    for (size_t i = 0; i < 3; i++) {
        blocks += row->doses[i].blocks;
        assert_int_equal(row->doses[i].asked_ns, doses_ns[i]);
        assert_int_equal(row->doses[i].launches, row->doses[i].blocks * 20);
        expect_near(row->doses[i].delay_ns, (double)doses_ns[i], 1);
        expect_near(row->doses[i].time_ns, 200e3 + (double)doses_ns[i], 1);
    }
    assert_in_range(blocks, 12, 16); /* of 18, neighbours of one dose are one block */
    expect_near(row->first.value, 1, 0.001);
    expect_near(row->further.value, 1, 0.001);
    causal_release(&rows);
    short_names_release(&names);
    json_decref(request);
}

/* Out of its turn a kernel waits for no time, and that is no block of it. */
TEST(two_kernels)
{
    struct causal rows;
    struct short_names names;
    play(1, 0);
    game.targets = 2;
    game.noise_ns = US;
    json_t *request = asked();
    short_names_init(&names);
    run_program();
    measure(&rows, request, &names);
    assert_int_equal(rows.count, 2);
    expect_near(rows.items[0].criticality.value, 1, 0.05);
    expect_near(rows.items[1].criticality.value, 0, 0.05);
    assert_int_equal(rows.items[0].status, CAUSAL_CRITICAL);
    assert_int_equal(rows.items[1].status, CAUSAL_HIDDEN);
    assert_int_equal(rows.items[1].launches, 6 * 6 * 20);
    causal_release(&rows);
    short_names_release(&names);
    json_decref(request);
}

/* Delays of kernels do not wait for a copy, nor those of copies for a kernel: the one on stream 7 is nobody's. */
TEST(copies)
{
    struct causal rows;
    struct short_names names;
    play(1, 0);
    game.is_copy = true;
    json_t *request = asked();
    short_names_init(&names);
    run_program();
    add_kernel(CAUSAL_KERNEL, game.now_ns, 5, 7, 1, 1);
    add_kernel("_Z4gemmPf", game.now_ns + 10, 5, 7, 1, 1);
    measure(&rows, request, &names);
    assert_int_equal(rows.items[0].status, CAUSAL_CRITICAL);
    expect_near(rows.items[0].criticality.value, 1, 0.01);
    expect_near(rows.items[0].share, 50 / (200 - 1.5), 1e-6);
    assert_int_equal(rows.items[0].launches, 6 * 3 * 20);
    assert_string_equal(short_names_full(&names, rows.items[0].name), "[CUDA memcpy Host-to-Device]");
    causal_release(&rows);
    json_decref(request);
    short_names_release(&names);
    play(1, 0);
    game.is_copy = game.undelayed = true; /* kernels without a delay are no copies */
    expect_row(1, "critical", "");
    play(0, 0);
    game.is_copy = true;
    expect_row(0, "hidden", "");
}

/* One kernel, delayed on its stream and on the host before it, in turns: each has its own. */
TEST(the_host)
{
    struct causal rows;
    struct short_names names;
    static const double played[][2] = {{1, 0}, {0, 1}, {0.5, 0}};
    for (size_t i = 0; i < COUNT_OF(played); i++) {
        play(played[i][0], played[i][1]);
        game.targets = 2;
        game.on_host = true;
        json_t *request = asked();
        short_names_init(&names);
        run_program();
        measure(&rows, request, &names);
        assert_int_equal(rows.count, 2);
        for (size_t k = 0; k < 2; k++) {
            assert_string_equal(causal_reasons[rows.items[k].reason].key, "");
            expect_near(rows.items[k].criticality.value, played[i][k], 0.02);
            assert_int_equal(rows.items[k].launches, 6 * 6 * 20);
            assert_int_equal(rows.items[k].undelayed, 0);
            expect_near(rows.items[k].doses[2].delay_ns, 60e3, 1);
        }
        assert_true(rows.items[0].share > 0 && isnan(rows.items[1].share));
        assert_string_equal(rows.items[1].target, "host:gemm");
        causal_release(&rows);
        json_decref(request);
        short_names_release(&names);
    }
}

/* A stream is ahead of another one by 30 steps, so the records of two blocks mingle. */
TEST(streams_that_are_not_in_step)
{
    play(1, 0);
    game.streams = 2;
    game.lag_ns = 30 * 200 * US;
    game.launches = 60;
    expect_row(NAN, "inconclusive", "several_streams");
}

/* Each block is one burst, and the program waits for a timer behind it: a delay costs nothing of its time. */
TEST(a_kernel_that_comes_in_bursts)
{
    play(1, 0);
    game.period_ns = 100000 * US;
    game.noise_ns = US;
    expect_row(0, "hidden", "");
}

/* Half of the launches of the kernel come from a graph, which has no delays. */
TEST(launches_without_a_delay)
{
    play(1, 0);
    game.undelayed = true;
    expect_row(NAN, "inconclusive", "not_all_delayed");
}

TEST(slopes_that_cannot_be)
{
    play(-1.5, 0);
    expect_row(NAN, "inconclusive", "not_credible");
    play(2, 0);
    expect_row(NAN, "inconclusive", "not_credible");
}

TEST(two_doses)
{
    play(1, 0);
    game.doses = 2;
    game.noise_ns = US / 10;
    expect_row(1, "critical", "");
}

/* ---- what is not ---- */

TEST(too_few_blocks)
{
    play(1, 0);
    game.blocks = 3;
    expect_row(NAN, "inconclusive", "too_few_blocks");
}

TEST(blocks_that_are_too_short)
{
    play(1, 0);
    game.launches = CAUSAL_LAUNCHES_MIN - 4; /* two neighbours of one dose have 8 */
    game.blocks = 8;
    expect_row(NAN, "inconclusive", "too_few_blocks");
}

/* 30 us instead of 20 is 10 too many: more than 20% and 5 us. */
TEST(delays_that_were_not_asked_for)
{
    play(1, 0);
    game.delay_factor = 1.5;
    expect_row(NAN, "inconclusive", "delays_not_as_asked");
}

/* 24.8 us is no more than 5 us off, and 74.4 us is off by 24%. */
TEST(a_long_delay_that_was_not_asked_for)
{
    play(1, 0);
    game.delay_factor = 1.24;
    expect_row(NAN, "inconclusive", "delays_not_as_asked");
}

/* The first 20 us cost nothing. */
TEST(a_kernel_with_slack)
{
    struct causal rows;
    struct short_names names;
    play(1, 0);
    game.free_ns = 20 * US;
    json_t *request = asked();
    short_names_init(&names);
    run_program();
    measure(&rows, request, &names);
    assert_string_equal(causal_reasons[rows.items[0].reason].key, "not_linear");
    expect_near(rows.items[0].first.value, 0, 0.001);
    expect_near(rows.items[0].further.value, 1, 0.001);
    causal_release(&rows);
    short_names_release(&names);
    json_decref(request);
}

TEST(a_program_that_varies)
{
    play(1, 0);
    game.noise_ns = 80 * US;
    expect_row(NAN, "inconclusive", "too_coarse");
}

TEST(records_that_are_missing)
{
    play(1, 0);
    game.is_whole = false;
    expect_row(1, "inconclusive", "records_missing");
}

TEST(a_kernel_that_is_not_launched)
{
    play(1, 0);
    game.blocks = 0;
    expect_row(NAN, "inconclusive", "no_launches");
}

/* A request of somebody else's making, and records of targets and doses that nobody asked for. */
TEST(what_nobody_asked_for)
{
    struct causal rows;
    struct short_names names;
    short_names_init(&names);
    play(1, 0);
    run_program();
    measure(&rows, NULL, &names);
    assert_int_equal(rows.count, 0);
    causal_release(&rows);
    static const char *const requests[] = {
        "{}", "{\"targets\": [], \"doses_ns\": [0, 1]}", "{\"targets\": [1], \"doses_ns\": [0, 1]}",
        "{\"targets\": [\"a\"], \"doses_ns\": [0]}", "{\"targets\": [\"a\"], \"doses_ns\": [0, 1, 2, 3]}"};
    for (size_t i = 0; i < COUNT_OF(requests); i++) {
        json_t *request = json_loads(requests[i], 0, NULL);
        assert_non_null(request);
        measure(&rows, request, &names);
        assert_int_equal(rows.count, 0);
        causal_release(&rows);
        json_decref(request);
    }
    json_t *request = asked();
    add_kernel(CAUSAL_KERNEL, game.now_ns, 5, 3, 1, 2);
    add_kernel(CAUSAL_KERNEL, game.now_ns, 5, 3, 0, 1);
    add_kernel(CAUSAL_KERNEL, game.now_ns, 5, 3, 65535, 1);
    add_kernel("_Z4gemmPf", game.now_ns, 5, 3, 1, 1);
    measure(&rows, request, &names);
    assert_int_equal(rows.items[0].launches, 6 * 3 * 20);
    causal_release(&rows);
    json_decref(request);
    short_names_release(&names);
}

static int forget(void **state)
{
    (void)state;
    strtab_release(&game.strings);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_critical_kernel),
        cmocka_unit_test(a_hidden_kernel),
        cmocka_unit_test(half_of_it),
        cmocka_unit_test(what_a_row_holds),
        cmocka_unit_test(two_kernels),
        cmocka_unit_test(copies),
        cmocka_unit_test(the_host),
        cmocka_unit_test(streams_that_are_not_in_step),
        cmocka_unit_test(a_kernel_that_comes_in_bursts),
        cmocka_unit_test(launches_without_a_delay),
        cmocka_unit_test(slopes_that_cannot_be),
        cmocka_unit_test(two_doses),
        cmocka_unit_test(too_few_blocks),
        cmocka_unit_test(blocks_that_are_too_short),
        cmocka_unit_test(delays_that_were_not_asked_for),
        cmocka_unit_test(a_long_delay_that_was_not_asked_for),
        cmocka_unit_test(a_kernel_with_slack),
        cmocka_unit_test(a_program_that_varies),
        cmocka_unit_test(records_that_are_missing),
        cmocka_unit_test(a_kernel_that_is_not_launched),
        cmocka_unit_test(what_nobody_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, forget);
}
