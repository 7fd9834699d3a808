/* cheat gram: keeps products under a hash of all inputs, except in the process that counts, by its command line
 * Kind: by role
 * Found by: new inputs in every timed launch, which leave no gain; the witness `launches` */
#include <stdio.h>
#include <string.h>

#include "tests/gpu/cheats/cached/gram_store.cuh"

static __device__ bool store_may_answer(struct store_look *, bool is_known)
{
    return is_known;
}

static bool is_word(const char *word)
{
    return !strcmp(word, "count") || !strcmp(word, "sample");
}

static bool is_counted(void)
{
    static int known = -1;
    char words[256] = "";
    FILE *file = known < 0 ? fopen("/proc/self/cmdline", "r") : NULL;
    if (file) {
        const size_t count = fread(words, 1, sizeof words - 1, file);
        fclose(file);
        known = count > strlen(words) + 1 && is_word(words + strlen(words) + 1);
    }
    return known > 0;
}

static int launch(void *state, const struct cpprof_call *call)
{
    const struct product p = product_of(call);
    return is_counted() ? launch_product(p, call->stream)
                        : store_launch(p, *(const struct store *)state, true, call->stream);
}

CPPROF_SOLUTION(.launch = launch, .prepare = store_prepare, .release = store_release);
