/* guest_file.h - writing a small file in somebody else's process. */
#ifndef CPPROF_GUEST_FILE_H
#define CPPROF_GUEST_FILE_H

#include <stddef.h>

#include "base/err.h"

/* Beside the file and renamed over it. Unlike files_write_atomic it touches
 * neither the process's umask nor waits for the disk: the program is not ours. */
int guest_file_replace(const char *path, const char *bytes, size_t count, struct err *e);

/* In a program that has closed its standard input or output a new file takes that number, and what the program prints.
 * The same file under a higher number, the lower one closed; -1 with errno. */
int guest_file_above_stdio(int fd);

#endif
