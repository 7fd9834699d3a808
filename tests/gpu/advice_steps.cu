/* How long does a step take of programs in which it is known what a kernel's time is worth?
 *
 * usage: advice_steps PROGRAM SECONDS FIRST_US SECOND_US      prints the mean time of a step, in ns
 *
 *   beside   three kernels `first` on one stream, `second` on another, joined each step
 *   chain    `first` and `second` in turns on one stream
 *   host     the host works for SECOND_US, then launches `first`
 *   copy     a copy of 8 MiB to the GPU beside `first`, then `second` */
#include <string.h>

#include "tests/gpu/advice_kernels.cuh"

enum { COPY_BYTES = 8 << 20, STEPS_QUEUED = 64 };

static struct {
    cudaStream_t main, other;
    cudaEvent_t forked, joined;
    void *device, *host;
    int first_us, second_us;
} s;

static void fork_other(void)
{
    check(cudaEventRecord(s.forked, s.main));
    check(cudaStreamWaitEvent(s.other, s.forked, 0));
}

static void join_other(void)
{
    check(cudaEventRecord(s.joined, s.other));
    check(cudaStreamWaitEvent(s.main, s.joined, 0));
}

static void step_beside(void)
{
    fork_other();
    advice_second<<<1, 32, 0, s.other>>>(s.second_us);
    for (int i = 0; i < 3; i++)
        advice_first<<<1, 32, 0, s.main>>>(s.first_us);
    join_other();
}

static void step_chain(void)
{
    advice_first<<<1, 32, 0, s.main>>>(s.first_us);
    advice_second<<<1, 32, 0, s.main>>>(s.second_us);
}

static void step_host(void)
{
    for (const int64_t end_ns = now_ns() + 1000 * (int64_t)s.second_us; now_ns() < end_ns;) {
    }
    advice_first<<<1, 32, 0, s.main>>>(s.first_us);
}

static void step_copy(void)
{
    fork_other();
    check(cudaMemcpyAsync(s.device, s.host, COPY_BYTES, cudaMemcpyHostToDevice, s.other));
    advice_first<<<1, 32, 0, s.main>>>(s.first_us);
    join_other();
    advice_second<<<1, 32, 0, s.main>>>(s.second_us);
}

static const struct {
    const char *name;
    void (*step)(void);
} programs[] = {{"beside", step_beside}, {"chain", step_chain}, {"host", step_host}, {"copy", step_copy}};

static void run(void (*step)(void), double seconds)
{
    int64_t steps = 0;
    const int64_t begin_ns = now_ns();
    while (now_ns() - begin_ns < (int64_t)(seconds * 1e9)) {
        for (int i = 0; i < STEPS_QUEUED; i++)
            step();
        check(cudaDeviceSynchronize());
        steps += STEPS_QUEUED;
    }
    printf("%lld\n", (long long)((now_ns() - begin_ns) / steps));
}

int main(int argc, char **argv)
{
    check(cudaStreamCreateWithFlags(&s.main, cudaStreamNonBlocking));
    check(cudaStreamCreateWithFlags(&s.other, cudaStreamNonBlocking));
    check(cudaEventCreateWithFlags(&s.forked, cudaEventDisableTiming));
    check(cudaEventCreateWithFlags(&s.joined, cudaEventDisableTiming));
    check(cudaMalloc(&s.device, COPY_BYTES));
    check(cudaMallocHost(&s.host, COPY_BYTES));
    for (size_t i = 0; argc == 5 && i < sizeof programs / sizeof programs[0]; i++)
        if (!strcmp(argv[1], programs[i].name)) {
            s.first_us = atoi(argv[3]);
            s.second_us = atoi(argv[4]);
            run(programs[i].step, atof(argv[2]));
            check(cudaGetLastError());
            return 0;
        }
    fprintf(stderr, "usage: advice_steps beside|chain|host|copy SECONDS FIRST_US SECOND_US\n");
    return 2;
}
