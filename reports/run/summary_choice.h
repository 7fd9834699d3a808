/* summary_choice.h - a run of many arms: which of its rows belong on the first
 * screen? The tables below it have them all. */
#ifndef CPPROF_SUMMARY_CHOICE_H
#define CPPROF_SUMMARY_CHOICE_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzers/analysis.h"
#include "core/base/arena.h"

/* Comparisons that cannot be used first, then slower and inconclusive ones; of
 * the others the largest gain of each config, then the second of each. The
 * last of several rows is the best of the faster ones, if there would be none. */
struct summary_choice {
    size_t *by_importance; /* `count` indices, the first `shown` of them were chosen */
    bool *chosen;          /* of each row that there is; NULL of none */
    size_t count, shown;
};

/* Chooses at most `most` of the comparisons; the arena owns the arrays. Without
 * memory nothing is chosen. */
struct summary_choice summary_of_comparisons(struct arena *arena, const struct analysis *a, size_t most);

/* The same of rows of any kind, by their weights: the heaviest first, those
 * that are not finite last, of equals the first. Of `taking_part` (NULL: all)
 * each says whether the row is one of those to choose from: others are not
 * chosen, nor counted. */
struct summary_choice summary_by_weight(struct arena *arena, const double *weights, const bool *taking_part,
                                        size_t count, size_t most);

#endif
