/* Is this kernel one of ours, and what did ptxas report about it? */
#include <string.h>

#include "kernels/ptxas_facts.h"

const struct ptxas_facts *ptxas_facts_find(const char *symbol, int sm)
{
    for (size_t i = 0; i < ptxas_facts_count; i++)
        if (ptxas_facts_table[i].sm == sm && !strcmp(ptxas_facts_table[i].symbol, symbol))
            return &ptxas_facts_table[i];
    return NULL;
}
