/* arm_launch_costs.h - from the launches of a traced process to their cost per arm. */
#ifndef CPPROF_ARM_LAUNCH_COSTS_H
#define CPPROF_ARM_LAUNCH_COSTS_H

#include "analyzers/analysis.h"
#include "core/base/err.h"
#include "core/run/variant_launches.h"

/* Appends one row per variant and config to a->launches, in the order of their
 * first launches; launches made for verification do not count. The first call
 * (lazy loading) enters first_ns only. Interval and gap are taken between calls
 * that follow each other in the measured loop with no other launch between
 * them, all kernels of one call as one; NAN where there are no such calls. A gap
 * in which the device copies or runs other work is no idle time. */
int arm_launch_costs_add(struct analysis *a, const struct variant_launches *launches, struct err *e);

#endif
