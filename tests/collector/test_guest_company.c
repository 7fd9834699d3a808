/* What when CUPTI is not there, refuses, or is somebody else's? */
#define _GNU_SOURCE
#include "guest_scene.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/files.h"
#include "core/base/str.h"

static void a_program_that_takes_cupti_over(void **state)
{
    expect_run(*state, "taken_over", 0, NULL);
    expect_missing(*state, "1 buffers of records never came back");
}

static void what_cupti_refuses_is_told_and_tried_again(void **state)
{
    static const char *const settings[] = {"CPPROF_CAPTURE_FROM_START=off", NULL};
    struct scene *s = *state;
    expect_run(s, "refused_for_a_while", 0, settings);
    expect_state(s, "ended");
    expect_kernels(s, 5);
    expect_missing(s, "tried again every second: CUPTI failed to start tracing: ");
}

static void a_refusal_is_told_at_once(void **state)
{
    static const char *const settings[] = {"CPPROF_CAPTURE_FROM_START=off", NULL};
    struct scene *s = *state;
    expect_run(s, "refused_and_killed", -SIGKILL, settings);
    expect_state(s, "running");
    expect_missing(s, "tried again every second: CUPTI failed to start tracing: ");
}

static void another_profiler(void **state)
{
    static const char *const settings[] = {"CPPROF_CAPTURE_FROM_START=off", NULL};
    expect_no_trace(*state, "refused", 11, settings, "another profiler is attached");
}

static void another_subscriber(void **state)
{
    expect_run(*state, "subscribed_by_another", 7, NULL);
    expect_kernels(*state, 6);
    expect_missing(*state, NULL);
}

/* What it has registered for before CUDA begins would be lost to it. */
static void a_program_linked_with_cupti(void **state)
{
    const char *const usual = host;
    host = linked_host;
    expect_no_trace(*state, "idle", 6, NULL, "the program is linked with CUPTI");
    host = usual;
}

static void no_cupti(void **state)
{
    struct str setting;
    str_init(&setting);
    str_addf(&setting, "CPPROF_CUPTI=%s", library); /* a library, but no CUPTI */
    const char *const settings[] = {str_text(&setting), NULL};
    expect_no_trace(*state, "idle", 6, settings, "lacks cuptiGetVersion");
    str_release(&setting);
}

/* The second library is not beside the first: no trace comes instead. */
static void counters_without_their_library(void **state)
{
    static const char *const settings[] = {"CPPROF_METRICS=sm__cycles_active.avg", NULL};
    struct scene *s = *state;
    const char *beside_the_other = library;
    char alone[] = "/tmp/cpprof-alone-XXXXXX";
    struct str link;
    str_init(&link);
    assert_non_null(mkdtemp(alone));
    assert_int_equal(symlink(library, files_join(&link, alone, "libcpprof_inject.so")), 0);
    library = str_text(&link);
    expect_no_trace(s, "idle", 6, settings, "libcpprof_counters.so cannot be loaded");
    library = beside_the_other;
    files_remove_tree(alone, NULL);
    str_release(&link);
    assert_string_equal(json_get_text(json_array_get(json_object_get(s->report, "missing"), 0), "what", ""),
                        "counters");
}

/* CUPTI is asked to count, and refuses, which the second library tells in a file of its own. */
static void counters_in_a_domain_older_than_cuda(void **state)
{
    static const char *const settings[] = {"CPPROF_METRICS=sm__cycles_active.avg", "CPPROF_CAPTURE_RANGE=step@torch",
                                           NULL};
    struct scene *s = *state;
    struct str path;
    struct err e = {0};
    json_t *counters = NULL;
    str_init(&path);
    str_add_bytes(&path, library, (size_t)(strrchr(library, '/') + 1 - library));
    str_add(&path, "libcpprof_counters.so");
    if (!files_exists(str_text(&path))) { /* built for one of the two libraries */
        str_release(&path);
        skip();
    }
    run(s, "counters_range", settings);
    assert_string_equal(s->printed, "");
    assert_true(WIFEXITED(s->status) && WEXITSTATUS(s->status) == 0);
    read_report(s, 1);
    expect_missing(s, NULL);
    str_clear(&path);
    str_addf(&path, "%s/counters-%lld.json", s->folder, (long long)json_get_integer(s->report, "pid", 0));
    if (json_read_file(str_text(&path), &counters, &e))
        fail_msg("%s", e.text);
    str_release(&path);
    const json_t *missing = json_array_get(json_object_get(counters, "missing"), 0);
    assert_string_equal(json_get_text(missing, "what", ""), "counters");
    json_decref(counters);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        SCENE_TEST(a_program_that_takes_cupti_over),
        SCENE_TEST(what_cupti_refuses_is_told_and_tried_again),
        SCENE_TEST(a_refusal_is_told_at_once),
        SCENE_TEST(another_profiler),
        SCENE_TEST(another_subscriber),
        SCENE_TEST(a_program_linked_with_cupti),
        SCENE_TEST(no_cupti),
        SCENE_TEST(counters_without_their_library),
        SCENE_TEST(counters_in_a_domain_older_than_cuda),
    };
    return scene_take(count, arguments) ? cmocka_run_group_tests(tests, NULL, NULL) : 2;
}
