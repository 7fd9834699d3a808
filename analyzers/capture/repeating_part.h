/* repeating_part.h - which part of a sequence repeats, as the steps of a program do behind its warm-up? */
#ifndef CPPROF_REPEATING_PART_H
#define CPPROF_REPEATING_PART_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"

enum { REPEATS_MIN = 3 };

/* Items `first` to `end` - 1, each of which but the first `period` equals the one `period` before it. */
struct repeating_part {
    size_t first, end, period; /* all 0: there is none */
};

/* The longest part that ends where the sequence does, or before one of its last 1, 2, 4, ... items: what a program does
 * at its end does not repeat. It is there REPEATS_MIN times and at least half of the sequence: less is no program in
 * its steps, something was merely done three times in a row. O(n log n), 4 bytes an item. */
int repeating_part_find(const uint32_t *items, size_t count, struct repeating_part *out, struct err *e);

#endif
