/* case_key.h - the text of a config, which is a shape with its parameters ("mission
 * ctas_per_sm=4 work=256"): taking one parameter out of it. */
#ifndef CPPROF_CASE_KEY_H
#define CPPROF_CASE_KEY_H

#include <stdbool.h>

#include "base/str.h"

/* The parameter that says how many blocks an SM is given. */
#define CASE_KEY_OCCUPANCY "ctas_per_sm"

/* Splits the key into the parameter's value and the rest ("mission work=256",
 * into `rest`, cleared first). False when the key has no such parameter. */
bool case_key_split(const char *key, const char *parameter, long *value, struct str *rest);

#endif
