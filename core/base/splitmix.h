/* splitmix.h - pseudorandom numbers that are the same in every run, for resampling, orders and simulations.
 *
 * splitmix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014). No secret may depend
 * on it. */
#ifndef CPPROF_SPLITMIX_H
#define CPPROF_SPLITMIX_H

#include <stdint.h>

/* Returns the next 64 bits. `state` may start as any number. */
static inline uint64_t splitmix_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

#endif
