/* Is a sweep compared size by size? Sums of rows, by a thread or by a warp each, at six block sizes one behind the
 * other, after two arrays were filled. Each launch is between two events, and their median for each size goes to the
 * file $BLOCK_SWEEP_TIMES/NAME-PID, as "block=64 123456" in ns.
 *
 *   block_sweep thread|warp|hidden     hidden: by a thread, and half of the launches of a size sum half of each row,
 * which no grid, block or name shows */
#include <algorithm>
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 8192, COLUMNS = 768, REPEATS = 30, LANES = 32 };

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        const cudaError_t status = (call);                                                                             \
        if (status) {                                                                                                  \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status));                                            \
            exit(4);                                                                                                   \
        }                                                                                                              \
    } while (0)

__global__ void fill(float *out, int count)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < count)
        out[i] = (float)(i % 977) / 977;
}

__global__ void rows_by_thread(float *sums, const float *values, int columns)
{
    const int row = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (row >= ROWS)
        return;
    float sum = 0;
    for (int i = 0; i < columns; i++)
        sum += values[row * COLUMNS + i];
    sums[row] = sum;
}

__global__ void rows_by_warp(float *sums, const float *values, int columns)
{
    const int row = (int)(blockIdx.x * blockDim.x + threadIdx.x) / LANES, lane = (int)threadIdx.x % LANES;
    if (row >= ROWS)
        return;
    float sum = 0;
    for (int i = lane; i < columns; i += LANES)
        sum += values[row * COLUMNS + i];
    for (int lanes = LANES / 2; lanes; lanes /= 2)
        sum += __shfl_down_sync(~0u, sum, lanes);
    if (!lane)
        sums[row] = sum;
}

struct sweep {
    bool by_warp, is_hidden;
    float *sums, *values;
    cudaEvent_t begin, end;
};

static void launch(const struct sweep *s, int block, int columns)
{
    const int threads = s->by_warp ? ROWS * LANES : ROWS;
    if (s->by_warp)
        rows_by_warp<<<threads / block, block>>>(s->sums, s->values, columns);
    else
        rows_by_thread<<<threads / block, block>>>(s->sums, s->values, columns);
    TRY(cudaGetLastError());
}

static double timed_ns(const struct sweep *s, int block, int columns)
{
    float ms;
    TRY(cudaEventRecord(s->begin));
    launch(s, block, columns);
    TRY(cudaEventRecord(s->end));
    TRY(cudaEventSynchronize(s->end));
    TRY(cudaEventElapsedTime(&ms, s->begin, s->end));
    return ms * 1e6;
}

/* The sums of the last size, in NumPy's format. */
static void write_sums(const struct sweep *s, const char *path)
{
    static float sums[ROWS];
    char header[118];
    FILE *file = path ? fopen(path, "wb") : NULL;
    if (!file)
        return;
    TRY(cudaMemcpy(sums, s->sums, sizeof sums, cudaMemcpyDeviceToHost));
    memset(header, ' ', sizeof header);
    const int length =
        snprintf(header, sizeof header, "{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }", ROWS);
    header[length] = ' ';
    header[sizeof header - 1] = '\n';
    fwrite("\x93NUMPY\x01\0", 1, 8, file);
    fputc(sizeof header, file);
    fputc(0, file);
    fwrite(header, 1, sizeof header, file);
    fwrite(sums, 1, sizeof sums, file);
    fclose(file);
}

static FILE *times_file(const char *name)
{
    char path[4096];
    const char *folder = getenv("BLOCK_SWEEP_TIMES");
    snprintf(path, sizeof path, "%s/%s-%ld", folder ? folder : "/nowhere", name, (long)getpid());
    return folder ? fopen(path, "w") : NULL;
}

static void sweep_blocks(const struct sweep *s, FILE *times)
{
    for (int block = 32; block <= 1024; block *= 2)
        launch(s, block, COLUMNS);
    for (int block = 32; block <= 1024; block *= 2) {
        double ns[REPEATS];
        for (int i = 0; i < REPEATS; i++)
            ns[i] = timed_ns(s, block, s->is_hidden && i % 2 == 0 ? COLUMNS / 2 : COLUMNS);
        std::sort(ns, ns + REPEATS);
        if (times)
            fprintf(times, "block=%d %.0f\n", block, (ns[REPEATS / 2 - 1] + ns[REPEATS / 2]) / 2);
    }
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    struct sweep s = {!strcmp(name, "warp"), !strcmp(name, "hidden")};
    if (!s.by_warp && !s.is_hidden && strcmp(name, "thread") != 0) {
        fprintf(stderr, "usage: block_sweep thread|warp|hidden\n");
        return 2;
    }
    TRY(cudaMalloc(&s.values, sizeof(float) * ROWS * COLUMNS));
    TRY(cudaMalloc(&s.sums, sizeof(float) * ROWS));
    TRY(cudaEventCreate(&s.begin));
    TRY(cudaEventCreate(&s.end));
    fill<<<ROWS * COLUMNS / 256, 256>>>(s.values, ROWS * COLUMNS);
    fill<<<ROWS / 256, 256>>>(s.sums, ROWS);
    TRY(cudaDeviceSynchronize());
    FILE *times = times_file(name);
    sweep_blocks(&s, times);
    write_sums(&s, getenv("CPPROF_OUTPUT"));
    if (times)
        fclose(times);
    return 0;
}
