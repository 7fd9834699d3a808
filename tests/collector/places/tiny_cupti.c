/* What if a file is a CUPTI of some version, or the driver? Nothing else is in it. */
#include <stdint.h>
#include <stdlib.h>

#ifdef VERSION
int cuptiGetVersion(uint32_t *version);
int cuptiGetVersion(uint32_t *version)
{
    *version = VERSION;
    return 0;
}
#else
int cuDriverGetVersion(int *version);
int cuDriverGetVersion(int *version)
{
    const char *text = getenv("TINY_DRIVER");
    *version = text ? atoi(text) : 0;
    return text ? 0 : 1;
}
#endif
