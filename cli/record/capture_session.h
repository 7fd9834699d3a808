/* capture_session.h - running somebody else's program with the collector in it:
 * its environment, its signals, its end, and what the collector left behind.
 *
 * Used by `capture` and by whatever else runs a program under the collector:
 *
 *   capture_session_init      finds the library, refuses a foreign profiler
 *   capture_session_run       once per process to run, into a folder that exists
 *   capture_session_left      what the guests in that folder say about themselves
 *   capture_session_settle    stragglers write to the folder no more, torn shards are cut: before the seal
 *   capture_session_release
 */
#ifndef CPPROF_CAPTURE_SESSION_H
#define CPPROF_CAPTURE_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "cli/record/child_process.h"
#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/str.h"

/* What the guest is asked to collect. All zero: everything, with its defaults.
 * The texts are the caller's. */
struct capture_scope {
    const char *trace;    /* "launch", "api"; NULL: launch */
    const char *graphs;   /* "node", "graph"; NULL: node */
    const char *range;    /* NVTX range, "name" or "name@domain"; NULL: always */
    const char *when;     /* condition, as in core/base/trigger_rule.h; NULL: none */
    const char *kernels;  /* POSIX extended regex; NULL: all */
    const char *metrics;  /* counters, with commas: such a process gives no timing; NULL: none */
    const char *launches; /* absolute path of the list of launches to count; NULL: the first ones of each kernel */
    long replay_ms;       /* how long counting may take; 0: no limit */
    /* Patterns of kernels to delay (core/base/causal_plan.h): such a process gives no timing. NULL: none. */
    const char *causal;
    const char *doses;                               /* by how much; NULL: CAUSAL_DOSES */
    bool from_start_off;                             /* wait for cudaProfilerStart */
    bool migrations;                                 /* record how pages of managed memory move */
    long delay_ms, duration_ms, flush_ms, memory_mb; /* 0: the guest's default */
    long sample_ns;                                  /* how often the units of a GPU are sampled; 0: never */
};

/* One program to run. */
struct capture_child {
    struct child_request program;      /* in our process group */
    const char *directory;             /* where the guests write; exists. NULL: no guest at all, the bare program */
    const struct capture_scope *scope; /* NULL: all zero */
    int seconds;                       /* longest it may take, then it is killed; 0: no limit */
};

struct capture_session {
    struct str library;           /* absolute path of libcpprof_inject.so */
    struct held_signals *signals; /* cli/record/child_process.h */
};

/* The absolute path of the library: $CPPROF_INJECT, then ../lib/cpprof beside this
 * program, then the build tree; ERR_ENVIRONMENT with what to do when there is none. */
int capture_library_find(struct str *path, struct err *e);

/* Finds the library. ERR_USAGE when CUDA_INJECTION64_PATH or NVTX_INJECTION64_PATH is set already.
 *
 * From here to the release the signals that end a process are held back, so that
 * whatever is left of a program that was interrupted can still be sealed: start
 * no process in between but by capture_session_run. */
int capture_session_init(struct capture_session *s, struct err *e);
void capture_session_release(struct capture_session *s); /* of one that failed to begin, too */

/* The plugin that NCCL_PROFILER_PLUGIN names already: it stays, and the guest's own, which would tell of collectives,
 * is not loaded. NULL: none. */
const char *capture_session_other_plugin(void);

/* The signal to end that arrived while no program ran; 0: none. It is forgotten then. */
int capture_session_asked_to_end(const struct capture_session *s);

/* Runs the program to its end, in our process group and with our terminal. While
 * it runs, signals meant to end us are the program's: those that reached only us
 * are passed on; a second one within ten seconds kills it. However it ends is no
 * error: look at *end. ERR_ENVIRONMENT when it cannot be started; nothing has run then. */
int capture_session_run(const struct capture_session *s, const struct capture_child *c, struct capture_end *end,
                        struct err *e);

/* capture's own exit status for that end: the program's, or 128 + signal. */
int capture_end_status(const struct capture_end *end);

/* A new array of what the guests in `directory` report (process-capture-*.json,
 * docs/formats.md), in the order of their names; the caller's. Half a report is left out:
 * the seal tells of it. */
int capture_session_left(const char *directory, json_t **processes, struct err *e);

/* Processes that outlive the program keep their shard open. Waits a moment for
 * those that are about to end; the shards of the others are replaced by copies, so
 * that what they write from now on changes nothing that gets sealed. *outliving
 * is how many there are.
 *
 * A process that went in the middle of a write leaves a torn shard: that is cut back
 * to its last whole chunk, and the process' report says by how many bytes
 * ("cut_bytes"). Damage is left as it is (core/base/shard_tail.h). */
int capture_session_settle(const char *directory, size_t *outliving, struct err *e);

#endif
