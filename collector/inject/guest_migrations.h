/* guest_migrations.h - records migrations of unified memory, in programs that use it, where they were asked for.
 *
 * The records make kernels that wait for pages slower, by a third on an H200. They are switched on when a call that
 * allocates managed memory is seen. */
#ifndef CPPROF_GUEST_MIGRATIONS_H
#define CPPROF_GUEST_MIGRATIONS_H

#include <stdint.h>

#include "collector/dynload/cupti_api.h"

/* Switches the records on, the first time; on any thread. `late_ns` is how long after the start of CUDA the call was
 * noticed; 0 when nothing can have migrated before. */
void guest_migrations_start(const struct cupti_api *api, int64_t late_ns);

/* Notes that the program has managed memory, and that its migrations were not asked for. */
void guest_migrations_leave_out(void);

/* Returns what is missing of them for the report, a member of "missing", and the reason in *why; NULL when nothing is.
 * The texts stay valid. */
const char *guest_migrations_missing(const char **why);

#endif
