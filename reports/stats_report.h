/* stats_report.h - what `stats` prints of one trace or of two side by side. */
#ifndef CPPROF_STATS_REPORT_H
#define CPPROF_STATS_REPORT_H

#include "analyzers/capture/trace_statistics.h"
#include "reports/trace_words.h"

struct stats_report {
    struct trace_side sides[TRACE_SIDES];
    struct trace_statistics statistics[TRACE_SIDES]; /* not owned */
    size_t side_count;
    const struct statistics_pairs *pairs; /* with two sides */
    const struct short_names *names;
    enum name_style style;
    size_t top; /* rows of a table; 0 for all */
};

int report_stats(const struct stats_report *r, struct document *out, struct err *e);
json_t *json_stats(const struct stats_report *r); /* cpprof.stats/1, docs/stats.md */

#endif
