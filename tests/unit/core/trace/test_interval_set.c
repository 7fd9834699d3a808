/* Does interval algebra hold, on small cases by hand and on many by property? */
#include <stdlib.h>

#include "core/trace/interval_set.h"
#include "tests/test.h"

enum { LIST_MAX = 4 };

struct list {
    size_t count;
    struct interval items[LIST_MAX];
};

static void fill(struct interval_set *s, const struct list *from)
{
    interval_set_init(s);
    for (size_t i = 0; i < from->count; i++)
        assert_int_equal(interval_set_add(s, from->items[i].start_ns, from->items[i].end_ns, NULL), 0);
}

static void assert_is(const struct interval_set *s, const struct list *expected)
{
    assert_int_equal(s->count, expected->count);
    for (size_t i = 0; i < s->count; i++) {
        assert_int_equal(s->items[i].start_ns, expected->items[i].start_ns);
        assert_int_equal(s->items[i].end_ns, expected->items[i].end_ns);
    }
}

TEST(adding_joins_what_touches)
{
    static const struct {
        struct list in, out;
    } cases[] = {
        {{0, {{0, 0}}}, {0, {{0, 0}}}},
        {{2, {{0, 10}, {10, 20}}}, {1, {{0, 20}}}},           /* half-open: [0,10) and [10,20) touch */
        {{2, {{0, 10}, {11, 20}}}, {2, {{0, 10}, {11, 20}}}}, /* one ns between */
        {{3, {{0, 30}, {5, 10}, {29, 40}}}, {1, {{0, 40}}}},  /* nested, then overlapping */
        {{3, {{5, 5}, {7, 6}, {8, 9}}}, {1, {{8, 9}}}},       /* empty and inverted ones vanish */
        {{2, {{-5, -1}, {-1, 3}}}, {1, {{-5, 3}}}},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct interval_set s;
        fill(&s, &cases[i].in);
        assert_is(&s, &cases[i].out);
        interval_set_release(&s);
    }
}

TEST(adding_out_of_order_is_refused)
{
    struct interval_set s;
    struct err e = {0};
    interval_set_init(&s);
    assert_int_equal(interval_set_add(&s, 10, 20, &e), 0);
    assert_int_equal(interval_set_add(&s, 9, 30, &e), ERR_INTERNAL);
    assert_int_equal(interval_set_total_ns(&s), 10);
    interval_set_release(&s);
}

TEST(intersection_by_hand)
{
    static const struct {
        struct list a, b, both;
    } cases[] = {
        /* [0,10) with [5,15): 5 ns in common */
        {{1, {{0, 10}}}, {1, {{5, 15}}}, {1, {{5, 10}}}},
        /* touching is not overlapping */
        {{1, {{0, 10}}}, {1, {{10, 15}}}, {0, {{0, 0}}}},
        /* one cut into three */
        {{1, {{0, 10}}}, {2, {{2, 4}, {6, 8}}}, {2, {{2, 4}, {6, 8}}}},
        /* one that reaches over two */
        {{2, {{0, 4}, {6, 10}}}, {1, {{2, 8}}}, {2, {{2, 4}, {6, 8}}}},
        {{1, {{0, 4}}}, {0, {{0, 0}}}, {0, {{0, 0}}}},
    };
    for (size_t i = 0; i < 2 * COUNT_OF(cases); i++) { /* each both ways round */
        struct interval_set a, b, both;
        fill(&a, i % 2 ? &cases[i / 2].b : &cases[i / 2].a);
        fill(&b, i % 2 ? &cases[i / 2].a : &cases[i / 2].b);
        interval_set_init(&both);
        assert_int_equal(interval_set_intersect(&a, &b, &both, NULL), 0);
        assert_is(&both, &cases[i / 2].both);
        interval_set_release(&a);
        interval_set_release(&b);
        interval_set_release(&both);
    }
}

/* SplitMix64: the same numbers on every machine. */
static uint64_t next_random(uint64_t *seed)
{
    uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

enum { UNIVERSE_NS = 200 };

/* Random intervals, and the same set as one flag a nanosecond. */
static void random_set(uint64_t *seed, struct interval_set *s, unsigned char *member)
{
    interval_set_init(s);
    int64_t start = 0;
    size_t count = next_random(seed) % 12;
    for (size_t i = 0; i < count; i++) {
        start += (int64_t)(next_random(seed) % 20);
        int64_t end = start + (int64_t)(next_random(seed) % 25);
        if (end > UNIVERSE_NS)
            break;
        assert_int_equal(interval_set_add(s, start, end, NULL), 0);
        for (int64_t t = start; t < end; t++)
            member[t] = 1;
    }
}

static void assert_disjoint_and_equal(const struct interval_set *s, const unsigned char *member)
{
    unsigned char seen[UNIVERSE_NS] = {0};
    for (size_t i = 0; i < s->count; i++) {
        assert_true(s->items[i].start_ns < s->items[i].end_ns);
        assert_true(i == 0 || s->items[i - 1].end_ns < s->items[i].start_ns);
        for (int64_t t = s->items[i].start_ns; t < s->items[i].end_ns; t++)
            seen[t] = 1;
    }
    assert_memory_equal(seen, member, UNIVERSE_NS);
}

/* |A| + |B| = |A u B| + |A n B|, and each nanosecond is where it should be. */
TEST(intersection_by_property)
{
    uint64_t seed = 20240501;
    for (int round = 0; round < 5000; round++) {
        unsigned char in_a[UNIVERSE_NS] = {0}, in_b[UNIVERSE_NS] = {0}, in_both[UNIVERSE_NS];
        struct interval_set a, b, both;
        int64_t either_ns = 0;
        random_set(&seed, &a, in_a);
        random_set(&seed, &b, in_b);
        for (size_t t = 0; t < UNIVERSE_NS; t++) {
            in_both[t] = in_a[t] & in_b[t];
            either_ns += in_a[t] | in_b[t];
        }
        interval_set_init(&both);
        assert_int_equal(interval_set_intersect(&a, &b, &both, NULL), 0);
        assert_disjoint_and_equal(&a, in_a);
        assert_disjoint_and_equal(&both, in_both);
        assert_int_equal(interval_set_total_ns(&a) + interval_set_total_ns(&b),
                         either_ns + interval_set_total_ns(&both));
        interval_set_release(&a);
        interval_set_release(&b);
        interval_set_release(&both);
    }
}

/* Of [10, 20) and [30, 50). */
TEST(time_within)
{
    static const struct {
        int64_t start, end, within;
    } cases[] = {{0, 100, 30}, {0, 10, 0},  {0, 11, 1},  {15, 35, 10}, {20, 30, 0},
                 {35, 40, 5},  {50, 90, 0}, {40, 15, 0}, {12, 12, 0}};
    struct interval_set s;
    fill(&s, &(struct list){2, {{10, 20}, {30, 50}}});
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_int_equal(interval_set_within_ns(&s, cases[i].start, cases[i].end), cases[i].within);
    interval_set_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adding_joins_what_touches),
        cmocka_unit_test(adding_out_of_order_is_refused),
        cmocka_unit_test(intersection_by_hand),
        cmocka_unit_test(intersection_by_property),
        cmocka_unit_test(time_within),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
