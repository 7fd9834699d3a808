/* What does a program call that only wants the sum? A dispatcher, which chooses a kernel for each message.
 *
 * The chosen kernel is declared for each message, with the pattern of its name. So a dispatcher that chooses one kernel
 * and launches another fails the check of what ran. */
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels/allreduce/allreduce.h"
#include "kernels/allreduce/allreduce_dispatch.h"

#define FORCE_VARIABLE "CPPROF_FORCE"

static const struct allreduce_kernel *const kernels[ALLREDUCE_KERNELS] = {
    &allreduce_1stage_kernel,   &allreduce_cpasync2_kernel,    &allreduce_cpasync3_kernel,
    &allreduce_cpasync4_kernel, &allreduce_2stage_kernel,      &allreduce_2stage_cpasync_kernel,
    &allreduce_tma_kernel,      &allreduce_pdl_kernel,         &allreduce_push_kernel,
    &allreduce_ll_kernel,       &allreduce_2stage_push_kernel, &allreduce_2stage_send_kernel,
};

/* Returns -1 when the variable does not name a kernel. */
static int choose(const struct cpprof_config *config, enum allreduce_kernel_id *chosen)
{
    const int64_t offset = config->value[ALLREDUCE_AXIS_OFFSET];
    const struct allreduce_message message = {
        .bytes = (uint64_t)config->value[ALLREDUCE_AXIS_BYTES],
        .ranks = (int)config->value[ALLREDUCE_AXIS_GPUS],
        .alignment = offset % 16 == 0  ? 16
                     : offset % 8 == 0 ? 8
                     : offset % 4 == 0 ? 4
                                       : 2,
        .is_9 = allreduce_runs_code_of_9(config),
    };
    return allreduce_choose(&message, getenv(FORCE_VARIABLE), chosen);
}

static void say_names(void)
{
    fprintf(stderr,
            "allreduce/dispatch: " FORCE_VARIABLE "='%.40s' names no kernel; there are:", getenv(FORCE_VARIABLE));
    for (enum allreduce_kernel_id id = 0; id < ALLREDUCE_KERNELS; id++)
        fprintf(stderr, " %s", allreduce_kernel_name(id));
    fputc('\n', stderr);
}

static int needs_9(enum allreduce_kernel_id kernel)
{
    return kernel >= ALLREDUCE_IS_1STAGE_TMA;
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

/* An unknown name is an error of setup, not a reason to leave the variant out. */
static int refuse(const struct cpprof_config *config, char *why, size_t why_bytes)
{
    enum allreduce_kernel_id chosen;
    if (choose(config, &chosen))
        return 0;
    return needs_9(chosen) ? allreduce_refuse_before_9(allreduce_kernel_name(chosen), config, why, why_bytes)
                           : allreduce_refuse(config, why, why_bytes);
}

/* The names that cpprof prints, and the expected use of cp.async: how each kernel is identified. */
static const struct {
    const char *pattern;
    int is_ring;
} marks[ALLREDUCE_KERNELS] = {
    [ALLREDUCE_IS_1STAGE] = {"allreduce_1stage<", 0},
    [ALLREDUCE_IS_1STAGE_CPASYNC2] = {"allreduce_1stage_cpasync<2,", 1},
    [ALLREDUCE_IS_1STAGE_CPASYNC3] = {"allreduce_1stage_cpasync<3,", 1},
    [ALLREDUCE_IS_1STAGE_CPASYNC4] = {"allreduce_1stage_cpasync<4,", 1},
    [ALLREDUCE_IS_2STAGE] = {"allreduce_2stage<", 0},
    [ALLREDUCE_IS_2STAGE_CPASYNC] = {"allreduce_2stage_cpasync<", 1},
    [ALLREDUCE_IS_1STAGE_TMA] = {"allreduce_1stage_tma<", 0},
    [ALLREDUCE_IS_1STAGE_PDL] = {"allreduce_1stage_pdl<", 0},
    [ALLREDUCE_IS_1STAGE_PUSH] = {"allreduce_1stage_push<", 0},
    [ALLREDUCE_IS_1STAGE_LL] = {"allreduce_1stage_ll<", 0},
    [ALLREDUCE_IS_2STAGE_PUSH] = {"allreduce_2stage_push<", 0},
    [ALLREDUCE_IS_2STAGE_SEND] = {"allreduce_2stage_send<", 0},
};

static const struct cpprof_expect expect_copies[] = {{ALLREDUCE_LDGSTS, 1, INFINITY}};
static const struct cpprof_expect expect_none[] = {{ALLREDUCE_LDGSTS, 0, 0}};

static void write_size(char *out, size_t out_bytes, int64_t bytes)
{
    const int64_t kib = 1 << 10, mib = 1 << 20;
    if (bytes % mib == 0)
        snprintf(out, out_bytes, "%lld MiB", (long long)(bytes / mib));
    else if (bytes % kib == 0)
        snprintf(out, out_bytes, "%lld KiB", (long long)(bytes / kib));
    else
        snprintf(out, out_bytes, "%lld bytes", (long long)bytes);
}

/* Declares the choice of the table, from the config alone. What setup makes of it is checked against this. */
static void declare(const struct cpprof_config *config, struct cpprof_declaration *declaration)
{
    const char *forced = getenv(FORCE_VARIABLE);
    enum allreduce_kernel_id chosen;
    char size[32];
    const int is_refused = choose(config, &chosen);
    if (!is_refused) {
        declaration->expect = marks[chosen].is_ring && allreduce_has_vectors(config) ? expect_copies : expect_none;
        declaration->expect_count = 1;
    }
    allreduce_declare(config, declaration);
    if (is_refused)
        return;
    declaration->kernel_pattern = marks[chosen].pattern;
    write_size(size, sizeof size, config->value[ALLREDUCE_AXIS_BYTES]);
    snprintf(declaration->chosen, sizeof declaration->chosen, "%s, %s %s on %d ranks%s", allreduce_kernel_name(chosen),
             forced && *forced ? "forced by " FORCE_VARIABLE " for" : "chosen for", size,
             (int)config->value[ALLREDUCE_AXIS_GPUS],
             config->value[ALLREDUCE_AXIS_OFFSET] % 16 ? ", not aligned to 16 bytes" : "");
}

/* For all messages. `declare` gives narrower ranges for each. */
static const struct cpprof_expect expect_either[] = {{ALLREDUCE_LDGSTS, 0, INFINITY}};

const struct cpprof_variant allreduce_dispatch_variants[ALLREDUCE_DISPATCH_COUNT] = {
    ALLREDUCE_VARIANT("dispatch",
                      "chooses a kernel by size, ranks and alignment, or by " FORCE_VARIABLE ALLREDUCE_ONE_GPU,
                      "allreduce_(1stage|2stage)(_cpasync|_tma|_pdl|_push|_ll|_send)?<", expect_either, refuse,
                      shared_bytes, setup, NULL, NULL, declare),
};
