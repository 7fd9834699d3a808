/* allreduce_vector.cuh - values of three types, a few bytes at a time: they are loaded, added in fp32, rounded once and
 * stored. */
#ifndef CPPROF_ALLREDUCE_VECTOR_CUH
#define CPPROF_ALLREDUCE_VECTOR_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>

#include "cpprof/record.cuh"
#include "kernels/allreduce/allreduce_problem.h"

namespace allreduce
{

enum { THREADS = ALLREDUCE_THREADS, RANKS_MOST = ALLREDUCE_RANKS_MAX, WIDE = ALLREDUCE_WIDE };

/* Of a block that records, the second warp tells of the meetings, each of which is a tile of its role, and the others
 * of their chunks. All warps do the same, so each stands for all. */
CPPROF_NAMES(ADDS, MEETS);
CPPROF_NAMES(WAIT, REFILL, ADD, END);       /* of ADDS */
CPPROF_NAMES(PEERS, TRANSFER, MEET, LEAVE); /* of MEETS */

/* A vector as it is loaded. */
template <int BYTES> struct vector_of;
template <> struct vector_of<16> {
    typedef uint4 type;
};
template <> struct vector_of<8> {
    typedef uint2 type;
};
template <> struct vector_of<4> {
    typedef uint32_t type;
};
template <int BYTES> using vector = typename vector_of<BYTES>::type;

static __host__ __device__ __forceinline__ float to_float(float value)
{
    return value;
}
static __host__ __device__ __forceinline__ float to_float(__half value)
{
    return __half2float(value);
}
static __host__ __device__ __forceinline__ float to_float(__nv_bfloat16 value)
{
    return __bfloat162float(value);
}

/* Rounds to the nearest, ties to even. */
template <typename T> static __host__ __device__ __forceinline__ T rounded(float value);
template <> __host__ __device__ __forceinline__ float rounded<float>(float value)
{
    return value;
}
template <> __host__ __device__ __forceinline__ __half rounded<__half>(float value)
{
    return __float2half_rn(value);
}
template <> __host__ __device__ __forceinline__ __nv_bfloat16 rounded<__nv_bfloat16>(float value)
{
    return __float2bfloat16_rn(value);
}

/* The sums of the values of one vector. */
template <typename T, int BYTES> struct sums {
    enum { VALUES = BYTES / (int)sizeof(T) };
    float of[VALUES];

    __device__ __forceinline__ sums()
    {
#pragma unroll
        for (int i = 0; i < VALUES; i++)
            of[i] = 0.f;
    }
    __device__ __forceinline__ void add(vector<BYTES> bits)
    {
        T values[VALUES];
        memcpy(values, &bits, sizeof values);
#pragma unroll
        for (int i = 0; i < VALUES; i++)
            of[i] += to_float(values[i]);
    }
    __device__ __forceinline__ vector<BYTES> result() const
    {
        T values[VALUES];
        vector<BYTES> bits;
#pragma unroll
        for (int i = 0; i < VALUES; i++)
            values[i] = rounded<T>(of[i]);
        memcpy(&bits, values, sizeof bits);
        return bits;
    }
};

/* Adds one vector of each rank. */
template <typename T, int RANKS> static __device__ __forceinline__ uint4 sum_of(int ranks, const uint4 *loaded)
{
    sums<T, WIDE> sum;
#pragma unroll
    for (int k = 0; k < RANKS; k++)
        if (k < ranks)
            sum.add(loaded[k]);
    return sum.result();
}

/* Adds the values after the whole vectors of a message, or all values of a message that begins at an odd place. */
template <typename T, int BYTES> static __device__ __forceinline__ void sum_tail(const struct allreduce_problem &p)
{
    T *out = (T *)p.out[p.first_rank + (int)blockIdx.y];
    const size_t first = p.vectors * (BYTES / sizeof(T)) + blockIdx.x * (size_t)THREADS + threadIdx.x;
    for (size_t i = first; i < p.count; i += (size_t)gridDim.x * THREADS) {
        float sum = 0.f;
        for (int k = 0; k < p.ranks; k++)
            sum += to_float(((const T *)p.in[k])[i]);
        out[i] = rounded<T>(sum);
    }
}

/* The part of the message that a rank adds up, where each rank has one. */
struct part {
    size_t begin, end; /* vectors */
};

static __device__ __forceinline__ size_t part_vectors(const struct allreduce_problem &p)
{
    return (p.vectors + (size_t)p.ranks - 1) / (size_t)p.ranks;
}

static __device__ __forceinline__ struct part part_of(const struct allreduce_problem &p, int rank)
{
    const size_t begin = min(p.vectors, (size_t)rank * part_vectors(p));
    return {begin, min(p.vectors, begin + part_vectors(p))};
}

/* Does the part that begins at `begin` have a vector with this place? */
static __device__ __forceinline__ bool is_in_part(const struct allreduce_problem &p, size_t part, size_t begin,
                                                  size_t place)
{
    return place < part && begin + place < p.vectors;
}

/* Adds vectors [begin, end), ITEMS at a time in each thread, so that the loads of all ranks and items are in flight
 * together. The block takes the tile of its own number, then every gridDim.x-th.
 *
 * Only what uses a load shows that it has arrived. So the phase of the loads ends when the last item has been added,
 * and the additions of the items before it, and their stores, are in it. */
template <typename T, int BYTES, int RANKS, int ITEMS>
static __device__ __forceinline__ void sum_vectors(const struct allreduce_problem &p, size_t begin,
                                                   size_t end CPPROF_TAKES(r, ADDS))
{
    vector<BYTES> *out = (vector<BYTES> *)p.out[p.first_rank + (int)blockIdx.y];
    for (size_t first = begin + blockIdx.x * (size_t)(ITEMS * THREADS) + threadIdx.x; first < end;
         first += (size_t)gridDim.x * (ITEMS * THREADS)) {
        CPPROF_PHASE(r, WAIT);
        vector<BYTES> loaded[ITEMS][RANKS];
#pragma unroll
        for (int item = 0; item < ITEMS; item++)
#pragma unroll
            for (int k = 0; k < RANKS; k++)
                if (k < p.ranks && first + item * THREADS < end)
                    loaded[item][k] = ((const vector<BYTES> *)p.in[k])[first + item * THREADS];
#pragma unroll
        for (int item = 0; item < ITEMS; item++) {
            sums<T, BYTES> sum;
#pragma unroll
            for (int k = 0; k < RANKS; k++)
                if (k < p.ranks)
                    sum.add(loaded[item][k]);
            if (item == ITEMS - 1) {
                CPPROF_HOLD_F(sum.of[0]);
                CPPROF_PHASE(r, ADD);
            }
            if (first + item * THREADS < end)
                out[first + item * THREADS] = sum.result();
        }
        CPPROF_PHASE(r, END);
        CPPROF_TILE_END(r);
    }
}

} // namespace allreduce

#endif
