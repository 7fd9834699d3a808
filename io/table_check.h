/* table_check.h - do the rows of a table hold what its columns allow? */
#ifndef CPPROF_TABLE_CHECK_H
#define CPPROF_TABLE_CHECK_H

#include <stdbool.h>

#include "io/table.h"

/* In which way does the row contradict itself? A few words; NULL: in none. */
typedef const char *table_contradiction(const struct table *t, size_t row);

/* *good_rows: how many rows stand before the first one that holds what its column does not allow, has the key of an
 * earlier one, or contradicts itself; all of them when none does. *why then says what is wrong with it, "row 17: ...",
 * rows counted from 1; else it is untouched. `contradiction` may be NULL. */
int table_check(const struct table *t, table_contradiction *contradiction, size_t *good_rows, struct str *why,
                struct err *e);

/* Do two rows agree in a column? Missing cells agree. */
bool table_same_cell(const struct table *t, size_t a, size_t b, size_t column);

/* Appends what the column allows, for people and documents: "required, key, whole, 0 or more". */
void column_rule_words(const struct column *column, struct str *out);

#endif
