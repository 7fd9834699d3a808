/* inside_room.h - room on the device for what a launch of a record build leaves, and what it left. */
#ifndef CPPROF_INSIDE_ROOM_H
#define CPPROF_INSIDE_ROOM_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "cpprof/inside.h"

struct inside_room {
    struct cpprof_inside_settings settings;
    /* What was fetched, in the layout of cpprof/inside.h. */
    struct cpprof_inside_warp *warps;
    uint32_t *records;
};

/* One launch of the arm with these settings, waited for. */
struct inside_trial {
    int (*launch)(void *context, const struct cpprof_inside_settings *settings, struct err *e);
    void *context;
};

/* Finds out, by a launch that records no tile, how many blocks, roles and tiles there are. Then it makes room for one
 * warp of each role of each block: for all tiles, or for one window in so many that the room is enough. */
int inside_room_open(struct inside_room *room, const struct inside_trial *trial, struct err *e);
void inside_room_release(struct inside_room *room);

int inside_room_clear(struct inside_room *room, struct err *e); /* before a launch */
int inside_room_fetch(struct inside_room *room, struct err *e); /* after it has ended */

/* The record of a seat; NULL when it has fewer. */
const uint32_t *inside_room_record(const struct inside_room *room, size_t seat, size_t index);

#endif
