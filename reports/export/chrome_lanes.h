/* chrome_lanes.h - the inside of kernels as processes of a Chrome trace, beside the GPUs and the host. */
#ifndef CPPROF_CHROME_LANES_H
#define CPPROF_CHROME_LANES_H

#include <stdbool.h>

#include "analyzers/inside/lane_rows.h"
#include "base/byte_sink.h"
#include "base/err.h"

/* Writes the rows of all arms; `has_rows` says whether a row stands before them. */
int chrome_lanes_write(const struct inside_lanes_list *l, bool has_rows, struct byte_sink *sink, struct err *e);

#endif
