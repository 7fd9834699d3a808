/* What does the program gain from kernels, by their headroom and their criticality? */
#include <math.h>

#include "analyzers/capture/program_gains.h"
#include "core/trace/event_stream.h"
#include "tests/test.h"

static struct short_names names;
static const struct dependencies no_graph = {.reason = DEPENDENCY_CALLS_MISSING};

static struct kernel_window window(const char *name, double headroom_ns)
{
    /* 100 launches of 10 us in 4 ms: a quarter of the time */
    return (struct kernel_window){.name = short_names_add(&names, name),
                                  .launches = 100,
                                  .total_ns = 1000000,
                                  .device_share = 0.25,
                                  .headroom_ns = headroom_ns};
}

static struct causal_row row(const char *target, double criticality, enum causal_status status)
{
    return (struct causal_row){.target = target,
                               .asked = {.text = target, .pattern = target},
                               .criticality = {criticality, criticality - 0.1, criticality + 0.1},
                               .status = status,
                               .doses = {{.delay_ns = 0}, {.delay_ns = 4500}},
                               .dose_count = 2};
}

static void expect_gain(const struct program_gain *g, const struct kernel_window *w, double low, double value,
                        double high)
{
    assert_int_equal(g->name, w->name);
    assert_true(fabs(g->gain.low - low) < 1e-12 && fabs(g->gain.value - value) < 1e-12 &&
                fabs(g->gain.high - high) < 1e-12);
}

/* Half of gemm's time is headroom: 0.125 of the program's; of 0.5 of it 0.0625 arrive. A launch saves 5 us, where 4.5
 * us were tried. Of tile 0.4 is headroom, 4 us a launch: 0.1 x 0.9. Nothing is known of copy's headroom. A criticality
 * below 0 is none. The first expression that matches is the kernel's. Of other, which was not delayed, nothing is known
 * without a graph. */
TEST(headroom_times_criticality)
{
    short_names_init(&names);
    struct kernel_window kernels[] = {window("gemm(float*)", 500000), window("copy()", NAN), window("tile()", 400000),
                                      window("other()", 900000), window("hidden()", 800000)};
    struct causal_row rows[] = {row("^gemm", 0.5, CAUSAL_PARTLY), row("copy", 1, CAUSAL_CRITICAL),
                                row("^tile", 0.9, CAUSAL_CRITICAL), row("gemm|hidden", 0.05, CAUSAL_HIDDEN)};
    const struct kernel_windows windows = {.kernels = kernels, .kernel_count = 5};
    struct causal causal = {.items = rows, .count = 4};
    struct program_gains gains = {0};
    assert_int_equal(program_gains_make(&gains, &windows, &names, &causal, &no_graph, NULL), 0);
    assert_int_equal(gains.count, 4);
    assert_true(gains.items[3].name == kernels[3].name && isnan(gains.items[3].gain.value) && !gains.items[3].causal);
    assert_string_equal(gains.items[3].reason, "calls_missing");
    expect_gain(&gains.items[0], &kernels[2], 0.08, 0.09, 0.10);
    expect_gain(&gains.items[1], &kernels[0], 0.05, 0.0625, 0.075);
    expect_gain(&gains.items[2], &kernels[4], 0, 0.01, 0.03);
    assert_false(gains.items[0].is_beyond);
    assert_true(gains.items[1].is_beyond);
    program_gains_release(&gains);
    short_names_release(&names);
}

/* What is inconclusive, or was measured in two processes, comes last and without a number. */
TEST(what_is_not_known)
{
    static const char tile[] = "tile";
    short_names_init(&names);
    struct kernel_window kernels[] = {window("gemm()", 500000), window("tile()", 400000), window("fast()", 0)};
    struct causal_row rows[] = {row("gemm", 0.9, CAUSAL_INCONCLUSIVE), row(tile, 0.9, CAUSAL_CRITICAL),
                                row(tile, 0.9, CAUSAL_CRITICAL), row("fast", 1, CAUSAL_CRITICAL)};
    const struct kernel_windows windows = {.kernels = kernels, .kernel_count = 3};
    struct causal causal = {.items = rows, .count = 4};
    struct program_gains gains = {0};
    assert_int_equal(program_gains_make(&gains, &windows, &names, &causal, &no_graph, NULL), 0);
    assert_int_equal(gains.count, 3);
    assert_string_equal(gains.items[2].reason, "several_processes");
    expect_gain(&gains.items[0], &kernels[2], 0, 0, 0);
    assert_true(isnan(gains.items[1].gain.value) && isnan(gains.items[2].gain.value));
    program_gains_release(&gains);
    short_names_release(&names);
}

/* Two of gemm's three grids are on device 0, and gain 0.08 and 0.06 there; tile gains 0.1. */
TEST(grids_of_a_kernel_are_one)
{
    short_names_init(&names);
    struct kernel_window kernels[] = {window("gemm()", 400000), window("gemm()", 300000), window("gemm()", 200000),
                                      window("tile()", 500000)};
    struct causal_row rows[] = {row("^", 0.8, CAUSAL_CRITICAL)};
    const struct kernel_windows windows = {.kernels = kernels, .kernel_count = 4};
    struct causal causal = {.items = rows, .count = 1};
    struct program_gains gains = {0};
    kernels[2].device = 1;
    assert_null(program_gains_most(&gains).most);
    assert_int_equal(program_gains_make(&gains, &windows, &names, &causal, &no_graph, NULL), 0);
    assert_int_equal(gains.items[0].name, kernels[3].name);
    const struct gain_of_all most = program_gains_most(&gains);
    assert_int_equal(most.most->name, kernels[0].name);
    assert_int_equal(most.rows, 2);
    assert_true(fabs(most.gain.value - 0.14) < 1e-12);
    program_gains_release(&gains);
    short_names_release(&names);
}

/* Copies to the GPU take 0.2 of the time, of which 0.5 arrives; those back take 0.1, were not delayed, and there is no
 * graph. Devices are idle for 0.3 right before gemm, and 0.9 of that arrives; what they are before tile nobody asked.
 * 100 copies of 5 us are longer than the 4.5 us that were tried. */
TEST(copies_and_the_host)
{
    short_names_init(&names);
    struct work_total totals[] = {
        {.name = short_names_add(&names, "[CUDA memcpy Host-to-Device]"),
         .is_copy = true,
         .copies = CPPROF_COPY_H2D,
         .launches = 100,
         .total_ns = 500000,
         .time_share = 0.2,
         .idle_share = 0.4},
        {.name = short_names_add(&names, "[CUDA memcpy Device-to-Host]"),
         .is_copy = true,
         .copies = CPPROF_COPY_D2H,
         .launches = 100,
         .total_ns = 250000,
         .time_share = 0.1},
        {.name = short_names_add(&names, "gemm()"), .launches = 100, .idle_ns = 400000, .idle_share = 0.3},
        {.name = short_names_add(&names, "tile()"), .launches = 100, .idle_ns = 400000, .idle_share = 0.2}};
    struct dependencies graph = no_graph;
    struct causal_row rows[] = {row("copy:h2d", 0.5, CAUSAL_PARTLY), row("host:^gemm", 0.9, CAUSAL_CRITICAL)};
    const struct kernel_windows windows = {0};
    struct causal causal = {.items = rows, .count = 2};
    struct program_gains gains = {0};
    graph.totals = totals;
    graph.total_count = 4;
    rows[0].asked = (struct causal_target){.text = "copy:h2d", .copies = CPPROF_COPY_H2D};
    rows[1].asked = (struct causal_target){.text = "host:^gemm", .on_host = true, .pattern = "^gemm"};
    assert_int_equal(program_gains_make(&gains, &windows, &names, &causal, &graph, NULL), 0);
    assert_int_equal(gains.count, 3);
    const struct program_gain *host = &gains.items[0], *to = &gains.items[1], *back = &gains.items[2];
    assert_true(host->kind == GAIN_HOST && host->name == totals[2].name && !host->is_beyond);
    assert_true(fabs(host->gain.value - 0.27) < 1e-12 && fabs(host->gain.low - 0.24) < 1e-12);
    assert_true(to->kind == GAIN_COPY && to->name == totals[0].name && to->is_beyond);
    assert_true(fabs(to->gain.value - 0.1) < 1e-12 && to->headroom == 1);
    assert_true(back->kind == GAIN_COPY && back->name == totals[1].name && isnan(back->gain.value) && !back->causal);
    assert_string_equal(back->reason, "calls_missing");
    program_gains_release(&gains);
    assert_int_equal(program_gains_make(&gains, &windows, &names, NULL, &graph, NULL), 0);
    assert_int_equal(gains.count, 0); /* nothing was sampled, and nothing delayed */
    program_gains_release(&gains);
    short_names_release(&names);
}

/* Eleven kernels of 10 us, 11 us from one start to the next, launched each 3 us: 120 us from
 * first to last. Half of each is headroom, 55 us, all of which goes. */
TEST(by_the_graph)
{
    struct cpprof_event events[22];
    struct strtab strings;
    struct event_stream *stream;
    struct dependencies graph = {0};
    struct program_gains gains = {0};
    struct err e = {0};
    strtab_init(&strings);
    short_names_init(&names);
    for (int i = 0; i < 11; i++) {
        events[2 * i] = (struct cpprof_event){.kind = CPPROF_EVENT_API,
                                              .start_ns = 3000 * i,
                                              .end_ns = 3000 * i + 2000,
                                              .name = strtab_add(&strings, "cudaLaunchKernel"),
                                              .detail = CPPROF_API_LAUNCH,
                                              .correlation = (uint32_t)i + 1,
                                              .device = -1,
                                              .rank = -1};
        events[2 * i + 1] = (struct cpprof_event){.kind = CPPROF_EVENT_KERNEL,
                                                  .start_ns = 5000 + 11000 * i,
                                                  .end_ns = 15000 + 11000 * i,
                                                  .name = strtab_add(&strings, "gemm"),
                                                  .grid = {4, 2, 1},
                                                  .correlation = (uint32_t)i + 1,
                                                  .rank = -1};
    }
    assert_int_equal(event_stream_from_events(&stream, events, 22, &strings, &e), 0);
    assert_int_equal(dependencies_measure(&graph, stream, true, &names, &e), 0);
    struct kernel_window gemm = window("gemm", 55000);
    gemm.symbol = strtab_find(&strings, "gemm");
    gemm.grid[0] = 4;
    gemm.grid[1] = 2;
    gemm.grid[2] = 1;
    gemm.total_ns = 110000;
    gemm.device_share = 110.0 / 120;
    const struct kernel_windows windows = {.kernels = &gemm, .kernel_count = 1};
    assert_int_equal(program_gains_make(&gains, &windows, &names, NULL, &graph, NULL), 0);
    assert_int_equal(gains.count, 1);
    expect_gain(&gains.items[0], &gemm, 55.0 / 120, 55.0 / 120, 55.0 / 120);
    assert_true(!gains.items[0].causal && !*gains.items[0].reason);
    program_gains_release(&gains);
    dependencies_release(&graph);
    event_stream_free(stream);
    short_names_release(&names);
    strtab_release(&strings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(headroom_times_criticality),
                                       cmocka_unit_test(what_is_not_known), cmocka_unit_test(grids_of_a_kernel_are_one),
                                       cmocka_unit_test(copies_and_the_host), cmocka_unit_test(by_the_graph)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
