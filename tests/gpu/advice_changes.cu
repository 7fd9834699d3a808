/* How long does an item take, before and after a change as people make it to their programs?
 *
 * usage: advice_changes CHANGE before|after SECONDS           prints the mean time of an item, in ns
 *        advice_changes rate h2d|d2h|launch|graph SECONDS     prints that of a copy of pinned memory, or of the host
 *                                                             for a launch of a kernel or of a graph, in ns
 *
 *  - fuse: the second of two kernels becomes part of the first: 100 and 30 us, then 100
 *  - stream: the second of two kernels moves to a stream of its own, joined each item: 60 and 100 us
 *  - copy-stream: a copy to the GPU moves to a stream of its own, joined each item, beside a kernel of 200 us
 *  - pinned-h2d: a copy to the GPU is of pinned memory; then a kernel of 400 us
 *  - pinned-d2h: the same, from the GPU behind the kernel
 *  - batch: two items a launch: the host works for 200 us a launch, and a kernel for 40 us an item
 *  - batch-busy: the same where a kernel works for 300 us an item
 *  - graph: five launches are one of a graph: the host works for 100 us, and for 20 us before each launch of 5 us
 *  - graph-busy: the same with kernels of 60 us
 *  - shorter: the first of two kernels takes 80 us instead of 100, before one of 30 us
 *  - host: the host works for 200 us instead of 300, beside a kernel of 50 us
 *  - beside: a kernel takes 45 us instead of 60, three times, beside one of 40 us
 */
#include <stdbool.h>
#include <string.h>

#include "tests/gpu/advice_kernels.cuh"

enum { COPY_BYTES = 4 << 20, ITEMS_QUEUED = 64, GRAPH_KERNELS = 5 };

static struct {
    cudaStream_t main, other;
    cudaEvent_t forked, joined;
    void *device, *pinned, *pageable;
    cudaGraphExec_t graph;
    bool after;
} s;

static void work_on_host(int us)
{
    for (const int64_t end_ns = now_ns() + 1000 * (int64_t)us; now_ns() < end_ns;) {
    }
}

static void first(int us)
{
    advice_first<<<1, 32, 0, s.main>>>(us);
}

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

/* Each returns how many items it was. */
static int item_fuse(void)
{
    first(100);
    if (!s.after)
        advice_second<<<1, 32, 0, s.main>>>(30);
    return 1;
}

static int item_stream(void)
{
    if (s.after)
        fork_other();
    advice_second<<<1, 32, 0, s.after ? s.other : s.main>>>(60);
    first(100);
    if (s.after)
        join_other();
    return 1;
}

static int item_copy_stream(void)
{
    if (s.after)
        fork_other();
    check(cudaMemcpyAsync(s.device, s.pinned, COPY_BYTES, cudaMemcpyHostToDevice, s.after ? s.other : s.main));
    first(200);
    if (s.after)
        join_other();
    return 1;
}

static int item_pinned_h2d(void)
{
    check(cudaMemcpyAsync(s.device, s.after ? s.pinned : s.pageable, COPY_BYTES, cudaMemcpyHostToDevice, s.main));
    first(400);
    return 1;
}

static int item_pinned_d2h(void)
{
    first(400);
    check(cudaMemcpyAsync(s.after ? s.pinned : s.pageable, s.device, COPY_BYTES, cudaMemcpyDeviceToHost, s.main));
    return 1;
}

static int launch_batch(int us)
{
    const int items = s.after ? 2 : 1;
    work_on_host(200);
    first(items * us);
    return items;
}

static int item_batch(void)
{
    return launch_batch(40);
}

static int item_batch_busy(void)
{
    return launch_batch(300);
}

static void make_graph(int us)
{
    cudaGraph_t graph;
    if (s.graph)
        return;
    check(cudaStreamBeginCapture(s.main, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < GRAPH_KERNELS; i++)
        first(us);
    check(cudaStreamEndCapture(s.main, &graph));
    check(cudaGraphInstantiate(&s.graph, graph, 0));
}

static int launch_graph(int us)
{
    work_on_host(100);
    if (s.after) {
        make_graph(us);
        work_on_host(20);
        check(cudaGraphLaunch(s.graph, s.main));
        return 1;
    }
    for (int i = 0; i < GRAPH_KERNELS; i++) {
        work_on_host(20);
        first(us);
    }
    return 1;
}

static int item_graph(void)
{
    return launch_graph(5);
}

static int item_graph_busy(void)
{
    return launch_graph(60);
}

static int item_shorter(void)
{
    first(s.after ? 80 : 100);
    advice_second<<<1, 32, 0, s.main>>>(30);
    return 1;
}

static int item_host(void)
{
    work_on_host(s.after ? 200 : 300);
    first(50);
    return 1;
}

static int item_beside(void)
{
    fork_other();
    advice_second<<<1, 32, 0, s.other>>>(40);
    for (int i = 0; i < 3; i++)
        first(s.after ? 45 : 60);
    join_other();
    return 1;
}

static const struct {
    const char *name;
    int (*item)(void);
} changes[] = {{"fuse", item_fuse},
               {"stream", item_stream},
               {"copy-stream", item_copy_stream},
               {"pinned-h2d", item_pinned_h2d},
               {"pinned-d2h", item_pinned_d2h},
               {"batch", item_batch},
               {"batch-busy", item_batch_busy},
               {"graph", item_graph},
               {"graph-busy", item_graph_busy},
               {"shorter", item_shorter},
               {"host", item_host},
               {"beside", item_beside}};

static void run(int (*item)(void), double seconds)
{
    int64_t items = 0;
    const int64_t begin_ns = now_ns();
    while (now_ns() - begin_ns < (int64_t)(seconds * 1e9)) {
        for (int i = 0; i < ITEMS_QUEUED; i++)
            items += item();
        check(cudaDeviceSynchronize());
    }
    printf("%lld\n", (long long)((now_ns() - begin_ns) / items));
}

/* ---- what parts take on this machine ---- */

static int copy_to(void)
{
    check(cudaMemcpyAsync(s.device, s.pinned, COPY_BYTES, cudaMemcpyHostToDevice, s.main));
    return 1;
}

static int copy_back(void)
{
    check(cudaMemcpyAsync(s.pinned, s.device, COPY_BYTES, cudaMemcpyDeviceToHost, s.main));
    return 1;
}

static void launch_one(void)
{
    first(1);
}

static void launch_graph_alone(void)
{
    check(cudaGraphLaunch(s.graph, s.main));
}

/* The host's time alone. */
static void run_launches(void (*launch)(void), double seconds)
{
    int64_t launches = 0, spent_ns = 0;
    make_graph(1);
    for (const int64_t begin_ns = now_ns(); now_ns() - begin_ns < (int64_t)(seconds * 1e9);) {
        const int64_t from_ns = now_ns();
        for (int i = 0; i < ITEMS_QUEUED; i++)
            launch();
        spent_ns += now_ns() - from_ns;
        launches += ITEMS_QUEUED;
        check(cudaDeviceSynchronize());
    }
    printf("%lld\n", (long long)(spent_ns / launches));
}

static bool run_rate(const char *what, double seconds)
{
    if (!strcmp(what, "h2d"))
        run(copy_to, seconds);
    else if (!strcmp(what, "d2h"))
        run(copy_back, seconds);
    else if (!strcmp(what, "launch"))
        run_launches(launch_one, seconds);
    else if (!strcmp(what, "graph"))
        run_launches(launch_graph_alone, seconds);
    else
        return false;
    return true;
}

int main(int argc, char **argv)
{
    check(cudaStreamCreateWithFlags(&s.main, cudaStreamNonBlocking));
    check(cudaStreamCreateWithFlags(&s.other, cudaStreamNonBlocking));
    check(cudaEventCreateWithFlags(&s.forked, cudaEventDisableTiming));
    check(cudaEventCreateWithFlags(&s.joined, cudaEventDisableTiming));
    check(cudaMalloc(&s.device, COPY_BYTES));
    check(cudaMallocHost(&s.pinned, COPY_BYTES));
    s.pageable = calloc(1, COPY_BYTES);
    if (argc == 4 && !strcmp(argv[1], "rate") && run_rate(argv[2], atof(argv[3])))
        return 0;
    for (size_t i = 0; argc == 4 && i < sizeof changes / sizeof changes[0]; i++)
        if (!strcmp(argv[1], changes[i].name)) {
            s.after = !strcmp(argv[2], "after");
            run(changes[i].item, atof(argv[3]));
            check(cudaGetLastError());
            return 0;
        }
    fprintf(stderr, "usage: advice_changes CHANGE before|after SECONDS\n");
    return 2;
}
