/* hang_truth.cu - a launch that does not end, by construction, for tests/gpu/progress.sh.
 *
 * One warp of a block brings tiles, four work on them. In one block the first one ends too early: it never brings the
 * tile STOP, and the others wait for it. They give up 20 s after they began, so that no launch lasts longer. */
#include <math.h>

#include "tests/gpu/inside/known_inside.cuh"

#define NAME "truth/hang"

enum { WORKERS = 4, THREADS = 32 * (1 + WORKERS), TILES = 16, HANGING_BLOCK = 17 };
#define LONGEST_NS 20000000000ull

CPPROF_NAMES(BRINGS, WORKS);
CPPROF_NAMES(WAIT, WORK, DONE);
CPPROF_PHASE_TABLE({"brings", "bring", BRINGS, WORK, CPPROF_PHASE_ISSUE, DONE, 0},
                   {"works", "wait", WORKS, WAIT, CPPROF_PHASE_WAIT, WORK, 0},
                   {"works", "work", WORKS, WORK, CPPROF_PHASE_COMPUTE, DONE, 0});

static __device__ __forceinline__ unsigned long long timer_ns(void)
{
    unsigned long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
    return ns;
}

/* Tiles that are there are counted in `brought`. */
static __device__ __forceinline__ void bring(volatile int *brought, int tiles CPPROF_TAKES(r, BRINGS))
{
    for (int t = 0; t < tiles; t++) {
        CPPROF_PHASE(r, WORK);
        spend_cycles(1000);
        *brought = t + 1;
        CPPROF_PHASE(r, DONE);
        CPPROF_TILE_END(r);
    }
}

static __device__ __forceinline__ float work(const volatile int *brought CPPROF_TAKES(r, WORKS))
{
    const unsigned long long begin = timer_ns();
    float sum = 0;
    for (int t = 0; t < TILES; t++) {
        CPPROF_PHASE(r, WAIT);
        while (*brought <= t && timer_ns() - begin < LONGEST_NS) {
        }
        CPPROF_PHASE(r, WORK);
        sum += *brought > t ? 1 : 0;
        CPPROF_PHASE(r, DONE);
        CPPROF_TILE_END(r);
    }
    return sum;
}

static __global__ void __launch_bounds__(THREADS) hang(float *out, int stop CPPROF_PARAM)
{
    __shared__ int brought;
    if (threadIdx.x == 0)
        brought = 0;
    __syncthreads();
    float sum = (int)TILES;
    if (threadIdx.x < 32) {
        CPPROF_RECORDER(r, BRINGS);
        bring(&brought, blockIdx.x == HANGING_BLOCK ? stop : (int)TILES CPPROF_GIVES(r));
        CPPROF_RECORDER_END(r);
    } else {
        CPPROF_RECORDER(r, WORKS);
        sum = work(&brought CPPROF_GIVES(r));
        CPPROF_RECORDER_END(r);
    }
    out[blockIdx.x * (size_t)THREADS + threadIdx.x] = sum;
}

struct state {
    struct known k; /* first: its functions take a state */
    int stop;
};

static int launch(void *opaque, cudaStream_t stream)
{
    struct state *s = (struct state *)opaque;
    hang<<<(unsigned)s->k.grid, THREADS, 0, stream>>>(s->k.out, s->stop CPPROF_ARG);
    return cudaGetLastError();
}

static void teardown(void *opaque)
{
    struct state *s = (struct state *)opaque;
    known_release(&s->k);
    free(s);
}

static int setup(const struct cpprof_config *config, cudaStream_t stream, void **out)
{
    struct state *s = (struct state *)calloc(1, sizeof *s);
    if (!s)
        return cudaErrorMemoryAllocation;
    s->stop = (int)config->value[0];
    s->k.name = NAME;
    s->k.seed = config->seed;
    s->k.threads = THREADS;
    int rc = known_sm_count(&s->k.sm_count);
    s->k.grid = s->k.sm_count;
    s->k.clock_count = (size_t)s->k.grid;
    if (!rc)
        rc = known_prepare(&s->k, (int)TILES, stream);
    if (rc)
        teardown(s);
    else
        *out = s;
    return rc;
}

static size_t shared_bytes(const struct cpprof_config *)
{
    return sizeof(int);
}

static const struct cpprof_axis axes[] = {
    {"stop", "the first tile that one block never gets; 16: it gets all", CPPROF_AXIS_SHAPE, 0, TILES, TILES}};
static const struct cpprof_shape shapes[] = {{"ends", {TILES}, 0}, {"stops", {5}, 0}};
static const struct cpprof_expect no_async_loads[] = {{"sm__sass_inst_executed_op_ldgsts.sum", 0, 0}};

static const struct cpprof_variant variant = {
    .struct_bytes = sizeof(struct cpprof_variant),
    .name = NAME,
    .summary = "one warp brings, four work; in one block the first one ends too early",
    .kernel_pattern = "^hang\\(",
    .axes = axes,
    .axis_count = 1,
    .shapes = shapes,
    .shape_count = 2,
    .expect = no_async_loads,
    .expect_count = 1,
    .refuse = known_refuse,
    .shared_bytes = shared_bytes,
    .flops = known_nothing,
    .bytes = known_nothing,
    .setup = setup,
    .poison = known_poison,
    .launch = launch,
    .verify = known_verify,
    .teardown = teardown,
};

const struct cpprof_variant_library *cpprof_variants(void)
{
    static const struct cpprof_variant *const variants[] = {&variant};
    static const struct cpprof_variant_library library = {sizeof library, CPPROF_VARIANT_ABI, variants, 1};
    return &library;
}
