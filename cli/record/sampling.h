/* sampling.h - what the timing processes of a run do, and when there are enough of them. */
#ifndef CPPROF_SAMPLING_H
#define CPPROF_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

#include "core/stats/batch_method.h"
#include "core/stats/schedule.h"

/* Zeroed: all arms in each process, hot caches, launches as their probes say, as many processes as asked for. */
struct sampling {
    enum schedule schedule;
    bool has_schedule;        /* it was asked for */
    const char *cache;        /* "hot", "cold" or "both"; NULL: hot */
    enum batch_method method; /* of hot samples */
    double until_width;       /* half of the interval of every ratio; 0: whatever comes */
    int64_t budget_ns;        /* for the timing processes together; 0: none */
    const char *sweep;        /* as analyzers/compare/size_sweep.h reads it; NULL: none */
};

/* Was any of the options given? One that names what is done anyway is as good as none. */
static inline int sampling_is_asked_for(const struct sampling *s)
{
    return s->schedule != SCHEDULE_ABBA || s->cache || s->method != BATCH_AUTO || s->until_width > 0 ||
           s->budget_ns > 0 || s->sweep;
}

/* May the run go on beyond the processes that were asked for? */
static inline int sampling_is_open_ended(const struct sampling *s)
{
    return s->until_width > 0 || s->budget_ns > 0;
}

#endif
