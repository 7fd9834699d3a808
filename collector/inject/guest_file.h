/* guest_file.h - writes a small file in a foreign process. */
#ifndef CPPROF_GUEST_FILE_H
#define CPPROF_GUEST_FILE_H

#include <stddef.h>

#include "core/base/err.h"

/* Writes a temporary file and renames it over `path`. Unlike files_write_atomic it does not change the process's umask
 * and does not wait for the disk, because the program is not ours. */
int guest_file_replace(const char *path, const char *bytes, size_t count, struct err *e);

/* In a program that has closed its standard input or output, a new file gets that number and then receives the
 * program's output. Returns the same file with a higher number and closes the lower one; -1 with errno. */
int guest_file_above_stdio(int fd);

#endif
