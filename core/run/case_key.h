/* case_key.h - takes one parameter out of the text of a config, which is a shape with its parameters ("mission
 * ctas_per_sm=4 work=256"). */
#ifndef CPPROF_CASE_KEY_H
#define CPPROF_CASE_KEY_H

#include <stdbool.h>

#include "core/base/str.h"

/* The parameter for the number of blocks per SM. */
#define CASE_KEY_OCCUPANCY "ctas_per_sm"

/* Splits the key into the parameter's value and the rest ("mission work=256", put into `rest`, which is cleared first).
 * Returns false when the key does not have the parameter. */
bool case_key_split(const char *key, const char *parameter, long *value, struct str *rest);

#endif
