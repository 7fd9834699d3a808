/* guest_migrations.h - records of unified memory's migrations, for programs that use it.
 *
 * Only such a program pays for them: they are switched on when a call that
 * allocates managed memory is seen. */
#ifndef CPPROF_GUEST_MIGRATIONS_H
#define CPPROF_GUEST_MIGRATIONS_H

#include <stdint.h>

#include "collector/dynload/cupti_api.h"

/* Switches them on, the first time; on any thread. `late_ns`: how long after CUDA
 * began the call is noticed only now; 0 when nothing can have moved before. */
void guest_migrations_start(const struct cupti_api *api, int64_t late_ns);

/* What the report says that it has not of them: the member `what` of "missing",
 * NULL when nothing, and why. The texts stay. */
const char *guest_migrations_missing(const char **why);

#endif
