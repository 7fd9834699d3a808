/* What makes a launch in a graph take longer: whose memory it uses, what another stream of its process did before, or
 * another process that has the device? A line for each setting, with a time for each of two turns, so that it is seen
 * what is noise: "mapped, no other stream, another process: 1234.5 1236.0 ns a launch (as apart)". Exit status 0: all
 * were timed. */
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SLOTS = 8, VALUES = 1 << 17, THREADS = 128, BLOCKS = 256, LAUNCHES = 100, REPLAYS = 150, TURNS = 2 };

static const size_t slot_bytes = 2 * VALUES * sizeof(float);

/* What was done in the process before the graph was made. */
enum before {
    NOTHING,
    IDLE,    /* another stream was created */
    FILLS,   /* and filled memory */
    COPIES,  /* and copied from and to the host, as the judge does */
    ENDED,   /* and was destroyed then */
    OWN,     /* the stream of the graph itself copied */
    DEFAULT, /* the default stream copied, as a runner does that looks at what it mapped */
    WAYS
};

static const char *const ways[WAYS] = {
    "no other stream",        "another idle stream", "another stream that filled",  "another stream that copied",
    "a stream that is ended", "copies of its own",   "a copy of the default stream"};

struct setting {
    int is_mapped;
    enum before before;
    int has_company;
    const char *is;
};

static const struct setting settings[] = {{1, DEFAULT, 1, " (as apart)"},
                                          {0, COPIES, 0, " (as inside)"},
                                          {0, NOTHING, 0, ""},
                                          {1, NOTHING, 1, ""},
                                          {0, NOTHING, 1, ""},
                                          {0, IDLE, 0, ""},
                                          {0, FILLS, 0, ""},
                                          {0, ENDED, 0, ""},
                                          {0, OWN, 0, ""},
                                          {0, DEFAULT, 0, ""},
                                          {0, COPIES, 1, ""},
                                          {1, COPIES, 1, ""}};

enum { SETTINGS = sizeof settings / sizeof settings[0] };

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

static int copy_both_ways(float *memory, cudaStream_t stream)
{
    static float host[VALUES];
    for (int i = 0; i < SLOTS; i++) {
        TRY(cudaMemcpyAsync(memory + i * 2 * VALUES, host, sizeof host, cudaMemcpyHostToDevice, stream));
        TRY(cudaMemcpyAsync(host, memory + i * 2 * VALUES, sizeof host, cudaMemcpyDeviceToHost, stream));
        TRY(cudaStreamSynchronize(stream));
    }
    return 0;
}

static int do_before(enum before before, float *memory, cudaStream_t own)
{
    cudaStream_t other;
    float found;
    if (before == NOTHING)
        return 0;
    if (before == OWN)
        return copy_both_ways(memory, own);
    if (before == DEFAULT) {
        TRY(cudaMemcpy(&found, memory, sizeof found, cudaMemcpyDeviceToHost));
        return 0;
    }
    TRY(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    if (before >= FILLS)
        TRY(cudaMemsetAsync(memory, 0, SLOTS * slot_bytes, other));
    if (before >= COPIES && copy_both_ways(memory, other))
        return 1;
    TRY(cudaStreamSynchronize(other));
    if (before == ENDED)
        TRY(cudaStreamDestroy(other));
    return 0;
}

static int time_graph(const struct setting *s, float *memory, double *out_ns)
{
    static float ms[REPLAYS];
    cudaStream_t stream;
    cudaEvent_t begin, end;
    cudaGraphExec_t graph;
    TRY(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    TRY(cudaEventCreate(&begin));
    TRY(cudaEventCreate(&end));
    if (do_before(s->before, memory, stream) || capture(stream, memory, &graph))
        return 1;
    for (int i = 0; i < 2 * REPLAYS; i++) { /* the first half warms up */
        TRY(cudaEventRecord(begin, stream));
        TRY(cudaGraphLaunch(graph, stream));
        TRY(cudaEventRecord(end, stream));
        TRY(cudaStreamSynchronize(stream));
        TRY(cudaEventElapsedTime(&ms[i % REPLAYS], begin, end));
    }
    qsort(ms, REPLAYS, sizeof *ms, by_value);
    *out_ns = ms[REPLAYS / 2] * 1e6 / LAUNCHES;
    return 0;
}

static int measure(const struct setting *s, int socket, double *out_ns)
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
    return time_graph(s, (float *)memory, out_ns);
}

/* Both processes are forked before either uses CUDA. The time comes back in memory that they share. */
static int measure_one(const struct setting *s, double *out_ns)
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
        const int failed = measure(s, ends[1], out_ns);
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
    double *ns =
        (double *)mmap(NULL, TURNS * SETTINGS * sizeof *ns, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (ns == MAP_FAILED)
        return 1;
    for (int i = 0; i < TURNS * SETTINGS && !failed; i++)
        failed |= measure_one(&settings[i % SETTINGS], &ns[i]);
    for (int i = 0; i < SETTINGS && !failed; i++)
        printf("%s, %s, %s: %.1f %.1f ns a launch%s\n", settings[i].is_mapped ? "mapped" : "own",
               ways[settings[i].before], settings[i].has_company ? "another process" : "alone", ns[i], ns[i + SETTINGS],
               settings[i].is);
    return failed != 0;
}
