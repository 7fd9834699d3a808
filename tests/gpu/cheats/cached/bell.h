/* bell.h - inputs that a task fills itself: means of some numbers, between -1 and 1 and mostly near zero. The more, the
 * longer it takes. */
#include <cpprof/task.h>

static double bell_value(uint64_t seed, size_t index, unsigned numbers)
{
    double sum = 0;
    for (uint64_t i = 0; i < numbers; i++)
        sum += cpprof_uniform(seed, index * numbers + i);
    return sum / numbers;
}

/* The sets that are not random are those of tasks without `fill`. */
static void bell_fill(const struct cpprof_draw *draw, size_t input, size_t count, unsigned numbers, float *values)
{
    const struct cpprof_draw own = {cpprof_bits(draw->seed, input), draw->kind};
    for (size_t i = 0; i < count; i++)
        values[i] = (float)(own.kind == CPPROF_RANDOM ? bell_value(own.seed, i, numbers)
                                                      : cpprof_drawn(&own, CPPROF_F32, i, count));
}
