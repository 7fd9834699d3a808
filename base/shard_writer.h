/* shard_writer.h - appends events to a trace shard (include/cpprof/shard.h).
 *
 * Not thread-safe: one thread writes a shard. Events and strings gather in
 * memory; a flush appends them as checksummed chunks, each with one write, so
 * that what was flushed survives the process. No CUDA, no stdio. */
#ifndef CPPROF_SHARD_WRITER_H
#define CPPROF_SHARD_WRITER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/strtab.h"
#include "cpprof/event.h"
#include "cpprof/shard.h"

enum { SHARD_KINDS = 9 }; /* event kinds, 0 for unknown */

/* Most that names take in memory, each with 80 bytes beside its text: at most 209,715 of them. Labels leave a quarter
 * of it to kernels and calls. */
enum { SHARD_NAME_BYTES_MAX = 16 * 1024 * 1024, SHARD_LABEL_BYTES_MAX = SHARD_NAME_BYTES_MAX / 4 * 3 };

/* What every name is called for which there was no room. */
#define SHARD_NAME_LEFT_OUT "(too many names)"

struct shard_writer {
    int fd;
    dev_t device; /* of the file, with its inode: is it still the one under this number? */
    ino_t inode;
    struct strtab strings;
    uint32_t strings_written; /* ids up to this one are in the file */
    struct cpprof_event *items;
    size_t count;
    size_t capacity;
    uint64_t dropped[SHARD_KINDS];         /* so far */
    uint64_t dropped_written[SHARD_KINDS]; /* of these the file tells */
    struct cpprof_name_row *names;         /* not yet in the file */
    size_t name_count;
    size_t name_capacity;
    uint64_t names_left_out;         /* times that a text had no room among the names */
    uint64_t names_left_out_written; /* of these the file tells */
    uint64_t written_events;
    uint64_t written_bytes;
};

/* Creates the file; one that exists already is an error, never overwritten.
 * `start_ns` is the events' clock now. */
int shard_writer_open(struct shard_writer *w, const char *path, int32_t rank, int64_t start_ns, struct err *e);

/* The id of a name in this shard; 0 when memory is out. A new one that finds no
 * room is left out: counted, and given the id of SHARD_NAME_LEFT_OUT. */
uint32_t shard_writer_string(struct shard_writer *w, const char *text);

/* The same for a text that a program makes up, perhaps without end: of a range, of a stream. */
uint32_t shard_writer_label(struct shard_writer *w, const char *text);

/* Queues a copy of the event; flushes by itself when many have gathered, and an
 * error is that flush's. */
int shard_writer_add(struct shard_writer *w, const struct cpprof_event *event, struct err *e);

void shard_writer_dropped(struct shard_writer *w, unsigned kind, uint64_t count);

/* What a stream, thread, device or context is called. */
int shard_writer_name(struct shard_writer *w, const struct cpprof_name_row *row, struct err *e);

/* Appends what has gathered. What does not fit on the disk is counted as dropped
 * and the file ends with its last whole chunk: the next flush may succeed again. */
int shard_writer_flush(struct shard_writer *w, struct err *e);

/* Flushes, writes dropped counts and the end chunk, closes, releases. What was
 * written, dropped and left out can still be read from the struct. */
int shard_writer_close(struct shard_writer *w, struct err *e);

#endif
