/* arm_table.h - a table of a bundle, with the arm of each row. */
#ifndef CPPROF_ARM_TABLE_H
#define CPPROF_ARM_TABLE_H

#include "core/base/err.h"
#include "core/bundle/bundle_tables.h"
#include "core/run/arms.h"

struct arm_table {
    const struct table *table; /* not owned */
    const struct arm **arms;   /* the arm of each row */
    struct arm_index index;
};

/* Fills a zeroed one, and adds new arms to `arms`. The table must outlive it and must not change. */
int arm_table_read(struct arm_table *out, const struct table *table, enum bundle_table which, struct arms *arms,
                   struct err *e);
void arm_table_release(struct arm_table *t);

/* Returns the rows of an arm, ascending; none for NULL. */
struct arm_places arm_table_rows(const struct arm_table *t, const struct arm *arm);

/* Returns the first of them; -1 when there are none. */
long arm_table_first(const struct arm_table *t, const struct arm *arm);

#endif
