/* How does a process that is not trusted run, and what of its words is kept? */
#define _GNU_SOURCE
#include "cli/record/isolated_run.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/record/isolated_files.h"
#include "cli/record/isolation.h"
#include "cli/record/judged_outcomes.h"
#include "cli/record/left_processes.h"
#include "core/base/count_of.h"
#include "core/base/files.h"
#include "core/base/preloads.h"
#include "core/io/scratch_file.h"

enum { SOCKET = 3, REPORT = 4 }; /* of the judge, the first one of the runner, too */

/* ---- the command line ---- */

static const char *or_else(const char *given, const char *otherwise)
{
    return given ? given : otherwise;
}

/* ---- the judge ---- */

/* What loads code into every process is meant for the runner. */
static void drop_injections(void)
{
    static const char *const names[] = PRELOADS;
    for (size_t i = 0; i < COUNT_OF(names); i++)
        unsetenv(names[i]);
}

static void be_quiet(void)
{
    const int null = open("/dev/null", O_RDWR);
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
}

/* Two descriptors change places without one closing the other. */
static void place(int first, int first_at, int second, int second_at)
{
    const int kept = fcntl(second, F_DUPFD_CLOEXEC, 64);
    const int own = fcntl(first, F_DUPFD_CLOEXEC, 64);
    dup2(own, first_at);
    dup2(kept, second_at);
    close_range((unsigned)second_at + 1, ~0u, 0);
}

static const char *judge_beside(const char *runner, struct str *path)
{
    const char *given = getenv("CPPROF_JUDGE"), *slash = strrchr(runner, '/');
    str_addf(path, "%.*scpprof-judge", slash ? (int)(slash - runner) + 1 : 0, runner);
    return given && *given ? given : str_text(path);
}

/* Only what is run with a device of its own takes one before it is asked. */
static long device_of(const struct isolated_run *r, const struct isolation *i)
{
    return !strcmp(r->role, "list") || !strcmp(r->role, "plan") ? -1 : i->device;
}

static int start_judge(struct isolated_run *r, const char *runner, struct err *e)
{
    const struct isolation *i = isolation_demanded();
    char device[24], socket[12], report[12], task[PATH_MAX];
    struct str beside;
    int ends[2];
    if (!realpath(i->task, task)) /* a bare name would be looked for in other folders */
        return err_set(e, ERR_USAGE, "cannot load '%s': %s", i->task, strerror(errno));
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
        return err_set(e, ERR_ENVIRONMENT, "cannot start the judge: socketpair: %s", strerror(errno));
    str_init(&beside);
    const char *program = judge_beside(runner, &beside);
    snprintf(socket, sizeof socket, "%d", SOCKET);
    snprintf(report, sizeof report, "%d", REPORT);
    snprintf(device, sizeof device, "%ld", device_of(r, i));
    fflush(NULL);
    const pid_t child = fork();
    if (!child) {
        char *arguments[] = {"cpprof-judge", socket, task, device, report, (char *)r->role, (char *)r->index, NULL};
        drop_injections();
        unsetenv("CPPROF_JUDGE");
        be_quiet(); /* what the library of the task prints is no report */
        place(ends[1], SOCKET, r->report, REPORT);
        execv(program, arguments);
        fprintf(stderr, "cpprof: cannot start '%s': %s\n", program, strerror(errno));
        _exit(127);
    }
    const int failed = errno;
    close(ends[1]);
    r->socket = ends[0];
    str_release(&beside);
    return child > 0 ? 0 : err_set(e, ERR_ENVIRONMENT, "cannot start the judge: %s", strerror(failed));
}

/* ---- the process ---- */

static void release(struct isolated_run *r)
{
    if (r->socket >= 0)
        close(r->socket);
    if (r->report >= 0)
        close(r->report);
    if (r->folder.length)
        files_remove_tree(str_text(&r->folder), NULL);
    runner_arguments_release(&r->arguments);
    str_release(&r->folder);
}

int isolated_run_begin(struct isolated_run *r, const char *runner, const struct runner_arguments *a, struct err *e)
{
    const struct isolation *i = isolation_demanded();
    *r = (struct isolated_run){.directory = or_else(runner_arguments_find(a, "--dir="), "."),
                               .role = a->count > 1 ? a->items[1] : "",
                               .index = or_else(runner_arguments_find(a, "--index="), "0"),
                               .socket = -1,
                               .report = -1};
    str_init(&r->folder);
    int rc = scratch_folder_make(&r->folder, e);
    if (!rc)
        rc = isolated_files_lend(r->directory, str_text(&r->folder), i->user, e);
    if (!rc)
        rc = runner_arguments_in(&r->arguments, a, str_text(&r->folder), e);
    if (!rc && (r->report = memfd_create("judged", MFD_CLOEXEC)) < 0)
        rc = err_set(e, ERR_ENVIRONMENT, "cannot make a file in memory for the judge: %s", strerror(errno));
    if (!rc)
        rc = start_judge(r, runner, e);
    if (rc) {
        left_processes_kill();
        release(r);
    }
    return rc;
}

/* Between fork and exec. */
static _Noreturn void become(const struct isolated_run *r, const char *program, const struct runner_arguments *a,
                             int pipe_end, int tell)
{
    char judge[24];
    const char *failed = NULL;
    snprintf(judge, sizeof judge, "socket:%d", SOCKET);
    setenv("CPPROF_JUDGE", judge, 1);
    unsetenv("CPPROF_SALT");
    setenv("TMPDIR", str_text(&r->folder), 1);
    setenv("HOME", str_text(&r->folder), 1); /* caches of compilers */
    be_quiet();
    dup2(pipe_end, STDERR_FILENO);
    setsid();
    place(r->socket, SOCKET, tell, SOCKET + 1);
    fcntl(SOCKET + 1, F_SETFD, FD_CLOEXEC);
    failed = isolation_enter(isolation_demanded());
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* another user's processes are told nothing else of a terminal */
    if (failed) {
        fprintf(stderr, "--isolate: %s: %s\n", failed, strerror(errno));
        _exit(EXIT_ENVIRONMENT);
    }
    execvp(program, a->items);
    const int why = errno;
    (void)!write(SOCKET + 1, &why, sizeof why);
    _exit(127);
}

int isolated_run_spawn(const struct isolated_run *r, const char *program, const struct runner_arguments *a,
                       int pipe_end, pid_t *child)
{
    int ends[2], why = 0;
    if (pipe2(ends, O_CLOEXEC))
        return errno;
    fflush(NULL);
    *child = fork();
    if (!*child)
        become(r, program, a, pipe_end, ends[1]);
    const int failed = *child < 0 ? errno : 0;
    close(ends[1]);
    const bool has_failed = !failed && read(ends[0], &why, sizeof why) == sizeof why;
    close(ends[0]);
    return has_failed ? why : failed;
}

/* The words of the process stay behind ours. */
static void fail(struct runner_end *end, const struct err *why)
{
    struct str said;
    str_init(&said);
    str_addf(&said, "--isolate: %s%s", why->text, end->said.length ? "; it said: " : "");
    str_add(&said, str_text(&end->said));
    str_release(&end->said);
    end->said = said;
    end->is_dishonest = true;
    if (!end->exit_status)
        end->exit_status = EXIT_CHECK_FAILED;
}

int isolated_run_end(struct isolated_run *r, struct runner_end *end, struct err *e)
{
    struct judged_outcomes outcomes;
    struct err why = {0};
    left_processes_kill();
    int rc = judged_outcomes_read(&outcomes, r->report, e);
    if (!rc && isolated_files_take(r->directory, str_text(&r->folder), r->role, r->index, &outcomes, &why))
        fail(end, &why);
    if (!rc)
        rc = judged_outcomes_keep(&outcomes, r->directory, e);
    judged_outcomes_release(&outcomes);
    release(r);
    return rc;
}
