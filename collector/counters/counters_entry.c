/* Where does the guest call the counters library? The only export. */
#include "collector/counters/counting.h"

__attribute__((visibility("default"))) int cpprof_counters_start(void);

/* Inside the program's cuInit, once. 0, or an error code: then the program runs uncounted. */
int cpprof_counters_start(void)
{
    return counting_start();
}
