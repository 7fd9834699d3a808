/* sdpa_warpspec.cu - does a warp that only loads pay off?
 *
 * In stage3b every warp starts its copies between two barriers of the whole block. Here a fifth warp, the producer,
 * fills a ring of four tiles, and the four consumers never wait for each other. Two mbarriers for each tile hold its
 * state.
 *
 *   full   counts the 32 lanes of the producer, each when its copies have landed
 *   empty  counts the 128 lanes of the consumers, each when it has read its part of the tile. One lane for its warp,
 *          after a __syncwarp, would be enough, but the race detector of compute-sanitizer credits a lane only with its
 *          own reads
 *
 * The consumers of the tile in round n of a place wait for phase n of `full`. To fill it in round n > 0, phase n - 1 of
 * `empty` must be over. */
#include <cuda_runtime.h>

#include "cpprof/record.cuh"
#include "kernels/mbarrier.cuh"
#include "kernels/sdpa/sdpa.h"
#include "kernels/sdpa/sdpa_fused.cuh"

using namespace sdpa;

enum { STAGES = 4, PRODUCER = WARPS, BLOCK_THREADS = (WARPS + 1) * WARP, CHUNKS = KEYS * ROW_CHUNKS };

/* Marks of a tile, by role. The warp that loads may be as many tiles ahead as it finds room for. */
CPPROF_NAMES(LOAD, ATTEND);
CPPROF_NAMES(ROOM, ISSUE, ISSUED);
CPPROF_NAMES(WAIT, MATH, END);
CPPROF_PHASE_TABLE({"load", "wait for room", LOAD, ROOM, CPPROF_PHASE_OTHER, ISSUE, 0, NULL},
                   {"load", "issue", LOAD, ISSUE, CPPROF_PHASE_ISSUE, ISSUED, 0, NULL},
                   {"attend", "wait", ATTEND, WAIT, CPPROF_PHASE_WAIT, MATH, 0, NULL},
                   {"attend", "compute", ATTEND, MATH, CPPROF_PHASE_COMPUTE, END, 0, NULL});

struct ring {
    tile of[STAGES];
    uint64_t full[STAGES], empty[STAGES];
};

/* Arrives when all copies that this thread has started are complete. */
static __device__ __forceinline__ void barrier_arrive_copied(uint64_t *barrier)
{
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(barrier)) : "memory");
}

/* Copies the first `bytes` of a chunk and clears the rest. The tail uses the same copies as everything else, so one
 * arrival covers it. */
static __device__ __forceinline__ void copy_chunk(uint8_t *to, const uint8_t *from, unsigned bytes)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)), "l"(from), "r"(bytes)
                 : "memory");
}

static __device__ __forceinline__ void produce(ring &tiles, const head &h CPPROF_TAKES(r, LOAD))
{
    const int lane = (int)threadIdx.x % WARP;
    int place = 0, round = 0;
    for (int first = 0; first < h.s; first += KEYS) {
        CPPROF_PHASE(r, ROOM);
        if (round > 0)
            barrier_wait(&tiles.empty[place], (round - 1) % 2);
        CPPROF_PHASE(r, ISSUE);
        for (int i = lane; i < CHUNKS; i += WARP) {
            const int row = i / ROW_CHUNKS, chunk = i % ROW_CHUNKS;
            const bool is_key = first + row < h.s;
            const size_t from = is_key ? (size_t)(first + row) * SDPA_D + chunk * CHUNK : 0;
            copy_chunk(tiles.of[place].k + linear::at(row, chunk), h.k + from, is_key ? CHUNK : 0);
            copy_chunk(tiles.of[place].v + linear::at(row, chunk), h.v + from, is_key ? CHUNK : 0);
        }
        barrier_arrive_copied(&tiles.full[place]);
        CPPROF_PHASE(r, ISSUED);
        CPPROF_TILE_END(r);
        place = (place + 1) % STAGES;
        round += place == 0;
    }
    __pipeline_wait_prior(0); /* nothing may be in flight when the warp ends */
}

static __device__ __forceinline__ void consume(ring &tiles, const head &h CPPROF_TAKES(r, ATTEND))
{
    unsigned q[D_STEPS][4];
    load_queries(q, h, first_query());
    float sums[D_GROUPS][4] = {};
    softmax state = softmax_begin();
    int place = 0, round = 0;
    for (int first = 0; first < h.s; first += KEYS) {
        CPPROF_PHASE(r, WAIT);
        barrier_wait(&tiles.full[place], round % 2);
        CPPROF_PHASE(r, MATH);
        fused_work<linear>(sums, state, q, tiles.of[place], h.score_scale, h.s - first, library_exp());
        barrier_arrive(&tiles.empty[place]);
        CPPROF_PHASE(r, END);
        CPPROF_TILE_END(r);
        place = (place + 1) % STAGES;
        round += place == 0;
    }
    finish_rows(sums, state.total, h, first_query());
}

__global__ void __launch_bounds__(BLOCK_THREADS, 3) sdpa_warpspec(struct sdpa_problem p CPPROF_PARAM)
{
    __shared__ ring tiles;
    if (threadIdx.x < STAGES) {
        barrier_init(&tiles.full[threadIdx.x], WARP);
        barrier_init(&tiles.empty[threadIdx.x], THREADS);
    }
    __syncthreads();
    const head h = head_of(p, (int)blockIdx.y);
    if (threadIdx.x / WARP == PRODUCER) {
        CPPROF_RECORDER(r, LOAD);
        produce(tiles, h CPPROF_GIVES(r));
        CPPROF_RECORDER_END(r);
    } else {
        CPPROF_RECORDER(r, ATTEND);
        consume(tiles, h CPPROF_GIVES(r));
        CPPROF_RECORDER_END(r);
    }
}

static int launch(const struct sdpa_problem *p, struct CUstream_st *stream)
{
    sdpa_warpspec<<<grid_of(*p), BLOCK_THREADS, 0, stream>>>(*p CPPROF_ARG);
    return cudaGetLastError();
}

extern "C" const struct cpprof_variant sdpa_warpspec_variants[SDPA_WARPSPEC_COUNT] = {
    SDPA_VARIANT("warpspec", "stage3b with a warp that loads and four that work, a ring of 4 tiles, mbarriers",
                 "sdpa_warpspec", sdpa_expect_async, NULL, sizeof(ring), launch,
                 "stall_long_scoreboard down; dram_bytes flat 3%", "sdpa/stage3b"),
};
