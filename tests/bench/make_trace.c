/* What does a trace look like whose answers are known beforehand?
 *
 *   make_trace csv|shard ROWS FILE [sorted|completion] [calls]      the answers go to stdout
 *   make_trace ranks SEED FOLDER [NAME=NUMBER]...           make_ranks.c
 *
 * Steps alternate between two devices. A step on one of them, at time t:
 *
 *   stream 7   kernel  |=========== k ===========|                       memset |= m =|
 *   stream 8   kernel       |= k/4 =|
 *   stream 13  h2d               |===== o =======|=== e ===|
 *   stream 14  d2h                                          |= d =|
 *
 * so that the kernels cover k, the copies o + e + d, and o is common to both.
 * The lengths are random, their sums are the answers: no interval is ever
 * compared with another here. The answers are printed as rules, so that
 * `cpprof overlap FILE --rules` says whether each is met to the nanosecond.
 * Rows are ordered by start, as nsys writes them, or by end, as CUPTI hands
 * them out. With `calls` each row of a shard has the call that launched it before it: an event more, that no answer is
 * about. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/count_of.h"
#include "core/base/shard_writer.h"
#include "tests/bench/make_ranks.h"

enum { DEVICES = 2, STEP_ROWS = 5, CONTEXT = 1 };

/* As nsys shows them: most have a comma, so most are quoted. */
static const char *const kernel_names[] = {
    "vectorAdd(const float *, const float *, float *, int)",
    "ampere_sgemm_128x64_tn",
    "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_128x128_64x4_tn_align8>(T1::Params)",
    "void at::native::vectorized_elementwise_kernel<(int)4, at::native::FillFunctor<float>, "
    "std::array<char *, (unsigned long)1>>(int, T2, T3)",
    "void at::native::reduce_kernel<(int)512, (int)1, at::native::ReduceOp<float, "
    "at::native::func_wrapper_t<float, at::native::sum_functor<float, float, float>::operator ()("
    "at::TensorIterator &)::[lambda(float, float) (instance 1)]>, unsigned int, float, (int)4>>(T3)",
    "flash_fwd_kernel(Flash_fwd_params)",
    "void cub::DeviceRadixSortOnesweepKernel<cub::DeviceRadixSortPolicy<float, int, int>::Policy900, (bool)0, float, "
    "int, int, int, int, cub::detail::identity_decomposer_t>(T7 *, T7 *, T5 *, const T5 *, T3 *, const T3 *, T4 *, "
    "const T4 *, T6, int, int, T8)",
    "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevComm *, unsigned long, ncclWork *)",
};

/* What the sums come to on one device. */
struct answers {
    int64_t kernels, h2d, d2h, memsets;
    int64_t kernel_ns, h2d_ns, d2h_ns, memset_ns, overlap_ns;
    int64_t busy_ns;
    int64_t h2d_bytes, d2h_bytes;
    int64_t last_end_ns;
    int64_t gap_max_ns; /* without any work */
};

struct maker {
    uint64_t seed;
    int64_t now_ns;
    int64_t rows;
    uint32_t correlation;
    bool by_end, has_calls;
    struct answers answers[DEVICES];
    FILE *csv;                 /* this */
    struct shard_writer shard; /* or this */
    struct err e;
};

static uint64_t next_random(uint64_t *seed)
{
    uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* From low to high, both possible. */
static int64_t between(struct maker *m, int64_t low, int64_t high)
{
    return low + (int64_t)(next_random(&m->seed) % (uint64_t)(high - low + 1));
}

/* One row to come; its name is a text still. */
struct work {
    struct cpprof_event event;
    const char *name;
};

static struct work work_of(struct maker *m, int device, uint16_t kind, uint32_t stream, int64_t start_ns,
                           int64_t duration_ns)
{
    struct work w = {.event = {.kind = kind,
                               .device = (int16_t)device,
                               .rank = -1,
                               .context = CONTEXT,
                               .stream = stream,
                               .start_ns = start_ns,
                               .end_ns = start_ns + duration_ns,
                               .correlation = ++m->correlation}};
    return w;
}

static struct work kernel_of(struct maker *m, int device, uint32_t stream, int64_t start_ns, int64_t duration_ns)
{
    struct work w = work_of(m, device, CPPROF_EVENT_KERNEL, stream, start_ns, duration_ns);
    w.name = kernel_names[next_random(&m->seed) % COUNT_OF(kernel_names)];
    w.event.grid[0] = (uint32_t)between(m, 1, 200000);
    w.event.grid[1] = w.event.grid[2] = 1;
    w.event.block[0] = 256;
    w.event.block[1] = w.event.block[2] = 1;
    w.event.registers = (uint16_t)between(m, 16, 255);
    return w;
}

/* Whole kilobytes, because nsys shows megabytes with three digits. */
static struct work copy_of(struct maker *m, int device, enum cpprof_copy_kind direction, uint32_t stream,
                           int64_t start_ns, int64_t duration_ns)
{
    struct work w = work_of(m, device, CPPROF_EVENT_COPY, stream, start_ns, duration_ns);
    w.name = direction == CPPROF_COPY_H2D ? "[CUDA memcpy Host-to-Device]" : "[CUDA memcpy Device-to-Host]";
    w.event.detail = direction;
    w.event.size_bytes = (uint64_t)between(m, 1, 99999) * 1000;
    return w;
}

static void write_csv(struct maker *m, const struct work *w)
{
    const struct cpprof_event *event = &w->event;
    fprintf(m->csv, "%" PRId64 ",%" PRId64 ",%" PRIu32 ",", event->start_ns, event->end_ns - event->start_ns,
            event->correlation);
    if (event->kind == CPPROF_EVENT_KERNEL)
        fprintf(m->csv, "%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%d,%d,%d,%d,0.000,0.000,,,,", event->grid[0],
                event->grid[1], event->grid[2], event->block[0], event->block[1], event->block[2], event->registers);
    else
        fprintf(m->csv, ",,,,,,,,,%" PRIu64 ".%03" PRIu64 ",1024.000,%s,%s", event->size_bytes / 1000000,
                event->size_bytes / 1000 % 1000, event->detail == CPPROF_COPY_H2D ? "Pinned" : "Device",
                event->detail == CPPROF_COPY_D2H ? "Pinned" : "Device");
    const char *quote = strchr(w->name, ',') ? "\"" : "";
    fprintf(m->csv, ",NVIDIA H200 (%d),%d,,%" PRIu32 ",%s%s%s\n", event->device, CONTEXT, event->stream, quote, w->name,
            quote);
}

static int write_call(struct maker *m, const struct cpprof_event *work)
{
    const bool launches = work->kind == CPPROF_EVENT_KERNEL;
    const struct cpprof_event call = {
        .kind = CPPROF_EVENT_API,
        .detail = launches ? CPPROF_API_LAUNCH : CPPROF_API_COPY,
        .device = -1,
        .rank = -1,
        .thread = 1,
        .start_ns = work->start_ns - 3000,
        .end_ns = work->start_ns - 1000,
        .correlation = work->correlation,
        .name = shard_writer_string(&m->shard, launches ? "cudaLaunchKernel" : "cudaMemcpyAsync")};
    return call.name ? shard_writer_add(&m->shard, &call, &m->e) : err_memory(&m->e);
}

static int write_work(struct maker *m, struct work *w)
{
    m->rows--;
    if (m->csv) {
        write_csv(m, w);
        return 0;
    }
    if (m->has_calls && write_call(m, &w->event))
        return m->e.code;
    w->event.name = shard_writer_string(&m->shard, w->name);
    return w->event.name ? shard_writer_add(&m->shard, &w->event, &m->e) : err_memory(&m->e);
}

static int by_end(const void *a, const void *b)
{
    const struct work *left = a, *right = b;
    return (left->event.end_ns > right->event.end_ns) - (left->event.end_ns < right->event.end_ns);
}

static void begin_on(struct maker *m, struct answers *a)
{
    if (a->kernels && m->now_ns - a->last_end_ns > a->gap_max_ns)
        a->gap_max_ns = m->now_ns - a->last_end_ns;
}

/* For the rows that do not fill a step. */
static int make_lone_kernel(struct maker *m, int device)
{
    struct answers *a = &m->answers[device];
    const int64_t k = between(m, 2000, 20000);
    struct work w = kernel_of(m, device, 7, m->now_ns, k);
    begin_on(m, a);
    a->kernels++;
    a->kernel_ns += k;
    a->busy_ns += k;
    m->now_ns = a->last_end_ns = w.event.end_ns;
    m->now_ns += between(m, 1, 5000);
    return write_work(m, &w);
}

static int make_step(struct maker *m, int device)
{
    struct answers *a = &m->answers[device];
    const int64_t t = m->now_ns, k = between(m, 2000, 20000), o = between(m, 1, k / 2), e = between(m, 1, 9000);
    const int64_t d = between(m, 1, 9000), s = between(m, 1, 900);
    struct work step[STEP_ROWS] = {
        kernel_of(m, device, 7, t, k),
        kernel_of(m, device, 8, t + k / 4, k / 4),
        copy_of(m, device, CPPROF_COPY_H2D, 13, t + k - o, o + e),
        copy_of(m, device, CPPROF_COPY_D2H, 14, t + k + e, d),
        work_of(m, device, CPPROF_EVENT_MEMSET, 7, t + k + e + d, s),
    };
    step[4].name = "[CUDA memset]";
    step[4].event.size_bytes = 1000;

    begin_on(m, a);
    a->kernels += 2, a->h2d++, a->d2h++, a->memsets++;
    a->kernel_ns += k, a->h2d_ns += o + e, a->d2h_ns += d, a->memset_ns += s;
    a->overlap_ns += o;
    a->busy_ns += k + e + d + s;
    a->h2d_bytes += (int64_t)step[2].event.size_bytes;
    a->d2h_bytes += (int64_t)step[3].event.size_bytes;
    a->last_end_ns = t + k + e + d + s;
    m->now_ns = a->last_end_ns + between(m, 1, 5000);

    if (m->by_end)
        qsort(step, STEP_ROWS, sizeof step[0], by_end);
    int rc = 0;
    for (size_t i = 0; !rc && i < STEP_ROWS; i++)
        rc = write_work(m, &step[i]);
    return rc;
}

static int make_rows(struct maker *m)
{
    int rc = 0;
    for (int step = 0; !rc && m->rows; step = (step + 1) % DEVICES)
        rc = m->rows >= STEP_ROWS ? make_step(m, step) : make_lone_kernel(m, step);
    return rc;
}

static void print_answers(const struct answers *a, int d)
{
    if (!a->h2d)
        return; /* too few rows for a step: most rules would be about nothing */
    printf("count(kernel[device=%d]) == %" PRId64 "\n", d, a->kernels);
    printf("count(h2d[device=%d]) == %" PRId64 "\n", d, a->h2d);
    printf("count(d2h[device=%d]) == %" PRId64 "\n", d, a->d2h);
    printf("count(memset[device=%d]) == %" PRId64 "\n", d, a->memsets);
    printf("busy(kernel[device=%d]) == %" PRId64 " ns\n", d, a->kernel_ns);
    printf("busy(h2d[device=%d]) == %" PRId64 " ns\n", d, a->h2d_ns);
    printf("busy(copy[device=%d]) == %" PRId64 " ns\n", d, a->h2d_ns + a->d2h_ns);
    printf("busy(memset[device=%d]) == %" PRId64 " ns\n", d, a->memset_ns);
    printf("busy(any[device=%d]) == %" PRId64 " ns\n", d, a->busy_ns);
    printf("overlap_ns(copy[device=%d], kernel) == %" PRId64 " ns\n", d, a->overlap_ns);
    printf("exposed(copy[device=%d], kernel) == %" PRId64 " ns\n", d, a->h2d_ns + a->d2h_ns - a->overlap_ns);
    printf("exposed(kernel[device=%d], h2d) == %" PRId64 " ns\n", d, a->kernel_ns - a->overlap_ns);
    printf("overlap_ns(d2h[device=%d], kernel) == 0 ns\n", d);
    printf("gap_max(any[device=%d]) == %" PRId64 " ns\n", d, a->gap_max_ns);
    printf("alternations(kernel[device=%d], copy) == %" PRId64 "\n", d,
           2 * a->h2d - (a->kernels == 2 * a->h2d)); /* a lone kernel at the end switches once more */
    printf("bytes(h2d[device=%d]) == %" PRId64 "\n", d, a->h2d_bytes);
    printf("bytes(d2h[device=%d]) == %" PRId64 "\n", d, a->d2h_bytes);
    printf("concurrency(kernel[device=%d]) == 2\n", d);
    printf("serial(any[device=%d])\n", d);
}

static int make_csv(struct maker *m, const char *path)
{
    m->csv = fopen(path, "wb");
    if (!m->csv)
        return err_set(&m->e, ERR_ENVIRONMENT, "cannot create '%s'", path);
    fputs("Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Bytes (MB),"
          "Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name\n",
          m->csv);
    int rc = make_rows(m);
    bool failed = ferror(m->csv) != 0;
    failed |= fclose(m->csv) != 0;
    return !rc && failed ? err_set(&m->e, ERR_ENVIRONMENT, "cannot write '%s': is the disk full?", path) : rc;
}

static int make_shard(struct maker *m, const char *path)
{
    int rc = shard_writer_open(&m->shard, path, -1, m->now_ns, &m->e);
    if (!rc)
        rc = make_rows(m);
    int closed = shard_writer_close(&m->shard, rc ? NULL : &m->e);
    return rc ? rc : closed;
}

static int usage(void)
{
    fputs("usage: make_trace csv|shard ROWS FILE [sorted|completion] [calls]\n"
          "       make_trace ranks SEED FOLDER [NAME=NUMBER]...\n"
          "Writes a trace of ROWS rows to FILE and the rules that it meets to stdout.\n",
          stderr);
    return 2;
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "ranks"))
        return make_ranks(argc, argv);
    const bool has_calls = argc > 4 && !strcmp(argv[argc - 1], "calls");
    argc -= has_calls;
    if (argc < 4 || argc > 5)
        return usage();
    const bool shard = !strcmp(argv[1], "shard");
    const char *order = argc > 4 ? argv[4] : "sorted";
    struct maker m = {.seed = 1, .now_ns = 725636540, .by_end = !strcmp(order, "completion"), .has_calls = has_calls};
    char *end;
    m.rows = strtoll(argv[2], &end, 10);
    if ((!shard && strcmp(argv[1], "csv")) || *end || m.rows < 1 || (!m.by_end && strcmp(order, "sorted")))
        return usage();
    if (shard ? make_shard(&m, argv[3]) : make_csv(&m, argv[3])) {
        fprintf(stderr, "make_trace: %s\n", m.e.text);
        return 1;
    }
    for (int device = 0; device < DEVICES; device++)
        print_answers(&m.answers[device], device);
    return 0;
}
