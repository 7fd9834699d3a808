/* summed_file.h - computes a file's checksum while it is read, so the checksum belongs to exactly the bytes that were
 * read. */
#ifndef CPPROF_SUMMED_FILE_H
#define CPPROF_SUMMED_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/base/caveat.h"
#include "core/base/err.h"

/* It must not be copied or moved while it is open. */
struct summed_file {
    FILE *file; /* must be read from start to end; it cannot be seeked */
    int fd;
    uint64_t bytes; /* bytes that were read, and their CRC-32 (core/base/checksum.h) */
    uint32_t crc32;
};

/* Opens a file that may be packed (core/io/packed_file.h); the sum is that of its content. */
int summed_file_open(struct summed_file *s, const char *path, struct caveat_list *caveats, struct err *e);

/* Reads the rest of the file. Returns false when the file cannot be read to its end; then there is no sum. */
bool summed_file_finish(struct summed_file *s);

/* Closes the file. `bytes` and `crc32` stay. */
void summed_file_close(struct summed_file *s);

#endif
