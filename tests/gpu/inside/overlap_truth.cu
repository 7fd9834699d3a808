/* overlap_truth.cu - kernels whose overlap of copy and work is known: does `cpprof inside` read it?
 *
 *   cpprof run --load ./liboverlap_truth.so 'truth/overlap-*' --shape l50-r4-c1 --inside
 *
 * Two warps copy and two work. All four meet at the begin and at the end of each tile. The work lasts as long as it was
 * told to, the copy is asked for `lead` cycles into it, and the warps that copy wait for their copy. So both spans are
 * known from two clocks each, and E from them: docs/inside.md. Nothing reads what a copy brought until both are over.
 *
 * Copies bring the next tile, as in a kernel with two buffers, and the last tile has none under it. Here one is enough,
 * since work only passes time.
 */
#include "tests/gpu/inside/known_inside.cuh"

enum {
    THREADS = 128,
    COPYING = 64,
    TILES = 64,
    INPUT_TILES = 16,
    LARGE = 192 * 1024,
    SMALL = 24 * 1024,
    ALIGNED = 128,
    SMS_MAX = 1024
};
enum kind { PLAIN, CPASYNC, BULK };
enum axis { AXIS_LEVEL, AXIS_RATIO, AXIS_CTAS_PER_SM, AXIS_COUNT };

struct plan {
    int lead, work; /* cycles; the work is shorter than the lead where nothing overlaps */
};

#define COPIED "truth/overlap-[!p]*"
#define LOADED "truth/overlap-plain"
CPPROF_NAMES(COPIES, WORKS);
CPPROF_NAMES(LEAD, ISSUE, WAIT, END);
CPPROF_NAMES(WORK, DONE);
CPPROF_PHASE_TABLE({"copies", "lead", COPIES, LEAD, CPPROF_PHASE_OTHER, ISSUE, 0, NULL},
                   {"copies", "issue", COPIES, ISSUE, CPPROF_PHASE_ISSUE, WAIT, 1, COPIED},
                   {"copies", "wait", COPIES, WAIT, CPPROF_PHASE_WAIT, END, 1, COPIED},
                   {"copies", "load and wait", COPIES, ISSUE, CPPROF_PHASE_ISSUE, END, 1, LOADED},
                   {"copies", "load and wait", COPIES, ISSUE, CPPROF_PHASE_WAIT, END, 1, LOADED},
                   {"works", "work", WORKS, WORK, CPPROF_PHASE_COMPUTE, DONE, 0, NULL});

/* ---- the kernels ---- */

/* Asks for the tile, in each of its ways; plain loads have arrived when it returns. */
template <int KIND, int CHUNKS>
static __device__ __forceinline__ void copy(float4 *tile, const float4 *from, uint64_t *full)
{
    const int i = (int)threadIdx.x;
    if (KIND == PLAIN) {
#pragma unroll 1
        for (int m = i; m < CHUNKS; m += 8 * COPYING) {
            float4 v[8];
#pragma unroll
            for (int k = 0; k < 8; k++)
                asm volatile("ld.global.v4.f32 {%0, %1, %2, %3}, [%4];"
                             : "=f"(v[k].x), "=f"(v[k].y), "=f"(v[k].z), "=f"(v[k].w)
                             : "l"(from + m + k * COPYING)
                             : "memory");
#pragma unroll
            for (int k = 0; k < 8; k++)
                tile[m + k * COPYING] = v[k];
        }
    } else if (KIND == CPASYNC) {
#pragma unroll 4
        for (int m = i; m < CHUNKS; m += COPYING)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(in_shared(tile + m)), "l"(from + m)
                         : "memory");
        asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(in_shared(full)) : "memory");
    } else if (i == 0)
        copy_bulk(tile, from, CHUNKS * sizeof(float4), full);
}

/* Own clocks of a tile: x and y of the copy, z and w of the work. There is no copy under the last one: its x is the SM.
 */
template <int KIND, int BYTES>
static __global__ void __launch_bounds__(THREADS, BYTES == LARGE ? 1 : 8)
    overlap_truth(const float4 *in, float *out, uint4 *clocks, struct plan plan CPPROF_PARAM)
{
    enum { CHUNKS = BYTES / sizeof(float4) };
    extern __shared__ __align__(128) float4 tile[];
    __shared__ uint64_t full; /* and what aligns the tile: ALIGNED bytes */
    const float4 *from = in + (size_t)blockIdx.x * INPUT_TILES * CHUNKS;
    uint4 *own = clocks + (size_t)blockIdx.x * TILES;
    const int i = (int)threadIdx.x;
    float sum = 0;
    if (i == 0) {
        barrier_begin(&full, KIND == BULK ? 1 : COPYING);
        barriers_begun();
    }
    __syncthreads();
    if (i < COPYING) {
        CPPROF_RECORDER(r, COPIES);
        for (int t = 0; t < TILES; t++) {
            meet<1, THREADS>();
            CPPROF_PHASE(r, LEAD);
            if (t < TILES - 1) {
                spend_cycles(plan.lead);
                const unsigned begin = known_cycle();
                CPPROF_PHASE(r, ISSUE);
                copy<KIND, CHUNKS>(tile, from + (size_t)(t % INPUT_TILES) * CHUNKS, &full);
                CPPROF_PHASE(r, WAIT);
                if (KIND != PLAIN)
                    barrier_wait(&full, (unsigned)t & 1);
                meet<2, COPYING>();
                CPPROF_PHASE(r, END);
                const unsigned end = known_cycle();
                if (i == 0) {
                    own[t].x = begin;
                    own[t].y = end;
                }
            } else if (i == 0)
                own[t].x = known_sm();
            meet<3, THREADS>();
            CPPROF_TILE_END(r);
            if (t < TILES - 1)
                sum = sum_tile<THREADS>(tile, CHUNKS, sum);
        }
        CPPROF_RECORDER_END(r);
    } else {
        CPPROF_RECORDER(r, WORKS);
        for (int t = 0; t < TILES; t++) {
            meet<1, THREADS>();
            CPPROF_PHASE(r, WORK);
            const unsigned begin = known_cycle();
            spend_cycles(plan.work);
            const unsigned end = known_cycle();
            CPPROF_PHASE(r, DONE);
            if (i == COPYING) {
                own[t].z = begin;
                own[t].w = end;
            }
            meet<3, THREADS>();
            CPPROF_TILE_END(r);
            if (t < TILES - 1)
                sum = sum_tile<THREADS>(tile, CHUNKS, sum);
        }
        CPPROF_RECORDER_END(r);
    }
    out[blockIdx.x * (size_t)THREADS + (size_t)i] = sum;
}

/* ---- a launch ---- */

struct state {
    struct known k; /* first: its functions take a state */
    int is_large;
    struct plan plan;
};

template <int KIND, int BYTES> static int launch_size(const struct state *s, cudaStream_t stream)
{
    const cudaError_t rc =
        cudaFuncSetAttribute(overlap_truth<KIND, BYTES>, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
    if (rc)
        return rc;
    overlap_truth<KIND, BYTES><<<(unsigned)s->k.grid, THREADS, BYTES, stream>>>((const float4 *)s->k.in, s->k.out,
                                                                                s->k.clocks, s->plan CPPROF_ARG);
    return cudaGetLastError();
}

template <int KIND> static int launch_kind(const struct state *s, cudaStream_t stream)
{
    return s->is_large ? launch_size<KIND, LARGE>(s, stream) : launch_size<KIND, SMALL>(s, stream);
}

template <int KIND> static int launch(void *opaque, cudaStream_t stream)
{
    struct state *s = (struct state *)opaque;
    s->k.was_launched = 1;
    return launch_kind<KIND>(s, stream);
}

/* ---- how long is a copy, and how much of it was hidden? ---- */

struct seen {
    double copy, work, hidden; /* cycles of all tiles of one SM, or of a tile in the mean over all SMs */
    double longest;            /* copy */
};

static double overlap_of(const uint4 *t)
{
    const int begin = (int)(t->z - t->x) > 0 ? (int)(t->z - t->x) : 0; /* both relative to the copy's begin */
    const int copy_end = (int)(t->y - t->x), work_end = (int)(t->w - t->x);
    const int end = copy_end < work_end ? copy_end : work_end;
    return end > begin ? end - begin : 0;
}

static void add_block(const uint4 *tiles, struct seen *sum)
{
    for (int t = 0; t < TILES; t++) {
        sum->work += (double)(int)(tiles[t].w - tiles[t].z);
        if (t == TILES - 1)
            continue;
        const double length = (double)(int)(tiles[t].y - tiles[t].x);
        sum->copy += length;
        sum->hidden += overlap_of(&tiles[t]);
        sum->longest = length > sum->longest ? length : sum->longest;
    }
}

/* Of each SM. */
static int look(const struct state *s, cudaStream_t stream, struct seen *sms)
{
    const cudaError_t rc = cudaStreamSynchronize(stream);
    uint4 *clocks = rc ? NULL : known_clocks(&s->k);
    if (!clocks)
        return rc ? rc : cudaErrorMemoryAllocation;
    memset(sms, 0, SMS_MAX * sizeof *sms);
    for (int block = 0; block < s->k.grid; block++) {
        const uint4 *tiles = clocks + (size_t)block * TILES;
        if (tiles[TILES - 1].x < SMS_MAX)
            add_block(tiles, &sms[tiles[TILES - 1].x]);
    }
    free(clocks);
    return 0;
}

static int look_at_all(const struct state *s, cudaStream_t stream, struct seen *mean)
{
    struct seen sms[SMS_MAX];
    const int rc = look(s, stream, sms);
    memset(mean, 0, sizeof *mean);
    for (int sm = 0; sm < SMS_MAX && !rc; sm++) {
        mean->copy += sms[sm].copy / ((double)s->k.grid * (TILES - 1));
        mean->work += sms[sm].work / (double)s->k.clock_count;
        mean->longest = sms[sm].longest > mean->longest ? sms[sm].longest : mean->longest;
    }
    return rc;
}

/* In steps, so that processes which measure a copy a little differently mostly agree on the work. */
static int in_steps(double cycles)
{
    return (int)lround(cycles / 128) * 128;
}

/* At level 0 the copy comes behind the work. At level 100 with long work it comes so early that every copy ends in it.
 */
static struct plan plan_for(const struct seen *copy, int level, int quarters)
{
    const double length = in_steps(copy->copy), work = length * quarters / 4, least = work < length ? work : length;
    double hidden = least * level / 100;
    if (level == 100 && work > length)
        hidden = 1.25 * copy->longest < work ? 1.25 * copy->longest : work;
    if (level == 0)
        hidden = -150;
    return (struct plan){(int)lround(work - hidden), (int)lround(work)};
}

/* What hides a copy also changes its length, so the second plan comes from a launch of the first. */
static int calibrate(struct state *s, int level, int quarters, int (*launch_plan)(const struct state *, cudaStream_t),
                     cudaStream_t stream)
{
    const struct cpprof_inside_settings was = known_settings(NULL);
    int rc = 0;
    for (int i = 0; i < 4 && !rc; i++) {
        struct seen seen;
        rc = launch_plan(s, stream);
        if (!rc)
            rc = look_at_all(s, stream, &seen);
        if (!rc && i > 0) /* the first launch loads the code */
            s->plan = plan_for(&seen, level, quarters);
    }
    known_settings(&was);
    return rc;
}

/* ---- setup ---- */

static void teardown(void *opaque)
{
    struct state *s = (struct state *)opaque;
    struct seen sms[SMS_MAX];
    const int is_known = s->k.was_launched && CPPROF_INSIDE == CPPROF_INSIDE_RECORD && !look(s, NULL, sms);
    for (int sm = 0; sm < SMS_MAX && is_known; sm++)
        if (sms[sm].work > 0)
            known_log(&s->k, sm, sms[sm].hidden, sms[sm].copy, sms[sm].work);
    known_release(&s->k);
    free(s);
}

static int setup(const struct cpprof_config *config, const char *name, int level,
                 int (*launch_plan)(const struct state *, cudaStream_t), cudaStream_t stream, void **out)
{
    struct state *s = (struct state *)calloc(1, sizeof *s);
    if (!s)
        return cudaErrorMemoryAllocation;
    const int quarters = (int)config->value[AXIS_RATIO], ctas = (int)config->value[AXIS_CTAS_PER_SM];
    int rc = known_sm_count(&s->k.sm_count);
    s->k.name = name;
    snprintf(s->k.shape, sizeof s->k.shape, "l%d-r%d-c%d", (int)config->value[AXIS_LEVEL], quarters, ctas);
    s->k.seed = config->seed;
    s->is_large = ctas == 1;
    s->k.grid = ctas * s->k.sm_count;
    s->k.threads = THREADS;
    s->k.input = (struct known_input){TILES - 1, INPUT_TILES, (s->is_large ? LARGE : SMALL) / sizeof(float)};
    s->k.clock_count = (size_t)s->k.grid * TILES;
    if (!rc)
        rc = known_prepare(&s->k, 0, stream);
    if (!rc)
        rc = calibrate(s, level, quarters, launch_plan, stream);
    if (rc) {
        known_release(&s->k);
        free(s);
    } else
        *out = s;
    return rc;
}

/* A variant has its own, since setup does not know for which one it is called. */
#define SETUP(FUNCTION, NAME, KIND, LEVEL)                                                                             \
    static int FUNCTION(const struct cpprof_config *config, cudaStream_t stream, void **out)                           \
    {                                                                                                                  \
        return setup(config, NAME, LEVEL, launch_kind<KIND>, stream, out);                                             \
    }
SETUP(setup_plain, "truth/overlap-plain", PLAIN, (int)config->value[AXIS_LEVEL])
SETUP(setup_cpasync, "truth/overlap-cpasync", CPASYNC, (int)config->value[AXIS_LEVEL])
SETUP(setup_bulk, "truth/overlap-bulk", BULK, (int)config->value[AXIS_LEVEL])
SETUP(setup_late, "truth/overlap-late", BULK, 0)

static size_t shared_bytes(const struct cpprof_config *config)
{
    return (config->value[AXIS_CTAS_PER_SM] == 1 ? LARGE : SMALL) + ALIGNED;
}

/* ---- the variants ---- */

static const struct cpprof_axis axes[AXIS_COUNT] = {
    {"level", "of the copy or the work, whichever is shorter, how many percent overlap", CPPROF_AXIS_SHAPE, 0, 100, 50},
    {"ratio", "quarters of a copy that the work lasts", CPPROF_AXIS_SHAPE, 1, 16, 4},
    {"ctas_per_sm", "blocks per SM, 1 of 192 KiB or up to 8 of 24 KiB", CPPROF_AXIS_SHAPE, 1, 8, 1},
};

#define LEVELS(RATIO, CTAS)                                                                                            \
    {"l50-r" #RATIO "-c" #CTAS, {50, RATIO, CTAS}, 0}, {"l0-r" #RATIO "-c" #CTAS, {0, RATIO, CTAS}, 0},                \
        {"l25-r" #RATIO "-c" #CTAS, {25, RATIO, CTAS}, 0}, {"l75-r" #RATIO "-c" #CTAS, {75, RATIO, CTAS}, 0},          \
    {                                                                                                                  \
        "l100-r" #RATIO "-c" #CTAS, {100, RATIO, CTAS}, 0                                                              \
    }
static const struct cpprof_shape shapes[] = {LEVELS(4, 1), LEVELS(1, 1), LEVELS(16, 1),
                                             LEVELS(4, 8), LEVELS(1, 8), LEVELS(16, 8)};

static const struct cpprof_expect expect_none[] = {{"sm__sass_inst_executed_op_ldgsts.sum", 0, 0}};
static const struct cpprof_expect expect_ldgsts[] = {{"sm__sass_inst_executed_op_ldgsts.sum", 1, INFINITY}};

#define VARIANT(NAME, SUMMARY, KIND, EXPECT, SETUP)                                                                    \
    {                                                                                                                  \
        .struct_bytes = sizeof(struct cpprof_variant), .name = "truth/overlap-" NAME, .summary = SUMMARY,              \
        .kernel_pattern = "overlap_truth<" #KIND ", [0-9]+>\\(", .axes = axes, .axis_count = AXIS_COUNT,               \
        .shapes = shapes, .shape_count = sizeof shapes / sizeof shapes[0], .expect = EXPECT, .expect_count = 1,        \
        .refuse = known_refuse, .shared_bytes = shared_bytes, .flops = known_nothing, .bytes = known_nothing,          \
        .setup = SETUP, .poison = known_poison, .launch = launch<KIND>, .verify = known_verify, .teardown = teardown   \
    }

static const struct cpprof_variant plain =
    VARIANT("plain", "plain loads, a known part of them under work", 0, expect_none, setup_plain);
static const struct cpprof_variant cpasync =
    VARIANT("cpasync", "cp.async, a known part of it under work", 1, expect_ldgsts, setup_cpasync);
static const struct cpprof_variant bulk =
    VARIANT("bulk", "bulk copies, a known part of them under work", 2, expect_none, setup_bulk);
static const struct cpprof_variant late =
    VARIANT("late", "bulk copies that are asked for behind the work (a planted bug)", 2, expect_none, setup_late);

const struct cpprof_variant_library *cpprof_variants(void)
{
    static const struct cpprof_variant *const variants[] = {&plain, &cpasync, &bulk, &late};
    static const struct cpprof_variant_library library = {sizeof library, CPPROF_VARIANT_ABI, variants, 4};
    return &library;
}
