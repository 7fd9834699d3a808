/* ncu_launch.h - a launch while its rows are being read, and the result. */
#ifndef CPPROF_NCU_LAUNCH_H
#define CPPROF_NCU_LAUNCH_H

#include "run/imported_launches.h"
#include "run/ncu/ncu_names.h"
#include "run/ncu/ncu_rules.h"

/* Facts from a launch's rows that have no place in struct imported_launch. */
struct ncu_notes {
    double facts[NCU_FACTS];
    struct ncu_said pipe; /* from the rule that names a pipe */
    size_t nan_count;     /* cells that say that there is no value */
};

void ncu_launch_init(struct imported_launch *launch, struct ncu_notes *notes);
/* Takes a number of a row, of a counter also one that cannot be: a verdict then says why it has none. */
void ncu_launch_take(struct imported_launch *launch, struct ncu_notes *notes, const struct ncu_slot *slot,
                     double value);
/* Counts a cell that says that there is no number ("nan", "n/a"). */
void ncu_launch_lack(struct ncu_notes *notes);
/* Takes the facts from the sentence of a rule. */
void ncu_launch_hear(struct imported_launch *launch, struct ncu_notes *notes, const struct ncu_said *said);

/* Finishes a launch after its last row: converts shares over active cycles to shares over elapsed ones, and limits
 * units that were not counted by counters that include them. */
void ncu_launch_finish(struct imported_launch *launch, const struct ncu_notes *notes);

#endif
