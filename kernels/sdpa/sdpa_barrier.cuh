/* sdpa_barrier.cuh - mbarriers: a count of arrivals in shared memory that threads can wait for.
 *
 * A barrier changes its phase when its count is complete, and then starts to count anew. A waiting thread asks whether
 * the phase of a parity is over: 0 for the first phase, 1 for the second, 0 for the third. */
#ifndef CPPROF_SDPA_BARRIER_CUH
#define CPPROF_SDPA_BARRIER_CUH

#include <stdint.h>

namespace sdpa
{

static __device__ __forceinline__ unsigned shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

static __device__ __forceinline__ void barrier_init(uint64_t *barrier, unsigned count)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(count) : "memory");
}

static __device__ __forceinline__ void barrier_arrive(uint64_t *barrier)
{
    asm volatile("{\n\t.reg .b64 state;\n\tmbarrier.arrive.shared.b64 state, [%0];\n\t}" ::"r"(shared_address(barrier))
                 : "memory");
}

static __device__ __forceinline__ bool barrier_passed(uint64_t *barrier, int parity)
{
    unsigned passed;
    asm volatile(
        "{\n\t.reg .pred over;\n\tmbarrier.test_wait.parity.shared.b64 over, [%1], %2;\n\tselp.u32 %0, 1, 0, over;\n\t}"
        : "=r"(passed)
        : "r"(shared_address(barrier)), "r"((unsigned)parity)
        : "memory");
    return passed;
}

static __device__ __forceinline__ void barrier_wait(uint64_t *barrier, int parity)
{
    while (!barrier_passed(barrier, parity))
        ;
}

} // namespace sdpa

#endif
