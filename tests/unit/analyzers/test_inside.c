/* Is it read from marks which part of the copying is hidden, and does damage never make it look better? */
#include "tests/unit/written_run.h"
#include <stdlib.h>

#include <math.h>

#include "analyzers/entries.h"
#include "analyzers/inside/inside_parts.h"
#include "analyzers/inside/inside_words.h"
#include "core/base/count_of.h"
#include "tests/unit/named_arms.h"

enum { TILES = 16 };
#define RECORD     "f/v+record"
#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-9)

/* The arm, its off arm, and all that proves both: 4 processes, the same time and resources, right results. */
static void start(struct written_run *r)
{
    static const char *const variants[] = {"f/v", RECORD};
    written_begin(r, 2);
    for (size_t i = 0; i < 2; i++) {
        add_row(r, BUNDLE_VARIANTS, "%s|m", variants[i]);
        for (int process = 0; process < 4; process++)
            add_row(r, BUNDLE_TIMING, "%s|m|%d|0|0|0|hot|1||%d|no", variants[i], process, 1000 + process);
        add_row(r, BUNDLE_RESOURCES, "%s|m|k|4|256|64|0|0|0|2|0.5|1", variants[i]);
        add_proof(r, variants[i]);
    }
}

static const struct inside *ask(struct written_run *r)
{
    MUST(analysis_join(&r->analysis, &e));
    MUST(resources_analyze(&r->analysis, &e));
    name_arms(&r->analysis);
    MUST(inside_analyze(&r->analysis, &e));
    assert_int_equal(r->analysis.insides.count, 1);
    return &r->analysis.insides.items[0];
}

static void phase(struct written_run *r, int role, int mark, const char *kind, int until, int ahead)
{
    add_row(r, BUNDLE_INSIDE_PHASES, RECORD "|m|%d|%d|%s|role%d|%s|%d|%d", role, mark, kind, role, kind, until, ahead);
}

/* One role asks for its tile, waits for it at once, and works on it. */
static void state_phases_of_one_role(struct written_run *r)
{
    phase(r, 0, 0, "issue", 1, 0);
    phase(r, 0, 0, "wait", 1, 0);
    phase(r, 0, 1, "compute", 2, 0);
}

/* Its tiles go on behind those that are recorded: 100. */
static void warp(struct written_run *r, int block, int sm, int role, int begin, int finish)
{
    add_row(r, BUNDLE_INSIDE_WARPS, RECORD "|m|0|%d|%d|%d|%d|100|%d|%d|%d|%d", block, role, sm, role, begin / 2,
            finish / 2, begin, finish);
}

static void tile(struct written_run *r, int block, int role, int number, const char *marks)
{
    add_row(r, BUNDLE_INSIDE_TILES, RECORD "|m|0|%d|%d|%d|%s", block, role, number, marks);
}

#define TILE(r, block, role, number, ...)                                                                              \
    do {                                                                                                               \
        char marks[128];                                                                                               \
        snprintf(marks, sizeof marks, __VA_ARGS__);                                                                    \
        tile(r, block, role, number, marks);                                                                           \
    } while (0)

/* The drawing of docs/inside.md, again and again: the copy of tile t is under way from 1000 t to 1000 t + 1000, the
 * math on it from 1000 t + 1200 to 1000 t + 1800, and the wait for it from 1000 t + 800 on. */
static void draw(struct written_run *r, int without_tile)
{
    phase(r, 0, 0, "issue", 1, 0);
    phase(r, 1, 0, "wait", 1, 0);
    phase(r, 1, 2, "compute", 3, 0);
    for (int block = 0; block < 2; block++) {
        warp(r, block, block, 0, 0, 100000);
        warp(r, block, block, 1, 0, 100000);
        for (int t = 0; t < TILES; t++) {
            const int at = 1000 * t;
            if (t != without_tile || block)
                TILE(r, block, 0, t, "%d|%d", at, at + 800);
            TILE(r, block, 1, t, "%d|%d|%d|%d", at + 800, at + 1000, at + 1200, at + 1800);
        }
    }
}

static void sample(struct written_run *r, int launch, int begin_ns, const char *units)
{
    add_row(r, BUNDLE_INSIDE_SERIES, "f/v|m|%d|%d|1000|%s", launch, begin_ns, units);
}

/* active, issue, tensor, fma, xu, l1_request, 40 times. Tensor: 0.9 and 0.6 and 0.1 of 3000 ns; requests 0.3, 0.6, 0.5.
 * least = 0.2 + 0.2 + 0 = 0.4, most = 0.3 + 0.6 + 0.1 = 1.0, sums 1.6 of work and 1.4 of requests. FMA is never active.
 * A tile takes 50000 ns / 100 = 500 ns: nothing is left of its wave in 1000 ns, sin(2 pi) = 0. */
enum { ROUNDS = 40 };

static const struct inside *sampled(struct written_run *r, int rounds)
{
    start(r);
    draw(r, -1);
    for (int i = 0; i < rounds; i++) {
        sample(r, 7 * i, 0, "1|0.5|0.9|0|0|0.3"); /* launches need not follow each other */
        sample(r, 7 * i, 1000, "1|0.5|0.6|0|0|0.6");
        sample(r, 7 * i + 1, 0, "1|0.5|0.1|0|0|0.5");
        sample(r, 7 * i + 1, 1000, "1|0.5|0.1|0|0|"); /* not counted: in no sum */
    }
    return ask(r);
}

static void samples_bound_the_overlap(void **state)
{
    (void)state;
    struct written_run r;
    const struct inside *row = sampled(&r, ROUNDS);
    assert_int_equal(row->series_count, 1);
    const struct inside_series *s = &row->series[0];
    assert_string_equal(s->work, "tensor");
    assert_int_equal(s->samples, 3 * ROUNDS);
    assert_int_equal(s->launches, 2 * ROUNDS);
    NEAR(s->window_ns, 1000);
    NEAR(s->tile_ns, 500);
    NEAR(s->attenuation, 0);
    NEAR(s->copy_share, 1.4 / 3);
    NEAR(s->work_share, 1.6 / 3);
    NEAR(s->e_least, 0.4 / 1.4);
    NEAR(s->e_most, 1.0 / 1.4);
    NEAR(s->h_least, 0.4 / 1.4);
    NEAR(s->h_most, 1.0 / 1.4);
    written_end(&r);
}

static void few_samples_bound_nothing(void **state)
{
    (void)state;
    struct written_run r;
    assert_int_equal(sampled(&r, 33)->series_count, 0); /* 99 */
    written_end(&r);
}

static void bounds_of_two_shares(void **state)
{
    (void)state;
    static const double cases[][4] = {{0, 0, 0, 0},           {1, 1, 1, 1},         {0.5, 0.5, 0, 0.5},
                                      {0.75, 0.5, 0.25, 0.5}, {0.25, 0.5, 0, 0.25}, {1, 0.25, 0.25, 0.25}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        double least, most;
        inside_series_bounds(cases[i][0], cases[i][1], &least, &most);
        NEAR(least, cases[i][2]);
        NEAR(most, cases[i][3]);
    }
    NEAR(inside_series_attenuation(1000, 2000), 2 / 3.14159265358979323846); /* sin(pi / 2) / (pi / 2) */
    assert_true(inside_series_attenuation(1, 1e9) > 0.999999);
    assert_true(isnan(inside_series_attenuation(1000, NAN)));
}

/* All is known from 800, the consumer's first mark, to 15800, the producer's last one: a copy is under way for all of
 * 15000, 15 maths of 600 run meanwhile. H = 9000 / 15000, E = 9000 / min(15000, 9000). A consumer has 16 waits of 200
 * from 800 to 16800: 3200 / 16000. */
static void the_drawing_is_read(void **state)
{
    (void)state;
    struct written_run run;
    start(&run);
    draw(&run, -1);
    const struct inside *row = ask(&run);
    assert_string_equal(inside_reasons[row->reason].key, "");
    assert_true(row->is_ok);
    assert_int_equal(row->devices, 1);
    assert_string_equal(row->overlaps[0].scope, "cta");
    NEAR(row->overlaps[0].copy_cycles, 2 * 15000);
    NEAR(row->overlaps[0].hidden_cycles, 2 * 9000);
    NEAR(row->overlaps[0].h.value, 0.6);
    NEAR(row->overlaps[0].h.low, 0.6); /* both blocks are the same, and each arrival is a point */
    NEAR(row->overlaps[0].e.value, 1);
    NEAR(row->overlaps[0].e.low, 1);
    NEAR(row->overlaps[0].idle.value, 5600.0 / 14600); /* the first math begins at 1200 */
    NEAR(row->exposed_wait.value, 0.2);
    NEAR(row->savable.value, 0.2);
    NEAR(row->wait_cycles.value, 200);
    NEAR(row->arrived, 0);
    NEAR(row->stages, 1);
    NEAR(row->imbalance, 1);
    NEAR(row->cycles_per_ns.value, 2);
    assert_int_equal(row->phase_count, 3);
    NEAR(row->phases[1].cycles.value, 200);
    NEAR(row->phases[2].ns.value, 300);
    assert_int_equal(row->missing, 0);
    written_end(&run);
}

/* Without one record of the producer, or without any of its marks. */
static void a_deleted_tile_betters_nothing(void **state)
{
    (void)state;
    for (int t = 0; t < TILES; t++) {
        struct written_run run;
        start(&run);
        draw(&run, t);
        const struct inside *row = ask(&run);
        assert_false(row->is_ok);
        assert_string_equal(inside_reasons[row->reason].key, "records_missing");
        assert_int_equal(row->missing, 1);
        written_end(&run);
    }
}

/* The copy is asked for when there is nothing else to do: 400 for the copy, then 600 for the math on the same tile. */
static void synchronous_copies_are_not_hidden(void **state)
{
    (void)state;
    struct written_run run;
    start(&run);
    state_phases_of_one_role(&run);
    for (int block = 0; block < 2; block++) {
        warp(&run, block, block, 0, 0, 100000);
        for (int t = 0; t < TILES; t++)
            TILE(&run, block, 0, t, "%d|%d|%d", 1000 * t, 1000 * t + 400, 1000 * t + 1000);
    }
    const struct inside *row = ask(&run);
    assert_true(row->is_ok);
    NEAR(row->overlaps[0].copy_cycles, 2 * 15 * 400); /* up to the first mark of the last tile */
    NEAR(row->overlaps[0].work_cycles, 2 * 15 * 600);
    NEAR(row->overlaps[0].e.value, 0);
    NEAR(row->overlaps[0].e.high, 0);
    NEAR(row->exposed_wait.value, 0.4);
    written_end(&run);
}

/* Of a single tile nothing is said: no tile can come while another one is worked on. */
static void a_single_tile_cannot_come_earlier(void **state)
{
    (void)state;
    struct written_run run;
    start(&run);
    state_phases_of_one_role(&run);
    for (int block = 0; block < 2; block++) {
        add_row(&run, BUNDLE_INSIDE_WARPS, RECORD "|m|0|%d|0|%d|0|1|0|500|0|1000", block, block);
        TILE(&run, block, 0, 0, "%d|%d|%d", 0, 400, 1000);
    }
    const struct inside *row = ask(&run);
    NEAR(row->exposed_wait.value, 0.4);
    assert_true(isnan(row->savable.value));
    written_end(&run);
}

/* A wait of 20 finds its tile: it came at any time since its issue, 20 into the tile before. */
static void an_arrival_before_the_wait_is_an_interval(void **state)
{
    (void)state;
    struct written_run run;
    start(&run);
    phase(&run, 0, 0, "wait", 1, 0);
    phase(&run, 0, 1, "issue", 2, 1);
    phase(&run, 0, 2, "compute", 3, 0);
    for (int block = 0; block < 2; block++) {
        warp(&run, block, block, 0, 0, 100000);
        for (int t = 0; t < TILES; t++)
            TILE(&run, block, 0, t, "%d|%d|%d|%d", 1000 * t, 1000 * t + 20, 1000 * t + 100, 1000 * t + 900);
    }
    const struct inside *row = ask(&run);
    assert_true(row->is_ok);
    /* 15 copies end in 20 to 1000, in the middle at 510: 490 long, of which 410 are under the math of 800 */
    NEAR(row->overlaps[0].copy_cycles, 2 * 15 * 490);
    NEAR(row->overlaps[0].e.value, 410.0 / 490);
    NEAR(row->overlaps[0].e.low, 0);
    NEAR(row->overlaps[0].e.high, 1);
    NEAR(row->overlaps[0].h.high, 1); /* of a copy that takes no time nothing is known */
    NEAR(row->arrived, 1);
    assert_true(row->exposed_wait.value > 0);
    NEAR(row->savable.value, 0); /* to ask is no wait for a tile */
    written_end(&run);
}

/* Each block copies for 500, then works for 500; the second one begins 500 later. By themselves they hide nothing. Both
 * are known up to 15000, where the first one's last tile begins: copies last all the time, work from 500 on, and what
 * copies from then on is hidden. H = 14500 / 15000. */
static void blocks_hide_for_each_other(void **state)
{
    (void)state;
    struct written_run run;
    start(&run);
    state_phases_of_one_role(&run);
    for (int block = 0; block < 2; block++) {
        const int later = 500 * block;
        warp(&run, block, 0, 0, later, later + 16000);
        for (int t = 0; t < TILES; t++)
            TILE(&run, block, 0, t, "%d|%d|%d", later + 1000 * t, later + 1000 * t + 500, later + 1000 * t + 1000);
    }
    const struct inside *row = ask(&run);
    assert_int_equal(row->overlap_count, 2);
    NEAR(row->overlaps[0].e.value, 0);
    assert_string_equal(row->overlaps[1].scope, "sm");
    NEAR(row->overlaps[1].copy_cycles, 15000);
    NEAR(row->overlaps[1].work_cycles, 14500);
    NEAR(row->overlaps[1].hidden_cycles, 14500);
    NEAR(row->overlaps[1].h.value, 14500.0 / 15000);
    NEAR(row->overlaps[1].e.value, 1);
    NEAR(row->overlaps[0].idle.value, 7000.0 / 14500); /* without the first wait */
    NEAR(row->overlaps[1].idle.value, 0);
    NEAR(row->exposed_wait.value, 0.5);
    NEAR(row->savable.value, 0); /* an estimate: while one waits, the other one works */
    written_end(&run);
}

/* Three SMs with two blocks each, of which one has lost a block: the other two tell, and one of three is not most of
 * them. */
static void an_sm_without_all_of_its_blocks_is_left_out(void **state)
{
    (void)state;
    for (int lost = 0; lost < 3; lost++) {
        struct written_run run;
        start(&run);
        state_phases_of_one_role(&run);
        for (int block = 0; block < 6 - lost; block++) {
            const int later = block < 3 ? 0 : 500;
            warp(&run, block, block % 3, 0, later, later + 16000);
            for (int t = 0; t < TILES; t++)
                TILE(&run, block, 0, t, "%d|%d|%d", later + 1000 * t, later + 1000 * t + 500, later + 1000 * t + 1000);
        }
        const struct inside *row = ask(&run);
        assert_int_equal(row->overlap_count, lost < 2 ? 2 : 1);
        if (lost < 2)
            NEAR(row->overlaps[1].idle.value, 0);
        NEAR(row->savable.value, lost < 2 ? 0 : 7000.0 / 14500);
        written_end(&run);
    }
}

/* The same two blocks, each on SM 0 of a device of its own: neither hides for the other, and neither SM has both blocks
 * that it holds. The second one's clock began at another time. */
static void blocks_of_two_devices_share_no_sm(void **state)
{
    (void)state;
    struct written_run run;
    start(&run);
    state_phases_of_one_role(&run);
    for (int block = 0; block < 2; block++) {
        const int later = 500 * block;
        add_row(&run, BUNDLE_INSIDE_WARPS, RECORD "|m|0|%d|0|0|0|100|%d|%d|%d|%d|%d", block, later / 2,
                later / 2 + 8000, later, later + 16000, block);
        for (int t = 0; t < TILES; t++)
            TILE(&run, block, 0, t, "%d|%d|%d", later + 1000 * t, later + 1000 * t + 500, later + 1000 * t + 1000);
    }
    const struct inside *row = ask(&run);
    assert_int_equal(row->missing, 0);
    assert_int_equal(row->devices, 2);
    assert_int_equal(row->blocks, 2);
    assert_int_equal(row->overlap_count, 1);
    assert_string_equal(row->overlaps[0].scope, "cta");
    NEAR(row->overlaps[0].e.value, 0);
    written_end(&run);
}

/* The drawing, and in each block a warp of a third role that meets others: one tile for the whole launch. */
static void a_role_without_copies_has_tiles_of_its_own(void **state)
{
    (void)state;
    struct written_run run;
    start(&run);
    draw(&run, -1);
    phase(&run, 2, 0, "other", 1, 0);
    for (int block = 0; block < 2; block++) {
        add_row(&run, BUNDLE_INSIDE_WARPS, RECORD "|m|0|%d|2|%d|2|1|0|50000|0|100000", block, block);
        TILE(&run, block, 2, 0, "%d|%d", 100, 99000);
    }
    const struct inside *row = ask(&run);
    assert_string_equal(inside_reasons[row->reason].key, "");
    NEAR(row->overlaps[0].copy_cycles, 2 * 15000);
    NEAR(row->overlaps[0].e.value, 1);
    NEAR(row->exposed_wait.value, 0.2);
    assert_int_equal(row->phase_count, 4);
    NEAR(row->phases[3].cycles.value, 98900);
    written_end(&run);
}

/* There are 2 SMs. A record build of which fewer blocks fit is the same kernel where the grid has no more. */
static void what_fits_matters_as_far_as_the_grid_goes(void **state)
{
    (void)state;
    static const struct {
        int grid, fit_off, fit;
        const char *reason;
    } rows[] = {
        {2, 4, 3, ""}, {2, 4, 1, ""}, {3, 4, 2, ""}, {3, 4, 1, "other_occupancy"}, {8, 4, 3, "other_occupancy"}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct written_run run;
        start(&run);
        draw(&run, -1);
        run.bundle.tables[BUNDLE_RESOURCES].count = 0;
        add_row(&run, BUNDLE_RESOURCES, "f/v|m|k|%d|256|64|0|0|0|%d|0.5|1", rows[i].grid, rows[i].fit_off);
        add_row(&run, BUNDLE_RESOURCES, RECORD "|m|k|%d|256|64|0|0|0|%d|0.5|1", rows[i].grid, rows[i].fit);
        assert_string_equal(inside_reasons[ask(&run)->reason].key, rows[i].reason);
        written_end(&run);
    }
}

/* One warp only asks: the last "not yet" at 560, the first "arrived" at 600. The copy is 580 long, the math on the tile
 * before lasts from 100 to 500. */
static void polling_shows_when_a_tile_arrives(void **state)
{
    (void)state;
    struct written_run run;
    start(&run);
    phase(&run, 0, 0, "issue", 1, 1);
    phase(&run, 0, 1, "compute", 2, 0);
    phase(&run, 1, 0, "poll", 1, 1);
    for (int block = 0; block < 2; block++) {
        warp(&run, block, block, 0, 0, 100000);
        warp(&run, block, block, 1, 0, 100000);
        for (int t = 0; t < TILES; t++) {
            TILE(&run, block, 0, t, "%d|%d|%d", 1000 * t, 1000 * t + 100, 1000 * t + 500);
            TILE(&run, block, 1, t, "%d|%d", 1000 * t + 560, 1000 * t + 600);
        }
    }
    const struct inside *row = ask(&run);
    assert_string_equal(row->method, "poll");
    /* From 560, the poller's first mark of tile 0, to 14560, that of tile 14: 14 tiles. */
    NEAR(row->overlaps[0].work_cycles, 2 * 14 * 400);
    NEAR(row->overlaps[0].copy_cycles, 2 * 14 * 580);
    NEAR(row->overlaps[0].e.value, 1);
    NEAR(row->overlaps[0].h.value, 400.0 / 580);
    written_end(&run);
}

/* What the rows of a record may be: each makes the arm inconclusive, and is counted. */
static void damaged_records_are_counted(void **state)
{
    (void)state;
    static const struct {
        int block, role, tile;
        const char *marks;
        int64_t missing;
    } bad[] = {
        {0, 7, 3, "1|2", 1},                       /* a warp that is not listed */
        {0, 1, 100, "90000|90001", 1},             /* behind the last of its 100 tiles */
        {0, 1, 15, "15800|16000", 1},              /* once more */
        {0, 1, 16, "9000|9100|9200|9300", 1},      /* before tile 15 */
        {0, 1, 16, "16800|17000|17200|17800", 31}, /* of 16 to 23 the four warps have one of 32 */
    };
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        struct written_run run;
        start(&run);
        draw(&run, -1);
        tile(&run, bad[i].block, bad[i].role, bad[i].tile, bad[i].marks);
        const struct inside *row = ask(&run);
        assert_string_equal(inside_reasons[row->reason].key, "records_missing");
        assert_int_equal(row->missing, bad[i].missing);
        written_end(&run);
    }
}

/* The 32 bits of a clock that went round: the mark lies before the one before it. */
static void a_clock_that_went_round_is_no_mark(void **state)
{
    (void)state;
    struct written_run run;
    start(&run);
    draw(&run, 4);
    TILE(&run, 0, 0, 4, "%d|%d", 4000, 12);
    const struct inside *row = ask(&run);
    assert_string_equal(inside_reasons[row->reason].key, "records_missing");
    assert_int_equal(row->missing, 2); /* it is out of order, and so it is missing */
    written_end(&run);
}

/* A mark that was not passed has no cycle, least of all 0: the copy of tile 4 has a wait and no issue. */
static void a_mark_that_is_not_there_is_not_zero(void **state)
{
    (void)state;
    struct written_run run;
    start(&run);
    draw(&run, 4);
    TILE(&run, 0, 0, 4, "|%d", 4800);
    const struct inside *row = ask(&run);
    assert_string_equal(inside_reasons[row->reason].key, "records_missing");
    assert_int_equal(row->missing, 1);
    assert_int_equal(row->phases[0].tiles, 2 * TILES - 1);
    written_end(&run);
}

/* Constants that ptxas makes by HFMA2 are no work on data; HFMA2 on data is. Code that nobody saw may have it. */
static void constants_are_no_other_work(void **state)
{
    (void)state;
    static const struct {
        const char *off, *record; /* HFMA2 on data in the code of each; NULL: not seen */
        const char *reason;
    } rows[] = {{"0", "0", ""},
                {"12", "12", "other_work"},
                {"0", "1", "other_work"},
                {NULL, "0", "other_work"},
                {NULL, NULL, "other_work"}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct written_run run;
        start(&run);
        draw(&run, -1);
        struct table *resources = &run.bundle.tables[BUNDLE_RESOURCES];
        resources->count = 0;
        add_row(&run, BUNDLE_RESOURCES, "f/v|m|_Z1kPf|4|256|64|0|0|0|2|0.5|1");
        add_row(&run, BUNDLE_RESOURCES, RECORD "|m|_Z1kPfi|4|256|64|0|0|0|2|0.5|1");
        json_t *seen = json_object();
        if (rows[i].off)
            json_object_set_new(seen, "_Z1kPf", json_integer(atoi(rows[i].off)));
        if (rows[i].record)
            json_object_set_new(seen, "_Z1kPfi", json_integer(atoi(rows[i].record)));
        json_object_set_new(run.bundle.manifest, "processes",
                            json_pack("[{s:s},{s:o}]", "role", "time", "half_math", seen));
        const char *const counted[][2] = {{"f/v", "16777216"}, {RECORD, "16974080"}};
        for (size_t k = 0; k < 2; k++) {
            add_row(&run, BUNDLE_METRICS,
                    "%s|m|k|0|smsp__sass_thread_inst_executed_op_ffma_pred_on.sum|count|8589934592", counted[k][0]);
            add_row(&run, BUNDLE_METRICS, "%s|m|k|0|smsp__sass_thread_inst_executed_op_hfma_pred_on.sum|count|%s",
                    counted[k][0], counted[k][1]);
        }
        const struct inside *row = ask(&run);
        assert_string_equal(inside_reasons[row->reason].key, rows[i].reason);
        if (*rows[i].reason)
            assert_string_equal(row->receipt.differs, "hfma_threads");
        written_end(&run);
    }
}

/* The record build is not the same kernel, or that was not shown. Each row replaces or adds one of the record arm. */
static void another_kernel_is_inconclusive(void **state)
{
    (void)state;
    static const struct {
        const char *resources; /* of the record arm; NULL: none */
        double cycles_more;    /* that it takes, of 1000 */
        const char *counter;   /* that the record arm has; the other one has 1000 ldgsts */
        const char *reason;
    } rows[] = {
        {"|k|4|256|65|0|0|0|2|0.5|1", 30, NULL, ""}, /* one register more, and 3% slower */
        {"|k|4|256|64|0|8|0|2|0.5|1", 0, NULL, "new_spills"},
        {"|k|4|256|64|0|0|0|1|0.5|1", 0, NULL, "other_occupancy"},
        {NULL, 0, NULL, "no_receipt"},
        {"|k|4|256|64|0|0|0|2|0.5|1", 230, NULL, "slower"},
        {"|k|4|256|64|0|0|0|2|0.5|1", -230, NULL, "faster"},
        {"|k|4|256|64|0|0|0|2|0.5|1", 0, "1009", ""},
        {"|k|4|256|64|0|0|0|2|0.5|1", 0, "1011", "other_work"},
        {"|k|4|256|64|0|0|0|2|0.5|1", 0, "", "other_work"}, /* nothing was counted of it */
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct written_run run;
        start(&run);
        draw(&run, -1);
        struct table *resources = &run.bundle.tables[BUNDLE_RESOURCES], *timing = &run.bundle.tables[BUNDLE_TIMING];
        resources->count = resources->column_count;
        if (rows[i].resources)
            add_row(&run, BUNDLE_RESOURCES, RECORD "|m%s", rows[i].resources);
        timing->count = 4 * timing->column_count;
        for (int process = 0; process < 4; process++)
            add_row(&run, BUNDLE_TIMING, RECORD "|m|%d|0|0|0|hot|1||%g|no", process,
                    1000 + process + rows[i].cycles_more);
        if (rows[i].counter)
            add_row(&run, BUNDLE_METRICS, "f/v|m|k|0|sm__sass_inst_executed_op_ldgsts.sum|count|1000");
        if (rows[i].counter && *rows[i].counter)
            add_row(&run, BUNDLE_METRICS, RECORD "|m|k|0|sm__sass_inst_executed_op_ldgsts.sum|count|%s",
                    rows[i].counter);
        const struct inside *row = ask(&run);
        assert_string_equal(inside_reasons[row->reason].key, rows[i].reason);
        written_end(&run);
    }
}

static void what_is_not_proven_is_inconclusive(void **state)
{
    (void)state;
    static const struct {
        enum verdict_status selection, correctness;
        const char *reason;
    } rows[] = {{VERDICT_FAIL, VERDICT_PASS, "not_selected"},
                {VERDICT_INCONCLUSIVE, VERDICT_PASS, "not_selected"},
                {VERDICT_PASS, VERDICT_FAIL, "wrong_result"},
                {VERDICT_PASS, VERDICT_INCONCLUSIVE, "not_verified"}};
    for (size_t i = 0; i < 2 * COUNT_OF(rows); i++) { /* first of the off arm, then of the other one */
        struct written_run run;
        start(&run);
        draw(&run, -1);
        run.analysis.selection.items[i % 2].status = rows[i / 2].selection;
        run.analysis.correctness.items[i % 2].status = rows[i / 2].correctness;
        assert_string_equal(inside_reasons[ask(&run)->reason].key, rows[i / 2].reason);
        written_end(&run);
    }
}

/* Three processes are needed on each side, and the interval of the cost must end below 5%. */
static void an_unknown_cost_is_inconclusive(void **state)
{
    (void)state;
    for (int processes = 0; processes < 4; processes++) {
        struct written_run run;
        start(&run);
        draw(&run, -1);
        run.bundle.tables[BUNDLE_TIMING].count = 4 * run.bundle.tables[BUNDLE_TIMING].column_count;
        for (int process = 0; process < processes; process++)
            add_row(&run, BUNDLE_TIMING, RECORD "|m|%d|0|0|0|hot|1||%d|no", process, process % 2 ? 900 : 1100);
        assert_string_equal(inside_reasons[ask(&run)->reason].key, processes == 0  ? "not_timed"
                                                                   : processes < 3 ? "too_few_processes"
                                                                                   : "cost_unclear");
        written_end(&run);
    }
}

/* A cost whose end is 5.04% and one of 4.96% would both be "5.0%". */
static void a_cost_near_its_limit_has_a_digit_more(void **state)
{
    (void)state;
    static const struct {
        struct bounded cost;
        const char *words;
    } cases[] = {
        {{0.0346, 0.032, 0.037}, "3.5% (3.2 to 3.7%)"},          {{0.0388, 0.035, 0.0519}, "3.9% (3.5 to 5.2%)"},
        {{0.0499, 0.0494, 0.0504}, "4.99% (4.94 to 5.04%)"},     {{0.047, 0.044, 0.0496}, "4.70% (4.40 to 4.96%)"},
        {{-0.047, -0.0503, -0.044}, "-4.70% (-5.03 to -4.40%)"}, {{0.02, NAN, NAN}, "2.0%"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char words[INSIDE_COST_BYTES];
        assert_string_equal(inside_cost_words(words, cases[i].cost, " (", ")"), cases[i].words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cost_near_its_limit_has_a_digit_more),
        cmocka_unit_test(samples_bound_the_overlap),
        cmocka_unit_test(few_samples_bound_nothing),
        cmocka_unit_test(bounds_of_two_shares),
        cmocka_unit_test(the_drawing_is_read),
        cmocka_unit_test(a_deleted_tile_betters_nothing),
        cmocka_unit_test(synchronous_copies_are_not_hidden),
        cmocka_unit_test(a_single_tile_cannot_come_earlier),
        cmocka_unit_test(an_arrival_before_the_wait_is_an_interval),
        cmocka_unit_test(blocks_hide_for_each_other),
        cmocka_unit_test(an_sm_without_all_of_its_blocks_is_left_out),
        cmocka_unit_test(blocks_of_two_devices_share_no_sm),
        cmocka_unit_test(a_role_without_copies_has_tiles_of_its_own),
        cmocka_unit_test(what_fits_matters_as_far_as_the_grid_goes),
        cmocka_unit_test(polling_shows_when_a_tile_arrives),
        cmocka_unit_test(damaged_records_are_counted),
        cmocka_unit_test(a_clock_that_went_round_is_no_mark),
        cmocka_unit_test(a_mark_that_is_not_there_is_not_zero),
        cmocka_unit_test(constants_are_no_other_work),
        cmocka_unit_test(another_kernel_is_inconclusive),
        cmocka_unit_test(what_is_not_proven_is_inconclusive),
        cmocka_unit_test(an_unknown_cost_is_inconclusive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
