/* Which tiles and warps of an SM are shown, and where does the slack stand? */
#define _GNU_SOURCE
#include "tests/unit/drawn_canvas.h"

#include <math.h>

#include "analyzers/analysed.h"
#include "analyzers/inside/inside_lanes.h"
#include "core/base/count_of.h"
#include "reports/pictures/inside_picture.h"

static void assert_sound(const struct lanes_picture *p)
{
    struct canvas c;
    struct str text;
    canvas_init(&c, CANVAS_WIDTH, 0);
    str_init(&text);
    lanes_picture_draw(p, &c);
    assert_good_canvas(&c);
    lanes_picture_write(p, false, &text);
    assert_good_characters(str_text(&text));
    str_release(&text);
    canvas_release(&c);
}

/* Block 3: a warp that loads, two that attend, copies. Block 4 is another one. Tile t of the first attending warp waits
 * [100 t, 100 t + 20) and computes up to 100 t + 90; eight tiles. */
static struct inside_lanes made(void)
{
    static const struct lane rows[] = {
        {3, 0, "load", 0}, {3, 1, "attend", 0}, {3, 2, "attend", 0}, {3, 0, NULL, 0}, {4, 0, "load", 0}};
    struct inside_lanes l = {.variant = "f/v+record", .config = "m", .device = -1, .last_tile = 7};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        *ARRAY_PUSH(&l.lanes) = rows[i];
    for (int64_t t = 0; t < 8; t++) {
        *ARRAY_PUSH(&l.spans) = (struct lane_span){
            .lane = 0, .name = "issue", .kind = "issue", .tile = t, .begin_ns = 100 * t, .end_ns = 100 * t + 10};
        for (size_t warp = 1; warp <= 2; warp++) {
            *ARRAY_PUSH(&l.spans) = (struct lane_span){
                .lane = warp, .name = "full", .kind = "wait", .tile = t, .begin_ns = 100 * t, .end_ns = 100 * t + 20};
            *ARRAY_PUSH(&l.spans) = (struct lane_span){.lane = warp,
                                                       .name = "math",
                                                       .kind = "compute",
                                                       .tile = t,
                                                       .begin_ns = 100 * t + 20,
                                                       .end_ns = 100 * t + 90};
        }
        *ARRAY_PUSH(&l.spans) = (struct lane_span){.lane = 3,
                                                   .name = "copy",
                                                   .kind = "copy",
                                                   .tile = t,
                                                   .begin_ns = 100 * t,
                                                   .end_ns = 100 * t + 50,
                                                   .is_copy = true,
                                                   .is_censored = true,
                                                   .earliest_ns = 100 * t + 30,
                                                   .latest_ns = 100 * t + 70};
    }
    return l;
}

/* A slack that cannot be stated has no bracket; one that hides all delays reaches to what was proven. */
static void a_slack_is_what_was_proven(void **state)
{
    (void)state;
    static const struct {
        enum slack_status status;
        struct bounded ns;
        bool is_shown;
        const char *text;
    } cases[] = {{SLACK_HIDDEN, {.value = 50, .low = 50, .high = NAN}, true, "may begin at least 50 ns later for free"},
                 {SLACK_PARTLY, {.value = 9, .low = 0, .high = 20}, true, "may begin 0 ns to 20 ns later for free"},
                 {SLACK_PARTLY, {.value = 0, .low = 0, .high = 20}, false, NULL},
                 {SLACK_CRITICAL, {.value = 9, .low = 1, .high = 20}, false, NULL},
                 {SLACK_UNSTEADY, {.value = 9, .low = 1, .high = 20}, false, NULL},
                 {SLACK_INCONCLUSIVE, {.value = 9, .low = 1, .high = 20}, false, NULL},
                 {SLACK_PARTLY, {.value = NAN, .low = NAN, .high = NAN}, false, NULL}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct slack slack = {.status = cases[i].status, .slack_ns = cases[i].ns};
        struct str text;
        str_init(&text);
        assert_int_equal(inside_slack_is_shown(&slack), cases[i].is_shown);
        inside_slack_add(&text, &slack);
        if (cases[i].text)
            assert_string_equal(str_text(&text), cases[i].text);
        str_release(&text);
    }
}

static void release(struct inside_lanes *l)
{
    free(l->lanes.items);
    free(l->spans.items);
}

static void middle_tiles_of_one_block_are_shown(void **state)
{
    (void)state;
    static const char *const names[] = {"math"};
    struct inside_lanes l = made();
    struct slack slack = {.role_name = "attend",
                          .names = names,
                          .name_count = 1,
                          .status = SLACK_PARTLY,
                          .slack_ns = {.value = 30, .low = 20, .high = 40}};
    struct lanes_picture p;
    struct arena arena;
    arena_init(&arena);
    assert_true(inside_picture_of(&p, &l, NULL, NULL, &slack, &arena));
    assert_int_equal(p.begin_ns, 220); /* math of tiles 2 to 5 */
    assert_int_equal(p.end_ns, 590);
    assert_non_null(strstr(p.axis, l.variant)); /* a report may have several pictures */
    assert_int_equal(p.lane_count, 3);
    assert_string_equal(p.labels[0], "load, warp 0");
    assert_string_equal(p.labels[1], "attend, warp 1");
    assert_string_equal(p.labels[2], "copies of tiles");
    assert_true(p.bracket.is_there && p.bracket.has_lane && p.bracket.lane == 1);
    assert_int_equal(p.bracket.begin_ns, 220);
    assert_int_equal(p.bracket.end_ns, 260);
    assert_string_equal(p.bracket.text, "math may begin 20 ns to 40 ns later for free");
    size_t waits = 0, arrivals = 0;
    for (size_t i = 0; i < p.boxes.count; i++) {
        waits += p.boxes.items[i].look == LANE_WAIT;
        arrivals += p.boxes.items[i].look == LANE_ARRIVAL;
    }
    assert_int_equal(waits, 3);    /* of tiles 3, 4, 5 */
    assert_int_equal(arrivals, 4); /* of tiles 2 to 5 */
    assert_sound(&p);
    lanes_picture_release(&p);
    release(&l);
    arena_release(&arena);
}

/* A second line of copies, one of which is under way in tile 2 or, in the other case, in tile 7, which is not shown. */
static void a_line_without_anything_is_not_shown(void **state)
{
    (void)state;
    for (int is_shown = 0; is_shown < 2; is_shown++) {
        struct inside_lanes l = made();
        struct lanes_picture p;
        struct arena arena;
        arena_init(&arena);
        *ARRAY_PUSH(&l.lanes) = (struct lane){3, 0, NULL, 1};
        *ARRAY_PUSH(&l.spans) = (struct lane_span){.lane = 5,
                                                   .name = "copy",
                                                   .kind = "copy",
                                                   .is_copy = true,
                                                   .begin_ns = is_shown ? 250 : 700,
                                                   .end_ns = is_shown ? 280 : 780};
        assert_true(inside_picture_of(&p, &l, NULL, NULL, NULL, &arena));
        assert_int_equal(p.lane_count, is_shown ? 4 : 3);
        assert_sound(&p);
        lanes_picture_release(&p);
        release(&l);
        arena_release(&arena);
    }
}

/* Tiles 0 to 7 and 64 to 71: those in the middle, 6, 7, 64 and 65, do not follow one another, so 6 and 7 are shown. */
static void windows_are_not_mixed(void **state)
{
    (void)state;
    struct inside_lanes l = made();
    struct lanes_picture p;
    struct arena arena;
    arena_init(&arena);
    for (int64_t t = 64; t < 72; t++)
        *ARRAY_PUSH(&l.spans) = (struct lane_span){
            .lane = 1, .name = "math", .kind = "compute", .tile = t, .begin_ns = 100 * t, .end_ns = 100 * t + 90};
    assert_true(inside_picture_of(&p, &l, NULL, NULL, NULL, &arena));
    assert_int_equal(p.begin_ns, 620);
    assert_int_equal(p.end_ns, 790);
    assert_false(p.bracket.is_there);
    assert_sound(&p);
    lanes_picture_release(&p);
    release(&l);
    struct inside_lanes empty = {0};
    assert_false(inside_picture_of(&p, &empty, NULL, NULL, NULL, &arena));
    lanes_picture_release(&p);
    arena_release(&arena);
}

/* Below the lanes stand the samples of one launch, or of all of them where they could be folded: the axis begins with
 * the math of tile 2, at 220 ns, and the points at 150 and 250 ns stand for 100 ns each. */
static void folded_launches_are_drawn_below(void **state)
{
    (void)state;
    struct inside_lanes l = made();
    struct inside_fold_point points[] = {{150, 0.25, 0, 4}, {250, 0.5, 0, 4}};
    struct inside_fold_unit unit = {.unit = "fma", .points = points, .point_count = 2};
    struct inside_sample sample = {.begin_ns = 0, .taken_ns = 1000, .fma = 0.125, .l1_request = 0.25};
    const struct inside_samples samples = {.items = {&sample, 1, 1}};
    for (int is_ok = 0; is_ok < 2; is_ok++) {
        struct lanes_picture p;
        struct arena arena;
        const struct inside row = {.of = "f/v",
                                   .series = {{.work = "fma"}},
                                   .series_count = 1,
                                   .fold = {.step_ns = 100, .units = &unit, .unit_count = 1, .is_ok = is_ok}};
        arena_init(&arena);
        assert_true(inside_picture_of(&p, &l, &row, &samples, NULL, &arena));
        assert_int_equal(p.curve_count, is_ok ? 1 : 2); /* requests were not folded */
        assert_string_equal(p.curves[0].label, "fma");
        assert_int_equal(p.curves[0].steps.count, 1);
        const struct lane_step *step = &p.curves[0].steps.items[0];
        assert_true(step->value == (is_ok ? 0.5 : 0.125));
        assert_true(step->begin_ns == (double)p.begin_ns);
        assert_true(is_ok ? step->end_ns == 300 : step->end_ns == (double)p.end_ns);
        assert_sound(&p);
        lanes_picture_release(&p);
        arena_release(&arena);
    }
    release(&l);
}

/* Every recorded inside becomes sound pictures. */
static void recorded_insides_are_drawn(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        size_t pictures;
        const char *says; /* of those without one */
    } examples[] = {{"warpspec", 1, NULL},
                    {"wgmma", 1, NULL},
                    {"one-cta", 2, NULL},
                    {"allreduce", 2, "Of 4 recorded arms 2 have a picture"}};
    for (size_t i = 0; i < COUNT_OF(examples); i++) {
        static struct analysed a;
        struct inside_lanes_list list;
        struct arena arena;
        struct err e = {0};
        char path[512];
        snprintf(path, sizeof path, SOURCE_DIRECTORY "/examples/inside/%s.cpprof", examples[i].path);
        arena_init(&arena);
        assert_int_equal(analysed_open(&a, path, NULL, &e), 0);
        assert_int_equal(inside_lanes_read(&list, a.analysis.run, &e), 0);
        for (size_t k = 0; k < list.arms.count; k++) {
            struct lanes_picture p;
            assert_true(inside_picture_of(&p, &list.arms.items[k], NULL, NULL, NULL, &arena));
            assert_sound(&p);
            lanes_picture_release(&p);
        }
        struct document d;
        document_init(&d);
        inside_picture_add(&a.analysis, &d); /* a first screen has one */
        assert_int_equal(d.count, 1);
        document_tier(&d, TIER_SECTIONS);
        inside_picture_add(&a.analysis, &d);
        assert_false(d.failed);
        assert_int_equal(d.count, 1 + examples[i].pictures);
        char *text = document_text(&d, "html");
        assert_int_equal(!strstr(text, "have a picture"), !examples[i].says);
        assert_true(!examples[i].says || strstr(text, examples[i].says));
        free(text);
        document_release(&d);
        inside_lanes_release(&list);
        analysed_release(&a);
        arena_release(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(middle_tiles_of_one_block_are_shown),  cmocka_unit_test(a_slack_is_what_was_proven),
        cmocka_unit_test(a_line_without_anything_is_not_shown), cmocka_unit_test(windows_are_not_mixed),
        cmocka_unit_test(folded_launches_are_drawn_below),      cmocka_unit_test(recorded_insides_are_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
