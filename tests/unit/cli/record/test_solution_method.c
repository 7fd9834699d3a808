/* Which runs choose a method before they time solutions, and leave it to their processes otherwise? */
#include <string.h>

#include "cli/record/solution_method.h"
#include "core/base/words.h"
#include "tests/test.h"

#define ALONE SCHEDULE_PROCESS, BATCH_AUTO

static const struct {
    const char *task, *others, *variants;
    enum schedule schedule;
    enum batch_method method;
    bool is_open;
} runs[] = {
    {"./t.so", "a=./a.so b=./b.so", "a b", ALONE, true},
    {"./t.so", "a=./a.so", "a", ALONE, true},
    {"./t.so", "a=./a.so b=./b.so", "a b", SCHEDULE_ABBA, BATCH_AUTO, false},
    {"./t.so", "a=./a.so b=./b.so", "a b", SCHEDULE_SEQUENTIAL, BATCH_AUTO, false},
    {"./t.so", "a=./a.so b=./b.so", "a b", SCHEDULE_PROCESS, BATCH_SINGLE, false},
    {"./t.so", "a=./a.so b=./b.so", "a b", SCHEDULE_PROCESS, BATCH_GRAPHS, false},
    {"./t.so", "a=./a.so b=./b.py:b", "a b", ALONE, false}, /* all are launched as its are */
    {"./t.so", "a=./a.so b=./b.so", "a b softmax/online", ALONE, false},
    {"./t.so", "a=./a.so ./mine.so", "a mine/v1", ALONE, false},
    {NULL, "./mine.so", "mine/v1 mine/v2", ALONE, false},
};

TEST(only_solutions_that_share_nothing)
{
    for (size_t i = 0; i < COUNT_OF(runs); i++) {
        struct word_list others = {0}, variants = {0};
        const char *loads[8];
        struct err e = {0};
        size_t count = 0;
        assert_int_equal(words_split(&others, runs[i].others, &e), 0);
        assert_int_equal(words_split(&variants, runs[i].variants, &e), 0);
        if (runs[i].task)
            loads[count++] = runs[i].task;
        for (size_t k = 0; k < others.count; k++)
            loads[count++] = others.items[k];
        const struct run_request request = {
            .task = runs[i].task,
            .loads = {loads, count, count},
            .variants = {(const char **)variants.items, variants.count, variants.count},
            .sampling = {.schedule = runs[i].schedule, .method = runs[i].method},
        };
        if (solution_method_is_open(&request) != runs[i].is_open)
            fail_msg("row %zu", i);
        words_release(&others);
        words_release(&variants);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_solutions_that_share_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
