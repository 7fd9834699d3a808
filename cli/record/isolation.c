/* How is a stranger's code kept away from what judges it? */
#define _GNU_SOURCE
#include "cli/record/isolation.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/record/left_processes.h"
#include "core/base/child.h"
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

struct look {
    const struct isolation_request *request;
    bool ours[FOLDER]; /* libraries that we can read: of others the runner complains */
};

static size_t looked_at(const struct isolation_request *request)
{
    return request->load_count < FOLDER ? request->load_count : FOLDER - 1;
}

/* Which one is it, from 1 on, that we can read and the user who asks cannot? */
static int unreadable(void *context)
{
    const struct look *look = context;
    const struct isolation_request *request = look->request;
    for (size_t i = 0; i < looked_at(request); i++)
        if (look->ours[i] && !is_readable(request->loads[i]))
            return (int)i + 1;
    if (access(scratch_place(), X_OK))
        return FOLDER;
    return access(request->runner, X_OK) ? RUNNER : ALL;
}

/* access() answers for who asks. */
static int ask_as(uid_t user, const struct isolation_request *request)
{
    struct look look = {.request = request};
    for (size_t i = 0; i < looked_at(request); i++)
        look.ours[i] = is_readable(request->loads[i]);
    const pid_t child = child_start(
        &(struct child_request){.run = unreadable, .context = &look, .title = "a process of a user", .user = user},
        NULL);
    const struct child_end end = child > 0 ? child_wait(child) : (struct child_end){.exit_status = -1};
    return end.exit_status < 0 ? NOT_THIS_USER : end.exit_status;
}

static int check_files(uid_t user, const struct isolation_request *request, struct err *e)
{
    const int which = ask_as(user, request);
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
