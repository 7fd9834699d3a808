/* Can kernels of one stream overlap on the chips of a trace? */
#include "core/trace/dependent_launch.h"

#include <string.h>

enum { FIRST_MAJOR = 9 };

/* Drivers name every card since 9.0 "NVIDIA ...". */
enum dependent_launch dependent_launch_of_chip(const char *name, int64_t major)
{
    static const char vendor[] = "NVIDIA";
    const int is_nvidia = !strncmp(name, vendor, sizeof vendor - 1);
    if (!*name || (is_nvidia && major < 0))
        return DEPENDENT_LAUNCH_MIXED;
    return is_nvidia && major >= FIRST_MAJOR ? DEPENDENT_LAUNCH_CAN : DEPENDENT_LAUNCH_CANNOT;
}

enum dependent_launch dependent_launch_with(enum dependent_launch so_far, enum dependent_launch next)
{
    return so_far == DEPENDENT_LAUNCH_UNSAID || so_far == next ? next : DEPENDENT_LAUNCH_MIXED;
}
