/* cuda_versions.h - what differs between the CUDA runtimes that cpprof can be built with? Only here; of CUPTI in
 * collector/dynload/cupti_versions.h. 13.0 has run; with 12.4 the files were compiled. */
#ifndef CPPROF_CUDA_VERSIONS_H
#define CPPROF_CUDA_VERSIONS_H

#include <cuda_runtime_api.h>

/* Finds a function of the driver, in the version that `version` of CUDA has. Before 12.5 the runtime's own version
 * decides. */
static inline cudaError_t driver_function(const char *name, void **function, unsigned version,
                                          enum cudaDriverEntryPointQueryResult *found)
{
#if CUDART_VERSION >= 12050
    return cudaGetDriverEntryPointByVersion(name, function, version, cudaEnableDefault, found);
#else
    (void)version;
    return cudaGetDriverEntryPoint(name, function, cudaEnableDefault, found);
#endif
}

/* Has a link between two devices some native atomics, but not all? Before 13.0 no such link claims any. */
static inline cudaError_t only_partial_atomics(int *partial, int device, int peer)
{
#if CUDART_VERSION >= 13000
    return cudaDeviceGetP2PAttribute(partial, cudaDevP2PAttrOnlyPartialNativeAtomicSupported, device, peer);
#else
    (void)device, (void)peer;
    *partial = 0;
    return cudaSuccess;
#endif
}

#endif
