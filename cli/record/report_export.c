/* How does a report that only its own tool reads become a file that is read here? */
#define _GNU_SOURCE
#include "cli/record/report_export.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/record/messages.h"
#include "cli/record/program_origin.h"
#include "cli/record/tool_process.h"
#include "core/base/files.h"
#include "core/base/words.h"
#include "core/io/scratch_file.h"

enum { WORDS = 12, SECONDS = 600, SECONDS_MAX = 7 * 24 * 3600 };

/* Words of a command line that are filled in. */
static const char the_report[] = "REPORT", the_result[] = "RESULT";

static const struct tool {
    const char *name, *variable, *what;
    const char *arguments[WORDS];
    const char *ending; /* of what it exports */
} tools[] = {
    [TOOL_REPORT_NSYS] = {"nsys",
                          "CPPROF_NSYS",
                          "an nsys report",
                          {"export", "--type", "sqlite", "--output", the_result, the_report},
                          ".sqlite"},
    [TOOL_REPORT_NCU] = {"ncu",
                         "CPPROF_NCU",
                         "an ncu report",
                         {"--import", the_report, "--csv", "--page", "raw"},
                         ".csv"}, /* on its standard output */
};

static bool writes_a_file(const struct tool *tool)
{
    for (size_t i = 0; tool->arguments[i]; i++)
        if (tool->arguments[i] == the_result)
            return true;
    return false;
}

/* ---- without the tool ---- */

/* Appends the name that an export gets beside its report. */
static void add_result_name(struct str *out, const char *path, const char *ending)
{
    const char *name = files_name(path), *dot = strrchr(name, '.');
    str_add_bytes(out, path, dot && dot > name ? (size_t)(dot - path) : strlen(path));
    str_add(out, ending);
}

/* A tool would take "-x" for an option. */
static void add_path(struct str *out, const char *path)
{
    str_add(out, *path == '-' ? "./" : "");
    str_add(out, path);
}

/* The command for people, to be pasted into a shell. */
static void add_command(struct str *out, const struct tool *tool, const char *path)
{
    struct str report, result;
    str_init(&report);
    str_init(&result);
    add_path(&report, path);
    add_result_name(&result, str_text(&report), tool->ending);
    str_add(out, tool->name);
    for (size_t i = 0; tool->arguments[i]; i++) {
        const char *word = tool->arguments[i];
        str_add_char(out, ' ');
        words_add_quoted(out, word == the_report ? str_text(&report) : word == the_result ? str_text(&result) : word);
    }
    if (!writes_a_file(tool)) {
        str_add(out, " > ");
        words_add_quoted(out, str_text(&result));
    }
    str_release(&report);
    str_release(&result);
}

static int refuse_without(const struct tool *tool, const char *path, struct err *e)
{
    struct str command;
    str_init(&command);
    add_command(&command, tool, path);
    const int rc = err_set(e, ERR_INPUT,
                           "'%s' is %s, and there is no %s on the PATH (or in %s) to export it; where there is one: %s",
                           path, tool->what, tool->name, tool->variable, str_text(&command));
    str_release(&command);
    return rc;
}

/* *out is NULL where no tool may be started. */
static int find_tool(const char **out, const struct tool *tool, struct err *e)
{
    const char *named = getenv(tool->variable);
    *out = named ? named : tool->name;
    if (program_is_there(*out))
        return 0;
    if (named && *named)
        return err_set(e, ERR_ENVIRONMENT, "%s is '%s', which cannot be started", tool->variable, named);
    *out = NULL;
    return 0;
}

/* ---- with it ---- */

struct exporting {
    const struct tool *tool;
    const char *program, *path;
    struct held_signals *signals;
    struct str folder, result, report; /* of one that writes a file: the two paths */
    int output_fd;                     /* its standard output */
    struct tool_end end;
};

static int limit_seconds(void)
{
    const char *text = getenv("CPPROF_EXPORT_SECONDS");
    const long seconds = text ? strtol(text, NULL, 10) : 0;
    return seconds > 0 && seconds <= SECONDS_MAX ? (int)seconds : SECONDS;
}

static int run(struct exporting *x, struct err *e)
{
    const char *argv[WORDS + 2] = {x->program};
    for (size_t i = 0; x->tool->arguments[i]; i++) {
        const char *word = x->tool->arguments[i];
        argv[i + 1] = word == the_report ? str_text(&x->report) : word == the_result ? str_text(&x->result) : word;
    }
    const struct tool_command command = {argv, x->output_fd, limit_seconds()};
    message_note("'%s' is %s: reading what '%s' exports", x->path, x->tool->what, x->program);
    return tool_run(x->signals, &command, &x->end, e);
}

/* What went wrong, with the tool's last line behind it. */
static int fail(const struct exporting *x, int code, const char *what, struct err *e)
{
    const char *said = str_text(&x->end.said);
    return err_set(e, code, "'%s' did not export '%s': %s%s%s", x->program, x->path, what, *said ? ": " : "", said);
}

static int judge_end(const struct exporting *x, struct err *e)
{
    char what[128];
    const struct child_end *end = &x->end.how;
    if (end->asked_to_end)
        snprintf(what, sizeof what, "it was ended because %s came (signal %d)", strsignal(end->asked_to_end),
                 end->asked_to_end);
    else if (end->timed_out)
        snprintf(what, sizeof what, "it took longer than %d s and was ended; CPPROF_EXPORT_SECONDS gives it more",
                 limit_seconds());
    else if (end->signal)
        snprintf(what, sizeof what, "it was ended by signal %d (%s)", end->signal, strsignal(end->signal));
    else if (end->exit_status)
        snprintf(what, sizeof what, "it ended with %d", end->exit_status);
    else
        return 0;
    return fail(x, end->asked_to_end || end->timed_out ? ERR_ENVIRONMENT : ERR_INPUT, what, e);
}

/* The descriptor of what it exported, which the caller closes; below 0: none. */
static int result_of(const struct exporting *x)
{
    return writes_a_file(x->tool) ? open(str_text(&x->result), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
                                  : fcntl(x->output_fd, F_DUPFD_CLOEXEC, 0);
}

static int take_result(const struct exporting *x, FILE **out, struct err *e)
{
    struct stat info;
    const int fd = result_of(x);
    if (fd < 0 || fstat(fd, &info) || !S_ISREG(info.st_mode) || !info.st_size) {
        if (fd >= 0)
            close(fd);
        return fail(x, ERR_INPUT, "it ended well and wrote nothing", e);
    }
    if (!lseek(fd, 0, SEEK_SET) && (*out = fdopen(fd, "rb")))
        return 0;
    close(fd);
    return err_memory(e);
}

static int export_into(struct exporting *x, FILE **out, struct err *e)
{
    x->output_fd = scratch_file_open(e);
    int rc = x->output_fd < 0 ? x->output_fd : scratch_folder_make(&x->folder, e);
    if (rc)
        str_clear(&x->folder); /* there is none to remove */
    files_join(&x->result, str_text(&x->folder), "export.sqlite");
    add_path(&x->report, x->path);
    if (!rc && (x->result.failed || x->report.failed))
        rc = err_memory(e);
    if (!rc)
        rc = run(x, e);
    if (!rc)
        rc = judge_end(x, e);
    return rc ? rc : take_result(x, out, e);
}

/* Only now may what asked us to end have us. */
static void release(struct exporting *x)
{
    const int asked = x->end.how.asked_to_end;
    if (x->folder.length)
        files_remove_tree(str_text(&x->folder), NULL);
    if (x->output_fd >= 0)
        close(x->output_fd);
    str_release(&x->folder);
    str_release(&x->result);
    str_release(&x->report);
    str_release(&x->end.said);
    held_signals_free(x->signals);
    if (asked)
        raise(asked);
}

int report_export(const char *path, enum tool_report report, FILE **out, struct err *e)
{
    struct exporting x = {.tool = &tools[report], .path = path, .output_fd = -1};
    *out = NULL;
    int rc = find_tool(&x.program, x.tool, e);
    if (rc || !x.program)
        return rc ? rc : refuse_without(x.tool, path, e);
    rc = held_signals_new(&x.signals, e);
    if (!rc)
        rc = export_into(&x, out, e);
    release(&x);
    return rc;
}
