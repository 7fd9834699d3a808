/* hta.h - what would HTA (Holistic Trace Analysis) say of this trace? Its
 * definitions differ from ours, and people compare the two:
 *   - times are rounded inward to whole microseconds: starts up, ends down;
 *   - of a trace with profiler steps the last one is dropped: work counts when
 *     the call that started it begins at or before the start of the last range
 *     whose name holds "ProfilerStep";
 *   - communication is kernels with "nccl" in their names, memory is copies and
 *     memsets, computation is every other kernel;
 *   - all devices of a rank are one.
 * Source: facebookresearch/HolisticTraceAnalysis, breakdown_analysis and
 * communication_analysis. */
#ifndef CPPROF_HTA_H
#define CPPROF_HTA_H

#include <stddef.h>
#include <stdint.h>

struct hta_rank {
    int rank; /* -1 when unknown */
    int64_t span_ns, idle_ns, compute_ns;
    int64_t non_compute_ns; /* busy without computation */
    int64_t comm_ns, overlap_ns; /* communication, and with computation beside it */
    int64_t counted, dropped;    /* events of GPU work */
};

struct hta_list {
    struct hta_rank *items; /* by rank, each that has GPU work, also where the rule leaves none of it */
    size_t count, capacity;
};

#endif
