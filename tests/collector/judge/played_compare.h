/* played_compare.h - the kernels that draw inputs and compare outputs, on a device that is played: word for word, in
 * memory of the host. For one source of a test, which is linked with --wrap for these calls. PLAYED_COMPARE=blind: they
 * find nothing wrong. */
#ifndef CPPROF_PLAYED_COMPARE_H
#define CPPROF_PLAYED_COMPARE_H

#include <stdlib.h>

#include "collector/runner/judge/compare_device.h"
#include "collector/runner/judge/draw_device.h"

static uint64_t played_word(const void *bytes, uint64_t count, uint64_t word)
{
    uint64_t bits = 0;
    memcpy(&bits, (const char *)bytes + word * 8, count - word * 8 < 8 ? count - word * 8 : 8);
    return bits;
}

static int played_end(struct compare_found *found)
{
    const char *how = getenv("PLAYED_COMPARE");
    if (how && !strcmp(how, "blind"))
        *found = (struct compare_found){.first = UINT64_MAX, .hash = found->hash};
    return 0;
}

int __wrap_compare_output(const struct compare_rule *rule, const void *got, const double *expected, void *scratch,
                          struct compare_found *found, struct CUstream_st *stream);
int __wrap_compare_output(const struct compare_rule *rule, const void *got, const double *expected, void *scratch,
                          struct compare_found *found, struct CUstream_st *stream)
{
    const uint64_t bytes = rule->count * rule->value_bytes;
    (void)scratch, (void)stream;
    *found = (struct compare_found){.first = UINT64_MAX};
    for (uint64_t word = 0; word * 8 < bytes; word++)
        compare_word(rule, word, played_word(got, bytes, word), expected, found);
    return played_end(found);
}

int __wrap_compare_memory(const void *got, const void *expected, unsigned char repeated, size_t bytes, void *scratch,
                          struct compare_found *found, struct CUstream_st *stream);
int __wrap_compare_memory(const void *got, const void *expected, unsigned char repeated, size_t bytes, void *scratch,
                          struct compare_found *found, struct CUstream_st *stream)
{
    const uint64_t all = 0x0101010101010101u * repeated;
    (void)scratch, (void)stream;
    *found = (struct compare_found){.first = UINT64_MAX};
    for (uint64_t word = 0; word * 8 < bytes; word++)
        compare_bytes(word, played_word(got, bytes, word), expected ? played_word(expected, bytes, word) : all,
                      bytes - word * 8 < 8 ? (unsigned)(bytes - word * 8) : 8, found);
    return played_end(found);
}

int __wrap_draw_values(const struct cpprof_draw *draw, enum cpprof_type type, void *values, size_t count,
                       struct CUstream_st *stream);
int __wrap_draw_values(const struct cpprof_draw *draw, enum cpprof_type type, void *values, size_t count,
                       struct CUstream_st *stream)
{
    (void)stream;
    for (size_t i = 0; i < count; i++)
        cpprof_set_value(type, values, i, cpprof_drawn(draw, type, i, count));
    return 0;
}

/* It changes nothing. */
int __wrap_spread_values(const void *values, size_t bytes, struct CUstream_st *stream);
int __wrap_spread_values(const void *values, size_t bytes, struct CUstream_st *stream)
{
    (void)values, (void)bytes, (void)stream;
    return 0;
}

#endif
