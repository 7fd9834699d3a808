/* perfetto_rules.h - where rules are broken, as slices on tracks of their own. */
#ifndef CPPROF_PERFETTO_RULES_H
#define CPPROF_PERFETTO_RULES_H

#include "reports/export/perfetto_packets.h"
#include "reports/reports.h"

/* Writes the counterexamples of each broken rule: a track for each place where it is broken, one more where they
 * overlap. */
int perfetto_rules_write(const struct check_report *r, int64_t first_ns, struct perfetto_packets *p, struct err *e);

#endif
