/* What does managed memory cost a kernel? Conjugate gradients on a tridiagonal matrix, all of it in managed memory, in
 * one cooperative kernel. The host writes every array before each solution, so each kernel faults all pages in. Prints
 * "kernel 5.412 ms" for each solution by the GPU's own clock, and at the end what is left of the residual.
 *
 *   managed_work [prefetch|plain] [SOLUTIONS=10]     prefetch: the pages are moved before the kernel is launched */
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

namespace cg = cooperative_groups;

enum { ROWS = 1 << 21, BANDS = 3, STEPS = 20, THREADS = 256, SOLUTIONS_MAX = 1000 }; /* 59 MB */

struct problem {
    float *band[BANDS]; /* below the diagonal, the diagonal, above it */
    float *x, *residual, *direction, *image;
    double *dots; /* two a step: direction * image, residual * residual */
};

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        const cudaError_t status = (call);                                                                             \
        if (status) {                                                                                                  \
            printf("%s: %s\n", #call, cudaGetErrorString(status));                                                     \
            exit(4);                                                                                                   \
        }                                                                                                              \
    } while (0)

static __device__ void add_up(double mine, double *sum)
{
    for (int lanes = 16; lanes; lanes /= 2)
        mine += __shfl_down_sync(~0u, mine, lanes);
    if (threadIdx.x % 32 == 0)
        atomicAdd(sum, mine);
}

static __device__ float multiplied(const struct problem *p, int row)
{
    float sum = p->band[1][row] * p->direction[row];
    if (row)
        sum += p->band[0][row] * p->direction[row - 1];
    if (row + 1 < ROWS)
        sum += p->band[2][row] * p->direction[row + 1];
    return sum;
}

__global__ void managed_solve(struct problem p)
{
    cg::grid_group grid = cg::this_grid();
    const int first = (int)grid.thread_rank(), stride = (int)grid.size();
    double before = 0;
    for (int row = first; row < ROWS; row += stride)
        before += (double)p.residual[row] * p.residual[row];
    add_up(before, &p.dots[1]);
    grid.sync();
    for (int step = 1; step <= STEPS; step++) {
        double *dots = p.dots + 2 * step, mine = 0;
        for (int row = first; row < ROWS; row += stride) {
            p.image[row] = multiplied(&p, row);
            mine += (double)p.direction[row] * p.image[row];
        }
        add_up(mine, &dots[0]);
        grid.sync();
        const float alpha = (float)(dots[-1] / dots[0]);
        mine = 0;
        for (int row = first; row < ROWS; row += stride) {
            p.x[row] += alpha * p.direction[row];
            p.residual[row] -= alpha * p.image[row];
            mine += (double)p.residual[row] * p.residual[row];
        }
        add_up(mine, &dots[1]);
        grid.sync();
        const float beta = (float)(dots[1] / dots[-1]);
        for (int row = first; row < ROWS; row += stride)
            p.direction[row] = p.residual[row] + beta * p.direction[row];
        grid.sync();
    }
}

static void start_again(struct problem *p)
{
    for (int row = 0; row < ROWS; row++) {
        p->band[0][row] = p->band[2][row] = -1;
        p->band[1][row] = 4;
        p->x[row] = p->image[row] = 0;
        p->residual[row] = p->direction[row] = (float)(row % 7);
    }
    memset(p->dots, 0, 2 * (STEPS + 1) * sizeof *p->dots);
}

static float **vectors(struct problem *p, int i)
{
    float **all[] = {&p->band[0], &p->band[1], &p->band[2], &p->x, &p->residual, &p->direction, &p->image};
    return i < (int)(sizeof all / sizeof all[0]) ? all[i] : NULL;
}

static void prefetch(struct problem *p)
{
    cudaMemLocation gpu = {};
    gpu.type = cudaMemLocationTypeDevice;
    for (int i = 0; vectors(p, i); i++)
        TRY(cudaMemPrefetchAsync(*vectors(p, i), ROWS * sizeof(float), gpu, 0, 0));
}

int main(int argc, char **argv)
{
    const bool first = argc > 1 && !strcmp(argv[1], "prefetch");
    const long asked = argc > 2 ? strtol(argv[2], NULL, 10) : 10,
               solutions = asked < SOLUTIONS_MAX ? asked : SOLUTIONS_MAX;
    struct problem p = {};
    int blocks = 0, sms = 0;
    cudaEvent_t begin, end;
    TRY(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, managed_solve, THREADS, 0));
    for (int i = 0; vectors(&p, i); i++)
        TRY(cudaMallocManaged((void **)vectors(&p, i), ROWS * sizeof(float)));
    TRY(cudaMallocManaged((void **)&p.dots, 2 * (STEPS + 1) * sizeof *p.dots));
    TRY(cudaEventCreate(&begin));
    TRY(cudaEventCreate(&end));
    for (long solution = 0; solution < solutions; solution++) {
        float ms = 0;
        void *arguments[] = {&p};
        start_again(&p);
        if (first)
            prefetch(&p);
        TRY(cudaEventRecord(begin));
        TRY(cudaLaunchCooperativeKernel((void *)managed_solve, sms * blocks, THREADS, arguments, 0, 0));
        TRY(cudaEventRecord(end));
        TRY(cudaEventSynchronize(end));
        TRY(cudaEventElapsedTime(&ms, begin, end));
        printf("kernel %.3f ms\n", ms);
    }
    printf("residual %.3g of the first\n", p.dots[2 * STEPS + 1] / p.dots[1]);
    return 0;
}
