/* What a program calls that only wants the sum: a kernel is chosen for each message.
 *
 * `dispatch` says no more than that one of the kernels ran. A `dispatch-NAME` declares which: it has the pattern of that
 * kernel, goes through the same dispatcher, and refuses messages for which the table has another one. So a dispatcher
 * that chooses one kernel and launches another is found by the check of what ran, and not by a slow afternoon.
 */
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels/allreduce.h"
#include "kernels/allreduce_dispatch.h"

#define FORCE_VARIABLE "CPPROF_FORCE"

static const struct allreduce_kernel *const kernels[ALLREDUCE_KERNELS] = {
    &allreduce_1stage_kernel,   &allreduce_cpasync2_kernel,       &allreduce_cpasync3_kernel, &allreduce_cpasync4_kernel,
    &allreduce_2stage_kernel,   &allreduce_2stage_cpasync_kernel, &allreduce_tma_kernel,      &allreduce_pdl_kernel,
};

/* -1: the variable names no kernel. */
static int choose(const struct cpprof_config *config, enum allreduce_kernel_id *chosen)
{
    const int64_t offset = config->value[ALLREDUCE_AXIS_OFFSET];
    const struct allreduce_message message = {
        .bytes = (uint64_t)config->value[ALLREDUCE_AXIS_BYTES],
        .ranks = (int)config->value[ALLREDUCE_AXIS_GPUS],
        .alignment = offset % 16 == 0 ? 16 : offset % 8 == 0 ? 8 : offset % 4 == 0 ? 4 : 2,
    };
    return allreduce_choose(&message, getenv(FORCE_VARIABLE), chosen);
}

static void say_names(void)
{
    fprintf(stderr, "allreduce/dispatch: " FORCE_VARIABLE "='%.40s' names no kernel; there are:", getenv(FORCE_VARIABLE));
    for (enum allreduce_kernel_id id = 0; id < ALLREDUCE_KERNELS; id++)
        fprintf(stderr, " %s", allreduce_kernel_name(id));
    fputc('\n', stderr);
}

static int needs_9(enum allreduce_kernel_id kernel)
{
    return kernel == ALLREDUCE_IS_1STAGE_TMA || kernel == ALLREDUCE_IS_1STAGE_PDL;
}

static int setup(const struct cpprof_config *config, struct CUstream_st *stream, void **out)
{
    const struct allreduce_kernel *kernel = &allreduce_1stage_kernel;
    enum allreduce_kernel_id chosen;
    *out = NULL;
    if (choose(config, &chosen)) {
        say_names();
        return cudaErrorInvalidValue;
    }
    kernel = kernels[chosen];
    return allreduce_setup(kernel, config, stream, out);
}

static size_t shared_bytes(const struct cpprof_config *config)
{
    enum allreduce_kernel_id chosen;
    return choose(config, &chosen) ? 0 : kernels[chosen]->shared_bytes(config);
}

/* A name that is none is an error of setup, not a reason to leave the variant out. */
static int refuse(const struct cpprof_config *config, char *why, size_t why_bytes)
{
    enum allreduce_kernel_id chosen;
    if (choose(config, &chosen))
        return 0;
    return needs_9(chosen) ? allreduce_refuse_before_9(allreduce_kernel_name(chosen), config, why, why_bytes)
                           : allreduce_refuse(config, why, why_bytes);
}

static int refuse_unless(enum allreduce_kernel_id kernel, const struct cpprof_config *config, char *why, size_t why_bytes)
{
    enum allreduce_kernel_id chosen;
    if (!choose(config, &chosen) && chosen != kernel) {
        snprintf(why, why_bytes, "the dispatcher chooses %s for this message", allreduce_kernel_name(chosen));
        return 1;
    }
    return refuse(config, why, why_bytes);
}

#define REFUSE_UNLESS(KERNEL)                                                                                           \
    static int refuse_unless_##KERNEL(const struct cpprof_config *config, char *why, size_t why_bytes)                   \
    {                                                                                                                   \
        return refuse_unless(ALLREDUCE_IS_##KERNEL, config, why, why_bytes);                                             \
    }
REFUSE_UNLESS(1STAGE)
REFUSE_UNLESS(1STAGE_CPASYNC3)
REFUSE_UNLESS(2STAGE)
REFUSE_UNLESS(2STAGE_CPASYNC)

static const struct cpprof_expect expect_plain[] = {{ALLREDUCE_LDGSTS, 0, 0}};
static const struct cpprof_expect expect_cpasync[] = {{ALLREDUCE_LDGSTS, 1, INFINITY}};
static const struct cpprof_expect expect_either[] = {{ALLREDUCE_LDGSTS, 0, INFINITY}};

#define DECLARED(NAME, KERNEL, PATTERN, EXPECT)                                                                         \
    ALLREDUCE_VARIANT("dispatch-" NAME, "the dispatcher, where it should choose " NAME ALLREDUCE_ONE_GPU, PATTERN, EXPECT,   \
                      refuse_unless_##KERNEL, shared_bytes, setup, NULL, NULL)

const struct cpprof_variant allreduce_dispatch_variants[ALLREDUCE_DISPATCH_COUNT] = {
    ALLREDUCE_VARIANT("dispatch", "chooses a kernel by size, ranks and alignment, or by " FORCE_VARIABLE ALLREDUCE_ONE_GPU,
                      "allreduce_(1stage|2stage)(_cpasync|_tma|_pdl)?<", expect_either, refuse, shared_bytes, setup, NULL, NULL),
    DECLARED("1stage", 1STAGE, "allreduce_1stage<", expect_plain),
    DECLARED("1stage-cpasync3", 1STAGE_CPASYNC3, "allreduce_1stage_cpasync<3,", expect_cpasync),
    DECLARED("2stage", 2STAGE, "allreduce_2stage<", expect_plain),
    DECLARED("2stage-cpasync", 2STAGE_CPASYNC, "allreduce_2stage_cpasync<", expect_cpasync),
};
