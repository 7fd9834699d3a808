/* What does it cost to launch it? */
#include "analyzers/entries.h"
#include "analyzers/launch/arm_launch_costs.h"
#include "core/bundle/bundle.h"
#include "core/run/variant_launches.h"

int launch_analyze(struct analysis *a, struct err *e)
{
    /* An unusable trace: the selection says why, the rest still speaks. */
    return a->run->trace_error ? 0 : arm_launch_costs_add(a, &a->run->launches, e);
}
