/* Do launches take longer once kernels ran in two streams of their process, and no longer when another process has had
 * the device? Each setting has a process of its own, and a line with the times of two turns:
 * "fresh: 530.1 530.4 ns a launch in a graph, 1311.0 1311.2 ns queued". The last line says what was found. Exit status
 * 0: so it is on this GPU. 1: it is not. 2: something could not be timed. */
#include <cuda_runtime.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LAUNCHES = 100, REPLAYS = 30, QUEUED = 400, QUEUES = 10, TURNS = 2, MANY = 100000, FEW = 10, ROUNDS = 100 };
enum { BYTES = 1 << 20, HOLD_CYCLES = 6000000 }; /* 3 ms and more: the host needs 1 ms to queue its calls */

/* Times of graphs differ by less from one process to another, and by more from what is looked for. */
static const double longer = 1.1;

struct process {
    cudaStream_t own, other; /* the first one has the launches that are timed */
    cudaEvent_t begin, end;
    char *memory, *host;
    int neighbour; /* a socket to another process, which has not used the device yet */
};

struct times {
    double graph_ns, queued_ns; /* a launch */
};

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        const cudaError_t status = (call);                                                                             \
        if (status) {                                                                                                  \
            printf("%s: %s\n", #call, cudaGetErrorString(status));                                                     \
            return 1;                                                                                                  \
        }                                                                                                              \
    } while (0)

static __global__ void gaps_empty()
{
}

static __global__ void gaps_hold(long long cycles)
{
    const long long begin = clock64();
    while (clock64() - begin < cycles)
        ;
}

/* ---- what happens before launches are timed ---- */

static int call(cudaStream_t stream, int count)
{
    for (int i = 0; i < count; i++)
        gaps_empty<<<1, 32, 0, stream>>>();
    TRY(cudaGetLastError());
    TRY(cudaStreamSynchronize(stream));
    return 0;
}

static int do_nothing(struct process *)
{
    return 0;
}

static int call_in_one(struct process *p)
{
    return call(p->own, MANY);
}

static int call_in_two(struct process *p)
{
    return call(p->own, FEW) || call(p->other, FEW);
}

/* A fill of this size is a kernel; one of a few bytes is not. */
static int fill_beside(struct process *p)
{
    for (int i = 0; i < ROUNDS; i++) {
        TRY(cudaMemsetAsync(p->memory, 0, BYTES, p->other));
        if (call(p->own, FEW))
            return 1;
    }
    return 0;
}

static int copy_beside(struct process *p)
{
    for (int i = 0; i < ROUNDS; i++) {
        TRY(cudaMemcpyAsync(p->memory, p->host, BYTES, cudaMemcpyHostToDevice, p->other));
        TRY(cudaMemcpyAsync(p->host, p->memory, BYTES, cudaMemcpyDeviceToHost, p->other));
        if (call(p->own, FEW))
            return 1;
    }
    return 0;
}

static int turn_to_neighbour(struct process *p)
{
    char word = 0;
    if (call_in_two(p))
        return 1;
    if (write(p->neighbour, &word, 1) == 1 && read(p->neighbour, &word, 1) == 1)
        return 0;
    printf("the other process failed\n");
    return 1;
}

static const struct setting {
    const char *is;
    bool is_longer;
    int (*before)(struct process *p);
} settings[] = {
    {"fresh", false, do_nothing},
    {"100,000 calls in one stream", false, call_in_one},
    {"10 calls in each of two streams", true, call_in_two},
    {"calls, large fills in another stream", true, fill_beside},
    {"calls, copies from and to the host in another stream", false, copy_beside},
    {"10 calls in each of two streams, then one of another process", false, turn_to_neighbour},
};

enum { SETTINGS = sizeof settings / sizeof settings[0] };

/* One empty kernel whenever a word comes. */
static int be_neighbour(int socket)
{
    char word;
    while (read(socket, &word, 1) == 1) {
        gaps_empty<<<1, 1>>>();
        TRY(cudaDeviceSynchronize());
        if (write(socket, &word, 1) != 1)
            return 1;
    }
    return 0;
}

/* ---- times ---- */

static int by_value(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static double median(float *ms, int count)
{
    qsort(ms, count, sizeof *ms, by_value);
    return ms[count / 2];
}

static int capture(cudaStream_t stream, cudaGraphExec_t *out)
{
    cudaGraph_t graph;
    TRY(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < LAUNCHES; i++)
        gaps_empty<<<1, 32, 0, stream>>>();
    TRY(cudaStreamEndCapture(stream, &graph));
    TRY(cudaGraphInstantiate(out, graph, 0));
    return 0;
}

static int time_graph(const struct process *p, double *ns)
{
    float ms[REPLAYS];
    cudaGraphExec_t graph;
    if (capture(p->own, &graph))
        return 1;
    for (int i = 0; i < 2 * REPLAYS; i++) { /* the first half warms up */
        TRY(cudaEventRecord(p->begin, p->own));
        TRY(cudaGraphLaunch(graph, p->own));
        TRY(cudaEventRecord(p->end, p->own));
        TRY(cudaStreamSynchronize(p->own));
        TRY(cudaEventElapsedTime(&ms[i % REPLAYS], p->begin, p->end));
    }
    *ns = median(ms, REPLAYS) * 1e6 / LAUNCHES;
    return 0;
}

/* All calls stand behind a kernel that is not over when the last one is queued. */
static int time_queue(const struct process *p, double *ns)
{
    float ms[QUEUES];
    for (int i = 0; i < QUEUES; i++) {
        gaps_hold<<<1, 1, 0, p->own>>>(HOLD_CYCLES);
        TRY(cudaEventRecord(p->begin, p->own));
        for (int k = 0; k < QUEUED; k++)
            gaps_empty<<<1, 32, 0, p->own>>>();
        TRY(cudaEventRecord(p->end, p->own));
        const bool is_queued = cudaEventQuery(p->begin) == cudaErrorNotReady;
        TRY(cudaStreamSynchronize(p->own));
        TRY(cudaEventElapsedTime(&ms[i], p->begin, p->end));
        if (!is_queued) {
            printf("the host is too slow: its calls were not queued behind each other\n");
            return 1;
        }
    }
    *ns = median(ms, QUEUES) * 1e6 / QUEUED;
    return 0;
}

static int open_device(struct process *p)
{
    TRY(cudaSetDevice(0));
    TRY(cudaMalloc(&p->memory, BYTES));
    p->host = (char *)calloc(1, BYTES);
    TRY(p->host ? cudaSuccess : cudaErrorMemoryAllocation);
    TRY(cudaStreamCreateWithFlags(&p->own, cudaStreamNonBlocking));
    TRY(cudaStreamCreateWithFlags(&p->other, cudaStreamNonBlocking));
    TRY(cudaEventCreate(&p->begin));
    TRY(cudaEventCreate(&p->end));
    return 0;
}

static int measure(const struct setting *s, int neighbour, struct times *out)
{
    struct process p = {};
    p.neighbour = neighbour;
    if (open_device(&p) || s->before(&p))
        return 1;
    TRY(cudaDeviceSynchronize());
    return time_graph(&p, &out->graph_ns) || time_queue(&p, &out->queued_ns);
}

/* Both processes are forked before either uses CUDA. The times come back in memory that they share. */
static int measure_one(const struct setting *s, struct times *out)
{
    int ends[2], status = 1;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends))
        return 1;
    fflush(stdout);
    const pid_t neighbour = fork();
    if (!neighbour) {
        close(ends[1]);
        const int failed = be_neighbour(ends[0]);
        fflush(stdout);
        _exit(failed);
    }
    close(ends[0]);
    const pid_t measuring = fork();
    if (!measuring) {
        const int failed = measure(s, ends[1], out);
        fflush(stdout);
        _exit(failed);
    }
    close(ends[1]);
    waitpid(measuring, &status, 0);
    waitpid(neighbour, NULL, 0);
    return status;
}

/* ---- what was found ---- */

static bool is_as_described(const struct times *of_turn)
{
    bool as_described = true;
    for (int i = 0; i < SETTINGS; i++)
        as_described &= (of_turn[i].graph_ns > longer * of_turn[0].graph_ns) == settings[i].is_longer;
    return as_described;
}

static void print(const struct times *t)
{
    for (int i = 0; i < SETTINGS; i++)
        printf("%s: %.1f %.1f ns a launch in a graph, %.1f %.1f ns queued\n", settings[i].is, t[i].graph_ns,
               t[i + SETTINGS].graph_ns, t[i].queued_ns, t[i + SETTINGS].queued_ns);
}

int main(void)
{
    struct times *t = (struct times *)mmap(NULL, TURNS * SETTINGS * sizeof *t, PROT_READ | PROT_WRITE,
                                           MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (t == MAP_FAILED)
        return 2;
    for (int i = 0; i < TURNS * SETTINGS; i++)
        if (measure_one(&settings[i % SETTINGS], &t[i])) {
            printf("not timed: %s\n", settings[i % SETTINGS].is);
            return 2;
        }
    print(t);
    const bool as_described = is_as_described(t) && is_as_described(t + SETTINGS);
    puts(as_described
             ? "here kernels in two streams make launches in graphs longer, until another process has the device"
             : "here launches in graphs do not depend on streams and other processes in that way");
    return !as_described;
}
