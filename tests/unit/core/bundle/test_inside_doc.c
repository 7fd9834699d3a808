/* Does docs/inside.md still describe the bytes that a kernel with marks reads and writes? */
#include <stdio.h>
#include <string.h>

#include "cpprof/inside.h"
#include "tests/test.h"
#include "tests/unit/page_tables.h"

static int load_page(void **state)
{
    static struct page page;
    page_load(&page, "docs/inside.md");
    *state = &page;
    return 0;
}

static int release_page(void **state)
{
    page_release(*state);
    return 0;
}

static void layouts_are_those_of_the_page(void **state)
{
    static const struct page_field warp[] = {
        PAGE_FIELD(cpprof_inside_warp, begin_ns),    PAGE_FIELD(cpprof_inside_warp, end_ns),
        PAGE_FIELD(cpprof_inside_warp, begin_cycle), PAGE_FIELD(cpprof_inside_warp, end_cycle),
        PAGE_FIELD(cpprof_inside_warp, sm),          PAGE_FIELD(cpprof_inside_warp, role),
        PAGE_FIELD(cpprof_inside_warp, tiles),       PAGE_FIELD(cpprof_inside_warp, warp),
    };
    static const struct page_field settings[] = {
        PAGE_FIELD(cpprof_inside_settings, warps),        PAGE_FIELD(cpprof_inside_settings, records),
        PAGE_FIELD(cpprof_inside_settings, blocks),       PAGE_FIELD(cpprof_inside_settings, seats_per_block),
        PAGE_FIELD(cpprof_inside_settings, tiles),        PAGE_FIELD(cpprof_inside_settings, every_mask),
        PAGE_FIELD(cpprof_inside_settings, limit),        PAGE_FIELD(cpprof_inside_settings, warp_mask),
        PAGE_FIELD(cpprof_inside_settings, delay_cycles),
    };
    page_expect_layout(*state, "\n### Seat of a warp\n", warp, COUNT_OF(warp));
    page_expect_layout(*state, "\n### Settings\n", settings, COUNT_OF(settings));
}

/* A reader steps by these sizes, and a kernel that is not CUDA C has them as numbers: 2 * 8 + 6 * 4 = 40,
 * 2 * 8 + 7 * 4 = 44, padded to 48, 8 marks of 4 bytes. */
static void sizes_are_those_that_records_have(void **state)
{
    assert_int_equal(sizeof(struct cpprof_inside_warp), 40);
    assert_int_equal(sizeof(struct cpprof_inside_settings), 48);
    assert_int_equal(CPPROF_MARKS_MAX * sizeof(uint32_t), 32);
    assert_int_equal(CPPROF_WINDOW_TILES, 8);
    page_section(*state, "40 bytes in each seat");
    page_section(*state, "48 bytes, of which the last 4 are padding");
    page_section(*state, "32 bytes a tile");
    page_section(*state, "windows of 8 tiles");
}

static void kinds_are_those_of_the_page(void **state)
{
    static const struct {
        const char *name;
        enum cpprof_phase_kind kind;
    } kinds[] = {
        {"OTHER", CPPROF_PHASE_OTHER},         {"ISSUE", CPPROF_PHASE_ISSUE},     {"WAIT", CPPROF_PHASE_WAIT},
        {"TRANSFORM", CPPROF_PHASE_TRANSFORM}, {"COMPUTE", CPPROF_PHASE_COMPUTE}, {"POLL", CPPROF_PHASE_POLL},
    };
    const char *row = page_table(*state, "\n### Kinds of phases\n");
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        char text[64];
        snprintf(text, sizeof text, "| %d | `CPPROF_PHASE_%s` |", (int)kinds[i].kind, kinds[i].name);
        row = page_row(row);
        page_expect_row(*state, row, text);
    }
    assert_null(page_row(row));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layouts_are_those_of_the_page),
        cmocka_unit_test(sizes_are_those_that_records_have),
        cmocka_unit_test(kinds_are_those_of_the_page),
    };
    return cmocka_run_group_tests(tests, load_page, release_page);
}
