/* perfetto_counters.h - how busy was each device, and how fast were its copies, over time?
 *
 * Time is cut into at most 2,000 bins of a round length. Memory is for the bins of each device, not for events. */
#ifndef CPPROF_PERFETTO_COUNTERS_H
#define CPPROF_PERFETTO_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/base/key_table.h"
#include "cpprof/event.h"
#include "reports/export/perfetto_packets.h"

enum { COUNTER_BINS_MAX = 2000, COUNTER_DEVICES_MAX = 256 };

/* Copies by enum cpprof_copy_kind; those whose kind is not known are not measured. */
enum { COUNTER_COPIES = CPPROF_COPY_P2P + 1 };

/* Bytes per ns in units of 2^-64: what is added and taken away again leaves nothing behind. */
__extension__ typedef unsigned __int128 counter_rate;

/* A copy costs the same however many bins it fills. */
struct counted_bytes {
    double bytes;      /* of copies that fill a part of this bin */
    counter_rate rise; /* from the bin before, of the copies that fill whole bins; modulo 2^128 */
};

struct counted_device {
    uint64_t process;                             /* its track */
    int64_t busy_until_ns;                        /* everything before is counted */
    int64_t *busy_ns;                             /* by bin */
    struct counted_bytes *copies[COUNTER_COPIES]; /* by bin; NULL: no such copy */
};

struct perfetto_counters {
    int64_t first_ns, last_ns, bin_ns;
    size_t bins;
    struct key_table keys;        /* rank and device */
    struct counted_device *items; /* by id of keys, the first COUNTER_DEVICES_MAX */
    size_t count, capacity;
};

/* From the first start to the last end in the trace. Nothing is counted where that is no time. */
void perfetto_counters_init(struct perfetto_counters *c, int64_t first_ns, int64_t last_ns);
void perfetto_counters_release(struct perfetto_counters *c);

/* Counts GPU work, which comes by start. `process` is the track of its device. */
int perfetto_counters_add(struct perfetto_counters *c, const struct cpprof_event *event, uint64_t process,
                          struct err *e);

/* The bytes in each bin, which the caller frees. NULL without memory. */
double *perfetto_counters_bytes(const struct perfetto_counters *c, const struct counted_bytes *bins);

/* How many devices are beyond COUNTER_DEVICES_MAX, and have no counters. */
size_t perfetto_counters_left_out(const struct perfetto_counters *c);

/* Writes a track for each counter of each device. */
int perfetto_counters_write(const struct perfetto_counters *c, struct perfetto_packets *packets, struct err *e);

#endif
