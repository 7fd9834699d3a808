/* second_half.h - a thread that reads the second half of a large table while its owner reads the first.
 *
 * Where the second half begins is a guess: behind a newline in the middle of the file, which may stand inside a quoted
 * field. The owner's parser proves it, when it comes to that place with a whole row behind it. The half is only taken
 * when it holds plain rows up to the end of the file. Else, or where the guess was wrong, it is forgotten, and the
 * owner reads on: nothing is ever said of the half that needs its line numbers. */
#ifndef CPPROF_SECOND_HALF_H
#define CPPROF_SECOND_HALF_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "trace/readers/nsys_table.h"

struct second_half;

/* Reads plain rows into `t` to the end of the file, or until *stop. Returns whether there was nothing else. */
typedef bool second_half_reader(struct nsys_table *t, const atomic_bool *stop);

/* Begins after the header of `t` was read, if the file is regular and large and there are two processors; else returns
 * NULL. Rows of the table must not depend on one another. The file keeps its position. */
struct second_half *second_half_begin(const struct nsys_table *t, FILE *file, second_half_reader *read);
void second_half_free(struct second_half *h); /* NULL: nothing; stops it */

/* Returns where it begins, from the beginning of the file on. */
uint64_t second_half_offset(const struct second_half *h);

/* Waits for it, and adds its rows to those of `t`, which is at its offset. Returns 1, 0 when it is not good, or an
 * error code. */
int second_half_take(struct second_half *h, struct nsys_table *t, struct err *e);

#endif
