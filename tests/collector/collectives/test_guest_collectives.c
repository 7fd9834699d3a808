/* Does what NCCL says of its collectives meet their kernels? */
#define _GNU_SOURCE
#include "tests/collector/guest_scene.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/count_of.h"
#include "core/base/str.h"
#include "core/trace/collective_notes.h"

struct expected {
    int64_t start_ns;
    const char *group, *operation;
    int64_t bytes, sequence;
    uint32_t group_size;
};

static void expect_notes(struct scene *s, const char *scene, const struct expected *rows, size_t count)
{
    struct event_stream *stream;
    struct collective_note note;
    struct err e = {0};
    char path[512];
    const char *paths[] = {path};
    expect_run(s, scene, 7, NULL);
    expect_state(s, "ended");
    expect_missing(s, NULL);
    snprintf(path, sizeof path, "%s/%s", s->folder, json_get_text(s->report, "trace", "none"));
    if (event_stream_open_as(&stream, paths, 1, &(struct event_stream_wish){.notes = true}, &e))
        fail_msg("%s", e.text);
    const struct strtab *strings = event_stream_strings(stream);
    assert_int_equal(event_stream_caveats(stream)->count, 0);
    assert_int_equal(event_stream_rewind_notes(stream, &e), 0);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(event_stream_next_note(stream, &note, &e), 1);
        assert_int_equal(note.start_ns, rows[i].start_ns);
        assert_string_equal(strtab_text(strings, note.group), rows[i].group);
        assert_string_equal(strtab_text(strings, note.operation), rows[i].operation);
        assert_int_equal(note.bytes, rows[i].bytes);
        assert_int_equal(note.sequence, rows[i].sequence);
        assert_int_equal(note.group_size, rows[i].group_size);
        assert_int_equal(note.stream, 7);
    }
    assert_int_equal(event_stream_next_note(stream, &note, &e), 0);
    event_stream_free(stream);
}

/* AllGather: 2 ranks give 100 elements of 4 bytes each, and the AllReduce beside it has 10. A graph's collectives have
 * no number, so the fourth AllReduce is the fifth of all. */
static void kernels_have_their_collective(void **state)
{
    static const struct expected rows[] = {
        {100010, "default_pg 0000000000001234", "AllReduce", 4000, 1, 2},
        {100030, "default_pg 0000000000001234", "", 10 * 4 + 100 * 4 * 2, 2, 2},
        {100040, "default_pg 0000000000001234", "AllReduce", 4000, 4, 2},
        {100050, "0000000000000077", "Broadcast", 32, 1, 4},
        {100070, "default_pg 0000000000001234", "AllReduce", 4000, 5, 2},
    };
    expect_notes(*state, "everything", rows, COUNT_OF(rows));
    assert_int_equal(member(*state, "collectives", "communicators"), 2);
    assert_int_equal(member(*state, "collectives", "collectives"), 7);
    assert_int_equal(member(*state, "collectives", "from_graphs"), 1);
    assert_int_equal(member(*state, "collectives", "stored"), 6);
}

/* AllReduce and AllGather count together, in the order of their reports. */
static void graphs_take_no_launch_of_a_call(void **state)
{
    static const struct expected rows[] = {
        {100020, "0000000000001234", "AllReduce", 4000, 1, 2},  {100030, "0000000000001234", "AllReduce", 8000, 2, 2},
        {100050, "0000000000001234", "AllReduce", 12000, 4, 2}, {100060, "0000000000001234", "AllGather", 80, 3, 2},
        {100070, "0000000000001234", "AllReduce", 16000, 5, 2}, {100080, "0000000000001234", "AllReduce", 20000, 6, 2},
    };
    expect_notes(*state, "graphs_and_calls", rows, COUNT_OF(rows));
    assert_int_equal(member(*state, "collectives", "collectives"), 8);
    assert_int_equal(member(*state, "collectives", "from_graphs"), 2);
    assert_int_equal(member(*state, "collectives", "stored"), 6);
    assert_int_equal(member(*state, "collectives", "misnumbered"), 0);
}

/* The graph's collective counted as the first one, so the AllGather behind it is one too high. */
static void numbers_that_graphs_disturb_are_counted(void **state)
{
    expect_run(*state, "graph_untold", 7, NULL);
    assert_int_equal(member(*state, "collectives", "misnumbered"), 1);
}

static void what_is_not_told_apart_has_no_note(void **state)
{
    static const struct expected rows[] = {
        {100010, "pg 0000000000001234", "ReduceScatter", 100 * 2 * 2, 1, 2},
        {100030, "pg 0000000000001234", "ReduceScatter", 100 * 2 * 2, 2, 2},
    };
    expect_notes(*state, "launches_untold", rows, COUNT_OF(rows));
}

static void a_communicator_may_be_named_late(void **state)
{
    static const struct expected rows[] = {{100010, "a (0] name 0000000000000099", "AllReduce", 48, 1, 0}};
    expect_notes(*state, "named_late", rows, 1);
}

static void a_forked_child_says_nothing(void **state)
{
    expect_run(*state, "forks", 7, NULL);
    assert_int_equal(member(*state, "collectives", "collectives"), 0);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        SCENE_TEST(kernels_have_their_collective),           SCENE_TEST(graphs_take_no_launch_of_a_call),
        SCENE_TEST(numbers_that_graphs_disturb_are_counted), SCENE_TEST(what_is_not_told_apart_has_no_note),
        SCENE_TEST(a_communicator_may_be_named_late),        SCENE_TEST(a_forked_child_says_nothing),
    };
    return scene_take(count, arguments) ? cmocka_run_group_tests(tests, NULL, NULL) : 2;
}
