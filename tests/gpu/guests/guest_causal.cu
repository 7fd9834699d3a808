/* Which kernels and copies, or which host, does the program wait for? Guests in which that is known by construction:
 * each kernel runs for a known time, on one warp, and never beside a kernel that it would slow down. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/gpu/guests/guest.h"

enum {
    CHAIN = 3,
    CHAIN_US = 60,
    BESIDE_US = 40,
    LINK_US = 100,
    TAIL_US = 30,
    SHORT_US = 50,
    HOST_US = 300,
    COPY_BYTES = 1 << 20
};

static __device__ unsigned long long timer_ns()
{
    unsigned long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
}

static __device__ void run_for(int us)
{
    for (const unsigned long long begin = timer_ns(); timer_ns() - begin < us * 1000ull;)
        ;
}

__global__ void causal_chain(int us)
{
    run_for(us);
}

__global__ void causal_beside(int us)
{
    run_for(us);
}

__global__ void causal_link(int us)
{
    run_for(us);
}

__global__ void causal_tail(int us)
{
    run_for(us);
}

__global__ void causal_short(int us)
{
    run_for(us);
}

static double end_after(const char *argument)
{
    const double seconds = atof(argument);
    return guest_now_s() + (seconds > 0 ? seconds : 8);
}

static cudaStream_t new_stream()
{
    cudaStream_t stream;
    guest_check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
    return stream;
}

static cudaEvent_t new_event()
{
    cudaEvent_t event;
    guest_check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "event");
    return event;
}

/* Each step takes as long as the chain: the kernel beside it is done before, even 100 us later. */
static int run_beside(const char *argument)
{
    cudaStream_t longer = new_stream(), shorter = new_stream();
    cudaEvent_t chained = new_event(), done = new_event();
    for (const double end = end_after(argument); guest_now_s() < end;) {
        guest_check(cudaEventRecord(chained, longer), "record");
        guest_check(cudaStreamWaitEvent(shorter, chained, 0), "wait");
        causal_beside<<<1, 32, 0, shorter>>>(BESIDE_US);
        guest_check(cudaEventRecord(done, shorter), "record");
        for (int i = 0; i < CHAIN; i++)
            causal_chain<<<1, 32, 0, longer>>>(CHAIN_US);
        guest_check(cudaStreamWaitEvent(longer, done, 0), "wait");
    }
    guest_check(cudaDeviceSynchronize(), "end");
    printf("beside\n");
    return 0;
}

/* One stream that is never empty. */
static int run_chain(const char *argument)
{
    cudaStream_t stream = new_stream();
    for (const double end = end_after(argument); guest_now_s() < end;) {
        causal_link<<<1, 32, 0, stream>>>(LINK_US);
        causal_tail<<<1, 32, 0, stream>>>(TAIL_US);
    }
    guest_check(cudaDeviceSynchronize(), "end");
    printf("chain\n");
    return 0;
}

/* The host takes longer for each step than the GPU, which waits for it. */
static int run_host(const char *argument)
{
    cudaStream_t stream = new_stream();
    for (const double end = end_after(argument); guest_now_s() < end;) {
        causal_short<<<1, 32, 0, stream>>>(SHORT_US);
        for (const double until = guest_now_s() + HOST_US * 1e-6; guest_now_s() < until;)
            ;
    }
    guest_check(cudaDeviceSynchronize(), "end");
    printf("host\n");
    return 0;
}

struct copied {
    char *device, *host; /* COPY_BYTES each; the host's is pinned */
};

static struct copied new_copied()
{
    struct copied c = {NULL, NULL};
    guest_check(cudaMalloc((void **)&c.device, COPY_BYTES), "memory");
    guest_check(cudaMallocHost((void **)&c.host, COPY_BYTES), "pinned memory");
    return c;
}

/* A copy of some 20 us beside a chain of 180 us, joined each step. */
static int run_copy_hidden(const char *argument)
{
    const struct copied c = new_copied();
    cudaStream_t longer = new_stream(), copying = new_stream();
    cudaEvent_t chained = new_event(), done = new_event();
    for (const double end = end_after(argument); guest_now_s() < end;) {
        guest_check(cudaEventRecord(chained, longer), "record");
        guest_check(cudaStreamWaitEvent(copying, chained, 0), "wait");
        guest_check(cudaMemcpyAsync(c.device, c.host, COPY_BYTES, cudaMemcpyHostToDevice, copying), "copy");
        guest_check(cudaEventRecord(done, copying), "record");
        for (int i = 0; i < CHAIN; i++)
            causal_chain<<<1, 32, 0, longer>>>(CHAIN_US);
        guest_check(cudaStreamWaitEvent(longer, done, 0), "wait");
    }
    guest_check(cudaDeviceSynchronize(), "end");
    printf("copy_hidden\n");
    return 0;
}

/* Each kernel waits for the copy in front of it, and the next copy for the kernel. */
static int run_copy_exposed(const char *argument)
{
    const struct copied c = new_copied();
    cudaStream_t stream = new_stream();
    for (const double end = end_after(argument); guest_now_s() < end;) {
        guest_check(cudaMemcpyAsync(c.device, c.host, COPY_BYTES, cudaMemcpyHostToDevice, stream), "copy");
        causal_link<<<1, 32, 0, stream>>>(LINK_US);
    }
    guest_check(cudaDeviceSynchronize(), "end");
    printf("copy_exposed\n");
    return 0;
}

extern const struct guest guests_causal[] = {
    {"beside", "runs a chain of kernels, and a short one beside it, for so many seconds", run_beside},
    {"chain", "runs two kernels in turns on one stream, for so many seconds", run_chain},
    {"copy_exposed", "copies and computes in turns on one stream, for so many seconds", run_copy_exposed},
    {"copy_hidden", "copies beside a chain of kernels, for so many seconds", run_copy_hidden},
    {"host", "keeps the GPU waiting, for so many seconds", run_host},
};
extern const size_t guests_causal_count = sizeof guests_causal / sizeof guests_causal[0];
