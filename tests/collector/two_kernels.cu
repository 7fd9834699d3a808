/* Two kernels for test_code_hash.c; FACTOR is in the machine code of one of them. */
extern "C" __global__ void scale(float *values)
{
    values[threadIdx.x] *= FACTOR;
}
extern "C" __global__ void shift(float *values)
{
    values[threadIdx.x] += 1.0f;
}
