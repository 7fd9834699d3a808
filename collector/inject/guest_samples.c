/* How is the GPU sampled without a thread of the program noticing? */
#define _GNU_SOURCE
#include "collector/inject/guest_samples.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "collector/activity/activity_buffers.h"
#include "collector/inject/guest_counters.h"
#include "collector/inject/guest_file.h"

/* What waits for the disk, and what a process stores in all: two minutes at 10 us. */
enum { WAITING_BYTES_MAX = 32 << 20, STORED_BYTES_MAX = 256 << 20 };

struct chunk {
    struct chunk *next;
    size_t bytes;
    unsigned char payload[];
};

static struct {
    pthread_mutex_t lock; /* guards what follows; nothing is called while it is held */
    pthread_cond_t changed;
    bool has_begun, is_over, has_ended, is_recording;
    int64_t end_ns; /* the deadline of all that wait for the end; 0: nobody does */
    struct chunk *first, **last;
    size_t waiting_bytes;
    int64_t chunks_lost;
    _Atomic int lock_fd;
    int64_t exit_wait_ns;
    pid_t pid;
    int64_t stored_bytes; /* the writing thread's */
    bool is_full;         /* the sampling thread's, like the rest */
    size_t taken_bytes;
    struct samples_run run;
    char why[1024];
} samples = {
    .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER, .last = &samples.first, .lock_fd = -1};

/* ---- on the thread that samples ---- */

/* The caller holds the lock. */
static bool rest_locked(int64_t ns)
{
    const int64_t until_ns = buffer_now_ns() + ns;
    const struct timespec until = {.tv_sec = until_ns / 1000000000, .tv_nsec = until_ns % 1000000000};
    while (!samples.is_over && buffer_now_ns() < until_ns)
        pthread_cond_clockwait(&samples.changed, &samples.lock, CLOCK_MONOTONIC, &until);
    return samples.is_over;
}

static bool rest(int64_t ns)
{
    pthread_mutex_lock(&samples.lock);
    const bool is_over = rest_locked(ns);
    pthread_mutex_unlock(&samples.lock);
    return is_over;
}

static bool rest_between(int64_t ns)
{
    bool is_over = false;
    pthread_mutex_lock(&samples.lock);
    do {
        while (!samples.is_over && !samples.is_recording)
            pthread_cond_wait(&samples.changed, &samples.lock);
        is_over = rest_locked(ns);
    } while (!is_over && !samples.is_recording);
    pthread_mutex_unlock(&samples.lock);
    return is_over;
}

/* A slow disk loses chunks, the program's time is not lost. */
static bool take(const void *payload, size_t bytes)
{
    samples.taken_bytes += bytes;
    samples.is_full = samples.taken_bytes > STORED_BYTES_MAX;
    if (samples.is_full)
        return false;
    struct chunk *chunk = malloc(sizeof *chunk + bytes);
    if (chunk) {
        *chunk = (struct chunk){.bytes = bytes};
        memcpy(chunk->payload, payload, bytes);
    }
    pthread_mutex_lock(&samples.lock);
    const bool has_room = chunk && samples.waiting_bytes + bytes <= WAITING_BYTES_MAX;
    if (has_room) {
        *samples.last = chunk;
        samples.last = &chunk->next;
        samples.waiting_bytes += bytes;
    } else {
        samples.chunks_lost++;
    }
    pthread_mutex_unlock(&samples.lock);
    if (!has_room)
        free(chunk);
    return true;
}

/* Also runs at the exit of a forked child, which has no such thread. */
static void end_at_exit(void)
{
    if (samples.pid == getpid())
        guest_samples_end(samples.exit_wait_ns);
}

/* Functions that run at exit do so in reverse order. A library that is loaded late would therefore be torn down before
 * the guest's own end, under the thread that uses it: CUPTI's host library was, with a crash. */
static void guard(void)
{
    atexit(end_at_exit);
}

static void sample(void)
{
    struct err e = {0};
    samples_runner *run = NULL;
    void *library = guest_counters_library(&e);
    if (library)
        *(void **)&run = dlsym(library, "cpprof_samples_run");
    if (run)
        run(&samples.run, samples.why, sizeof samples.why);
    else
        snprintf(samples.why, sizeof samples.why, "%s",
                 e.code ? e.text
                        : "this build of cpprof has no samples: it was made with a CUDA that is older than 12.6");
    if (!samples.why[0] && samples.is_full)
        snprintf(samples.why, sizeof samples.why, "they end early: a process stores %d MiB of them",
                 STORED_BYTES_MAX >> 20);
}

static void *live(void *unused)
{
    pthread_setname_np(pthread_self(), "cpprof-samples");
    sample();
    pthread_mutex_lock(&samples.lock);
    samples.has_ended = true;
    pthread_cond_broadcast(&samples.changed);
    pthread_mutex_unlock(&samples.lock);
    return unused;
}

/* ---- on the thread that writes ---- */

/* The lock is the process's as long as it lives. Where nobody can lock, nobody waits. */
static bool lock_directory(const char *directory)
{
    samples.lock_fd = guest_file_above_stdio(open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return samples.lock_fd < 0 || !flock(samples.lock_fd, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK;
}

void guest_samples_begin(const struct guest_settings *settings, int device)
{
    pthread_t thread;
    if (samples.has_begun)
        return;
    samples.has_begun = true;
    samples.run = (struct samples_run){.device = device,
                                       .step_ns = (uint64_t)settings->sample_ns,

                                       .rest = rest,
                                       .rest_between = rest_between,
                                       .take = take,
                                       .guard = guard};
    samples.pid = getpid();
    samples.exit_wait_ns = settings->patience_ns / 2;
    if (!lock_directory(settings->directory))
        snprintf(
            samples.why, sizeof samples.why,
            "only the GPU of the program's first process is sampled: with two at once one loses traffic of its links");
    else if (pthread_create(&thread, NULL, live, NULL)) /* signals are blocked as on this thread */
        snprintf(samples.why, sizeof samples.why, "the thread that samples cannot be started");
    else {
        pthread_detach(thread);
        return;
    }
    samples.has_ended = true;
}

bool guest_samples_has_begun(void)
{
    return samples.has_begun;
}

void guest_samples_recording(bool on)
{
    pthread_mutex_lock(&samples.lock);
    samples.is_recording = on;
    pthread_cond_broadcast(&samples.changed);
    pthread_mutex_unlock(&samples.lock);
}

void guest_samples_in_child(void)
{
    const int fd = atomic_exchange(&samples.lock_fd, -1);
    if (fd >= 0)
        close(fd);
}

static struct chunk *take_all(void)
{
    pthread_mutex_lock(&samples.lock);
    struct chunk *first = samples.first;
    samples.first = NULL;
    samples.last = &samples.first;
    samples.waiting_bytes = 0;
    pthread_mutex_unlock(&samples.lock);
    return first;
}

void guest_samples_store(struct shard_writer *shard)
{
    for (struct chunk *chunk = take_all(), *next; chunk; chunk = next) {
        next = chunk->next;
        if (shard_writer_samples(shard, chunk->payload, chunk->bytes, NULL)) {
            pthread_mutex_lock(&samples.lock);
            samples.chunks_lost++;
            pthread_mutex_unlock(&samples.lock);
        } else {
            samples.stored_bytes += (int64_t)chunk->bytes;
        }
        free(chunk);
    }
}

void guest_samples_end(int64_t wait_ns)
{
    pthread_mutex_lock(&samples.lock);
    if (!samples.end_ns)
        samples.end_ns = buffer_now_ns() + wait_ns;
    const struct timespec until = {.tv_sec = samples.end_ns / 1000000000, .tv_nsec = samples.end_ns % 1000000000};
    samples.is_over = true;
    pthread_cond_broadcast(&samples.changed);
    while (samples.has_begun && !samples.has_ended && buffer_now_ns() < samples.end_ns)
        pthread_cond_clockwait(&samples.changed, &samples.lock, CLOCK_MONOTONIC, &until);
    pthread_mutex_unlock(&samples.lock);
}

/* The other thread's values are read after its end alone. */
static bool has_ended(void)
{
    pthread_mutex_lock(&samples.lock);
    const bool ended = samples.has_ended;
    pthread_mutex_unlock(&samples.lock);
    return ended;
}

json_t *guest_samples_facts(void)
{
    const struct samples_run *r = &samples.run;
    if (!samples.has_begun || !has_ended())
        return NULL;
    return json_pack("{s:i,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "device", r->device, "step_ns",
                     (json_int_t)r->step_ns, "bursts", (json_int_t)r->bursts, "samples", (json_int_t)r->samples,
                     "lost_ns", (json_int_t)r->lost_ns, "overflows", (json_int_t)r->overflows, "chunks_lost",
                     (json_int_t)samples.chunks_lost, "bytes", (json_int_t)samples.stored_bytes, "configure_ns",
                     (json_int_t)r->configure_ns, "cpu_ns", (json_int_t)r->cpu_ns);
}

const char *guest_samples_missing(void)
{
    if (samples.has_begun && !has_ended())
        return "sampling did not end with the program: the last samples are missing";
    if (samples.why[0])
        return samples.why;
    if (!samples.run.samples)
        return samples.run.configure_ns ? "no sample was taken while recording was on"
                                        : "the program ended before sampling had begun, which takes a second";
    return samples.chunks_lost ? "not all of them could be written: the disk is full or too slow" : NULL;
}
