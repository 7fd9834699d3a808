/* ptxas_facts.h - the table that ptxas_table generates at build time. */
#ifndef CPPROF_PTXAS_FACTS_H
#define CPPROF_PTXAS_FACTS_H

#include "kernels/registry.h"

extern const struct ptxas_facts ptxas_facts_table[];
extern const size_t ptxas_facts_count;

#endif
