/* prefetch.cu - does it pay to load the next tile while this one is worked on? One source, two builds.
 *
 *   nvcc -O3 -lineinfo -DUSE_CP_ASYNC=0 -o prefetch-plain prefetch.cu
 *   nvcc -O3 -lineinfo -DUSE_CP_ASYNC=1 -o prefetch-cpasync prefetch.cu
 *
 * It knows of cpprof but for the name of a file to leave its result in.
 */
#include <cuda_pipeline_primitives.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <vector>

#ifndef USE_CP_ASYNC
#error "-DUSE_CP_ASYNC=0 or 1"
#endif

enum { THREADS = 256, VALUES = 1 << 22, TILES = VALUES / 4 / THREADS, ROUNDS = 24, ITERATIONS = 60, KEPT = 1 << 16 };

/* All that the toggle changes: a copy that is waited for later, or a load and a store. */
static __device__ void fetch(float4 *to, const float4 *from)
{
#if USE_CP_ASYNC
    __pipeline_memcpy_async(to, from, sizeof *to);
#else
    *to = *from;
#endif
}

/* A chunk and its neighbour's, multiplied and added ROUNDS times. */
static __device__ float4 work(float4 x, float4 neighbour)
{
    for (int i = 0; i < ROUNDS; i++) {
        x.x = fmaf(x.x, 0.5f, neighbour.y);
        x.y = fmaf(x.y, 0.5f, neighbour.z);
        x.z = fmaf(x.z, 0.5f, neighbour.w);
        x.w = fmaf(x.w, 0.5f, neighbour.x);
    }
    return x;
}

__global__ void __launch_bounds__(THREADS) prefetch(const float4 *in, float4 *out)
{
    __shared__ float4 ring[2][THREADS];
    const int mine = (int)threadIdx.x, next = (mine + 1) % THREADS;
    int now = 0;
    fetch(&ring[now][mine], &in[(size_t)blockIdx.x * THREADS + mine]);
    __pipeline_commit();
    for (size_t tile = blockIdx.x; tile < TILES; tile += gridDim.x) {
        __pipeline_wait_prior(0);
        __syncthreads(); /* the tile is there, and everyone is done with the other one */
        if (tile + gridDim.x < TILES)
            fetch(&ring[now ^ 1][mine], &in[(tile + gridDim.x) * THREADS + mine]);
        __pipeline_commit();
        out[tile * THREADS + mine] = work(ring[now][mine], ring[now][next]);
        now ^= 1;
    }
}

static void must(cudaError_t status)
{
    if (status) {
        fprintf(stderr, "prefetch: %s\n", cudaGetErrorString(status));
        exit(1);
    }
}

/* NumPy's format: the first values of the result, behind 128 bytes that say what they are. */
static void save(const char *path, const float *values)
{
    char header[118];
    FILE *file = fopen(path, "wb");
    snprintf(header, sizeof header, "{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }", KEPT);
    if (!file || fprintf(file, "%cNUMPY%c%c%c%c%-117s\n", 0x93, 1, 0, 118, 0, header) != 128 ||
        fwrite(values, sizeof *values, KEPT, file) != KEPT || fclose(file)) {
        fprintf(stderr, "prefetch: cannot write '%s'\n", path);
        exit(1);
    }
}

int main()
{
    std::vector<float> values(VALUES);
    for (int i = 0; i < VALUES; i++)
        values[i] = (float)(i % 1021) / 1021;
    float4 *in, *out;
    int sms = 0;
    must(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    must(cudaMalloc((void **)&in, VALUES * sizeof(float)));
    must(cudaMalloc((void **)&out, VALUES * sizeof(float)));
    must(cudaMemcpy(in, values.data(), VALUES * sizeof(float), cudaMemcpyHostToDevice));
    for (int i = 0; i < ITERATIONS; i++)
        prefetch<<<sms, THREADS>>>(in, out);
    must(cudaGetLastError());
    must(cudaMemcpy(values.data(), out, KEPT * sizeof(float), cudaMemcpyDeviceToHost));
    if (getenv("CPPROF_OUTPUT"))
        save(getenv("CPPROF_OUTPUT"), values.data());
    printf("%d iterations, first value %g\n", ITERATIONS, values[0]);
    return 0;
}
