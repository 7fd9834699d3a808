/* Where do CUDA and NVTX call the library that the environment names? These are its only exports. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#include "collector/inject/guest_life.h"

#define EXPORTED __attribute__((visibility("default")))

typedef const void *(*get_export_table)(uint32_t id);

EXPORTED int InitializeInjection(void);
EXPORTED int InitializeInjectionNvtx2(get_export_table get);

/* CUDA_INJECTION64_PATH: called inside the program's cuInit. CUDA expects 1. */
int InitializeInjection(void)
{
    guest_start();
    return 1;
}

/* NVTX_INJECTION64_PATH: called inside the program's first NVTX call; CUPTI records the calls. 0 lets NVTX go on
 * without a listener. */
int InitializeInjectionNvtx2(get_export_table get)
{
    void *library = guest_cupti_library();
    int (*forward)(get_export_table) = 0;
    if (library)
        *(void **)&forward = dlsym(library, "InitializeInjectionNvtx2");
    const int listening = forward ? forward(get) : 0;
    guest_watch_ranges();
    return listening;
}
