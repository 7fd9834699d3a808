/* run_cases.h - the case of an arm in as few words as tell it from the others of a report: what all cases have in
 * common is said once. */
#ifndef CPPROF_RUN_CASES_H
#define CPPROF_RUN_CASES_H

#include "analyzers/analysis.h"
#include "reports/document/document.h"

/* From here on the document leaves out what the cases of this analysis have in common. */
void cases_begin(const struct analysis *a, struct document *d);

/* A case ("mission ctas_per_sm=1 work=256", perhaps with ", cold L2") without what is said once, sizes as people write
 * them: "", "mission", "512 MiB, cold L2". As it is where the document has begun no cases. */
const char *case_short(struct document *d, const char *text);

/* What is said once, "mission ctas_per_sm=1 work=256"; "" when there is nothing in common. */
const char *cases_common(struct document *d);

/* Is this word of a case a size in bytes, "mib512" or "bytes=536870912"? */
bool case_bytes(const char *word, size_t length, double *bytes);

#endif
