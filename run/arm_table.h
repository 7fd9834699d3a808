/* arm_table.h - a table of a bundle whose rows are of arms. */
#ifndef CPPROF_ARM_TABLE_H
#define CPPROF_ARM_TABLE_H

#include "base/err.h"
#include "bundle/bundle_tables.h"
#include "run/arms.h"

struct arm_table {
    const struct table *table; /* not owned */
    const struct arm **arms;   /* of each row */
    struct arm_index index;
};

/* Fills a zeroed one, and adds to `arms` those that are new. The table must outlive it and stay as it is. */
int arm_table_read(struct arm_table *out, const struct table *table, enum bundle_table which, struct arms *arms,
                   struct err *e);
void arm_table_release(struct arm_table *t);

/* The rows of an arm, ascending; none for NULL. */
struct arm_places arm_table_rows(const struct arm_table *t, const struct arm *arm);

/* The first of them; -1 without any. */
long arm_table_first(const struct arm_table *t, const struct arm *arm);

#endif
