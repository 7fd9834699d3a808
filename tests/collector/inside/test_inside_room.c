/* Does a launch that records get room for one warp of each role of each block, and for as many of its tiles as fit? */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "collector/runner/inside/inside_room.h"
#include "played_device.h"
#include "tests/test.h"

enum { WARPS = 9, SEATS = 32, HOME = 3 /* the device that is current */ };

/* What a launch does: in each block warp w has role roles[w] - '0', or '-' for one without a recorder. */
struct kernel {
    const char *roles;
    uint32_t blocks, tiles[CPPROF_ROLES_MAX]; /* of a warp of each role */
    bool has_garbage;                         /* beside them, behind them and before them */
    int error;
};

static struct cpprof_inside_settings given; /* by the last launch */

/* Far enough from 0 that each tile and mark differ. */
static uint32_t mark_of(const struct played_warp *w, uint32_t tile, int mark)
{
    return 1 + 1000 * tile + 10 * w->warp + (uint32_t)mark + 100000 * w->block;
}

static void leave_garbage(const struct cpprof_inside_settings *s)
{
    static const struct cpprof_inside_warp garbage[] = {
        {.role = CPPROF_ROLES_MAX + 1, .warp = 3, .tiles = 1000},
        {.role = 5, .warp = 40, .tiles = 1001},
        {.role = UINT32_MAX, .warp = UINT32_MAX, .tiles = UINT32_MAX},
        {.role = 0, .warp = 5, .tiles = 1002},
    };
    for (size_t i = 0; i < COUNT_OF(garbage); i++)
        s->warps[s->seats_per_block - 1 - i] = s->warps[20 * s->seats_per_block + i] = garbage[i];
}

static int run_kernel(const struct kernel *k, const struct cpprof_inside_settings *s, struct err *e)
{
    given = *s;
    if (k->error)
        return err_set(e, ERR_ENVIRONMENT, "the launch failed");
    if (k->has_garbage)
        leave_garbage(s);
    for (uint32_t block = 0; block < k->blocks; block++)
        for (uint32_t warp = 0; k->roles[warp]; warp++)
            if (k->roles[warp] != '-') {
                const uint32_t role = (uint32_t)(k->roles[warp] - '0');
                const struct played_warp w = {.block = block, .warp = warp, .role = role, .tiles = k->tiles[role]};
                played_warp_run(s, &w, mark_of);
            }
    return 0;
}

static int run_everywhere(void *context, const struct inside_rooms *rooms, struct err *e)
{
    const struct kernel *kernels = context;
    int rc = 0;
    for (int i = 0; i < rooms->count && !rc; i++)
        rc = run_kernel(&kernels[i], &rooms->of[i].settings, e);
    return rc;
}

static int open_rooms(struct inside_rooms *rooms, const struct kernel *k, const int *devices, int count, struct err *e)
{
    struct kernel copies[2] = {k[0], k[count - 1]};
    const int rc = inside_rooms_init(rooms, HOME, devices, count, e);
    return rc ? rc : inside_rooms_open(rooms, &(struct inside_trial){run_everywhere, copies}, e);
}

static int open_room(struct inside_rooms *rooms, const struct kernel *k, struct err *e)
{
    return open_rooms(rooms, k, &(const int){HOME}, 1, e);
}

/* The largest room is 256 MiB. A tile takes 32 bytes, 65536 blocks of two roles 4 MiB for each tile. */
TEST(there_is_room_for_what_a_launch_has)
{
    static const struct {
        struct kernel kernel;
        uint32_t warp_mask, blocks, tiles, every_mask, limit;
    } rows[] = {
        /* One warp of each role, the first one, wherever it is. */
        {{"011111111", 4, {16, 16}, false, 0}, 0x003, 4, 16, 0, 16},
        {{"111111110", 4, {16, 16}, false, 0}, 0x101, 4, 16, 0, 16},
        {{"--1-1--00", 3, {16, 16}, false, 0}, 0x084, 3, 16, 0, 16},
        {{"000000000", 1, {16}, false, 0}, 0x001, 1, 16, 0, 16},
        {{"701234567", 1, {8, 8, 8, 8, 8, 8, 8, 8}, false, 0}, 0x0ff, 1, 8, 0, 8},
        /* Whole windows, by the role that has most tiles. */
        {{"01", 1, {1, 1}, false, 0}, 0x3, 1, 8, 0, 8},
        {{"01", 1, {8, 7}, false, 0}, 0x3, 1, 8, 0, 8},
        {{"01", 1, {3, 9}, false, 0}, 0x3, 1, 16, 0, 16},
        {{"01", 1, {25, 0}, false, 0}, 0x3, 1, 32, 0, 32},
        /* What no warp of ours can have written is not believed. */
        {{"011111111", 4, {16, 16}, true, 0}, 0x003, 4, 16, 0, 16},
        /* 64 tiles are 256 MiB, 65 are a window more: 9 windows, of which 5 in every second. 17 windows are 9 in every
         * second, 288 MiB, and 5 in every fourth. */
        {{"01", 65536, {64, 64}, false, 0}, 0x3, 65536, 64, 0, 64},
        {{"01", 65536, {65, 65}, false, 0}, 0x3, 65536, 40, 1, 80},
        {{"01", 65536, {130, 130}, false, 0}, 0x3, 65536, 40, 3, 160},
        {{"01", 65537, {1, 1}, false, 0}, 0x3, 65536, 8, 0, 8}, /* there are only so many blocks with seats */
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct inside_rooms rooms;
        struct err e = {0};
        if (open_room(&rooms, &rows[i].kernel, &e))
            fail_msg("row %zu: %s", i, e.text);
        const struct cpprof_inside_settings *s = &rooms.of[0].settings;
        if (s->warp_mask != rows[i].warp_mask || s->blocks != rows[i].blocks || s->tiles != rows[i].tiles ||
            s->every_mask != rows[i].every_mask || s->limit != rows[i].limit)
            fail_msg("row %zu: mask %x, %u blocks, %u tiles, every %u, limit %u", i, s->warp_mask, s->blocks, s->tiles,
                     s->every_mask, s->limit);
        assert_int_equal(s->seats_per_block, __builtin_popcount(rows[i].warp_mask));
        assert_int_equal(s->delay_cycles, -1);
        assert_int_equal(played_memory.there, 2); /* the seats and the records, and nothing of the trial */
        inside_rooms_release(&rooms);
        assert_int_equal(played_memory.there, 0);
    }
}

/* The trial asks each warp who it is, and for no tile. */
TEST(the_trial_records_no_tile)
{
    static const struct kernel kernel = {"01", 2, {20, 20}, false, 0};
    struct inside_rooms rooms;
    struct err e = {0};
    assert_int_equal(open_room(&rooms, &kernel, &e), 0);
    assert_int_equal(given.blocks, 65536);
    assert_int_equal(given.seats_per_block, SEATS);
    assert_int_equal(given.warp_mask, UINT32_MAX);
    assert_int_equal(given.limit, 0);
    assert_int_equal(given.tiles, 0);
    assert_null(given.records);
    assert_int_equal(given.delay_cycles, -1);
    inside_rooms_release(&rooms);
}

/* A small input may leave no tile to a loop. */
TEST(a_launch_without_tiles_has_warps)
{
    static const struct kernel kernel = {"01", 2, {0, 0}, false, 0};
    struct inside_rooms rooms;
    struct err e = {0};
    assert_int_equal(open_room(&rooms, &kernel, &e), 0);
    assert_int_equal(rooms.of[0].settings.blocks, 2);
    assert_int_equal(rooms.of[0].settings.seats_per_block, 2);
    assert_int_equal(rooms.of[0].settings.limit, 0);
    assert_null(inside_room_record(&rooms.of[0], 0, 0));
    inside_rooms_release(&rooms);
}

/* In every block a warp of each role has a seat; records lie as docs/inside.md says. */
TEST(every_block_has_a_warp_of_each_role)
{
    static const struct kernel kernel = {"11111111-0", 3, {20, 9}, false, 0};
    struct inside_rooms rooms;
    struct err e = {0};
    assert_int_equal(open_room(&rooms, &kernel, &e), 0);
    for (size_t launch = 0; launch < 2; launch++) { /* the second one finds nothing of the first */
        struct kernel now = kernel;
        now.tiles[0] -= 4 * (uint32_t)launch;
        assert_int_equal(inside_rooms_clear(&rooms, &e), 0);
        assert_int_equal(run_kernel(&now, &rooms.of[0].settings, &e), 0);
        assert_int_equal(inside_rooms_fetch(&rooms, &e), 0);
        for (size_t seat = 0; seat < 6; seat++) {
            const struct cpprof_inside_warp *w = &rooms.of[0].warps[seat];
            const uint32_t role = seat % 2 ? 0 : 1, number = seat % 2 ? 9 : 0; /* seats are in the order of warps */
            assert_int_equal(w->role, role + 1);
            assert_int_equal(w->warp, number);
            assert_int_equal(w->tiles, now.tiles[role]);
            const struct played_warp asked = {.block = (uint32_t)seat / 2, .warp = number};
            for (uint32_t tile = 0; tile < rooms.of[0].settings.tiles; tile++)
                for (int mark = 0; mark < CPPROF_MARKS_MAX; mark++)
                    assert_int_equal(inside_room_record(&rooms.of[0], seat, tile)[mark],
                                     tile < w->tiles ? mark_of(&asked, tile, mark) : 0);
            assert_null(inside_room_record(&rooms.of[0], seat, rooms.of[0].settings.tiles));
        }
    }
    inside_rooms_release(&rooms);
}

/* Each device has memory of its own, and there is room for what any of them does: 5 blocks, 20 tiles. */
TEST(every_device_has_room)
{
    static const struct kernel kernels[2] = {{"0-1", 3, {20, 9}, false, 0}, {"0-1", 5, {4, 9}, false, 0}};
    static const int devices[] = {HOME, 1};
    struct inside_rooms rooms;
    struct err e = {0};
    played_memory.device = HOME;
    assert_int_equal(open_rooms(&rooms, kernels, devices, 2, &e), 0);
    assert_int_equal(played_memory.device, HOME);
    assert_int_equal(inside_rooms_clear(&rooms, &e), 0);
    assert_int_equal(run_everywhere((void *)(uintptr_t)kernels, &rooms, &e), 0);
    assert_int_equal(inside_rooms_fetch(&rooms, &e), 0);
    assert_int_equal(played_memory.device, HOME);
    for (int i = 0; i < 2; i++) {
        const struct inside_room *room = &rooms.of[i];
        assert_int_equal(room->device, devices[i]);
        assert_int_equal(played_device_of(room->settings.warps), devices[i]);
        assert_int_equal(played_device_of(room->settings.records), devices[i]);
        assert_int_equal(room->settings.blocks, 5);
        assert_int_equal(room->settings.tiles, 24);
        assert_int_equal(room->settings.warp_mask, 0x5);
        for (size_t seat = 0; seat < 10; seat++)
            assert_int_equal(room->warps[seat].tiles, seat / 2 >= kernels[i].blocks ? 0 : kernels[i].tiles[seat % 2]);
    }
    inside_rooms_release(&rooms);
    assert_int_equal(played_memory.there, 0);
}

TEST(devices_beyond_the_last_are_refused)
{
    static const int devices[CPPROF_INSIDE_DEVICES_MAX + 1] = {HOME};
    struct inside_rooms rooms;
    struct err e = {0};
    assert_int_equal(inside_rooms_init(&rooms, HOME, devices, CPPROF_INSIDE_DEVICES_MAX, &e), 0);
    inside_rooms_release(&rooms);
    assert_int_equal(inside_rooms_init(&rooms, HOME, devices, CPPROF_INSIDE_DEVICES_MAX + 1, &e), ERR_ENVIRONMENT);
    assert_string_equal(e.text, "a build with marks runs on 16 GPUs at most, and this is one for 17");
    inside_rooms_release(&rooms);
}

TEST(what_records_nothing_is_said)
{
    static const struct {
        struct kernel kernel;
        size_t limit; /* bytes of a block of memory */
        const char *says;
    } rows[] = {
        {{"----", 4, {16}, false, 0},
         0,
         "no warp of it recorded: does its kernel have a CPPROF_RECORDER, and does the "
         "launch pass CPPROF_ARG (docs/inside.md)?"},
        {{"----", 4, {16}, true, 0}, 0, "no warp of it recorded"},
        {{"0000", 4, {16}, false, 1}, 0, "the launch failed"},
        {{"0000", 4, {16}, false, 0}, 1 << 20, "CUDA failed to make room for records: "},
        /* 65536 * 32 seats of 40 bytes are 80 MiB: the trial fits, 65536 * 64 tiles of 32 bytes do not. */
        {{"0000", 65536, {64}, false, 0}, 100 << 20, "CUDA failed to make room for records: "},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct inside_rooms rooms;
        struct err e = {0};
        played_memory.limit = rows[i].limit;
        if (open_room(&rooms, &rows[i].kernel, &e) != ERR_ENVIRONMENT ||
            strncmp(e.text, rows[i].says, strlen(rows[i].says)))
            fail_msg("row %zu: '%s'", i, e.text);
        inside_rooms_release(&rooms);
        assert_int_equal(played_memory.there, 0);
        played_memory.limit = 0;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_is_room_for_what_a_launch_has),
        cmocka_unit_test(the_trial_records_no_tile),
        cmocka_unit_test(a_launch_without_tiles_has_warps),
        cmocka_unit_test(every_block_has_a_warp_of_each_role),
        cmocka_unit_test(every_device_has_room),
        cmocka_unit_test(devices_beyond_the_last_are_refused),
        cmocka_unit_test(what_records_nothing_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
