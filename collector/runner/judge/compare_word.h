/* compare_word.h - compares eight bytes of an output with their references, and hashes them. The kernel of
 * compare_device.cu does this for each word; a device that is played by the host does the same. */
#ifndef CPPROF_COMPARE_WORD_H
#define CPPROF_COMPARE_WORD_H

#include <stdint.h>

#include "cpprof/task.h"

#ifdef __CUDACC__
#include <cuda_fp16.h>
#define COMPARE_BOTH static __host__ __device__ inline
#else
#define COMPARE_BOTH static inline
#endif

/* How one output is compared. */
struct compare_rule {
    enum cpprof_type type;
    unsigned value_bytes; /* of that type */
    unsigned char poison; /* each byte of a value that was not written */
    uint64_t count;       /* values */
    double absolute, relative;
};

struct compare_found {
    uint64_t bad, unwritten; /* values, or bytes */
    uint64_t first;          /* the lowest index of these; UINT64_MAX: there is none */
    uint64_t error_bits;     /* of the largest error, a double that is not negative */
    uint64_t hash;           /* of the output's bits, as that of a verification */
};

COMPARE_BOTH double compare_value_of(enum cpprof_type type, uint64_t bits)
{
#ifdef __CUDA_ARCH__
    switch (type) {
    case CPPROF_F32: return __uint_as_float((unsigned)bits);
    case CPPROF_F64: return __longlong_as_double((long long)bits);
    case CPPROF_F16: return __half2float(__ushort_as_half((unsigned short)bits));
    case CPPROF_BF16: return __uint_as_float((unsigned)bits << 16);
    case CPPROF_I32: return (int)bits;
    case CPPROF_I64: return (double)(long long)bits;
    default: return (double)bits;
    }
#else
    return cpprof_value(type, &bits, 0); /* the lowest byte comes first */
#endif
}

/* Without a fused multiplication and addition, which the host does not use either. */
COMPARE_BOTH double compare_allowed(const struct compare_rule *rule, double expected)
{
#ifdef __CUDA_ARCH__
    return __dadd_rn(rule->absolute, __dmul_rn(rule->relative, fabs(expected)));
#else
    return rule->absolute + rule->relative * fabs(expected);
#endif
}

/* Positive numbers are in the order of their bits. */
COMPARE_BOTH uint64_t compare_bits_of(double error)
{
#ifdef __CUDA_ARCH__
    return (uint64_t)__double_as_longlong(error);
#else
    uint64_t bits;
    memcpy(&bits, &error, sizeof bits);
    return bits;
#endif
}

COMPARE_BOTH void compare_value(const struct compare_rule *rule, double got, double expected, int is_unwritten,
                                uint64_t index, struct compare_found *found)
{
    const double largest = 1.7976931348623157e308, error = fabs(got - expected);
    const int both_are_nan = got != got && expected != expected, is_equal = got == expected;
    const int is_infinite = fabs(expected) > largest;
    if (!is_equal && !both_are_nan) {
        const uint64_t bits = compare_bits_of(error != error ? 2 * largest : error);
        found->error_bits = bits > found->error_bits ? bits : found->error_bits;
    }
    if (is_infinite ? is_equal : is_equal || both_are_nan || error <= compare_allowed(rule, expected))
        return;
    found->bad++;
    found->unwritten += (uint64_t)is_unwritten;
    found->first = index < found->first ? index : found->first;
}

/* `word` are the bytes from word * 8 on, zeros behind the end of the output. */
COMPARE_BOTH void compare_word(const struct compare_rule *rule, uint64_t word, uint64_t bits, const double *expected,
                               struct compare_found *found)
{
    const unsigned size = rule->value_bytes, width = 8 * size;
    const uint64_t mask = size == 8 ? ~(uint64_t)0 : ((uint64_t)1 << width) - 1;
    const uint64_t poison = mask & (0x0101010101010101u * rule->poison), first = word * 8 / size;
    for (unsigned i = 0; i < 8 / size && first + i < rule->count; i++) {
        const uint64_t one = bits >> (width * i) & mask;
        compare_value(rule, compare_value_of(rule->type, one), expected[first + i], one == poison, first + i, found);
    }
    found->hash += cpprof_bits(bits, word * 8);
}

/* Is the byte the one that is expected, for each of `count` bytes of a word? */
COMPARE_BOTH void compare_bytes(uint64_t word, uint64_t bits, uint64_t expected, unsigned count,
                                struct compare_found *found)
{
    const uint64_t differs = (bits ^ expected) & (count == 8 ? ~(uint64_t)0 : ((uint64_t)1 << 8 * count) - 1);
    for (unsigned i = 0; differs && i < count; i++)
        if (differs >> 8 * i & 0xff) {
            found->bad++;
            found->first = word * 8 + i < found->first ? word * 8 + i : found->first;
        }
}

#endif
