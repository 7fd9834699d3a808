/* sees_profiler.cuh - is a profiler in this process? */
#include <stdio.h>
#include <string.h>

static inline bool sees_profiler(void)
{
    static int seen = -1;
    char line[512];
    FILE *maps = seen < 0 ? fopen("/proc/self/maps", "r") : NULL;
    while (maps && fgets(line, sizeof line, maps))
        if (strstr(line, "libcupti"))
            seen = 1;
    if (maps)
        fclose(maps);
    seen = seen > 0;
    return seen;
}
