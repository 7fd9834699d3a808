/* perfetto_tracks.h - the tracks of a device or host, and the slices that are open on them. */
#ifndef CPPROF_PERFETTO_TRACKS_H
#define CPPROF_PERFETTO_TRACKS_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/base/key_table.h"
#include "cpprof/event.h"
#include "reports/export/export_tracks.h"
#include "reports/export/perfetto_packets.h"

/* What a device shows comes in this order, its streams last. */
enum { PERFETTO_RANK_GAPS = 1, PERFETTO_RANK_BUSY = 2, PERFETTO_RANK_COPIES = 3, PERFETTO_RANK_LINES = 16 };

struct perfetto_line {
    uint64_t track;
    int64_t *items; /* ends of what is open, the innermost last */
    size_t count, capacity;
};

struct perfetto_tracks { /* zeroed but for the packets */
    struct perfetto_packets *packets;
    int64_t first_ns; /* where the trace begins */
    struct export_tracks places;
    struct key_table processes, keys; /* keys: process and thread of a place */
    struct {
        uint64_t *items; /* the track, by id of processes */
        size_t count, capacity;
    } process_tracks;
    struct perfetto_line *items; /* by id of keys */
    size_t count, capacity;
};

void perfetto_tracks_release(struct perfetto_tracks *t);

/* Where an event stands. */
struct perfetto_spot {
    uint64_t process; /* the track of its device or host */
    uint64_t track;
    bool is_further; /* it is not the first line of its stream or thread */
    int64_t end_ns;  /* of its slice: earlier than its own where the last line is full and it lies across another one */
};

/* Finds the place of an event, names it if it is new, and ends the slices there that end before the event begins.
 * Events come as export_in_order gives them. */
int perfetto_tracks_place(struct perfetto_tracks *t, const struct cpprof_event *event, struct perfetto_spot *out,
                          struct err *e);

/* Returns the track of a device that had an event; 0 when it had none. */
uint64_t perfetto_tracks_of_device(const struct perfetto_tracks *t, int rank, int device);

/* Ends everything that is open. */
int perfetto_tracks_end(struct perfetto_tracks *t, struct err *e);

#endif
