/* How did one process of a program end, and what did it leave? */
#define _GNU_SOURCE
#include "cli/record/program_capture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "build_stamp.h"
#include "core/bundle/bundle_write.h"
#include "core/bundle/capture_map.h"

enum { TAIL_BYTES = 2048 };

void program_end_release(struct program_end *end)
{
    str_release(&end->failure);
    str_release(&end->said);
    json_decref(end->reports);
    *end = (struct program_end){0};
}

static json_t *new_manifest(const struct program_process *p)
{
    json_t *command = json_array();
    for (size_t i = 0; i < p->arm->words.count; i++)
        json_array_append_new(command, json_text(p->arm->words.items[i]));
    const struct capture_scope *s = p->scope;
    return json_pack("{s:s,s:o,s:I,s:{s:s,s:s,s:s},s:{s:s,s:{s:s,s:s,s:s?,s:s?}}}", "kind", CAPTURE_KIND, "command",
                     command, "created_unix_s", (json_int_t)time(NULL), "cpprof", "version", CPPROF_VERSION, "commit",
                     CPPROF_COMMIT, "build_flags", CPPROF_BUILD_FLAGS, "capture", "program", p->arm->name, "scope",
                     "trace", "launch", "graphs", "node", "range", s->range, "kernels", s->kernels);
}

/* What the program said last, from the beginning of a line. */
static void read_tail(struct str *out, int fd)
{
    char text[TAIL_BYTES + 1];
    const off_t size = lseek(fd, 0, SEEK_END);
    const off_t from = size > TAIL_BYTES ? size - TAIL_BYTES : 0;
    const ssize_t got = pread(fd, text, TAIL_BYTES, from);
    if (got <= 0)
        return;
    size_t length = (size_t)got;
    while (length && strchr("\n\r ", text[length - 1]))
        length--;
    text[length] = '\0';
    const char *line = from ? strchr(text, '\n') : NULL;
    str_add(out, line ? line + 1 : text);
}

/* An interpreter's last line is the error. */
static void add_last_line(struct str *out, const char *said)
{
    const char *line = strrchr(said, '\n');
    line = line ? line + 1 : said;
    if (*line)
        str_addf(out, ": %s", line + strspn(line, " \t"));
}

static void describe_failure(struct program_end *end, int error_fd)
{
    const struct capture_end *how = &end->how;
    struct str *out = &end->failure;
    if (how->asked_to_end)
        str_addf(out, "it was interrupted by signal %d (%s)", how->asked_to_end, strsignal(how->asked_to_end));
    else if (how->signal)
        str_addf(out, "it was ended by signal %d (%s)", how->signal, strsignal(how->signal));
    else if (how->exit_status)
        str_addf(out, "it exited with status %d", how->exit_status);
    else
        return;
    read_tail(&end->said, error_fd);
    add_last_line(out, str_text(&end->said));
}

/* The seal belongs to what the program has left, however it ended. */
static int seal(const struct program_process *p, json_t *manifest, struct program_end *end, struct err *e)
{
    const struct capture_end *how = &end->how;
    size_t outliving = 0;
    int rc = capture_session_settle(p->directory, &outliving, e);
    if (!rc)
        rc = capture_session_left(p->directory, &end->reports, e);
    json_t *capture = json_object_get(manifest, "capture");
    if (!rc &&
        (json_object_set_new(capture, "exit_status", how->signal ? json_null() : json_integer(how->exit_status)) ||
         json_object_set_new(capture, "signal", how->signal ? json_integer(how->signal) : json_null()) ||
         json_object_set_new(capture, "wall_ns", json_integer(how->wall_ns)) ||
         json_object_set_new(capture, "outliving", json_integer((json_int_t)outliving))))
        rc = err_memory(e);
    return rc ? rc : bundle_seal(p->directory, manifest, e);
}

static int run(const struct capture_session *session, const struct program_process *p, int error_fd,
               struct program_end *end, struct err *e)
{
    struct str output;
    str_init(&output);
    if (p->output)
        str_addf(&output, "CPPROF_OUTPUT=%s", p->output);
    const char *const environment[] = {p->output ? str_text(&output) : NULL, NULL};
    const struct capture_child child = {
        .program = {.argv = (const char *const *)p->arm->words.items,
                    .environment = environment,
                    /* it is started several times: none gets what is meant for one */
                    .files = {{CHILD_NULL, STDIN_FILENO}, {CHILD_NULL, STDOUT_FILENO}, {error_fd, STDERR_FILENO}}},
        .directory = p->directory,
        .scope = p->scope,
        .seconds = p->seconds};
    int rc = output.failed ? err_memory(e) : capture_session_run(session, &child, &end->how, e);
    if (!rc)
        describe_failure(end, error_fd);
    str_release(&output);
    return rc;
}

int program_capture(const struct capture_session *session, const struct program_process *p, struct program_end *end,
                    struct err *e)
{
    *end = (struct program_end){0};
    str_init(&end->failure);
    str_init(&end->said);
    json_t *manifest = new_manifest(p);
    struct str said;
    str_init(&said);
    str_addf(&said, "%s/said", p->aside);
    const int error_fd = open(str_text(&said), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_APPEND, 0600);
    int rc = manifest && !said.failed ? 0 : err_memory(e);
    if (!rc && error_fd < 0)
        rc = err_set(e, ERR_ENVIRONMENT, "cannot keep what the program says: %s", strerror(errno));
    if (!rc)
        rc = bundle_create(p->directory, manifest, e);
    if (!rc)
        rc = run(session, p, error_fd, end, e);
    if (!rc)
        rc = seal(p, manifest, end, e);
    if (error_fd >= 0)
        close(error_fd);
    str_release(&said);
    json_decref(manifest);
    return rc;
}
