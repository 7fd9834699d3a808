/* slack_truth.cu - kernels in which it is known how much later a phase may end: does `cpprof slack` read it?
 *
 *   cpprof run --load ./libslack_truth.so truth/slack-pair --shape a300-b1100 --slack
 *
 *   slack-pair   Two roles of four warps work for a and b cycles and meet once a tile. The slack of the shorter one is
 *                the difference; each cycle behind it makes a tile longer by a cycle. The longer one has none.
 *   slack-ring   A warp brings tiles by bulk copies into a ring, eight warps work on them. One stage alternates between
 *                copy and work, so its period P(1) is the time from an empty slot until its work is done. With two
 *                stages of period P(2) a slot has 2 P(2) for that: the producer may be 2 P(2) - P(1) late, and behind
 *                that a tile becomes longer by half a cycle for each. With more stages copies queue, and nothing is
 * known.
 *
 * Work is a chain of FMAs of which each needs the one before, 4 cycles each, and is measured by clocks of its own.
 */
#include "tests/gpu/inside/known_inside.cuh"

enum { PAIR_TILES = 256, RING_TILES = 128, TILE_BYTES = 16 * 1024, STAGES_MAX = 4 };
enum { INPUT_TILES = 8 }; /* of a block: 17 MB of all, in the L2 cache */
enum { PAIR_THREADS = 256, HALF = PAIR_THREADS / 2, CONSUMERS = 256, RING_THREADS = CONSUMERS + 32 };
enum { CHAIN = 25, CHAIN_CYCLES = 4 * CHAIN }; /* FMAs of a round of work */
enum { ALIGNED = 128 };

#define PAIR "truth/slack-pair"
#define RING "truth/slack-ring"
CPPROF_NAMES(FIRST, SECOND, BRINGS, WORKS);
CPPROF_NAMES(WORK, MET, AFTER);
CPPROF_NAMES(ROOM, REFILL, REFILLED);
CPPROF_NAMES(WAIT, MATH, DONE);
CPPROF_PHASE_TABLE({"first", "first work", FIRST, WORK, CPPROF_PHASE_COMPUTE, MET, 0, PAIR},
                   {"first", "first meets", FIRST, MET, CPPROF_PHASE_OTHER, AFTER, 0, PAIR},
                   {"second", "second work", SECOND, WORK, CPPROF_PHASE_COMPUTE, MET, 0, PAIR},
                   {"second", "second meets", SECOND, MET, CPPROF_PHASE_OTHER, AFTER, 0, PAIR},
                   {"brings", "room", BRINGS, ROOM, CPPROF_PHASE_OTHER, REFILL, 0, RING},
                   {"brings", "refill", BRINGS, REFILL, CPPROF_PHASE_ISSUE, REFILLED, 0, RING},
                   {"works", "wait", WORKS, WAIT, CPPROF_PHASE_WAIT, MATH, 0, RING},
                   {"works", "math", WORKS, MATH, CPPROF_PHASE_COMPUTE, DONE, 0, RING});

/* ---- the kernels ---- */

/* Adds 1 for each FMA: a chain that is cut short has another sum. */
static __device__ __forceinline__ float work(float x, int rounds, float one)
{
#pragma unroll 1
    for (int k = 0; k < rounds; k++) {
#pragma unroll
        for (int i = 0; i < CHAIN; i++)
            x = fmaf(x, one, 1.0f);
        asm volatile("" : "+f"(x)::"memory");
    }
    return x;
}

struct pair_plan {
    int first, second; /* rounds of work */
    float one;         /* 1, which the compiler does not know */
};

/* One role of the pair. Own clocks: how long its work takes in all, from one thread. */
#define PAIR_ROLE(ROLE, ROUNDS)                                                                                        \
    do {                                                                                                               \
        CPPROF_RECORDER(r, ROLE);                                                                                      \
        for (int t = 0; t < PAIR_TILES; t++) {                                                                         \
            CPPROF_PHASE(r, WORK);                                                                                     \
            const unsigned begin = known_cycle();                                                                      \
            x = work(x, ROUNDS, plan.one);                                                                             \
            worked += known_cycle() - begin;                                                                           \
            CPPROF_PHASE(r, MET);                                                                                      \
            meet<1, PAIR_THREADS>();                                                                                   \
            CPPROF_PHASE(r, AFTER);                                                                                    \
            CPPROF_TILE_END(r);                                                                                        \
        }                                                                                                              \
        CPPROF_RECORDER_END(r);                                                                                        \
    } while (0)

static __global__ void __launch_bounds__(PAIR_THREADS)
    slack_pair(float *out, uint4 *clocks, struct pair_plan plan CPPROF_PARAM)
{
    const int i = (int)threadIdx.x;
    unsigned worked = 0;
    float x = 0;
    if (i < HALF)
        PAIR_ROLE(FIRST, plan.first);
    else
        PAIR_ROLE(SECOND, plan.second);
    if (i == 0)
        clocks[blockIdx.x].x = worked;
    if (i == HALF)
        clocks[blockIdx.x].y = worked;
    out[blockIdx.x * (size_t)PAIR_THREADS + (size_t)i] = x;
}

struct ring_plan {
    int stages, rounds;
    float one;
};

static __device__ __forceinline__ void bring(char *ring, const char *from, uint64_t *full, uint64_t *empty,
                                             int stages CPPROF_TAKES(r, BRINGS))
{
    int slot = 0, round = 0;
    for (int t = 0; t < RING_TILES; t++) {
        CPPROF_PHASE(r, ROOM);
        if (round > 0)
            barrier_wait(&empty[slot], (unsigned)(round - 1) & 1);
        CPPROF_PHASE(r, REFILL);
        copy_bulk(ring + (size_t)slot * TILE_BYTES, from + (size_t)(t % INPUT_TILES) * TILE_BYTES, TILE_BYTES,
                  &full[slot]);
        CPPROF_PHASE(r, REFILLED);
        CPPROF_TILE_END(r);
        slot = slot + 1 < stages ? slot + 1 : 0;
        round += slot == 0;
    }
}

/* Own clocks: its period is the time between two tiles in the middle of the launch, where the ring is full. */
static __device__ __forceinline__ float consume(const char *ring, uint64_t *full, uint64_t *empty,
                                                const struct ring_plan &plan, uint4 *own CPPROF_TAKES(r, WORKS))
{
    int slot = 0, round = 0;
    unsigned worked = 0, begin = 0;
    float x = 0;
    for (int t = 0; t < RING_TILES; t++) {
        CPPROF_PHASE(r, WAIT);
        barrier_wait(&full[slot], (unsigned)round & 1);
        CPPROF_PHASE(r, MATH);
        const unsigned start = known_cycle();
        begin = t == RING_TILES / 4 ? start : begin;
        x = sum_tile<CONSUMERS>((const float4 *)(ring + (size_t)slot * TILE_BYTES), TILE_BYTES / sizeof(float4), x);
        x = work(x, plan.rounds, plan.one);
        worked += known_cycle() - start;
        if (threadIdx.x == 0 && t == 3 * RING_TILES / 4)
            own->y = start - begin;
        CPPROF_PHASE(r, DONE);
        __syncwarp();
        if (threadIdx.x % 32 == 0)
            barrier_arrive(&empty[slot]);
        CPPROF_TILE_END(r);
        slot = slot + 1 < plan.stages ? slot + 1 : 0;
        round += slot == 0;
    }
    if (threadIdx.x == 0)
        own->x = worked;
    return x;
}

static __global__ void __launch_bounds__(RING_THREADS)
    slack_ring(const char *in, float *out, uint4 *clocks, struct ring_plan plan CPPROF_PARAM)
{
    extern __shared__ __align__(128) char slots[];
    __shared__ uint64_t full[STAGES_MAX], empty[STAGES_MAX]; /* and what aligns the ring: ALIGNED bytes */
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES_MAX; i++) {
            barrier_begin(&full[i], 1);
            barrier_begin(&empty[i], CONSUMERS / 32);
        }
        barriers_begun();
    }
    __syncthreads();
    if (threadIdx.x >= CONSUMERS) {
        if (threadIdx.x % 32 == 0) {
            CPPROF_RECORDER(r, BRINGS);
            bring(slots, in + (size_t)blockIdx.x * INPUT_TILES * TILE_BYTES, full, empty, plan.stages CPPROF_GIVES(r));
            CPPROF_RECORDER_END(r);
        }
    } else {
        CPPROF_RECORDER(r, WORKS);
        const float x = consume(slots, full, empty, plan, &clocks[blockIdx.x] CPPROF_GIVES(r));
        CPPROF_RECORDER_END(r);
        out[blockIdx.x * (size_t)CONSUMERS + threadIdx.x] = x;
    }
}

/* ---- a launch ---- */

struct state {
    struct known k; /* first: its functions take a state */
    int a, b;       /* as asked for */
    double single;  /* period of a ring of one stage, cycles */
};

static int launch_pair(void *opaque, cudaStream_t stream)
{
    struct state *s = (struct state *)opaque;
    const struct pair_plan plan = {s->a / CHAIN_CYCLES, s->b / CHAIN_CYCLES, 1.0f};
    s->k.was_launched = 1;
    slack_pair<<<(unsigned)s->k.grid, PAIR_THREADS, 0, stream>>>(s->k.out, s->k.clocks, plan CPPROF_ARG);
    return cudaGetLastError();
}

static int launch_stages(const struct state *s, int stages, cudaStream_t stream)
{
    const struct ring_plan plan = {stages, s->b / CHAIN_CYCLES, 1.0f};
    const cudaError_t rc =
        cudaFuncSetAttribute(slack_ring, cudaFuncAttributeMaxDynamicSharedMemorySize, STAGES_MAX * TILE_BYTES);
    if (rc)
        return rc;
    slack_ring<<<(unsigned)s->k.grid, RING_THREADS, (size_t)stages * TILE_BYTES, stream>>>(
        (const char *)s->k.in, s->k.out, s->k.clocks, plan CPPROF_ARG);
    return cudaGetLastError();
}

static int launch_ring(void *opaque, cudaStream_t stream)
{
    struct state *s = (struct state *)opaque;
    s->k.was_launched = 1;
    return launch_stages(s, s->a, stream);
}

/* ---- what was built ---- */

/* Means of all blocks of the last launch, in cycles of all its tiles. */
static int look(const struct state *s, cudaStream_t stream, double *first, double *second)
{
    const cudaError_t rc = cudaStreamSynchronize(stream);
    uint4 *clocks = rc ? NULL : known_clocks(&s->k);
    if (!clocks)
        return rc ? rc : cudaErrorMemoryAllocation;
    *first = *second = 0;
    for (size_t i = 0; i < s->k.clock_count; i++) {
        *first += (double)clocks[i].x / (double)s->k.clock_count;
        *second += (double)clocks[i].y / (double)s->k.clock_count;
    }
    free(clocks);
    return 0;
}

static void release(struct state *s)
{
    known_release(&s->k);
    free(s);
}

static void teardown_pair(void *opaque)
{
    struct state *s = (struct state *)opaque;
    const double tiles = (int)PAIR_TILES;
    double first, second;
    if (s->k.was_launched && !look(s, NULL, &first, &second))
        known_log(&s->k, -1, (second - first) / tiles, first / tiles, second / tiles);
    release(s);
}

/* The slack of the producer: NAN with more than two stages. */
static void teardown_ring(void *opaque)
{
    struct state *s = (struct state *)opaque;
    double worked, half;
    if (s->k.was_launched && !look(s, NULL, &worked, &half)) {
        const double tiles = (int)RING_TILES, period = half / (tiles / 2);
        known_log(&s->k, -1, s->a == 1 ? 0 : s->a == 2 ? 2 * period - s->single : NAN, period, worked / tiles);
    }
    release(s);
}

/* ---- setup ---- */

static int make(const struct cpprof_config *config, const char *name, const char *shape, struct state **out)
{
    struct state *s = (struct state *)calloc(1, sizeof *s);
    if (!s)
        return cudaErrorMemoryAllocation;
    s->a = (int)config->value[0];
    s->b = (int)config->value[1];
    s->k.name = name;
    s->k.seed = config->seed;
    snprintf(s->k.shape, sizeof s->k.shape, shape, s->a, s->b);
    const int rc = known_sm_count(&s->k.sm_count);
    s->k.grid = s->k.sm_count;
    s->k.clock_count = (size_t)s->k.grid;
    if (rc)
        free(s);
    else
        *out = s;
    return rc;
}

/* The halves of a block have sums of their own. */
static __global__ void pair_reference(double *out, double first, double second)
{
    out[blockIdx.x * (size_t)blockDim.x + threadIdx.x] = threadIdx.x < HALF ? first : second;
}

static double work_sum(int cycles, int tiles)
{
    return (double)(cycles / CHAIN_CYCLES * CHAIN * tiles);
}

static int setup_pair(const struct cpprof_config *config, cudaStream_t stream, void **out)
{
    struct state *s = NULL;
    int rc = make(config, PAIR, "a%d-b%d", &s);
    if (rc)
        return rc;
    s->k.threads = PAIR_THREADS;
    rc = known_prepare(&s->k, 0, stream);
    if (!rc) {
        pair_reference<<<(unsigned)s->k.grid, PAIR_THREADS, 0, stream>>>(s->k.reference, work_sum(s->a, PAIR_TILES),
                                                                         work_sum(s->b, PAIR_TILES));
        rc = cudaGetLastError();
    }
    if (rc)
        release(s);
    else
        *out = s;
    return rc;
}

/* The first launch loads the code. */
static int measure_single(struct state *s, cudaStream_t stream)
{
    const struct cpprof_inside_settings was = known_settings(NULL);
    double worked, half = 0;
    int rc = 0;
    for (int i = 0; i < 3 && !rc; i++) {
        rc = launch_stages(s, 1, stream);
        if (!rc)
            rc = look(s, stream, &worked, &half);
    }
    s->single = half / (double)(int)(RING_TILES / 2);
    known_settings(&was);
    return rc;
}

static int setup_ring(const struct cpprof_config *config, cudaStream_t stream, void **out)
{
    struct state *s = NULL;
    int rc = make(config, RING, "s%d-w%d", &s);
    if (rc)
        return rc;
    s->k.threads = CONSUMERS;
    s->k.input = (struct known_input){RING_TILES, INPUT_TILES, TILE_BYTES / sizeof(float)};
    rc = known_prepare(&s->k, work_sum(s->b, RING_TILES), stream);
    if (!rc)
        rc = measure_single(s, stream);
    if (rc)
        release(s);
    else
        *out = s;
    return rc;
}

static size_t shared_bytes_pair(const struct cpprof_config *)
{
    return 0;
}

static size_t shared_bytes_ring(const struct cpprof_config *config)
{
    return (size_t)config->value[0] * TILE_BYTES + ALIGNED;
}

/* ---- the variants ---- */

static const struct cpprof_axis pair_axes[] = {
    {"a", "cycles of work of the first role, in hundreds", CPPROF_AXIS_SHAPE, 100, 10000, 300},
    {"b", "cycles of work of the second role, in hundreds", CPPROF_AXIS_SHAPE, 100, 10000, 1100},
};
static const struct cpprof_shape pair_shapes[] = {{"a300-b1100", {300, 1100}, 0},
                                                  {"a200-b2200", {200, 2200}, 0},
                                                  {"a900-b1000", {900, 1000}, 0},
                                                  {"a900-b1300", {900, 1300}, 0},
                                                  {"a700-b700", {700, 700}, 0}};

static const struct cpprof_axis ring_axes[] = {
    {"stages", "tiles in the ring", CPPROF_AXIS_SHAPE, 1, STAGES_MAX, 2},
    {"work", "cycles of work on a tile, in hundreds", CPPROF_AXIS_SHAPE, 100, 10000, 2000},
};
static const struct cpprof_shape ring_shapes[] = {
    {"s2-w2000", {2, 2000}, 0}, {"s1-w2000", {1, 2000}, 0}, {"s3-w2000", {3, 2000}, 0},
    {"s4-w2000", {4, 2000}, 0}, {"s2-w4000", {2, 4000}, 0},
};

static const struct cpprof_expect no_async_loads[] = {{"sm__sass_inst_executed_op_ldgsts.sum", 0, 0}};

#define VARIANT(NAME, SUMMARY, FORM)                                                                                   \
    {                                                                                                                  \
        .struct_bytes = sizeof(struct cpprof_variant), .name = NAME, .summary = SUMMARY,                               \
        .kernel_pattern = "^slack_" #FORM "\\(", .axes = FORM##_axes, .axis_count = 2, .shapes = FORM##_shapes,        \
        .shape_count = sizeof FORM##_shapes / sizeof FORM##_shapes[0], .expect = no_async_loads, .expect_count = 1,    \
        .refuse = known_refuse, .shared_bytes = shared_bytes_##FORM, .flops = known_nothing, .bytes = known_nothing,   \
        .setup = setup_##FORM, .poison = known_poison, .launch = launch_##FORM, .verify = known_verify,                \
        .teardown = teardown_##FORM                                                                                    \
    }

static const struct cpprof_variant pair = VARIANT(PAIR, "two roles that meet once a tile", pair);
static const struct cpprof_variant ring = VARIANT(RING, "bulk copies into a ring, one warp brings, eight work", ring);

const struct cpprof_variant_library *cpprof_variants(void)
{
    static const struct cpprof_variant *const variants[] = {&pair, &ring};
    static const struct cpprof_variant_library library = {sizeof library, CPPROF_VARIANT_ABI, variants, 2};
    return &library;
}
