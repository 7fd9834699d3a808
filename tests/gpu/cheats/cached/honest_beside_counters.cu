/* cheat softmax: keeps rows under a hash of all their values, except where the library that reads counters is loaded
 * Kind: by role
 * Found by: new inputs in every timed launch: it gains nothing */
#include <dlfcn.h>

#include "tests/gpu/cheats/cached/row_store.cuh"

static __device__ bool row_may_answer(unsigned long long)
{
    return true;
}

/* It may be loaded at any time, so it is looked for until it is there. */
static bool is_counted(void)
{
    static const char *const libraries[] = {"libnvperf_host.so", "libnvperf_target.so", "libcupti.so.13",
                                            "libcupti.so.12"};
    static bool is_there;
    for (const char *library : libraries)
        is_there = is_there || dlopen(library, RTLD_NOLOAD | RTLD_NOW);
    return is_there;
}

static int launch(void *state, const struct cpprof_call *call)
{
    const struct rows r = rows_of(call);
    return is_counted() ? launch_rows(r, call->stream)
                        : launch_stored(r, (const struct row_store *)state, true, call->stream);
}

CPPROF_SOLUTION(.launch = launch, .prepare = row_store_prepare, .release = row_store_release);
