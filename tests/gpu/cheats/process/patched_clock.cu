/* cheat gram: overwrites the driver's function that tells the time between two events, a tenth of it
 * Kind: clock
 * Follows: gpu-mode/pygpubench/exploits: function_detour, got_patch
 * Found by: the witness event_time */
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/gpu/cheats/gram.cuh"

static int tell_little(float *milliseconds, void *, void *)
{
    *milliseconds = 0.001f;
    return 0;
}

static void patch(void *function)
{
    unsigned char jump[12] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0}; /* mov rax, ...; jmp rax */
    const uintptr_t to = (uintptr_t)tell_little, page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t first = (uintptr_t)function & ~(page - 1);
    memcpy(jump + 2, &to, sizeof to);
    if (!mprotect((void *)first, 2 * page, PROT_READ | PROT_WRITE | PROT_EXEC))
        memcpy(function, jump, sizeof jump);
}

static int launch(void *, const struct cpprof_call *call)
{
    return launch_product(product_of(call), call->stream);
}

static int prepare(const struct cpprof_config *, void **)
{
    static const char *const names[] = {"cuEventElapsedTime", "cuEventElapsedTime_v2"};
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    for (int i = 0; driver && i < 2; i++) {
        void *function = dlsym(driver, names[i]);
        if (function)
            patch(function);
    }
    return 0;
}

CPPROF_SOLUTION(.launch = launch, .prepare = prepare);
