/* How does the collector get into somebody else's program, and what did it leave? */
#define _GNU_SOURCE
#include "cli/record/capture_session.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/record/child_process.h"
#include "cli/record/installed_part.h"
#include "cli/record/runner_process.h"
#include "core/base/files.h"
#include "core/base/shard_copy.h"
#include "core/base/shard_cut.h"

enum { SETTLE_MS = 2000, LOOK_MS = 20 };

#define PROCESS_REPORT "process-capture-*.json"
#define CUDA_INJECTION "CUDA_INJECTION64_PATH"
#define NVTX_INJECTION "NVTX_INJECTION64_PATH"
#define NCCL_PLUGIN    "NCCL_PROFILER_PLUGIN"

enum { NCCL_PATH_BYTES_MAX = 254 }; /* NCCL cuts a longer one */

extern char **environ;

/* ---- the library ---- */

int capture_library_find(struct str *path, struct err *e)
{
    static const struct installed_part library = {"libcpprof_inject.so",
                                                  "CPPROF_INJECT",
                                                  R_OK,
                                                  {"../lib/cpprof/libcpprof_inject.so",
                                                   "../lib64/cpprof/libcpprof_inject.so",
                                                   "../collector/inject/libcpprof_inject.so", NULL}};
    char absolute[PATH_MAX];
    int rc = installed_part_find(&library, path, e);
    if (rc)
        return rc;
    if (!path->length)
        return err_set(e, ERR_ENVIRONMENT,
                       "libcpprof_inject.so was not found (../lib/cpprof beside cpprof, or CPPROF_INJECT): it is built "
                       "where there is a CUDA 13 toolkit, and records what a program does on the GPU");
    if (!realpath(str_text(path), absolute)) /* the program may change its folder */
        return err_set(e, ERR_ENVIRONMENT, "cannot find '%s': %s", str_text(path), strerror(errno));
    str_clear(path);
    str_add(path, absolute);
    return path->failed ? err_memory(e) : 0;
}

/* CUDA loads one library: whose is there would be replaced by us, or we by it. */
static int refuse_other_profilers(struct err *e)
{
    static const char *const variables[] = {CUDA_INJECTION, NVTX_INJECTION};
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        const char *value = getenv(variables[i]);
        if (value && *value)
            return err_set(e, ERR_USAGE,
                           "%s is set to '%s': another profiler is to be loaded into the program; unset it, or run "
                           "cpprof outside of that profiler",
                           variables[i], value);
    }
    return 0;
}

int capture_session_init(struct capture_session *s, struct err *e)
{
    *s = (struct capture_session){0};
    str_init(&s->library);
    int rc = refuse_other_profilers(e);
    if (!rc)
        rc = capture_library_find(&s->library, e);
    if (!rc)
        rc = held_signals_new(&s->signals, e);
    return rc;
}

void capture_session_release(struct capture_session *s)
{
    held_signals_free(s->signals);
    str_release(&s->library);
}

int capture_session_asked_to_end(const struct capture_session *s)
{
    return held_signals_next(s->signals);
}

/* ---- the environment ---- */

static bool has_name(const char *entry, const char *name)
{
    const size_t length = strlen(name);
    return !strncmp(entry, name, length) && entry[length] == '=';
}

/* What speaks to the guest is ours alone; what an earlier one was told is not for this one. */
static bool is_for_guest(const char *entry)
{
    return (!strncmp(entry, "CPPROF_CAPTURE_", strlen("CPPROF_CAPTURE_")) && !has_name(entry, "CPPROF_CAPTURE_LOG")) ||
           has_name(entry, "CPPROF_METRICS") || has_name(entry, CUDA_INJECTION) || has_name(entry, NVTX_INJECTION) ||
           !strcmp(entry, NCCL_PLUGIN "=");
}

const char *capture_session_other_plugin(void)
{
    const char *value = getenv(NCCL_PLUGIN);
    return value && *value ? value : NULL;
}

/* NCCL loads one plugin, and the program's own goes first. */
static bool takes_collectives(const struct capture_session *s, const struct capture_scope *scope)
{
    return !capture_session_other_plugin() && !scope->metrics && s->library.length <= NCCL_PATH_BYTES_MAX;
}

/* Takes them out of what the program inherits, and adds what it is given. */
static int add_given(struct runner_arguments *list, const struct capture_child *c, struct err *e)
{
    const char *const *given = c->program.environment;
    int rc = 0;
    for (char **entry = environ; *entry && c->directory && !rc; entry++)
        if (is_for_guest(*entry))
            rc = runner_argument(list, e, "%.*s", (int)strcspn(*entry, "="), *entry);
    for (size_t i = 0; given && given[i] && !rc; i++)
        rc = runner_argument(list, e, "%s", given[i]);
    return rc;
}

static int add_scope(struct runner_arguments *list, const struct capture_scope *scope, struct err *e)
{
    const struct {
        const char *name, *text;
        long number; /* 0: not given */
    } settings[] = {
        {"CPPROF_CAPTURE_TRACE", scope->trace, 0},
        {"CPPROF_CAPTURE_GRAPHS", scope->graphs, 0},
        {"CPPROF_CAPTURE_RANGE", scope->range, 0},
        {"CPPROF_CAPTURE_WHEN", scope->when, 0},
        {"CPPROF_CAPTURE_KERNELS", scope->kernels, 0},
        {"CPPROF_CAPTURE_FROM_START", scope->from_start_off ? "off" : NULL, 0},
        {"CPPROF_CAPTURE_MIGRATIONS", scope->migrations ? "on" : NULL, 0},
        {"CPPROF_CAPTURE_DELAY_MS", NULL, scope->delay_ms},
        {"CPPROF_CAPTURE_DURATION_MS", NULL, scope->duration_ms},
        {"CPPROF_CAPTURE_FLUSH_MS", NULL, scope->flush_ms},
        {"CPPROF_CAPTURE_MEMORY_MB", NULL, scope->memory_mb},
        {"CPPROF_CAPTURE_SAMPLE_NS", NULL, scope->sample_ns},
        {"CPPROF_METRICS", scope->metrics, 0},
        {"CPPROF_CAPTURE_LAUNCHES", scope->launches, 0},
        {"CPPROF_CAPTURE_REPLAY_MS", NULL, scope->replay_ms},
        {"CPPROF_CAPTURE_CAUSAL", scope->causal, 0},
        {"CPPROF_CAPTURE_DOSES", scope->causal ? scope->doses : NULL, 0},
    };
    int rc = 0;
    for (size_t i = 0; i < sizeof settings / sizeof settings[0] && !rc; i++) {
        if (settings[i].text)
            rc = runner_argument(list, e, "%s=%s", settings[i].name, settings[i].text);
        else if (settings[i].number)
            rc = runner_argument(list, e, "%s=%ld", settings[i].name, settings[i].number);
    }
    return rc;
}

static int add_guest(struct runner_arguments *list, const struct capture_session *s, const struct capture_child *c,
                     struct err *e)
{
    static const struct capture_scope everything;
    const struct capture_scope *scope = c->scope ? c->scope : &everything;
    char directory[PATH_MAX];
    if (!realpath(c->directory, directory))
        return err_set(e, ERR_ENVIRONMENT, "cannot find the folder '%s': %s", c->directory, strerror(errno));
    int rc = runner_argument(list, e, "CPPROF_CAPTURE_DIR=%s", directory);
    if (!rc)
        rc = runner_argument(list, e, CUDA_INJECTION "=%s", str_text(&s->library));
    if (!rc)
        rc = runner_argument(list, e, NVTX_INJECTION "=%s", str_text(&s->library));
    if (!rc && takes_collectives(s, scope))
        rc = runner_argument(list, e, NCCL_PLUGIN "=%s", str_text(&s->library));
    return rc ? rc : add_scope(list, scope, e);
}

int capture_session_run(const struct capture_session *s, const struct capture_child *c, struct capture_end *end,
                        struct err *e)
{
    struct runner_arguments environment = {0};
    *end = (struct capture_end){.exit_status = -1};
    int rc = add_given(&environment, c, e);
    if (!rc && c->directory)
        rc = add_guest(&environment, s, c, e);
    struct child_request program = c->program;
    program.environment = (const char *const *)environment.items;
    if (!rc)
        rc = child_process_run(s->signals, &program, c->seconds, end, e);
    runner_arguments_release(&environment);
    return rc;
}

int capture_end_status(const struct capture_end *end)
{
    return end->signal ? 128 + end->signal : end->exit_status;
}

/* ---- what was left ---- */

static int is_report(const struct dirent *entry)
{
    return !fnmatch(PROCESS_REPORT, entry->d_name, 0);
}

int capture_session_left(const char *directory, json_t **processes, struct err *e)
{
    struct dirent **names = NULL;
    struct str path;
    const int count = scandir(directory, &names, is_report, versionsort);
    *processes = NULL;
    if (count < 0)
        return err_set(e, ERR_ENVIRONMENT, "cannot list '%s': %s", directory, strerror(errno));
    str_init(&path);
    *processes = json_array();
    int rc = *processes ? 0 : err_memory(e);
    for (int i = 0; i < count; i++) {
        json_t *process = NULL;
        if (!rc && !json_read_file(files_join(&path, directory, names[i]->d_name), &process, NULL) &&
            json_array_append_new(*processes, process))
            rc = err_memory(e);
        free(names[i]);
    }
    free(names);
    str_release(&path);
    return rc;
}

/* A process that nobody has waited for is there, but does nothing any more, unless
 * only its first thread has ended. */
static bool is_alive(pid_t pid)
{
    char path[64], text[1024], state = 'R';
    long threads = 1;
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    FILE *file = pid > 0 ? fopen(path, "re") : NULL;
    if (!file)
        return false;
    const size_t got = fread(text, 1, sizeof text - 1, file);
    text[got] = '\0';
    fclose(file);
    const char *name_end = strrchr(text, ')'); /* the name may hold anything */
    if (name_end)                              /* the third field, then the twentieth */
        sscanf(name_end + 1, " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %ld", &state,
               &threads);
    return (state != 'Z' && state != 'X') || threads > 1;
}

static bool has_not_ended(const json_t *process)
{
    return !strcmp(json_get_text(process, "state", ""), "running");
}

static bool is_running(const json_t *process)
{
    return has_not_ended(process) && is_alive((pid_t)json_get_integer(process, "pid", 0));
}

static size_t count_running(const json_t *processes)
{
    size_t count = 0;
    for (size_t i = 0; i < json_array_size(processes); i++)
        count += is_running(json_array_get(processes, i));
    return count;
}

static int wait_a_moment(const char *directory, json_t **processes, struct err *e)
{
    const struct timespec look = {.tv_nsec = LOOK_MS * 1000000L};
    int rc = capture_session_left(directory, processes, e);
    for (int waited_ms = 0; !rc && waited_ms < SETTLE_MS && count_running(*processes); waited_ms += LOOK_MS) {
        nanosleep(&look, NULL);
        json_decref(*processes);
        rc = capture_session_left(directory, processes, e);
    }
    return rc;
}

/* The report of trace-<pid>-<n>.bin is process-capture-<pid>-<n>.json. */
static const char *report_of(struct str *path, const char *directory, const char *trace)
{
    const size_t head = strlen("trace-"), tail = strlen(".bin");
    str_clear(path);
    str_addf(path, "%s/process-capture-%.*s.json", directory, (int)(strlen(trace) - head - tail), trace + head);
    return str_text(path);
}

/* The report tells of the loss before it is one: nothing is cut that cannot be told. */
static int cut_torn(const char *directory, json_t *process, const char *trace, struct err *e)
{
    struct shard_tail tail;
    struct str path, report;
    str_init(&path);
    str_init(&report);
    int rc = shard_tail_look(files_join(&path, directory, trace), &tail, e);
    if (!rc && tail.end == SHARD_TORN && files_exists(report_of(&report, directory, trace))) {
        if (json_object_set_new(process, "cut_bytes", json_integer((json_int_t)tail.torn_bytes)))
            rc = err_memory(e);
        if (!rc)
            rc = json_write_file(str_text(&report), process, e);
        if (!rc)
            rc = shard_tail_cut(str_text(&path), &tail, e);
    }
    str_release(&path);
    str_release(&report);
    return rc;
}

/* A process can be there and write no more: it has become another program. */
static int settle_shard(const char *directory, json_t *process, struct err *e)
{
    const char *trace = json_get_text(process, "trace", "");
    struct str path;
    if (!has_not_ended(process) || fnmatch("trace-*.bin", trace, 0) || strchr(trace, '/'))
        return 0;
    str_init(&path);
    files_join(&path, directory, trace);
    const bool writes = is_running(process) && shard_tail_may_grow(str_text(&path));
    int rc = writes ? shard_copy_in_place(str_text(&path), e) : cut_torn(directory, process, trace, e);
    str_release(&path);
    return rc;
}

int capture_session_settle(const char *directory, size_t *outliving, struct err *e)
{
    json_t *processes = NULL;
    *outliving = 0;
    int rc = wait_a_moment(directory, &processes, e);
    for (size_t i = 0; i < json_array_size(processes); i++) {
        json_t *process = json_array_get(processes, i);
        *outliving += is_running(process);
        int settled = settle_shard(directory, process, rc ? NULL : e);
        rc = rc ? rc : settled;
    }
    json_decref(processes);
    return rc;
}
