/* list_chip.h - what 'cpprof list --chip' says of a chip before anything runs on it. */
#ifndef CPPROF_LIST_CHIP_H
#define CPPROF_LIST_CHIP_H

#include "core/base/err.h"
#include "core/gpu/chips.h"
#include "reports/document/document.h"

/* Returns the chip that people mean by the name of a chip or of a card, or by a compute capability: the first that has
 * it. NULL: none that is listed. */
const struct chip *list_chip_find(const char *word);

/* Refuses a word for which list_chip_find returns NULL. */
int list_chip_refuse(const char *word, struct err *e);

/* Appends at most five items: its cards and compute capability, whether CUPTI has its counters, how it is sampled, and
 * whether variants run on it. `word`: what it was found by. */
void list_chip_describe(struct document *d, const struct chip *chip, const char *word);

/* Prints them. CUPTI is not asked. */
int list_chip(const char *word, const char *format, struct err *e);

#endif
