/* export_tracks.h - in which line of the picture does an event stand?
 *
 * Viewers draw the events of one thread of one process in one line and leave
 * out, without a word, an event that overlaps another one and lies not wholly
 * inside it. So what overlaps (kernels of a graph on one stream, ranges of
 * NVTX that are no brackets) gets further lines. Memory grows with the number
 * of lines, not of events. */
#ifndef CPPROF_EXPORT_TRACKS_H
#define CPPROF_EXPORT_TRACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/base/key_table.h"
#include "core/base/str.h"
#include "cpprof/event.h"

struct export_track;

struct export_tracks { /* starts zeroed */
    struct key_table processes, keys;
    struct export_track *items; /* by id of keys */
    size_t count, capacity;
    uint32_t extra_lines; /* handed out so far */
};

struct export_place {
    uint32_t process; /* "pid": a device's ordinal, or a number for the host; every rank has its own */
    uint32_t thread;  /* "tid": the stream or the host thread; a number of its own for a further line */
    size_t line;      /* 0 for the first of a stream or thread */
    bool is_new_process, is_new_line;
};

/* Where the event goes. They come by start, and of those that start together the longest comes first. */
int export_tracks_place(struct export_tracks *t, const struct cpprof_event *event, struct export_place *out,
                        struct err *e);
void export_tracks_release(struct export_tracks *t);

/* Returns the process of an event, as in its place. */
uint32_t export_process_of(const struct cpprof_event *event);

/* Append the name of the process and of the line: "rank 3: GPU 0", "stream 7, line 2". */
void export_process_name(struct str *out, const struct cpprof_event *event);
void export_line_name(struct str *out, const struct cpprof_event *event, const struct export_place *place);

#endif
