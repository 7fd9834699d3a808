/* metric_choice.h - which names of CUPTI do the words of --metrics stand for? A word is a set ("bound"), an id
 * ("dram_share"), a sum of ids ("dram_bytes") or a name of CUPTI's. */
#ifndef CPPROF_METRIC_CHOICE_H
#define CPPROF_METRIC_CHOICE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/err.h"
#include "core/base/nearest_word.h"
#include "core/base/str.h"
#include "core/gpu/metrics.h"

struct metric_choice_item {
    const char *name; /* CUPTI's; owned by the tables or the caller */
    bool asked_for;   /* by itself: a warning is due when the chip lacks it */
};

struct metric_choice {
    struct metric_choice_item *items; /* each name once */
    size_t count, capacity;
};

void metric_choice_release(struct metric_choice *choice);

/* Appends the counters that a word stands for; one of our ids adds all its names, of which a chip knows one. An unknown
 * word is taken as a name of CUPTI's. */
int metric_choice_add(struct metric_choice *choice, const char *word, struct err *e);

/* CUPTI counts links (NVLink, PCIe) and SMs, caches and device memory in separate configurations: groups 0 and 1. The
 * duration can go with either. */
enum { METRIC_GROUPS = 2 };
size_t metric_choice_group(const struct metric_choice *choice, size_t item);
bool metric_choice_is_mixed(const struct metric_choice *choice); /* are there counters of both groups? */

/* Is it one of our sets, ids, sums, or a name of a counter of ours? Only the chip's own list can confirm other
 * words. */
bool metric_word_is_ours(const char *word);

/* Appends at most three of our words that are similar, separated by ", "; nothing when none is. */
void metric_words_near(struct str *out, const char *word);

/* Returns the word_distance of two of these words. */
static inline size_t metric_word_distance(const char *a, const char *b, size_t limit)
{
    return word_distance(a, b, limit);
}

#endif
