/* bundle_shards.h - the traces in a run directory. Each is opened once: whether it is what was sealed, whose it is and
 * what is in it is read from there, whatever takes its name meanwhile. Where there are more of them than a process may
 * keep open, the others are opened for each use; what was written to or replaced in between is noticed. */
#ifndef CPPROF_BUNDLE_SHARDS_H
#define CPPROF_BUNDLE_SHARDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/err.h"

struct bundle_shard {
    char *name;  /* "trace-12-0.bin" */
    int fd;      /* -1: not kept open */
    int trouble; /* the errno that says why it cannot be opened; 0 */
    bool is_summed;
    struct stat summed; /* as it was just before */
};

struct bundle_shards {
    char *folder;
    struct bundle_shard *items; /* in the order of their names */
    size_t count;
    int trouble; /* the errno of a folder that cannot be listed; 0 */
};

/* Is that the name of a trace? */
bool bundle_shard_is(const char *name);

/* A shard or a folder that cannot be opened is no error: those who need it say so. Release even after an error. */
int bundle_shards_open(struct bundle_shards *out, const char *folder, struct err *e);
void bundle_shards_release(struct bundle_shards *s);

/* The place of the one of that name; `count` when there is none. */
size_t bundle_shards_find(const struct bundle_shards *s, const char *name);

/* A descriptor of shard i, to read at any place of it: -1 with errno when it cannot be read. What is no regular file
 * could block its reader: it is never opened, EINVAL. Give it back. */
int bundle_shards_borrow(const struct bundle_shards *s, size_t i);
void bundle_shards_give_back(const struct bundle_shards *s, size_t i, int fd);

/* Size and CRC-32 of all bytes of shard i. False when it cannot be read. */
bool bundle_shards_sum(struct bundle_shards *s, size_t i, uint64_t *bytes, uint32_t *crc32);

/* Is what was borrowed another file than the one that was summed, or was it written to since? */
bool bundle_shards_has_changed(const struct bundle_shards *s, size_t i, int fd);

/* Keeps shard i open no longer. */
void bundle_shards_close(struct bundle_shards *s, size_t i);

#endif
