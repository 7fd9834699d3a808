/* How is a program with the library in it run, and what did it leave behind? */
#define _GNU_SOURCE
#include "guest_scene.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/files.h"
#include "core/base/str.h"

const char *host, *library, *fake_cupti, *linked_host, *new_driver, *old_driver;

bool scene_take(int count, char **arguments)
{
    if (count != 7) {
        fprintf(stderr, "usage: %s HOST LIBRARY FAKE_CUPTI LINKED_HOST NEW_DRIVER OLD_DRIVER\n", arguments[0]);
        return false;
    }
    host = arguments[1];
    library = arguments[2];
    fake_cupti = arguments[3];
    linked_host = arguments[4];
    new_driver = arguments[5];
    old_driver = arguments[6];
    return true;
}

void run(struct scene *s, const char *name, const char *const *settings)
{
    int out[2];
    assert_int_equal(pipe(out), 0);
    const pid_t pid = fork();
    if (!pid) {
        dup2(out[1], STDOUT_FILENO);
        dup2(out[1], STDERR_FILENO);
        close(out[0]);
        close(out[1]);
        setenv("CPPROF_CAPTURE_DIR", s->folder, 1);
        setenv("CPPROF_CAPTURE_FLUSH_MS", "50", 1);
        setenv("CPPROF_CUPTI", fake_cupti, 1);
        setenv("CUDA_INJECTION64_PATH", library, 1);
        for (; settings && *settings; settings++)
            putenv((char *)(uintptr_t)*settings);
        execl(host, "guest_host", name, (char *)NULL);
        _exit(127);
    }
    close(out[1]);
    size_t length = 0;
    for (ssize_t got; length < sizeof s->printed - 1 &&
                      (got = read(out[0], s->printed + length, sizeof s->printed - 1 - length)) > 0;)
        length += (size_t)got;
    s->printed[length] = '\0';
    close(out[0]);
    assert_int_equal(waitpid(pid, &s->status, 0), pid);
}

double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

int is_report(const struct dirent *entry)
{
    return !strncmp(entry->d_name, "process-capture-", 16) && strstr(entry->d_name, ".json") &&
           !strcmp(strstr(entry->d_name, ".json"), ".json");
}

void read_report(struct scene *s, int count)
{
    struct dirent **names;
    struct str path;
    struct err e = {0};
    assert_int_equal(scandir(s->folder, &names, is_report, by_name), count);
    str_init(&path);
    if (json_read_file(files_join(&path, s->folder, names[0]->d_name), &s->report, &e))
        fail_msg("%s", e.text);
    str_release(&path);
    for (int i = 0; i < count; i++)
        free(names[i]);
    free(names);
    assert_string_equal(json_get_text(s->report, "role", ""), "capture");
    assert_string_equal(json_get_text(s->report, "program", ""), strrchr(host, '/') + 1);
}

void open_trace(struct scene *s)
{
    struct str path;
    struct err e = {0};
    str_init(&path);
    files_join(&path, s->folder, json_get_text(s->report, "trace", "none"));
    if (event_stream_open(&s->stream, str_text(&path), &e))
        fail_msg("%s", e.text);
    str_release(&path);
}

void expect_run(struct scene *s, const char *name, int status, const char *const *settings)
{
    run(s, name, settings);
    assert_string_equal(s->printed, "");
    if (status < 0 ? !WIFSIGNALED(s->status) || WTERMSIG(s->status) != -status
                   : !WIFEXITED(s->status) || WEXITSTATUS(s->status) != status)
        fail_msg("'%s' ended with %x, expected %d", name, (unsigned)s->status, status);
    read_report(s, 1);
    open_trace(s);
}

int open_scene(void **state)
{
    struct scene *s = calloc(1, sizeof *s);
    snprintf(s->folder, sizeof s->folder, "/tmp/cpprof-guest-XXXXXX");
    assert_non_null(mkdtemp(s->folder));
    *state = s;
    return 0;
}

int close_scene(void **state)
{
    struct scene *s = *state;
    event_stream_free(s->stream);
    json_decref(s->report);
    files_remove_tree(s->folder, NULL);
    free(s);
    return 0;
}

void expect_state(const struct scene *s, const char *state)
{
    assert_string_equal(json_get_text(s->report, "state", ""), state);
    const bool ended = !strcmp(state, "ended");
    assert_string_equal(json_get_text(s->report, "ended_by", "nothing"), ended ? "exit" : "nothing");
    bool closed = true;
    const struct caveat_list *caveats = event_stream_caveats(s->stream);
    for (size_t i = 0; i < caveats->count; i++)
        closed &= !strstr(caveats->items[i].text, "before its trace was closed");
    assert_int_equal(closed, ended);
}

void expect_kernels(struct scene *s, uint32_t count)
{
    struct err e = {0};
    struct cpprof_event event;
    assert_int_equal(event_stream_count(s->stream), count);
    for (uint32_t i = 1; i <= count; i++) {
        assert_int_equal(event_stream_next(s->stream, &event, &e), 1);
        assert_int_equal(event.kind, CPPROF_EVENT_KERNEL);
        assert_int_equal(event.correlation, i);
    }
}

long long member(const struct scene *s, const char *object, const char *key)
{
    return json_get_integer(json_object_get(s->report, object), key, 0);
}

void expect_missing(const struct scene *s, const char *why)
{
    json_t *list = json_object_get(s->report, "missing");
    assert_int_equal(json_array_size(list), why != NULL);
    if (why && !strstr(json_get_text(json_array_get(list, 0), "why", ""), why))
        fail_msg("'%s' does not say '%s'", json_get_text(json_array_get(list, 0), "why", ""), why);
}

bool has_caveat(const struct scene *s, enum caveat_kind kind, const char *part)
{
    const struct caveat_list *caveats = event_stream_caveats(s->stream);
    for (size_t i = 0; i < caveats->count; i++)
        if (caveats->items[i].kind == kind && strstr(caveats->items[i].text, part))
            return true;
    return false;
}

void expect_no_trace(struct scene *s, const char *name, int status, const char *const *settings, const char *why)
{
    run(s, name, settings);
    assert_string_equal(s->printed, "");
    assert_true(WIFEXITED(s->status) && WEXITSTATUS(s->status) == status);
    read_report(s, 1);
    assert_string_equal(json_get_text(s->report, "state", ""), "ended");
    assert_true(json_is_null(json_object_get(s->report, "trace")));
    expect_missing(s, why);
}
