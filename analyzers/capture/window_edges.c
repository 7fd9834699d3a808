/* How is what a sample counted divided among the two kernels in it? */
#include "analyzers/capture/window_edges.h"

#include <math.h>

/* A kernel without time in the sample has this much, so that it gets what the other one never does, and no more. */
static const double near_ns = 1;

double window_edge_part(double earlier_share, double earlier_ns, double later_share, double later_ns)
{
    const double of_earlier = fmax(earlier_ns, near_ns), of_later = fmax(later_ns, near_ns);
    const double earlier = earlier_share * of_earlier, both = earlier + later_share * of_later;
    return both > 0 || isnan(both) ? earlier / both : of_earlier / (of_earlier + of_later);
}
