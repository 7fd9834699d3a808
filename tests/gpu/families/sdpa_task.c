/* The task that variants of the family `sdpa` solve: attention over codes of e4m3 with a scale for each head. */
#include <stdio.h>
#include <stdlib.h>

#include <cpprof/task.h>

#include "tests/gpu/families/setting.h"

enum { D = 64, CODES = 128 };

static size_t heads_of(const struct cpprof_config *config)
{
    return (size_t)(config->value[0] * config->value[1]);
}

static size_t values(const struct cpprof_config *config)
{
    return heads_of(config) * (size_t)config->value[2] * D;
}

/* The value of a code without a sign. */
static double decode(unsigned code)
{
    return code < 8 ? ldexp(code, -9) : ldexp(8 + code % 8, (int)(code / 8) - 10);
}

/* One head, decoded: keys with one column after the other, so that sums over columns are loops over keys. */
struct head {
    size_t s;
    double *keys, *values, *weights; /* D x s, s x D, s */
    double score_scale, value_scale;
};

static void decode_head(struct head *h, const uint8_t *k, const uint8_t *v, const double *decoded)
{
    for (size_t j = 0; j < h->s; j++)
        for (size_t d = 0; d < D; d++) {
            h->keys[d * h->s + j] = decoded[k[j * D + d]];
            h->values[j * D + d] = decoded[v[j * D + d]];
        }
}

static double weigh(struct head *h, const uint8_t *q, const double *decoded)
{
    double top = -INFINITY, total = 0, *w = h->weights;
    memset(w, 0, h->s * sizeof *w);
    for (size_t d = 0; d < D; d++) {
        const double scaled = decoded[q[d]] * h->score_scale, *keys = h->keys + d * h->s;
        for (size_t j = 0; j < h->s; j++)
            w[j] += scaled * keys[j];
    }
    for (size_t j = 0; j < h->s; j++)
        top = fmax(top, w[j]);
    for (size_t j = 0; j < h->s; j++)
        total += w[j] = exp(w[j] - top);
    return total;
}

static void attend(struct head *h, const uint8_t *q, const double *decoded, double *out)
{
    const double factor = h->value_scale / weigh(h, q, decoded);
    memset(out, 0, D * sizeof *out);
    for (size_t j = 0; j < h->s; j++)
        for (size_t d = 0; d < D; d++)
            out[d] += h->weights[j] * h->values[j * D + d];
    for (size_t d = 0; d < D; d++)
        out[d] *= factor;
}

static void reference(const struct cpprof_config *config, const void *const *inputs, double *const *outputs)
{
    const uint8_t *q = inputs[0], *k = inputs[1], *v = inputs[2];
    const size_t s = (size_t)config->value[2];
    double decoded[CODES], *memory = malloc((2 * D + 1) * s * sizeof *memory);
    struct head h = {s, memory, memory + D * s, memory + 2 * D * s, 0, 0};
    for (unsigned code = 0; code < CODES; code++)
        decoded[code] = decode(code);
    for (size_t head = 0; head < heads_of(config) && memory; head++) {
        const size_t first = head * s * D;
        h.score_scale = (double)sdpa_scale(SCALE_OF_Q, (int)head) * sdpa_scale(SCALE_OF_K, (int)head) / 8;
        h.value_scale = sdpa_scale(SCALE_OF_V, (int)head);
        decode_head(&h, k + first, v + first, decoded);
        for (size_t row = 0; row < s; row++)
            attend(&h, q + first + row * D, decoded, outputs[0] + first + row * D);
    }
    free(memory);
}

static void where(const struct cpprof_config *config, size_t output, size_t index, char *text, size_t bytes)
{
    const size_t s = (size_t)config->value[2];
    (void)output;
    snprintf(text, bytes, "head %zu query %zu column %zu", index / D / s, index / D % s, index % D);
}

/* A value of Q, K and V takes one byte, a value of the output four: a set of `fits` is 0.9 MB, one of `beyond` 5.5 MB.
 */
static const struct cpprof_axis axes[] = {{"B", "batches", CPPROF_AXIS_SHAPE, 1, 64, 1},
                                          {"H", "heads of a batch", CPPROF_AXIS_SHAPE, 1, 128, 8},
                                          {"S", "queries, and keys, of a head", CPPROF_AXIS_SHAPE, 1, 4096, 256}};
static const struct cpprof_shape shapes[] = {
    {"fits", {1, 8, 256}, 0}, {"beyond", {1, 48, 256}, 0}, {"ragged", {1, 2, 77}, 1}};
static const struct cpprof_array inputs[] = {
    {"q", CPPROF_U8, values}, {"k", CPPROF_U8, values}, {"v", CPPROF_U8, values}};
static const struct cpprof_array out = {"out", CPPROF_F32, values};

CPPROF_TASK(.name = "sdpa_task", .summary = "the family sdpa: attention over codes of e4m3", .axes = axes,
            .axis_count = 3, .shapes = shapes, .shape_count = 3, .inputs = inputs, .input_count = 3, .outputs = &out,
            .output_count = 1, .reference = reference, .where = where, .kernels = "sdpa_",
            .tolerance = {0.06, 0, "the family's: weights in half, and room for cheaper exponentials"});
