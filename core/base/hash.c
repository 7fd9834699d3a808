/* How are keys mixed so that nobody outside knows which of them collide?
 *
 * Numbers: a product with a secret odd number spreads bits upwards, a shift moves the upper half down; this is done
 * twice. Texts are longer, so differences in two words could cancel each other for every factor: the top bit of a word
 * stays the top bit of its product. So texts also use the upper half of the products, in which each bit depends on the
 * factor. */
#include "core/base/hash.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

enum { SEED, FACTOR, SECOND_FACTOR, TEXT_SEED, TEXT_FACTOR, SEEDS };

static uint64_t seeds[SEEDS];
static _Atomic int is_seeded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void seed(void)
{
    if (getrandom(seeds, sizeof seeds, GRND_NONBLOCK) != (ssize_t)sizeof seeds) { /* too early, or not allowed */
        struct timespec now = {0};
        timespec_get(&now, TIME_UTC);
        for (unsigned i = 0; i < SEEDS; i++)
            seeds[i] = ((uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec ^ (uintptr_t)&now) * 0x9e3779b97f4a7c15u + i;
    }
    seeds[FACTOR] |= 1;
    seeds[SECOND_FACTOR] |= 1;
    atomic_store_explicit(&is_seeded, 1, memory_order_release);
}

static void seed_once(void)
{
    if (!atomic_load_explicit(&is_seeded, memory_order_acquire))
        pthread_once(&once, seed);
}

uint64_t hash_mix(uint64_t key)
{
    seed_once();
    uint64_t hash = (key ^ seeds[SEED]) * seeds[FACTOR];
    hash = (hash ^ hash >> 32) * seeds[SECOND_FACTOR];
    return hash ^ hash >> 32;
}

/* Multiplies and folds the 128 bits of the product into 64. */
static uint64_t multiply_fold(uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 product_bits;
    const product_bits product = (product_bits)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

uint64_t hash_bytes(const void *bytes, size_t length)
{
    seed_once();
    const char *at = bytes;
    uint64_t hash = seeds[TEXT_SEED], words[2];
    size_t left = length;
    for (; left >= sizeof words; left -= sizeof words, at += sizeof words) {
        memcpy(words, at, sizeof words);
        hash = multiply_fold(hash ^ words[0], seeds[TEXT_FACTOR] ^ words[1]);
    }
    memset(words, 0, sizeof words);
    if (left)
        memcpy(words, at, left);
    hash = multiply_fold(hash ^ words[0], seeds[TEXT_FACTOR] ^ words[1]);
    return multiply_fold(hash ^ length, seeds[FACTOR]);
}
