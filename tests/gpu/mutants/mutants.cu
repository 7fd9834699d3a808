/* mutants.cu - kernels that are wrong on purpose: does verification notice, and
 * does its hint point at the mistake? Each differs from pipeline_cpasync<3> in
 * one place. Never part of an installed cpprof-runner. */
#include "kernels/pipeline/pipeline.cu"

#include "tests/gpu/mutants/mutants.h"

enum mistake { STAGE_OFF_BY_ONE, NO_TAIL, NO_WAIT, SHORT_GRID, STALE_SLOT };

template <int MISTAKE> static __device__ void prefetch_wrong(const struct tiles &tiles, float4 *slot, size_t i)
{
    size_t chunk = i * TILE_CHUNKS + threadIdx.x;
    if (is_whole(tiles, chunk))
        __pipeline_memcpy_async(&slot[threadIdx.x], &tiles.in[chunk * CHUNK_FLOATS], sizeof(float4));
    else if (MISTAKE != NO_TAIL)
        slot[threadIdx.x] = load_tail(tiles, chunk);
}

template <int MISTAKE> __global__ void __launch_bounds__(TILE_CHUNKS) pipeline_mutant(struct tiles tiles)
{
    const int stages = 3;
    __shared__ float4 ring[stages][TILE_CHUNKS];
    for (int s = 0; s < stages - 1; s++) {
        prefetch_wrong<MISTAKE>(tiles, ring[s], blockIdx.x + (size_t)s * gridDim.x);
        __pipeline_commit();
    }
    int stage = 0;
    size_t end = MISTAKE == SHORT_GRID ? tiles.count - 1 : tiles.count;
    for (size_t i = blockIdx.x; i < end; i += gridDim.x) {
        if (MISTAKE != NO_WAIT)
            __pipeline_wait_prior(stages - 2);
        __syncthreads();
        if (MISTAKE != STALE_SLOT || stage != 1) /* slot 0 is refilled only every other time */
            prefetch_wrong<MISTAKE>(tiles, ring[(stage + stages - 1) % stages], i + (size_t)(stages - 1) * gridDim.x);
        __pipeline_commit();
        compute(tiles, ring[MISTAKE == STAGE_OFF_BY_ONE ? (stage + 1) % stages : stage], i * TILE_CHUNKS + threadIdx.x);
        stage = (stage + 1) % stages;
    }
}

template <int MISTAKE> static int launch_mutant(void *opaque, struct CUstream_st *stream)
{
    struct state *s = (struct state *)opaque;
    pipeline_mutant<MISTAKE><<<s->grid, TILE_CHUNKS, 0, stream>>>(s->tiles);
    return cudaGetLastError();
}

#undef VARIANT
#define MUTANT(NAME, SUMMARY, MISTAKE)                                                                                 \
    {                                                                                                                  \
        sizeof(struct cpprof_variant), "mutant/" NAME, SUMMARY, "pipeline_mutant", axes, AXIS_COUNT, shapes,           \
            sizeof shapes / sizeof shapes[0], NULL, 0, NULL, shared_bytes<3>, flops, bytes, setup_ring<3>, poison,     \
            launch_mutant<MISTAKE>, verify, teardown                                                                   \
    }

extern "C" const struct cpprof_variant mutant_variants[MUTANT_COUNT] = {
    MUTANT("stage-off-by-one", "computes on the slot of the next tile", STAGE_OFF_BY_ONE),
    MUTANT("no-tail", "leaves the ragged end out of the prefetch", NO_TAIL),
    MUTANT("no-wait", "computes before the copies have landed", NO_WAIT),
    MUTANT("short-grid", "stops one tile early", SHORT_GRID),
    MUTANT("stale-slot", "never refills the first slot of the ring", STALE_SLOT),
};
