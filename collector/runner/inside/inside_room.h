/* inside_room.h - room on each device for what a launch of a record build leaves, and what it left. */
#ifndef CPPROF_INSIDE_ROOM_H
#define CPPROF_INSIDE_ROOM_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "cpprof/inside.h"

struct inside_room {
    int device;
    struct cpprof_inside_settings settings;
    /* What was fetched, in the layout of cpprof/inside.h. */
    struct cpprof_inside_warp *warps;
    uint32_t *records;
};

/* On several devices all settings are the same but for the addresses. `home` is current before each call and after. */
struct inside_rooms {
    struct inside_room of[CPPROF_INSIDE_DEVICES_MAX];
    int count, home;
};

/* One launch of the arm with the settings of these rooms, waited for. */
struct inside_trial {
    int (*launch)(void *context, const struct inside_rooms *rooms, struct err *e);
    void *context;
};

/* Rooms on devices that are to be opened; `home` is the current one. ERR_ENVIRONMENT for more devices than a build with
 * marks knows. */
int inside_rooms_init(struct inside_rooms *rooms, int home, const int *devices, int count, struct err *e);

/* Finds out, by a launch that records no tile, how many blocks, roles and tiles there are. Then it makes room for one
 * warp of each role of each block: for all tiles, or for one window in so many that the room is enough. */
int inside_rooms_open(struct inside_rooms *rooms, const struct inside_trial *trial, struct err *e);
/* Makes room for every warp without a launch, for one that may not end: it records no tile. */
int inside_rooms_open_all(struct inside_rooms *rooms, struct err *e);
/* Bytes of the table of warps of each room. */
size_t inside_room_bytes(const struct inside_room *room);
void inside_rooms_release(struct inside_rooms *rooms); /* also of zeroes */

int inside_rooms_clear(struct inside_rooms *rooms, struct err *e); /* before a launch */
int inside_rooms_fetch(struct inside_rooms *rooms, struct err *e); /* after it has ended */

/* The record of a seat; NULL when it has fewer. */
const uint32_t *inside_room_record(const struct inside_room *room, size_t seat, size_t index);

#endif
