/* sdpa_bench.cu - where do Q, K and V come from, and what is their attention in float64? */
#include "kernels/sdpa/sdpa_bench.h"

#include <cuda_fp8.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels/verify.h"

/* The tolerance of the notes. Codes are exact in half, so only the weights (half, at most 2^-11 of each) and the sums
 * (fp32) are rounded: 0.0012 for |V| <= 2.4. The rest is room for cheaper exponentials. Outputs are of the size of V,
 * so a wrong or missing key is detected. */
#define TOLERANCE 0.06
#define E4M3_MAX  448.0f

enum { FILL_THREADS = 256, FILL_BLOCKS = 1024, HOST_ROWS = 2 };

/* The largest |value| in a head of Q, K and V. Neighbouring heads differ, so that the scale of a wrong head is
 * detected. The products of the first two are nearly equal: scores have a standard deviation of a_q a_k / 3 = 2.5 to
 * 2.8, so that few of the keys have most of the weight. */
static __host__ __device__ float largest_q(int head)
{
    return 2.0f + 0.25f * (float)(head % 8);
}
static __host__ __device__ float largest_k(int head)
{
    return 3.75f - 0.25f * (float)(head % 8);
}
static __host__ __device__ float largest_v(int head)
{
    return 1.5f + 0.125f * (float)(head % 8);
}

static __host__ __device__ uint8_t encode(float uniform)
{
    return __nv_cvt_float_to_fp8(uniform * E4M3_MAX, __NV_SATFINITE, __NV_E4M3);
}

static __host__ __device__ double decode(uint8_t code)
{
    return __half2float(__half(__nv_cvt_fp8_to_halfraw(code, __NV_E4M3)));
}

static __global__ void sdpa_quantise(const float *uniform, uint8_t *codes, size_t count)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += stride)
        codes[i] = encode(uniform[i]);
}

static __global__ void sdpa_fill_scales(float *scales, int heads)
{
    for (int head = threadIdx.x; head < heads; head += blockDim.x) {
        scales[head] = largest_q(head) / E4M3_MAX;
        scales[heads + head] = largest_k(head) / E4M3_MAX;
        scales[2 * heads + head] = largest_v(head) / E4M3_MAX;
    }
}

/* The reference: a block for each row; a thread for each key, then for each column; 64 keys at a time. */
static __global__ void __launch_bounds__(SDPA_D) sdpa_reference(struct sdpa_problem p, double *out)
{
    __shared__ double query[SDPA_D], weight[SDPA_D];
    const size_t head = blockIdx.y, row = head * (size_t)p.s + blockIdx.x;
    const uint8_t *keys = p.k + head * (size_t)p.s * SDPA_D, *values = p.v + head * (size_t)p.s * SDPA_D;
    const double scale = (double)p.q_scale[head] * p.k_scale[head] / sqrt((double)SDPA_D);
    double top = -INFINITY, total = 0, sum = 0;
    query[threadIdx.x] = decode(p.q[row * SDPA_D + threadIdx.x]);
    __syncthreads();
    for (int first = 0; first < p.s; first += SDPA_D) {
        const int here = min(SDPA_D, p.s - first);
        double score = 0;
        if ((int)threadIdx.x < here)
            for (int d = 0; d < SDPA_D; d++)
                score += query[d] * decode(keys[(size_t)(first + threadIdx.x) * SDPA_D + d]);
        score *= scale;
        weight[threadIdx.x] = score;
        __syncthreads();
        double new_top = top;
        for (int j = 0; j < here; j++)
            new_top = fmax(new_top, weight[j]);
        __syncthreads();
        weight[threadIdx.x] = exp(score - new_top);
        __syncthreads();
        const double keep = exp(top - new_top);
        total *= keep;
        sum *= keep;
        for (int j = 0; j < here; j++) {
            total += weight[j];
            sum += weight[j] * decode(values[(size_t)(first + j) * SDPA_D + threadIdx.x]);
        }
        top = new_top;
        __syncthreads();
    }
    out[row * SDPA_D + threadIdx.x] = sum * p.v_scale[head] / total;
}

struct state {
    struct sdpa_problem problem;
    uint8_t *codes; /* q, k, v */
    float *scales;  /* q, k, v */
    double *reference;
    uint64_t seed;
    int heads_per_batch;
    size_t values; /* of each of q, k, v and out */
};

const struct sdpa_problem *sdpa_problem_of(const void *opaque)
{
    return &((const struct state *)opaque)->problem;
}

void sdpa_teardown(void *opaque)
{
    struct state *s = (struct state *)opaque;
    if (!s)
        return;
    cudaFree(s->codes);
    cudaFree(s->scales);
    cudaFree(s->problem.out);
    cudaFree(s->reference);
    free(s);
}

/* Returns the value of Q (which = 0), K or V, recomputed. */
static double host_value(const struct state *s, size_t which, size_t head, size_t index)
{
    const float largest[] = {largest_q((int)head), largest_k((int)head), largest_v((int)head)};
    const size_t at = which * s->values + head * (size_t)s->problem.s * SDPA_D + index;
    return decode(encode(random_value_f32(s->seed, at))) * (double)(largest[which] / E4M3_MAX);
}

/* Computes a row of the output by the definition, in two passes. The caller provides memory for the scores. */
static void host_row(const struct state *s, size_t head, size_t row, double *scores, double out[SDPA_D])
{
    const size_t keys = (size_t)s->problem.s;
    double top = -INFINITY, total = 0, query[SDPA_D];
    for (size_t d = 0; d < SDPA_D; d++)
        query[d] = host_value(s, 0, head, row * SDPA_D + d);
    for (size_t j = 0; j < keys; j++) {
        scores[j] = 0;
        for (size_t d = 0; d < SDPA_D; d++)
            scores[j] += query[d] * host_value(s, 1, head, j * SDPA_D + d);
        scores[j] /= sqrt((double)SDPA_D);
        top = fmax(top, scores[j]);
    }
    for (size_t d = 0; d < SDPA_D; d++)
        out[d] = 0;
    for (size_t j = 0; j < keys; j++) {
        const double weight = exp(scores[j] - top);
        total += weight;
        for (size_t d = 0; d < SDPA_D; d++)
            out[d] += weight * host_value(s, 2, head, j * SDPA_D + d);
    }
    for (size_t d = 0; d < SDPA_D; d++)
        out[d] /= total;
}

/* The device reference is checked, too: the host computes its first and its last row once more, from inputs that it
 * draws again. */
static int check_reference(const struct state *s, struct CUstream_st *stream)
{
    const size_t rows = (size_t)s->problem.heads * (size_t)s->problem.s;
    double *scores = (double *)malloc((size_t)s->problem.s * sizeof *scores);
    cudaError_t status = scores ? cudaSuccess : cudaErrorMemoryAllocation;
    for (size_t i = 0; i < HOST_ROWS && !status; i++) {
        const size_t at = (rows - 1) * i / (HOST_ROWS - 1);
        double expected[SDPA_D], got[SDPA_D];
        host_row(s, at / (size_t)s->problem.s, at % (size_t)s->problem.s, scores, expected);
        status = cudaMemcpyAsync(got, s->reference + at * SDPA_D, sizeof got, cudaMemcpyDeviceToHost, stream);
        if (!status)
            status = cudaStreamSynchronize(stream);
        for (size_t d = 0; d < SDPA_D && !status; d++)
            if (!(fabs(got[d] - expected[d]) <= 1e-9))
                status = cudaErrorUnknown;
    }
    free(scores);
    return status;
}

static int make_inputs(struct state *s, struct CUstream_st *stream)
{
    float *uniform;
    cudaError_t status = cudaMalloc((void **)&uniform, 3 * s->values * sizeof *uniform);
    if (status)
        return status;
    int failed = random_fill_f32(uniform, 3 * s->values, s->seed, stream);
    if (!failed) {
        sdpa_quantise<<<FILL_BLOCKS, FILL_THREADS, 0, stream>>>(uniform, s->codes, 3 * s->values);
        sdpa_fill_scales<<<1, FILL_THREADS, 0, stream>>>(s->scales, s->problem.heads);
        failed = cudaGetLastError();
    }
    if (!failed)
        failed = cudaStreamSynchronize(stream);
    cudaFree(uniform);
    return failed;
}

static int prepare(struct state *s, const struct cpprof_config *config, struct CUstream_st *stream)
{
    struct sdpa_problem *p = &s->problem;
    s->seed = config->seed;
    s->heads_per_batch = (int)config->value[SDPA_AXIS_H];
    p->heads = (int)config->value[SDPA_AXIS_B] * s->heads_per_batch;
    p->s = (int)config->value[SDPA_AXIS_S];
    s->values = (size_t)p->heads * (size_t)p->s * SDPA_D;
    cudaError_t status;
    if ((status = cudaMalloc((void **)&s->codes, 3 * s->values)) ||
        (status = cudaMalloc((void **)&s->scales, 3 * (size_t)p->heads * sizeof(float))) ||
        (status = cudaMalloc((void **)&p->out, s->values * sizeof(float))) ||
        (status = cudaMalloc((void **)&s->reference, s->values * sizeof(double))))
        return status;
    p->q = s->codes;
    p->k = s->codes + s->values;
    p->v = s->codes + 2 * s->values;
    p->q_scale = s->scales;
    p->k_scale = s->scales + p->heads;
    p->v_scale = s->scales + 2 * p->heads;
    int failed = make_inputs(s, stream);
    if (failed)
        return failed;
    sdpa_reference<<<dim3((unsigned)p->s, (unsigned)p->heads), SDPA_D, 0, stream>>>(*p, s->reference);
    status = cudaGetLastError();
    return status ? status : check_reference(s, stream);
}

int sdpa_setup(const struct cpprof_config *config, struct CUstream_st *stream, void **out)
{
    struct state *s = (struct state *)calloc(1, sizeof *s);
    *out = s;
    if (!s)
        return cudaErrorMemoryAllocation;
    int status = prepare(s, config, stream);
    if (status) {
        sdpa_teardown(s);
        *out = NULL;
    }
    return status;
}

int sdpa_poison(void *opaque, struct CUstream_st *stream)
{
    struct state *s = (struct state *)opaque;
    return poison_f32(s->problem.out, s->values, stream);
}

int sdpa_verify(void *opaque, struct CUstream_st *stream, struct cpprof_verification *result)
{
    struct state *s = (struct state *)opaque;
    const size_t rows = s->values / SDPA_D, keys = (size_t)s->problem.s, heads = (size_t)s->heads_per_batch;
    struct verify_layout layout = {SDPA_D, rows, rows, 1};
    int status = compare_f32(s->problem.out, s->reference, s->values, TOLERANCE, &layout, stream, result);
    for (uint32_t i = 0; i < result->mismatch_count; i++) {
        struct cpprof_mismatch *m = &result->mismatches[i];
        const size_t row = m->index / SDPA_D;
        snprintf(m->where, sizeof m->where, "batch %zu head %zu query %zu column %zu", row / keys / heads,
                 row / keys % heads, row % keys, m->index % SDPA_D);
    }
    return status;
}

/* The two products; an FMA counts as two operations. */
double sdpa_flops(const struct cpprof_config *config)
{
    const double s = (double)config->value[SDPA_AXIS_S];
    return 4.0 * (double)config->value[SDPA_AXIS_B] * (double)config->value[SDPA_AXIS_H] * s * s * SDPA_D;
}

/* A value of Q, K and V takes one byte, a value of the output four, and a head has three float scales. */
double sdpa_bytes(const struct cpprof_config *config)
{
    const double heads = (double)config->value[SDPA_AXIS_B] * (double)config->value[SDPA_AXIS_H];
    return heads * ((double)config->value[SDPA_AXIS_S] * SDPA_D * (3 + sizeof(float)) + 3 * sizeof(float));
}

const struct cpprof_axis sdpa_axes[SDPA_AXIS_COUNT] = {
    {"B", "batches", CPPROF_AXIS_SHAPE, 1, 64, 1},
    {"H", "heads of a batch", CPPROF_AXIS_SHAPE, 1, 128, 8},
    {"S", "queries, and keys, of a head", CPPROF_AXIS_SHAPE, 1, 65536, 512},
};

/* The ragged shapes end inside a tile of keys and inside a block's queries, have fewer keys than a tile, one key more
 * than a tile, and one key. */
const struct cpprof_shape sdpa_shapes[SDPA_SHAPE_COUNT] = {
    {"mission", {1, 8, 512}, 0},  {"small", {1, 8, 32}, 0},       {"long", {1, 8, 2048}, 0},
    {"ragged-77", {1, 8, 77}, 1}, {"ragged-500", {1, 8, 500}, 1}, {"ragged-5", {1, 2, 5}, 1},
    {"ragged-65", {1, 2, 65}, 1}, {"batches", {2, 3, 100}, 1},    {"one", {1, 1, 1}, 1},
};
