/* ncu_table.h - a CSV of Nsight Compute, written by hand, and what is read and judged of it. It needs _GNU_SOURCE. */
#ifndef CPPROF_NCU_TABLE_H
#define CPPROF_NCU_TABLE_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "analyzers/analyzer.h"
#include "core/base/str.h"
#include "core/run/ncu/ncu_csv.h"
#include "core/run/ncu/ncu_file.h"
#include "tests/test.h"

/* The columns of a details page. */
#define ROW_HEADER "ID,Kernel Name,Section Name,Metric Name,Metric Unit,Metric Value,Rule Name,Rule Description\n"
#define ELAPSED    ".avg.pct_of_peak_sustained_elapsed"

static inline bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(1, fabs(b));
}

struct judged {
    struct imported_launches launches;
    struct analysis analysis;
};

static inline int read_text(const char *text, size_t length, struct imported_launches *out, struct err *e)
{
    FILE *file = fmemopen((void *)(uintptr_t)text, length, "rb");
    assert_non_null(file);
    const struct open_input input = {"t.csv", file, text, length, false};
    imported_launches_init(out);
    const int rc = ncu_csv_read(&input, out, e);
    fclose(file);
    return rc;
}

static inline void judge(struct judged *j, const char *text)
{
    struct err e = {0};
    if (read_text(text, strlen(text), &j->launches, &e))
        fail_msg("%s", e.text);
    analysis_init(&j->analysis, NULL);
    assert_int_equal(bound_analyze_counted(&j->analysis, &j->launches, &e), 0);
    assert_int_equal(j->analysis.bounds.count, j->launches.count);
}

static inline void judged_release(struct judged *j)
{
    analysis_release(&j->analysis);
    imported_launches_release(&j->launches);
}

#endif
