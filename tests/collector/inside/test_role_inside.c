/* Do the tables hold what a launch that records wrote, and does each arm get its own settings? The kernel is played: it
 * writes what record.cuh would write with the settings that its build was given. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/runner/runner.h"
#include "played_device.h"
#include "tests/test.h"

enum {
    LAUNCHES = 3,
    ROWS_MAX = 6144 /* of SMs with many */,
    WARMUP = 2,
    ROLES = 2,
    NEVER = 5 /* a mark */,
    DEVICES = 2
};

/* ---- the kernel ---- */

/* What differs between kernels. */
struct scene {
    uint32_t sms, blocks_per_sm, tiles;
    bool moves;    /* its last block, to SM 0 in the launches behind the first */
    bool is_wrong; /* what it computes */
    int devices;   /* 0: one */
};

static struct {
    struct scene scene;
    struct cpprof_inside_settings given[DEVICES];
    int device; /* whose blocks run */
    int launches, sets;
    int launch; /* of those whose records are kept */
    size_t there;
    int measure_fails;
    char log[256]; /* of launches: what was given */
} played;

cudaError_t __wrap_cudaStreamSynchronize(cudaStream_t stream);
cudaError_t __wrap_cudaStreamSynchronize(cudaStream_t stream)
{
    (void)stream;
    return cudaSuccess;
}

static int set(const struct cpprof_inside_settings *settings)
{
    assert_true(played_memory.device >= 0 && played_memory.device < DEVICES);
    played.given[played_memory.device] = *settings;
    played.sets++;
    return 0;
}

/* Role 0 is warp 0, role 1 is warp 4. Blocks of an SM begin one after the other, the highest number first, and role 1
 * before role 0: the earliest begin of an SM is that of role 1 of its last block. On even SMs the counter wraps 96
 * cycles behind it. */
enum { BLOCK_CYCLES = 3000, ROLE_CYCLES = 40, TILE_CYCLES = 100, MARK_CYCLES = 7, BLOCK_NS = 2000, ROLE_NS = 25 };

static uint32_t sm_origin(uint32_t sm, int launch)
{
    return (sm % 2 ? 1234567 : UINT32_MAX - 95) + 65536 * (uint32_t)launch - 999 * (uint32_t)played.device;
}

static const uint64_t launch_ns = 1790000000000000000;

/* How many blocks of an SM began before this one? */
static uint32_t blocks_before(const struct scene *s, uint32_t block)
{
    return s->blocks_per_sm - 1 - block / s->sms;
}

/* Cycles from the earliest warp of the SM to the begin of one. */
static uint32_t begin_of(const struct scene *s, uint32_t block, uint32_t role)
{
    return BLOCK_CYCLES * blocks_before(s, block) + ROLE_CYCLES * (1 - role);
}

/* Cycles from there to a mark; below 0 where it is not passed: NEVER, and mark 0 of role 1 but in tile 0. */
static int64_t mark_of(const struct scene *s, uint32_t block, uint32_t role, uint32_t tile, int mark)
{
    if (mark == NEVER || (role && tile && !mark))
        return -1;
    return (int64_t)begin_of(s, block, role) + TILE_CYCLES * (int64_t)tile + MARK_CYCLES * mark + 3;
}

static uint32_t counter_at(const struct played_warp *w, uint32_t tile, int mark)
{
    const int64_t cycles = mark_of(&played.scene, w->block, w->role, tile, mark);
    return cycles < 0 ? 0 : sm_origin(w->sm, played.launch) + (uint32_t)cycles;
}

static void run_block(uint32_t block, uint32_t sm)
{
    const struct scene *s = &played.scene;
    for (uint32_t role = 0; role < ROLES; role++) {
        const uint32_t begin = begin_of(s, block, role), length = TILE_CYCLES * s->tiles + 50;
        const uint64_t ns = launch_ns - (uint64_t)played.device * 123456789 + (uint64_t)played.launch * 1000000 +
                            BLOCK_NS * blocks_before(s, block) + ROLE_NS * (1 - role);
        const struct played_warp w = {.block = block,
                                      .warp = 4 * role,
                                      .sm = sm,
                                      .role = role,
                                      .tiles = s->tiles,
                                      .begin_cycle = sm_origin(sm, played.launch) + begin,
                                      .end_cycle = sm_origin(sm, played.launch) + begin + length,
                                      .begin_ns = ns,
                                      .end_ns = ns + 1500};
        played_warp_run(&played.given[played.device], &w, counter_at);
    }
}

/* What a launch before the one that is kept leaves where none should find it: a mark that is never passed. */
static void leave_traces(void)
{
    const struct cpprof_inside_settings *s = &played.given[played.device];
    for (size_t seat = 0; seat < (size_t)s->blocks * s->seats_per_block; seat++)
        s->records[seat * s->tiles * CPPROF_MARKS_MAX + NEVER] = 1;
}

/* A trial, then WARMUP launches and one that is kept, again and again. */
static int launch_recorded(void *state, struct CUstream_st *stream)
{
    (void)state, (void)stream;
    const struct scene *s = &played.scene;
    const bool is_warmup = played.launches % (WARMUP + 1) != 0;
    played.launch = played.launches ? (played.launches - 1) / (WARMUP + 1) : 0;
    played.launches++;
    for (played.device = 0; !played.device || played.device < s->devices; played.device++) {
        if (is_warmup)
            leave_traces();
        for (uint32_t block = 0; block < s->sms * s->blocks_per_sm && !is_warmup; block++)
            run_block(block, s->moves && played.launch && block + 1 == s->sms * s->blocks_per_sm ? 0 : block % s->sms);
    }
    played.device = 0;
    assert_int_equal(played_memory.device, 0);
    return 0;
}

/* ---- the arms ---- */

static const struct cpprof_phase phases[] = {
    {"loads", "issue", 0, 1, CPPROF_PHASE_ISSUE, 2, 3, NULL},
    {"loads", "elsewhere", 0, 2, CPPROF_PHASE_OTHER, 0, 0, "other/*"},
    {"multiplies", "math", 1, 4, CPPROF_PHASE_COMPUTE, 0, 0, "mine/*"},
    {"multiplies", "asks", 1, 6, CPPROF_PHASE_POLL, 7, 0, NULL},
};

static int measure(int32_t delay_cycles, double *cycles)
{
    *cycles = delay_cycles < 0 ? 1.5 : delay_cycles + 4.25;
    return played.measure_fails;
}

static const struct cpprof_inside records = {sizeof records, CPPROF_INSIDE_RECORD, -1, phases, COUNT_OF(phases), set,
                                             NULL,           CPPROF_INSIDE_LAYOUT};
static const struct cpprof_inside delays = {sizeof delays, CPPROF_INSIDE_DELAY, 12, phases, COUNT_OF(phases), set,
                                            measure,       CPPROF_INSIDE_LAYOUT}; /* mark 4 of role 1 */

static int set_up(const struct cpprof_config *config, struct CUstream_st *stream, void **state)
{
    (void)stream;
    assert_int_equal(config->seed, 77);
    *state = &played;
    played.there++;
    return 0;
}

static int nothing(void *state, struct CUstream_st *stream)
{
    (void)state, (void)stream;
    return 0;
}

static int log_launch(void *state, struct CUstream_st *stream)
{
    (void)state, (void)stream;
    const size_t used = strlen(played.log);
    snprintf(played.log + used, sizeof played.log - used, "%d@%d ", played.given[0].delay_cycles, played.sets);
    return 0;
}

static int verify(void *state, struct CUstream_st *stream, struct cpprof_verification *result)
{
    (void)state, (void)stream;
    *result = (struct cpprof_verification){.values = 100, .bad_ratio = played.scene.is_wrong ? 0.25 : 0};
    return 0;
}

static void tear_down(void *state)
{
    (void)state;
    played.there--;
}

static size_t shared_bytes(const struct cpprof_config *config)
{
    return (size_t)config->value[0];
}

static int devices(const struct cpprof_config *config, int *device, int devices_max)
{
    (void)config;
    for (int i = 0; i < played.scene.devices && i < devices_max; i++)
        device[i] = i;
    return played.scene.devices;
}

#define VARIANT(NAME, LAUNCH)                                                                                          \
    {                                                                                                                  \
        .struct_bytes = sizeof(struct cpprof_variant), .name = NAME, .shared_bytes = shared_bytes, .setup = set_up,    \
        .poison = nothing, .launch = LAUNCH, .verify = verify, .teardown = tear_down, .devices = devices               \
    }
enum { OFF, RECORD, CONTROL, DELAY, ARMS };
static const struct cpprof_variant variants[ARMS] = {
    VARIANT("mine/v1", log_launch), VARIANT("mine/v1+record", launch_recorded),
    VARIANT("mine/v1+delay-1.4-none", log_launch), VARIANT("mine/v1+delay-1.4-400", log_launch)};
static const struct inside_build builds[ARMS] = {
    {NULL, NULL, 0}, {&variants[OFF], &records, -1}, {&variants[OFF], &delays, -1}, {&variants[OFF], &delays, 400}};

static const char *seed = "77";

static void begin(struct runner *r, struct run_case *cases, const int *arms, size_t count, const struct scene *scene)
{
    memset(&played, 0, sizeof played);
    played.scene = *scene;
    *r = (struct runner){.role = "inside", .warmup = WARMUP, .index = 5};
    r->device.properties.sharedMemPerBlockOptin = 1000;
    r->seeds.items = &seed;
    r->seeds.count = 1;
    r->cases.items = cases;
    r->cases.count = count;
    for (size_t i = 0; i < count; i++) {
        cases[i] = (struct run_case){.variant = &variants[arms[i]], .build = arms[i] ? &builds[arms[i]] : NULL};
        snprintf(cases[i].name, sizeof cases[i].name, "%s", variants[arms[i]].name);
        snprintf(cases[i].key, sizeof cases[i].key, "small");
    }
    for (int t = 0; t < BUNDLE_TABLE_COUNT; t++)
        bundle_table_init(&r->tables[t], (enum bundle_table)t);
}

static void end(struct runner *r)
{
    for (int t = 0; t < BUNDLE_TABLE_COUNT; t++)
        table_release(&r->tables[t]);
    assert_int_equal(played.there, 0);
    assert_int_equal(played_memory.there, 0);
}

static void record(struct runner *r, struct run_case *c, const struct scene *scene)
{
    struct err e = {0};
    begin(r, c, &(const int){RECORD}, 1, scene);
    if (role_inside(r, &e))
        fail_msg("%s", e.text);
    assert_int_equal(played.launches, 1 + LAUNCHES * (WARMUP + 1));
}

static int64_t integer(const struct table *t, size_t row, size_t column)
{
    return (int64_t)table_number(t, row, column);
}

static void expect_arm(const struct table *t, size_t row, const char *name)
{
    assert_string_equal(table_text(t, row, 0), name);
    assert_string_equal(table_text(t, row, 1), "small");
}

/* ---- the tests ---- */

static void expect_tile(const struct table *t, size_t row, const struct scene *s, uint32_t block, uint32_t role)
{
    expect_arm(t, row, "mine/v1+record");
    assert_int_equal(integer(t, row, INSIDE_TILES_BLOCK), block);
    assert_int_equal(integer(t, row, INSIDE_TILES_WARP), 4 * role);
    for (int mark = 0; mark < CPPROF_MARKS_MAX; mark++) {
        const int64_t cycles = mark_of(s, block, role, (uint32_t)integer(t, row, INSIDE_TILES_TILE), mark);
        const double cell = table_number(t, row, (size_t)(INSIDE_TILES_MARKS + mark));
        if (cycles < 0 ? !isnan(cell) : cell != (double)cycles)
            fail_msg("row %zu, mark %d: %g, expected %lld", row, mark, cell, (long long)cycles);
    }
}

/* Two SMs with two blocks each, 11 tiles. All is counted from the earliest warp of its SM and launch, and nanoseconds
 * from the earliest warp of the launch. */
TEST(rows_are_what_was_written)
{
    static const struct scene scene = {.sms = 2, .blocks_per_sm = 2, .tiles = 11};
    struct run_case c;
    struct runner r;
    record(&r, &c, &scene);
    const struct table *warps = &r.tables[BUNDLE_INSIDE_WARPS], *tiles = &r.tables[BUNDLE_INSIDE_TILES];
    assert_int_equal(table_rows(warps), LAUNCHES * 4 * ROLES);
    assert_int_equal(table_rows(tiles), LAUNCHES * 4 * ROLES * 11);
    for (size_t row = 0; row < table_rows(warps); row++) {
        const uint32_t block = row / ROLES % 4, role = row % ROLES, begins = begin_of(&scene, block, role);
        const int64_t ns = BLOCK_NS * (1 - block / 2) + ROLE_NS * (1 - role);
        expect_arm(warps, row, "mine/v1+record");
        assert_int_equal(integer(warps, row, INSIDE_WARPS_LAUNCH), row / (4 * ROLES));
        assert_int_equal(integer(warps, row, INSIDE_WARPS_BLOCK), block);
        assert_int_equal(integer(warps, row, INSIDE_WARPS_WARP), 4 * role);
        assert_int_equal(integer(warps, row, INSIDE_WARPS_SM), block % 2);
        assert_int_equal(integer(warps, row, INSIDE_WARPS_ROLE), role);
        assert_int_equal(integer(warps, row, INSIDE_WARPS_TILES), 11);
        assert_int_equal(integer(warps, row, INSIDE_WARPS_BEGIN_NS), ns);
        assert_int_equal(integer(warps, row, INSIDE_WARPS_END_NS), ns + 1500);
        assert_int_equal(integer(warps, row, INSIDE_WARPS_BEGIN_CYCLE), begins);
        assert_int_equal(integer(warps, row, INSIDE_WARPS_END_CYCLE), begins + 11 * TILE_CYCLES + 50);
        for (size_t tile = 0; tile < 11; tile++) {
            assert_int_equal(integer(tiles, 11 * row + tile, INSIDE_TILES_LAUNCH), row / (4 * ROLES));
            assert_int_equal(integer(tiles, 11 * row + tile, INSIDE_TILES_TILE), tile);
            expect_tile(tiles, 11 * row + tile, &scene, block, role);
        }
    }
    end(&r);
}

/* Rows of other variants of the source are left out. */
TEST(phases_are_those_of_the_variant)
{
    static const struct {
        int role, mark, until, ahead;
        const char *kind, *role_name, *name;
    } rows[] = {{0, 1, 2, 3, "issue", "loads", "issue"},
                {1, 4, 0, 0, "compute", "multiplies", "math"},
                {1, 6, 7, 0, "poll", "multiplies", "asks"}};
    static const struct scene scene = {.sms = 1, .blocks_per_sm = 1, .tiles = 1};
    struct run_case c;
    struct runner r;
    record(&r, &c, &scene);
    const struct table *t = &r.tables[BUNDLE_INSIDE_PHASES];
    assert_int_equal(table_rows(t), COUNT_OF(rows));
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        expect_arm(t, i, "mine/v1+record");
        assert_int_equal(integer(t, i, INSIDE_PHASES_ROLE), rows[i].role);
        assert_int_equal(integer(t, i, INSIDE_PHASES_MARK), rows[i].mark);
        assert_int_equal(integer(t, i, INSIDE_PHASES_UNTIL), rows[i].until);
        assert_int_equal(integer(t, i, INSIDE_PHASES_AHEAD), rows[i].ahead);
        assert_string_equal(table_text(t, i, INSIDE_PHASES_KIND), rows[i].kind);
        assert_string_equal(table_text(t, i, INSIDE_PHASES_ROLE_NAME), rows[i].role_name);
        assert_string_equal(table_text(t, i, INSIDE_PHASES_NAME), rows[i].name);
    }
    end(&r);
}

/* Is each warp in the table that has a tile, and has each warp all tiles of windows that are kept, one in `every`? */
static void expect_windows(const struct runner *r, const struct scene *scene, uint32_t every)
{
    const struct table *warps = &r->tables[BUNDLE_INSIDE_WARPS], *tiles = &r->tables[BUNDLE_INSIDE_TILES];
    size_t at = 0;
    for (size_t row = 0; row < table_rows(warps); row++)
        for (uint32_t tile = 0; tile < scene->tiles; tile++) {
            if (tile / CPPROF_WINDOW_TILES % every)
                continue;
            assert_true(at < table_rows(tiles));
            assert_int_equal(integer(tiles, at, INSIDE_TILES_LAUNCH), integer(warps, row, INSIDE_WARPS_LAUNCH));
            assert_int_equal(integer(tiles, at, INSIDE_TILES_TILE), tile);
            expect_tile(tiles, at++, scene, (uint32_t)integer(warps, row, INSIDE_WARPS_BLOCK),
                        (uint32_t)integer(warps, row, INSIDE_WARPS_ROLE));
        }
    assert_int_equal(at, table_rows(tiles));
}

/* Each device counts from its own earliest warps, and blocks of the second one come behind those of the first. */
TEST(every_device_has_its_rows)
{
    static const struct scene scene = {.sms = 2, .blocks_per_sm = 2, .tiles = 11, .devices = 2};
    struct run_case c;
    struct runner r;
    record(&r, &c, &scene);
    const struct table *warps = &r.tables[BUNDLE_INSIDE_WARPS], *tiles = &r.tables[BUNDLE_INSIDE_TILES];
    assert_int_equal(table_rows(warps), LAUNCHES * DEVICES * 4 * ROLES);
    assert_int_equal(table_rows(tiles), LAUNCHES * DEVICES * 4 * ROLES * 11);
    for (size_t row = 0; row < table_rows(warps); row++) {
        const uint32_t device = row / ROLES / 4 % DEVICES, block = row / ROLES % 4, role = row % ROLES;
        assert_int_equal(integer(warps, row, INSIDE_WARPS_DEVICE), device);
        assert_int_equal(integer(warps, row, INSIDE_WARPS_BLOCK), 4 * device + block);
        assert_int_equal(integer(warps, row, INSIDE_WARPS_SM), block % 2);
        assert_int_equal(integer(warps, row, INSIDE_WARPS_BEGIN_NS), BLOCK_NS * (1 - block / 2) + ROLE_NS * (1 - role));
        assert_int_equal(integer(warps, row, INSIDE_WARPS_BEGIN_CYCLE), begin_of(&scene, block, role));
        for (size_t tile = 0; tile < 11; tile++) {
            assert_int_equal(integer(tiles, 11 * row + tile, INSIDE_TILES_BLOCK), 4 * device + block);
            for (int mark = 0; mark < CPPROF_MARKS_MAX; mark++) {
                const int64_t cycles = mark_of(&scene, block, role, (uint32_t)tile, mark);
                const double cell = table_number(tiles, 11 * row + tile, (size_t)(INSIDE_TILES_MARKS + mark));
                assert_true(cycles < 0 ? isnan(cell) : cell == (double)cycles);
            }
        }
    }
    end(&r);
}

/* 1024 rows a launch are those of all devices together, and 2048 where an SM of each has more than 512. */
TEST(devices_share_the_rows)
{
    static const struct {
        struct scene scene;
        size_t warps, rows; /* of a launch */
    } rows[] = {
        {{.sms = 4, .blocks_per_sm = 2, .tiles = 32, .devices = 2}, 2 * 4 * 2 * ROLES, 1024},
        {{.sms = 8, .blocks_per_sm = 2, .tiles = 32, .devices = 2}, 2 * 4 * 2 * ROLES, 1024},
        {{.sms = 3, .blocks_per_sm = 1, .tiles = 1024, .devices = 2}, 2 * 1 * 1 * ROLES, 2048}, /* every 2nd window */
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct run_case c;
        struct runner r;
        record(&r, &c, &rows[i].scene);
        assert_int_equal(table_rows(&r.tables[BUNDLE_INSIDE_WARPS]), LAUNCHES * rows[i].warps);
        assert_int_equal(table_rows(&r.tables[BUNDLE_INSIDE_TILES]), LAUNCHES * rows[i].rows);
        end(&r);
    }
}

/* A delay holds on every device at once. */
TEST(every_device_waits)
{
    static const struct scene both = {.sms = 1, .blocks_per_sm = 1, .tiles = 1, .devices = 2};
    struct run_case c;
    struct arm arm;
    struct runner r;
    struct err e = {0};
    begin(&r, &c, &(const int){DELAY}, 1, &both);
    assert_int_equal(arm_setup(&r, &arm, &c, 77, &e), 0);
    assert_int_equal(arm_launch(&r, &arm, &e), 0);
    assert_int_equal(played.given[0].delay_cycles, 400);
    assert_int_equal(played.given[1].delay_cycles, 400);
    assert_int_equal(played_memory.device, 0);
    arm_teardown(&arm);
    end(&r);
}

/* A launch may leave 1024 rows, and 2048 where an SM has more than 512. Each launch keeps other SMs. */
TEST(whole_sms_are_kept)
{
    static const struct {
        struct scene scene;
        uint32_t sm_step, sms, every; /* that are kept */
    } rows[] = {
        {{.sms = 132, .blocks_per_sm = 2, .tiles = 20}, 11, 12, 1}, /* 80 rows each: 12 fit, 960 rows */
        {{.sms = 8, .blocks_per_sm = 2, .tiles = 32}, 1, 8, 1},     /* 128 each: all, 1024 */
        {{.sms = 10, .blocks_per_sm = 2, .tiles = 32}, 2, 5, 1},    /* two more */
        {{.sms = 6, .blocks_per_sm = 2, .tiles = 160}, 3, 2, 1},    /* 640 each: two, 1280 */
        {{.sms = 3, .blocks_per_sm = 1, .tiles = 1024}, 3, 1, 1},
        {{.sms = 3, .blocks_per_sm = 1, .tiles = 1025}, 3, 1, 2}, /* 2050: every second window of one of them */
        {{.sms = 1, .blocks_per_sm = 1, .tiles = 3000}, 1, 1, 4}, /* 6000 */
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct scene *s = &rows[i].scene;
        struct run_case c;
        struct runner r;
        record(&r, &c, s);
        const struct table *warps = &r.tables[BUNDLE_INSIDE_WARPS];
        assert_int_equal(table_rows(warps), LAUNCHES * rows[i].sms * s->blocks_per_sm * ROLES);
        for (size_t row = 0; row < table_rows(warps); row++)
            assert_int_equal(integer(warps, row, INSIDE_WARPS_SM) % rows[i].sm_step,
                             integer(warps, row, INSIDE_WARPS_LAUNCH) * rows[i].sm_step / LAUNCHES);
        expect_windows(&r, s, rows[i].every);
        assert_true(table_rows(&r.tables[BUNDLE_INSIDE_TILES]) <= ROWS_MAX);
        end(&r);
    }
}

/* 2048 rows of an SM, and 4096 where two blocks share it: which windows are kept is the same in every launch, or those
 * that only one has would be missing in the others. */
TEST(launches_have_the_same_windows)
{
    static const struct scene scene = {.sms = 3, .blocks_per_sm = 1, .tiles = 1024, .moves = true};
    struct run_case c;
    struct runner r;
    record(&r, &c, &scene);
    assert_int_equal(table_rows(&r.tables[BUNDLE_INSIDE_WARPS]), (1 + 2 + 1) * ROLES);
    expect_windows(&r, &scene, 1);
    end(&r);
}

/* 4.3 million tiles of two roles are more than 256 MiB: every second window has a record, and few of these a row. */
TEST(windows_without_records_are_left_out)
{
    static const struct scene scene = {.sms = 1, .blocks_per_sm = 1, .tiles = 4300000};
    struct run_case c;
    struct runner r;
    record(&r, &c, &scene);
    assert_int_equal(played.given[0].every_mask, 1);
    expect_windows(&r, &scene, 8192); /* 8.6 million rows would be there, 2^13 * 2048 are the first that are more */
    end(&r);
}

TEST(a_wrong_result_is_a_row)
{
    for (int is_wrong = 0; is_wrong < 2; is_wrong++) {
        const struct scene scene = {.sms = 1, .blocks_per_sm = 1, .tiles = 1, .is_wrong = is_wrong};
        struct run_case c;
        struct runner r;
        record(&r, &c, &scene);
        const struct table *t = &r.tables[BUNDLE_VERIFY];
        assert_int_equal(table_rows(t), 1);
        expect_arm(t, 0, "mine/v1+record");
        assert_int_equal(integer(t, 0, VERIFY_PROCESS), 5);
        assert_string_equal(table_text(t, 0, VERIFY_SEED), seed);
        assert_string_equal(table_text(t, 0, VERIFY_PHASE), "recorded");
        assert_string_equal(table_text(t, 0, VERIFY_PASS), is_wrong ? "no" : "yes");
        end(&r);
    }
}

static const struct scene small = {.sms = 1, .blocks_per_sm = 1, .tiles = 1};

TEST(delays_are_measured)
{
    struct run_case c[ARMS];
    struct runner r;
    struct err e = {0};
    begin(&r, c, (const int[]){OFF, CONTROL, DELAY}, 3, &small);
    if (role_inside(&r, &e))
        fail_msg("%s", e.text);
    const struct table *t = &r.tables[BUNDLE_DELAYS];
    assert_int_equal(table_rows(t), 2); /* none of an arm without marks */
    for (size_t row = 0; row < 2; row++) {
        expect_arm(t, row, variants[row ? DELAY : CONTROL].name);
        assert_string_equal(table_text(t, row, DELAYS_OF), "mine/v1");
        assert_int_equal(integer(t, row, DELAYS_ROLE), 1);
        assert_int_equal(integer(t, row, DELAYS_MARK), 4);
        assert_true(table_number(t, row, DELAYS_TAKEN) == (row ? 404.25 : 1.5));
    }
    assert_true(isnan(table_number(t, 0, DELAYS_ASKED)));
    assert_int_equal(integer(t, 1, DELAYS_ASKED), 400);
    end(&r);

    begin(&r, c, &(const int){DELAY}, 1, &small);
    played.measure_fails = cudaErrorLaunchFailure;
    assert_int_equal(role_inside(&r, &e), ERR_ENVIRONMENT);
    assert_non_null(strstr(e.text, "variant 'mine/v1+delay-1.4-400': CUDA failed to measure a delay"));
    assert_int_equal(table_rows(t), 0);
    end(&r);
}

/* The device has 1000 bytes of shared memory. */
TEST(what_cannot_run_has_no_rows)
{
    struct run_case c[ARMS];
    struct runner r;
    struct err e = {0};
    begin(&r, c, (const int[]){RECORD, DELAY}, 2, &small);
    c[0].config.value[0] = c[1].config.value[0] = 1001;
    assert_int_equal(role_inside(&r, &e), 0);
    for (int t = 0; t < BUNDLE_TABLE_COUNT; t++)
        assert_int_equal(table_rows(&r.tables[t]), 0);
    assert_int_equal(played.launches, 0);
    end(&r);
}

/* Builds of one library share what they are given, and launches of arms alternate. Each launch of a build is given its
 * own settings anew; an arm without marks is given none. */
TEST(each_launch_has_the_settings_of_its_arm)
{
    static const int order[] = {DELAY, CONTROL, DELAY, OFF, RECORD, DELAY, CONTROL};
    struct run_case c[ARMS];
    struct arm arms[ARMS];
    struct runner r;
    struct err e = {0};
    begin(&r, c, (const int[]){OFF, RECORD, CONTROL, DELAY}, ARMS, &small);
    for (size_t i = 0; i < ARMS; i++)
        assert_int_equal(arm_setup(&r, &arms[i], &c[i], 77, &e), 0);
    played.sets = 0;
    for (size_t i = 0; i < COUNT_OF(order); i++) {
        assert_int_equal(arm_launch(&r, &arms[order[i]], &e), 0);
        if (order[i] == RECORD)
            assert_memory_equal(&played.given[0], &arms[RECORD].rooms.of[0].settings, sizeof played.given[0]);
        else if (order[i] != OFF)
            assert_null(played.given[0].records);
    }
    assert_string_equal(played.log, "400@1 -1@2 400@3 400@3 400@5 -1@6 ");
    for (size_t i = 0; i < ARMS; i++)
        arm_teardown(&arms[i]);
    end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_what_was_written),
        cmocka_unit_test(phases_are_those_of_the_variant),
        cmocka_unit_test(every_device_has_its_rows),
        cmocka_unit_test(devices_share_the_rows),
        cmocka_unit_test(every_device_waits),
        cmocka_unit_test(whole_sms_are_kept),
        cmocka_unit_test(launches_have_the_same_windows),
        cmocka_unit_test(windows_without_records_are_left_out),
        cmocka_unit_test(a_wrong_result_is_a_row),
        cmocka_unit_test(delays_are_measured),
        cmocka_unit_test(what_cannot_run_has_no_rows),
        cmocka_unit_test(each_launch_has_the_settings_of_its_arm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
