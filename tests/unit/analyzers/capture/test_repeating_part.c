/* Which part of a sequence repeats? */

#include "tests/test.h"
#include <stdlib.h>
#include <string.h>

#include "analyzers/capture/repeating_part.h"

enum { ITEMS_MAX = 64, LONG = 300000 };

static struct repeating_part find(const char *text)
{
    uint32_t items[ITEMS_MAX];
    struct repeating_part part;
    const size_t count = strlen(text);
    for (size_t i = 0; i < count; i++)
        items[i] = (unsigned char)text[i];
    assert_int_equal(repeating_part_find(items, count, &part, NULL), 0);
    return part;
}

static void expect(const char *text, size_t first, size_t end, size_t period)
{
    const struct repeating_part part = find(text);
    assert_int_equal(part.first, first);
    assert_int_equal(part.end, end);
    assert_int_equal(part.period, period);
}

TEST(by_hand)
{
    expect("", 0, 0, 0);
    expect("ab", 0, 0, 0);
    expect("abab", 0, 0, 0);
    expect("aaa", 0, 3, 1);
    expect("ababab", 0, 6, 2);
    expect("xyzabcabcabc", 3, 12, 3);
    expect("wwabcabcabcabz", 2, 13, 3);   /* one item at the end */
    expect("wabcabcabcabcyzz", 1, 12, 3); /* three: four are left out, an "abca" ends a part as well */
    expect("abcdefgh", 0, 0, 0);
    expect("abcdefaaaaaa", 6, 12, 1); /* half */
    expect("abcdefgaaaaaa", 0, 0, 0); /* less */
}

/* The same by the definition: each end, each length, each period. */
static struct repeating_part by_definition(const uint32_t *items, size_t count)
{
    struct repeating_part best = {0};
    for (size_t behind = 0; behind < count; behind = behind ? 2 * behind : 1)
        for (size_t end = count - behind, length = REPEATS_MIN; length <= end; length++)
            for (size_t period = 1; REPEATS_MIN * period <= length && length > best.end - best.first; period++) {
                size_t i = end - length + period;
                while (i < end && items[i] == items[i - period])
                    i++;
                if (i == end)
                    best = (struct repeating_part){end - length, end, period};
            }
    if (2 * (best.end - best.first) < count)
        best = (struct repeating_part){0};
    return best;
}

TEST(random_ones)
{
    uint32_t random = 7;
    size_t found = 0;
    for (int round = 0; round < 5000; round++) {
        uint32_t items[ITEMS_MAX];
        struct repeating_part part;
        const size_t count = (size_t)(round % 40), period = 1 + (size_t)(round % 7);
        for (size_t i = 0; i < count; i++) {
            random = random * 1664525 + 1013904223;
            const int is_new = i < period || random >> 28 == 0;
            items[i] = is_new ? (random >> 20) % 3 : items[i - period];
        }
        const struct repeating_part wanted = by_definition(items, count);
        assert_int_equal(repeating_part_find(items, count, &part, NULL), 0);
        assert_int_equal(part.first, wanted.first);
        assert_int_equal(part.end, wanted.end);
        assert_int_equal(part.period, wanted.period);
        found += part.period > 0;
    }
    assert_true(found > 1000);
}

/* A sequence that makes naive searches quadratic. */
TEST(a_long_one)
{
    struct repeating_part part;
    uint32_t *items = calloc(LONG, sizeof *items);
    assert_non_null(items);
    items[LONG / 2 - 1] = 1;
    assert_int_equal(repeating_part_find(items, LONG, &part, NULL), 0);
    assert_int_equal(part.first, LONG / 2);
    assert_int_equal(part.end, LONG);
    assert_int_equal(part.period, 1);
    free(items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_hand), cmocka_unit_test(random_ones),
                                       cmocka_unit_test(a_long_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
