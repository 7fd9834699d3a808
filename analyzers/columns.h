/* columns.h - the columns of every result: one list each, beside its rows. Each says which formats have them. */
#ifndef CPPROF_COLUMNS_H
#define CPPROF_COLUMNS_H

#include "io/row_columns.h"

/* Tables with columns of their own. */
enum {
    COMPARISON_VERDICTS = ROW_TABLE,
    COMPARISON_BASIS = ROW_TABLE_2, /* what they rest on */
};

extern const struct row_columns comparison_columns, timing_columns;
extern const struct row_columns selection_columns;   /* JSON: its gate */
extern const struct row_columns correctness_columns; /* the same; the context is the analysis */
extern const struct row_columns launch_columns, resource_columns;

#endif
