/* Are the warps of a launch that does not end grouped by where they are, and does the run fail? */
#include "tests/unit/trial.h"

#include "analyzers/analysed.h"
#include "reports/document/block.h"
#include "reports/reports.h"

#define ARM "p/a+progress|m|0|"

static void begin(struct trial *t)
{
    scratch_create(&t->scratch);
    scratch_row(&t->scratch, BUNDLE_VARIANTS, "p/a|m|||||||ready|");
    scratch_row(&t->scratch, BUNDLE_VARIANTS, "p/a+progress|m|p/a||||||ready|");
}

static void warp(struct trial *t, const char *cells)
{
    char row[256];
    snprintf(row, sizeof row, ARM "%s|5000000000", cells);
    scratch_row(&t->scratch, BUNDLE_INSIDE_PROGRESS, row);
}

static const char *first_line(struct trial *t, char *line, size_t bytes)
{
    struct document d;
    struct err e = {0};
    document_init(&d);
    assert_int_equal(report_run(&t->analysis, &d, &e), 0);
    const size_t heading = 0;
    size_t used = 0;
    line[0] = '\0';
    for (size_t i = 0; i < d.items[heading].count; i++)
        used += (size_t)snprintf(line + used, bytes - used, "%s", d.items[heading].items[i].text);
    document_release(&d);
    return line;
}

static void expect_brief(const struct trial *t, const char *verdict, const char *reason)
{
    json_t *brief = json_brief_facts(&t->analysis);
    assert_string_equal(json_string_value(json_object_get(brief, "verdict")), verdict);
    if (reason)
        assert_string_equal(json_string_value(json_object_get(brief, "reason")), reason);
    json_decref(brief);
}

/* Columns: block, warp, SM, role, its name, tile, mark, phase, state, moves. */
static void warps_are_grouped(void **state)
{
    (void)state;
    struct trial t;
    char line[512];
    begin(&t);
    warp(&t, "0|0|7|0|loads|9|1|issue|ended|no");
    warp(&t, "0|4|7|1|works|7|0|wait|marked|no");
    warp(&t, "1|4|8|1|works|5|0|wait|marked|no");
    warp(&t, "2|4|9|1|works|5|0|wait|marked|yes");
    warp(&t, "3|4|9|1|works|6|2||marked|no");
    warp(&t, "3|0|9|0|loads||||begun|no");
    trial_judge(&t);
    assert_int_equal(t.analysis.hangs.count, 1);
    const struct hang *h = &t.analysis.hangs.items[0];
    assert_string_equal(h->variant, "p/a");
    assert_int_equal(h->warps, 6);
    assert_int_equal(h->ended, 1);
    assert_int_equal(h->moving, 1);
    assert_int_equal(h->group_count, 4);
    const struct hang_group *g = h->groups;
    assert_int_equal(g->warps, 3);
    assert_int_equal(g->mark, 0);
    assert_string_equal(g->phase, "wait");
    assert_int_equal(g->first_tile, 5);
    assert_int_equal(g->last_tile, 7);
    assert_int_equal(g->block, 1); /* the first of the two at tile 5 */
    assert_int_equal(g->sm, 8);
    assert_int_equal(g[1].role, 0); /* of groups of one warp the lower role */
    assert_string_equal(g[1].state, "begun");
    assert_int_equal(g[1].mark, -1);
    assert_string_equal(g[3].state, "ended");
    assert_int_equal(analysis_status(&t.analysis), EXIT_INCONCLUSIVE); /* one still moves */
    expect_brief(&t, "inconclusive", "still_moving");
    assert_string_equal(first_line(&t, line, sizeof line),
                        "p/a does not end after 5.00 s: 6 warps: 3 of role 'works' in 'wait' of tile 5 to 7 (first "
                        "block 1, SM 8), 1 of role 'loads' before the first mark (first block 3, SM 9), 1 of role "
                        "'works' behind mark 2 of tile 6 (first block 3, SM 9), 1 ended; 1 still move: it may only "
                        "need more time (--progress=SECONDS)");
    trial_end(&t);
}

static void others_are_said_in_words(void **state)
{
    (void)state;
    static const struct {
        const char *warp, *says;
    } rows[] = {
        {"|||||||| absent|", NULL}, /* no state: the table is damaged */
        {"||||||||absent|", "p/a does not end after 5.00 s: no warp with marks has begun"},
        {"0|0|7|0|loads|9|1|issue|ended|no",
         "p/a does not end after 5.00 s: 1 warp: 1 ended; it waits for warps without marks, or without room"},
        {"0|0|7|0|loads|9|8|issue|marked|no", NULL}, /* mark 8 */
        {"0|0|7|0|loads||1|issue|marked|no", NULL},  /* no tile */
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct trial t;
        char line[512];
        begin(&t);
        warp(&t, rows[i].warp);
        trial_judge(&t);
        assert_int_equal(t.analysis.hangs.count, rows[i].says ? 1 : 0);
        if (rows[i].says) {
            assert_int_equal(analysis_status(&t.analysis), EXIT_CHECK_FAILED);
            expect_brief(&t, "does_not_end", NULL);
            assert_string_equal(first_line(&t, line, sizeof line), rows[i].says);
        } else
            assert_int_equal(analysis_status(&t.analysis), EXIT_UNUSABLE_INPUT);
        trial_end(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(warps_are_grouped), cmocka_unit_test(others_are_said_in_words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
