/* Which markers are one range, and how many may wait for their other half? */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "collector/activity/range_pairs.h"
#include "tests/test.h"

struct scene {
    char path[32];
    struct shard_writer shard;
    struct range_pairs pairs;
};

static int open_scene(void **state)
{
    struct scene *s = calloc(1, sizeof *s);
    snprintf(s->path, sizeof s->path, "/tmp/cpprof-pairs-XXXXXX");
    close(mkstemp(s->path));
    unlink(s->path);
    *state = s;
    return shard_writer_open(&s->shard, s->path, -1, 0, NULL);
}

static int close_scene(void **state)
{
    struct scene *s = *state;
    range_pairs_release(&s->pairs);
    shard_writer_close(&s->shard, NULL);
    unlink(s->path);
    free(s);
    return 0;
}

static int take_end(struct scene *s, uint32_t id, uint64_t at_ns)
{
    struct cpprof_event event;
    const CUpti_ActivityMarker2 marker = {.kind = CUPTI_ACTIVITY_KIND_MARKER,
                                          .flags = CUPTI_ACTIVITY_FLAG_MARKER_END,
                                          .timestamp = at_ns,
                                          .id = id,
                                          .objectKind = CUPTI_ACTIVITY_OBJECT_THREAD};
    return range_pairs_take(&s->pairs, &marker, &s->shard, &event);
}

/* One each millisecond, as of a range that switches recording on: after 65,536 of them those of the first 55 s go, and
 * never do more wait than these and what may come within the next 65,536. */
static void owed_ends_do_not_pile_up(void **state)
{
    struct scene *s = *state;
    struct cpprof_event event;
    for (uint32_t i = 1; i <= 300000; i++) {
        assert_int_equal(take_end(s, i, i * 1000000ull), 0);
        range_pairs_owe_end(&s->pairs, (int64_t)i * 1000000);
        assert_true(s->pairs.count <= 65536 + 10001);
    }
    assert_false(range_pairs_next_open(&s->pairs, &event));
    assert_int_equal(s->pairs.ends_owed, 0);
}

/* Three came, two are told by somebody else; a fourth that is owed never comes. */
static void what_is_not_owed_is_told(void **state)
{
    struct scene *s = *state;
    struct cpprof_event event;
    for (uint32_t i = 1; i <= 3; i++)
        assert_int_equal(take_end(s, i, 100), 0);
    range_pairs_owe_end(&s->pairs, 100);
    range_pairs_owe_end(&s->pairs, 100);
    assert_true(range_pairs_next_open(&s->pairs, &event));
    assert_true(event.start_ns == 100 && event.end_ns == 100 && !event.name && !event.flags);
    assert_false(range_pairs_next_open(&s->pairs, &event));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(owed_ends_do_not_pile_up, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(what_is_not_owed_is_told, open_scene, close_scene),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
