/* shard_writer.h - appends events to a trace shard (include/cpprof/shard.h).
 *
 * Not thread-safe: one thread writes a shard. Events and strings gather in memory. A flush appends them as checksummed
 * chunks, each with one write, so flushed events survive a crash of the process. It uses neither CUDA nor stdio. */
#ifndef CPPROF_SHARD_WRITER_H
#define CPPROF_SHARD_WRITER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/base/err.h"
#include "core/base/strtab.h"
#include "cpprof/event.h"
#include "cpprof/shard.h"

enum { SHARD_KINDS = 9 }; /* event kinds, 0 for unknown */

/* The most memory that names take. Each costs 80 bytes besides its text, so there are at most 209,715. Labels may fill
 * three quarters; the rest is for the names of kernels and calls. */
enum { SHARD_NAME_BYTES_MAX = 16 * 1024 * 1024, SHARD_LABEL_BYTES_MAX = SHARD_NAME_BYTES_MAX / 4 * 3 };

/* The text that replaces every name for which there was no room. */
#define SHARD_NAME_LEFT_OUT "(too many names)"

struct shard_writer {
    int fd;
    dev_t device; /* device and inode of the file: does fd still refer to it? */
    ino_t inode;
    struct strtab strings;
    uint32_t strings_written; /* ids up to this one are in the file */
    struct cpprof_event *items;
    size_t count;
    size_t capacity;
    uint64_t dropped[SHARD_KINDS];         /* events so far */
    uint64_t dropped_written[SHARD_KINDS]; /* of those, how many the file already states */
    struct cpprof_name_row *names;         /* not in the file yet */
    size_t name_count;
    size_t name_capacity;
    uint64_t names_left_out;         /* how often a text found no room among the names */
    uint64_t names_left_out_written; /* of those, how many the file already states */
    uint64_t launches, works;        /* events added: calls that launch; kernels, copies and memsets */
    uint64_t written_events;
    uint64_t written_bytes;
};

/* Creates the file and fails if it exists. `start_ns` is the current time on the clock of the events. */
int shard_writer_open(struct shard_writer *w, const char *path, int32_t rank, int64_t start_ns, struct err *e);

/* Returns the id of a name in this shard; 0 when memory is out. A new name that finds no room is counted and gets the
 * id of SHARD_NAME_LEFT_OUT. */
uint32_t shard_writer_string(struct shard_writer *w, const char *text);

/* Does the same for a text that the program makes up, such as the name of a range or stream: there may be any number of
 * them. */
uint32_t shard_writer_label(struct shard_writer *w, const char *text);

/* Queues a copy of the event. Flushes when many have gathered, and returns an error of that flush. */
int shard_writer_add(struct shard_writer *w, const struct cpprof_event *event, struct err *e);

/* Counts events of a kind that were lost. */
void shard_writer_dropped(struct shard_writer *w, unsigned kind, uint64_t count);

/* Queues the name of a stream, thread, device or context. */
int shard_writer_name(struct shard_writer *w, const struct cpprof_name_row *row, struct err *e);

/* Appends a whole chunk of samples (struct cpprof_samples), at once. */
int shard_writer_samples(struct shard_writer *w, void *payload, size_t bytes, struct err *e);

/* Appends all that has gathered. Events that do not fit on the disk are counted as dropped, and the file is cut to its
 * last complete chunk, so the next flush may succeed. */
int shard_writer_flush(struct shard_writer *w, struct err *e);

/* Flushes, writes the dropped counts and the end chunk, closes the file and releases memory. The counts of what was
 * written, dropped and left out stay in the struct. */
int shard_writer_close(struct shard_writer *w, struct err *e);

#endif
