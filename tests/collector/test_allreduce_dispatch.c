/* Does the dispatcher of all-reduces choose what its table says, at its thresholds and beside them? */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/allreduce/allreduce.h"
#include "kernels/allreduce/allreduce_dispatch.h"
#include "kernels/registry.h"
#include "tests/test.h"

#define KIB ((uint64_t)1 << 10)
#define MIB ((uint64_t)1 << 20)

TEST(the_first_row_that_fits_decides)
{
    static const struct {
        struct allreduce_message message; /* bytes, ranks, alignment, is_9 */
        const char *kernel;
    } rows[] = {
        {{8 * KIB, 2, 16, 0}, "1stage"},
        {{8 * KIB, 8, 16, 0}, "1stage"},
        {{256 * KIB, 2, 16, 0}, "1stage"}, /* at a limit: the row still has it */
        {{256 * KIB + 4, 2, 16, 0}, "1stage-cpasync3"},
        {{4 * MIB, 2, 16, 0}, "1stage-cpasync3"},
        {{8 * MIB, 2, 16, 0}, "1stage-cpasync3"}, /* two ranks: twice as long */
        {{8 * MIB + 2, 2, 16, 0}, "2stage-cpasync"},
        {{4 * MIB, 4, 16, 0}, "1stage-cpasync3"},
        {{4 * MIB, 3, 16, 0}, "1stage-cpasync3"},
        {{4 * MIB + 2, 3, 16, 0}, "2stage-cpasync"},
        {{8 * MIB, 8, 16, 0}, "2stage-cpasync"},
        {{64 * MIB, 2, 16, 0}, "2stage-cpasync"},
        {{64 * MIB + 4, 2, 16, 0}, "2stage"},
        {{512 * MIB, 8, 16, 0}, "2stage"},
        {{1 * MIB, 2, 16, 0}, "1stage-cpasync3"},
        /* not aligned for rings and parts: one shot, as wide as it goes */
        {{1 * MIB, 2, 8, 0}, "1stage"},
        {{512 * MIB, 8, 4, 0}, "1stage"},
        {{8 * KIB, 2, 8, 0}, "1stage"},
        {{8 * KIB, 2, 2, 0}, "1stage"}, /* no vector at all: value by value */
        {{64 * MIB, 2, 4, 0}, "1stage"},
        /* compute capability 9.0 */
        {{8 * KIB, 2, 16, 1}, "1stage-ll"},
        {{128 * KIB, 2, 16, 1}, "1stage-ll"},
        {{128 * KIB + 2, 2, 16, 1}, "1stage-push"},
        {{4 * MIB, 2, 16, 1}, "1stage-push"},
        {{4 * MIB + 2, 2, 16, 1}, "2stage-send"},
        {{512 * MIB, 2, 16, 1}, "2stage-send"},
        {{8 * KIB, 4, 16, 1}, "1stage-push"},
        {{256 * KIB, 4, 16, 1}, "1stage-push"},
        {{256 * KIB + 2, 3, 16, 1}, "2stage-push"},
        {{128 * KIB, 8, 16, 1}, "1stage-push"},
        {{128 * KIB + 2, 8, 16, 1}, "2stage-push"},
        {{4 * MIB, 4, 16, 1}, "2stage-push"},
        {{4 * MIB + 2, 3, 16, 1}, "2stage-send"},
        {{512 * MIB, 8, 16, 1}, "2stage-send"},
        {{8 * KIB, 2, 8, 1}, "1stage"},
        {{64 * MIB, 2, 2, 1}, "1stage"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        enum allreduce_kernel_id chosen = ALLREDUCE_KERNELS;
        assert_int_equal(allreduce_choose(&rows[i].message, i % 2 ? NULL : "", &chosen), 0);
        assert_string_equal(allreduce_kernel_name(chosen), rows[i].kernel);
    }
}

TEST(a_name_forces_and_an_unknown_one_is_an_error)
{
    const struct allreduce_message small = {8 * KIB, 2, 16, 0}, unaligned = {8 * KIB, 2, 8, 1};
    enum allreduce_kernel_id chosen;
    for (enum allreduce_kernel_id id = 0; id < ALLREDUCE_KERNELS; id++) {
        assert_int_equal(allreduce_choose(&small, allreduce_kernel_name(id), &chosen), 0);
        assert_int_equal(chosen, id);
    }
    assert_int_equal(allreduce_choose(&unaligned, "2stage", &chosen), 0); /* value by value: what is forced is taken */
    assert_int_equal(chosen, ALLREDUCE_IS_2STAGE);
    static const char *const unknown[] = {"2Stage", "1stage ", "1stage-cpasync", "nccl", "dispatch"};
    for (size_t i = 0; i < COUNT_OF(unknown); i++) {
        chosen = ALLREDUCE_IS_2STAGE;
        assert_int_equal(allreduce_choose(&small, unknown[i], &chosen), -1);
        assert_int_equal(chosen, ALLREDUCE_IS_2STAGE);
    }
}

static struct cpprof_declaration declared_by(const char *name, int64_t bytes, int64_t ranks, int64_t offset)
{
    const struct cpprof_config config = {.value = {bytes, ranks, 0, offset, 1, 4096, 64, 4}};
    const struct cpprof_variant *v = variant_by_name(name);
    struct cpprof_declaration declared;
    assert_non_null(v);
    cpprof_variant_declare(v, &config, &declared);
    return declared;
}

/* What it is to be found by is what the variant of the chosen kernel says of itself at that message. */
TEST(the_choice_is_declared_for_each_message)
{
    static const struct {
        int64_t bytes, ranks, offset;
        const char *forced, *kernel, *chosen;
    } rows[] = {
        {8 << 10, 2, 0, NULL, "1stage", "1stage, chosen for 8 KiB on 2 ranks"},
        {1 << 20, 2, 0, NULL, "1stage-cpasync3", "1stage-cpasync3, chosen for 1 MiB on 2 ranks"},
        {1048580, 4, 0, NULL, "1stage-cpasync3", "1stage-cpasync3, chosen for 1048580 bytes on 4 ranks"},
        {16 << 20, 2, 0, NULL, "2stage-cpasync", "2stage-cpasync, chosen for 16 MiB on 2 ranks"},
        {128 << 20, 8, 0, NULL, "2stage", "2stage, chosen for 128 MiB on 8 ranks"},
        {1 << 20, 2, 8, NULL, "1stage", "1stage, chosen for 1 MiB on 2 ranks, not aligned to 16 bytes"},
        {1 << 20, 2, 0, "1stage-cpasync2", "1stage-cpasync2",
         "1stage-cpasync2, forced by CPPROF_FORCE for 1 MiB on 2 ranks"},
        {1 << 20, 2, 0, "1stage-cpasync4", "1stage-cpasync4",
         "1stage-cpasync4, forced by CPPROF_FORCE for 1 MiB on 2 ranks"},
        {1 << 20, 2, 8, "2stage-cpasync", "2stage-cpasync",
         "2stage-cpasync, forced by CPPROF_FORCE for 1 MiB on 2 ranks, not aligned to 16 bytes"},
        {12, 2, 0, "1stage-tma", "1stage-tma", "1stage-tma, forced by CPPROF_FORCE for 12 bytes on 2 ranks"},
        {12, 2, 0, "1stage-pdl", "1stage-pdl", "1stage-pdl, forced by CPPROF_FORCE for 12 bytes on 2 ranks"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char name[64];
        snprintf(name, sizeof name, "allreduce/%s", rows[i].kernel);
        if (rows[i].forced)
            setenv("CPPROF_FORCE", rows[i].forced, 1);
        const struct cpprof_declaration got =
            declared_by("allreduce/dispatch", rows[i].bytes, rows[i].ranks, rows[i].offset);
        const struct cpprof_declaration own = declared_by(name, rows[i].bytes, rows[i].ranks, rows[i].offset);
        unsetenv("CPPROF_FORCE");
        assert_string_equal(got.kernel_pattern, own.kernel_pattern);
        assert_int_equal(got.expect_count, 1);
        assert_string_equal(got.expect[0].metric, own.expect[0].metric);
        assert_true(got.expect[0].min == own.expect[0].min && got.expect[0].max == own.expect[0].max);
        assert_string_equal(got.chosen, rows[i].chosen);
        assert_string_equal(own.chosen, "");
    }
}

/* A name that is none is an error of setup: until then all kernels are possible. */
TEST(what_cannot_be_chosen_is_not_declared)
{
    setenv("CPPROF_FORCE", "3stage", 1);
    const struct cpprof_declaration got = declared_by("allreduce/dispatch", 1 << 20, 2, 0);
    unsetenv("CPPROF_FORCE");
    assert_string_equal(got.kernel_pattern, variant_by_name("allreduce/dispatch")->kernel_pattern);
    assert_string_equal(got.chosen, "");
}

/* A ring copies vectors of 16 bytes: of a message without one it copies nothing, and that is as it should be. */
TEST(rings_expect_copies_where_there_is_something_to_copy)
{
    static const char *const rings[] = {"1stage-cpasync2", "1stage-cpasync3", "1stage-cpasync4", "2stage-cpasync"};
    static const struct {
        int64_t bytes, offset;
        int copies;
    } rows[] = {{1 << 20, 0, 1}, {16, 0, 1}, {20, 16, 1}, {12, 0, 0}, {1 << 20, 8, 0}, {70004, 4, 0}};
    for (size_t i = 0; i < COUNT_OF(rings); i++)
        for (size_t r = 0; r < COUNT_OF(rows); r++) {
            char name[64];
            snprintf(name, sizeof name, "allreduce/%s", rings[i]);
            const struct cpprof_declaration got = declared_by(name, rows[r].bytes, 2, rows[r].offset);
            assert_int_equal(got.expect_count, 1);
            assert_true(got.expect[0].min == rows[r].copies);
            assert_true(rows[r].copies ? isinf(got.expect[0].max) : got.expect[0].max == 0);
        }
}

/* Here there are fewer GPUs than ranks. */
TEST(ranks_that_share_a_gpu_are_no_verdict)
{
    static const char *const variants[] = {"naive",       "1stage",         "1stage-cpasync3", "1stage-tma",
                                           "1stage-pdl",  "1stage-push",    "1stage-ll",       "2stage",
                                           "2stage-push", "2stage-cpasync", "dispatch"};
    for (size_t i = 0; i < COUNT_OF(variants); i++) {
        char name[64];
        snprintf(name, sizeof name, "allreduce/%s", variants[i]);
        const struct cpprof_declaration got = declared_by(name, 1 << 20, 8, 0);
        assert_non_null(strstr(got.no_verdict, "all 8 ranks share one GPU"));
    }
}

/* Left out with the reason, before anything is launched. */
TEST(messages_of_half_values_are_refused)
{
    static const struct {
        struct cpprof_config config;
        int refused;
    } rows[] = {{{.value = {1001, 2, 0}}, 1},
                {{.value = {1002, 2, 1}}, 0},
                {{.value = {1002, 2, 0}}, 1},
                {{.value = {1000, 2, 0, 2}}, 1}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char why[160] = "";
        assert_int_equal(allreduce_refuse_size(&rows[i].config, why, sizeof why), rows[i].refused);
        assert_int_equal(!!strstr(why, "whole values of"), rows[i].refused);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_row_that_fits_decides),
        cmocka_unit_test(a_name_forces_and_an_unknown_one_is_an_error),
        cmocka_unit_test(the_choice_is_declared_for_each_message),
        cmocka_unit_test(what_cannot_be_chosen_is_not_declared),
        cmocka_unit_test(rings_expect_copies_where_there_is_something_to_copy),
        cmocka_unit_test(ranks_that_share_a_gpu_are_no_verdict),
        cmocka_unit_test(messages_of_half_values_are_refused),
    };
    unsetenv("CPPROF_FORCE");
    setenv("CUDA_VISIBLE_DEVICES", "", 1); /* ranks share what is not there, on any machine */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
