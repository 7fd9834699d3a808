/* Are waits at collectives drawn for any number of ranks and collectives? */
#define _GNU_SOURCE
#include "tests/unit/drawn_canvas.h"

#include <stdlib.h>

#include "core/base/count_of.h"
#include "reports/pictures/rank_picture.h"

static void assert_sound(const struct rank_picture *p)
{
    struct canvas c;
    struct str text;
    canvas_init(&c, CANVAS_WIDTH, 0);
    str_init(&text);
    rank_picture_draw(p, &c);
    assert_good_canvas(&c);
    rank_picture_write(p, &text);
    assert_good_characters(str_text(&text));
    rank_picture_say(p, &text);
    assert_true(text.length > 0 && !text.failed);
    str_release(&text);
    canvas_release(&c);
}

/* Rank r waits r at each meeting, whose transfer is 100; at the meeting `slow` it waits 10 r. All wait for rank 0. */
static struct rank_meetings made(size_t ranks, size_t meetings, size_t slow)
{
    struct rank_meetings m = {0};
    m.kernel_ns = calloc(ranks * meetings, sizeof *m.kernel_ns);
    for (size_t r = 0; r < ranks; r++) {
        struct meeting_rank *rank = ARRAY_PUSH(&m.ranks);
        *rank = (struct meeting_rank){.rank = (int32_t)r, .waited_ns = (int64_t)(r * (meetings + 9))};
    }
    for (size_t r = 1; r < ranks; r++)
        m.ranks.items[0].caused_ns += m.ranks.items[r].waited_ns;
    for (size_t i = 0; i < meetings; i++) {
        struct meeting *meeting = ARRAY_PUSH(&m.meetings);
        *meeting = (struct meeting){1, 100, 0};
        for (size_t r = 0; r < ranks; r++)
            m.kernel_ns[i * ranks + r] = 100 + (int64_t)(r * (i == slow ? 10 : 1));
    }
    return m;
}

/* 130 meetings in 60 columns are 3 each, in 44: the slow one, number 7, stands in the third. Of 20 ranks those from 5
 * on wait longest, and rank 0, which waits least, is what they wait for. */
static void columns_show_the_longest_wait(void **state)
{
    (void)state;
    struct rank_meetings m = made(20, 130, 7);
    static struct rank_picture p;
    assert_true(rank_picture_of(&p, &m));
    assert_int_equal(p.steps_each, 3);
    assert_int_equal(p.step_count, 44);
    assert_int_equal(p.row_count, RANK_ROWS_MAX);
    assert_int_equal(p.rows_left_out, 4);
    assert_string_equal(p.rows[0].label, "rank 0");
    assert_string_equal(p.rows[1].label, "rank 5");
    assert_int_equal(p.rows[1].cells[1].waited_ns, 5);
    assert_int_equal(p.rows[1].cells[2].waited_ns, 50);
    assert_int_equal(p.transfer_ns, 13000);
    assert_sound(&p);
    /* The sum of r * 139 over 1 to 19 is 190 * 139. */
    struct str says;
    str_init(&says);
    rank_picture_say(&p, &says);
    assert_non_null(strstr(str_text(&says), "others wait most for rank 0, 26.4 us"));
    str_release(&says);
    rank_meetings_release(&m);
}

static void any_number_is_drawn(void **state)
{
    (void)state;
    static const size_t ranks[] = {2, 3, 16, 40}, meetings[] = {1, 2, 9, 60, 61, 5000};
    static struct rank_picture p;
    for (size_t i = 0; i < COUNT_OF(ranks); i++)
        for (size_t k = 0; k < COUNT_OF(meetings); k++) {
            struct rank_meetings m = made(ranks[i], meetings[k], 0);
            assert_true(rank_picture_of(&p, &m));
            assert_sound(&p);
            rank_meetings_release(&m);
        }
    struct rank_meetings none = {.doubt = MEETINGS_NONE};
    assert_false(rank_picture_of(&p, &none));
}

/* One process with two GPUs has one rank, and two devices. */
static void devices_of_a_rank_have_names(void **state)
{
    (void)state;
    struct rank_meetings m = made(2, 3, 0);
    static struct rank_picture p;
    m.ranks.items[0].rank = m.ranks.items[1].rank = 5;
    m.ranks.items[1].device = 1;
    assert_true(rank_picture_of(&p, &m));
    assert_string_equal(p.rows[1].label, "rank 5, device 1");
    m.ranks.items[0].rank = m.ranks.items[1].rank = -1;
    assert_true(rank_picture_of(&p, &m));
    assert_string_equal(p.rows[1].label, "device 1");
    rank_meetings_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_show_the_longest_wait),
        cmocka_unit_test(any_number_is_drawn),
        cmocka_unit_test(devices_of_a_rank_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
