/* Do the bars lead from one time to the other, and is the drawing sound? */
#define _GNU_SOURCE
#include "tests/unit/drawn_canvas.h"

#include <math.h>

#include "analyzers/analysed.h"
#include "core/base/count_of.h"
#include "reports/pictures/lost_time_picture.h"

#define WIN SOURCE_DIRECTORY "/examples/verdicts/win.cpprof"

static double sum_ns(const struct lost_time_picture *p)
{
    double sum = p->from_ns;
    for (size_t i = 0; i < p->count; i++)
        sum += p->bars[i].change_ns;
    return sum;
}

static void assert_sound(const struct lost_time_picture *p)
{
    struct canvas c;
    struct str text;
    canvas_init(&c, CANVAS_WIDTH, 0);
    str_init(&text);
    lost_time_picture_draw(p, &c);
    assert_good_canvas(&c);
    lost_time_picture_write(p, 0, &text);
    assert_good_characters(str_text(&text));
    lost_time_picture_say(p, &text);
    assert_false(text.failed);
    str_release(&text);
    canvas_release(&c);
}

/* Parts of the recorded arms, in the order of what they change; some 82 us of 306 us are the largest. */
static void a_win_adds_up(void **state)
{
    (void)state;
    static struct analysed a;
    struct err e = {0};
    struct lost_time_picture p;
    assert_int_equal(analysed_open(&a, WIN, NULL, &e), 0);
    assert_int_equal(a.analysis.comparisons.count, 1);
    assert_true(lost_time_picture_of(&p, &a.analysis, &a.analysis.comparisons.items[0]));
    assert_true(fabs(sum_ns(&p) - p.to_ns) < 1e-6);
    assert_string_equal(p.bars[0].name, "long_scoreboard");
    assert_true(p.bars[0].change_ns < -70e3 && p.bars[0].change_ns > -100e3); /* of some 110 us that are won */
    for (size_t i = 1; i < p.count; i++)
        assert_true(p.bars[i].kind > p.bars[i - 1].kind || p.bars[i].kind != LOST_BAR_PART ||
                    (p.bars[i - 1].change_ns < 0 && p.bars[i].change_ns > 0) ||
                    fabs(p.bars[i].change_ns) <= fabs(p.bars[i - 1].change_ns));
    assert_int_equal(p.bars[p.count - 1].kind, LOST_BAR_UNEXPLAINED);
    assert_sound(&p);
    analysed_release(&a);
}

/* Without times, and without parts of an arm, there is no picture. */
static void without_parts_there_is_no_picture(void **state)
{
    (void)state;
    static struct analysed a;
    struct err e = {0};
    struct lost_time_picture p;
    assert_int_equal(analysed_open(&a, WIN, NULL, &e), 0);
    struct comparison c = a.analysis.comparisons.items[0];
    c.candidate_ns = NAN;
    assert_false(lost_time_picture_of(&p, &a.analysis, &c));
    c.candidate_ns = 0;
    assert_false(lost_time_picture_of(&p, &a.analysis, &c));
    c = a.analysis.comparisons.items[0];
    c.cand.arm = NULL;
    assert_false(lost_time_picture_of(&p, &a.analysis, &c));
    c = a.analysis.comparisons.items[0];
    c.cand = c.base; /* nothing changes */
    c.candidate_ns = c.baseline_ns;
    assert_false(lost_time_picture_of(&p, &a.analysis, &c));
    analysed_release(&a);
}

static struct lost_bar bar(const char *name, enum lost_bar_kind kind, double change_ns)
{
    struct lost_bar b = {.kind = kind, .meaning = "a meaning", .change_ns = change_ns};
    snprintf(b.name, sizeof b.name, "%s", name);
    return b;
}

static void any_bars_are_drawn(void **state)
{
    (void)state;
    static const double times[][2] = {{300e3, 200e3}, {100, 1e12}, {1e12, 1}, {100e3, 100.5e3},
                                      {1, 1},         {NAN, 5},    {0, 0}};
    static const double changes[] = {-100, 3, NAN, INFINITY, -1e15, 0, 1e-9, -50e3};
    for (size_t i = 0; i < COUNT_OF(times); i++)
        for (size_t count = 0; count <= LOST_BARS_MAX; count += 41) {
            struct lost_time_picture p = {.from = "a<b>&\"\xff",
                                          .to = "\x1b[1mother\xc3",
                                          .config = "m",
                                          .from_ns = times[i][0],
                                          .to_ns = times[i][1]};
            while (p.count < count) {
                p.bars[p.count] = bar("stall <&> \xf0\x28 of a very long name that does not fit anywhere", p.count % 3,
                                      changes[p.count % 8]);
                p.count++;
            }
            assert_sound(&p);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_win_adds_up),
        cmocka_unit_test(without_parts_there_is_no_picture),
        cmocka_unit_test(any_bars_are_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
