/* Does this machine share device memory between two processes, also when one of them cannot be traced, and can a stream
 * of one wait for a word that the other writes? One line each: "traceable: shared", "untraceable: cudaIpcOpenMemHandle:
 * operation not supported", "gate: opened after 42 us". Exit status 0: all memory is shared. */
#define _GNU_SOURCE
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "collector/runner/judge/gate.h"

enum { BYTES = 2 << 20, PATTERN = 0x5a, CHANGED = 0x33, GATE_AT = 64, PATIENCE_US = 3000000, LOOK_US = 10 };

struct message {
    int status;
    const char *failed; /* of a fork: the same address in both processes */
    cudaIpcMemHandle_t handle;
};

#define TRY(m, call, name)                                                                                             \
    if (!(m)->status && ((m)->status = (call)))                                                                        \
    (m)->failed = name

/* Shares memory, and looks whether the other process changed it. */
static int export_memory(int socket, int is_dumpable)
{
    struct message m = {0};
    char *memory = NULL;
    unsigned char found = 0;
    if (!is_dumpable)
        prctl(PR_SET_DUMPABLE, 0);
    TRY(&m, cudaSetDevice(0), "cudaSetDevice");
    TRY(&m, cudaMalloc((void **)&memory, BYTES), "cudaMalloc");
    TRY(&m, cudaMemset(memory, PATTERN, BYTES), "cudaMemset");
    TRY(&m, cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    TRY(&m, cudaIpcGetMemHandle(&m.handle, memory), "cudaIpcGetMemHandle");
    if (write(socket, &m, sizeof m) != sizeof m || m.status || read(socket, &m, sizeof m) != sizeof m)
        return 1;
    TRY(&m, cudaMemcpy(&found, memory + BYTES - 1, 1, cudaMemcpyDeviceToHost), "cudaMemcpy in the first process");
    if (!m.status && found != CHANGED)
        m.status = cudaErrorUnknown, m.failed = "what the second process wrote is not there";
    return write(socket, &m, sizeof m) != sizeof m;
}

static struct message import_memory(int socket)
{
    struct message m = {0};
    char *memory = NULL;
    unsigned char found = 0;
    if (read(socket, &m, sizeof m) != sizeof m)
        return (struct message){.status = cudaErrorUnknown, .failed = "the first process ended"};
    TRY(&m, cudaSetDevice(0), "cudaSetDevice in the second process");
    TRY(&m, cudaIpcOpenMemHandle((void **)&memory, m.handle, cudaIpcMemLazyEnablePeerAccess), "cudaIpcOpenMemHandle");
    TRY(&m, cudaMemcpy(&found, memory, 1, cudaMemcpyDeviceToHost), "cudaMemcpy in the second process");
    if (!m.status && found != PATTERN)
        m.status = cudaErrorUnknown, m.failed = "other memory is mapped";
    TRY(&m, cudaMemset(memory, CHANGED, BYTES), "cudaMemset in the second process");
    TRY(&m, cudaDeviceSynchronize(), "cudaDeviceSynchronize in the second process");
    if (memory)
        TRY(&m, cudaIpcCloseMemHandle(memory), "cudaIpcCloseMemHandle");
    if (!m.status && (write(socket, &m, sizeof m) != sizeof m || read(socket, &m, sizeof m) != sizeof m))
        m.status = cudaErrorUnknown, m.failed = "the first process ended";
    return m;
}

static long now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000L + now.tv_nsec / 1000;
}

/* Opens the gate when the other process says that its stream waits. */
static int export_gate(int socket, int unused)
{
    struct message m = {0};
    char *memory = NULL;
    const unsigned open = 1;
    (void)unused;
    TRY(&m, cudaSetDevice(0), "cudaSetDevice");
    TRY(&m, cudaMalloc((void **)&memory, BYTES), "cudaMalloc");
    TRY(&m, cudaMemset(memory, 0, BYTES), "cudaMemset");
    TRY(&m, cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    TRY(&m, cudaIpcGetMemHandle(&m.handle, memory), "cudaIpcGetMemHandle");
    if (write(socket, &m, sizeof m) != sizeof m || m.status || read(socket, &m, sizeof m) != sizeof m)
        return 1;
    TRY(&m, cudaMemcpy(memory + GATE_AT, &open, sizeof open, cudaMemcpyHostToDevice), "cudaMemcpy to the gate");
    return read(socket, &m, sizeof m) != 0; /* the memory stays until the other process ends */
}

static struct message import_gate(int socket)
{
    struct message m = {0};
    char *memory = NULL;
    cudaStream_t stream = NULL;
    if (read(socket, &m, sizeof m) != sizeof m)
        return (struct message){.status = cudaErrorUnknown, .failed = "the first process ended"};
    TRY(&m, cudaSetDevice(0), "cudaSetDevice in the second process");
    TRY(&m, cudaIpcOpenMemHandle((void **)&memory, m.handle, cudaIpcMemLazyEnablePeerAccess), "cudaIpcOpenMemHandle");
    TRY(&m, cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    TRY(&m, gate_wait(stream, memory + GATE_AT, 1), "cuStreamWaitValue32 of mapped memory");
    TRY(&m, cudaMemsetAsync(memory, 1, 4, stream), "cudaMemsetAsync behind the gate");
    usleep(10000);
    if (!m.status && cudaStreamQuery(stream) != cudaErrorNotReady)
        m.status = cudaErrorUnknown, m.failed = "the gate is open before anybody opened it";
    const long begin_us = now_us();
    if (write(socket, &m, sizeof m) != sizeof m)
        m.status = cudaErrorUnknown, m.failed = "the first process ended";
    while (!m.status && cudaStreamQuery(stream) == cudaErrorNotReady && now_us() - begin_us < PATIENCE_US)
        usleep(LOOK_US);
    const long took_us = now_us() - begin_us;
    if (!m.status && took_us >= PATIENCE_US)
        m.status = cudaErrorTimeout, m.failed = "the gate did not open";
    if (!m.status)
        printf("gate: opened after %ld us\n", took_us);
    return m;
}

/* Both processes are forked before either uses CUDA. */
static int try_one(const char *what, int (*give)(int, int), struct message (*take)(int), int is_dumpable)
{
    int ends[2], status = 1;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends))
        return 1;
    fflush(stdout);
    const pid_t first = fork();
    if (!first) {
        close(ends[1]); /* else the other process's end would not be its last one */
        _exit(give(ends[0], is_dumpable));
    }
    const pid_t second = fork();
    if (!second) {
        close(ends[0]);
        const struct message m = take(ends[1]);
        if (m.status)
            printf("%s: %s: %s\n", what, m.failed, cudaGetErrorString((cudaError_t)m.status));
        else if (take == import_memory)
            printf("%s: shared\n", what);
        fflush(stdout);
        _exit(m.status != 0);
    }
    close(ends[0]);
    close(ends[1]);
    waitpid(second, &status, 0);
    waitpid(first, NULL, 0);
    return status;
}

int main(void)
{
    const int traceable = try_one("traceable", export_memory, import_memory, 1),
              untraceable = try_one("untraceable", export_memory, import_memory, 0);
    try_one("gate", export_gate, import_gate, 1);
    return traceable || untraceable;
}
