/* shard_copy.h - keeps what a shard holds now, while another process may still append to it. */
#ifndef CPPROF_SHARD_COPY_H
#define CPPROF_SHARD_COPY_H

#include "core/base/err.h"

/* Replaces the shard by a copy of its header and its complete chunks. A process that has the old file open goes on
 * writing to it, but it no longer has a name. A file that is not a shard stays as it is. */
int shard_copy_in_place(const char *path, struct err *e);

#endif
