/* What makes a launch in a graph take longer: whose memory it uses, another stream of its process, or another process
 * that has the device? A line for each: "mapped memory, 1 stream, another process: 1234.5 ns a launch". The judge apart
 * is the second of these, inside the third. Exit status 0: all were timed. */
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SLOTS = 8, VALUES = 1 << 17, THREADS = 128, BLOCKS = 256, LAUNCHES = 100, REPLAYS = 200 };

static const size_t slot_bytes = 2 * VALUES * sizeof(float);

struct setting {
    int is_mapped, streams, has_company;
};

static const struct setting settings[] = {{0, 1, 0}, {1, 1, 1}, {0, 2, 0}, {0, 1, 1}, {0, 2, 1}, {1, 2, 1}};

struct message {
    int status;
    cudaIpcMemHandle_t handle;
};

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        const cudaError_t status = (call);                                                                             \
        if (status) {                                                                                                  \
            printf("%s: %s\n", #call, cudaGetErrorString(status));                                                     \
            return 1;                                                                                                  \
        }                                                                                                              \
    } while (0)

/* Each block reads and writes a part of the slot twice, as a softmax of rows does. */
static __global__ void gaps_rows(float *slot)
{
    float sum = 0;
    for (int i = (int)threadIdx.x; i < VALUES / BLOCKS; i += THREADS)
        sum += slot[blockIdx.x * (VALUES / BLOCKS) + i];
    for (int i = (int)threadIdx.x; i < VALUES / BLOCKS; i += THREADS)
        slot[VALUES + blockIdx.x * (VALUES / BLOCKS) + i] = slot[blockIdx.x * (VALUES / BLOCKS) + i] * 0.5f + sum;
}

/* Allocates what the other process maps, and has the device until that one ends. */
static int keep_company(int socket)
{
    struct message m = {};
    void *memory = NULL;
    m.status = (int)cudaSetDevice(0);
    if (!m.status)
        m.status = (int)cudaMalloc(&memory, SLOTS * slot_bytes);
    if (!m.status)
        m.status = (int)cudaMemset(memory, 0, SLOTS * slot_bytes);
    if (!m.status)
        m.status = (int)cudaDeviceSynchronize();
    if (!m.status)
        m.status = (int)cudaIpcGetMemHandle(&m.handle, memory);
    if (write(socket, &m, sizeof m) != sizeof m)
        return 1;
    return read(socket, &m, sizeof m) != 0;
}

static int capture(cudaStream_t stream, float *memory, cudaGraphExec_t *out)
{
    cudaGraph_t graph;
    unsigned slot = 0;
    TRY(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < LAUNCHES; i++) {
        slot = (slot * 5 + 3) % SLOTS;
        gaps_rows<<<BLOCKS, THREADS, 0, stream>>>(memory + slot * 2 * VALUES);
    }
    TRY(cudaStreamEndCapture(stream, &graph));
    TRY(cudaGraphInstantiate(out, graph, 0));
    return 0;
}

static int by_value(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static int time_graph(const struct setting *s, float *memory)
{
    static float ms[REPLAYS];
    cudaStream_t stream, other;
    cudaEvent_t begin, end;
    cudaGraphExec_t graph;
    TRY(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    if (s->streams > 1) { /* used once, as the judge uses its own before the launches */
        TRY(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
        TRY(cudaMemsetAsync(memory, 0, SLOTS * slot_bytes, other));
        TRY(cudaStreamSynchronize(other));
    }
    TRY(cudaEventCreate(&begin));
    TRY(cudaEventCreate(&end));
    if (capture(stream, memory, &graph))
        return 1;
    for (int i = 0; i < 2 * REPLAYS; i++) { /* the first half warms up */
        TRY(cudaEventRecord(begin, stream));
        TRY(cudaGraphLaunch(graph, stream));
        TRY(cudaEventRecord(end, stream));
        TRY(cudaStreamSynchronize(stream));
        TRY(cudaEventElapsedTime(&ms[i % REPLAYS], begin, end));
    }
    qsort(ms, REPLAYS, sizeof *ms, by_value);
    printf("%s memory, %d stream%s, %s: %.1f ns a launch\n", s->is_mapped ? "mapped" : "own", s->streams,
           s->streams > 1 ? "s" : "", s->has_company ? "another process" : "alone", ms[REPLAYS / 2] * 1e6 / LAUNCHES);
    return 0;
}

static int measure(const struct setting *s, int socket)
{
    struct message m = {};
    void *memory = NULL;
    if (s->has_company && (read(socket, &m, sizeof m) != sizeof m || m.status)) {
        printf("the other process failed: %s\n", cudaGetErrorString((cudaError_t)m.status));
        return 1;
    }
    TRY(cudaSetDevice(0));
    if (s->is_mapped)
        TRY(cudaIpcOpenMemHandle(&memory, m.handle, cudaIpcMemLazyEnablePeerAccess));
    else
        TRY(cudaMalloc(&memory, SLOTS * slot_bytes));
    return time_graph(s, (float *)memory);
}

/* Both processes are forked before either uses CUDA. */
static int measure_one(const struct setting *s)
{
    int ends[2], status = 1;
    pid_t company = 0;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends))
        return 1;
    fflush(stdout);
    if (s->has_company && !(company = fork())) {
        close(ends[1]);
        _exit(keep_company(ends[0]));
    }
    const pid_t measuring = fork();
    if (!measuring) {
        close(ends[0]);
        const int failed = measure(s, ends[1]);
        fflush(stdout);
        _exit(failed);
    }
    close(ends[0]);
    close(ends[1]);
    waitpid(measuring, &status, 0);
    if (company)
        waitpid(company, NULL, 0);
    return status;
}

int main(void)
{
    int failed = 0;
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        failed |= measure_one(&settings[i]);
    return failed != 0;
}
