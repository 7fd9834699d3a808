/* isolation.h - as whom does a process run that loads a stranger's code (cpprof run --isolate)? As a user who owns
 * nothing and no other process, and who cannot become another one. */
#ifndef CPPROF_ISOLATION_H
#define CPPROF_ISOLATION_H

#include <stddef.h>
#include <sys/types.h>

#include "core/base/err.h"
#include "core/base/json.h"

struct isolation {
    const char *task; /* the caller's: the library whose judge we start */
    long device;
    uid_t user;
};

/* What is to run so. */
struct isolation_request {
    const char *runner, *task; /* its path; the library whose judge we start. Kept */
    const char *const *loads;  /* values of --load, the task among them */
    size_t load_count;
    long device;
};

/* From here on each process of the runner that loads a library is isolated. ERR_ENVIRONMENT where that cannot be had,
 * and ERR_USAGE where a library could not be read then; neither changes anything. */
int isolation_demand(const struct isolation_request *request, struct err *e);

/* NULL: not demanded. */
const struct isolation *isolation_demanded(void);

/* Who it is, for the manifest; the caller's. */
json_t *isolation_described(const struct isolation *i);

#endif
