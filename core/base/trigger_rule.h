/* trigger_rule.h - the condition that a capture waits for, as `--when` has it. */
#ifndef CPPROF_TRIGGER_RULE_H
#define CPPROF_TRIGGER_RULE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/err.h"

enum trigger_kind { TRIGGER_NONE, TRIGGER_OCCURRENCES, TRIGGER_SLOWER, TRIGGER_FILE_APPEARS };

struct trigger_rule {
    enum trigger_kind kind;
    uint64_t first, last; /* occurrences of a range, from 1 on */
    double ratio;         /* slower than this times the median */
};

/* The file of TRIGGER_FILE_APPEARS, in the folder of the bundle. */
#define TRIGGER_FILE "record"

/* Reads "100..103", "100", "slower:1.2" or "file"; NULL: no condition. Returns ERR_USAGE for anything else. */
int trigger_rule_read(const char *text, struct trigger_rule *out, struct err *e);

/* Is it about occurrences of a range? */
bool trigger_rule_counts(const struct trigger_rule *rule);

#endif
