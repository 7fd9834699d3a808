/* What goes on when a program was killed? */
#define _GNU_SOURCE
#include "record/left_processes.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS_MAX = 500, ROUND_NS = 10 * 1000 * 1000 };

int left_processes_adopt(struct err *e)
{
    if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
        return err_set(e, ERR_ENVIRONMENT, "cannot look after processes that the command leaves: %s", strerror(errno));
    return 0;
}

/* Kills our children, of our only thread. Returns whether there was one. */
static bool kill_children(void)
{
    char path[64];
    long pid;
    bool found = false;
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *children = fopen(path, "re");
    while (children && fscanf(children, "%ld", &pid) == 1) {
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
