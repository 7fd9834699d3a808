/* marks.cu - does the record build of cpprof/record.cuh leave the records that docs/inside.md describes, and does the
 * delay build wait as long as it is asked to? One source, compiled as either; marks.sh runs both.
 *
 *   marks-record      prints what is wrong, exits 1 if anything is
 *   marks-delay       prints a line for each delay: cycles asked for, cycles that a tile became longer */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpprof/record.cuh"

enum { BLOCKS = 8, WARPS = 2, TILES = 32, STEPS = 100, ROUNDS = 5 };

CPPROF_NAMES(WORKS);
CPPROF_NAMES(WAIT, MATH, END);
CPPROF_PHASE_TABLE({"works", "wait", WORKS, WAIT, CPPROF_PHASE_WAIT, MATH, 0},
                   {"works", "math", WORKS, MATH, CPPROF_PHASE_COMPUTE, END, 0});

/* A chain of FMAs of which each needs the one before: STEPS times 4 cycles a tile. */
__global__ void chains(float *values, long long *cycles, float factor CPPROF_PARAM)
{
    float x = values[threadIdx.x];
    CPPROF_HOLD_F(x);
    const long long begin = clock64();
    CPPROF_RECORDER(r, WORKS);
#pragma unroll 1
    for (int t = 0; t < TILES; t++) {
        CPPROF_PHASE(r, WAIT);
        __syncwarp();
        CPPROF_PHASE(r, MATH);
#pragma unroll
        for (int k = 0; k < STEPS; k++)
            x = fmaf(x, factor, 1.0f);
        CPPROF_HOLD_F(x);
        CPPROF_PHASE(r, END);
        CPPROF_TILE_END(r);
    }
    CPPROF_RECORDER_END(r);
    const long long end = clock64();
    values[threadIdx.x] = x;
    if (threadIdx.x == 0)
        cycles[blockIdx.x] = end - begin;
}

static float *values;
static long long *cycles;

/* Memory of the host that the GPU writes to: pages that move would be in the times. */
static void *shared_memory(size_t bytes)
{
    void *memory = NULL;
    if (cudaMallocHost(&memory, bytes)) {
        fprintf(stderr, "no memory for the GPU: %s\n", cudaGetErrorString(cudaGetLastError()));
        exit(4);
    }
    memset(memory, 0, bytes);
    return memory;
}

static void launch(const struct cpprof_inside_settings *settings)
{
    cpprof_phases()->set(settings);
    chains<<<BLOCKS, 32 * WARPS>>>(values, cycles, 0.5f CPPROF_ARG);
    if (cudaGetLastError() || cudaDeviceSynchronize()) {
        fprintf(stderr, "the kernel failed: %s\n", cudaGetErrorString(cudaGetLastError()));
        exit(1);
    }
}

#if CPPROF_INSIDE == CPPROF_INSIDE_RECORD

/* Room behind what the settings allow must stay as it was. */
enum { ROOM_SEATS = 2 * BLOCKS * WARPS };

static struct cpprof_inside_warp *warps;
static uint32_t *records;
static int failed;

static void complain(const char *scene, const char *what, unsigned seat, unsigned tile)
{
    if (++failed <= 20)
        printf("%s: %s, seat %u, tile %u\n", scene, what, seat, tile);
}

static bool follows(uint32_t before, uint32_t after)
{
    return (int32_t)(after - before) >= 0;
}

/* A seat with so many records in a row, of a warp that went through all tiles. */
static void check_seat(const char *scene, const struct cpprof_inside_settings *s, unsigned seat, unsigned warp,
                       unsigned expected)
{
    const struct cpprof_inside_warp *w = &warps[seat];
    if (w->role != WORKS + 1 || w->tiles != TILES || w->warp != warp)
        complain(scene, "role, tiles or warp is wrong", seat, w->tiles);
    if (!w->begin_ns || w->end_ns < w->begin_ns || !follows(w->begin_cycle, w->end_cycle))
        complain(scene, "it ends before it begins", seat, 0);
    uint32_t before = w->begin_cycle;
    for (unsigned t = 0; t < s->tiles; t++) {
        const uint32_t *marks = records + ((size_t)seat * s->tiles + t) * CPPROF_MARKS_MAX;
        for (int mark = WAIT; mark <= END; mark++) {
            if (!marks[mark] != (t >= expected))
                complain(scene, t < expected ? "a mark is missing" : "a mark that nobody asked for", seat, t);
            if (t < expected && !follows(before, marks[mark]))
                complain(scene, "marks are out of order", seat, t);
            before = t < expected ? marks[mark] : before;
        }
        if (t < expected && marks[END] - marks[MATH] < 3 * STEPS)
            complain(scene, "math is shorter than its chain", seat, t);
        for (int mark = END + 1; mark < CPPROF_MARKS_MAX; mark++)
            if (marks[mark])
                complain(scene, "a mark that the kernel has not", seat, t);
    }
    if (!follows(before, w->end_cycle))
        complain(scene, "marks behind the end", seat, 0);
}

static void check_untouched(const char *scene, const struct cpprof_inside_settings *s, unsigned seats)
{
    for (unsigned seat = seats; seat < ROOM_SEATS; seat++) {
        static const struct cpprof_inside_warp nothing = {0};
        if (memcmp(&warps[seat], &nothing, sizeof nothing))
            complain(scene, "a seat that nobody has", seat, 0);
    }
    const size_t end = (size_t)ROOM_SEATS * TILES * CPPROF_MARKS_MAX;
    for (size_t i = (size_t)seats * s->tiles * CPPROF_MARKS_MAX; i < end; i++)
        if (records[i])
            complain(scene, "a record beyond the room", (unsigned)(i / CPPROF_MARKS_MAX), 0);
}

/* One scene: `seats_of_block` warps of each block record, the first of them warp `first`, and each leaves `expected`.
 */
static void play(const char *scene, struct cpprof_inside_settings s, unsigned seats_of_block, unsigned first,
                 unsigned expected)
{
    memset(warps, 0, ROOM_SEATS * sizeof *warps);
    memset(records, 0, (size_t)ROOM_SEATS * TILES * CPPROF_MARKS_MAX * sizeof *records);
    s.warps = warps;
    s.records = records;
    launch(&s);
    for (unsigned seat = 0; seat < s.blocks * seats_of_block; seat++)
        check_seat(scene, &s, seat, first + seat % seats_of_block, expected);
    check_untouched(scene, &s, s.blocks * seats_of_block);
}

int main(void)
{
    values = (float *)shared_memory(32 * WARPS * sizeof *values);
    cycles = (long long *)shared_memory(BLOCKS * sizeof *cycles);
    warps = (struct cpprof_inside_warp *)shared_memory(ROOM_SEATS * sizeof *warps);
    records = (uint32_t *)shared_memory((size_t)ROOM_SEATS * TILES * CPPROF_MARKS_MAX * sizeof *records);
    struct cpprof_inside_settings s = {0};
    s.blocks = BLOCKS;
    s.seats_per_block = WARPS;
    s.tiles = s.limit = TILES;
    s.warp_mask = 3;
    s.delay_cycles = -1;
    play("all", s, 2, 0, TILES);
    struct cpprof_inside_settings other = s;
    other.tiles = 16;
    other.every_mask = 1; /* tiles 0 to 7 and 16 to 23 */
    play("one window in two", other, 2, 0, 16);
    other = s;
    other.tiles = other.limit = 8;
    play("room for 8 tiles", other, 2, 0, 8);
    other = s;
    other.blocks = 3;
    play("room for 3 blocks", other, 2, 0, TILES);
    other = s;
    other.warp_mask = 2;
    other.seats_per_block = 1;
    play("the second warp", other, 1, 1, TILES);
    other = s;
    other.seats_per_block = 1;
    play("a seat too few", other, 1, 0, TILES);
    other = s;
    other.blocks = 0;
    play("room for no block", other, 2, 0, 0);
    printf("record: %d faults\n", failed);
    return failed != 0;
}

#else

static int compare(const void *a, const void *b)
{
    const double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* Cycles of one tile: the median block's, least of a few launches. */
static double tile_cycles(int delay)
{
    struct cpprof_inside_settings s = {0};
    double best = INFINITY;
    s.delay_cycles = delay;
    for (int round = 0; round < ROUNDS; round++) {
        double times[BLOCKS];
        launch(&s);
        for (int i = 0; i < BLOCKS; i++)
            times[i] = (double)cycles[i] / TILES;
        qsort(times, BLOCKS, sizeof times[0], compare);
        best = times[BLOCKS / 2] < best ? times[BLOCKS / 2] : best;
    }
    return best;
}

int main(void)
{
    static const int delays[] = {0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 150, 200, 400, 800, 1600};
    values = (float *)shared_memory(32 * WARPS * sizeof *values);
    cycles = (long long *)shared_memory(BLOCKS * sizeof *cycles);
    const double control = tile_cycles(-1);
    printf("delay: a tile of %.1f cycles\n", control);
    for (size_t i = 0; i < sizeof delays / sizeof delays[0]; i++)
        printf("%d %.1f\n", delays[i], tile_cycles(delays[i]) - control);
    return 0;
}

#endif
