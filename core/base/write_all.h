/* write_all.h - writes all bytes to a file, however few one call of write takes. */
#ifndef CPPROF_WRITE_ALL_H
#define CPPROF_WRITE_ALL_H

#include <stddef.h>

/* Returns 0, or -1 with errno; some of the bytes may have been written by then. */
int write_all(int fd, const void *bytes, size_t count);

#endif
