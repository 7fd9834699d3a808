/* Are days joined through what both measured, with the uncertainty of both, and never otherwise? */
#include "tests/unit/analysed_scratch.h"

#include <math.h>

#include "analyzers/compare/evolution.h"
#include "core/base/count_of.h"
#include "rules/rules.h"

enum { ARMS_MAX = 4, PROCESSES = 8 };

struct day {
    struct scratch scratch;
    struct bundle bundle;
    struct analysis analysis;
};

/* One day: each arm's time in process p is `ns` times 1 + noise * (p alternating between 1 and -1, shifted by the arm).
 */
struct recipe {
    double noise;
    struct {
        const char *variant, *baseline;
        double ns;
        const char *code_hash;
    } arms[ARMS_MAX];
};

static void open_day(struct day *d, const struct recipe *r)
{
    char cells[160];
    scratch_create(&d->scratch);
    for (size_t a = 0; a < ARMS_MAX && r->arms[a].variant; a++) {
        snprintf(cells, sizeof cells, "%s|s|%s||x||||ready", r->arms[a].variant, r->arms[a].baseline);
        scratch_row(&d->scratch, BUNDLE_VARIANTS, cells);
        snprintf(cells, sizeof cells, "%s|s|k|8|256|40|1024|0|0|2|0.5|1|%s|10", r->arms[a].variant,
                 r->arms[a].code_hash);
        scratch_row(&d->scratch, BUNDLE_RESOURCES, cells);
        for (size_t p = 0; p < PROCESSES; p++) {
            const double wobble = (p + a) % 4 < 2 ? 1 : -1;
            snprintf(cells, sizeof cells, "%s|s|%zu|0|%zu|0|hot|1|1e9|%.17g", r->arms[a].variant, p, a,
                     r->arms[a].ns * (1 + r->noise * wobble));
            scratch_row(&d->scratch, BUNDLE_TIMING, cells);
        }
    }
    scratch_analyse(&d->scratch, &d->bundle, &d->analysis);
}

static void close_day(struct day *d)
{
    scratch_remove_analysed(&d->scratch, &d->bundle, &d->analysis);
}

static const struct recipe first = {0.001, {{"f/base", "", 1000, "aa"}, {"f/one", "f/base", 700, "bb"}}};
static const struct recipe second = {0.001, {{"f/base", "", 1100, "aa"}, {"f/two", "f/base", 550, "cc"}}};
static const struct recipe half_rebuilt = {/* as `second`, and f/one is not what it was */
                                           0.001,
                                           {{"f/base", "", 1100, "aa"},
                                            {"f/one", "", 900, "zz"},
                                            {"f/two", "f/base", 550, "cc"}}};
static const struct recipe stranger = {0.001, {{"f/three", "", 300, "dd"}}};
static const struct recipe rebuilt = {0.001, {{"f/base", "", 900, "ee"}, {"f/four", "f/base", 450, "ff"}}};
static const struct recipe in_both = {0.001, {{"f/one", "", 693, "bb"}, {"f/slow", "f/one", 707, "gg"}}};

static void read_days(struct evolution *ev, struct day *days, const struct recipe *const *recipes, size_t count,
                      double target)
{
    static struct evolution_source sources[4];
    for (size_t i = 0; i < count; i++) {
        open_day(&days[i], recipes[i]);
        sources[i] = (struct evolution_source){i ? "later" : "first", &days[i].analysis};
    }
    MUST(evolution_read(ev, sources, count, target, &e));
}

static void close_days(struct evolution *ev, struct day *days, size_t count)
{
    evolution_release(ev);
    for (size_t i = 0; i < count; i++)
        close_day(&days[i]);
}

static double log_width(struct bounded gain)
{
    return log((1 - gain.low) / (1 - gain.high));
}

/* 550 / 1100 = 0.5 beside base; one is 0.7 of base: two is 0.5 / 0.7 of one. */
static void a_later_day_is_scaled_by_its_anchor(void **state)
{
    (void)state;
    struct day days[2];
    struct evolution ev;
    read_days(&ev, days, (const struct recipe *const[]){&first, &second}, 2, NAN);
    assert_int_equal(ev.ladders.count, 1);
    const struct evolution_ladder *ladder = &ev.ladders.items[0];
    assert_int_equal(ladder->count, 3); /* base is there once */
    const struct evolution_stage *one = &ladder->items[1], *two = &ladder->items[2];
    assert_int_equal(ladder->items[0].status, STAGE_REFERENCE);
    assert_int_equal(one->status, STAGE_MERGED);
    assert_string_equal(one->through, "");
    assert_string_equal(two->variant, "f/two");
    assert_string_equal(two->over, "f/one");
    assert_string_equal(two->through, "f/base");
    assert_int_equal(two->source, 1);
    assert_true(fabs(two->gain.value - (1 - 0.5 / 0.7)) < 0.003);
    assert_true(fabs(two->cumulative.value - 0.5) < 0.002);
    assert_true(fabs(two->scaled_ns - 500) < 2); /* of 1000 on the first day */
    /* Both days are in the interval: it is wider than that of either. */
    assert_true(log_width(two->gain) > log_width(one->gain));
    assert_true(log_width(two->gain) > log_width(two->cumulative));
    assert_true(log_width(two->gain) < log_width(one->gain) + log_width(two->cumulative));
    assert_non_null(
        strstr(ev.notes.items[0], "is joined to 'first' through 'f/base', which both measured: p50 1.00 us there"));
    assert_int_equal(ev.notes.count, 2); /* and that neither says on which GPU it was measured */
    close_days(&ev, days, 2);
}

/* f/two is held against the f/one of the ladder, 0.7 of base, through base: not against what bears its name now. */
static void a_rebuilt_predecessor_is_another_arm(void **state)
{
    (void)state;
    struct day days[2];
    struct evolution ev;
    read_days(&ev, days, (const struct recipe *const[]){&first, &half_rebuilt}, 2, NAN);
    assert_int_equal(ev.ladders.count, 1);
    const struct evolution_stage *two = &ev.ladders.items[0].items[2];
    assert_string_equal(two->variant, "f/two");
    assert_string_equal(two->over, "f/one");
    assert_string_equal(two->through, "f/base");
    assert_true(fabs(two->gain.value - (1 - 0.5 / 0.7)) < 0.003);
    assert_true(fabs(two->cumulative.value - 0.5) < 0.002);
    assert_non_null(strstr(ev.notes.items[ev.notes.count - 1], "'f/one' of 'later' is not the stage of that name"));
    close_days(&ev, days, 2);
}

static void without_an_anchor_days_stand_apart(void **state)
{
    (void)state;
    struct day days[3];
    struct evolution ev;
    read_days(&ev, days, (const struct recipe *const[]){&first, &stranger, &rebuilt}, 3, NAN);
    assert_int_equal(ev.ladders.count, 3);
    assert_string_equal(ev.ladders.items[0].apart, "");
    assert_non_null(strstr(ev.ladders.items[1].apart, "no arm was measured in both"));
    assert_non_null(strstr(ev.ladders.items[2].apart, "its machine code is not the same"));
    assert_int_equal(ev.ladders.items[1].items[0].status, STAGE_REFERENCE);
    assert_int_equal(ev.notes.count, 0);
    close_days(&ev, days, 3);
}

static void the_predecessor_is_the_anchor_where_it_may_be(void **state)
{
    (void)state;
    struct day days[2];
    struct evolution ev;
    read_days(&ev, days, (const struct recipe *const[]){&first, &in_both}, 2, NAN);
    assert_int_equal(ev.ladders.count, 1);
    const struct evolution_stage *slow = &ev.ladders.items[0].items[2];
    assert_string_equal(slow->over, "f/one");
    assert_string_equal(slow->through, "");
    assert_int_equal(slow->status, STAGE_REGRESSION); /* 707 / 693 = 1.02 */
    assert_true(fabs(slow->gain.value + 0.0202) < 0.002);
    close_days(&ev, days, 2);
}

/* Gains of 5%, 9.9% to 10.1% and 0.2% against a target of 10%, and one that is decided by nothing. */
static void the_interval_is_held_against_the_target(void **state)
{
    (void)state;
    static const struct recipe stages = {0.0005,
                                         {{"f/base", "", 1000, "aa"},
                                          {"f/five", "f/base", 950, "bb"},
                                          {"f/ten", "f/base", 900, "cc"},
                                          {"f/none", "f/base", 998, "dd"}}};
    struct day day;
    struct evolution ev;
    read_days(&ev, &day, (const struct recipe *const[]){&stages}, 1, 0.10);
    const struct evolution_stage *items = ev.ladders.items[0].items;
    assert_int_equal(items[1].status, STAGE_BELOW_TARGET);
    assert_int_equal(items[2].status, STAGE_MARGINAL);
    assert_int_equal(items[3].status, STAGE_VALID_NEGATIVE);
    assert_string_equal(items[3].over, "f/base"); /* nothing was merged */
    close_days(&ev, &day, 1);
    read_days(&ev, &day, (const struct recipe *const[]){&stages}, 1, NAN);
    items = ev.ladders.items[0].items;
    assert_int_equal(items[1].status, STAGE_MERGED);
    assert_int_equal(items[2].status, STAGE_MERGED);
    assert_string_equal(items[2].over, "f/five");
    assert_true(fabs(items[2].gain.value - (1 - 900.0 / 950)) < 0.002);
    assert_int_equal(items[3].status, STAGE_REGRESSION); /* against ten */
    close_days(&ev, &day, 1);
}

static void a_gate_names_the_target(void **state)
{
    (void)state;
    static const struct {
        const char *rule;
        double target;
    } cases[] = {
        {"gain(B) >= 10%", 0.10},      {"5% <= gain(B)", 0.05},     {"speedup(B) >= 1.25", 0.20},
        {"ratio(B) < 0.9", 0.10},      {"gain(B) <= 10%", NAN},     {"gain(f/x) >= 10%", NAN},
        {"2 * ratio(B) <= 1.8", 0.10}, {"registers(B) <= 64", NAN}, {"expect dram_bytes flat", NAN},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct rule_list *rules;
        MUST(rule_list_new(&rules, &e));
        MUST(rule_list_add(rules, cases[i].rule, "r", &e));
        const double target = rule_list_target(rules);
        if (isnan(cases[i].target) ? !isnan(target) : !(fabs(target - cases[i].target) < 1e-12))
            fail_msg("%s: %g", cases[i].rule, target);
        rule_list_free(rules);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_later_day_is_scaled_by_its_anchor),
        cmocka_unit_test(a_rebuilt_predecessor_is_another_arm),
        cmocka_unit_test(without_an_anchor_days_stand_apart),
        cmocka_unit_test(the_predecessor_is_the_anchor_where_it_may_be),
        cmocka_unit_test(the_interval_is_held_against_the_target),
        cmocka_unit_test(a_gate_names_the_target),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
