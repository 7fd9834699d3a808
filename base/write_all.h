/* write_all.h - all of these bytes to a file, whatever one call to write takes. */
#ifndef CPPROF_WRITE_ALL_H
#define CPPROF_WRITE_ALL_H

#include <stddef.h>

/* 0, or -1 with errno: some of the bytes may be written then. */
int write_all(int fd, const void *bytes, size_t count);

#endif
