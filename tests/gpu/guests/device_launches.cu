/* How many kernels run when kernels launch kernels? Each mode launches one kernel from the host, waits for all, and
 * prints how many kernels counted themselves: "8 kernels ran".
 *
 *   device_launches MODE [CHILDREN=7]
 *       direct    the kernel launches children itself
 *       function  a function that it calls launches them
 *       pointer   a function that it calls through a table launches them
 *       deep      children launch children, CHILDREN deep
 *       tail      one child in the stream of what comes last
 *       graph     it launches a graph of one kernel
 *       copy      it copies by cudaMemcpyAsync
 *       linked    it launches nothing, though kernels that do are linked in */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHILDREN_MAX = 1000, DEPTH_MAX = 20 };

static __device__ unsigned ran;
static __device__ char copied[2][64];

__global__ void leaf()
{
    atomicAdd(&ran, 1u);
}

static __device__ __noinline__ void launch_leaves(int children)
{
    for (int i = 0; i < children; i++)
        leaf<<<1, 1>>>();
}

static __device__ __noinline__ void launch_nothing(int children)
{
    atomicAdd(&ran, children > CHILDREN_MAX ? 1u : 0u);
}

typedef void (*worker)(int children);
static __device__ worker workers[] = {launch_nothing, launch_leaves};

__global__ void direct(int children, cudaGraphExec_t)
{
    atomicAdd(&ran, 1u);
    for (int i = 0; i < children; i++)
        leaf<<<1, 1>>>();
}

__global__ void by_function(int children, cudaGraphExec_t)
{
    atomicAdd(&ran, 1u);
    launch_leaves(children);
}

__global__ void by_pointer(int children, cudaGraphExec_t)
{
    atomicAdd(&ran, 1u);
    workers[children > 0](children);
}

__global__ void deep(int children, cudaGraphExec_t graph)
{
    atomicAdd(&ran, 1u);
    if (children > 0)
        deep<<<1, 1>>>(children - 1, graph);
}

__global__ void tail(int, cudaGraphExec_t)
{
    atomicAdd(&ran, 1u);
    leaf<<<1, 1, 0, cudaStreamTailLaunch>>>();
}

__global__ void by_graph(int, cudaGraphExec_t graph)
{
    atomicAdd(&ran, 1u);
    cudaGraphLaunch(graph, cudaStreamGraphFireAndForget);
}

__global__ void by_copy(int, cudaGraphExec_t)
{
    atomicAdd(&ran, 1u);
    cudaMemcpyAsync(copied[1], copied[0], sizeof copied[0], cudaMemcpyDeviceToDevice, 0);
}

__global__ void plain(int, cudaGraphExec_t)
{
    atomicAdd(&ran, 1u);
}

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        const cudaError_t status = (call);                                                                             \
        if (status) {                                                                                                  \
            printf("%s: %s\n", #call, cudaGetErrorString(status));                                                     \
            return 4;                                                                                                  \
        }                                                                                                              \
    } while (0)

static int make_leaf(cudaStream_t stream, cudaGraph_t *graph)
{
    TRY(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    leaf<<<1, 1, 0, stream>>>();
    TRY(cudaStreamEndCapture(stream, graph));
    return 0;
}

/* Kernels of a graph can launch graphs; kernels outside cannot. */
static int launch_from_graph(cudaStream_t stream)
{
    cudaGraph_t inner, outer;
    cudaGraphExec_t child, parent;
    if (make_leaf(stream, &inner))
        return 4;
    TRY(cudaGraphInstantiate(&child, inner, cudaGraphInstantiateFlagDeviceLaunch));
    TRY(cudaGraphUpload(child, stream));
    TRY(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    by_graph<<<1, 1, 0, stream>>>(0, child);
    TRY(cudaStreamEndCapture(stream, &outer));
    TRY(cudaGraphInstantiate(&parent, outer, 0));
    TRY(cudaGraphLaunch(parent, stream));
    return 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*kernel)(int, cudaGraphExec_t);
        int children_max;
    } modes[] = {{"direct", direct, CHILDREN_MAX},
                 {"function", by_function, CHILDREN_MAX},
                 {"pointer", by_pointer, CHILDREN_MAX},
                 {"deep", deep, DEPTH_MAX},
                 {"tail", tail, 1},
                 {"copy", by_copy, 1},
                 {"linked", plain, 1},
                 {"graph", NULL, 1}};
    const char *wanted = argc > 1 ? argv[1] : "direct";
    const int asked = argc > 2 ? atoi(argv[2]) : 7;
    unsigned found = 0;
    cudaStream_t stream;
    TRY(cudaStreamCreate(&stream));
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        if (strcmp(modes[i].name, wanted))
            continue;
        if (modes[i].kernel)
            modes[i].kernel<<<1, 1, 0, stream>>>(asked < modes[i].children_max ? asked : modes[i].children_max, NULL);
        else if (launch_from_graph(stream))
            return 4;
        TRY(cudaGetLastError());
        TRY(cudaDeviceSynchronize());
        TRY(cudaMemcpyFromSymbol(&found, ran, sizeof found));
        printf("%u kernels ran\n", found);
        return 0;
    }
    printf("no mode '%s'\n", wanted);
    return 2;
}
