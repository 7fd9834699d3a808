/* chosen_launches.h - which launches are to be counted, where each is named by its number? The list is a file with a
 * line for each kernel, grid and block: numbers with commas, a blank, and the text of its launches
 * (core/base/launch_key.h).
 */
#ifndef CPPROF_CHOSEN_LAUNCHES_H
#define CPPROF_CHOSEN_LAUNCHES_H

#include <stdint.h>

#include "core/base/err.h"

struct chosen_launches;

/* Listed: another launch of it is chosen. Welcome: it is chosen while there is plenty of time. */
enum launch_choice { LAUNCH_OF_OTHERS, LAUNCH_LISTED, LAUNCH_WELCOME, LAUNCH_CHOSEN };

/* It lives as long as the process. */
int chosen_launches_read(struct chosen_launches **out, const char *path, struct err *e);

/* Counts the launch, and gives its number among those with the same kernel, grid and block, from 0, and their text.
 * Used by one thread at a time. */
enum launch_choice chosen_launches_take(struct chosen_launches *c, const char *symbol, const uint32_t grid[3],
                                        const uint32_t block[3], long *number, const char **text);

#endif
