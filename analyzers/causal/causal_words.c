/* What do the reasons of an inconclusive criticality mean? */
#include "analyzers/causal/causal_rows.h"

const char *causal_status_name(enum causal_status status)
{
    static const char *const names[] = {[CAUSAL_INCONCLUSIVE] = "inconclusive",
                                        [CAUSAL_HIDDEN] = "hidden",
                                        [CAUSAL_PARTLY] = "partly",
                                        [CAUSAL_CRITICAL] = "critical"};
    return names[status];
}

const struct reason causal_reasons[] = {CAUSAL_REASONS(REASON_ROW)};
