/* pc_sampler.h - at which instructions are the warps of some kernels, and what do they wait for? At a fixed interval of
 * cycles the hardware looks at one warp of each SM scheduler and records its program counter and stall reason. The
 * counts of these samples are shares of time, not times.
 *
 * Not thread-safe; one sampler per process. It knows only symbols and offsets: cubin_lines.h finds source lines and
 * instructions. */
#ifndef CPPROF_PC_SAMPLER_H
#define CPPROF_PC_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/dynload/cupti_api.h"
#include "core/base/arena.h"
#include "core/base/err.h"

struct pc_sampler;

/* Samples with one reason at one instruction. */
struct pc_sample {
    const char *symbol; /* of the kernel; owned by the list */
    uint64_t cubin_crc; /* of the module, as cuptiGetCubinCrc computes it */
    uint64_t offset;    /* bytes from the kernel's start */
    const char *reason; /* "long_scoreboard", "selected"; owned by the sampler */
    uint64_t samples;
};

struct pc_samples {
    struct arena arena;
    struct pc_sample *items;
    size_t count, capacity;
    uint64_t total;   /* sum over all items */
    uint64_t dropped; /* samples that the hardware could not store */
    bool overflowed;  /* the hardware's buffer was full: later samples are missing */
};

void pc_samples_init(struct pc_samples *s);
void pc_samples_release(struct pc_samples *s);

/* Runs the work once and waits for it. */
typedef int (*pc_work)(void *context, struct err *e);

/* Samples every 2^period_log2 cycles, 5 to 31. `context` is current; modules to be sampled must be loaded after this.
 * Returns ERR_ENVIRONMENT when sampling is refused. */
int pc_sampler_new(struct pc_sampler **out, const struct cupti_api *api, CUcontext context, unsigned period_log2,
                   struct err *e);
void pc_sampler_free(struct pc_sampler *p);

/* Samples the kernels that `work` runs, one by one, and adds the result to `out`. */
int pc_sampler_collect(struct pc_sampler *p, pc_work work, void *context, struct pc_samples *out, struct err *e);

#endif
