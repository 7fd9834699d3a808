/* pool_cases.h - the arms of a pool, in which a machine is compared with itself: every case twice, and planted arms
 * that are slower by a known share. */
#ifndef CPPROF_POOL_CASES_H
#define CPPROF_POOL_CASES_H

#include "collector/runner/cases.h"

/* "us2=20000,5000": at shape us2 two more arms, with 20000 and 5000 millionths of extra work. */
struct plant_request {
    const char *const *texts;
    size_t count;
};

/* Replaces the list by one in which each case is followed, in its group, by the planted arms of its shape and by the
 * case once more (named "VARIANT#2"). ERR_USAGE: no case has the shape of a plant, or a plant is already a case. */
int case_list_make_pool(struct case_list *list, const struct plant_request *plants, struct err *e);

#endif
