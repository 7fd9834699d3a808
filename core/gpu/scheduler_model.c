/* How many instructions does a scheduler issue with these warps? */
#include "core/gpu/scheduler_model.h"

#include <math.h>

double scheduler_rate(double warps, double think)
{
    const double most = fmin(fmax(warps, 0), SCHEDULER_WARPS_MAX);
    double queue = 0, rate = 0, below = 0;
    for (int n = 1; n < most + 1; n++) {
        below = rate;
        rate = n / (think + 1 + queue);
        queue = rate * (1 + queue);
    }
    const double part = most - floor(most);
    return part > 0 ? below + part * (rate - below) : rate;
}

/* The oldest block gets the rate that it would have alone; each further block gets what it adds. When the oldest one
 * ends, the others move up. */
static struct scheduler_mean oldest_first(const struct scheduler_blocks *b, double think)
{
    double left[SCHEDULER_BLOCKS_MAX], speed[SCHEDULER_BLOCKS_MAX], cycles = 0, block_cycles = 0, below = 0;
    for (size_t i = 0; i < b->count; i++) {
        const double rate = scheduler_rate((double)(i + 1) * b->warps_per_block, think);
        speed[i] = rate - below;
        left[i] = 1;
        below = rate;
    }
    for (size_t oldest = 0; oldest < b->count; oldest++) {
        const double step = left[oldest] / speed[0];
        for (size_t i = oldest; i < b->count; i++)
            left[i] = fmax(0, left[i] - step * speed[i - oldest]);
        cycles += step;
        block_cycles += step * (double)(b->count - oldest);
    }
    return (struct scheduler_mean){(double)b->count / cycles, block_cycles / cycles * b->warps_per_block};
}

struct scheduler_mean scheduler_run(const struct scheduler_blocks *b, double think)
{
    const double warps = (double)b->count * b->warps_per_block;
    const struct scheduler_mean alike = {scheduler_rate(warps, think), warps};
    if (b->count < 2 || b->count > SCHEDULER_BLOCKS_MAX || !(b->order > 0))
        return alike;
    const struct scheduler_mean ordered = oldest_first(b, think);
    return (struct scheduler_mean){b->order * ordered.rate + (1 - b->order) * alike.rate,
                                   b->order * ordered.warps + (1 - b->order) * alike.warps};
}
