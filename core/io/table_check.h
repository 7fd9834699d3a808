/* table_check.h - do the rows of a table hold only values that their columns allow? */
#ifndef CPPROF_TABLE_CHECK_H
#define CPPROF_TABLE_CHECK_H

#include <stdbool.h>

#include "core/io/table.h"

/* Returns in a few words how a row contradicts itself; NULL when it does not. */
typedef const char *table_contradiction(const struct table *t, size_t row);

/* Finds the first bad row: one with a value that its column does not allow, with the key of an earlier row, or that
 * contradicts itself. *good_rows becomes the number of rows before it, or the number of all rows. *why becomes the
 * reason, "row 17: ...", counted from 1; it is unchanged when all rows are good. `contradiction` may be NULL. */
int table_check(const struct table *t, table_contradiction *contradiction, size_t *good_rows, struct str *why,
                struct err *e);

/* Do two rows agree in a column? Missing cells agree. */
bool table_same_cell(const struct table *t, size_t a, size_t b, size_t column);

/* Appends a column's rule in words, for people and documents: "required, key, whole, 0 or more". */
void column_rule_words(const struct column *column, struct str *out);

#endif
