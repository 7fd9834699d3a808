/* A plain C function that launches the honest kernel of the task softmax: what described_solutions.sh describes. */
#include "tests/gpu/cheats/softmax.cuh"

extern "C" __attribute__((visibility("default"))) int softmax_function(const float *in, float *out, int64_t rows,
                                                                       int columns, cudaStream_t stream)
{
    return launch_rows({in, out, (unsigned)rows, (unsigned)columns}, stream);
}
