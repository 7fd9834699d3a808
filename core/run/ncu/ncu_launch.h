/* ncu_launch.h - a launch while its rows are being read, and the result. */
#ifndef CPPROF_NCU_LAUNCH_H
#define CPPROF_NCU_LAUNCH_H

#include <stdint.h>

#include "core/run/imported_launches.h"
#include "core/run/ncu/ncu_names.h"
#include "core/run/ncu/ncu_rules.h"

/* The id of a name that the file has for a number; 0: none. */
typedef unsigned char ncu_name_id;
enum { NCU_NAMES_MAX = 255 };

/* Facts from a launch's rows that have no place in struct imported_launch. */
struct ncu_notes {
    int64_t line;                /* of its first row */
    size_t table;                /* the file may have several */
    ncu_name_id held[NCU_SLOTS]; /* by which name it has each number; 0: it has none, or a rule's */
    bool has_two[NCU_SLOTS];     /* two values under one name: none is taken */
    double facts[NCU_FACTS];
    struct ncu_said pipe; /* from the rule that names a pipe */
    size_t nan_count;     /* cells that say that there is no value */
    size_t empty_count;   /* cells of numbers that have nothing */
    bool has_value;       /* in any cell, of numbers that nobody here uses, too */
};

void ncu_launch_init(struct imported_launch *launch, struct ncu_notes *notes);
/* Takes a number of a row, of a counter also one that cannot be: a verdict then says why it has none. Returns false
 * when it has another value under the same name, which it loses. */
bool ncu_launch_take(struct imported_launch *launch, struct ncu_notes *notes, const struct ncu_slot *slot,
                     ncu_name_id name, double value);
/* Counts a cell that says that there is no number ("nan", "n/a"), or has nothing. */
void ncu_launch_lack(struct ncu_notes *notes, bool is_empty);
/* Takes the facts from the sentence of a rule. */
void ncu_launch_hear(struct imported_launch *launch, struct ncu_notes *notes, const struct ncu_said *said);

/* Are the numbers up to here those of a launch that failed? ncu writes nan for most of its counters and 0 for a few,
 * or nothing at all. */
bool ncu_launch_is_nothing(const struct imported_launch *launch, const struct ncu_notes *notes);
/* Drops the zeros of such a launch, which are no measurement, and sets recorded_nothing. */
void ncu_launch_drop_nothing(struct imported_launch *launch, const struct ncu_notes *notes);

/* Finishes a launch after its last row, and after ncu_launch_drop_nothing: converts shares over active cycles to shares
 * over elapsed ones, and limits units that were not counted by counters that include them. */
void ncu_launch_finish(struct imported_launch *launch, const struct ncu_notes *notes);

#endif
