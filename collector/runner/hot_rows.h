/* hot_rows.h - which rows of hotspots.csv do the samples of one arm become? */
#ifndef CPPROF_HOT_ROWS_H
#define CPPROF_HOT_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/profiler/pc_sampler.h"
#include "core/base/err.h"
#include "core/io/table.h"

/* The hottest instructions have rows of their own. The samples of all others are summed: by line for the hottest lines,
 * by kernel for the rest. */
enum {
    HOT_INSTRUCTIONS_MAX = 32,
    HOT_LINES_MAX = 32,
    HOT_PLACES_MAX = 4096 /* instructions whose line is asked for */
};

/* The place of an instruction. A text that is not known is ""; the texts must live until the rows are added. */
struct hot_place {
    const char *instruction, *file, *text;
    uint32_t line; /* 0: not known */
};

/* Fills a place whose texts are "". `with_instruction`: its name is asked for, too. */
typedef int (*hot_place_find)(void *context, const struct pc_sample *sample, bool with_instruction,
                              struct hot_place *place, struct err *e);

/* Appends the rows, the hottest instruction first. Sorts the samples. */
int hot_rows_add(struct table *out, const char *variant, const char *config, struct pc_samples *samples,
                 hot_place_find find, void *context, struct err *e);

#endif
