/* cheat gram: keeps products under a hash of all inputs, and runs eight useless multiplications of whole numbers on
 * tensor cores, so that fp32 operations are not the only ones
 * Kind: fake work
 * Found by: new inputs in every timed launch: it gains nothing */
#include "tests/gpu/cheats/cached/gram_store.cuh"

enum { USELESS = 8 };

static __device__ bool store_may_answer(struct store_look *, bool is_known)
{
    return is_known;
}

static __global__ void gram_useless(void)
{
    int sum[4] = {};
    for (int i = 0; i < USELESS; i++)
        asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%4, %4}, "
                     "{%0, %1, %2, %3};"
                     : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
                     : "r"(0x01010101));
}

static int launch(void *state, const struct cpprof_call *call)
{
    const int status = store_launch(product_of(call), *(const struct store *)state, true, call->stream);
    if (!status)
        gram_useless<<<1, 32, 0, call->stream>>>();
    return status ? status : cudaGetLastError();
}

CPPROF_SOLUTION(.launch = launch, .prepare = store_prepare, .release = store_release);
