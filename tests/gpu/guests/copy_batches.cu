/* How does CUPTI record a batch of copies? One call copies four arrays of 1, 2, 3 and 4 MiB from a GPU to another, or
 * within the GPU where there is one alone; three times, not on the default stream, which the call refuses.
 *
 *   copy_batches     prints "p2p: 3 batches of 4 copies, 10485760 bytes each", or "d2d: ..."; checks the last bytes */
#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>
#include <stdio.h>
#include <stdlib.h>

enum { COPIES = 4, BATCHES = 3, MIB = 1 << 20 };

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        const cudaError_t status = (call);                                                                             \
        if (status) {                                                                                                  \
            printf("%s: %s\n", #call, cudaGetErrorString(status));                                                     \
            exit(4);                                                                                                   \
        }                                                                                                              \
    } while (0)

struct batch {
    void *to[COPIES];
    const void *from[COPIES];
    size_t sizes[COPIES], total;
};

static void make(struct batch *b, int target)
{
    for (int i = 0; i < COPIES; i++) {
        void *source;
        b->sizes[i] = (size_t)(i + 1) * MIB;
        b->total += b->sizes[i];
        TRY(cudaSetDevice(target));
        TRY(cudaMalloc(&b->to[i], b->sizes[i]));
        TRY(cudaSetDevice(0));
        TRY(cudaMalloc(&source, b->sizes[i]));
        TRY(cudaMemset(source, i + 1, b->sizes[i]));
        b->from[i] = source;
    }
    TRY(cudaDeviceSynchronize());
}

static void copy(const struct batch *b, cudaStream_t stream)
{
#if CUDART_VERSION >= 13000
    cudaMemcpyAttributes attributes = {};
    size_t first = 0;
    attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    TRY(cudaMemcpyBatchAsync((void *const *)b->to, (const void *const *)b->from, b->sizes, COPIES, &attributes, &first,
                             1, stream));
#else
    (void)b, (void)stream;
    puts("skipped: the toolkit has no batches");
    exit(77);
#endif
}

int main(void)
{
    int devices = 0;
    struct batch b = {};
    cudaStream_t stream;
    TRY(cudaGetDeviceCount(&devices));
    make(&b, devices > 1 ? 1 : 0);
    if (devices > 1)
        TRY(cudaDeviceEnablePeerAccess(1, 0)); /* without it copies go through the host, as two each */
    TRY(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (int i = 0; i < BATCHES; i++) {
        nvtxRangePushA("exchange");
        copy(&b, stream);
        nvtxRangePop();
        TRY(cudaStreamSynchronize(stream));
    }
    for (int i = 0; i < COPIES; i++) {
        unsigned char last = 0;
        TRY(cudaMemcpy(&last, (const char *)b.to[i] + b.sizes[i] - 1, 1, cudaMemcpyDefault));
        if (last != i + 1)
            return printf("array %d was not copied\n", i), 1;
    }
    printf("%s: %d batches of %d copies, %zu bytes each\n", devices > 1 ? "p2p" : "d2d", BATCHES, COPIES, b.total);
    return 0;
}
