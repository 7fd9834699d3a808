/* chrome_tracks.h - in which line of the picture does an event stand?
 *
 * Viewers draw the events of one thread of one process in one line and leave
 * out, without a word, an event that overlaps another one and lies not wholly
 * inside it. So what overlaps (kernels of a graph on one stream, ranges of
 * NVTX that are no brackets) gets further lines. Memory grows with the number
 * of lines, not of events. */
#ifndef CPPROF_CHROME_TRACKS_H
#define CPPROF_CHROME_TRACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/key_table.h"
#include "cpprof/event.h"

struct chrome_track;

struct chrome_tracks { /* starts zeroed */
    struct key_table processes, keys;
    struct chrome_track *items; /* by id of keys */
    size_t count, capacity;
    uint32_t extra_lines; /* handed out so far */
};

struct chrome_place {
    uint32_t process; /* "pid": a device's ordinal, or a number for the host; every rank has its own */
    uint32_t thread;  /* "tid": the stream or the host thread; a number of its own for a further line */
    size_t line;      /* 0 for the first of a stream or thread */
    bool is_new_process, is_new_line;
};

/* Where the event goes. They come by start, and of those that start together the longest comes first. */
int chrome_tracks_place(struct chrome_tracks *t, const struct cpprof_event *event, struct chrome_place *out,
                        struct err *e);
void chrome_tracks_release(struct chrome_tracks *t);

/* Is this the number of the host's side of a rank, and not of a device? */
bool chrome_process_is_host(uint32_t process);

#endif
