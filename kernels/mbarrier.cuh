/* mbarrier.cuh - mbarriers: a count of arrivals in shared memory that threads can wait for.
 *
 * A barrier changes its phase when its count is complete, and then starts to count anew. A waiting thread asks whether
 * the phase of a parity is over: 0 for the first phase, 1 for the second, 0 for the third. What expects bytes needs
 * compute capability 9.0, the rest 8.0. */
#ifndef CPPROF_MBARRIER_CUH
#define CPPROF_MBARRIER_CUH

#include <stdint.h>

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

/* Arrives, and makes the phase wait for `bytes` bytes, too. */
static __device__ __forceinline__ void barrier_expect(uint64_t *barrier, unsigned bytes)
{
    asm volatile("{\n\t.reg .b64 state;\n\tmbarrier.arrive.expect_tx.shared.b64 state, [%0], %1;\n\t}" ::"r"(
                     shared_address(barrier)),
                 "r"(bytes)
                 : "memory");
}

/* Starts a copy by the TMA engine. Both addresses and the size are multiples of 16 bytes. */
static __device__ __forceinline__ void copy_bulk(void *to, const void *from, unsigned bytes, uint64_t *barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(shared_address(barrier))
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

/* The same, but the thread may sleep for a while before the answer is no. 9.0. */
static __device__ __forceinline__ bool barrier_passes_soon(uint64_t *barrier, int parity)
{
    unsigned passed;
    asm volatile(
        "{\n\t.reg .pred over;\n\tmbarrier.try_wait.parity.shared.b64 over, [%1], %2;\n\tselp.u32 %0, 1, 0, over;\n\t}"
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

#endif
