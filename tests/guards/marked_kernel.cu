/* marked_kernel.cu - every mark of cpprof/record.cuh once, for record_builds.sh: does it compile in each build? */
#include "cpprof/record.cuh"

CPPROF_NAMES(COPIES, WORKS, ASKS); /* warps 0, 1 and 2 of a block */
CPPROF_NAMES(ISSUE, WAIT, MATH, END);
CPPROF_PHASE_TABLE({"copies", "issue", COPIES, ISSUE, CPPROF_PHASE_ISSUE, END, 1},
                   {"works", "wait", WORKS, WAIT, CPPROF_PHASE_WAIT, MATH, 0},
                   {"works", "math", WORKS, MATH, CPPROF_PHASE_COMPUTE, END, 0},
                   {"asks", "not yet", ASKS, ISSUE, CPPROF_PHASE_POLL, WAIT, 0});

static __device__ void arrive(uint64_t *barrier)
{
    asm volatile("{\n\t.reg .b64 state;\n\tmbarrier.arrive.shared.b64 state, [%0];\n\t}" ::"r"(
                     (unsigned)__cvta_generic_to_shared(barrier))
                 : "memory");
}

static __device__ float work(float x, int n CPPROF_TAKES(r, 1))
{
    CPPROF_HOLD_F(x);
    CPPROF_HOLD_R(n);
    CPPROF_PHASE(r, MATH);
    for (int k = 0; k < n; k++)
        x = x * 0.5f + 1;
    return x;
}

extern "C" __global__ void marked(float *values, int tiles, int n CPPROF_PARAM)
{
    __shared__ uint64_t barrier;
    __shared__ float tile[32];
    const int lane = (int)threadIdx.x % 32;
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"((unsigned)__cvta_generic_to_shared(&barrier))
                     : "memory");
    __syncthreads();
    if (threadIdx.x < 32) {
        CPPROF_RECORDER(r, 0);
        for (int t = 0; t < tiles; t++) {
            CPPROF_PHASE(r, ISSUE);
            tile[lane] = values[t * 32 + lane];
            arrive(&barrier);
            CPPROF_PHASE(r, END);
            CPPROF_TILE_END(r);
            __syncthreads();
        }
        CPPROF_RECORDER_END(r);
    } else if (threadIdx.x < 64) {
        CPPROF_RECORDER(r, 1);
        for (int t = 0; t < tiles; t++) {
            CPPROF_PHASE(r, WAIT);
            __syncthreads();
            values[t * 32 + lane] = work(tile[lane], n CPPROF_GIVES(r));
            CPPROF_PHASE(r, END);
            CPPROF_TILE_END(r);
        }
        CPPROF_RECORDER_END(r);
    } else {
        CPPROF_RECORDER(r, 2);
        for (int t = 0; t < tiles; t++) {
            CPPROF_POLL(r, ISSUE, &barrier, (unsigned)t & 1);
            CPPROF_TILE_END(r);
            __syncthreads();
        }
        CPPROF_RECORDER_END(r);
    }
}

/* No CPPROF_HOLD, so a delay build without one of its marks is the code of no marks at all. */
extern "C" __global__ void plain(float *values, int tiles, int n CPPROF_PARAM)
{
    __shared__ float tile[32];
    CPPROF_RECORDER(r, 3);
    for (int t = 0; t < tiles; t++) {
        CPPROF_PHASE(r, WAIT);
        tile[threadIdx.x] = values[t * 32 + (int)threadIdx.x];
        __syncthreads();
        CPPROF_PHASE(r, MATH);
        float x = tile[threadIdx.x ^ 1];
        for (int k = 0; k < n; k++)
            x = x * 0.5f + 1;
        values[t * 32 + (int)threadIdx.x] = x;
        CPPROF_PHASE(r, END);
        CPPROF_TILE_END(r);
        __syncthreads();
    }
    CPPROF_RECORDER_END(r);
}

void launch(float *values, int tiles, int n);
void launch(float *values, int tiles, int n)
{
    marked<<<1, 96>>>(values, tiles, n CPPROF_ARG);
    plain<<<1, 32>>>(values, tiles, n CPPROF_ARG);
}
