/* What is a cause called, and what do the parts of a span add up to? */
#include "model/idle_gaps.h"

#include "model/duration_groups.h"

static const struct {
    const char *name, *key;
} causes[GAP_CAUSES] = {
    [GAP_HOST_LATE] = {"host late", "host_late"},    [GAP_SYNC] = {"synchronisation", "synchronisation"},
    [GAP_DEPENDENCY] = {"dependency", "dependency"}, [GAP_COPY] = {"copy", "copy"},
    [GAP_UNKNOWN] = {"unknown", "unknown"},
};

const char *gap_cause_name(enum gap_cause cause)
{
    return causes[cause].name;
}

const char *gap_cause_key(enum gap_cause cause)
{
    return causes[cause].key;
}

int64_t gaps_span_ns(const struct gaps_device *d)
{
    return duration_ns(d->first_start_ns, d->last_end_ns);
}

int64_t gaps_no_kernel_ns(const struct gaps_device *d)
{
    return gaps_span_ns(d) - d->kernel_ns;
}

int64_t gaps_idle_ns(const struct gaps_device *d)
{
    return gaps_no_kernel_ns(d) - d->cause_ns[GAP_COPY];
}
