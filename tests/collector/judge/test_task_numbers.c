/* Are the numbers that tasks and the judge share right: 16-bit floats, inputs of each draw? */
#include <math.h>

#include "cpprof/task.h"
#include "kernels/verify.h"
#include "tests/test.h"

/* fp16 has 10 bits of fraction and a bias of 15, bf16 7 bits and a bias of 127. */
TEST(sixteen_bits_round_to_nearest_even)
{
    static const struct {
        double value;
        int exponent_bits;
        uint16_t bits;
        double back;
    } numbers[] = {
        {0, 5, 0x0000, 0},
        {1, 5, 0x3c00, 1},
        {-2, 5, 0xc000, -2},
        {1 + 0x1p-11, 5, 0x3c00, 1},                       /* half way: to even */
        {1 + 3 * 0x1p-11, 5, 0x3c02, 1 + 0x1p-9},          /* half way: to even, upwards */
        {2 - 0x1p-12, 5, 0x4000, 2},                       /* carries into the exponent */
        {65504, 5, 0x7bff, 65504},                         /* the largest */
        {65520, 5, 0x7c00, (double)INFINITY},              /* half way beyond it */
        {0x1p-24, 5, 0x0001, 0x1p-24},                     /* the smallest subnormal */
        {0x1p-26, 5, 0x0000, 0},                           /* below half of it */
        {0x1p-14 - 0x1p-24, 5, 0x03ff, 0x1p-14 - 0x1p-24}, /* the largest subnormal */
        {-(double)INFINITY, 5, 0xfc00, -(double)INFINITY}, /* */
        {1, 8, 0x3f80, 1},                                 /* */
        {3.0, 8, 0x4040, 3},                               /* */
        {1 + 0x1p-8, 8, 0x3f80, 1},                        /* half way: to even */
        {1e39, 8, 0x7f80, (double)INFINITY},               /* 3.39e38 is the largest */
    };
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        const uint16_t bits = cpprof_narrow(numbers[i].value, numbers[i].exponent_bits);
        const double back = cpprof_widen(bits, numbers[i].exponent_bits);
        if (bits != numbers[i].bits || back != numbers[i].back)
            fail_msg("%g became %04x, and %g again", numbers[i].value, bits, back);
    }
    assert_true(isnan(cpprof_widen(cpprof_narrow((double)NAN, 5), 5)));
}

/* All 65536 are the same after a way through double, but for the bits of what is no number. */
TEST(sixteen_bits_survive_a_round_trip)
{
    for (int exponent_bits = 5; exponent_bits <= 8; exponent_bits += 3)
        for (uint32_t bits = 0; bits < 65536; bits++) {
            const double value = cpprof_widen((uint16_t)bits, exponent_bits);
            if (!isnan(value))
                assert_int_equal(cpprof_narrow(value, exponent_bits), bits);
        }
}

TEST(values_are_kept_by_type)
{
    for (int type = 0; type < CPPROF_TYPES; type++) {
        double room[4] = {0};
        cpprof_set_value(type, room, 1, 5);
        assert_true(cpprof_value(type, room, 1) == 5 && cpprof_value(type, room, 0) == 0);
        assert_int_equal(cpprof_type_bytes(type), ((const size_t[]){4, 8, 2, 2, 4, 8, 1})[type]);
    }
}

/* As the built-in variants draw theirs. */
TEST(random_inputs_are_those_of_the_kernels)
{
    const struct cpprof_draw draw = {7, CPPROF_RANDOM};
    for (size_t i = 0; i < 1000; i++)
        assert_true((float)cpprof_drawn(&draw, CPPROF_F32, i, 1000) == random_value_f32(7, i));
}

TEST(structured_inputs_have_their_structure)
{
    enum { COUNT = 500 };
    double ones = 0;
    for (size_t i = 0; i < COUNT; i++) {
        const double constant = cpprof_drawn(&(struct cpprof_draw){3, CPPROF_CONSTANT}, CPPROF_F32, i, COUNT);
        const double sorted = cpprof_drawn(&(struct cpprof_draw){3, CPPROF_SORTED}, CPPROF_F32, i, COUNT);
        const double large = cpprof_drawn(&(struct cpprof_draw){3, CPPROF_LARGE}, CPPROF_F16, i, COUNT);
        const double small = cpprof_drawn(&(struct cpprof_draw){3, CPPROF_SUBNORMAL}, CPPROF_F32, i, COUNT);
        const double whole = cpprof_drawn(&(struct cpprof_draw){3, CPPROF_RANDOM}, CPPROF_I32, i, COUNT);
        assert_true(constant == cpprof_uniform(3, 0));
        assert_true(sorted > -1 && sorted < 1 && fabs(sorted - (2 * (i + 0.5) / COUNT - 1)) < 1e-12);
        assert_true(fabs(large) == 65504 / 4.0);
        assert_true(fabs(small) < 1.1754943508222875e-38);
        assert_true(whole >= 0 && whole <= 100 && whole == floor(whole));
        ones += cpprof_drawn(&(struct cpprof_draw){3, CPPROF_ONE_HOT}, CPPROF_F32, i, COUNT);
    }
    assert_true(ones == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sixteen_bits_round_to_nearest_even),
        cmocka_unit_test(sixteen_bits_survive_a_round_trip),
        cmocka_unit_test(values_are_kept_by_type),
        cmocka_unit_test(random_inputs_are_those_of_the_kernels),
        cmocka_unit_test(structured_inputs_have_their_structure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
