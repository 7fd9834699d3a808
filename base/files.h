/* files.h - reading whole small files, writing them so that nobody sees half. */
#ifndef CPPROF_FILES_H
#define CPPROF_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/str.h"

/* Appends the file's bytes to `out`; refuses one larger than `max_bytes`. */
int files_read(const char *path, size_t max_bytes, struct str *out, struct err *e);

/* Writes beside the target and renames over it: readers see old or new. */
int files_write_atomic(const char *path, const char *bytes, size_t count, struct err *e);

/* Makes a file, or a folder, of a name of its own beside `path`: "path.XXXXXX", appended to `path`. The permissions are
 * those of any new one. The descriptor of the file, 0 for a folder, or -1 with errno. */
int files_new_temporary(struct str *path, bool is_directory);

/* A new file with the same bytes, on disk when this returns; refuses a target that exists, and what is no regular file.
 */
int files_copy(const char *from, const char *to, struct err *e);

/* Reads at a place of the file, whatever it was read to before: `bytes`, fewer
 * only where the file ends, -1 with errno when it cannot be read. */
ssize_t files_read_at(int fd, void *to, size_t bytes, uint64_t offset);

/* Size and CRC-32 (base/checksum.h) of all bytes of an open file, wherever it was read to before. 0, or -1 with errno.
 */
int files_checksum_open(int fd, uint64_t *bytes, uint32_t *crc32);

/* The same of the regular file of that name. */
int files_checksum(const char *path, uint64_t *bytes, uint32_t *crc32, struct err *e);

bool files_exists(const char *path);
bool files_is_directory(const char *path);
bool files_is_regular(const char *path);                   /* or a link to such a file: reading it cannot block */
int files_sync_directory(const char *path, struct err *e); /* the names in it are on disk when this returns */
int files_make_directory(const char *path, struct err *e); /* parents too; an existing one is fine */
int files_remove_tree(const char *path, struct err *e);    /* a missing one is fine */

/* "directory/name" into `out` (cleared first); returns its text. */
const char *files_join(struct str *out, const char *directory, const char *name);

/* The folder that holds the running program, found through /proc/self/exe. */
int files_program_directory(struct str *out, struct err *e);

#endif
