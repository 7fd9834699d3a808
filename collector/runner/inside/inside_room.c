/* How much room does a launch need that records its inside, on each of its devices? */
#include "collector/runner/inside/inside_room.h"

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

int inside_rooms_init(struct inside_rooms *rooms, int home, const int *devices, int count, struct err *e)
{
    *rooms = (struct inside_rooms){.home = home};
    if (count > CPPROF_INSIDE_DEVICES_MAX)
        return err_set(e, ERR_ENVIRONMENT, "a build with marks runs on %d GPUs at most, and this is one for %d",
                       CPPROF_INSIDE_DEVICES_MAX, count);
    for (int i = 0; i < count; i++)
        rooms->of[i].device = devices[i];
    rooms->count = count;
    return 0;
}

/* With one device that one is current. */
static int enter(const struct inside_rooms *rooms, int device)
{
    return rooms->count > 1 ? cudaSetDevice(device) : cudaSuccess;
}

/* Does the same in each room, on its device; `doing` is what CUDA failed to do. */
static int in_each(struct inside_rooms *rooms, int (*step)(struct inside_room *room), const char *doing, struct err *e)
{
    int status = 0;
    for (int i = 0; i < rooms->count && !status; i++) {
        status = enter(rooms, rooms->of[i].device);
        if (!status)
            status = step(&rooms->of[i]);
    }
    const int back = enter(rooms, rooms->home);
    status = status ? status : back;
    return status ? device_error(status, doing, e) : 0;
}

static void free_all(struct inside_rooms *rooms)
{
    for (int i = 0; i < rooms->count; i++) {
        struct inside_room *room = &rooms->of[i];
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
}

static int allocate_on_device(struct inside_room *room)
{
    struct cpprof_inside_settings *s = &room->settings;
    const size_t records = records_bytes(s);
    const int status = cudaMalloc((void **)&s->warps, warps_bytes(s));
    return status || !records ? status : (int)cudaMalloc((void **)&s->records, records);
}

static int allocate(struct inside_rooms *rooms, const struct cpprof_inside_settings *settings, struct err *e)
{
    for (int i = 0; i < rooms->count; i++)
        rooms->of[i].settings = *settings;
    int rc = in_each(rooms, allocate_on_device, "make room for records", e);
    for (int i = 0; i < rooms->count && !rc; i++) {
        const size_t records = records_bytes(settings);
        rooms->of[i].warps = malloc(warps_bytes(settings));
        rooms->of[i].records = malloc(records ? records : 1);
        if (!rooms->of[i].warps || !rooms->of[i].records)
            rc = err_memory(e);
    }
    return rc;
}

static int clear(struct inside_room *room)
{
    const struct cpprof_inside_settings *s = &room->settings;
    int status = cudaMemset(s->warps, 0, warps_bytes(s));
    if (!status && s->records)
        status = cudaMemset(s->records, 0, records_bytes(s));
    return status ? status : (int)cudaDeviceSynchronize();
}

int inside_rooms_clear(struct inside_rooms *rooms, struct err *e)
{
    return in_each(rooms, clear, "clear the records", e);
}

static int fetch(struct inside_room *room)
{
    const struct cpprof_inside_settings *s = &room->settings;
    const int status = cudaMemcpy(room->warps, s->warps, warps_bytes(s), cudaMemcpyDeviceToHost);
    if (status || !s->records)
        return status;
    return cudaMemcpy(room->records, s->records, records_bytes(s), cudaMemcpyDeviceToHost);
}

int inside_rooms_fetch(struct inside_rooms *rooms, struct err *e)
{
    return in_each(rooms, fetch, "fetch the records", e);
}

/* What a launch has: its blocks, the tiles of its longest warp, and the first warp of each role. On several devices it
 * is what any of them has. */
struct extent {
    uint32_t blocks, tiles, warp_mask, roles;
};

static void measure(const struct inside_room *room, struct extent *x)
{
    for (size_t seat = 0; seat < seats_of(&room->settings); seat++) {
        const struct cpprof_inside_warp *w = &room->warps[seat];
        if (!w->role || w->role > CPPROF_ROLES_MAX || w->warp >= WARPS_MAX)
            continue;
        const uint32_t block = (uint32_t)(seat / WARPS_MAX);
        x->blocks = block >= x->blocks ? block + 1 : x->blocks;
        if (w->tiles > x->tiles)
            x->tiles = w->tiles;
        if (!(x->roles & 1u << w->role))
            x->warp_mask |= 1u << w->warp;
        x->roles |= 1u << w->role;
    }
}

/* All tiles where there is room; else one window in two, in four ... */
static void settle(struct cpprof_inside_settings *s, const struct extent *x)
{
    const uint32_t windows = (x->tiles + CPPROF_WINDOW_TILES - 1) / CPPROF_WINDOW_TILES;
    *s = (struct cpprof_inside_settings){.blocks = x->blocks,
                                         .seats_per_block = (uint32_t)__builtin_popcount(x->warp_mask),
                                         .warp_mask = x->warp_mask,
                                         .delay_cycles = -1};
    do {
        s->tiles = (windows + s->every_mask) / (s->every_mask + 1) * CPPROF_WINDOW_TILES;
        s->limit = s->tiles * (s->every_mask + 1);
    } while (records_bytes(s) > ROOM_MAX && (s->every_mask = 2 * s->every_mask + 1) < windows);
}

int inside_rooms_open_all(struct inside_rooms *rooms, struct err *e)
{
    const struct cpprof_inside_settings all = {
        .blocks = BLOCKS_MAX, .seats_per_block = WARPS_MAX, .warp_mask = 0xffffffffu, .delay_cycles = -1};
    const int rc = allocate(rooms, &all, e);
    return rc ? rc : inside_rooms_clear(rooms, e);
}

size_t inside_room_bytes(const struct inside_room *room)
{
    return warps_bytes(&room->settings);
}

static int look(struct inside_rooms *rooms, const struct inside_trial *trial, struct extent *x, struct err *e)
{
    int rc = inside_rooms_open_all(rooms, e);
    if (!rc)
        rc = trial->launch(trial->context, rooms, e);
    if (!rc)
        rc = inside_rooms_fetch(rooms, e);
    for (int i = 0; i < rooms->count && !rc; i++)
        measure(&rooms->of[i], x);
    free_all(rooms);
    if (!rc && !x->warp_mask) /* a launch of a small input may go through no tile */
        rc = err_set(e, ERR_ENVIRONMENT,
                     "no warp of it recorded: does its kernel have a CPPROF_RECORDER, and does the launch pass "
                     "CPPROF_ARG (docs/inside.md)?");
    return rc;
}

int inside_rooms_open(struct inside_rooms *rooms, const struct inside_trial *trial, struct err *e)
{
    struct extent x = {0, 0, 0, 0};
    struct cpprof_inside_settings settings;
    int rc = look(rooms, trial, &x, e);
    if (rc)
        return rc;
    settle(&settings, &x);
    rc = allocate(rooms, &settings, e);
    return rc ? rc : inside_rooms_clear(rooms, e);
}

void inside_rooms_release(struct inside_rooms *rooms)
{
    free_all(rooms);
}

const uint32_t *inside_room_record(const struct inside_room *room, size_t seat, size_t index)
{
    return index < room->settings.tiles ? room->records + (seat * room->settings.tiles + index) * CPPROF_MARKS_MAX
                                        : NULL;
}
