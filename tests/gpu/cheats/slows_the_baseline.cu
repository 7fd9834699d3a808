/* cheat softmax: leaves a kernel behind that keeps the GPU busy for 200 us, in which the other solution is timed
 * Kind: other arm
 * Found by: one solution in a process; the witness launches */
#include "tests/gpu/cheats/honest/sides.cuh"
#include "tests/gpu/cheats/softmax.cuh"

enum { SPUN_NS = 200000 };

static __device__ unsigned long long now_ns(void)
{
    unsigned long long ns;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns));
    return ns;
}

static __global__ void softmax_spin(void)
{
    const unsigned long long end_ns = now_ns() + SPUN_NS;
    while (now_ns() < end_ns)
        ;
}

/* Not joined: no clock of this launch sees it. */
static int leave_behind(const struct side *s, cudaStream_t stream)
{
    const int status = side_fork(s, stream);
    if (!status)
        softmax_spin<<<1056, SOFTMAX_THREADS, 0, s->stream>>>();
    return status ? status : cudaGetLastError();
}

static int launch(void *state, const struct cpprof_call *call)
{
    enum cudaStreamCaptureStatus capturing;
    int status = cudaStreamIsCapturing(call->stream, &capturing);
    if (!status)
        status = launch_rows(rows_of(call), call->stream);
    return status || capturing ? status : leave_behind((const struct side *)state, call->stream);
}

CPPROF_SOLUTION(.launch = launch, .prepare = side_open, .release = side_close);
