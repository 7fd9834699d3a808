/* bisect_report.h - what `cpprof bisect` prints: which commit made it slower, and how sure that is. */
#ifndef CPPROF_BISECT_REPORT_H
#define CPPROF_BISECT_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/err.h"
#include "core/stats/bisection.h"
#include "reports/document/document.h"

/* One commit that was looked at and compared with the good one. */
struct bisect_step {
    size_t at; /* its position: 0 is the good commit */
    enum bisection_mark mark;
    int looks;
    size_t comparisons; /* rows of the last one */
    double seconds;     /* of all its looks */
    bool is_earlier;    /* all its looks were made by an earlier call */
    char *words;        /* what the comparison says, owned; NULL when memory is out */
};

enum bisect_result {
    BISECT_FOUND,
    BISECT_RANGE,      /* several commits are left */
    BISECT_NOT_SLOWER, /* nothing to find: the bad commit is not slower */
    BISECT_UNDECIDED   /* it is open whether the bad commit is slower */
};

struct bisect_report {
    const char *good, *bad; /* as the user names them */
    const char *const *commits;
    const char *const *subjects; /* of the commits in the range behind its good one, the first of them first */
    size_t commit_count;
    const struct bisect_step *steps; /* the bad commit first */
    size_t step_count;
    struct bisection_range range;
    bool has_open; /* commits in the range were not measured */
    enum bisect_result result;
};

enum { BISECT_LISTED = 20 }; /* commits of a range that are listed; as many subjects are needed */

int report_bisect(const struct bisect_report *r, struct document *out, struct err *e);

#endif
