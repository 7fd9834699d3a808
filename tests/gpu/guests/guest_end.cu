/* In how many ways can a program end, multiply or throw away its device? A guest for each. */
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/gpu/guests/guest.h"

enum { LAUNCHES = 1000, CHILD_STATUS = 5 };
static const double busy_s = 2.5; /* longer than two flush periods */

__global__ void guest_last()
{
}

__global__ void guest_trap()
{
    __trap();
}

static int run_none(const char *argument)
{
    (void)argument;
    printf("no CUDA call at all\n");
    fprintf(stderr, "and a word on stderr\n");
    return 0;
}

/* Work is still queued when the program returns. */
static int run_unwaited(const char *argument)
{
    (void)argument;
    guest_launch(NULL, LAUNCHES);
    for (int i = 0; i < LAUNCHES; i++)
        guest_last<<<1, 32>>>();
    printf("returns 3 without waiting\n");
    return 3;
}

static int run_exit_now(const char *argument)
{
    (void)argument;
    guest_launch(NULL, LAUNCHES);
    guest_launch_for(NULL, busy_s);
    printf("leaves by _exit\n");
    _exit(7);
}

static void *kill_later(void *opaque)
{
    (void)opaque;
    usleep((useconds_t)(busy_s * 1e6));
    kill(getpid(), SIGKILL);
    return NULL;
}

static int run_killed(const char *argument)
{
    pthread_t thread;
    (void)argument;
    printf("will be killed\n");
    guest_launch(NULL, LAUNCHES);
    if (pthread_create(&thread, NULL, kill_later, NULL))
        return 3;
    guest_launch_for(NULL, 60);
    printf("was not killed\n");
    return 1;
}

static int run_segv(const char *argument)
{
    (void)argument;
    guest_launch_for(NULL, busy_s);
    printf("touches address 8\n");
    *(volatile int *)8 = 1;
    return 1;
}

static int run_abort(const char *argument)
{
    (void)argument;
    guest_launch_for(NULL, busy_s);
    fprintf(stderr, "aborts\n");
    abort();
}

static int run_trap(const char *argument)
{
    (void)argument;
    guest_launch(NULL, LAUNCHES);
    guest_trap<<<1, 1>>>();
    const cudaError_t error = cudaDeviceSynchronize();
    printf("the kernel failed: %s\n", cudaGetErrorName(error));
    return 4;
}

/* Until somebody ends it; at most half a minute. */
static int run_endless(const char *argument)
{
    (void)argument;
    printf("launches until it is told to end\n");
    guest_launch_for(NULL, 30);
    printf("nobody ended it\n");
    return 1;
}

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number)
{
    interrupted = number;
}

/* A program that has its own idea of SIGTERM. */
static int run_handler(const char *argument)
{
    struct sigaction action = {};
    long rounds = 0;
    (void)argument;
    action.sa_handler = on_interrupt;
    sigaction(SIGTERM, &action, NULL);
    alarm(30); /* a handler that never comes must not hold up the test */
    guest_launch(NULL, LAUNCHES);
    raise(SIGTERM);
    for (; !interrupted; rounds++)
        guest_launch(NULL, 1);
    printf("ends on its own terms after signal %d, %ld rounds\n", (int)interrupted, rounds);
    return 9;
}

static int run_reset(const char *argument)
{
    (void)argument;
    for (int i = 0; i < 3; i++) {
        guest_launch(NULL, LAUNCHES);
        guest_check(cudaDeviceReset(), "reset");
    }
    printf("3 resets\n");
    return 0;
}

/* Says how a child ended, and stays on to launch more. */
static int parent_goes_on(pid_t child)
{
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child)
        return 3;
    guest_launch(NULL, LAUNCHES);
    if (WIFSIGNALED(status))
        printf("parent: the child was ended by signal %d\n", WTERMSIG(status));
    else
        printf("parent: the child ended with %d\n", WEXITSTATUS(status));
    return 0;
}

/* The child inherits a process that uses CUDA and leaves it alone; the argument says how it ends. */
static int run_fork(const char *argument)
{
    guest_launch(NULL, LAUNCHES);
    const pid_t child = fork();
    if (child == 0) {
        printf("child\n");
        if (!strcmp(argument, "exit"))
            exit(CHILD_STATUS); /* with all the handlers that the parent registered */
        if (!strcmp(argument, "abort"))
            abort();
        _exit(CHILD_STATUS);
    }
    return parent_goes_on(child);
}

static int run_fork_first(const char *argument)
{
    (void)argument;
    const pid_t child = fork();
    if (child == 0)
        exit(guest_run_vector(""));
    return parent_goes_on(child);
}

/* The same after NVTX has begun: NVTX loads what CUDA has not yet. */
static int run_fork_first_in_range(const char *argument)
{
    (void)argument;
    nvtxRangePushA("step");
    const pid_t child = fork();
    if (child == 0)
        exit(guest_run_vector(""));
    nvtxRangePop();
    return parent_goes_on(child);
}

static int run_fork_exec(const char *argument)
{
    char self[4096];
    (void)argument;
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0)
        return 3;
    self[length] = '\0';
    guest_launch(NULL, LAUNCHES);
    const pid_t child = fork();
    if (child == 0) {
        execl(self, self, "vector", (char *)NULL);
        _exit(127);
    }
    return parent_goes_on(child);
}

/* A child that works on when its parent has long returned. */
static int run_outlived(const char *argument)
{
    (void)argument;
    const pid_t child = fork();
    if (child < 0)
        return 3;
    if (child == 0) {
        guest_launch_for(NULL, busy_s);
        exit(0);
    }
    guest_launch(NULL, LAUNCHES);
    printf("returns before its child\n");
    return 0;
}

/* exec without fork: one process, two programs. */
static int run_exec(const char *argument)
{
    char self[4096];
    (void)argument;
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0)
        return 3;
    self[length] = '\0';
    guest_launch_for(NULL, busy_s);
    execl(self, self, "vector", (char *)NULL);
    return 3;
}

extern const struct guest guests_end[] = {
    {"none", "makes no CUDA call", run_none},
    {"unwaited", "returns while its kernels run", run_unwaited},
    {"exit-now", "leaves by _exit", run_exit_now},
    {"killed", "is killed by SIGKILL while it launches", run_killed},
    {"segv", "reads where nothing is", run_segv},
    {"abort", "aborts", run_abort},
    {"trap", "has a kernel that traps", run_trap},
    {"endless", "launches until a signal ends it", run_endless},
    {"handler", "handles SIGTERM itself", run_handler},
    {"reset", "resets its device three times", run_reset},
    {"fork", "forks after CUDA has begun; HOW the child ends: exit, abort or _exit", run_fork},
    {"fork-first", "forks before CUDA; both use it", run_fork_first},
    {"fork-first-in-range", "forks before CUDA, in an NVTX range; both use CUDA", run_fork_first_in_range},
    {"fork-exec", "forks and starts a program", run_fork_exec},
    {"outlived", "returns before its child does", run_outlived},
    {"exec", "becomes another program", run_exec},
};
extern const size_t guests_end_count = sizeof guests_end / sizeof guests_end[0];
