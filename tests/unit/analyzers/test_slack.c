/* Is it read from delays how much later a phase may begin, and does damage never make it look better? */
#include "tests/unit/written_run.h"

#include <math.h>

#include "analyzers/entries.h"
#include "analyzers/slack/slack_line.h"
#include "analyzers/slack/slack_words.h"
#include "core/base/count_of.h"
#include "tests/unit/named_arms.h"

#define OFF        "f/v"
#define CONTROL    "f/v+delay-1.2-none"
#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-6)
/* 100 tiles in one wave at 2 cycles a ns: the control takes 100 us, 2000 cycles a tile, and a cost of c cycles a tile
 * is 50 c ns. */
enum { TILES = 100, CONTROL_NS = 100000, NS_OF_CYCLE = 50, DOSES_MAX = 8, TAKEN_IDLE = 3 };

/* An arm that is proven. Each of 4 processes takes 0.1% longer than the one before: ratios of arms are exact, and `ns`
 * is their geometric mean. */
static double clock_hz = 2e9; /* of the timing */

static void add_arm(struct written_run *d, const char *variant, double ns)
{
    add_row(d, BUNDLE_VARIANTS, "%s|m", variant);
    for (int process = 0; process < 4; process++)
        add_row(d, BUNDLE_TIMING, "%s|m|%d|0|0|0|hot|1|%g|%.17g|no", variant, process, clock_hz,
                ns * pow(1.001, process - 1.5));
    add_row(d, BUNDLE_RESOURCES, "%s|m|k|4|256|64|0|0|0|2|0.5|1", variant);
    add_proof(d, variant);
}

/* The arm without marks, the one that records 2000 cycles in `record_ns`, and the control. */
static void start_recorded(struct written_run *d, double control_ns, int record_ns)
{
    written_begin(d, 2);
    add_arm(d, OFF, CONTROL_NS);
    add_arm(d, OFF "+record", CONTROL_NS);
    add_row(d, BUNDLE_INSIDE_PHASES, OFF "+record|m|1|2|wait|loads|wait|3|0");
    add_row(d, BUNDLE_INSIDE_PHASES, OFF "+record|m|1|2|issue|loads|refill|3|1");
    add_row(d, BUNDLE_INSIDE_WARPS, OFF "+record|m|0|0|0|0|1|%d|0|%d|0|2000", TILES, record_ns);
    add_row(d, BUNDLE_INSIDE_TILES, OFF "+record|m|0|0|0|0|||10|20");
    add_arm(d, CONTROL, control_ns);
    add_row(d, BUNDLE_DELAYS, CONTROL "|m|" OFF "|1|2||%d", TAKEN_IDLE);
}

static void start(struct written_run *d, double control_ns)
{
    start_recorded(d, control_ns, 1000);
}

/* A mark that is asked for `cycles` waits so long, and TAKEN_IDLE in any case; a tile takes `cost` cycles more. */
static void dose(struct written_run *d, int cycles, double cost)
{
    char variant[64];
    snprintf(variant, sizeof variant, OFF "+delay-1.2-%d", cycles);
    add_arm(d, variant, CONTROL_NS + NS_OF_CYCLE * cost);
    add_row(d, BUNDLE_DELAYS, "%s|m|" OFF "|1|2|%d|%d", variant, cycles, cycles + TAKEN_IDLE);
}

static const struct slack *ask(struct written_run *d)
{
    MUST(analysis_join(&d->analysis, &e));
    MUST(resources_analyze(&d->analysis, &e));
    name_arms(&d->analysis);
    MUST(inside_analyze(&d->analysis, &e));
    MUST(slack_analyze(&d->analysis, &e));
    assert_int_equal(d->analysis.slacks.count, 1);
    return &d->analysis.slacks.items[0];
}

/* Costs of the doses 200, 400, 800 and 1600. */
static const struct slack *ask_doses(struct written_run *d, const double costs[4])
{
    start(d, CONTROL_NS);
    for (int i = 0; i < 4; i++)
        dose(d, 200 << i, costs[i]);
    return ask(d);
}

static void all_of_a_critical_delay_is_paid(void **state)
{
    (void)state;
    struct written_run run;
    const struct slack *row = ask_doses(&run, (double[]){200, 400, 800, 1600});
    assert_string_equal(slack_reasons[row->reason].key, "");
    assert_int_equal(row->status, SLACK_CRITICAL);
    assert_string_equal(row->role_name, "loads");
    assert_string_equal(row->name, "refill and wait");
    assert_int_equal(row->dose_count, 4);
    NEAR(row->tiles, TILES);
    NEAR(row->cycles_per_ns, 2);
    NEAR(row->doses[0].delay_cycles, 200);
    NEAR(row->doses[0].cost_ns.value, 10000); /* 200 cycles * 100 tiles / 2 */
    NEAR(row->doses[3].cost_cycles.value, 1600);
    NEAR(row->criticality.value, 1); /* 200 / 200 */
    NEAR(row->slope.value, 1);       /* (400 - 200) / 200 */
    NEAR(row->slack_cycles.value, 0);
    NEAR(row->free_up_to_cycles, 10); /* the line from 0 to (200, 200) reaches 10 there */
    written_end(&run);
}

/* The driver says 2.2 GHz, the counter 2.1, the records 2 cycles a ns: 10 us a launch are 200, 210 or 220 cycles a
 * tile. */
static void cycles_are_those_of_the_load(void **state)
{
    (void)state;
    static const struct {
        bool has_records, has_counter;
        const char *clock;
        double cycles_per_ns;
    } cases[] = {{true, true, "record", 2}, {false, true, "counter", 2.1}, {false, false, "timing", 2.2}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct written_run run;
        clock_hz = 2.2e9;
        start_recorded(&run, CONTROL_NS, cases[i].has_records ? 1000 : 0);
        clock_hz = 2e9;
        for (int k = 0; k < 4; k++)
            dose(&run, 200 << k, 200 << k);
        if (cases[i].has_counter)
            add_row(&run, BUNDLE_METRICS, OFF "|m||0|sm__cycles_elapsed.avg.per_second|hz|2.1e9");
        const struct slack *row = ask(&run);
        assert_string_equal(row->clock, cases[i].clock);
        NEAR(row->cycles_per_ns, cases[i].cycles_per_ns);
        NEAR(row->doses[0].cost_ns.value, 10000);
        NEAR(row->doses[0].cost_cycles.value, 100 * cases[i].cycles_per_ns);
        written_end(&run);
    }
}

/* 200 cycles cost 100: between 0 and 200 anything may be free. 1/2 is what a ring of 2 tiles pays. */
static void the_smallest_delay_costs(void **state)
{
    (void)state;
    struct written_run run;
    const struct slack *row = ask_doses(&run, (double[]){100, 200, 400, 800});
    assert_int_equal(row->status, SLACK_PARTLY);
    assert_true(slack_is_below_doses(row));
    NEAR(row->slope.value, 0.5);
    assert_false(slack_slope_is_odd(row));
    written_end(&run);
}

static void a_hidden_delay_is_free(void **state)
{
    (void)state;
    struct written_run run;
    const struct slack *row = ask_doses(&run, (double[]){0, 1, 2, 8});
    assert_string_equal(slack_reasons[row->reason].key, "");
    assert_int_equal(row->status, SLACK_HIDDEN);
    NEAR(row->slack_cycles.value, 1600);
    NEAR(row->slack_cycles.low, 1600);
    assert_true(isinf(row->slack_cycles.high));
    NEAR(row->slack_ns.low, 800);
    NEAR(row->free_up_to_cycles, 1600);
    NEAR(row->free_up_to_ns, 800);
    NEAR(row->criticality.value, 0);
    written_end(&run);
}

/* The knee is at 400: 800 costs 400, 1600 costs 1200. The line through these meets 0 at 800 - 400 / 1. The cost reaches
 * 10 between (400, 0) and (800, 400): at 410. */
static void a_knee_is_the_slack(void **state)
{
    (void)state;
    struct written_run run;
    const struct slack *row = ask_doses(&run, (double[]){0, 0, 400, 1200});
    assert_string_equal(slack_reasons[row->reason].key, "");
    assert_int_equal(row->status, SLACK_PARTLY);
    NEAR(row->slope.value, 1);
    NEAR(row->slack_cycles.value, 400);
    NEAR(row->slack_cycles.low, 400 - SLACK_DELAY_ERROR);
    NEAR(row->slack_cycles.high, 400 + SLACK_DELAY_ERROR);
    NEAR(row->slack_ns.value, 200);
    NEAR(row->free_up_to_cycles, 410);
    assert_int_equal(row->ring, 2); /* a refill brings the tile that comes next */
    assert_false(slack_slope_is_odd(row));
    assert_false(slack_is_below_doses(row));
    written_end(&run);
}

/* A ring of 4 tiles with a slack of 400: (800 - 400) / 4 and (1600 - 400) / 4. A line of slope 1 through (1600, 300)
 * would meet 0 at 1300. */
static void a_ring_pays_a_part_behind_its_slack(void **state)
{
    (void)state;
    struct written_run run;
    const struct slack *row = ask_doses(&run, (double[]){0, 0, 100, 300});
    assert_int_equal(row->status, SLACK_PARTLY);
    NEAR(row->slope.value, 0.25);
    NEAR(row->slack_cycles.value, 400);
    assert_true(slack_slope_is_odd(row)); /* which has 2 tiles, it says */
    written_end(&run);
}

/* (800, 400) costs and (1600, 50) does not: the roles run in another order. */
static void a_larger_delay_that_costs_less_is_unsteady(void **state)
{
    (void)state;
    struct written_run run;
    const struct slack *row = ask_doses(&run, (double[]){0, 100, 400, 50});
    assert_int_equal(row->status, SLACK_UNSTEADY);
    assert_string_equal(slack_reasons[row->reason].key, "");
    assert_true(isnan(row->slack_ns.value));
    written_end(&run);
}

static void a_control_that_is_off_is_another_kernel(void **state)
{
    static const struct {
        double ns;
        const char *reason;
    } cases[] = {{1.03 * CONTROL_NS, "control_slower"}, {0.97 * CONTROL_NS, "control_faster"}, {1.01 * CONTROL_NS, ""}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct written_run run;
        start(&run, cases[i].ns);
        for (int k = 0; k < 4; k++)
            dose(&run, 200 << k, 200 << k);
        const struct slack *row = ask(&run);
        assert_string_equal(slack_reasons[row->reason].key, cases[i].reason);
        assert_true((row->status == SLACK_INCONCLUSIVE) == (*cases[i].reason != '\0'));
        written_end(&run);
    }
}

/* ---- damage ---- */

enum damage {
    WHOLE,
    NO_DELAY_ROW,
    TWO_DELAY_ROWS,
    OTHER_DELAY_ROW,
    NO_CONTROL,
    NO_TIMES,
    TWO_PROCESSES,
    GRAPHS,
    WRONG,
    NOT_SELECTED,
    CONTRADICTED,
    NO_RECORD,
    NO_CLOCK,
    TWO_DOSES,
    OTHER_BLOCKS,
    ALL_OF_IT
};

static void copy_cell(struct table *t, struct cell *to, const struct table *old, size_t row, size_t column)
{
    if (t->columns[column].unit == UNIT_TEXT)
        *to = cell_text(t, table_text(old, row, column));
    else if (isfinite(table_number(old, row, column)))
        *to = cell_number(table_number(old, row, column));
}

/* Leaves the table without the rows of `variant` (NULL: none) behind the first `keep`, and without a column. */
static void rewrite(struct written_run *d, enum bundle_table which, const char *variant, size_t keep, size_t without)
{
    const struct table *old = &d->bundle.tables[which];
    struct table t;
    bundle_table_init(&t, which);
    for (size_t row = 0; row < table_rows(old); row++) {
        const bool is_meant = variant && !strcmp(table_text(old, row, 0), variant);
        if (is_meant && !keep)
            continue;
        keep -= is_meant;
        struct cell *cells = table_add_row(&t);
        for (size_t column = 0; column < t.column_count; column++)
            if (column != without)
                copy_cell(&t, &cells[column], old, row, column);
    }
    table_release(&d->bundle.tables[which]);
    d->bundle.tables[which] = t;
}

static void drop_rows(struct written_run *d, enum bundle_table which, const char *variant, size_t keep)
{
    rewrite(d, which, variant, keep, SIZE_MAX);
}

static void spoil(struct written_run *d, enum damage damage)
{
    static const char large[] = OFF "+delay-1.2-1600", middle[] = OFF "+delay-1.2-800";
    const size_t last = d->analysis.selection.count - 1;
    switch (damage) {
    case NO_DELAY_ROW: drop_rows(d, BUNDLE_DELAYS, large, 0); return;
    case TWO_DELAY_ROWS: add_row(d, BUNDLE_DELAYS, "%s|m|" OFF "|1|2|1600|1603", large); return;
    case OTHER_DELAY_ROW:
        drop_rows(d, BUNDLE_DELAYS, large, 0);
        add_row(d, BUNDLE_DELAYS, "%s|m|" OFF "|1|2|160|163", large);
        return;
    case NO_CONTROL: drop_rows(d, BUNDLE_DELAYS, CONTROL, 0); return;
    case NO_TIMES: drop_rows(d, BUNDLE_TIMING, large, 0); return;
    case TWO_PROCESSES: drop_rows(d, BUNDLE_TIMING, large, 2); return;
    case GRAPHS:
        drop_rows(d, BUNDLE_TIMING, large, 0);
        for (int process = 0; process < 4; process++)
            add_row(d, BUNDLE_TIMING, "%s|m|%d|0|0|0|hot|20|2e9|%d|no", large, process, CONTROL_NS);
        return;
    case WRONG: d->analysis.correctness.items[last].status = VERDICT_FAIL; return;
    case NOT_SELECTED: d->analysis.selection.items[last].status = VERDICT_INCONCLUSIVE; return;
    case CONTRADICTED:
        *ARRAY_PUSH(&d->analysis.witnesses) =
            (struct witness_check){.variant = large, .config = "m", .status = WITNESS_CONTRADICTED};
        return;
    case NO_RECORD: drop_rows(d, BUNDLE_INSIDE_WARPS, OFF "+record", 0); return;
    case NO_CLOCK:
        rewrite(d, BUNDLE_TIMING, NULL, 0, TIMING_SM_CLOCK);
        rewrite(d, BUNDLE_INSIDE_WARPS, NULL, 0, INSIDE_WARPS_END_NS);
        return;
    case TWO_DOSES:
        for (int table = 0; table < BUNDLE_TABLE_COUNT; table++)
            if (table == BUNDLE_VARIANTS || table == BUNDLE_TIMING || table == BUNDLE_DELAYS ||
                table == BUNDLE_RESOURCES) {
                drop_rows(d, (enum bundle_table)table, large, 0);
                drop_rows(d, (enum bundle_table)table, middle, 0);
            }
        d->analysis.selection.count = d->analysis.correctness.count = last - 1;
        return;
    case OTHER_BLOCKS:
        drop_rows(d, BUNDLE_RESOURCES, CONTROL, 0);
        add_row(d, BUNDLE_RESOURCES, CONTROL "|m|k|4|256|64|0|0|0|1|0.5|2");
        return;
    default: return;
    }
}

/* All doses are free, which is the best that there is: each damage takes it away. */
static void damage_betters_nothing(void **state)
{
    static const char *const reasons[ALL_OF_IT] = {
        [WHOLE] = "",
        [NO_DELAY_ROW] = "delays_missing",
        [TWO_DELAY_ROWS] = "delays_missing",
        [OTHER_DELAY_ROW] = "delays_missing",
        [NO_CONTROL] = "delays_missing",
        [NO_TIMES] = "not_timed",
        [TWO_PROCESSES] = "too_few_processes",
        [GRAPHS] = "mixed_timing",
        [WRONG] = "wrong_result",
        [NOT_SELECTED] = "not_selected",
        [CONTRADICTED] = "contradicted",
        [NO_RECORD] = "no_tiles",
        [NO_CLOCK] = "no_clock",
        [TWO_DOSES] = "too_few_doses",
        [OTHER_BLOCKS] = "other_occupancy",
    };
    (void)state;
    for (int damage = 0; damage < ALL_OF_IT; damage++) {
        struct written_run run;
        start(&run, CONTROL_NS);
        for (int i = 0; i < 4; i++)
            dose(&run, 200 << i, 0);
        spoil(&run, (enum damage)damage);
        const struct slack *row = ask(&run);
        assert_string_equal(slack_reasons[row->reason].key, reasons[damage]);
        assert_int_equal(row->status, damage == WHOLE ? SLACK_HIDDEN : SLACK_INCONCLUSIVE);
        written_end(&run);
    }
}

/* Only 0.5% of a launch of 100 us counts as nothing then: (400, 0) to (800, 400 * 50 ns) reaches 500 ns at
 * 400 + 400 * 500 / 20000. */
static void without_tiles_a_launch_loses_time(void **state)
{
    (void)state;
    struct written_run run;
    start(&run, CONTROL_NS);
    for (int i = 0; i < 4; i++)
        dose(&run, 200 << i, (double[]){0, 0, 400, 1200}[i]);
    spoil(&run, NO_RECORD);
    const struct slack *row = ask(&run);
    assert_string_equal(slack_reasons[row->reason].key, "no_tiles");
    assert_string_equal(row->role_name, "role 1");
    assert_string_equal(row->name, "mark 2");
    NEAR(row->free_up_to_cycles, 410);
    NEAR(row->doses[3].cost_ns.value, 60000);
    assert_true(isnan(row->doses[3].cost_cycles.value));
    assert_true(isnan(row->slack_cycles.value) && isnan(row->slope.value));
    written_end(&run);
}

/* ---- the line alone ---- */

struct drawn {
    double low, high; /* of the cost, whose value is in the middle */
};

static struct slack_line line_of(const struct drawn *costs, size_t count, struct slack_point *points)
{
    for (size_t i = 0; i < count; i++) {
        const double delay = 200 * (double)(1 << i);
        points[i] = (struct slack_point){
            delay, {(costs[i].low + costs[i].high) / 2, costs[i].low, costs[i].high}, fmax(10, 0.05 * delay)};
    }
    return slack_line_of(points, count);
}

/* A knee at 400, costs known to 10. Lines through (800, 390 to 410) and (1600, 1190 to 1210) have slopes of 780 / 800
 * to 820 / 800. They meet 0 at 800 - 410 * 800 / 780 = 379.5 at the earliest, and at 800 - 390 * 800 / 820 = 419.5 at
 * the latest. */
static void the_interval_is_that_of_the_costs(void **state)
{
    (void)state;
    struct slack_point points[4];
    const struct slack_line line = line_of((struct drawn[]){{-10, 10}, {-10, 10}, {390, 410}, {1190, 1210}}, 4, points);
    assert_int_equal(line.status, SLACK_PARTLY);
    NEAR(line.slope.low, 780.0 / 800);
    NEAR(line.slope.high, 820.0 / 800);
    NEAR(line.slack.value, 400);
    NEAR(line.slack.low, 800 - 410 * 800.0 / 780 - SLACK_DELAY_ERROR);
    NEAR(line.slack.high, 800 - 390 * 800.0 / 820 + SLACK_DELAY_ERROR);
}

/* Only the last dose costs: the slack is between the last two, and nothing is known of how steep it is. */
static void one_dose_that_costs_is_an_interval(void **state)
{
    (void)state;
    struct slack_point points[4];
    const struct slack_line line = line_of((struct drawn[]){{0, 0}, {0, 0}, {0, 0}, {400, 400}}, 4, points);
    assert_int_equal(line.status, SLACK_PARTLY);
    NEAR(line.slack.low, 800 - SLACK_DELAY_ERROR);
    NEAR(line.slack.high, 1600);
    assert_true(isinf(line.slope.high));
}

/* The same costs, less and less precise: never a better slack, and in the end none. */
static void noise_betters_nothing(void **state)
{
    static const double costs[2][4] = {{0, 0, 400, 1200}, {0, 0, 0, 0}};
    (void)state;
    for (int c = 0; c < 2; c++) {
        double best = INFINITY;
        enum slack_status last = SLACK_HIDDEN;
        for (int noise = 0; noise < 3000; noise += 10) {
            struct slack_point points[4];
            struct drawn drawn[4];
            for (int i = 0; i < 4; i++)
                drawn[i] = (struct drawn){costs[c][i] - noise, costs[c][i] + noise};
            const struct slack_line line = line_of(drawn, 4, points);
            const double low = isnan(line.slack.low) ? -INFINITY : line.slack.low;
            assert_true(low <= best + 1e-9);
            best = low;
            last = line.status;
        }
        assert_int_equal(last, SLACK_INCONCLUSIVE);
    }
}

/* Steeper behind: (200, 200), (400, 400), then 2.5. The last line would meet 0 at 160, where a delay costs 160. */
static void a_steeper_end_gives_no_slack(void **state)
{
    (void)state;
    struct slack_point points[4];
    const struct slack_line line =
        line_of((struct drawn[]){{200, 200}, {400, 400}, {1400, 1400}, {3400, 3400}}, 4, points);
    assert_int_equal(line.status, SLACK_CRITICAL);
    NEAR(line.slack.value, 0);
}

/* Half of each delay is paid from the first on: no slack, and not critical. */
static void half_a_delay_is_partly(void **state)
{
    (void)state;
    struct slack_point points[4];
    const struct slack_line line = line_of((struct drawn[]){{100, 100}, {200, 200}, {400, 400}, {800, 800}}, 4, points);
    assert_int_equal(line.status, SLACK_PARTLY);
    NEAR(line.slope.value, 0.5);
    NEAR(line.first_slope.value, 0.5);
    NEAR(line.slack.high, SLACK_DELAY_ERROR);
}

/* As an H200 measured them: two roles of 391 and 1270 cycles that meet once a tile, the first one delayed. Its slack
 * is 879. Waiting costs the other role a little from the first cycle on. */
static void a_pair_of_roles_as_measured(void **state)
{
    (void)state;
    static const double delays[] = {221, 328, 517, 913, 1730, 2529, 3321}, costs[] = {11, 14, 21, 111, 896, 1691, 2488};
    struct slack_point points[7];
    for (int i = 0; i < 7; i++)
        points[i] = (struct slack_point){delays[i], {costs[i], costs[i] - 1, costs[i] + 1}, fmax(10, 0.05 * delays[i])};
    const struct slack_line line = slack_line_of(points, 7);
    assert_int_equal(line.status, SLACK_PARTLY);
    assert_true(fabs(line.slack.value - 879) < 40);
    assert_true(line.slack.low < 879 && line.slack.high > 879);
    assert_true(fabs(line.slope.value - 1) < 0.02);
}

/* Four warps that wait take the issue slots of their neighbours: 0.9 cycles for each of the first 221, and none for 189
 * later ones. Nothing that hides the second hundred would not hide the first. */
static void a_cost_that_flattens_is_unsteady(void **state)
{
    (void)state;
    static const double delays[] = {221, 328, 517, 913, 1730, 3321}, costs[] = {200, 268, 267, 461, 1093, 2912};
    struct slack_point points[6];
    for (int i = 0; i < 6; i++)
        points[i] = (struct slack_point){delays[i], {costs[i], costs[i] - 2, costs[i] + 2}, fmax(10, 0.05 * delays[i])};
    assert_int_equal(slack_line_of(points, 6).status, SLACK_UNSTEADY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_of_a_critical_delay_is_paid),
        cmocka_unit_test(cycles_are_those_of_the_load),
        cmocka_unit_test(the_smallest_delay_costs),
        cmocka_unit_test(a_hidden_delay_is_free),
        cmocka_unit_test(a_knee_is_the_slack),
        cmocka_unit_test(a_ring_pays_a_part_behind_its_slack),
        cmocka_unit_test(a_larger_delay_that_costs_less_is_unsteady),
        cmocka_unit_test(a_control_that_is_off_is_another_kernel),
        cmocka_unit_test(damage_betters_nothing),
        cmocka_unit_test(without_tiles_a_launch_loses_time),
        cmocka_unit_test(the_interval_is_that_of_the_costs),
        cmocka_unit_test(one_dose_that_costs_is_an_interval),
        cmocka_unit_test(noise_betters_nothing),
        cmocka_unit_test(a_steeper_end_gives_no_slack),
        cmocka_unit_test(half_a_delay_is_partly),
        cmocka_unit_test(a_pair_of_roles_as_measured),
        cmocka_unit_test(a_cost_that_flattens_is_unsteady),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
