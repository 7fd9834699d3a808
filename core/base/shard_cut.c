/* How is a torn tail removed without harm to a writer? */
#define _GNU_SOURCE
#include "core/base/shard_cut.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/shard_copy.h"

int shard_tail_cut(const char *path, const struct shard_tail *tail, struct err *e)
{
    if (shard_tail_may_grow(path))
        return shard_copy_in_place(path, e);
    return truncate(path, (off_t)tail->whole_bytes)
               ? err_set(e, ERR_ENVIRONMENT, "cannot cut the torn end off '%s': %s", path, strerror(errno))
               : 0;
}
