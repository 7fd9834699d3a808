/* How is the runner started, and how did it end? */
#define _GNU_SOURCE
#include "cli/record/runner_process.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/record/installed_part.h"
#include "cli/record/isolated_run.h"
#include "cli/record/isolation.h"
#include "cli/record/left_processes.h"
#include "cli/record/python_runner.h"
#include "cli/record/stop_signal.h"
#include "core/base/child.h"
#include "core/base/files.h"
#include "core/io/scratch_file.h"

enum { SAID_BYTES_MAX = 64 * 1024, ASK_SECONDS = 60, PIPE_READS = 64, LOOK_MS = 20 };

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

struct listening {
    int fd;
    bool open;
    struct runner_end *end;
};

static void listen(void *context)
{
    struct listening *l = context;
    struct pollfd wait = {.fd = l->open ? l->fd : -1, .events = POLLIN};
    if (poll(&wait, 1, LOOK_MS) > 0)
        l->open = hear(l->fd, l->end) > 0;
}

static int asked_to_end(void *context)
{
    (void)context;
    return stop_signal_first();
}

/* The end of the process counts, not that of its standard error: it may close
 * that and go on, and a child of its own may keep it open. */
static void wait_for(pid_t child, int fd, int seconds, struct runner_end *end)
{
    struct listening listening = {fd, true, end};
    const struct child_limit limit = {
        .seconds = seconds, .asked = asked_to_end, .listen = listen, .context = &listening};
    const struct child_end how = child_wait_within(child, &limit);
    for (int i = 0; i < PIPE_READS && listening.open; i++) /* what is left in the pipe */
        listening.open = hear(fd, end) > 0;
    end->exit_status = how.exit_status;
    end->signal = how.signal;
    end->timed_out = how.timed_out;
}

/* `apart` is NULL where the process is as we are. */
static int run_program(const char *path, const struct runner_arguments *a, int seconds,
                       const struct isolated_run *apart, struct runner_end *end, struct err *e)
{
    int heard;
    const struct child_request request = {
        .program = path,
        .argv = (const char *const *)a->items,
        .files = {{CHILD_NULL, STDIN_FILENO}, {CHILD_NULL, STDOUT_FILENO}, {CHILD_PIPE, STDERR_FILENO}},
        .heard = &heard,
        .ends_with_us = true};
    const int rc = left_processes_adopt(e);
    if (rc)
        return rc;
    const pid_t child = apart ? isolated_run_start(apart, request, e) : child_start(&request, e);
    if (child < 0)
        return child;
    fcntl(heard, F_SETFL, O_NONBLOCK);
    wait_for(child, heard, seconds, end);
    close(heard);
    if (!apart) /* else its judge may still write */
        left_processes_kill();
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
