/* How fast were the bytes of a row? */
#include "model/trace_statistics.h"

#include <math.h>

double statistics_bandwidth(const struct statistics_row *row)
{
    if (!row->size_bytes || row->durations.total_ns <= 0)
        return NAN;
    return (double)row->size_bytes / ((double)row->durations.total_ns * 1e-9);
}
