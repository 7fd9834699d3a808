/* verdict_status.h - which exit status follows from a verdict, whatever was compared? */
#ifndef CPPROF_VERDICT_STATUS_H
#define CPPROF_VERDICT_STATUS_H

#include "core/base/err.h"
#include "core/stats/ratio_decision.h"

/* Faster and equivalent pass; of several the worst counts (exit_status_worse). */
enum exit_status verdict_status(enum comparison_verdict verdict);

#endif
