/* list_chip.h - which chip does 'cpprof list --chip' mean? */
#ifndef CPPROF_LIST_CHIP_H
#define CPPROF_LIST_CHIP_H

#include "base/err.h"
#include "gpu/chips.h"

/* Returns the chip that people mean by the name of a chip or of a card, or by a compute capability: the first that has
 * it. NULL: none that is listed. */
const struct chip *list_chip_find(const char *word);

/* Refuses a word for which list_chip_find returns NULL. */
int list_chip_refuse(const char *word, struct err *e);

#endif
