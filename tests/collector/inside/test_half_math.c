/* Which HFMA2 work on data? Words as ptxas 13.0 made them. */
#include <string.h>

#include "collector/runner/inside/half_math.h"
#include "tests/test.h"

TEST(constants_do_not_count)
{
    static const struct {
        uint64_t low, high;
        unsigned sm;
        size_t on_data;
        const char *text;
    } rows[] = {
        {0x00000005ff077435, 0x000fe200000001ff, 90, 0, "HFMA2.MMA R7, -RZ, RZ, 0, 2.98e-07"},
        {0x00000000ff097435, 0x000fe200000001ff, 90, 0, "HFMA2.MMA R9, -RZ, RZ, 0, 0"},
        {0x00000000ff007431, 0x000fe200000001ff, 100, 0, "HFMA2 R0, -RZ, RZ, 0, 0"},
        {0x00003e00ff007435, 0x000fe200000001ff, 80, 0, "HFMA2.MMA R0, -RZ, RZ, 0, 1.5"},
        {0x0000000502097235, 0x010fce0000200000, 90, 1, "HFMA2.MMA.BF16 R9, R2, R5, R0"},
        {0x4080408002077431, 0x008fca0000060000, 90, 1, "HFMA2 R7, R2, 1.5, 1.5, R0: it has an immediate, and data"},
        {0x000000120c0c7235, 0x024fc6000000000d, 90, 1, "HFMA2.MMA R12, R12, R18, R13"},
        {0x0000001b19197231, 0x008fe4000000000c, 90, 1, "HFMA2 R25, R25, R27, R12"},
        {0x0000000b00007235, 0x000fe200000001ff, 90, 1, "HFMA2.MMA R0, R0, R11, -RZ: a product"},
        {0x0000002002027835, 0x000fe20000000000, 90, 1, "HFMA2.MMA R2, R2, 0, 1.9e-06, R0"},
        {0x0000002002027835, 0x000fe20000000000, 120, 0, "another instruction of that number"},
        {0x0000000900047230, 0x000fe20000000000, 90, 0, "HADD2"},
        {0x0000000000007223, 0x000fe20000000000, 90, 0, "FFMA"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        unsigned char code[17] = {0}; /* the last byte is no instruction */
        memcpy(code, &rows[i].low, 8);
        memcpy(code + 8, &rows[i].high, 8);
        if (half_math_count(code, sizeof code, rows[i].sm) != rows[i].on_data)
            fail_msg("%s", rows[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(constants_do_not_count)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
