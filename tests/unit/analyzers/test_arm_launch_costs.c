/* Does each launch cost what its times say? */
#include <math.h>
#include <stdlib.h>

#include "analyzers/launch/arm_launch_costs.h"
#include "core/base/array.h"
#include "core/bundle/bundle.h"
#include "tests/test.h"

enum { NO_KERNEL = -1 };

/* A launch in ns: API call from api to api + length, kernel from start to end. */
struct row {
    const char *variant;
    enum launch_phase phase;
    int first, part;
    int64_t api, length, start, end;
    int device;
};

static struct variant_launch to_launch(struct arms *arms, const struct row *r)
{
    return (struct variant_launch){.arm = arms_add(arms, r->variant, "s"),
                                   .phase = r->phase,
                                   .first = r->first != 0,
                                   .part = (uint32_t)r->part,
                                   .device = r->device,
                                   .has_kernel = r->start != NO_KERNEL,
                                   .api_start_ns = r->api,
                                   .api_end_ns = r->api + r->length,
                                   .kernel_start_ns = r->start,
                                   .kernel_end_ns = r->end};
}

/* Work of device 0, copies and other kernels, in the order of its start. */
struct work {
    int64_t start, end;
    bool is_copy;
};

static void add_work(struct variant_launches *launches, const struct work *work, size_t count)
{
    struct err e = {0};
    struct device_work *device = count ? ARRAY_PUSH(&launches->work) : NULL;
    if (device)
        *device = (struct device_work){0};
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(interval_set_add(&device->any, work[i].start, work[i].end, &e), 0);
        if (work[i].is_copy)
            assert_int_equal(interval_set_add(&device->copies, work[i].start, work[i].end, &e), 0);
    }
}

static void measure_beside(const struct row *rows, size_t count, const struct work *work, size_t work_count,
                           struct analysis *a)
{
    struct variant_launches launches;
    variant_launches_init(&launches);
    analysis_init(a, NULL);
    add_work(&launches, work, work_count);
    for (size_t i = 0; i < count; i++) {
        struct variant_launch *launch = ARRAY_PUSH(&launches);
        assert_non_null(launch);
        *launch = to_launch(&a->own_run.arms, &rows[i]);
    }
    struct err e = {0};
    assert_int_equal(arm_launch_costs_add(a, &launches, &e), 0);
    variant_launches_release(&launches);
}

static void measure(const struct row *rows, size_t count, struct analysis *a)
{
    measure_beside(rows, count, NULL, 0, a);
}

/* Kernels of 100 ns every 1,000 ns; in the first gap, 200 to 1,100, a copy from 150 to 400 and a kernel of others from
 * 350 to 500: 200 ns of copies, 100 ns of kernels alone, 600 ns idle. In the second, 1,200 to 2,100, only a copy of 650
 * ns that runs on into the next kernel: 1,450 to 2,100. The medians of two are their means. */
TEST(a_gap_with_work_in_it_is_not_idle)
{
    static const struct row rows[] = {
        {"a", LAUNCH_PHASE_MEASURE, 1, 0, 0, 10, 100, 200, 0},
        {"a", LAUNCH_PHASE_MEASURE, 0, 0, 1000, 10, 1100, 1200, 0},
        {"a", LAUNCH_PHASE_MEASURE, 0, 0, 2000, 10, 2100, 2200, 0},
    };
    static const struct work work[] = {{100, 200, false},   {150, 400, true},   {350, 500, false},
                                       {1100, 1200, false}, {1450, 2150, true}, {2100, 2200, false}};
    struct analysis a;
    measure_beside(rows, COUNT_OF(rows), work, COUNT_OF(work), &a);
    const struct launch_cost *cost = &a.launches.items[0];
    assert_true(cost->interval_median_ns == 1000);
    assert_true(cost->gap_median_ns == (600 + 250) / 2.0);
    assert_true(cost->copy_median_ns == (200 + 650) / 2.0);
    assert_true(cost->other_median_ns == (100 + 0) / 2.0);
    analysis_release(&a);
    measure(rows, COUNT_OF(rows), &a); /* of which nothing is known */
    assert_true(a.launches.items[0].gap_median_ns == 900 && a.launches.items[0].copy_median_ns == 0);
    analysis_release(&a);
}

/* On device 0 each kernel is there before the peer's and waits for it. */
TEST(devices_of_a_collective_are_apart)
{
    static const struct row rows[] = {
        {"a", LAUNCH_PHASE_FIRST, 1, 0, 1000000, 90000, 1100000, 1400000, 0},
        {"a", LAUNCH_PHASE_FIRST, 1, 0, 1200000, 190000, 1390000, 1400000, 1},
        {"a", LAUNCH_PHASE_MEASURE, 0, 0, 2000000, 5000, 2008000, 2022000, 0},
        {"a", LAUNCH_PHASE_MEASURE, 0, 0, 2006000, 7000, 2014000, 2022000, 1},
        {"a", LAUNCH_PHASE_MEASURE, 0, 0, 3000000, 5000, 3008000, 3022000, 0},
        {"a", LAUNCH_PHASE_MEASURE, 0, 0, 3006000, 7000, 3014000, 3022000, 1},
    };
    struct analysis a;
    measure(rows, COUNT_OF(rows), &a);
    assert_int_equal(a.launches.count, 1);
    assert_true(a.launches.items[0].first_ns == 190000);
    assert_true(a.launches.items[0].mean_ns == 6000);
    assert_true(a.launches.items[0].max_ns == 7000);
    assert_true(a.launches.items[0].kernel_median_ns == 8000);
    analysis_release(&a);
}

TEST(first_call_apart_and_the_rest_summed_up)
{
    static const struct row rows[] = {
        {"a", LAUNCH_PHASE_VERIFY, 0, 0, 0, 500000, 500500, 501500, 0}, /* not counted */
        {"a", LAUNCH_PHASE_FIRST, 1, 0, 1000000, 90000, 1100000, 1101000, 0},
        {"a", LAUNCH_PHASE_MEASURE, 0, 0, 2000000, 2000, 2003000, 2004000, 0},
        {"a", LAUNCH_PHASE_MEASURE, 0, 0, 2003000, 3000, 2007000, 2008000, 0},
        {"a", LAUNCH_PHASE_MEASURE, 0, 0, 2006000, 7000, 2012000, 2013500, 0},
    };
    struct analysis a;
    measure(rows, COUNT_OF(rows), &a);
    assert_int_equal(a.launches.count, 1);
    const struct launch_cost *cost = &a.launches.items[0];
    assert_int_equal(cost->launches, 4);
    assert_true(cost->first_ns == 90000);
    assert_true(cost->median_ns == 3000); /* 2000, 3000, 7000 */
    assert_true(cost->mean_ns == 4000);   /* 12000 / 3 */
    assert_true(cost->max_ns == 7000);
    assert_true(cost->queue_median_ns == 4000);    /* 3000, 4000, 6000 */
    assert_true(cost->kernel_median_ns == 1000);   /* 1000, 1000, 1500 */
    assert_true(cost->interval_median_ns == 4500); /* 2007-2003 = 4 us, 2012-2007 = 5 us */
    assert_true(cost->gap_median_ns == 3500);      /* 2007-2004 = 3 us, 2012-2008 = 4 us */
    analysis_release(&a);
}

TEST(neighbours_only_within_one_loop)
{
    /* a b a b: no two launches of one arm follow each other */
    static const struct row rows[] = {
        {"a", LAUNCH_PHASE_MEASURE, 1, 0, 0, 10, 100, 200, 0},
        {"b", LAUNCH_PHASE_MEASURE, 1, 0, 300, 10, 400, 500, 0},
        {"a", LAUNCH_PHASE_MEASURE, 0, 0, 600, 10, 700, 800, 0},
        {"b", LAUNCH_PHASE_MEASURE, 0, 0, 900, 10, 1000, 1100, 0},
    };
    struct analysis a;
    measure(rows, COUNT_OF(rows), &a);
    assert_int_equal(a.launches.count, 2);
    assert_string_equal(a.launches.items[0].variant, "a");
    for (size_t i = 0; i < 2; i++) {
        assert_true(isnan(a.launches.items[i].interval_median_ns));
        assert_true(isnan(a.launches.items[i].gap_median_ns));
        assert_true(a.launches.items[i].kernel_median_ns == 100);
    }
    analysis_release(&a);
}

TEST(one_graph_launch_is_one_call)
{
    /* Two graph launches of two kernels each; the second kernel of the first
     * one overlaps the start of the second launch. */
    static const struct row rows[] = {
        {"g", LAUNCH_PHASE_MEASURE, 1, 0, 0, 50, 100, 200, 0},
        {"g", LAUNCH_PHASE_MEASURE, 1, 1, 0, 50, 250, 400, 0},
        {"g", LAUNCH_PHASE_MEASURE, 0, 0, 300, 20, 390, 500, 0},
        {"g", LAUNCH_PHASE_MEASURE, 0, 1, 300, 20, 520, 700, 0},
    };
    struct analysis a;
    measure(rows, COUNT_OF(rows), &a);
    const struct launch_cost *cost = &a.launches.items[0];
    assert_int_equal(cost->launches, 2);
    assert_true(cost->first_ns == 50);
    assert_true(cost->median_ns == 20);
    assert_true(cost->kernel_median_ns == 310);   /* 700 - 390 */
    assert_true(cost->interval_median_ns == 290); /* 390 - 100 */
    assert_true(cost->gap_median_ns == 0);        /* 390 < 400 */
    analysis_release(&a);
}

TEST(a_lost_kernel_record_leaves_its_call)
{
    static const struct row rows[] = {
        {"a", LAUNCH_PHASE_FIRST, 1, 0, 0, 40, NO_KERNEL, 0, 0},
        {"a", LAUNCH_PHASE_MEASURE, 0, 0, 100, 20, NO_KERNEL, 0, 0},
    };
    struct analysis a;
    measure(rows, COUNT_OF(rows), &a);
    const struct launch_cost *cost = &a.launches.items[0];
    assert_int_equal(cost->launches, 2);
    assert_true(cost->first_ns == 40 && cost->median_ns == 20);
    assert_true(isnan(cost->kernel_median_ns) && isnan(cost->queue_median_ns) && isnan(cost->interval_median_ns));
    analysis_release(&a);
}

TEST(no_launches_no_rows)
{
    static const struct row rows[] = {{"a", LAUNCH_PHASE_VERIFY, 0, 0, 0, 10, 20, 30, 0}};
    struct analysis a;
    measure(rows, COUNT_OF(rows), &a);
    assert_int_equal(a.launches.count, 0);
    analysis_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_call_apart_and_the_rest_summed_up),
        cmocka_unit_test(devices_of_a_collective_are_apart),
        cmocka_unit_test(a_gap_with_work_in_it_is_not_idle),
        cmocka_unit_test(neighbours_only_within_one_loop),
        cmocka_unit_test(one_graph_launch_is_one_call),
        cmocka_unit_test(a_lost_kernel_record_leaves_its_call),
        cmocka_unit_test(no_launches_no_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
