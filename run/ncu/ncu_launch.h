/* ncu_launch.h - a launch while its rows are being read, and what it comes to. */
#ifndef CPPROF_NCU_LAUNCH_H
#define CPPROF_NCU_LAUNCH_H

#include "run/imported_launches.h"
#include "run/ncu/ncu_names.h"
#include "run/ncu/ncu_rules.h"

/* What a launch's rows said that has no place in struct imported_launch. */
struct ncu_notes {
    double facts[NCU_FACTS];
    struct ncu_said pipe; /* of the rule that names one */
};

void ncu_launch_init(struct imported_launch *launch, struct ncu_notes *notes);
void ncu_launch_take(struct imported_launch *launch, struct ncu_notes *notes, const struct ncu_slot *slot,
                     double value);
void ncu_launch_hear(struct imported_launch *launch, struct ncu_notes *notes, const struct ncu_said *said);

/* After the last row: shares over active cycles become shares over elapsed ones,
 * and what includes a unit that was not counted limits it. */
void ncu_launch_finish(struct imported_launch *launch, const struct ncu_notes *notes);

#endif
