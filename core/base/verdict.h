/* verdict.h - the outcome of a check. It starts inconclusive, and only evidence changes it. */
#ifndef CPPROF_VERDICT_H
#define CPPROF_VERDICT_H

#include "core/base/err.h"

enum verdict_status { VERDICT_INCONCLUSIVE, VERDICT_PASS, VERDICT_FAIL };
const char *verdict_status_name(enum verdict_status s); /* "inconclusive", "pass", "fail" */
enum exit_status verdict_exit_status(enum verdict_status s);

#endif
