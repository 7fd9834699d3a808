/* arm_doubt.h - why is an arm not proven? */
#ifndef CPPROF_ARM_DOUBT_H
#define CPPROF_ARM_DOUBT_H

#include "core/base/reason.h"

/* Each question says it in its own words. */
#define ARM_DOUBTS(X)                                                                                                  \
    X(ARM_DOUBT_NONE, "", "")                                                                                          \
    X(ARM_DOUBT_CONTRADICTED, "contradicted", "")                                                                      \
    X(ARM_DOUBT_WRONG_RESULT, "wrong_result", "")                                                                      \
    X(ARM_DOUBT_NOT_SELECTED, "not_selected", "")                                                                      \
    X(ARM_DOUBT_NOT_VERIFIED, "not_verified", "")

enum arm_doubt { ARM_DOUBTS(REASON_CODE) };
extern const struct reason arm_doubts[];

#endif
