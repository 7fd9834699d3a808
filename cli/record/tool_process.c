/* How does another tool run to its end, and what did it say last? */
#define _GNU_SOURCE
#include "cli/record/tool_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/io/scratch_file.h"

enum { LOOK_MS = 10, GIVE_UP_MS = 5000, TAIL_BYTES = 4096, SAID_BYTES_MAX = 400 };

extern char **environ;

/* ---- starting ---- */

/* Numbers and messages in the user's language would be read wrongly. */
static char **environment_in_c(void)
{
    static char in_c[] = "LC_ALL=C";
    size_t count = 0, used = 0;
    while (environ[count])
        count++;
    char **copy = calloc(count + 2, sizeof *copy);
    for (size_t i = 0; copy && i < count; i++)
        if (strncmp(environ[i], "LC_ALL=", strlen("LC_ALL=")) != 0)
            copy[used++] = environ[i];
    if (copy)
        copy[used] = in_c;
    return copy;
}

static int spawn(const struct tool_command *command, int error_fd, char *const *environment, pid_t *child)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none; /* ours are held */
    sigemptyset(&none);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, command->output_fd, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, error_fd, STDERR_FILENO);
    const int failed =
        posix_spawnp(child, command->argv[0], &actions, &attributes, (char *const *)command->argv, environment);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return failed;
}

static int start(const struct tool_command *command, int error_fd, pid_t *child, struct err *e)
{
    char **environment = environment_in_c();
    if (!environment)
        return err_memory(e);
    const int failed = spawn(command, error_fd, environment, child);
    free(environment);
    return failed ? err_set(e, ERR_ENVIRONMENT, "cannot start '%s': %s", command->argv[0], strerror(failed)) : 0;
}

/* ---- waiting ---- */

static int64_t now_ms(void)
{
    return clock_now_ns() / 1000000;
}

/* A tool that even SIGKILL does not end (it hangs in a driver) is given up. */
static int wait_for(const struct held_signals *signals, pid_t child, int64_t deadline_ms, struct tool_end *end)
{
    const struct timespec moment = {.tv_nsec = LOOK_MS * 1000000L};
    int64_t killed_ms = 0;
    int status = SIGKILL;
    while (!waitpid(child, &status, WNOHANG)) {
        const int asked = held_signals_next(signals);
        end->asked_to_end = end->asked_to_end ? end->asked_to_end : asked;
        if (!killed_ms && (asked || now_ms() >= deadline_ms)) {
            end->timed_out = !asked;
            killed_ms = now_ms();
            kill(-child, SIGKILL);
        }
        if (killed_ms && now_ms() - killed_ms > GIVE_UP_MS)
            return SIGKILL;
        nanosleep(&moment, NULL);
    }
    return status;
}

/* ---- what it said ---- */

/* Bars of progress overwrite their line: a carriage return ends one, too. */
static void take_last_line(struct str *out, char *text)
{
    size_t length = strlen(text);
    while (length && strchr(" \t\r\n", text[length - 1]))
        text[--length] = '\0';
    const char *line = text + length;
    while (line > text && !strchr("\r\n", line[-1]))
        line--;
    length = strlen(line);
    str_add_bytes(out, line, length < SAID_BYTES_MAX ? length : SAID_BYTES_MAX);
}

static void hear(struct str *out, int fd)
{
    struct stat info;
    char tail[TAIL_BYTES + 1];
    if (out->length || fstat(fd, &info) || info.st_size <= 0)
        return;
    const off_t from = info.st_size > TAIL_BYTES ? info.st_size - TAIL_BYTES : 0;
    const ssize_t got = files_read_at(fd, tail, TAIL_BYTES, (uint64_t)from);
    tail[got > 0 ? got : 0] = '\0';
    take_last_line(out, tail);
}

int tool_run(const struct held_signals *signals, const struct tool_command *command, struct tool_end *end,
             struct err *e)
{
    *end = (struct tool_end){.exit_status = -1};
    str_init(&end->said);
    pid_t child;
    const int error_fd = scratch_file_open(e);
    if (error_fd < 0)
        return error_fd;
    const int rc = start(command, error_fd, &child, e);
    if (!rc) {
        const int status = wait_for(signals, child, now_ms() + command->seconds * INT64_C(1000), end);
        if (WIFEXITED(status))
            end->exit_status = WEXITSTATUS(status);
        else
            end->signal = WTERMSIG(status);
        hear(&end->said, error_fd);
        hear(&end->said, command->output_fd);
    }
    close(error_fd);
    return rc;
}
