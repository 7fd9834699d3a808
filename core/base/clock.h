/* clock.h - a clock for measuring lengths of time. It is never set back, and it is not the time of day. */
#ifndef CPPROF_CLOCK_H
#define CPPROF_CLOCK_H

#include <stdint.h>

int64_t clock_now_ns(void); /* CLOCK_MONOTONIC */

#endif
