/* Do replays decide only what they show? Wrong, missing or foreign ones leave a kernel without a class. */
#include <math.h>

#include "tests/test.h"
#include <string.h>

#include "analyzers/capture/kernel_replays.h"
#include "core/bundle/bundle_tables.h"
#include "core/run/counters.h"
#include "tests/unit/hand_trace.h"

#define US    INT64_C(1000)
#define SHAPE "0x0x0 0x0x0"

enum { WORK_MAX = 64 };

static struct host_event work[WORK_MAX];
static size_t launches;
static struct table metrics;
static json_t *replay;

/* Everything that is looked at afterwards. */
static struct {
    struct event_stream *stream;
    struct kernel_windows windows;
    struct short_names names;
    struct kernel_replays replays;
} seen;

static void launch(const char *name, int64_t length_us)
{
    const int64_t start_ns = (int64_t)launches * 1000 * US;
    work[launches] =
        (struct host_event){KERNEL, start_ns, start_ns + length_us * US, (unsigned)launches + 1, 7, name, 0, 1};
    launches++;
}

static void add_counter(const char *kernel, long number, const char *name, double value)
{
    struct cell *row = table_add_row(&metrics);
    row[METRICS_VARIANT] = cell_text(&metrics, "program");
    row[METRICS_SHAPE] = cell_text(&metrics, SHAPE);
    row[METRICS_KERNEL] = cell_text(&metrics, kernel);
    row[METRICS_LAUNCH] = cell_integer(number);
    row[METRICS_METRIC] = cell_text(&metrics, name);
    row[METRICS_VALUE] = isnan(value) ? cell_missing(&metrics, "none") : cell_number(value);
}

static void add(const char *kernel, long number, const char *metric_id, double value)
{
    assert_non_null(metric_by_id(metric_id));
    add_counter(kernel, number, metric_by_id(metric_id)->name, value);
}

/* One launch whose units are all at 10%, but for one. */
static void replayed(const char *kernel, long number, double us, const char *busy, double share)
{
    static const enum metric_role sides[] = {METRIC_COMPUTE, METRIC_MEMORY};
    const struct metric *metric;
    add(kernel, number, "duration", us * 1000);
    for (size_t side = 0; side < 2; side++)
        for (size_t at = 0; (metric = counters_next_unit(sides[side], &at));)
            if (metric_by_id(metric->id)) /* the others are of other tools */
                add(kernel, number, metric->id, strcmp(metric->id, busy) ? 0.10 : share);
}

static void begin(void)
{
    launches = 0;
    memset(&seen, 0, sizeof seen);
    short_names_init(&seen.names);
    bundle_table_init(&metrics, BUNDLE_METRICS);
    replay = json_pack("{s:{s:s,s:s,s:i}}", "gpu", "uuid", "GPU-1", "compute_capability", "9.0", "sm_count", 132);
}

static void look(bool is_whole)
{
    const struct gpu_samples none = {0};
    seen.stream = host_stream(work, launches);
    assert_int_equal(kernel_windows_measure(&seen.windows, seen.stream, &none, &seen.names, is_whole, NULL), 0);
    const struct replay_witnesses w = {seen.stream, &seen.windows, &seen.names, "GPU-1", is_whole};
    struct err e = {0};
    if (kernel_replays_measure(&seen.replays, &metrics, replay, &w, &e))
        fail_msg("%s", e.text);
}

static void end(void)
{
    kernel_replays_release(&seen.replays);
    kernel_windows_release(&seen.windows);
    short_names_release(&seen.names);
    event_stream_free(seen.stream);
    table_release(&metrics);
    json_decref(replay);
}

static const struct kernel_window *window(const char *name)
{
    for (size_t i = 0; i < seen.windows.kernel_count; i++)
        if (!strcmp(short_names_full(&seen.names, seen.windows.kernels[i].name), name))
            return &seen.windows.kernels[i];
    fail_msg("no kernel %s", name);
    return NULL;
}

static void expect(const char *name, enum bound_class class_, const char *reason)
{
    assert_int_equal(window(name)->class_, class_);
    assert_int_equal(seen.replays.count, 1);
    assert_string_equal(kernel_replay_reasons[seen.replays.items[0].reason].key, reason);
    assert_int_equal(seen.replays.items[0].class_, class_);
}

/* Six launches of 100 us: the chosen ones are numbers 1, 2 and 3, and any of them stands for the others. */
static void six_launches(void)
{
    begin();
    for (int i = 0; i < 6; i++)
        launch("gemm", 100);
}

TEST(one_launch_speaks_for_its_like)
{
    six_launches();
    replayed("gemm", 1, 108, "tensor_share", 0.90); /* within 15% */
    look(true);
    expect("gemm", BOUND_COMPUTE, "");
    assert_string_equal(kernel_window_reasons[window("gemm")->reason].key, "replayed");
    assert_string_equal(window("gemm")->unit, "tensor");
    assert_true(fabs(window("gemm")->headroom_ns - 600e3 * 0.1) < 1);
    assert_string_equal(seen.replays.items[0].bound_by, "tensor");
    end();
}

/* One case each of what leaves a kernel as it was. */
TEST(what_does_not_count)
{
    static const struct {
        long number;
        double us;
        const char *reason;
        bool is_cut, other_gpu;
    } cases[] = {{1, 150, "durations_differ", false, false},  {1, 50, "durations_differ", false, false},
                 {1, NAN, "durations_differ", false, false},  {99, 100, "durations_differ", false, false},
                 {-1, 100, "durations_differ", false, false}, {1, 100, "records_missing", true, false},
                 {1, 100, "other_gpu", false, true}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        six_launches();
        replayed("gemm", cases[i].number, cases[i].us, "tensor_share", 0.90);
        if (cases[i].other_gpu)
            json_object_set_new(json_object_get(replay, "gpu"), "uuid", json_string("GPU-2"));
        look(!cases[i].is_cut);
        expect("gemm", BOUND_INCONCLUSIVE, cases[i].reason);
        assert_string_equal(seen.replays.items[0].unit, "");
        end();
    }
}

/* Launches of 32 and of 177 us in turns, of which the chosen ones are some of both. What is known of one kind says
 * nothing of the other. */
TEST(unlike_launches)
{
    for (int kinds = 1; kinds <= 3; kinds++) {
        begin();
        for (int i = 0; i < 8; i++)
            launch("gemm", i % 2 ? 32 : 177);
        if (kinds & 1)
            replayed("gemm", 1, 32, "dram_share", 0.85);
        if (kinds & 2)
            replayed("gemm", 2, 177, "tensor_share", 0.90);
        look(true);
        expect("gemm", BOUND_INCONCLUSIVE, kinds < 3 ? "launches_missing" : "launches_differ");
        assert_string_equal(seen.replays.items[0].advice, "");
        if (kinds == 3)
            assert_non_null(strstr(seen.replays.items[0].cause, "memory-bound at 32.0 us, compute-bound at 177 us"));
        end();
    }
}

/* Static kernels of two files have one name when they are demangled. */
TEST(symbols_are_compared)
{
    begin();
    launch("_ZN12_GLOBAL__N_11fEv", 100);
    replayed("_ZN12_GLOBAL__N_11fEv.other", 0, 100, "tensor_share", 0.90);
    look(true);
    assert_int_equal(seen.windows.kernels[0].class_, BOUND_INCONCLUSIVE);
    assert_null(seen.replays.items[0].window);
    end();
}

TEST(what_communicates_has_links)
{
    begin();
    launch("ncclDevKernel_AllReduce", 100);
    replayed("ncclDevKernel_AllReduce", 0, 100, "tensor_share", 0.10);
    look(true);
    expect("ncclDevKernel_AllReduce", BOUND_INCONCLUSIVE, "links_not_counted");
    end();
}

/* Tensor cores at 0.50 +- 0.03 by samples, and at 0.90 by counters: one of them is wrong. At 0.55 both may be right. */
TEST(samples_contradict)
{
    for (int apart = 0; apart < 2; apart++) {
        six_launches();
        replayed("gemm", 1, 100, "tensor_share", apart ? 0.90 : 0.55);
        const struct gpu_samples none = {0};
        seen.stream = host_stream(work, launches);
        assert_int_equal(kernel_windows_measure(&seen.windows, seen.stream, &none, &seen.names, true, NULL), 0);
        seen.windows.kernels[0].units[SAMPLED_TENSOR] = (struct window_unit){"tensor", 0.50, 0.01, 0.03};
        const struct replay_witnesses w = {seen.stream, &seen.windows, &seen.names, "", true};
        assert_int_equal(kernel_replays_measure(&seen.replays, &metrics, replay, &w, NULL), 0);
        expect("gemm", apart ? BOUND_INCONCLUSIVE : BOUND_LATENCY, apart ? "samples_differ" : "");
        if (apart)
            assert_string_equal(seen.replays.items[0].odd->unit, "tensor_share");
        end();
    }
}

/* By samples it is compute-bound, and a unit is not known. Replays of the same class, whose busiest unit leaves 10% of
 * 600 us, say the rest, but no more than what a sampled unit leaves; those of another one say nothing. */
TEST(replays_complete_a_class_of_samples)
{
    static const struct {
        const char *busy;
        double most_ns, headroom_ns;
    } cases[] = {{"tensor_share", NAN, 60e3},
                 {"tensor_share", 90e3, 60e3},
                 {"tensor_share", 50e3, 50e3},
                 {"l2_share", 50e3, NAN}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const bool same = isfinite(cases[i].headroom_ns);
        six_launches();
        replayed("gemm", 1, 100, cases[i].busy, 0.90);
        const struct gpu_samples none = {0};
        seen.stream = host_stream(work, launches);
        assert_int_equal(kernel_windows_measure(&seen.windows, seen.stream, &none, &seen.names, true, NULL), 0);
        seen.windows.kernels[0].class_ = BOUND_COMPUTE;
        seen.windows.kernels[0].reason = WINDOW_UNIT_BUSY;
        seen.windows.kernels[0].headroom_most_ns = cases[i].most_ns;
        const struct replay_witnesses w = {seen.stream, &seen.windows, &seen.names, "", true};
        assert_int_equal(kernel_replays_measure(&seen.replays, &metrics, replay, &w, NULL), 0);
        assert_int_equal(seen.replays.items[0].class_, same ? BOUND_COMPUTE : BOUND_MEMORY);
        assert_int_equal(window("gemm")->class_, BOUND_COMPUTE);
        assert_string_equal(kernel_window_reasons[window("gemm")->reason].key, "unit_busy");
        if (same)
            assert_true(fabs(window("gemm")->headroom_ns - cases[i].headroom_ns) < 1);
        else
            assert_true(isnan(window("gemm")->headroom_ns));
        assert_true(fabs(window("gemm")->headroom_most_ns - (same ? cases[i].headroom_ns : cases[i].most_ns)) < 1);
        end();
    }
}

static double unit_share(const char *unit)
{
    const struct kernel_replay *r = &seen.replays.items[0];
    for (int64_t i = 0; i < r->unit_count; i++)
        if (!strcmp(r->units[i].unit, unit))
            return r->units[i].share;
    fail_msg("no unit %s", unit);
    return NAN;
}

/* DRAM at 0.36 with 8 MB read and 4 MB written, of which the kernel wrote 8,000 sectors in L2: 0.5 MB at 64 bytes. Then
 * 0.36 * 8.512 / 12 of it is its own. Where it wrote more, or one of the three was not counted, all of it is. */
TEST(memory_that_was_put_back_is_not_its_own)
{
    static const struct {
        double sectors[3], share;
    } cases[] = {{{7000, 400, 600}, 0.36 * 8.512 / 12},
                 {{0, 0, 0}, 0.36 * 8 / 12},
                 {{63000, 0, 0}, 0.36},
                 {{7000, 400, NAN}, 0.36}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        six_launches();
        replayed("gemm", 1, 100, "dram_share", 0.36);
        add("gemm", 1, "dram_read", 8e6);
        add("gemm", 1, "dram_write", 4e6);
        for (size_t m = 0; m < 3; m++)
            add_counter("gemm", 1, replay_metrics[1 + m], cases[i].sectors[m]);
        look(true);
        assert_true(fabs(unit_share("dram_share") - cases[i].share) < 1e-9);
        assert_true(fabs(unit_share("tensor_share") - 0.10) < 1e-9);
        end();
    }
}

/* 112 us in the program, whose SMs are slower, and 100 us in a replay: DRAM at 0.56 of the shorter time is at 0.50 of
 * the longer one, as by samples. Tensor cores have the clock of SMs. */
TEST(other_clocks_take_the_time_of_the_trace)
{
    static const char *const units[] = {"dram_share", "tensor_share"};
    for (size_t i = 0; i < 2; i++) {
        begin();
        for (int k = 0; k < 6; k++)
            launch("gemm", 112);
        replayed("gemm", 1, 100, units[i], 0.56);
        const struct gpu_samples none = {0};
        seen.stream = host_stream(work, launches);
        assert_int_equal(kernel_windows_measure(&seen.windows, seen.stream, &none, &seen.names, true, NULL), 0);
        seen.windows.kernels[0].units[SAMPLED_DRAM] = (struct window_unit){"dram", i ? 0.10 : 0.50, 0.01, 0.02};
        seen.windows.kernels[0].units[SAMPLED_TENSOR] = (struct window_unit){"tensor", i ? 0.50 : 0.10, 0.01, 0.02};
        const struct replay_witnesses w = {seen.stream, &seen.windows, &seen.names, "", true};
        assert_int_equal(kernel_replays_measure(&seen.replays, &metrics, replay, &w, NULL), 0);
        assert_string_equal(kernel_replay_reasons[seen.replays.items[0].reason].key, i ? "samples_differ" : "");
        for (int64_t k = 0; k < seen.replays.items[0].unit_count; k++) {
            const struct replay_unit *u = &seen.replays.items[0].units[k];
            if (!strcmp(u->unit, units[i]))
                assert_true(fabs(u->in_trace - (i ? 0.56 : 0.50)) < 1e-9);
        }
        end();
    }
}

/* A table of anything is an error with its reason, or says nothing. */
TEST(foreign_tables)
{
    struct err e = {0};
    six_launches();
    for (int i = 0; i < 65; i++)
        add("gemm", i, "duration", 100000);
    seen.stream = host_stream(work, launches);
    const struct replay_witnesses w = {seen.stream, &seen.windows, &seen.names, "", true};
    assert_int_equal(kernel_replays_measure(&seen.replays, &metrics, replay, &w, &e), ERR_INPUT);
    assert_non_null(strstr(e.text, "more than 64"));
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_launch_speaks_for_its_like),
                                       cmocka_unit_test(what_does_not_count),
                                       cmocka_unit_test(unlike_launches),
                                       cmocka_unit_test(symbols_are_compared),
                                       cmocka_unit_test(what_communicates_has_links),
                                       cmocka_unit_test(samples_contradict),
                                       cmocka_unit_test(replays_complete_a_class_of_samples),
                                       cmocka_unit_test(memory_that_was_put_back_is_not_its_own),
                                       cmocka_unit_test(other_clocks_take_the_time_of_the_trace),
                                       cmocka_unit_test(foreign_tables)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
