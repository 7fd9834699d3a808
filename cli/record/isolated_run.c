/* How does a process that is not trusted run, and what of its words is kept? */
#define _GNU_SOURCE
#include "cli/record/isolated_run.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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

static const char *judge_beside(const char *runner, struct str *path)
{
    const char *given = getenv("CPPROF_JUDGE"), *slash = strrchr(runner, '/');
    if (given && *given) /* it is a path: it is not looked for in PATH */
        str_addf(path, "%s%s", strchr(given, '/') ? "" : "./", given);
    else
        str_addf(path, "%.*scpprof-judge", slash ? (int)(slash - runner) + 1 : 0, runner);
    return str_text(path);
}

/* Only what is run with a device of its own takes one before it is asked. */
static long device_of(const struct isolated_run *r, const struct isolation *i)
{
    return !strcmp(r->role, "list") || !strcmp(r->role, "plan") ? -1 : i->device;
}

static int start_judge(struct isolated_run *r, const char *runner, struct err *e)
{
    static const char *const preloads[] = PRELOADS; /* they are meant for the runner */
    const char *gone[COUNT_OF(preloads) + 2] = {"CPPROF_JUDGE"};
    const struct isolation *i = isolation_demanded();
    char device[24], socket[12], report[12], task[PATH_MAX];
    struct str beside;
    int ends[2];
    if (!realpath(i->task, task)) /* a bare name would be looked for in other folders */
        return err_set(e, ERR_USAGE, "cannot load '%s': %s", i->task, strerror(errno));
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
        return err_set(e, ERR_ENVIRONMENT, "cannot start the judge: socketpair: %s", strerror(errno));
    str_init(&beside);
    memcpy(gone + 1, preloads, sizeof preloads);
    snprintf(socket, sizeof socket, "%d", SOCKET);
    snprintf(report, sizeof report, "%d", REPORT);
    snprintf(device, sizeof device, "%ld", device_of(r, i));
    const char *const words[] = {"cpprof-judge", socket, task, device, report, r->role, r->index, NULL};
    const struct child_request request = {
        .program = judge_beside(runner, &beside),
        .argv = words,
        .environment = gone,
        /* what the library of the task prints is no report */
        .files = {{CHILD_NULL, STDIN_FILENO}, {CHILD_NULL, STDOUT_FILENO}, {ends[1], SOCKET}, {r->report, REPORT}},
        .closes_rest = true};
    const pid_t child = child_start(&request, e);
    close(ends[1]);
    r->socket = ends[0];
    str_release(&beside);
    return child > 0 ? 0 : child;
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

pid_t isolated_run_start(const struct isolated_run *r, struct child_request request, struct err *e)
{
    char judge[24];
    struct str temporary, home;
    str_init(&temporary);
    str_init(&home);
    snprintf(judge, sizeof judge, "CPPROF_JUDGE=socket:%d", SOCKET);
    str_addf(&temporary, "TMPDIR=%s", str_text(&r->folder));
    str_addf(&home, "HOME=%s", str_text(&r->folder)); /* caches of compilers */
    const char *const environment[] = {judge, "CPPROF_SALT", str_text(&temporary), str_text(&home), NULL};
    request.environment = environment;
    request.files[CHILD_FILES_MAX - 1] = (struct child_file){r->socket, SOCKET};
    request.closes_rest = true;
    request.group = CHILD_LEADS_SESSION; /* a terminal's signals do not reach it */
    request.user = isolation_demanded()->user;
    const pid_t child = temporary.failed || home.failed ? err_memory(e) : child_start(&request, e);
    str_release(&temporary);
    str_release(&home);
    return child;
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
