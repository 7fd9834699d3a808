/* fuzz.h - what the harnesses share: one input, given as libFuzzer gives it. */
#ifndef CPPROF_FUZZ_H
#define CPPROF_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/trace/readers/reader.h"

#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);                             \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

/* In each harness. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Takes the first byte of an input; 0 when it is empty. */
static inline uint8_t fuzz_take(const uint8_t **data, size_t *size)
{
    if (!*size)
        return 0;
    --*size;
    return *(*data)++;
}

/* A file with these bytes, at its start. */
FILE *fuzz_file(const uint8_t *data, size_t size);

/* Lets the reader read the bytes as a file, then reads its events back; ends the
 * program when what it says of itself does not hold. */
void fuzz_reader(const struct reader *reader, const uint8_t *data, size_t size);

#endif
