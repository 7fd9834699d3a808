/* packed_weights.cuh - room that a solution has from `prepare` on, for what it keeps of a square product. */
#include "tests/gpu/cheats/gram.cuh"

struct packed {
    void *values; /* as many as a matrix has, of four bytes each */
    bool is_new;  /* nothing was launched since set_up */
};

static int prepare(const struct cpprof_config *config, void **state)
{
    struct packed *p = new packed();
    const size_t n = (size_t)config->value[0];
    const int status = cudaMalloc(&p->values, n * n * sizeof(float));
    if (status)
        delete p;
    else
        *state = p;
    return status;
}

static void release(void *state)
{
    cudaFree(((packed *)state)->values);
    delete (packed *)state;
}
