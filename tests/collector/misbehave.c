/* A program that starts well and ends as its argument says; test_runner_process.c runs it. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void say_much(void)
{
    char line[1024];
    memset(line, 'x', sizeof line);
    line[sizeof line - 1] = '\n';
    for (int i = 0; i < 1024; i++) /* 1 MiB */
        if (write(STDERR_FILENO, line, sizeof line) < 0)
            _exit(99);
}

/* A child of its own, perhaps in a session of its own, keeps standard error open for a minute. */
static void leave_a_child(int in_session)
{
    const pid_t child = fork();
    if (child == 0) {
        if (in_session)
            setsid();
        sleep(60);
        _exit(0);
    }
    fprintf(stderr, "%d\n", (int)child);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    if (!strcmp(how, "exit"))
        return atoi(argv[2]);
    if (!strcmp(how, "say")) {
        fprintf(stderr, "%s\n\n", argv[2]);
        puts("standard output is not kept");
        return 3;
    }
    if (!strcmp(how, "much"))
        say_much();
    else if (!strcmp(how, "crash"))
        kill(getpid(), SIGSEGV);
    else if (!strcmp(how, "hang"))
        sleep(60);
    else if (!strcmp(how, "hang-silently")) {
        close(STDERR_FILENO);
        sleep(60);
    } else if (!strcmp(how, "leave-a-child"))
        leave_a_child(0);
    else if (!strcmp(how, "leave-a-session"))
        leave_a_child(1);
    else if (!strcmp(how, "leave-and-crash")) {
        leave_a_child(1);
        kill(getpid(), SIGSEGV);
    } else if (!strcmp(how, "read"))
        return getchar() == EOF ? 0 : 1; /* standard input is empty */
    return 0;
}
