/* chrome_lanes.h - the inside of kernels as processes of a Chrome trace, beside the GPUs and the host. */
#ifndef CPPROF_CHROME_LANES_H
#define CPPROF_CHROME_LANES_H

#include <stdbool.h>

#include "analyzers/inside/lane_rows.h"
#include "core/base/err.h"
#include "reports/export/chrome_rows.h"

int chrome_lanes_write(const struct inside_lanes_list *l, struct chrome_rows *rows, struct err *e);

#endif
