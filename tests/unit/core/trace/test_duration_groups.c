/* Are quantiles of spilled durations those of the sorted list, and sums exact? */
#include <math.h>
#include <stdlib.h>

#include "core/stats/statistics.h"
#include "core/trace/duration_groups.h"
#include "core/trace/parts/part_file.h"
#include "tests/test.h"

TEST(small_groups)
{
    struct duration_groups *g;
    assert_int_equal(duration_groups_new(&g, NULL), 0);
    /* Group 0: 30, 80; group 2: one; group 1 stays empty. */
    assert_int_equal(duration_groups_add(g, 0, 80, NULL), 0);
    assert_int_equal(duration_groups_add(g, 2, 7, NULL), 0);
    assert_int_equal(duration_groups_add(g, 0, 30, NULL), 0);
    assert_int_equal(duration_groups_finish(g, NULL), 0);
    const struct duration_summary *two = duration_groups_get(g, 0);
    assert_int_equal(two->count, 2);
    assert_int_equal(two->total_ns, 110);
    assert_int_equal(two->min_ns, 30);
    assert_int_equal(two->max_ns, 80);
    assert_true(two->mean_ns == 55);
    assert_true(two->p50_ns == 55);
    assert_true(fabs(two->p90_ns - 75) < 1e-9);                 /* 30 + 0.9 * 50 */
    assert_true(fabs(two->p99_ns - 79.5) < 1e-9);               /* 30 + 0.99 * 50 */
    assert_true(fabs(two->std_ns * two->std_ns - 1250) < 1e-9); /* 2 * 25^2 / 1 */
    const struct duration_summary *one = duration_groups_get(g, 2);
    assert_true(one->p50_ns == 7 && one->p99_ns == 7 && isnan(one->std_ns));
    for (uint32_t empty = 1; empty < 5; empty += 2) { /* 3 was never mentioned */
        assert_int_equal(duration_groups_get(g, empty)->count, 0);
        assert_true(isnan(duration_groups_get(g, empty)->p50_ns));
    }
    duration_groups_free(g);
}

/* More than fit in memory, in three groups. */
TEST(spilled_groups)
{
    enum { COUNT = 600000, GROUPS = 3 };
    double *values[GROUPS];
    size_t counts[GROUPS] = {0};
    for (size_t i = 0; i < GROUPS; i++)
        assert_non_null(values[i] = calloc(COUNT, sizeof **values));
    struct duration_groups *g;
    assert_int_equal(duration_groups_new(&g, NULL), 0);
    uint64_t seed = 1;
    for (size_t i = 0; i < COUNT; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const uint32_t group = (uint32_t)(seed >> 61) % GROUPS;
        const int64_t duration = (int64_t)(seed >> 34) % 1000003;
        assert_int_equal(duration_groups_add(g, group, duration, NULL), 0);
        values[group][counts[group]++] = (double)duration;
    }
    assert_int_equal(duration_groups_finish(g, NULL), 0);
    for (uint32_t i = 0; i < GROUPS; i++) {
        const struct duration_summary *s = duration_groups_get(g, i);
        sort_doubles(values[i], counts[i]);
        assert_int_equal(s->count, counts[i]);
        assert_true(fabs(s->p50_ns - quantile_sorted(values[i], counts[i], 0.5)) < 1e-6);
        assert_true(fabs(s->p90_ns - quantile_sorted(values[i], counts[i], 0.9)) < 1e-6);
        assert_true(fabs(s->p99_ns - quantile_sorted(values[i], counts[i], 0.99)) < 1e-6);
        assert_true(fabs(s->std_ns / standard_deviation(values[i], counts[i]) - 1) < 1e-9);
        free(values[i]);
    }
    duration_groups_free(g);
}

TEST(damaged_times_saturate)
{
    assert_true(duration_ns(INT64_MIN, INT64_MAX) == INT64_MAX);
    assert_true(duration_ns(INT64_MAX, INT64_MIN) == INT64_MIN);
    struct duration_groups *g;
    assert_int_equal(duration_groups_new(&g, NULL), 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(duration_groups_add(g, 0, INT64_MAX, NULL), 0);
    assert_int_equal(duration_groups_finish(g, NULL), 0);
    assert_true(duration_groups_get(g, 0)->total_ns == INT64_MAX);
    duration_groups_free(g);
}

static void assert_same(const struct duration_summary *a, const struct duration_summary *b)
{
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->total_ns, b->total_ns);
    assert_true(a->min_ns == b->min_ns && a->max_ns == b->max_ns && a->mean_ns == b->mean_ns);
    assert_true(a->p50_ns == b->p50_ns && a->p90_ns == b->p90_ns && a->p99_ns == b->p99_ns);
    assert_true(a->std_ns == b->std_ns || (isnan(a->std_ns) && isnan(b->std_ns)));
}

/* Many alike, and the longest that there are. Group 0 of the whole is group 1 of each part. The part that was made last
 * is taken first: only exact sums give the same bits. */
TEST(parts_are_the_whole)
{
    enum { PARTS = 3, EACH = 1536 }; /* groups fill whole blocks of duration_runs */
    struct duration_groups *whole, *sum, *parts[PARTS];
    static const uint32_t numbers[] = {1, 0};
    uint64_t seed = 7;
    assert_int_equal(duration_groups_new(&whole, NULL) | duration_groups_new(&sum, NULL), 0);
    for (size_t p = 0; p < PARTS; p++) {
        assert_int_equal(duration_groups_new(&parts[p], NULL), 0);
        for (size_t i = 0; i < EACH; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            const int64_t duration = p == 1 ? (int64_t)(seed >> 61) : p || i % 7 ? (int64_t)(seed >> 28) : INT64_MAX;
            assert_int_equal(duration_groups_add(whole, i % 3 == 0, duration, NULL), 0);
            assert_int_equal(duration_groups_add(parts[p], i % 3 != 0, duration, NULL), 0);
        }
    }
    for (size_t p = PARTS; p-- > 0;) {
        struct part_reader reader = {.from = tmpfile()};
        assert_non_null(reader.from);
        assert_int_equal(duration_groups_write(parts[p], 2, reader.from, NULL), 0);
        rewind(reader.from);
        assert_int_equal(duration_groups_take(sum, numbers, 2, &reader, NULL), 0);
        assert_int_equal(part_read_end(&reader, NULL), 0);
        fclose(reader.from);
        duration_groups_free(parts[p]);
    }
    assert_int_equal(duration_groups_finish(whole, NULL) | duration_groups_finish(sum, NULL), 0);
    for (uint32_t group = 0; group < 2; group++)
        assert_same(duration_groups_get(whole, group), duration_groups_get(sum, group));
    duration_groups_free(whole);
    duration_groups_free(sum);
}

/* Ten times 2^62 do not fit into a sum of 64 bits. 10^18 and 10^18 + 2 do not either, when squared and summed as
 * doubles: sqrt((1 + 1) / 1). */
TEST(large_durations)
{
    struct duration_groups *g;
    assert_int_equal(duration_groups_new(&g, NULL), 0);
    for (int i = 0; i < 20; i++)
        assert_int_equal(duration_groups_add(g, 0, i % 2 ? 0 : (int64_t)1 << 62, NULL), 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(duration_groups_add(g, 1, 1000000000000000000 + 2 * i, NULL), 0);
    assert_int_equal(duration_groups_finish(g, NULL), 0);
    assert_true(isnan(duration_groups_get(g, 0)->std_ns));
    assert_true(fabs(duration_groups_get(g, 1)->std_ns - sqrt(2)) < 1e-12);
    duration_groups_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(small_groups), cmocka_unit_test(spilled_groups),
                                       cmocka_unit_test(damaged_times_saturate), cmocka_unit_test(parts_are_the_whole),
                                       cmocka_unit_test(large_durations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
