/* ptxas_facts.h - what did ptxas report about our kernels when they were built? ptxas_table generates the table from
 * its -v log. */
#ifndef CPPROF_PTXAS_FACTS_H
#define CPPROF_PTXAS_FACTS_H

#include <stddef.h>

struct ptxas_facts {
    const char *symbol; /* mangled */
    int sm;             /* 80, 89, 90 */
    int registers;
    int stack_bytes;
    int spill_store_bytes;
    int spill_load_bytes;
};

extern const struct ptxas_facts ptxas_facts_table[];
extern const size_t ptxas_facts_count;

const struct ptxas_facts *ptxas_facts_find(const char *symbol, int sm); /* NULL when it is not one of ours */

#endif
