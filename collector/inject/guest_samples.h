/* guest_samples.h - the units of the GPU, sampled while the program runs: on a thread of its own, which the library
 * libcpprof_counters.so lends its hands. Its samples wait here until the thread that writes the shard takes them.
 *
 * Whatever fails, the trace is what it would be without samples, and guest_samples_missing says why. */
#ifndef CPPROF_GUEST_SAMPLES_H
#define CPPROF_GUEST_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/inject/guest_settings.h"
#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/shard_writer.h"

/* What the library is called with, and what it says of its work. */
struct samples_run {
    int device;
    uint64_t step_ns;
    void (*guard)(void);              /* what was loaded by now is in use until the end, also while the process exits */
    bool (*rest)(int64_t ns);         /* sleeps, but not beyond the end; returns is_over */
    bool (*rest_between)(int64_t ns); /* the same between bursts: lasts at least as long as nothing is recorded */
    bool (*take)(const void *payload, size_t bytes); /* a chunk of a shard, which it copies; false: no more of them */
    int64_t configure_ns, cpu_ns, lost_ns;           /* lost: between the samples of a burst */
    int64_t bursts, samples, overflows;              /* overflows: how often the hardware's buffer was full */
};

/* The function cpprof_samples_run of the library: returns at the end, or when it cannot go on. */
typedef int samples_runner(struct samples_run *run, char *why, size_t why_bytes);

/* Starts the thread once a kernel has run on the device. One GPU is sampled at a time in all processes that share the
 * settings' directory. Only the first call has an effect. */
void guest_samples_begin(const struct guest_settings *settings, int device);

/* Did guest_samples_begin come? For the thread that called it. */
bool guest_samples_has_begun(void);

/* Recording goes on or off. While it is off, as it is at first, nothing is sampled. On any thread. */
void guest_samples_recording(bool on);

/* The lock on the directory is the parent's: a forked child that outlives it must not keep it. */
void guest_samples_in_child(void);

/* Appends the samples that wait to the shard. What it cannot hold is counted as lost. */
void guest_samples_store(struct shard_writer *shard);

/* Ends sampling, and waits for the last samples no longer than `wait_ns` from the first call on, on any thread. */
void guest_samples_end(int64_t wait_ns);

/* Returns the member `samples` of the report, after the end; NULL when sampling never began. */
json_t *guest_samples_facts(void);

/* Returns why there are no samples, or none any more; NULL: nothing is missing. After the end. */
const char *guest_samples_missing(void);

#endif
