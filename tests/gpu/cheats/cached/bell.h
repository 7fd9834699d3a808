/* bell.h - inputs that a task fills itself: sums of eight numbers, between -1 and 1 and mostly near zero. */
#include <cpprof/task.h>

enum { BELL_NUMBERS = 8 };

static double bell_value(uint64_t seed, size_t index)
{
    double sum = 0;
    for (uint64_t i = 0; i < BELL_NUMBERS; i++)
        sum += cpprof_uniform(seed, index * BELL_NUMBERS + i);
    return sum / BELL_NUMBERS;
}

/* The sets that are not random are those of tasks without `fill`. */
static void bell_fill(const struct cpprof_draw *draw, size_t input, size_t count, float *values)
{
    const struct cpprof_draw own = {cpprof_bits(draw->seed, input), draw->kind};
    for (size_t i = 0; i < count; i++)
        values[i] =
            (float)(own.kind == CPPROF_RANDOM ? bell_value(own.seed, i) : cpprof_drawn(&own, CPPROF_F32, i, count));
}
