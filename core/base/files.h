/* files.h - how are small files read whole, and written so that nobody reads half of one?
 *
 * Functions return 0 or a negative code with a message in `e`, unless their comment says otherwise. */
#ifndef CPPROF_FILES_H
#define CPPROF_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/base/err.h"
#include "core/base/str.h"

/* Appends the file's bytes to `out`; refuses one larger than `max_bytes`. */
int files_read(const char *path, size_t max_bytes, struct str *out, struct err *e);

/* Writes a temporary file in the same folder and renames it to `path`. Readers see the old content or the new. */
int files_write_atomic(const char *path, const char *bytes, size_t count, struct err *e);

/* Creates a file, or a folder, with a new name: appends a random suffix to `path`, as in "path.XXXXXX". Its permissions
 * are those that the umask leaves. Returns the descriptor of the file, 0 for a folder, or -1 with errno. */
int files_new_temporary(struct str *path, bool is_directory);

/* Copies a regular file to a new file, which is on disk when this returns. Refuses a target that exists and anything
 * that is not a regular file. */
int files_copy(const char *from, const char *to, struct err *e);

/* Reads up to `bytes` at `offset`; the file position neither matters nor changes. Returns how many bytes were read,
 * fewer only at the end of the file, or -1 with errno. */
ssize_t files_read_at(int fd, void *to, size_t bytes, uint64_t offset);

/* Returns the size and the CRC-32 (core/base/checksum.h) of all bytes of an open file; the file position does not
 * matter. Returns 0, or -1 with errno. */
int files_checksum_open(int fd, uint64_t *bytes, uint32_t *crc32);

/* Does the same for the regular file at `path`. */
int files_checksum(const char *path, uint64_t *bytes, uint32_t *crc32, struct err *e);

bool files_exists(const char *path);
bool files_is_directory(const char *path);
bool files_is_regular(const char *path);                   /* also a link to a regular file: reading it cannot block */
int files_sync_directory(const char *path, struct err *e); /* the names in it are on disk when this returns */
int files_make_directory(const char *path, struct err *e); /* makes parents too; an existing one is fine */
int files_remove_tree(const char *path, struct err *e);    /* a missing one is fine */

/* Returns the end of a path behind its folders. */
const char *files_name(const char *path);

/* Puts "directory/name" into `out`, which is cleared first, and returns its text. */
const char *files_join(struct str *out, const char *directory, const char *name);

/* Appends the folder of the running program, found through /proc/self/exe. */
int files_program_directory(struct str *out, struct err *e);

#endif
