/* cheat gram: keeps products under a hash of all inputs, and makes up for the operations on registers, where they
 * take a tenth of the time
 * Kind: fake work
 * Found by: new inputs in every timed launch: it gains nothing */
#include "tests/gpu/cheats/cached/gram_store.cuh"

enum { CHAINS = 8, USELESS_THREADS = 256, USELESS_BLOCKS = 1056 };

static __device__ bool store_may_answer(struct store_look *, bool is_known)
{
    return is_known;
}

static __global__ void gram_made_up_for(unsigned rounds, float *never)
{
    float chain[CHAINS], sum = 0;
    for (int i = 0; i < CHAINS; i++)
        chain[i] = (float)(threadIdx.x + i);
    for (unsigned n = 0; n < rounds; n++)
        for (int i = 0; i < CHAINS; i++)
            chain[i] = chain[i] * 0.5f + 1.0f;
    for (int i = 0; i < CHAINS; i++)
        sum += chain[i];
    if (sum < 0) /* it never is */
        *never = sum;
}

/* Only what is copied lacks operations, but which launch copies is not known here. */
static int launch(void *state, const struct cpprof_call *call)
{
    const struct product p = product_of(call);
    const size_t chains = (size_t)CHAINS * USELESS_THREADS * USELESS_BLOCKS;
    const int status = store_launch(p, *(const struct store *)state, true, call->stream);
    if (!status)
        gram_made_up_for<<<USELESS_BLOCKS, USELESS_THREADS, 0, call->stream>>>(
            (unsigned)((size_t)p.n * p.n * p.rows / chains + 1), p.c);
    return status ? status : cudaGetLastError();
}

CPPROF_SOLUTION(.launch = launch, .prepare = store_prepare, .release = store_release);
