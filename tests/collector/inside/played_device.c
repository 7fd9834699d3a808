/* Memory that is dirty when it is new, and warps that write into it. */
#include "played_device.h"

#include <stdlib.h>
#include <string.h>

#include "collector/runner/device.h"

enum { DIRTY = 0xa5, HEAD = 64 /* bytes in front of a block: its device */ };

struct played_memory played_memory;

int played_device_of(const void *block)
{
    int device;
    memcpy(&device, (const char *)block - HEAD, sizeof device);
    return device;
}

cudaError_t __wrap_cudaSetDevice(int device);
cudaError_t __wrap_cudaSetDevice(int device)
{
    played_memory.device = device;
    return cudaSuccess;
}

cudaError_t __wrap_cudaMalloc(void **out, size_t bytes);
cudaError_t __wrap_cudaMalloc(void **out, size_t bytes)
{
    played_memory.late += played_memory.hangs;
    if (played_memory.limit && bytes > played_memory.limit)
        return cudaErrorMemoryAllocation;
    char *block = malloc(HEAD + bytes);
    if (!block)
        return cudaErrorMemoryAllocation;
    memcpy(block, &played_memory.device, sizeof played_memory.device);
    *out = memset(block + HEAD, DIRTY, bytes);
    played_memory.there++;
    return cudaSuccess;
}

cudaError_t __wrap_cudaFree(void *block);
cudaError_t __wrap_cudaFree(void *block)
{
    played_memory.late += played_memory.hangs;
    free((char *)block - HEAD);
    played_memory.there--;
    return cudaSuccess;
}

cudaError_t __wrap_cudaMemset(void *to, int value, size_t bytes);
cudaError_t __wrap_cudaMemset(void *to, int value, size_t bytes)
{
    played_memory.late += played_memory.hangs;
    memset(to, value, bytes);
    return cudaSuccess;
}

cudaError_t __wrap_cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t __wrap_cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    played_memory.late += played_memory.hangs;
    if (kind != cudaMemcpyDeviceToHost)
        return cudaErrorInvalidValue;
    memcpy(to, from, bytes);
    return cudaSuccess;
}

cudaError_t __wrap_cudaDeviceSynchronize(void);
cudaError_t __wrap_cudaDeviceSynchronize(void)
{
    played_memory.late += played_memory.hangs;
    return cudaSuccess;
}

static int is_recorded(const struct cpprof_inside_settings *s, uint32_t tile)
{
    return tile < s->limit && !(tile / CPPROF_WINDOW_TILES & s->every_mask);
}

void played_warp_run(const struct cpprof_inside_settings *s, const struct played_warp *w,
                     uint32_t (*mark)(const struct played_warp *warp, uint32_t tile, int mark))
{
    const uint32_t bit = 1u << w->warp, place = (uint32_t)__builtin_popcount(s->warp_mask & (bit - 1));
    if (!(s->warp_mask & bit) || w->block >= s->blocks || place >= s->seats_per_block)
        return;
    const size_t seat = (size_t)w->block * s->seats_per_block + place;
    uint32_t *to = s->records + seat * s->tiles * CPPROF_MARKS_MAX;
    for (uint32_t tile = 0; tile < w->tiles && tile < s->limit; tile++) {
        if (!is_recorded(s, tile))
            continue;
        for (int m = 0; m < CPPROF_MARKS_MAX; m++) {
            const uint32_t cycle = mark(w, tile, m);
            if (cycle)
                to[m] = cycle;
        }
        to += CPPROF_MARKS_MAX;
    }
    s->warps[seat] = (struct cpprof_inside_warp){.begin_ns = w->begin_ns,
                                                 .end_ns = w->end_ns,
                                                 .begin_cycle = w->begin_cycle,
                                                 .end_cycle = w->end_cycle,
                                                 .sm = w->sm,
                                                 .role = w->role + 1,
                                                 .tiles = w->tiles,
                                                 .warp = w->warp};
}
