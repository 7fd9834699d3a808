/* pc_sampler.h - where do the warps of some kernels stand, and what do they wait
 * for? The hardware looks at a warp of each SM scheduler at a fixed interval of cycles and
 * notes its program counter and its stall reason. Counts of such looks are samples:
 * shares of time, not times.
 *
 * Not thread safe; one sampler a process. It knows symbols and offsets only:
 * cubin_lines.h finds source lines and instructions. */
#ifndef CPPROF_PC_SAMPLER_H
#define CPPROF_PC_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "collector/dynload/cupti_api.h"

struct pc_sampler;

/* One reason at one instruction. */
struct pc_sample {
    const char *symbol; /* of the kernel; the list's */
    uint64_t cubin_crc; /* of the module, as cuptiGetCubinCrc computes it */
    uint64_t offset;    /* bytes from the kernel's start */
    const char *reason; /* "long_scoreboard", "selected"; the sampler's */
    uint64_t samples;
};

struct pc_samples {
    struct arena arena;
    struct pc_sample *items;
    size_t count, capacity;
    uint64_t total;   /* samples of all items */
    uint64_t dropped; /* that the hardware could not store */
    bool overflowed;  /* the hardware's buffer was full: what follows is missing */
};

void pc_samples_init(struct pc_samples *s);
void pc_samples_release(struct pc_samples *s);

/* Runs the work once and waits for it. */
typedef int (*pc_work)(void *context, struct err *e);

/* A look every 2^period_log2 cycles, 5 to 31. `context` is current, and modules
 * that are to be sampled are loaded afterwards. ERR_ENVIRONMENT when refused. */
int pc_sampler_new(struct pc_sampler **out, const struct cupti_api *api, CUcontext context, unsigned period_log2,
                   struct err *e);
void pc_sampler_free(struct pc_sampler *p);

/* Samples what `work` runs, kernel by kernel; adds to `out`. */
int pc_sampler_collect(struct pc_sampler *p, pc_work work, void *context, struct pc_samples *out, struct err *e);

#endif
