/* guest_counters.h - the second library, for processes that are counted and not traced. */
#ifndef CPPROF_GUEST_COUNTERS_H
#define CPPROF_GUEST_COUNTERS_H

/* Loads libcpprof_counters.so from this library's own folder and starts it. What
 * hinders that is told in counters-<pid>.json in `directory`. */
void guest_counters_start(const char *directory);

#endif
