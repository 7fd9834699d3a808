/* Does the dispatcher of all-reduces choose what its table says, at its thresholds and beside them? */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/allreduce.h"
#include "kernels/allreduce_dispatch.h"
#include "kernels/registry.h"

#define KIB ((uint64_t)1 << 10)
#define MIB ((uint64_t)1 << 20)

static void the_first_row_that_fits_decides(void **state)
{
    (void)state;
    static const struct {
        struct allreduce_message message; /* bytes, ranks, alignment */
        const char *kernel;
    } rows[] = {
        {{8 * KIB, 2, 16}, "1stage"},
        {{8 * KIB, 8, 16}, "1stage"},
        {{256 * KIB, 2, 16}, "1stage"}, /* at a limit: the row still has it */
        {{256 * KIB + 4, 2, 16}, "1stage-cpasync3"},
        {{4 * MIB, 2, 16}, "1stage-cpasync3"},
        {{8 * MIB, 2, 16}, "1stage-cpasync3"}, /* two ranks: twice as long */
        {{8 * MIB + 2, 2, 16}, "2stage-cpasync"},
        {{4 * MIB, 4, 16}, "1stage-cpasync3"},
        {{4 * MIB, 3, 16}, "1stage-cpasync3"},
        {{4 * MIB + 2, 3, 16}, "2stage-cpasync"},
        {{8 * MIB, 8, 16}, "2stage-cpasync"},
        {{64 * MIB, 2, 16}, "2stage-cpasync"},
        {{64 * MIB + 4, 2, 16}, "2stage"},
        {{512 * MIB, 8, 16}, "2stage"},
        {{1 * MIB, 2, 16}, "1stage-cpasync3"},
        /* not aligned for rings and parts: one shot, as wide as it goes */
        {{1 * MIB, 2, 8}, "1stage"},
        {{512 * MIB, 8, 4}, "1stage"},
        {{8 * KIB, 2, 8}, "1stage"},
        {{8 * KIB, 2, 2}, "1stage"}, /* no vector at all: value by value */
        {{64 * MIB, 2, 4}, "1stage"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        enum allreduce_kernel_id chosen = ALLREDUCE_KERNELS;
        assert_int_equal(allreduce_choose(&rows[i].message, i % 2 ? NULL : "", &chosen), 0);
        assert_string_equal(allreduce_kernel_name(chosen), rows[i].kernel);
    }
}

static void a_name_forces_and_an_unknown_one_is_an_error(void **state)
{
    (void)state;
    const struct allreduce_message small = {8 * KIB, 2, 16}, unaligned = {8 * KIB, 2, 8};
    enum allreduce_kernel_id chosen;
    for (enum allreduce_kernel_id id = 0; id < ALLREDUCE_KERNELS; id++) {
        assert_int_equal(allreduce_choose(&small, allreduce_kernel_name(id), &chosen), 0);
        assert_int_equal(chosen, id);
    }
    assert_int_equal(allreduce_choose(&unaligned, "2stage", &chosen), 0); /* value by value: what is forced is taken */
    assert_int_equal(chosen, ALLREDUCE_IS_2STAGE);
    static const char *const unknown[] = {"2Stage", "1stage ", "1stage-cpasync", "nccl", "dispatch"};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        chosen = ALLREDUCE_IS_2STAGE;
        assert_int_equal(allreduce_choose(&small, unknown[i], &chosen), -1);
        assert_int_equal(chosen, ALLREDUCE_IS_2STAGE);
    }
}

/* Of every message one dispatch-NAME is not refused, the one whose name is chosen; asked without a GPU. */
static void each_choice_has_a_variant_that_declares_it(void **state)
{
    (void)state;
    static const char *const declared[] = {"1stage", "1stage-cpasync3", "2stage", "2stage-cpasync"};
    static const int64_t sizes[] = {8 << 10, 256 << 10, 1 << 20, 8 << 20, 16 << 20, 64 << 20, 128 << 20};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        const struct cpprof_config config = {.value = {sizes[s], 2, 0, 0, 1, 4096, 64, 4}};
        const struct allreduce_message message = {(uint64_t)sizes[s], 2, 16};
        enum allreduce_kernel_id chosen;
        assert_int_equal(allreduce_choose(&message, NULL, &chosen), 0);
        size_t taken = 0;
        for (size_t i = 0; i < sizeof declared / sizeof declared[0]; i++) {
            char name[64] = "allreduce/dispatch-", why[160] = "";
            strcat(name, declared[i]);
            const struct cpprof_variant *v = variant_by_name(name);
            assert_non_null(v);
            if (v->refuse(&config, why, sizeof why)) {
                assert_non_null(strstr(why, allreduce_kernel_name(chosen)));
                continue;
            }
            assert_string_equal(declared[i], allreduce_kernel_name(chosen));
            taken++;
        }
        assert_int_equal(taken, 1);
    }
}

/* Left out with the reason, before anything is launched. */
static void messages_of_half_values_are_refused(void **state)
{
    (void)state;
    static const struct {
        struct cpprof_config config;
        int refused;
    } rows[] = {{{.value = {1001, 2, 0}}, 1}, {{.value = {1002, 2, 1}}, 0}, {{.value = {1002, 2, 0}}, 1}, {{.value = {1000, 2, 0, 2}}, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
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
        cmocka_unit_test(each_choice_has_a_variant_that_declares_it),
        cmocka_unit_test(messages_of_half_values_are_refused),
    };
    unsetenv("CPPROF_FORCE");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
