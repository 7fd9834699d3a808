/* How long does an item take, before and after a change as people make it to their programs?
 *
 * usage: advice_changes SIZES CHANGE before|after SECONDS            the mean time of an item, in ns
 *        advice_changes SIZES rate h2d|d2h SECONDS                   that of a copy of pinned memory
 *        advice_changes SIZES rate launches|graph SECONDS            that of the host, for the launches that a graph
 *                                                                    replaces, or for its one
 *
 * SIZES is 1 or 2: the same changes with other times, sizes of copies, batches and numbers of launches. Those of 2
 * stand in parentheses.
 *
 *  - fuse: the second of two kernels becomes part of the first: 100 and 30 us, then 100 (140 and 70)
 *  - stream: the second of two kernels moves to a stream of its own, joined each item: 60 and 100 us (45 and 150)
 *  - copy-stream: a copy to the GPU of 4 MiB (8) moves to a stream of its own, joined each item, beside a kernel of
 *    200 us (350)
 *  - pinned-h2d: a copy to the GPU is of pinned memory; then a kernel of 400 us (500)
 *  - pinned-d2h: the same, from the GPU behind the kernel (600)
 *  - batch: two items (four) a launch: the host works for 200 us (160) a launch, and a kernel for 40 us (25) an item
 *  - batch-busy: the same where a kernel works for 300 us (250) an item
 *  - graph: five launches (six) are one of a graph: the host works for 100 us (40), and for 20 us (25) before each
 *    launch of 5 us (6)
 *  - graph-busy: the same with kernels of 60 us (120)
 *  - shorter: the first of two kernels takes 80 us instead of 100 (105 instead of 150), before one of 30 us (60)
 *  - host: the host works for 200 us instead of 300 (190 instead of 250), beside a kernel of 50 us (80)
 *  - beside: a kernel takes 45 us instead of 60, three times (35 instead of 50, four times), beside one of 40 us (100)
 */
#include <stdbool.h>
#include <string.h>

#include "tests/gpu/advice_kernels.cuh"

enum { ITEMS_QUEUED = 64 };

static struct {
    cudaStream_t main, other;
    cudaEvent_t forked, joined;
    void *device, *pinned, *pageable;
    cudaGraphExec_t graph;
    bool is_second, after;
} s;

/* Of the chosen SIZES. */
static int sized(int first, int second)
{
    return s.is_second ? second : first;
}

static int copy_bytes(void)
{
    return sized(4, 8) << 20;
}

static int graph_kernels(void)
{
    return sized(5, 6);
}

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
    first(sized(100, 140));
    if (!s.after)
        advice_second<<<1, 32, 0, s.main>>>(sized(30, 70));
    return 1;
}

static int item_stream(void)
{
    if (s.after)
        fork_other();
    advice_second<<<1, 32, 0, s.after ? s.other : s.main>>>(sized(60, 45));
    first(sized(100, 150));
    if (s.after)
        join_other();
    return 1;
}

static int item_copy_stream(void)
{
    if (s.after)
        fork_other();
    check(cudaMemcpyAsync(s.device, s.pinned, copy_bytes(), cudaMemcpyHostToDevice, s.after ? s.other : s.main));
    first(sized(200, 350));
    if (s.after)
        join_other();
    return 1;
}

static int item_pinned_h2d(void)
{
    check(cudaMemcpyAsync(s.device, s.after ? s.pinned : s.pageable, copy_bytes(), cudaMemcpyHostToDevice, s.main));
    first(sized(400, 500));
    return 1;
}

static int item_pinned_d2h(void)
{
    first(sized(400, 600));
    check(cudaMemcpyAsync(s.after ? s.pinned : s.pageable, s.device, copy_bytes(), cudaMemcpyDeviceToHost, s.main));
    return 1;
}

static int launch_batch(int us)
{
    const int items = s.after ? sized(2, 4) : 1;
    work_on_host(sized(200, 160));
    first(items * us);
    return items;
}

static int item_batch(void)
{
    return launch_batch(sized(40, 25));
}

static int item_batch_busy(void)
{
    return launch_batch(sized(300, 250));
}

static void make_graph(int us)
{
    cudaGraph_t graph;
    if (s.graph)
        return;
    check(cudaStreamBeginCapture(s.main, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < graph_kernels(); i++)
        first(us);
    check(cudaStreamEndCapture(s.main, &graph));
    check(cudaGraphInstantiate(&s.graph, graph, 0));
}

static int launch_graph(int us)
{
    work_on_host(sized(100, 40));
    if (s.after) {
        make_graph(us);
        work_on_host(sized(20, 25));
        check(cudaGraphLaunch(s.graph, s.main));
        return 1;
    }
    for (int i = 0; i < graph_kernels(); i++) {
        work_on_host(sized(20, 25));
        first(us);
    }
    return 1;
}

static int item_graph(void)
{
    return launch_graph(sized(5, 6));
}

static int item_graph_busy(void)
{
    return launch_graph(sized(60, 120));
}

static int item_shorter(void)
{
    first(s.after ? sized(80, 105) : sized(100, 150));
    advice_second<<<1, 32, 0, s.main>>>(sized(30, 60));
    return 1;
}

static int item_host(void)
{
    work_on_host(s.after ? sized(200, 190) : sized(300, 250));
    first(sized(50, 80));
    return 1;
}

static int item_beside(void)
{
    fork_other();
    advice_second<<<1, 32, 0, s.other>>>(sized(40, 100));
    for (int i = 0; i < sized(3, 4); i++)
        first(s.after ? sized(45, 35) : sized(60, 50));
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
    check(cudaMemcpyAsync(s.device, s.pinned, copy_bytes(), cudaMemcpyHostToDevice, s.main));
    return 1;
}

static int copy_back(void)
{
    check(cudaMemcpyAsync(s.pinned, s.device, copy_bytes(), cudaMemcpyDeviceToHost, s.main));
    return 1;
}

static void launch_kernels(void)
{
    for (int i = 0; i < graph_kernels(); i++)
        first(1);
}

static void launch_graph_alone(void)
{
    check(cudaGraphLaunch(s.graph, s.main));
}

/* The host's time alone. */
static void run_launches(void (*launch)(void), double seconds)
{
    int64_t times = 0, spent_ns = 0;
    make_graph(1);
    for (const int64_t begin_ns = now_ns(); now_ns() - begin_ns < (int64_t)(seconds * 1e9);) {
        const int64_t from_ns = now_ns();
        for (int i = 0; i < ITEMS_QUEUED; i++)
            launch();
        spent_ns += now_ns() - from_ns;
        times += ITEMS_QUEUED;
        check(cudaDeviceSynchronize());
    }
    printf("%lld\n", (long long)(spent_ns / times));
}

static bool run_rate(const char *what, double seconds)
{
    if (!strcmp(what, "h2d"))
        run(copy_to, seconds);
    else if (!strcmp(what, "d2h"))
        run(copy_back, seconds);
    else if (!strcmp(what, "launches"))
        run_launches(launch_kernels, seconds);
    else if (!strcmp(what, "graph"))
        run_launches(launch_graph_alone, seconds);
    else
        return false;
    return true;
}

static void make_ready(void)
{
    check(cudaStreamCreateWithFlags(&s.main, cudaStreamNonBlocking));
    check(cudaStreamCreateWithFlags(&s.other, cudaStreamNonBlocking));
    check(cudaEventCreateWithFlags(&s.forked, cudaEventDisableTiming));
    check(cudaEventCreateWithFlags(&s.joined, cudaEventDisableTiming));
    check(cudaMalloc(&s.device, copy_bytes()));
    check(cudaMallocHost(&s.pinned, copy_bytes()));
    s.pageable = calloc(1, copy_bytes());
}

static bool run_asked(const char *change, const char *which, double seconds)
{
    if (!strcmp(change, "rate"))
        return run_rate(which, seconds);
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++)
        if (!strcmp(change, changes[i].name)) {
            s.after = !strcmp(which, "after");
            run(changes[i].item, seconds);
            return true;
        }
    return false;
}

int main(int argc, char **argv)
{
    if (argc == 5 && (!strcmp(argv[1], "1") || !strcmp(argv[1], "2"))) {
        s.is_second = !strcmp(argv[1], "2");
        make_ready();
        if (run_asked(argv[2], argv[3], atof(argv[4]))) {
            check(cudaGetLastError());
            return 0;
        }
    }
    fprintf(stderr, "usage: advice_changes 1|2 CHANGE before|after SECONDS\n");
    return 2;
}
