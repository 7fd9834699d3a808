/* How is a stranger's code kept away from what judges it? */
#define _GNU_SOURCE
#include "cli/record/isolation.h"

#include <dirent.h>
#include <grp.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/record/left_processes.h"
#include "core/base/words.h"
#include "core/io/scratch_file.h"

/* Numbers that systemd gives to users who exist as long as a service runs. */
enum { USERS_FIRST = 61184, USERS_LAST = 65519 };

static struct isolation demanded;

const struct isolation *isolation_demanded(void)
{
    return demanded.task ? &demanded : NULL;
}

json_t *isolation_described(const struct isolation *i)
{
    return json_pack("{s:I}", "user", (json_int_t)i->user);
}

/* ---- another user ---- */

static bool has_processes(uid_t user)
{
    DIR *processes = opendir("/proc");
    struct stat process;
    bool has = !processes;
    for (struct dirent *entry; processes && !has && (entry = readdir(processes));)
        has = entry->d_name[0] >= '1' && entry->d_name[0] <= '9' &&
              !fstatat(dirfd(processes), entry->d_name, &process, 0) && process.st_uid == user;
    if (processes)
        closedir(processes);
    return has;
}

/* 0: none is free. */
static uid_t free_user(void)
{
    const uid_t count = USERS_LAST - USERS_FIRST + 1;
    for (uid_t i = 0; i < count; i++) {
        const uid_t user = USERS_FIRST + ((uid_t)getpid() + i) % count;
        if (!has_processes(user))
            return user;
    }
    return 0;
}

static const char *become_user(uid_t user)
{
    if (setgroups(0, NULL))
        return "setgroups";
    if (setresgid(user, user, user))
        return "setresgid";
    return setresuid(user, user, user) ? "setresuid" : NULL;
}

const char *isolation_enter(const struct isolation *i)
{
    const char *failed = become_user(i->user);
    return !failed && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? "PR_SET_NO_NEW_PRIVS" : failed;
}

/* ---- can it be had? ---- */

static bool is_readable(const char *load)
{
    const size_t name = words_name_length(load), python = name ? words_python_length(load + name + 1) : 0;
    const char *thing = name ? load + name + 1 : load;
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%.*s", (int)(python ? python : strlen(thing)), thing);
    return !access(path, R_OK);
}

enum { ALL = 0, FOLDER = 253, RUNNER = 254, NOT_THIS_USER = 255 };

/* Which one is it, from 1 on, that we can read and the user cannot? What we cannot read the runner complains of. */
static int unreadable(uid_t user, const struct isolation_request *request)
{
    bool ours[FOLDER] = {false};
    const size_t count = request->load_count < FOLDER ? request->load_count : FOLDER - 1;
    for (size_t i = 0; i < count; i++)
        ours[i] = is_readable(request->loads[i]);
    if (become_user(user))
        return NOT_THIS_USER;
    for (size_t i = 0; i < count; i++)
        if (ours[i] && !is_readable(request->loads[i]))
            return (int)i + 1;
    if (access(scratch_place(), X_OK))
        return FOLDER;
    return access(request->runner, X_OK) ? RUNNER : ALL;
}

static int check_files(uid_t user, const struct isolation_request *request, struct err *e)
{
    int status = NOT_THIS_USER << 8;
    const pid_t child = fork(); /* access() answers for who asks */
    if (!child)
        _exit(unreadable(user, request));
    if (child > 0)
        waitpid(child, &status, 0);
    const int which = WIFEXITED(status) ? WEXITSTATUS(status) : NOT_THIS_USER;
    if (which == ALL)
        return 0;
    if (which == NOT_THIS_USER)
        return err_set(e, ERR_ENVIRONMENT, "--isolate: this process may not become user %u, as a process of root can",
                       (unsigned)user);
    if (which == FOLDER)
        return err_set(e, ERR_USAGE,
                       "--isolate: '%s' cannot be entered by another user, who needs a folder in it: set TMPDIR to one "
                       "that all users can enter",
                       scratch_place());
    return err_set(e, ERR_USAGE,
                   "--isolate: '%s' cannot be read by another user, as whom solutions run: copy it to where all users "
                   "can read it, or open its folders (chmod o+rx)",
                   which == RUNNER ? request->runner : request->loads[which - 1]);
}

int isolation_demand(const struct isolation_request *request, struct err *e)
{
    const struct isolation i = {request->task, request->device, geteuid() ? 0 : free_user()};
    const char *judge = getenv("CPPROF_JUDGE");
    if (judge && !strcmp(judge, "inside"))
        return err_set(e, ERR_USAGE, "CPPROF_JUDGE=inside puts the judge where --isolate keeps it out of: unset it");
    if (!i.user)
        return err_set(e, ERR_ENVIRONMENT,
                       "--isolate cannot be had here: only root can run solutions as another user. Without it, run "
                       "what you do not trust in a container, and leave --isolate out (docs/trust.md)");
    int rc = check_files(i.user, request, e);
    if (!rc)
        rc = left_processes_adopt(e);
    if (!rc)
        demanded = i;
    return rc;
}
