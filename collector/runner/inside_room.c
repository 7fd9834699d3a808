/* How much room does a launch need that records its inside? */
#include "collector/runner/inside_room.h"

#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "collector/runner/device.h"

enum { BLOCKS_MAX = 65536, WARPS_MAX = 32, ROOM_MAX = 256 << 20 };

static size_t seats_of(const struct cpprof_inside_settings *s)
{
    return (size_t)s->blocks * s->seats_per_block;
}

static size_t warps_bytes(const struct cpprof_inside_settings *s)
{
    return seats_of(s) * sizeof(struct cpprof_inside_warp);
}

static size_t records_bytes(const struct cpprof_inside_settings *s)
{
    return seats_of(s) * s->tiles * CPPROF_MARKS_MAX * sizeof(uint32_t);
}

static void free_all(struct inside_room *room)
{
    if (room->settings.warps)
        cudaFree(room->settings.warps);
    if (room->settings.records)
        cudaFree(room->settings.records);
    free(room->warps);
    free(room->records);
    room->settings.warps = NULL;
    room->settings.records = NULL;
    room->warps = NULL;
    room->records = NULL;
}

static int allocate(struct inside_room *room, struct err *e)
{
    struct cpprof_inside_settings *s = &room->settings;
    const size_t warps = warps_bytes(s), records = records_bytes(s);
    int status = cudaMalloc((void **)&s->warps, warps);
    if (!status && records)
        status = cudaMalloc((void **)&s->records, records);
    if (status)
        return device_error(status, "make room for records", e);
    room->warps = malloc(warps);
    room->records = malloc(records ? records : 1);
    return room->warps && room->records ? 0 : err_memory(e);
}

int inside_room_clear(struct inside_room *room, struct err *e)
{
    const struct cpprof_inside_settings *s = &room->settings;
    int status = cudaMemset(s->warps, 0, warps_bytes(s));
    if (!status && s->records)
        status = cudaMemset(s->records, 0, records_bytes(s));
    if (!status)
        status = cudaDeviceSynchronize();
    return status ? device_error(status, "clear the records", e) : 0;
}

int inside_room_fetch(struct inside_room *room, struct err *e)
{
    const struct cpprof_inside_settings *s = &room->settings;
    int status = cudaMemcpy(room->warps, s->warps, warps_bytes(s), cudaMemcpyDeviceToHost);
    if (!status && s->records)
        status = cudaMemcpy(room->records, s->records, records_bytes(s), cudaMemcpyDeviceToHost);
    return status ? device_error(status, "fetch the records", e) : 0;
}

/* What a launch has: its blocks, the tiles of its longest warp, and the first warp of each role. */
struct extent {
    uint32_t blocks, tiles, warp_mask;
};

static struct extent measure(const struct inside_room *room)
{
    struct extent x = {0, 0, 0};
    uint32_t roles = 0;
    for (size_t seat = 0; seat < seats_of(&room->settings); seat++) {
        const struct cpprof_inside_warp *w = &room->warps[seat];
        if (!w->role || w->role > CPPROF_ROLES_MAX || w->warp >= WARPS_MAX)
            continue;
        x.blocks = (uint32_t)(seat / WARPS_MAX) + 1;
        if (w->tiles > x.tiles)
            x.tiles = w->tiles;
        if (!(roles & 1u << w->role))
            x.warp_mask |= 1u << w->warp;
        roles |= 1u << w->role;
    }
    return x;
}

/* All tiles where there is room; else one window in two, in four ... */
static void settle(struct cpprof_inside_settings *s, const struct extent *x)
{
    const uint32_t windows = (x->tiles + CPPROF_WINDOW_TILES - 1) / CPPROF_WINDOW_TILES;
    *s = (struct cpprof_inside_settings){.blocks = x->blocks,
                                         .seats_per_block = (uint32_t)__builtin_popcount(x->warp_mask),
                                         .sm_step = 1,
                                         .warp_mask = x->warp_mask,
                                         .delay_cycles = -1};
    do {
        s->tiles = (windows + s->every_mask) / (s->every_mask + 1) * CPPROF_WINDOW_TILES;
        s->limit = s->tiles * (s->every_mask + 1);
    } while (records_bytes(s) > ROOM_MAX && (s->every_mask = 2 * s->every_mask + 1) < windows);
}

static int look(struct inside_room *room, const struct inside_trial *trial, struct extent *x, struct err *e)
{
    room->settings = (struct cpprof_inside_settings){
        .blocks = BLOCKS_MAX, .seats_per_block = WARPS_MAX, .sm_step = 1, .warp_mask = 0xffffffffu, .delay_cycles = -1};
    int rc = allocate(room, e);
    if (!rc)
        rc = inside_room_clear(room, e);
    if (!rc)
        rc = trial->launch(trial->context, &room->settings, e);
    if (!rc)
        rc = inside_room_fetch(room, e);
    if (!rc)
        *x = measure(room);
    free_all(room);
    if (!rc && !x->tiles)
        rc = err_set(e, ERR_ENVIRONMENT,
                     "no warp of it recorded: does its kernel have a CPPROF_RECORDER, and does the launch pass "
                     "CPPROF_ARG (docs/inside.md)?");
    return rc;
}

int inside_room_open(struct inside_room *room, const struct inside_trial *trial, struct err *e)
{
    struct extent x = {0, 0, 0};
    *room = (struct inside_room){.warps = NULL};
    int rc = look(room, trial, &x, e);
    if (rc)
        return rc;
    settle(&room->settings, &x);
    rc = allocate(room, e);
    return rc ? rc : inside_room_clear(room, e);
}

void inside_room_release(struct inside_room *room)
{
    free_all(room);
}

const uint32_t *inside_room_record(const struct inside_room *room, size_t seat, size_t index)
{
    return index < room->settings.tiles ? room->records + (seat * room->settings.tiles + index) * CPPROF_MARKS_MAX
                                        : NULL;
}
