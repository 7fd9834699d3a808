/* clock.h - what time is it, for lengths of time? Never set back; not the time of day. */
#ifndef CPPROF_CLOCK_H
#define CPPROF_CLOCK_H

#include <stdint.h>

int64_t clock_now_ns(void); /* CLOCK_MONOTONIC */

#endif
