/* perfetto_inside.h - the inside of kernels as processes of a Perfetto trace: lanes of phases and copies, and samples
 * of the whole GPU as counters. */
#ifndef CPPROF_PERFETTO_INSIDE_H
#define CPPROF_PERFETTO_INSIDE_H

#include "analyzers/inside/lane_rows.h"
#include "core/base/caveat.h"
#include "core/base/err.h"
#include "core/run/run.h"
#include "reports/export/perfetto_packets.h"

/* Times count from the begin of a launch of its own, which no trace has. */
int perfetto_lanes_write(const struct inside_lanes_list *l, struct perfetto_packets *p, struct err *e);

/* Writes the samples of the first sampled launch of each arm. Samples of other launches are noted as a loss. */
int perfetto_samples_write(const struct run *run, struct perfetto_packets *p, struct caveat_list *losses,
                           struct err *e);

#endif
