/* What does the program gain from kernels, by their headroom and their criticality? */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyzers/capture/program_gains.h"

static struct short_names names;

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
                               .criticality = {criticality, criticality - 0.1, criticality + 0.1},
                               .status = status,
                               .reason = "",
                               .doses = {{.delay_ns = 0}, {.delay_ns = 4500}},
                               .dose_count = 2};
}

static void expect_gain(const struct program_gain *g, const struct kernel_window *w, double low, double value,
                        double high)
{
    assert_ptr_equal(g->window, w);
    assert_true(fabs(g->gain.low - low) < 1e-12 && fabs(g->gain.value - value) < 1e-12 &&
                fabs(g->gain.high - high) < 1e-12);
}

/* Half of gemm's time is headroom: 0.125 of the program's; of 0.5 of it 0.0625 arrive. A launch saves 5 us, where 4.5
 * us were tried. Of tile 0.4 is headroom, 4 us a launch: 0.1 x 0.9. Nothing is known of copy's headroom. A criticality
 * below 0 is none. The first expression that matches is the kernel's. */
static void headroom_times_criticality(void **state)
{
    (void)state;
    short_names_init(&names);
    struct kernel_window kernels[] = {window("gemm(float*)", 500000), window("copy()", NAN), window("tile()", 400000),
                                      window("other()", 900000), window("hidden()", 800000)};
    struct causal_row rows[] = {row("^gemm", 0.5, CAUSAL_PARTLY), row("copy", 1, CAUSAL_CRITICAL),
                                row("^tile", 0.9, CAUSAL_CRITICAL), row("gemm|hidden", 0.05, CAUSAL_HIDDEN)};
    const struct kernel_windows windows = {.kernels = kernels, .kernel_count = 5};
    struct causal causal = {.items = rows, .count = 4};
    struct program_gains gains = {0};
    assert_int_equal(program_gains_make(&gains, &windows, &names, &causal, NULL), 0);
    assert_int_equal(gains.count, 3);
    expect_gain(&gains.items[0], &kernels[2], 0.08, 0.09, 0.10);
    expect_gain(&gains.items[1], &kernels[0], 0.05, 0.0625, 0.075);
    expect_gain(&gains.items[2], &kernels[4], 0, 0.01, 0.03);
    assert_false(gains.items[0].is_beyond);
    assert_true(gains.items[1].is_beyond);
    program_gains_release(&gains);
    short_names_release(&names);
}

/* What is inconclusive, or was measured in two processes, comes last and without a number. */
static void what_is_not_known(void **state)
{
    static const char tile[] = "tile";
    (void)state;
    short_names_init(&names);
    struct kernel_window kernels[] = {window("gemm()", 500000), window("tile()", 400000), window("fast()", 0)};
    struct causal_row rows[] = {row("gemm", 0.9, CAUSAL_INCONCLUSIVE), row(tile, 0.9, CAUSAL_CRITICAL),
                                row(tile, 0.9, CAUSAL_CRITICAL), row("fast", 1, CAUSAL_CRITICAL)};
    const struct kernel_windows windows = {.kernels = kernels, .kernel_count = 3};
    struct causal causal = {.items = rows, .count = 4};
    struct program_gains gains = {0};
    assert_int_equal(program_gains_make(&gains, &windows, &names, &causal, NULL), 0);
    assert_int_equal(gains.count, 3);
    expect_gain(&gains.items[0], &kernels[2], 0, 0, 0);
    assert_true(isnan(gains.items[1].gain.value) && isnan(gains.items[2].gain.value));
    program_gains_release(&gains);
    short_names_release(&names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(headroom_times_criticality),
                                       cmocka_unit_test(what_is_not_known)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
