/* How is the runner started, and how did it end? */
#define _GNU_SOURCE
#include "cli/record/runner_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/record/installed_part.h"
#include "cli/record/isolated_run.h"
#include "cli/record/isolation.h"
#include "cli/record/left_processes.h"
#include "cli/record/python_runner.h"
#include "cli/record/stop_signal.h"
#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/io/scratch_file.h"

enum { SAID_BYTES_MAX = 64 * 1024, ASK_SECONDS = 60, PIPE_READS = 64, LOOK_MS = 20, GIVE_UP_MS = 5000 };

int runner_find(struct str *path, struct err *e)
{
    static const struct installed_part runner = {
        "cpprof-runner",
        "CPPROF_RUNNER",
        X_OK,
        {"../libexec/cpprof/cpprof-runner", "../collector/cpprof-runner", NULL}};
    int rc = installed_part_find(&runner, path, e);
    if (!rc && !path->length)
        rc = err_set(
            e, ERR_ENVIRONMENT,
            "cpprof-runner was not found (../libexec/cpprof beside cpprof, or CPPROF_RUNNER): it is built where there "
            "is a CUDA 13 toolkit, and runs and lists variants; recorded bundles and traces need none of it");
    return rc;
}

static long long now_ms(void)
{
    return clock_now_ns() / 1000000;
}

/* Keeps some of what the child has said; what read() returned. */
static ssize_t hear(int fd, struct runner_end *end)
{
    char buffer[4096];
    ssize_t got = read(fd, buffer, sizeof buffer);
    size_t room = SAID_BYTES_MAX - end->said.length;
    if (got > 0)
        str_add_bytes(&end->said, buffer, (size_t)got < room ? (size_t)got : room);
    return got;
}

/* The end of the process counts, not that of its standard error: it may close
 * that and go on, and a child of its own may keep it open. Returns its wait
 * status; one that even SIGKILL does not end (it hangs in a driver) is given up. */
static int wait_for(int fd, pid_t child, long long deadline_ms, struct runner_end *end)
{
    int status = SIGKILL;
    bool open = true;
    while (waitpid(child, &status, WNOHANG) == 0) {
        long long late_ms = now_ms() - deadline_ms;
        if (stop_signal_first())
            kill(child, SIGKILL);
        if (late_ms >= 0 && !end->timed_out) {
            end->timed_out = true;
            kill(child, SIGKILL);
        }
        if (late_ms >= GIVE_UP_MS)
            return SIGKILL;
        struct pollfd wait = {.fd = open ? fd : -1, .events = POLLIN};
        if (poll(&wait, 1, LOOK_MS) > 0)
            open = hear(fd, end) > 0;
    }
    for (int i = 0; i < PIPE_READS && open; i++) /* what is left in the pipe */
        open = hear(fd, end) > 0;
    return status;
}

/* Between fork and exec. */
static _Noreturn void become(const char *path, const struct runner_arguments *a, pid_t parent, int pipe_end, int tell)
{
    const int null = open("/dev/null", O_RDWR);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* else it would run on where we are killed */
    if (getppid() != parent)
        _exit(EXIT_ENVIRONMENT);
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    dup2(pipe_end, STDERR_FILENO);
    execvp(path, a->items);
    const int why = errno;
    (void)!write(tell, &why, sizeof why);
    _exit(127);
}

static int spawn(const char *path, const struct runner_arguments *a, int pipe_end, pid_t *child)
{
    int ends[2], why = 0;
    const pid_t parent = getpid();
    if (pipe2(ends, O_CLOEXEC))
        return errno;
    fflush(NULL);
    *child = fork();
    if (!*child)
        become(path, a, parent, pipe_end, ends[1]);
    const int failed = *child < 0 ? errno : 0;
    close(ends[1]);
    const bool has_failed = !failed && read(ends[0], &why, sizeof why) == sizeof why;
    close(ends[0]);
    if (has_failed)
        waitpid(*child, NULL, 0);
    return has_failed ? why : failed;
}

/* `apart` is NULL where the process is as we are. */
static int run_program(const char *path, const struct runner_arguments *a, int seconds,
                       const struct isolated_run *apart, struct runner_end *end, struct err *e)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return err_set(e, ERR_ENVIRONMENT, "cannot start '%s': %s", path, strerror(errno));
    signal(SIGCHLD, SIG_DFL); /* who started us may have ignored it: then nobody tells how a child ended */
    int rc = left_processes_adopt(e);
    if (rc) {
        close(ends[0]);
        close(ends[1]);
        return rc;
    }
    pid_t child;
    int failed = apart ? isolated_run_spawn(apart, path, a, ends[1], &child) : spawn(path, a, ends[1], &child);
    close(ends[1]);
    if (failed) {
        close(ends[0]);
        return err_set(e, ERR_ENVIRONMENT, "cannot start '%s': %s", path, strerror(failed));
    }
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    int status = wait_for(ends[0], child, now_ms() + seconds * 1000LL, end);
    close(ends[0]);
    if (!apart) /* else its judge may still write */
        left_processes_kill();
    if (WIFEXITED(status))
        end->exit_status = WEXITSTATUS(status);
    else if (WIFSIGNALED(status))
        end->signal = WTERMSIG(status);
    while (end->said.length && end->said.text[end->said.length - 1] == '\n')
        end->said.text[--end->said.length] = '\0';
    return 0;
}

static int run_in_python(const char *path, const struct runner_arguments *a, int seconds,
                         const struct isolated_run *apart, struct runner_end *end, struct err *e)
{
    struct runner_arguments in_python = {0};
    int rc = python_runner_arguments(&in_python, path, a, e);
    if (!rc && (rc = run_program(in_python.items[0], &in_python, seconds, apart, end, e)))
        err_context(e, "a function of a Python file needs Python, python3 on the PATH or CPPROF_PYTHON");
    runner_arguments_release(&in_python);
    return rc;
}

static int run_any(const char *path, const struct runner_arguments *a, int seconds, const struct isolated_run *apart,
                   struct runner_end *end, struct err *e)
{
    return python_runner_is_needed(a) ? run_in_python(path, a, seconds, apart, end, e)
                                      : run_program(path, a, seconds, apart, end, e);
}

static int run_isolated(const char *path, const struct runner_arguments *a, int seconds, struct runner_end *end,
                        struct err *e)
{
    struct isolated_run apart;
    int rc = isolated_run_begin(&apart, path, a, e);
    if (rc)
        return rc;
    rc = run_any(path, &apart.arguments, seconds, &apart, end, e);
    const int taken = isolated_run_end(&apart, end, rc ? NULL : e);
    return rc ? rc : taken;
}

int runner_run(const char *path, const struct runner_arguments *a, int seconds, struct runner_end *end, struct err *e)
{
    *end = (struct runner_end){.exit_status = -1};
    str_init(&end->said);
    /* Only libraries are strangers' code. */
    return isolation_demanded() && runner_arguments_find(a, "--load=") ? run_isolated(path, a, seconds, end, e)
                                                                       : run_any(path, a, seconds, NULL, end, e);
}

/* ", with './a.so'": what it had loaded. */
static void add_loads(struct str *out, char *const *options, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *load = runner_argument_value(options[i], "--load=");
        if (load)
            str_addf(out, "%s'%s'", out->length ? ", " : ", with ", load);
    }
}

static int no_answer(const struct runner_end *end, const char *role, const struct str *loads, struct err *e)
{
    if (end->exit_status == EXIT_USAGE && end->said.length)
        return err_set(e, ERR_USAGE, "%s", str_text(&end->said));
    if (end->signal && !end->timed_out)
        return err_set(e, ERR_ENVIRONMENT, "cpprof-runner did not answer '%s'%s: it was ended by signal %d (%s)", role,
                       str_text(loads), end->signal, strsignal(end->signal));
    return err_set(e, ERR_ENVIRONMENT, "cpprof-runner did not answer '%s'%s: %s", role, str_text(loads),
                   end->said.length ? str_text(&end->said) : "it gave no reason");
}

static int ask_in(const char *folder, const char *role, char *const *options, size_t count, const char *file,
                  json_t **answer, struct err *e)
{
    struct runner_arguments arguments = {0};
    struct runner_end end = {0};
    struct str path, loads;
    str_init(&path);
    str_init(&loads);
    add_loads(&loads, options, count);
    int rc = runner_find(&path, e);
    if (!rc)
        rc = runner_argument(&arguments, e, "cpprof-runner");
    if (!rc)
        rc = runner_argument(&arguments, e, "%s", role);
    if (!rc)
        rc = runner_argument(&arguments, e, "--dir=%s", folder);
    for (size_t i = 0; i < count && !rc; i++)
        rc = runner_argument(&arguments, e, "%s", options[i]);
    if (!rc)
        rc = runner_run(str_text(&path), &arguments, ASK_SECONDS, &end, e);
    if (!rc && (end.exit_status || json_read_file(files_join(&path, folder, file), answer, NULL)))
        rc = no_answer(&end, role, &loads, e);
    str_release(&loads);
    str_release(&end.said);
    runner_arguments_release(&arguments);
    str_release(&path);
    return rc;
}

int runner_ask(const char *role, const char *file, json_t **answer, struct err *e)
{
    return runner_ask_with(role, NULL, 0, file, answer, e);
}

int runner_ask_with(const char *role, char *const *options, size_t count, const char *file, json_t **answer,
                    struct err *e)
{
    struct str folder;
    str_init(&folder);
    *answer = NULL;
    int rc = scratch_folder_make(&folder, e);
    if (!rc) {
        rc = ask_in(str_text(&folder), role, options, count, file, answer, e);
        files_remove_tree(str_text(&folder), NULL);
    }
    str_release(&folder);
    return rc;
}
