/* Was anything written beside a buffer? */
#include "collector/runner/judge/guarded.h"

#include <cuda_runtime.h>

#include "collector/runner/judge/judge_layout.h"

enum { NAN_BYTE = 0xff, NUMBER_BYTE = 0xa5 };

int guarded_poison(enum cpprof_type type)
{
    return type >= CPPROF_I32 ? NUMBER_BYTE : NAN_BYTE;
}

int guarded_place(struct guarded *g, char *data, size_t bytes, bool is_input, struct CUstream_st *stream)
{
    *g = (struct guarded){data, bytes, is_input ? NAN_BYTE : NUMBER_BYTE};
    const int status = cudaMemsetAsync(data - JUDGE_BAND_BYTES, g->band, JUDGE_BAND_BYTES, stream);
    return status ? status : (int)cudaMemsetAsync(data + bytes, g->band, JUDGE_BAND_BYTES, stream);
}

static int check_band(const struct guarded *g, const char *start, bool *is_whole, int64_t *broken_at,
                      struct CUstream_st *stream)
{
    static unsigned char band[JUDGE_BAND_BYTES];
    int status = cudaMemcpyAsync(band, start, sizeof band, cudaMemcpyDeviceToHost, stream);
    if (!status)
        status = cudaStreamSynchronize(stream);
    for (size_t i = 0; i < sizeof band && !status && *is_whole; i++)
        if (band[i] != g->band) {
            *is_whole = false;
            *broken_at = (int64_t)(start - g->data) + (int64_t)i;
        }
    return status;
}

int guarded_check(const struct guarded *g, bool *is_whole, int64_t *broken_at, struct CUstream_st *stream)
{
    *is_whole = true;
    const int status = check_band(g, g->data + g->bytes, is_whole, broken_at, stream);
    return status ? status : check_band(g, g->data - JUDGE_BAND_BYTES, is_whole, broken_at, stream);
}
