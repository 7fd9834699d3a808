/* Is the library a guest that nobody notices, and is what it leaves behind the truth? */
#define _GNU_SOURCE
#include "guest_scene.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "core/base/count_of.h"
#include "core/base/str.h"

static void an_idle_program(void **state)
{
    struct scene *s = *state;
    expect_run(s, "idle", 6, NULL);
    expect_state(s, "ended");
    expect_kernels(s, 0);
    expect_missing(s, NULL);
    assert_true(json_is_null(json_object_get(s->report, "rank")));
    assert_int_equal(json_object_size(json_object_get(s->report, "dropped")), 0);
    assert_string_equal(json_get_text(json_object_get(s->report, "cupti"), "library", ""), "CPPROF_CUPTI");
}

static void a_plain_program(void **state)
{
    struct scene *s = *state;
    expect_run(s, "plain", 7, NULL);
    expect_state(s, "ended");
    expect_kernels(s, 6);
    expect_missing(s, NULL);
    assert_int_equal(member(s, "collector", "records"), 6);
    assert_int_equal(member(s, "collector", "buffers"), 2);
    assert_int_equal(member(s, "collector", "lent_buffers"), 0);
    assert_true(member(s, "collector", "cpu_ns") > 0 && member(s, "collector", "callbacks_ns") > 0);
    assert_true(member(s, "collector", "trace_bytes") > 6 * 96);
}

static void standard_output_that_is_closed(void **state)
{
    expect_run(*state, "closed_stdio", 7, NULL);
    expect_state(*state, "ended");
    expect_kernels(*state, 5);
    expect_missing(*state, NULL);
}

/* What was on disk is there, and the rest is said to be lost. */
static void a_program_that_closes_our_file(void **state)
{
    struct scene *s = *state;
    expect_run(s, "closed_files", 7, NULL);
    expect_kernels(s, 5);
    expect_missing(s, "the program has closed its file");
    assert_int_equal(member(s, "dropped", "kernel"), 5);
}

static void nothing_is_asked(void **state)
{
    struct scene *s = *state;
    static const char *const settings[] = {"CPPROF_CAPTURE_DIR=", NULL};
    struct dirent **names;
    run(s, "idle", settings);
    assert_true(WIFEXITED(s->status) && WEXITSTATUS(s->status) == 6);
    assert_string_equal(s->printed, "");
    assert_int_equal(scandir(s->folder, &names, is_report, by_name), 0);
    free(names);
}

static void many_threads(void **state)
{
    expect_run(*state, "threads", 0, NULL);
    expect_state(*state, "ended");
    expect_kernels(*state, 4 * 50 * 10);
}

static void waits_know_their_thread(void **state)
{
    struct scene *s = *state;
    struct err e = {0};
    struct cpprof_event call, wait, lonely;
    expect_run(s, "waits", 0, NULL);
    assert_int_equal(event_stream_count(s->stream), 3);
    assert_int_equal(event_stream_next(s->stream, &call, &e), 1);
    assert_int_equal(event_stream_next(s->stream, &wait, &e), 1);
    assert_int_equal(event_stream_next(s->stream, &lonely, &e), 1);
    assert_true(call.kind == CPPROF_EVENT_API && call.thread == 4321);
    assert_true(wait.kind == CPPROF_EVENT_SYNC && wait.thread == 4321 && wait.stream == 7 && wait.start_ns == 10);
    assert_true(lonely.kind == CPPROF_EVENT_SYNC && lonely.thread == 0 && lonely.start_ns == 30);
}

static void only_the_kernels_asked_for(void **state)
{
    struct scene *s = *state;
    static const char *const settings[] = {"CPPROF_CAPTURE_KERNELS=^tile\\(", NULL};
    expect_run(s, "kernels", 0, settings);
    assert_int_equal(event_stream_count(s->stream), 2);
    assert_int_equal(member(s, "collector", "filtered"), 4);
    assert_int_equal(json_object_size(json_object_get(s->report, "dropped")), 0);
}

static void the_default_records(void **state)
{
    expect_run(*state, "defaults", 0, NULL);
}

static void all_calls_and_whole_graphs(void **state)
{
    static const char *const settings[] = {"CPPROF_CAPTURE_TRACE=api", "CPPROF_CAPTURE_GRAPHS=graph", NULL};
    struct scene *s = *state;
    expect_run(s, "everything", 0, settings);
    assert_string_equal(json_get_text(json_object_get(s->report, "scope"), "trace", ""), "api");
    assert_string_equal(json_get_text(json_object_get(s->report, "scope"), "graphs", ""), "graph");
}

static void callbacks_are_few(void **state)
{
    static const char *const settings[] = {"CPPROF_CAPTURE_RANGE=step", NULL};
    expect_run(*state, "callbacks", 0, settings);
}

/* Numbers 2 and 4: the launch and the wait. */
static void only_the_calls_asked_for(void **state)
{
    static const char *const settings[] = {"CPPROF_CAPTURE_FROM_START=off", NULL};
    struct scene *s = *state;
    struct err e = {0};
    struct cpprof_event event;
    expect_run(s, "calls", 0, settings);
    for (uint32_t i = 2; i <= 4; i += 2) {
        assert_int_equal(event_stream_next(s->stream, &event, &e), 1);
        assert_true(event.kind == CPPROF_EVENT_API && event.correlation == i);
    }
    assert_int_equal(event_stream_next(s->stream, &event, &e), 0);
}

static void launches_without_work(void **state)
{
    expect_run(*state, "launches_alone", 0, NULL);
    expect_missing(*state, "recorded calls that launch (1) and no work of theirs");
}

static void launches_of_other_kernels(void **state)
{
    static const char *const settings[] = {"CPPROF_CAPTURE_KERNELS=tile", NULL};
    expect_run(*state, "launches_alone", 0, settings);
    expect_missing(*state, NULL);
}

static void migrations_when_memory_is_managed(void **state)
{
    static const char *const settings[] = {"CPPROF_CAPTURE_FLUSH_MS=60000", "CPPROF_CAPTURE_MIGRATIONS=on", NULL};
    expect_run(*state, "managed", 0, settings);
    expect_missing(*state, "pages that moved in the first ");
}

static void all_migrations_where_calls_are_seen(void **state)
{
    static const char *const settings[] = {"CPPROF_CAPTURE_RANGE=step", "CPPROF_CAPTURE_MIGRATIONS=on", NULL};
    expect_run(*state, "managed_at_once", 0, settings);
    expect_missing(*state, NULL);
}

static void migrations_that_nobody_asked_for(void **state)
{
    static const char *const range[] = {"CPPROF_CAPTURE_RANGE=step", NULL};
    expect_run(*state, "managed_without", 0, NULL);
    expect_missing(*state, "recorded with --migrations only");
    close_scene(state);
    open_scene(state);
    expect_run(*state, "managed_without_in_range", 0, range);
    expect_missing(*state, "recorded with --migrations only");
}

/* Linked in is not launched. */
static void kernels_that_launch_kernels(void **state)
{
    static const struct {
        const char *scene, *library, *setting, *missing;
    } rows[] = {
        {"device_code_alone", "FAKE_LIBRARY=" FAKE_NCCL, NULL, NULL},
        {"device_launches_linked", "FAKE_LIBRARY=" FAKE_RUNTIME, NULL, NULL},
        {"device_launches", "FAKE_LIBRARY=" FAKE_RUNTIME, NULL, "the kernel 'direct' can launch kernels or graphs"},
        {"device_launches", "FAKE_LIBRARY=" FAKE_RUNTIME, "CPPROF_CAPTURE_KERNELS=leaf", "the kernel 'direct' can"},
        {"device_launches_in_range", "FAKE_LIBRARY=" FAKE_RUNTIME, "CPPROF_CAPTURE_FROM_START=off",
         "the kernel 'direct'"},
        {"device_launches_unreadable", "FAKE_LIBRARY=", "CPPROF_CAPTURE_FROM_START=off", "3 bytes are no cubin"},
        {"device_launches_unshown", "FAKE_LIBRARY=", "CPPROF_CAPTURE_FROM_START=off", "0 bytes are no cubin"},
        {"device_launches_many", "FAKE_LIBRARY=", "CPPROF_CAPTURE_FROM_START=off", "the kernel 'k100000' can"},
        {"device_launches_too_many", "FAKE_LIBRARY=", "CPPROF_CAPTURE_FROM_START=off", "too many kernels can launch"},
        {"device_launches_late", "FAKE_LIBRARY=" FAKE_RUNTIME, "CPPROF_CAPTURE_FLUSH_MS=50", "was loaded after CUDA"},
        {"device_launches_refused", "FAKE_LIBRARY=" FAKE_RUNTIME, NULL, "another profiler may be attached"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *const settings[] = {"FAKE_CUBIN=" FAKE_CUBIN, rows[i].library, rows[i].setting, NULL};
        expect_run(*state, rows[i].scene, 0, settings);
        expect_missing(*state, rows[i].missing);
        close_scene(state);
        open_scene(state);
    }
}

/* Bytes of 0x20 are of the part of a GPU that the process has, 0x10 of the whole. A driver that does not say is no GPU
 * of zeros. */
static void gpus_are_known_by_uuid(void **state)
{
    const struct {
        const char *driver, *refusal, *uuid;
    } rows[] = {
        {new_driver, NULL, "GPU-20202020-2020-2020-2020-202020202020"},
        {old_driver, NULL, "GPU-10101010-1010-1010-1010-101010101010"},
        {new_driver, "FAKE_NO_UUID=1", ""},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct scene *s = *state;
        struct str setting;
        str_init(&setting);
        str_addf(&setting, "TEST_DRIVER=%s", rows[i].driver);
        const char *const settings[] = {str_text(&setting), rows[i].refusal, NULL};
        expect_run(s, "gpus", 0, settings);
        str_release(&setting);
        const json_t *gpus = json_object_get(s->report, "gpus");
        assert_int_equal(json_array_size(gpus), 1);
        assert_string_equal(json_get_text(json_array_get(gpus, 0), "uuid", ""), rows[i].uuid);
        close_scene(state);
        open_scene(state);
    }
}

static void senseless_settings(void **state)
{
    static const struct {
        const char *settings[2];
        const char *why;
    } rows[] = {
        {{"CPPROF_CAPTURE_FLUSH_MS=soon", NULL}, "CPPROF_CAPTURE_FLUSH_MS is 'soon'"},
        {{"CPPROF_CAPTURE_TRACE=all", NULL}, "neither 'launch' nor 'api'"},
        {{"CPPROF_CAPTURE_KERNELS=(", NULL}, "is no extended regular expression"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        expect_no_trace(*state, "idle", 6, rows[i].settings, rows[i].why);
        close_scene(state);
        open_scene(state);
    }
}

static void ranks(void **state)
{
    static const struct {
        const char *settings[6];
        int rank;
        const char *source;
    } rows[] = {
        {{"OMPI_COMM_WORLD_RANK=3", NULL}, 3, "OMPI_COMM_WORLD_RANK"},
        {{"PMI_RANK=2", "SLURM_PROCID=1", "SLURM_STEP_ID=0", NULL}, 2, "PMI_RANK"},
        {{"SLURM_PROCID=1", "SLURM_STEP_ID=0", NULL}, 1, "SLURM_PROCID"},
        {{"SLURM_PROCID=0", NULL}, -1, NULL}, /* a batch script, no step */
        {{"RANK=5", "WORLD_SIZE=8", "SLURM_PROCID=1", "SLURM_STEP_ID=0", NULL}, 5, "RANK"},
        {{"RANK=5", NULL}, -1, NULL}, /* anybody's variable */
        {{"OMPI_COMM_WORLD_RANK=x", NULL}, -1, NULL},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct scene *s = *state;
        expect_run(s, "idle", 6, rows[i].settings);
        assert_int_equal(json_get_integer(s->report, "rank", -1), rows[i].rank);
        assert_string_equal(json_get_text(s->report, "rank_source", "none"), rows[i].source ? rows[i].source : "none");
        close_scene(state);
        open_scene(state);
    }
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        SCENE_TEST(an_idle_program),
        SCENE_TEST(a_plain_program),
        SCENE_TEST(launches_without_work),
        SCENE_TEST(launches_of_other_kernels),
        SCENE_TEST(standard_output_that_is_closed),
        SCENE_TEST(a_program_that_closes_our_file),
        SCENE_TEST(nothing_is_asked),
        SCENE_TEST(many_threads),
        SCENE_TEST(waits_know_their_thread),
        SCENE_TEST(only_the_kernels_asked_for),
        SCENE_TEST(the_default_records),
        SCENE_TEST(all_calls_and_whole_graphs),
        SCENE_TEST(callbacks_are_few),
        SCENE_TEST(only_the_calls_asked_for),
        SCENE_TEST(migrations_when_memory_is_managed),
        SCENE_TEST(all_migrations_where_calls_are_seen),
        SCENE_TEST(migrations_that_nobody_asked_for),
        SCENE_TEST(kernels_that_launch_kernels),
        SCENE_TEST(gpus_are_known_by_uuid),
        SCENE_TEST(senseless_settings),
        SCENE_TEST(ranks),
    };
    return scene_take(count, arguments) ? cmocka_run_group_tests(tests, NULL, NULL) : 2;
}
