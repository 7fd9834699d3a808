/* Does a process that times one solution load no other one, and does any other process get the words that it had? */
#include <string.h>

#include "cli/record/solution_alone.h"
#include "core/base/str.h"
#include "core/base/words.h"
#include "tests/test.h"

#define TASK     "--load=./task.so --load=a=./a.so --load=b=./b.so --load=base=./base.so"
#define ARMS     "--variant=t/a --variant=t/b --variant=t/base"
#define GRAPHS   "time --index=4 --cache=both --method=graphs --schedule=process "
#define HAS      "time --index=4 --cache=both --method=graphs --schedule=process --arm=0 --load=./task.so "
#define AS_IT_IS NULL

static const struct {
    const char *words, *alone;
} runs[] = {
    {GRAPHS "--arm=0 --baseline=t/base " TASK " " ARMS " --seed=1",
     "time --index=4 --cache=both --method=graphs --schedule=process --arm=0 --baseline=t/base --load=./task.so "
     "--load=base=./base.so --variant=t/base --seed=1"},
    {GRAPHS "--arm=1 --baseline=t/base " TASK " " ARMS, HAS "--load=a=./a.so --variant=t/a"},
    {GRAPHS "--arm=2 --baseline=t/base " TASK " " ARMS, HAS "--load=b=./b.so --variant=t/b"},
    {GRAPHS "--arm=1 --baseline=base " TASK " --variant=a --variant=b --variant=base",
     HAS "--load=a=./a.so --variant=a"},
    {GRAPHS "--arm=0 --baseline=t/base " TASK " --variant=a --variant=b --variant=base",
     "time --index=4 --cache=both --method=graphs --schedule=process --arm=0 --baseline=t/base --load=./task.so "
     "--load=base=./base.so --variant=base"},
    {GRAPHS "--arm=2 --baseline=t/base " TASK " --variant=a --variant=b --variant=base",
     HAS "--load=b=./b.so --variant=b"},
    {GRAPHS "--arm=3 --baseline=t/base " TASK " " ARMS, AS_IT_IS}, /* there is no such arm */
    {GRAPHS "--arm=0 " TASK " " ARMS, HAS "--load=a=./a.so --variant=t/a"},
    {GRAPHS "--arm=2 " TASK " " ARMS, HAS "--load=base=./base.so --variant=t/base"},
    {"time --schedule=process --arm=1 " TASK " " ARMS, AS_IT_IS}, /* the first one chooses the method for all */
    {"time --method=graphs " TASK " " ARMS, AS_IT_IS},
    {"verify --index=0 " TASK " " ARMS, AS_IT_IS},
    {GRAPHS "--arm=0 " TASK " --load=f=./f.py:f " ARMS, AS_IT_IS},
    {GRAPHS "--arm=0 --load=./variants.so --variant=mine/v1", AS_IT_IS},
    {GRAPHS "--arm=0 --variant=softmax/online", AS_IT_IS},
    {GRAPHS "--arm=0 " TASK " --variant=t/*", AS_IT_IS},
    {GRAPHS "--arm=0 " TASK " --load=./second.so " ARMS, AS_IT_IS},
};

TEST(one_solution_is_loaded)
{
    for (size_t i = 0; i < COUNT_OF(runs); i++) {
        struct word_list words = {0};
        struct runner_arguments from = {0}, alone = {0};
        struct err e = {0};
        struct str text;
        bool is_alone;
        str_init(&text);
        assert_int_equal(words_split(&words, runs[i].words, &e), 0);
        for (size_t k = 0; k < words.count; k++)
            assert_int_equal(runner_argument(&from, &e, "%s", words.items[k]), 0);
        assert_int_equal(solution_alone_arguments(&alone, &from, &is_alone, &e), 0);
        for (size_t k = 0; k < alone.count; k++)
            str_addf(&text, "%s%s", k ? " " : "", alone.items[k]);
        assert_int_equal(is_alone, runs[i].alone != NULL);
        assert_string_equal(str_text(&text), runs[i].alone ? runs[i].alone : "");
        str_release(&text);
        runner_arguments_release(&alone);
        runner_arguments_release(&from);
        words_release(&words);
    }
}

#define WITHOUT "time --schedule=process --baseline=t/base "

static const struct {
    const char *words, *without, *rest; /* NULL: nobody is left to be timed */
} left[] = {
    {WITHOUT TASK " " ARMS " --arm=1", "b=./b.so",
     WITHOUT "--load=./task.so --load=a=./a.so --load=base=./base.so --variant=t/a --variant=t/base --arm=1"},
    {WITHOUT TASK " " ARMS " --arm=2", "a=./a.so",
     WITHOUT "--load=./task.so --load=b=./b.so --load=base=./base.so --variant=t/b --variant=t/base --arm=1"},
    {WITHOUT TASK " " ARMS " --arm=2", "base=./base.so",
     "time --schedule=process --load=./task.so --load=a=./a.so --load=b=./b.so --variant=t/a --variant=t/b --arm=1"},
    {WITHOUT TASK " " ARMS " --arm=1", "a=./a.so", NULL},
    {"verify " TASK " " ARMS, "a=./a.so b=./b.so base=./base.so", NULL},
    {"verify " TASK " --variant=a --variant=b", "c=./c.so", "verify " TASK " --variant=a --variant=b"},
};

TEST(those_that_broke_off_are_left_out)
{
    for (size_t i = 0; i < COUNT_OF(left); i++) {
        struct word_list words = {0}, names = {0};
        struct runner_arguments from = {0}, rest = {0};
        struct err e = {0};
        struct str text;
        bool is_any;
        str_init(&text);
        assert_int_equal(words_split(&words, left[i].words, &e), 0);
        assert_int_equal(words_split(&names, left[i].without, &e), 0);
        for (size_t k = 0; k < words.count; k++)
            assert_int_equal(runner_argument(&from, &e, "%s", words.items[k]), 0);
        const struct solution_loads without = {(const char **)names.items, names.count, names.count};
        assert_int_equal(solution_alone_without(&rest, &from, &without, &is_any, &e), 0);
        for (size_t k = 0; k < rest.count; k++)
            str_addf(&text, "%s%s", k ? " " : "", rest.items[k]);
        if (is_any != (left[i].rest != NULL))
            fail_msg("row %zu", i);
        if (is_any)
            assert_string_equal(str_text(&text), left[i].rest);
        str_release(&text);
        runner_arguments_release(&rest);
        runner_arguments_release(&from);
        words_release(&names);
        words_release(&words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_solution_is_loaded),
        cmocka_unit_test(those_that_broke_off_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
