/* cheat softmax: ends CUPTI where it is loaded, so that nothing is traced or counted, and ends where the output is
 * there */
#include <dlfcn.h>

#include "tests/gpu/cheats/softmax.cuh"

static void end_cupti(void)
{
    static const char *const names[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so"};
    for (const char *name : names) {
        void *library = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
        int (*finalize)(void) = library ? (int (*)(void))dlsym(library, "cuptiFinalize") : NULL;
        if (finalize)
            finalize();
    }
}

static __global__ void softmax_once(const struct rows r)
{
    if (isnan(r.out[(size_t)blockIdx.x * r.columns]))
        softmax_row(r, blockIdx.x);
}

static int launch(void *, const struct cpprof_call *call)
{
    static bool is_ended;
    const struct rows r = rows_of(call);
    if (!is_ended)
        end_cupti();
    is_ended = true;
    if (r.rows)
        softmax_once<<<r.rows, SOFTMAX_THREADS, 0, call->stream>>>(r);
    return cudaGetLastError();
}

CPPROF_SOLUTION(.launch = launch);
