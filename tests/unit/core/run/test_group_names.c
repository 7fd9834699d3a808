/* Which groups of two programs are the same work, and what are they called? */
#include <stdio.h>
#include <string.h>

#include "core/run/group_names.h"
#include "tests/test.h"

enum { GROUPS = 4 };

/* Kernel, grid and block of each group; empty behind the last. */
struct sweep {
    const char *groups[GROUPS][3];
    int64_t samples[GROUPS];
};

static void fill(struct arm_groups *out, const char *variant, const struct sweep *s, struct sample_group *groups)
{
    *out = (struct arm_groups){.variant = variant, .processes = 1};
    out->groups.items = groups;
    for (size_t i = 0; i < GROUPS && s->groups[i][0]; i++) {
        double grid = 0, block = 0;
        sscanf(s->groups[i][1], "%lf", &grid);
        sscanf(s->groups[i][2], "%lf", &block);
        groups[i] = (struct sample_group){.traits = {s->groups[i][0], s->groups[i][1], s->groups[i][2], "0", "0"},
                                          .sizes = {grid, block, grid * block},
                                          .samples = s->samples[i] ? s->samples[i] : 100,
                                          .processes = 1,
                                          .config = "",
                                          .problem = ""};
        out->groups.count++;
    }
}

TEST(same_work_has_one_name)
{
    static const struct {
        struct sweep base, candidate;
        const char *names[GROUPS]; /* of the candidate's; NULL: no group is matched */
    } cases[] = {
        /* one kind of work each, whatever its sizes */
        {{{{"a", "8", "32"}}, {0}}, {{{"b", "4", "64"}}, {0}}, {"program"}},
        /* ... and however often: a program that loops by time has no fixed number of samples */
        {{{{"a", "8", "32"}}, {100}}, {{{"b", "4", "64"}}, {120}}, {"program"}},
        /* all is equal, in another order */
        {{{{"a", "8", "32"}, {"a", "4", "64"}}, {0}},
         {{{"a", "4", "64"}, {"a", "8", "32"}}, {0}},
         {"grid=4 block=64", "grid=8 block=32"}},
        /* other kernels and grids: blocks tell */
        {{{{"a", "8", "32"}, {"a", "4", "64"}}, {0}},
         {{{"b", "99", "64"}, {"b", "98", "32"}}, {0}},
         {"block=64", "block=32"}},
        /* by kernel: two builds of two templates */
        {{{{"k<1>", "8", "32"}, {"k<2>", "8", "32"}}, {0}},
         {{{"k<1>", "4", "64"}, {"k<2>", "4", "64"}}, {0}},
         {"kernel=k<1>", "kernel=k<2>"}},
        /* nothing is equal, but they grow alike: by order */
        {{{{"a", "4", "32"}, {"a", "8", "32"}}, {0}},
         {{{"b", "1", "64"}, {"b", "2", "64"}}, {0}},
         {"group=1", "group=2"}},
        /* ... not when one was launched more often, or shrinks */
        {{{{"a", "4", "32"}, {"a", "8", "32"}}, {0}}, {{{"b", "1", "64"}, {"b", "2", "64"}}, {0, 7}}, {NULL}},
        {{{{"a", "4", "32"}, {"a", "8", "32"}}, {0}}, {{{"b", "2", "64"}, {"b", "1", "64"}}, {0}}, {NULL}},
        /* more kinds on one side */
        {{{{"a", "8", "32"}, {"a", "4", "64"}}, {0}}, {{{"a", "8", "32"}}, {0}}, {NULL}},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct sample_group base[GROUPS], candidate[GROUPS];
        struct arm_groups arms[2];
        struct arena arena;
        arena_init(&arena);
        fill(&arms[0], "a", &cases[i].base, base);
        fill(&arms[1], "b", &cases[i].candidate, candidate);
        assert_int_equal(group_names_set(arms, 2, 0, "program", &arena, NULL), 0);
        for (size_t k = 0; k < arms[1].groups.count; k++) {
            const bool is_matched = cases[i].names[0] != NULL;
            if (is_matched != !*candidate[k].problem)
                fail_msg("case %zu: '%s'", i, candidate[k].problem);
            if (is_matched && strcmp(candidate[k].config, cases[i].names[k]) != 0)
                fail_msg("case %zu: '%s', not '%s'", i, candidate[k].config, cases[i].names[k]);
            assert_string_equal(base[k].problem, "");
        }
        arena_release(&arena);
    }
}

TEST(work_that_a_process_lacks_is_told)
{
    static const struct sweep sweep = {{{"a", "8", "32"}, {"a", "4", "64"}}, {0}};
    struct sample_group groups[GROUPS];
    struct arm_groups arm;
    struct arena arena;
    arena_init(&arena);
    fill(&arm, "a", &sweep, groups);
    arm.processes = 2;
    groups[0].processes = 2;
    assert_int_equal(group_names_set(&arm, 1, 0, "program", &arena, NULL), 0);
    assert_string_equal(groups[0].problem, "");
    assert_string_equal(groups[1].problem, "1 of 2 processes of a launched this work");
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_work_has_one_name),
        cmocka_unit_test(work_that_a_process_lacks_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
