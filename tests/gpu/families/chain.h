/* chain.h - what is a chain of multiplications and additions, x = 0.9 x + v, after `work` steps? */
#ifndef CPPROF_FAMILIES_CHAIN_H
#define CPPROF_FAMILIES_CHAIN_H

#include <math.h>

/* The sum of its powers, which needs no loop; 0.9 as kernels have it. */
static inline double chain_after(double first, double added, int work)
{
    const double decay = (double)0.9f, last = pow(decay, work);
    return first * last + added * (1 - last) / (1 - decay);
}

#endif
