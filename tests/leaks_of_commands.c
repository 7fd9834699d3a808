/* Are whole commands checked for leaks? Only with CPPROF_DEEP: the check takes as long as a short command. Programs of
 * tests/unit and tests/collector are always checked. */
#include <stdlib.h>

int __lsan_is_turned_off(void);

/* LeakSanitizer asks this as a process ends. */
int __lsan_is_turned_off(void)
{
    return !getenv("CPPROF_DEEP");
}
