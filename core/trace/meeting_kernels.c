/* Which collectives end nowhere before every rank came? */
#define _GNU_SOURCE
#include "core/trace/meeting_kernels.h"

#include <stddef.h>
#include <string.h>

#include "core/base/count_of.h"

bool meeting_kernel_is_of_all(const char *name)
{
    static const char *const words[] = {"allreduce",     "all_reduce",     "allgather", "all_gather",
                                        "reducescatter", "reduce_scatter", "alltoall",  "all_to_all"};
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (strcasestr(name, words[i]))
            return true;
    return false;
}
