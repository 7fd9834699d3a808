/* gaps_report.h - what `gaps` prints of one trace or of two side by side. */
#ifndef CPPROF_GAPS_REPORT_H
#define CPPROF_GAPS_REPORT_H

#include "analyzers/capture/idle_gaps.h"
#include "core/base/strtab.h"
#include "core/trace/rank_starts.h"
#include "reports/trace_words.h"

struct gaps_report {
    struct trace_side sides[TRACE_SIDES];
    struct idle_gaps gaps[TRACE_SIDES];            /* not owned */
    const struct strtab *strings[TRACE_SIDES];     /* of the streams */
    const struct rank_starts *starts[TRACE_SIDES]; /* of all ranks of each: starts of gaps are shown from there */
    size_t side_count;
    enum name_style style;
    bool is_full; /* each of many devices is shown, not one for all that are alike */
};

int report_gaps(const struct gaps_report *r, struct document *out, struct err *e);
json_t *json_gaps(const struct gaps_report *r); /* cpprof.gaps/1, docs/json.md */

#endif
