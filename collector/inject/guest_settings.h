/* guest_settings.h - what cpprof asks the library to do, through the environment. */
#ifndef CPPROF_GUEST_SETTINGS_H
#define CPPROF_GUEST_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/base/trigger_rule.h"

struct guest_settings {
    char *directory; /* the bundle; NULL: nothing is asked for */
    bool all_calls;
    bool whole_graphs;
    bool from_start;    /* otherwise recording starts at cudaProfilerStart */
    bool migrations;    /* record how pages of managed memory move */
    bool log;           /* print errors to stderr */
    char *range;        /* record only inside this NVTX range, or NULL */
    char *range_domain; /* its domain; NULL: any */
    char *when;         /* the condition that recording waits for, or NULL */
    struct trigger_rule trigger;
    char *kernels;     /* pattern, or NULL */
    char *metrics;     /* names of counters, or NULL */
    char *launches;    /* the file that lists the launches to count (collector/counters/chosen_launches.h), or NULL */
    int64_t replay_ns; /* how long counting may take; 0: no limit */
    char *causal;      /* patterns of the kernels to delay (core/base/causal_plan.h), or NULL */
    char *doses;       /* by how much, or NULL */
    int64_t sample_ns; /* how often the GPU is sampled; 0: never */
    int64_t flush_ns;
    int64_t delay_ns;
    int64_t duration_ns; /* 0: to the end */
    int64_t patience_ns; /* how long the collector may make no progress before the program goes on without it */
    size_t memory_bytes; /* the most that waiting buffers may take */
    int rank;            /* -1: none */
    const char *rank_source;
};

/* Reads the environment. ERR_USAGE names a variable with an invalid value. The texts live as long as the process. */
int guest_settings_read(struct guest_settings *s, struct err *e);

#endif
