/* Does interval algebra hold, on small cases by hand and on many by property? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/interval_set.h"

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

static void adding_joins_what_touches(void **state)
{
    (void)state;
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
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct interval_set s;
        fill(&s, &cases[i].in);
        assert_is(&s, &cases[i].out);
        interval_set_release(&s);
    }
}

static void adding_out_of_order_is_refused(void **state)
{
    (void)state;
    struct interval_set s;
    struct err e = {0};
    interval_set_init(&s);
    assert_int_equal(interval_set_add(&s, 10, 20, &e), 0);
    assert_int_equal(interval_set_add(&s, 9, 30, &e), ERR_INTERNAL);
    assert_int_equal(interval_set_total_ns(&s), 10);
    interval_set_release(&s);
}

static void algebra_by_hand(void **state)
{
    (void)state;
    static const struct {
        struct list a, b, both, either, only_a;
    } cases[] = {
        /* [0,10) with [5,15): 5 ns in common */
        {{1, {{0, 10}}}, {1, {{5, 15}}}, {1, {{5, 10}}}, {1, {{0, 15}}}, {1, {{0, 5}}}},
        /* touching is not overlapping */
        {{1, {{0, 10}}}, {1, {{10, 15}}}, {0, {{0, 0}}}, {1, {{0, 15}}}, {1, {{0, 10}}}},
        /* one cut into three */
        {{1, {{0, 10}}}, {2, {{2, 4}, {6, 8}}}, {2, {{2, 4}, {6, 8}}}, {1, {{0, 10}}}, {3, {{0, 2}, {4, 6}, {8, 10}}}},
        /* one that reaches over two */
        {{2, {{0, 4}, {6, 10}}}, {1, {{2, 8}}}, {2, {{2, 4}, {6, 8}}}, {1, {{0, 10}}}, {2, {{0, 2}, {8, 10}}}},
        {{1, {{0, 4}}}, {0, {{0, 0}}}, {0, {{0, 0}}}, {1, {{0, 4}}}, {1, {{0, 4}}}},
        {{0, {{0, 0}}}, {1, {{0, 4}}}, {0, {{0, 0}}}, {1, {{0, 4}}}, {0, {{0, 0}}}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct interval_set a, b, both, either, only_a;
        fill(&a, &cases[i].a);
        fill(&b, &cases[i].b);
        interval_set_init(&both);
        interval_set_init(&either);
        interval_set_init(&only_a);
        assert_int_equal(interval_set_intersect(&a, &b, &both, NULL), 0);
        assert_int_equal(interval_set_union(&a, &b, &either, NULL), 0);
        assert_int_equal(interval_set_subtract(&a, &b, &only_a, NULL), 0);
        assert_is(&both, &cases[i].both);
        assert_is(&either, &cases[i].either);
        assert_is(&only_a, &cases[i].only_a);
        interval_set_release(&a);
        interval_set_release(&b);
        interval_set_release(&both);
        interval_set_release(&either);
        interval_set_release(&only_a);
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

static void algebra_by_property(void **state)
{
    (void)state;
    uint64_t seed = 20240501;
    for (int round = 0; round < 5000; round++) {
        unsigned char in_a[UNIVERSE_NS] = {0}, in_b[UNIVERSE_NS] = {0};
        unsigned char in_both[UNIVERSE_NS], in_either[UNIVERSE_NS], in_a_only[UNIVERSE_NS];
        struct interval_set a, b, both, either, only_a;
        random_set(&seed, &a, in_a);
        random_set(&seed, &b, in_b);
        for (size_t t = 0; t < UNIVERSE_NS; t++) {
            in_both[t] = in_a[t] & in_b[t];
            in_either[t] = in_a[t] | in_b[t];
            in_a_only[t] = in_a[t] & !in_b[t];
        }
        interval_set_init(&both);
        interval_set_init(&either);
        interval_set_init(&only_a);
        assert_int_equal(interval_set_intersect(&a, &b, &both, NULL), 0);
        assert_int_equal(interval_set_union(&a, &b, &either, NULL), 0);
        assert_int_equal(interval_set_subtract(&a, &b, &only_a, NULL), 0);
        assert_disjoint_and_equal(&both, in_both);
        assert_disjoint_and_equal(&either, in_either);
        assert_disjoint_and_equal(&only_a, in_a_only);
        int64_t total_a = interval_set_total_ns(&a), total_b = interval_set_total_ns(&b);
        assert_int_equal(total_a + total_b, interval_set_total_ns(&either) + interval_set_total_ns(&both));
        assert_int_equal(total_a, interval_set_total_ns(&both) + interval_set_total_ns(&only_a));
        interval_set_release(&a);
        interval_set_release(&b);
        interval_set_release(&both);
        interval_set_release(&either);
        interval_set_release(&only_a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adding_joins_what_touches),
        cmocka_unit_test(adding_out_of_order_is_refused),
        cmocka_unit_test(algebra_by_hand),
        cmocka_unit_test(algebra_by_property),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
