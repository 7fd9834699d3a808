/* How does another tool run to its end, and what did it say last? */
#define _GNU_SOURCE
#include "cli/record/tool_process.h"

#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/files.h"
#include "core/io/scratch_file.h"

enum { TAIL_BYTES = 4096, SAID_BYTES_MAX = 400 };

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

static int asked_to_end(void *context)
{
    return held_signals_next(*(const struct held_signals **)context);
}

static pid_t start(const struct tool_command *command, int error_fd, struct err *e)
{
    static const char *const in_c[] = {"LC_ALL=C", NULL}; /* in the user's language it would be read wrongly */
    sigset_t none;                                        /* ours are held */
    sigemptyset(&none);
    return child_start(
        &(struct child_request){
            .argv = command->argv,
            .environment = in_c,
            .files = {{CHILD_NULL, STDIN_FILENO}, {command->output_fd, STDOUT_FILENO}, {error_fd, STDERR_FILENO}},
            .group = CHILD_LEADS_GROUP,
            .mask = &none},
        e);
}

int tool_run(const struct held_signals *signals, const struct tool_command *command, struct tool_end *end,
             struct err *e)
{
    *end = (struct tool_end){.how = {.exit_status = -1}};
    str_init(&end->said);
    const int error_fd = scratch_file_open(e);
    if (error_fd < 0)
        return error_fd;
    const pid_t child = start(command, error_fd, e);
    if (child > 0) {
        const struct child_limit limit = {
            .seconds = command->seconds, .has_group = true, .asked = asked_to_end, .context = &signals};
        end->how = child_wait_within(child, &limit);
        hear(&end->said, error_fd);
        hear(&end->said, command->output_fd);
    }
    close(error_fd);
    return child > 0 ? 0 : child;
}
