/* serial_lanes.h - which work of a stream lasts across later kernels of that stream?
 *
 * Work of one stream runs one after the other. With programmatic dependent launch a kernel may begin before the one in
 * front of it ends; it does not also end there, let alone several. */
#ifndef CPPROF_SERIAL_LANES_H
#define CPPROF_SERIAL_LANES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/array.h"
#include "core/base/err.h"
#include "core/base/key_table.h"
#include "cpprof/event.h"

enum {
    LANE_KERNELS_MANY = 2, /* as many kernels within one that came before them are too many */
    LANE_OPEN_MAX = 16,    /* work of a stream that is remembered at once: the longest */
    LANES_MAX = 1 << 18,
    LANE_FOUND_MAX = 1 << 20
};

struct lane_work {
    struct cpprof_event event;
    int64_t place; /* among all events */
    int64_t inside;
};

struct serial_lane {
    ARRAY_OF(struct lane_work) open;
    int64_t kernels, found;
    bool is_doubtful; /* some of its work has a false time, so that of the rest may be false, too */
};

/* Work that lasts across others. */
struct lane_found {
    struct lane_work work;
    uint32_t lane;
};

struct serial_lanes { /* starts zeroed */
    struct key_table places, contexts, streams;
    ARRAY_OF(struct serial_lane) lanes;
    ARRAY_OF(struct lane_found) found;
    int64_t time_error_ns;
    bool is_full; /* work of some streams, or some that was found, is not kept */
};

void serial_lanes_release(struct serial_lanes *l);

/* Takes finished events in the order of their starts; what is no work of a stream is ignored. */
int serial_lanes_add(struct serial_lanes *l, const struct cpprof_event *event, int64_t place, struct err *e);
int serial_lanes_finish(struct serial_lanes *l, struct err *e);

/* Behind the end: a stream in which a time is false may have more of them, which nobody can tell. */
int serial_lanes_doubt(struct serial_lanes *l, const struct cpprof_event *event, struct err *e);
bool serial_lanes_is_doubtful(const struct serial_lanes *l, const struct cpprof_event *event);

/* Is so much of the lane across others that it is more likely no stream than that so many times are false? */
bool serial_lanes_is_no_stream(const struct serial_lanes *l, uint32_t lane);

#endif
