/* Is a whole command looked at for leaks? What it leaks ends with it, and the look costs as much as a start: with
 * CPPROF_DEEP alone. Programs of tests/unit and tests/collector are always looked at. */
#include <stdlib.h>

int __lsan_is_turned_off(void);

/* LeakSanitizer asks this as a process ends. */
int __lsan_is_turned_off(void)
{
    return !getenv("CPPROF_DEEP");
}
