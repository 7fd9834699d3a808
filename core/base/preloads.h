/* preloads.h - variables that load code into every process that has them: profilers and patches, which are meant for
 * the runner and not for its judge. */
#ifndef CPPROF_PRELOADS_H
#define CPPROF_PRELOADS_H

#define PRELOADS                                                                                                       \
    {                                                                                                                  \
        "LD_PRELOAD", "LD_AUDIT", "CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"                                     \
    }

#endif
