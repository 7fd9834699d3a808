/* launch_report.h - what `launch` prints of one trace or of two side by side. */
#ifndef CPPROF_LAUNCH_REPORT_H
#define CPPROF_LAUNCH_REPORT_H

#include "analyzers/capture/idle_gaps.h"
#include "analyzers/capture/kernel_launch_costs.h"
#include "reports/trace_words.h"

struct launch_report {
    struct trace_side sides[TRACE_SIDES];
    struct kernel_launch_costs launches[TRACE_SIDES]; /* not owned */
    struct idle_gaps gaps[TRACE_SIDES];               /* not owned */
    size_t side_count;
    const struct launch_pairs *pairs; /* with two sides */
    const struct short_names *names;
    enum name_style style;
    size_t top; /* rows of a table; 0 for all */
};

int report_launch(const struct launch_report *r, struct document *out, struct err *e);
json_t *json_launch(const struct launch_report *r); /* cpprof.launch/1, docs/json.md */

#endif
