/* Was anything written beside a buffer? */
#include "collector/runner/judge/guarded.h"

#include <cuda_runtime.h>

enum { BAND_BYTES = 16384, NAN_BYTE = 0xff, NUMBER_BYTE = 0xa5 };

int guarded_poison(enum cpprof_type type)
{
    return type >= CPPROF_I32 ? NUMBER_BYTE : NAN_BYTE;
}

/* The second band starts at the very end of the data. */
int guarded_open(struct guarded *g, size_t bytes, bool is_input, struct CUstream_st *stream)
{
    *g = (struct guarded){.bytes = bytes, .band = is_input ? NAN_BYTE : NUMBER_BYTE};
    int status = cudaMalloc((void **)&g->whole, bytes + 2 * BAND_BYTES);
    if (status)
        return status;
    g->data = g->whole + BAND_BYTES;
    status = cudaMemsetAsync(g->whole, g->band, BAND_BYTES, stream);
    return status ? status : (int)cudaMemsetAsync(g->whole + BAND_BYTES + bytes, g->band, BAND_BYTES, stream);
}

void guarded_close(struct guarded *g)
{
    if (g->whole)
        cudaFree(g->whole);
    *g = (struct guarded){0};
}

static int check_band(const struct guarded *g, size_t start, bool *is_whole, int64_t *broken_at)
{
    static unsigned char band[BAND_BYTES];
    const int status = cudaMemcpy(band, g->whole + start, sizeof band, cudaMemcpyDeviceToHost);
    for (size_t i = 0; i < sizeof band && !status && *is_whole; i++)
        if (band[i] != g->band) {
            *is_whole = false;
            *broken_at = (int64_t)(start + i) - BAND_BYTES;
        }
    return status;
}

int guarded_check(const struct guarded *g, bool *is_whole, int64_t *broken_at)
{
    *is_whole = true;
    const int status = check_band(g, BAND_BYTES + g->bytes, is_whole, broken_at);
    return status ? status : check_band(g, 0, is_whole, broken_at);
}
