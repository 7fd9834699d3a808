/* Writes the traces that the sample rules of examples/ci are tried on.
 * usage: make_traces FOLDER
 *
 * good.bin: an upload, then eight kernels of 900 us on stream 8, one a
 * millisecond, each with a copy of 500 us beside it on stream 7, in two steps.
 * bad.bin: the same work with everything that the samples forbid. */
#include <stdio.h>
#include <stdlib.h>

#include "core/base/count_of.h"
#include "core/base/shard_writer.h"
#include "core/base/str.h"

#define US ((int64_t)1000)

enum { ITERATIONS = 8, STEPS = 2, THREAD = 1, COPY_STREAM = 7, KERNEL_STREAM = 8 };

/* Times of one iteration count from its begin. */
struct plan {
    const char *file, *kernel, *copy_call;
    int64_t upload_start_ns; /* on the device; it takes 30 us */
    int64_t kernel_ns;       /* from 10 us on */
    int64_t copy_start_ns, copy_ns;
    int64_t launch_call_ns, copy_call_ns;
    int64_t hole_ns; /* before the second step */
};

static const struct plan plans[] = {
    {.file = "good.bin",
     .kernel = "nvjet_sm90_tst_128x64_64x4_2x1_v_bz_TNT",
     .copy_call = "cudaMemcpyAsync",
     .upload_start_ns = 20 * US,
     .kernel_ns = 900 * US,
     .copy_start_ns = 100 * US,
     .copy_ns = 500 * US,
     .launch_call_ns = 5 * US,
     .copy_call_ns = 4 * US},
    {.file = "bad.bin",
     .kernel = "void gemm_naive(float const*)",
     .copy_call = "cudaMemcpy_v3020",
     .upload_start_ns = 510 * US, /* behind the first kernel, which runs from 110 to 500 us */
     .kernel_ns = 390 * US,
     .copy_start_ns = 550 * US,
     .copy_ns = 300 * US,
     .launch_call_ns = 20 * US,
     .copy_call_ns = 350 * US,
     .hole_ns = 5000 * US},
};

struct writing {
    struct shard_writer shard;
    struct err e;
    int code; /* the first error */
};

static void add(struct writing *w, struct cpprof_event event, const char *name)
{
    event.name = shard_writer_string(&w->shard, name);
    if (!w->code)
        w->code = shard_writer_add(&w->shard, &event, &w->e);
}

static void add_range(struct writing *w, const char *name, int64_t start_ns, int64_t end_ns)
{
    add(w,
        (struct cpprof_event){.kind = CPPROF_EVENT_RANGE,
                              .start_ns = start_ns,
                              .end_ns = end_ns,
                              .thread = THREAD,
                              .device = -1,
                              .rank = -1},
        name);
}

static void add_call(struct writing *w, enum cpprof_api_kind detail, const char *name, uint32_t correlation,
                     int64_t start_ns, int64_t length_ns)
{
    add(w,
        (struct cpprof_event){.kind = CPPROF_EVENT_API,
                              .detail = (uint32_t)detail,
                              .start_ns = start_ns,
                              .end_ns = start_ns + length_ns,
                              .correlation = correlation,
                              .thread = THREAD,
                              .device = -1,
                              .rank = -1},
        name);
}

static void add_work(struct writing *w, bool is_copy, const char *name, uint32_t correlation, int64_t start_ns,
                     int64_t length_ns)
{
    add(w,
        (struct cpprof_event){.kind = is_copy ? CPPROF_EVENT_COPY : CPPROF_EVENT_KERNEL,
                              .detail = is_copy ? CPPROF_COPY_H2D : 0,
                              .size_bytes = is_copy ? 1 << 20 : 0,
                              .start_ns = start_ns,
                              .end_ns = start_ns + length_ns,
                              .correlation = correlation,
                              .context = 1,
                              .stream = is_copy ? COPY_STREAM : KERNEL_STREAM,
                              .rank = -1},
        name);
}

static void add_iteration(struct writing *w, const struct plan *p, uint32_t i, int64_t begin_ns)
{
    const uint32_t launch = 10 + 2 * i, copy = launch + 1;
    add_call(w, CPPROF_API_LAUNCH, "cudaLaunchKernel", launch, begin_ns, p->launch_call_ns);
    add_work(w, false, p->kernel, launch, begin_ns + 10 * US, p->kernel_ns);
    add_call(w, CPPROF_API_COPY, p->copy_call, copy, begin_ns + p->launch_call_ns + US, p->copy_call_ns);
    add_work(w, true, "[CUDA memcpy Host-to-Device]", copy, begin_ns + p->copy_start_ns, p->copy_ns);
}

static void add_trace(struct writing *w, const struct plan *p)
{
    add_range(w, "upload", 0, 100 * US);
    add_call(w, CPPROF_API_COPY, "cudaMemcpyAsync", 1, 10 * US, 5 * US);
    add_work(w, true, "[CUDA memcpy Host-to-Device]", 1, p->upload_start_ns, 30 * US);
    int64_t now_ns = 100 * US;
    for (uint32_t step = 0; step < STEPS; step++) {
        now_ns += step ? p->hole_ns : 0;
        const int64_t step_ns = ITERATIONS / STEPS * 1000 * US;
        add_range(w, "step", now_ns, now_ns + step_ns);
        for (uint32_t i = 0; i < ITERATIONS / STEPS; i++)
            add_iteration(w, p, step * (ITERATIONS / STEPS) + i, now_ns + i * 1000 * US);
        now_ns += step_ns;
    }
}

static int write_trace(const struct plan *p, const char *folder)
{
    struct writing w = {.code = 0};
    struct str path;
    str_init(&path);
    str_addf(&path, "%s/%s", folder, p->file);
    w.code = shard_writer_open(&w.shard, str_text(&path), -1, 0, &w.e);
    str_release(&path);
    if (!w.code) {
        add_trace(&w, p);
        const int closed = shard_writer_close(&w.shard, &w.e);
        w.code = w.code ? w.code : closed;
    }
    if (w.code)
        fprintf(stderr, "make_traces: %s\n", w.e.text);
    return w.code;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 2;
    }
    for (size_t i = 0; i < COUNT_OF(plans); i++)
        if (write_trace(&plans[i], argv[1]))
            return 1;
    return 0;
}
