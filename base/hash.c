/* How are keys mixed so that nobody outside knows which of them collide?
 *
 * A product with a secret odd number spreads upwards, a shift brings the upper
 * half down; twice. */
#include "base/hash.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/random.h>
#include <time.h>

static uint64_t seeds[3];
static _Atomic int is_seeded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void seed(void)
{
    if (getrandom(seeds, sizeof seeds, GRND_NONBLOCK) != (ssize_t)sizeof seeds) { /* early at boot, or not allowed */
        struct timespec now = {0};
        timespec_get(&now, TIME_UTC);
        for (unsigned i = 0; i < 3; i++)
            seeds[i] = ((uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec ^ (uintptr_t)&now) * 0x9e3779b97f4a7c15u + i;
    }
    seeds[1] |= 1;
    seeds[2] |= 1;
    atomic_store_explicit(&is_seeded, 1, memory_order_release);
}

uint64_t hash_mix(uint64_t key)
{
    if (!atomic_load_explicit(&is_seeded, memory_order_acquire))
        pthread_once(&once, seed);
    uint64_t hash = (key ^ seeds[0]) * seeds[1];
    hash = (hash ^ hash >> 32) * seeds[2];
    return hash ^ hash >> 32;
}
