/* Is what ranks cost drawn for any number of ranks and steps? */
#define _GNU_SOURCE
#include "tests/unit/drawn_canvas.h"

#include <stdlib.h>

#include "core/base/count_of.h"
#include "reports/pictures/rank_strip.h"

/* Rank r costs 100 * (r + 1) in all, 10 * (r + 1) of it in each of ten columns. */
static struct ranks made(size_t places, size_t columns)
{
    struct ranks r = {.columns = columns, .steps_each = 7, .columns_are_steps = true};
    r.strip_ns = calloc(places * columns, sizeof *r.strip_ns);
    for (size_t i = 0; i < places; i++) {
        struct rank_place *place = ARRAY_PUSH(&r.arrivals.places);
        struct rank_row *row = ARRAY_PUSH(&r.rows);
        struct rank_origin *origin = ARRAY_PUSH(&r.costs.origins);
        *place = (struct rank_place){.rank = (int32_t)i};
        *row = (struct rank_row){.place = (uint32_t)i, .caused_ns = (int64_t)(100 * (i + 1))};
        *origin = (struct rank_origin){.place = (uint32_t)i, .sum_ns = (int64_t)(100 * (i + 1))};
        for (size_t k = 0; k < columns; k++)
            r.strip_ns[i * columns + k] = (int64_t)(10 * (i + 1));
    }
    return r;
}

static void any_number_is_drawn(void **state)
{
    (void)state;
    static const size_t places[] = {2, 6, 7, 500}, columns[] = {1, 2, 59, 60};
    for (size_t i = 0; i < COUNT_OF(places); i++)
        for (size_t k = 0; k < COUNT_OF(columns); k++) {
            struct ranks r = made(places[i], columns[k]);
            struct arena arena;
            struct canvas canvas;
            struct str text;
            arena_init(&arena);
            const struct ranks_context c = {.arena = &arena, .r = &r};
            canvas_init(&canvas, CANVAS_WIDTH, 0);
            str_init(&text);
            rank_strip_draw(&c, &canvas);
            assert_good_canvas(&canvas);
            rank_strip_write(&c, &text);
            assert_good_characters(str_text(&text));
            str_release(&text);
            canvas_release(&canvas);
            arena_release(&arena);
            ranks_release(&r);
        }
}

/* Of ten ranks the last six cost most. */
static void the_dearest_are_shown(void **state)
{
    (void)state;
    struct ranks r = made(10, 10);
    uint32_t places[RANK_STRIP_ROWS];
    assert_int_equal(rank_strip_rows(&r, places), RANK_STRIP_ROWS);
    for (uint32_t i = 0; i < RANK_STRIP_ROWS; i++)
        assert_int_equal(places[i], 10 - RANK_STRIP_ROWS + i);
    ranks_release(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_is_drawn),
        cmocka_unit_test(the_dearest_are_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
