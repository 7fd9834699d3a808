/* What goes on when a program was killed? */
#define _GNU_SOURCE
#include "cli/record/left_processes.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS_MAX = 500, ROUND_NS = 10 * 1000 * 1000, INHERITED_MAX = 256 };

/* Children of a shell that became us. */
static struct {
    long pids[INHERITED_MAX];
    size_t count;
    bool is_known;
} inherited;

/* This process has one thread: its children are all of ours. */
static FILE *open_children(void)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    return fopen(path, "re");
}

static void look_at_inherited(void)
{
    FILE *children = inherited.is_known ? NULL : open_children();
    inherited.is_known = true;
    while (children && inherited.count < INHERITED_MAX &&
           fscanf(children, "%ld", &inherited.pids[inherited.count]) == 1)
        inherited.count++;
    if (children)
        fclose(children);
}

int left_processes_adopt(struct err *e)
{
    look_at_inherited();
    if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
        return err_set(e, ERR_ENVIRONMENT, "cannot look after processes that the command leaves: %s", strerror(errno));
    return 0;
}

static bool is_inherited(long pid)
{
    for (size_t i = 0; i < inherited.count; i++)
        if (inherited.pids[i] == pid)
            return true;
    return false;
}

/* Returns whether there was one. */
static bool kill_children(void)
{
    long pid;
    bool found = false;
    FILE *children = open_children();
    while (children && fscanf(children, "%ld", &pid) == 1) {
        if (is_inherited(pid))
            continue;
        found = true;
        kill((pid_t)pid, SIGKILL);
    }
    if (children)
        fclose(children);
    return found;
}

void left_processes_kill(void)
{
    const struct timespec moment = {.tv_nsec = ROUND_NS};
    for (int i = 0; i < ROUNDS_MAX && kill_children(); i++) {
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
        nanosleep(&moment, NULL);
    }
}
