/* What do the units of a GPU do while a program runs undisturbed? -> chunks of samples of a shard */
#define _GNU_SOURCE
#include "collector/counters/device_samples.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "collector/counters/driver_questions.h"
#include "collector/profiler/pm_sampler.h"
#include "core/base/clock.h"
#include "cpprof/shard.h"

/* Samples take longer to decode than to happen (docs/profile.md), so they come in bursts. Short bursts meet more
 * launches, and none is shorter than what comes while sampling is started and stopped (a quarter of a millisecond,
 * H100). Where that is fewer than STEPS_LEAST, the thread waits for them. The room is for STOP_NS more: clearing it
 * takes nearly as long as decoding what is in it, and what has no room is dropped. After a burst the thread rests for
 * half as long as it worked, so that it has two thirds of a core, and up to as long: no loop of the program keeps step
 * with it. */
enum { STEPS_LEAST = 32, START_NS = 200000, STOP_NS = 500000, REST_LEAST_NS = 1000000 };
enum { SAMPLES_MAX = STEPS_LEAST + STOP_NS / 1000 + 1 }; /* a step is 1 us or longer */

/* This much had room for 6,100 samples of nine units, but not for 15,000 (H100): the thread may be late. So often in a
 * row it may be later than that. */
enum { OVERFLOWS_MAX = 3 };
#define HARDWARE_BYTES (UINT64_C(128) << 20)

enum { SAMPLE_BYTES_MAX = 8 + 2 * SAMPLED_UNIT_COUNT, HEAD_BYTES_MAX = 16 + CPPROF_UNIT_BYTES * SAMPLED_UNIT_COUNT };

struct device_samples {
    struct samples_run *run;
    struct pm_sampler *sampler;
    bool accepted[SAMPLED_UNIT_COUNT];
    bool is_full;         /* the guest takes no more */
    uint64_t last_end_ns; /* 0: before the first sample of a burst */
    uint32_t noise;
    unsigned long long loads;   /* of libraries, when the exit was guarded last */
    struct cpprof_samples head; /* of the chunk that is being filled */
    unsigned char rows[SAMPLES_MAX * SAMPLE_BYTES_MAX];
    size_t row_bytes;
};

/* ---- chunks ---- */

static void give_chunk(struct device_samples *s)
{
    unsigned char payload[HEAD_BYTES_MAX + sizeof s->rows] = {0};
    size_t bytes = sizeof s->head;
    if (!s->head.count)
        return;
    s->head.units = 0;
    for (size_t i = 0; i < SAMPLED_UNIT_COUNT; i++)
        if (s->accepted[i]) {
            const char *id = sampled_unit((enum sampled_unit_id)i)->id;
            memcpy(payload + bytes, id, strnlen(id, CPPROF_UNIT_BYTES));
            bytes += CPPROF_UNIT_BYTES;
            s->head.units++;
        }
    memcpy(payload, &s->head, sizeof s->head);
    memcpy(payload + bytes, s->rows, s->row_bytes);
    s->is_full |= !s->run->take(payload, bytes + s->row_bytes);
    s->head.count = 0;
    s->row_bytes = 0;
}

/* Nobody knows what is missing between its samples. */
static void drop_chunk(struct device_samples *s)
{
    s->run->samples -= s->head.count;
    s->head.count = 0;
    s->row_bytes = 0;
}

static void add_bytes(struct device_samples *s, const void *bytes, size_t count)
{
    memcpy(s->rows + s->row_bytes, bytes, count);
    s->row_bytes += count;
}

static uint16_t share_of(const struct sampled_unit *unit, double value)
{
    const double share = value / (unit->one > 0 ? unit->one : 100) * CPPROF_SHARE_UNIT;
    return isnan(share) || share < 0 ? CPPROF_SHARE_UNKNOWN : (uint16_t)lrint(fmin(share, CPPROF_SHARE_UNKNOWN - 1));
}

static void add_row(struct device_samples *s, uint64_t begin_ns, uint64_t end_ns, const double *values)
{
    if (!s->head.count)
        s->head.begin_ns = (int64_t)begin_ns;
    const uint32_t times[] = {(uint32_t)(begin_ns - (uint64_t)s->head.begin_ns), (uint32_t)(end_ns - begin_ns)};
    add_bytes(s, times, sizeof times);
    for (size_t i = 0; i < SAMPLED_UNIT_COUNT; i++)
        if (s->accepted[i]) {
            const uint16_t share = share_of(sampled_unit((enum sampled_unit_id)i), values[i]);
            add_bytes(s, &share, sizeof share);
        }
    s->head.count++;
}

/* Does the sample fit into the chunk that is being filled? */
static bool continues(const struct device_samples *s, uint64_t begin_ns)
{
    return s->head.count < SAMPLES_MAX && begin_ns >= s->last_end_ns &&
           begin_ns - (uint64_t)s->head.begin_ns <= UINT32_MAX;
}

/* The first sample of a burst stands for all the time before; one so long stands for several. What it covers was not
 * sampled. */
static int see(void *context, uint64_t begin_ns, uint64_t end_ns, const double *values, struct err *e)
{
    struct device_samples *s = context;
    const uint64_t step_ns = s->run->step_ns;
    (void)e;
    if (end_ns - begin_ns >= 2 * step_ns || s->is_full)
        return 0;
    if (s->head.count && !continues(s, begin_ns))
        give_chunk(s);
    if (s->last_end_ns && begin_ns > s->last_end_ns + step_ns / 4)
        s->run->lost_ns += (int64_t)(begin_ns - s->last_end_ns);
    add_row(s, begin_ns, end_ns, values);
    s->last_end_ns = end_ns;
    s->run->samples++;
    return 0;
}

/* ---- the end of the process ---- */

static int count_loads(struct dl_phdr_info *info, size_t bytes, void *loads)
{
    (void)bytes;
    *(unsigned long long *)loads = info->dlpi_adds;
    return 1;
}

/* What was loaded since the last time must not be torn down under this thread (samples_run.guard). */
static void guard_loaded(struct device_samples *s)
{
    unsigned long long loads = 0;
    dl_iterate_phdr(count_loads, &loads);
    if (loads != s->loads)
        s->run->guard();
    s->loads = loads;
}

/* CUPTI loads these beside itself when they are needed. An exit during the first call into them would tear them down,
 * so they are there before. Where they are called otherwise, that moment stays. */
static void load_early(const struct cupti_api *api)
{
    static const char *const names[] = {"libnvperf_host.so", "libnvperf_target.so"};
    Dl_info cupti;
    if (!dladdr(__extension__(void *) api->cuptiProfilerHostInitialize, &cupti) || !cupti.dli_fname)
        return;
    const char *slash = strrchr(cupti.dli_fname, '/');
    for (size_t i = 0; i < sizeof names / sizeof names[0] && slash; i++) {
        char path[PATH_MAX];
        const int length = (int)(slash + 1 - cupti.dli_fname);
        if (snprintf(path, sizeof path, "%.*s%s", length, cupti.dli_fname, names[i]) < (int)sizeof path)
            dlopen(path, RTLD_NOW | RTLD_LOCAL); /* for ever */
    }
}

/* ---- sampling ---- */

/* How long does a burst wait between start and stop? */
static int64_t wait_ns(const struct samples_run *run)
{
    const int64_t least_ns = (int64_t)(STEPS_LEAST * run->step_ns);
    return least_ns > START_NS ? least_ns - START_NS : 0;
}

static size_t room(const struct samples_run *run)
{
    const size_t steps = STEPS_LEAST + (size_t)(STOP_NS / run->step_ns) + 1;
    return steps < SAMPLES_MAX ? steps : SAMPLES_MAX;
}

static int open_sampler(struct device_samples *s, const struct cupti_api *api, struct err *e)
{
    const char *names[SAMPLED_UNIT_COUNT];
    const int64_t before_ns = clock_now_ns();
    int rc = pm_sampler_unit_names(api, s->run->device, names, e);
    guard_loaded(s);
    names[SAMPLED_DRAM_READ] = NULL; /* `dram` has them */
    for (int i = SAMPLED_LINK_SENT; i <= SAMPLED_LINK_DATA_RECEIVED && driver_device_count() < 2; i++)
        names[i] = NULL; /* nobody is at the other end */
    if (!rc && !s->run->rest(0))
        rc = pm_sampler_new_series(&s->sampler, api, s->run->device, names, SAMPLED_UNIT_COUNT, s->accepted, e);
    if (!rc && s->sampler && !s->accepted[SAMPLED_ACTIVE]) /* it is the witness of the records */
        rc = err_set(e, ERR_ENVIRONMENT, "the chip does not sample %s", names[SAMPLED_ACTIVE]);
    if (!rc && s->sampler && !s->run->rest(0))
        rc = pm_sampler_configure(s->sampler, s->run->step_ns, room(s->run), HARDWARE_BYTES, e);
    guard_loaded(s);
    s->run->configure_ns += clock_now_ns() - before_ns;
    return rc;
}

static int64_t own_cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int sample_burst(struct device_samples *s, bool *has_overflowed, struct err *e)
{
    const struct pm_watch watch = {see, s};
    int rc = pm_sampler_start(s->sampler, e);
    if (rc)
        return rc;
    s->run->rest(wait_ns(s->run));
    rc = pm_sampler_stop(s->sampler, e);
    if (!rc)
        rc = pm_sampler_take(s->sampler, &watch, has_overflowed, e);
    if (*has_overflowed)
        drop_chunk(s);
    give_chunk(s);
    s->last_end_ns = 0;
    s->run->bursts += !rc && !*has_overflowed;
    return rc;
}

/* After an overflow nothing else comes of the sampler. */
static int open_another(struct device_samples *s, const struct cupti_api *api, int in_a_row, struct err *e)
{
    s->run->overflows++;
    if (in_a_row >= OVERFLOWS_MAX)
        return err_set(e, ERR_ENVIRONMENT,
                       "samples come faster than they can be decoded: a longer --interval may help");
    pm_sampler_free(s->sampler);
    s->sampler = NULL;
    return open_sampler(s, api, e);
}

static int64_t rest_after(struct device_samples *s, int64_t used_ns)
{
    s->noise = s->noise * 1664525 + 1013904223; /* any will do: it only must not repeat as loops do */
    const int64_t least_ns = used_ns / 2 > REST_LEAST_NS ? used_ns / 2 : REST_LEAST_NS;
    return least_ns + (int64_t)((double)least_ns * s->noise / UINT32_MAX);
}

static int sample_until_over(struct device_samples *s, const struct cupti_api *api, struct err *e)
{
    int rc = 0, in_a_row = 0;
    int64_t used_ns = 0;
    while (!rc && !s->is_full && !s->run->rest_between(rest_after(s, used_ns))) {
        const int64_t before_ns = own_cpu_ns();
        bool has_overflowed = false;
        rc = sample_burst(s, &has_overflowed, e);
        used_ns = own_cpu_ns() - before_ns;
        s->run->cpu_ns += used_ns;
        in_a_row = has_overflowed ? in_a_row + 1 : 0;
        if (!rc && in_a_row)
            rc = open_another(s, api, in_a_row, e);
    }
    return rc;
}

int device_samples_run(const struct cupti_api *api, struct samples_run *run, struct err *e)
{
    struct device_samples *s = calloc(1, sizeof *s);
    if (!s)
        return err_memory(e);
    s->run = run;
    s->head.device = (int16_t)run->device;
    load_early(api);
    guard_loaded(s);
    int rc = open_sampler(s, api, e);
    if (!rc)
        rc = sample_until_over(s, api, e);
    pm_sampler_free(s->sampler);
    free(s);
    return rc;
}
