/* bundle_shards.h - the traces in a run directory.
 *
 * Each is opened once. The comparison with the seal and all reading use that open file, even if another file takes its
 * name meanwhile. When there are more traces than a process may keep open, the others are opened for each use, and a
 * file that was changed or replaced in between is detected. */
#ifndef CPPROF_BUNDLE_SHARDS_H
#define CPPROF_BUNDLE_SHARDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "core/base/err.h"

struct bundle_shard {
    char *name;     /* "trace-12-0.bin", also of a packed one */
    bool is_packed; /* its file is "trace-12-0.bin.gz" (core/io/packed_file.h) */
    int fd;         /* -1: not kept open */
    int trouble;    /* errno of a failure to open it; 0 */
    bool is_summed;
    struct stat summed; /* its state just before it was summed */
};

struct bundle_shards {
    char *folder;
    struct bundle_shard *items; /* sorted by name */
    size_t count;
    int trouble; /* errno of a failure to list the folder; 0 */
};

/* Is it the name of a trace? */
bool bundle_shard_is(const char *name);
/* Is it the name of a file that holds one, packed or not? */
bool bundle_shard_is_file(const char *name);

/* Opens all traces of a folder. A shard or a folder that cannot be opened is not an error here: it is reported where it
 * is needed. Release even after an error. */
int bundle_shards_open(struct bundle_shards *out, const char *folder, struct err *e);
void bundle_shards_release(struct bundle_shards *s);

/* Returns the index of the shard with that name; `count` when there is none. */
size_t bundle_shards_find(const struct bundle_shards *s, const char *name);

/* Returns a descriptor of shard i for reading at any offset; -1 with errno when it cannot be read. A file that is not
 * regular could block its reader, so it is never opened: EINVAL. Give the descriptor back. */
int bundle_shards_borrow(const struct bundle_shards *s, size_t i);
void bundle_shards_give_back(const struct bundle_shards *s, size_t i, int fd);

/* Gives the size and CRC-32 of all bytes of shard i. Returns false when it cannot be read. */
bool bundle_shards_sum(struct bundle_shards *s, size_t i, uint64_t *bytes, uint32_t *crc32);

/* Is the borrowed file another one than the one that was summed, or was it changed since? */
bool bundle_shards_has_changed(const struct bundle_shards *s, size_t i, int fd);

/* Closes shard i; later uses open it again. */
void bundle_shards_close(struct bundle_shards *s, size_t i);

#endif
