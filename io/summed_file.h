/* summed_file.h - a file whose bytes are summed as they are read: what was read and what the sum is of cannot differ.
 */
#ifndef CPPROF_SUMMED_FILE_H
#define CPPROF_SUMMED_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

/* Not to be copied or moved while it is open. */
struct summed_file {
    FILE *file; /* to be read from its start to its end; it cannot be seeked */
    int fd;
    uint64_t bytes; /* that were read, and their CRC-32 (base/checksum.h) */
    uint32_t crc32;
};

int summed_file_open(struct summed_file *s, const char *path, struct err *e);

/* Reads what is left. False: the file cannot be read to its end, and there is no sum. */
bool summed_file_finish(struct summed_file *s);

/* The sum stays. */
void summed_file_close(struct summed_file *s);

#endif
