/* Does a page of solutions have a row for each, and each reason once, also where there are many? */
#include "tests/unit/solver_scene.h"

#include "reports/document/document.h"
#include "reports/reports.h"

enum { MANY = 30 };

static char *page_of(struct trial *t, const char *format, const struct document_view *view)
{
    struct document d;
    struct str text;
    document_init(&d);
    str_init(&text);
    MUST(report_run(&t->analysis, &d, &e));
    assert_int_equal(document_format_by_name(format)->render(&d, view, &text), 0);
    document_release(&d);
    return str_take(&text);
}

static size_t count_of(const char *text, const char *words)
{
    size_t count = 0;
    for (const char *at = strstr(text, words); at; at = strstr(at + 1, words))
        count++;
    return count;
}

static void assert_says(const char *text, const char *words, size_t times)
{
    if (count_of(text, words) != times)
        fail_msg("'%s' stands %zu times, not %zu, in:\n%s", words, count_of(text, words), times, text);
}

static const struct document_view screen = {.last = TIER_SCREEN}, narrow = {.last = TIER_SCREEN, .columns = 80},
                                  sections = {.last = TIER_SECTIONS}, all_of_it = {.last = TIER_ALL};

static const struct solver few[] = {
    {"v1", 100, 0, "", SYNC_SYMBOL, false, NULL, 200, NULL, 0},
    {"v2", 50, 0, "", SYNC_SYMBOL, false, NULL, 250, NULL, 0},
    {"v3", 10, 0.25, "the launch wrote into its input in; salt 01ab", SYNC_SYMBOL, false, NULL, 20, NULL, 0},
    {"v4", 10, 0.25, "the launch wrote into its input in; salt 01ab", SYNC_SYMBOL, false, NULL, 20, NULL, 0},
};

static void a_row_has_both_states_of_the_cache(void **state)
{
    (void)state;
    struct trial t;
    scene_judge(&t, few, COUNT_OF(few), "task");
    char *text = page_of(&t, "md", &screen);
    assert_says(text, "| solution | status | verdict | time | speedup | cold L2 | speedup | of light |\n", 1);
    assert_says(text, "\n| `v1` | pass | baseline | 100 us |  | 200 us |  | 1.0% (l2) |\n", 1);
    assert_says(text, "\n| `v2` | pass | faster | 50.0 us | 2.000x | 250 us | 0.800x | 2.0% (l2) |\n", 1);
    assert_says(text, "\n| `v3` | fail | unusable |  |  |  |  |  |\n", 1); /* its times say nothing */
    assert_says(text, "Checked:** 2 of 4 solutions pass; 6 of 12 results are right\n", 1);
    assert_says(text, "Shown", 0);
    free(text);
    trial_end(&t);
}

static void a_reason_stands_once(void **state)
{
    (void)state;
    struct trial t;
    scene_judge(&t, few, COUNT_OF(few), "task");
    char *text = page_of(&t, "md", &screen);
    assert_says(text, "Not passed", 1);
    assert_says(text, "`v3`, `v4`: 25.0% of the values at s are wrong: the launch wrote into its input in\n", 1);
    assert_says(text, "salt", 0);
    free(text);
    trial_end(&t);
}

/* Words that many causes share are left out, and no clause that has the subject of the next one. */
static void a_cause_is_short_and_stays_true(void **state)
{
    static const struct solver wrong[] = {
        {"v1", 100, 0, "", SYNC_SYMBOL, false, NULL, 200, NULL, 0},
        {"v2", 50, 0.25,
         "inputs changed just before a launch, and its outputs are not theirs: an earlier launch did it; salt 01ab",
         SYNC_SYMBOL, false, NULL, 250, NULL, 0},
        {"v3", 50, 1, "nobody judged it, since the judge is gone: it was ended by signal 9", SYNC_SYMBOL, false, NULL,
         250, NULL, 0},
    };
    struct trial t;
    (void)state;
    scene_judge(&t, wrong, COUNT_OF(wrong), "task");
    char *text = page_of(&t, "md", &screen);
    assert_says(text, "are wrong: an earlier launch did it\n", 1);
    assert_says(text, "are wrong: nobody judged it, since the judge is gone: it was ended by signal 9\n", 1);
    free(text);
    trial_end(&t);
}

static void a_page_says_what_was_not_verified(void **state)
{
    (void)state;
    static const struct solver three[] = {
        {"v1", 100, 0, "", SYNC_SYMBOL, false, NULL, 0, "24 timed outputs; salt 1", 0},
        {"v2", 50, 0, "", SYNC_SYMBOL, false, NULL, 0, "20 timed outputs without a gate; inside, salt 1", 0},
        {"v3", 50, 0, "", SYNC_SYMBOL, false, NULL, 0, "24 timed outputs; salt 1", 3}};
    struct trial t;
    scene_judge(&t, three, COUNT_OF(three), "task");
    char *text = page_of(&t, "md", &screen);
    assert_says(text,
                "Verified:** 60 timed outputs of each row or more: up to 5.0% of its launches may be wrong unseen", 1);
    assert_says(text, "Judged:** inside, without a gate: `v2`; a launch may have begun before the clock", 1);
    assert_says(text, "\n| `v2` | pass | inconclusive | 50.0 us | 2.000x |", 1);
    assert_says(text, "\n| `v3` | inconclusive | inconclusive |", 1);
    assert_says(text, "Not passed:** `v3`: its launches wait for the GPU inside their call", 1);
    free(text);
    text = page_of(&t, "md", &all_of_it);
    assert_says(text, " | verified |\n", 1);
    free(text);
    trial_end(&t);
}

/* Larger than the cache: such launches are not hot, and the page says so. */
static void a_page_says_what_is_not_hot(void **state)
{
    (void)state;
    static const struct solver one = {"v1", 0, 0, "", SYNC_SYMBOL, false, NULL, 0, "24 timed outputs; salt 1", 0};
    struct trial t;
    scratch_create(&t.scratch);
    json_object_set_new(t.scratch.manifest, "libraries", json_pack("[{s:s,s:s}]", "name", "l.so", "as", "task"));
    scene_add_solver(&t.scratch, &one);
    scene_add_counters(&t.scratch, &one);
    scene_add_times(&t.scratch, &one, "rotated", 100);
    scene_write_trace(&t.scratch, &one, 1);
    trial_judge(&t);
    char *text = page_of(&t, "md", &screen);
    assert_says(text, "the arrays of a series take twice the L2 cache (rotated)", 1);
    assert_says(text, "Verified:** 72 timed outputs", 1);
    free(text);
    trial_end(&t);
}

static void fill(struct solver *all, char names[MANY][8])
{
    static const char *const hints[] = {"", "the launch wrote into its input in", "allowed: 0", "beyond the end of out",
                                        "written before the launch"};
    for (size_t i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "v%zu", i + 1);
        const size_t hint = i < 22 ? 0 : 1 + i % 4; /* the last 8 are wrong */
        all[i] = (struct solver){
            names[i], 100 - (double)i, hint ? 0.5 : 0, hints[hint], SYNC_SYMBOL, false, NULL, 200 - (double)i, NULL, 0};
    }
}

/* v22 takes 79 us, and is the fastest that passes. */
static void a_screen_has_the_fastest_of_many(void **state)
{
    (void)state;
    struct solver all[MANY];
    char names[MANY][8];
    struct trial t;
    fill(all, names);
    scene_judge(&t, all, MANY, "task");
    char *text = page_of(&t, "text", &narrow);
    assert_true(count_of(text, "\n") <= 25);
    assert_says(text, "Shown: 7 of 30 rows, those that pass and the fastest first", 1);
    assert_says(text, "\nv1  ", 1);
    assert_says(text, "\nv22 ", 1);
    assert_says(text, "\nv17 ", 1);
    assert_says(text, "\nv16 ", 0);
    assert_says(text, "Not passed: v23, v27: ", 1);
    assert_says(text, "(and 1 more reason: see Solutions)", 1);
    assert_says(text, "22 of 30 solutions pass", 1);
    free(text);
    trial_end(&t);
}

static void a_page_has_all_of_them(void **state)
{
    (void)state;
    struct solver all[MANY];
    char names[MANY][8];
    struct trial t;
    fill(all, names);
    scene_judge(&t, all, MANY, "task");
    char *text = page_of(&t, "md", &sections);
    for (size_t i = 0; i < MANY; i++) {
        char row[32];
        snprintf(row, sizeof row, "\n| `v%zu` | %s |", i + 1, i < 22 ? "pass" : "fail");
        assert_true(strstr(strstr(text, "id=\"solutions\""), row) != NULL);
    }
    assert_says(text, "**Not passed:**", 3 + 4);
    assert_says(text, "id=\"evolution\"", 0);
    assert_says(text, "id=\"launch-cost\"", 0);
    free(text);
    trial_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_has_both_states_of_the_cache),
        cmocka_unit_test(a_reason_stands_once),
        cmocka_unit_test(a_cause_is_short_and_stays_true),
        cmocka_unit_test(a_page_says_what_was_not_verified),
        cmocka_unit_test(a_page_says_what_is_not_hot),
        cmocka_unit_test(a_screen_has_the_fastest_of_many),
        cmocka_unit_test(a_page_has_all_of_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
