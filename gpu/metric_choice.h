/* metric_choice.h - from the words of --metrics to the names that CUPTI is
 * asked for. A word is a set ("bound"), an id ("dram_share"), a sum of ids
 * ("dram_bytes") or a name of CUPTI's. */
#ifndef CPPROF_METRIC_CHOICE_H
#define CPPROF_METRIC_CHOICE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/nearest_word.h"
#include "base/str.h"
#include "gpu/metrics.h"

struct metric_choice_item {
    const char *name; /* CUPTI's; of the tables or the caller's */
    bool asked_for;   /* on its own: that a chip lacks it is to be said */
};

struct metric_choice {
    struct metric_choice_item *items; /* each name once */
    size_t count, capacity;
};

void metric_choice_release(struct metric_choice *choice);

/* Appends what a word stands for; a counter of ours with all its names, of which
 * a chip knows one. A word that nobody knows is taken for a name of CUPTI's. */
int metric_choice_add(struct metric_choice *choice, const char *word, struct err *e);

/* CUPTI configures counters of links (NVLink, PCIe) and those of SMs, caches and
 * device memory apart: groups 0 and 1. The duration goes with either. */
enum { METRIC_GROUPS = 2 };
size_t metric_choice_group(const struct metric_choice *choice, size_t item);
bool metric_choice_is_mixed(const struct metric_choice *choice); /* are there some of both? */

/* Is it a set, an id, a sum or a name of a counter of ours? Others only the
 * chip's own list can tell. */
bool metric_word_is_ours(const char *word);

/* Appends at most three of our words that look like it, ", " between them;
 * nothing when none does. */
void metric_words_near(struct str *out, const char *word);

/* word_distance of two of these words. */
static inline size_t metric_word_distance(const char *a, const char *b, size_t limit)
{
    return word_distance(a, b, limit);
}

#endif
