/* witness_rows.h - what two witnesses of an arm say of each other. */
#ifndef CPPROF_WITNESS_ROWS_H
#define CPPROF_WITNESS_ROWS_H

#include "core/base/units.h"
#include "core/run/arms.h"

/* Two witnesses of one arm: do they agree? (docs/witnesses.md) */
enum witness_status { WITNESS_NOT_CHECKED, WITNESS_AGREES, WITNESS_CONTRADICTED };
const char *witness_status_name(enum witness_status s); /* "not checked", "agrees", "contradicted" */

struct witness_check {
    const struct arm *arm;
    const char *variant, *config;
    const char *witness; /* code: "event_time" ... (analyzers/witness/witness.c) */
    enum witness_status status;
    double claimed, seen; /* the two sides; NAN where one is not known */
    enum unit unit;       /* of both */
    const char
        *detail; /* of a contradiction a sentence with both numbers; of what is not checked the reason; else "" */
};

#endif
