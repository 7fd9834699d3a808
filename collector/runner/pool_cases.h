/* pool_cases.h - the arms of a pool, in which a machine is compared with itself:
 * every case once more, and planted ones that are slower by a known share. */
#ifndef CPPROF_POOL_CASES_H
#define CPPROF_POOL_CASES_H

#include "collector/runner/cases.h"

/* "us2=20000,5000": at shape us2 two further arms, with so many millionths of extra work. */
struct plant_request {
    const char *const *texts;
    size_t count;
};

/* Replaces the list by one in which behind each case, in its group, stand the
 * planted ones of its shape and the same once more (named "VARIANT#2"). A plant
 * that no case has the shape for, or that is a case already, is ERR_USAGE. */
int case_list_make_pool(struct case_list *list, const struct plant_request *plants, struct err *e);

#endif
