/* Which launches are the same work? Sequences are written as letters: a capital is a kernel, and small letters behind
 * it are its other forms, such as 'A', 'a' for two grids of one kernel. */
#include <stdio.h>
#include <string.h>

#include "core/run/launch_groups.h"
#include "tests/test.h"

/* Kernels by letter: forms of one kernel are listed together. */
static const char *const kernels[] = {"ABCDEF", "xyz", "Q", "R"};

static uint32_t kernel_of(char letter)
{
    for (uint32_t i = 0; i < COUNT_OF(kernels); i++)
        if (strchr(kernels[i], letter))
            return i;
    return 99;
}

/* "A3 B2" is AAABB; "(AB)3" is ABABAB. */
static size_t spell(struct ordered_launch *out, const char *text)
{
    size_t count = 0;
    while (*text) {
        char word[64] = {*text, '\0'};
        size_t length = 1;
        if (*text == '(') {
            length = strcspn(text + 1, ")");
            memcpy(word, text + 1, length);
            word[length] = '\0';
            text += length + 2;
        } else
            text++;
        size_t times = 0;
        for (; *text >= '0' && *text <= '9'; text++)
            times = 10 * times + (size_t)(*text - '0');
        for (size_t i = 0; i < (times ? times : 1) * length; i++)
            out[count++] = (struct ordered_launch){(uint32_t)word[i % length], kernel_of(word[i % length])};
        text += strspn(text, " ");
    }
    return count;
}

/* "A:2000 B:2000" with "@2" for the second place, "A*3" for samples of three launches, "!" for set-up. */
static void tell(char *out, size_t room, const struct launch_groups *groups, const struct ordered_launch *launches)
{
    size_t used = 0;
    *out = '\0';
    for (size_t i = 0; i < groups->count; i++) {
        const struct launch_group *g = &groups->items[i];
        used += (size_t)snprintf(out + used, room - used, "%s", i ? " " : "");
        for (size_t k = 0; k < g->length; k++)
            used += (size_t)snprintf(out + used, room - used, "%c", (char)launches[g->first + k].token);
        if (g->place)
            used += (size_t)snprintf(out + used, room - used, "@%zu", g->place);
        used += (size_t)snprintf(out + used, room - used, ":%zu%s", g->samples, g->is_set_up ? "!" : "");
    }
}

TEST(groups_are_found)
{
    static const struct {
        const char *launches, *groups;
        size_t in_none;
    } cases[] = {
        {"", "", 0},
        {"A", "A:1", 0},
        {"A600", "A:600", 0},
        /* A sweep with a launch of each form first: 6 and 6 * 2000. */
        {"A B C D E F A2000 B2000 C2000 D2000 E2000 F2000", "A:2001 B:2001 C:2001 D:2001 E:2001 F:2001", 0},
        {"(ABC)200", "A:200 B:200 C:200", 0},
        {"ABBACABBCAABCA", "A:6 B:5 C:3", 0}, /* in no order, yet one kernel: by form */
        /* The first and second A of an iteration may have other arguments; what is cut off at the end keeps its place.
         */
        {"(AAB)100", "A@1:100 A@2:100 B:100", 0},
        {"(AAB)100A", "A@1:101 A@2:100 B:100", 0},
        {"C3(AAB)100", "C:3! A@1:100 A@2:100 B:100", 0},
        /* Several kernels: set-up is in no group. */
        {"QQA600", "A:600", 2},
        {"Q R A600", "A:600", 2},
        {"Q2 A500 B1000", "A:500 B:1000", 2},
        {"(QAR)100", "QAR:100", 0},
        {"R(QA)100Q", "QA:100", 2},
        {"(QA)2", "QA:2", 0},
        {"QA", "", 2},
        {"QARQRA", "", 6},
        /* A sweep whose samples have two kernels: 100 of each form, not 200 of "Q and some A". */
        {"(QA)100 (QB)100 (QC)100", "QA:100 QB:100 QC:100", 0},
        /* A part that repeats within an iteration is no sample of its own: 20 iterations of 4 + 1. */
        {"(AAAAQ)20", "AAAAQ:20", 0},
        /* A form of every iteration is no set-up, however rare: a decode loop with one LM head (y) and 24 others, as
         * one kernel, and as two that come at no fixed distance. */
        {"(xxxxxxxxxxxxxxxxxxxxxxxxy)20", "x:480 y:20", 0},
        {"x600 y", "x:600 y:1", 0},
        {"x24 Q x23 Q x25 Q x26 Q x27 Q", "x:125 Q:5", 0},
        {"x24 y Q x23 y R Q x25 Q y x26 y Q R", "x:98 y:4 Q:4", 2},
        /* ... a known sequence that comes once more is one of its samples */
        {"(QA)5 R (QA)2 R (QA)4 R QA", "QA:12 R:3", 0},
        {"(AAAAQ)50AAA", "AAAAQ:50", 3}, /* a last one that was cut off */
        /* Set-up that repeats, by a tenth of the largest: 59 < 600 / 10. */
        {"Q59 R600", "Q:59! R:600", 0},
        {"Q60 R600", "Q:60 R:600", 0},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        static struct ordered_launch launches[20000];
        struct launch_groups groups;
        char told[512];
        const size_t count = spell(launches, cases[i].launches);
        assert_int_equal(launch_groups_find(&groups, launches, count, NULL), 0);
        tell(told, sizeof told, &groups, launches);
        if (strcmp(told, cases[i].groups) != 0)
            fail_msg("%s: '%s', not '%s'", cases[i].launches, told, cases[i].groups);
        assert_int_equal(groups.in_none, cases[i].in_none);
        launch_groups_release(&groups);
    }
}

/* Three rounds of 50 + 50: 100 places with 3 samples each would be no groups. */
TEST(rounds_of_a_sweep_are_one_sweep)
{
    static struct ordered_launch launches[300];
    struct launch_groups groups;
    for (size_t i = 0; i < 300; i++)
        launches[i] = (struct ordered_launch){i / 50 % 2, 0};
    assert_int_equal(launch_groups_find(&groups, launches, 300, NULL), 0);
    assert_int_equal(groups.count, 2);
    assert_int_equal(groups.items[0].samples, 150);
    assert_int_equal(groups.items[1].samples, 150);
    launch_groups_release(&groups);
}

TEST(more_forms_than_a_table_has_are_refused)
{
    static struct ordered_launch launches[LAUNCH_GROUPS_MAX + 1];
    struct launch_groups groups;
    struct err e = {0};
    for (uint32_t i = 0; i <= LAUNCH_GROUPS_MAX; i++)
        launches[i] = (struct ordered_launch){i, 0};
    assert_int_equal(launch_groups_find(&groups, launches, LAUNCH_GROUPS_MAX + 1, &e), ERR_INPUT);
    assert_non_null(strstr(e.text, "more than 256 forms"));
    launch_groups_release(&groups);
}

/* Blocks of 3000 that come twice, never thrice, take a bounded number of comparisons. */
TEST(launches_that_nearly_repeat_end)
{
    enum { COUNT = 120000, BLOCK = 3000 };
    static struct ordered_launch launches[COUNT];
    struct launch_groups groups;
    for (uint32_t i = 0; i < COUNT; i++) {
        const uint32_t block = i / (2 * BLOCK), at = i % BLOCK;
        const uint32_t token = (at * at + block * at + block) % 7;
        launches[i] = (struct ordered_launch){token, token % 3};
    }
    assert_int_equal(launch_groups_find(&groups, launches, COUNT, NULL), 0);
    launch_groups_release(&groups);
}

/* Launches that the search did not reach are not called set-up. Blocks of 4000 forms that come twice take 2000
 * comparisons for each launch of the first time, of 512 a launch that may be made. */
TEST(a_search_that_ends_early_is_told)
{
    enum { COUNT = 64000, BLOCK = 4000 };
    static struct ordered_launch launches[COUNT];
    struct launch_groups groups;
    struct err e = {0};
    for (uint32_t i = 0; i < COUNT; i++)
        launches[i] = i < COUNT - BLOCK ? (struct ordered_launch){2 + i / (2 * BLOCK) * BLOCK + i % BLOCK, i % 2}
                                        : (struct ordered_launch){i % 2, i % 2};
    const int rc = launch_groups_find(&groups, launches, COUNT, &e);
    launch_groups_release(&groups);
    assert_int_equal(rc, ERR_INPUT);
    assert_non_null(strstr(e.text, "a bounded search"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_are_found),
        cmocka_unit_test(rounds_of_a_sweep_are_one_sweep),
        cmocka_unit_test(more_forms_than_a_table_has_are_refused),
        cmocka_unit_test(launches_that_nearly_repeat_end),
        cmocka_unit_test(a_search_that_ends_early_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
