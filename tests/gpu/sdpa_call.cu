/* sdpa_call.cu - the attention ladder as a plain function, for who calls it from another program:
 * tests/gpu/sdpa_beside.py and sdpa_rising.py load this library beside PyTorch.
 *
 * Pointers are device memory: q, k, v e4m3 [b][h][s][64], a scale for each of the b h heads of each, out float
 * [b][h][s][64].
 */
#include <string.h>

extern "C" {
#include "kernels/registry.h"
}
#include "kernels/sdpa/sdpa_bench.h"

#define EXPORTED extern "C" __attribute__((visibility("default")))

/* The one of that name or, without a name, the one with that number; NULL: none. */
static const struct cpprof_variant *find(const char *name, int index)
{
    size_t count;
    const struct variant_family *families = variant_families(&count);
    for (size_t f = 0; f < count; f++) {
        const struct variant_family *family = &families[f]; /* the ladder has several */
        for (size_t i = 0; !strcmp(family->name, "sdpa") && i < family->count; i++)
            if (name ? !strcmp(family->variants[i].name, name) : index-- == 0)
                return &family->variants[i];
    }
    return NULL;
}

/* "sdpa/baseline" and so on; NULL behind the last one. */
EXPORTED const char *sdpa_name(int index)
{
    const struct cpprof_variant *variant = index < 0 ? NULL : find(NULL, index);
    return variant ? variant->name : NULL;
}

/* 1, and why, when the current device cannot run it. */
EXPORTED int sdpa_refuses(const char *name, int b, int h, int s, char *why, int why_bytes)
{
    const struct cpprof_variant *variant = find(name, 0);
    struct cpprof_config config = {};
    config.value[SDPA_AXIS_B] = b;
    config.value[SDPA_AXIS_H] = h;
    config.value[SDPA_AXIS_S] = s;
    return variant && variant->refuse ? variant->refuse(&config, why, (size_t)why_bytes) : 0;
}

/* Launches; 0 or a cudaError_t. */
EXPORTED int sdpa_forward(const char *name, const void *q, const void *k, const void *v, const float *q_scale,
                          const float *k_scale, const float *v_scale, float *out, int b, int h, int s,
                          struct CUstream_st *stream)
{
    const struct cpprof_variant *variant = find(name, 0);
    struct sdpa_problem problem = {
        (const uint8_t *)q, (const uint8_t *)k, (const uint8_t *)v, q_scale, k_scale, v_scale, out, b * h, s};
    /* A variant is launched with what its setup left, and that begins with the problem. */
    if (!variant || sdpa_problem_of(&problem) != &problem)
        return 1; /* cudaErrorInvalidValue */
    return variant->launch(&problem, stream);
}
