/* Which part of the records becomes a picture, and is it bounded? */
#include "tests/unit/written_run.h"

#include "analyzers/inside/inside_lanes.h"
#include "core/base/count_of.h"

#define RECORD "f/v+record"

/* 2 cycles a ns, 3 phases a tile. */
static void start(struct written_run *r)
{
    written_begin(r, 2);
    add_row(r, BUNDLE_VARIANTS, RECORD "|m");
    for (int mark = 0; mark < 3; mark++)
        add_row(r, BUNDLE_INSIDE_PHASES, RECORD "|m|0|%d|other|all|phase%d|%d|0", mark, mark, mark + 1);
}

static void block(struct written_run *r, int device, int number, int tiles)
{
    add_row(r, BUNDLE_INSIDE_WARPS, RECORD "|m|0|%d|0|0|0|100|0|50000|0|100000|%d", number, device);
    for (int t = 0; t < tiles; t++)
        add_row(r, BUNDLE_INSIDE_TILES, RECORD "|m|0|%d|0|%d|%d|%d|%d|%d", number, t, 1000 * t, 1000 * t + 100,
                1000 * t + 300, 1000 * t + 900);
}

static struct inside_lanes_list ask(struct written_run *r)
{
    struct inside_lanes_list l;
    MUST(analysis_join(&r->analysis, &e));
    MUST(inside_lanes_read(&l, r->analysis.run, &e));
    return l;
}

/* SM 0 of GPU 1 has 24 tiles, SM 0 of GPU 0 has 16: they are two. */
static void an_sm_is_one_of_its_device(void **state)
{
    (void)state;
    struct written_run run;
    start(&run);
    block(&run, 0, 0, 16);
    block(&run, 1, 1, 24);
    struct inside_lanes_list l = ask(&run);
    assert_int_equal(l.arms.count, 1);
    const struct inside_lanes *arm = &l.arms.items[0];
    assert_int_equal(arm->device, 1);
    assert_int_equal(arm->lanes.count, 1);
    assert_int_equal(arm->lanes.items[0].block, 1);
    assert_int_equal(arm->spans.count, 3 * 24);
    assert_int_equal(arm->tiles, 24);
    assert_int_equal(arm->tiles_left_out, 16);
    assert_int_equal(arm->spans.items[1].begin_ns, 50);
    assert_int_equal(arm->spans.items[1].end_ns, 150);
    inside_lanes_release(&l);
    written_end(&run);
}

/* Four windows of 8 tiles of one block: 3 * 32 spans. Of 30 blocks a window has 3 * 8 * 30 = 720, so two fit. Of 90 it
 * has 2,160: 83 blocks with 24 each fit, 1,992. */
static void a_picture_is_bounded(void **state)
{
    (void)state;
    static const struct {
        int blocks;
        size_t spans;
        int64_t last_tile, left_out;
    } cases[] = {{1, 96, 31, 8}, {30, 1440, 15, 30 * 24}, {90, 1992, 7, 90 * 40 - 83 * 8}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct written_run run;
        start(&run);
        for (int k = 0; k < cases[i].blocks; k++)
            block(&run, 0, k, 40);
        struct inside_lanes_list l = ask(&run);
        const struct inside_lanes *arm = &l.arms.items[0];
        assert_int_equal(arm->device, -1);
        assert_int_equal(arm->spans.count, cases[i].spans);
        assert_int_equal(arm->last_tile, cases[i].last_tile);
        assert_int_equal(arm->tiles_left_out, cases[i].left_out);
        inside_lanes_release(&l);
        written_end(&run);
    }
}

/* Phases that overlap stand in further lanes of their warp. */
static void what_overlaps_gets_a_lane(void **state)
{
    (void)state;
    struct written_run run;
    start(&run);
    add_row(&run, BUNDLE_INSIDE_PHASES, RECORD "|m|0|0|compute|all|long|3|0");
    block(&run, 0, 0, 8);
    struct inside_lanes_list l = ask(&run);
    const struct inside_lanes *arm = &l.arms.items[0];
    assert_int_equal(arm->lanes.count, 2);
    assert_int_equal(arm->lanes.items[1].line, 1);
    assert_int_equal(arm->spans.count, 4 * 8);
    for (size_t i = 1; i < arm->spans.count; i++)
        assert_true(arm->spans.items[i].lane != arm->spans.items[i - 1].lane ||
                    arm->spans.items[i - 1].end_ns <= arm->spans.items[i].begin_ns);
    inside_lanes_release(&l);
    written_end(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_sm_is_one_of_its_device),
        cmocka_unit_test(a_picture_is_bounded),
        cmocka_unit_test(what_overlaps_gets_a_lane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
