/* Does the process that times arms learn of each what the decision needs, and obey it? Kernels, their times and what a
 * graph can hold are played here: a launch takes what the script says. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/runner/block_timer.h"
#include "collector/runner/judge/judged.h"
#include "collector/runner/python/python_solution.h"
#include "collector/runner/series_timer.h"
#include "tests/test.h"

enum { ARMS_MAX = 3, PROCESSES_MAX = 6 };

/* ---- what is played ---- */

struct kernel {
    double single_us, batched_us; /* what a launch takes; 0: there is no such arm */
    bool refuses;                 /* a graph cannot hold it */
};

static struct {
    const struct kernel *kernels; /* of the arms A, B, ... */
    size_t there;                 /* arms on the device */
    char tried[128];              /* "A50 B4 ": who was tried in graphs of how many */
    char steps[128]; /* Poison, Launch, Verify, Replays; hot and cold blocks, the last of either in capitals */
    int no_replay;   /* a cudaError_t */
} played;

static void step(char what)
{
    const size_t used = strlen(played.steps);
    if (used + 1 < sizeof played.steps)
        played.steps[used] = what, played.steps[used + 1] = '\0';
}

static size_t index_of(const struct timed_arm *arm)
{
    return (size_t)(arm->arm.run_case->name[0] - 'A');
}

cudaError_t __wrap_cudaStreamSynchronize(cudaStream_t stream);
cudaError_t __wrap_cudaStreamSynchronize(cudaStream_t stream)
{
    (void)stream;
    return cudaSuccess;
}

int __wrap_judged_replay(const struct cpprof_variant *variant, void *state, struct CUstream_st *stream);
int __wrap_judged_replay(const struct cpprof_variant *variant, void *state, struct CUstream_st *stream)
{
    (void)variant, (void)stream;
    assert_ptr_equal(state, &played);
    step('R');
    return played.no_replay;
}

int device_open(struct device *d, int ordinal, struct err *e)
{
    (void)d, (void)ordinal, (void)e;
    return 0;
}

int device_error(int cuda_status, const char *doing, struct err *e)
{
    return err_set(e, ERR_ENVIRONMENT, "CUDA failed to %s: %d", doing, cuda_status);
}

int block_timer_open(struct block_timer *t, struct runner *r, size_t blocks, struct err *e)
{
    (void)blocks, (void)e;
    *t = (struct block_timer){.r = r, .iterations = 1};
    return 0;
}

void block_timer_release(struct block_timer *t)
{
    (void)t;
}

int block_timer_floor(struct block_timer *t, double *median_ns, struct err *e)
{
    (void)t, (void)e;
    *median_ns = 100;
    return 0;
}

int block_timer_probe(struct block_timer *t, struct timed_arm *arm, size_t samples, double *median_ns, struct err *e)
{
    (void)t, (void)e;
    assert_true(arm->ready);
    assert_in_range(samples, PROBE_LEAST, PROBE_MOST);
    *median_ns = 1000 * played.kernels[index_of(arm)].single_us;
    return 0;
}

int timed_arm_make_graph(struct block_timer *t, struct timed_arm *arm, int launches, struct err *e)
{
    (void)t;
    assert_true(arm->ready);
    if (played.kernels[index_of(arm)].refuses)
        return err_set(e, ERR_ENVIRONMENT, "a launch allocates");
    arm->batch = launches;
    return 0;
}

int block_timer_probe_batch(struct block_timer *t, struct timed_arm *arm, int launches, double *median_ns,
                            struct err *e)
{
    const size_t used = strlen(played.tried);
    snprintf(played.tried + used, sizeof played.tried - used, "%c%d ", arm->arm.run_case->name[0], launches);
    int rc = timed_arm_make_graph(t, arm, launches, e);
    arm->batch = 0;
    *median_ns = rc ? NAN : 1000 * played.kernels[index_of(arm)].batched_us;
    return rc;
}

int series_timer_open(struct block_timer *t, struct err *e)
{
    (void)t, (void)e;
    fail_msg("no arm is a solution");
    return 0;
}

int series_timer_run(struct block_timer *t, struct timed_arm *arm, struct block_place place, struct err *e)
{
    (void)t, (void)arm, (void)place, (void)e;
    fail_msg("no arm is a solution");
    return 0;
}

int block_timer_run(struct block_timer *t, struct timed_arm *arm, struct block_place place, struct err *e)
{
    (void)e;
    static const char blocks[2][2] = {{'h', 'H'}, {'c', 'C'}};
    step(blocks[place.cache == CACHE_COLD][place.is_last]);
    struct table *table = &t->r->tables[BUNDLE_TIMING];
    struct cell *row = table_add_row(table);
    row[TIMING_VARIANT] = cell_text(table, arm->arm.run_case->name);
    row[TIMING_SHAPE] = cell_text(table, arm->arm.run_case->key);
    row[TIMING_PROCESS] = cell_integer(t->r->index);
    row[TIMING_CACHE] = cell_text(table, place.cache == CACHE_COLD ? "cold" : "hot");
    row[TIMING_BATCH] = cell_integer(arm->batch && place.cache == CACHE_HOT ? arm->batch : 1);
    return 0;
}

void timed_arm_release(struct timed_arm *arm)
{
    if (arm->ready)
        arm_teardown(&arm->arm);
    arm->ready = false;
    arm->batch = 0;
}

/* ---- the arms ---- */

static int set_up(const struct cpprof_config *config, struct CUstream_st *stream, void **state)
{
    (void)config, (void)stream;
    *state = &played;
    played.there++;
    return 0;
}

static int poison(void *state, struct CUstream_st *stream)
{
    (void)state, (void)stream;
    step('P');
    return 0;
}

static int launch(void *state, struct CUstream_st *stream)
{
    (void)state, (void)stream;
    step('L');
    return 0;
}

static int verify(void *state, struct CUstream_st *stream, struct cpprof_verification *result)
{
    (void)state, (void)stream;
    step('V');
    *result = (struct cpprof_verification){.values = 1};
    return 0;
}

static void tear_down(void *state)
{
    (void)state;
    played.there--;
}

static size_t shared_bytes(const struct cpprof_config *config)
{
    (void)config;
    return 0;
}

static const struct cpprof_variant variant = {.struct_bytes = sizeof variant,
                                              .name = "arm",
                                              .shared_bytes = shared_bytes,
                                              .setup = set_up,
                                              .poison = poison,
                                              .launch = launch,
                                              .verify = verify,
                                              .teardown = tear_down};

/* ---- a run ---- */

struct request {
    enum schedule schedule;
    enum batch_method method;
    const char *cache; /* "hot", "cold" or "both" */
    struct kernel kernels[ARMS_MAX];
};

/* What became of a run. */
struct outcome {
    int rc; /* of the first process that failed; then there are no more */
    struct err e;
    char tried[128];                  /* in all processes, a bar between two */
    char batches[128];                /* "A63 B50 ": what the table has, each value once; cold ones are "a1" */
    char missing[PROCESSES_MAX][256]; /* the notes */
    size_t notes;
};

static void take_report(struct outcome *out, const json_t *report)
{
    size_t i;
    const json_t *note;
    json_array_foreach (json_object_get(report, "missing"), i, note) {
        assert_string_equal(json_get_text(note, "what", ""), "launches in graphs");
        assert_true(out->notes < PROCESSES_MAX);
        snprintf(out->missing[out->notes++], sizeof out->missing[0], "%s", json_get_text(note, "why", ""));
    }
}

static void take_rows(struct outcome *out, const struct table *timing)
{
    for (size_t row = 0; row < table_rows(timing); row++) {
        char word[32];
        const bool cold = !strcmp(table_text(timing, row, TIMING_CACHE), "cold");
        snprintf(word, sizeof word, "%c%.0f ", table_text(timing, row, TIMING_VARIANT)[0] + (cold ? 'a' - 'A' : 0),
                 table_number(timing, row, TIMING_BATCH));
        if (!strstr(out->batches, word))
            strncat(out->batches, word, sizeof out->batches - strlen(out->batches) - 1);
    }
}

/* One process, which finds timing.csv in `directory` as those before left it. */
static void run_process(const struct request *q, const char *directory, int64_t index, size_t arms, struct outcome *out)
{
    struct run_case cases[ARMS_MAX] = {{0}};
    struct runner r = {.role = "time",
                       .directory = directory,
                       .index = index,
                       .iterations = 4,
                       .warmup = 2,
                       .schedule = q->schedule,
                       .method = q->method,
                       .hot = strcmp(q->cache, "cold") != 0,
                       .cold = strcmp(q->cache, "hot") != 0,
                       .shares = 1,
                       .report = json_object()};
    r.arm = q->schedule == SCHEDULE_PROCESS ? index % (int64_t)arms : 0;
    r.cases.items = cases;
    r.cases.count = arms;
    r.cases.group_count = 1;
    for (size_t i = 0; i < arms; i++) {
        cases[i].variant = &variant;
        snprintf(cases[i].name, sizeof cases[i].name, "%c", (char)('A' + i));
        snprintf(cases[i].key, sizeof cases[i].key, "small");
    }
    for (int t = 0; t < BUNDLE_TABLE_COUNT; t++)
        bundle_table_init(&r.tables[t], t);
    char path[64];
    snprintf(path, sizeof path, "%s/timing.csv", directory);
    played.tried[0] = played.steps[0] = '\0';
    out->rc = role_time(&r, &out->e);
    const size_t used = strlen(out->tried);
    snprintf(out->tried + used, sizeof out->tried - used, "%s%s", index ? "|" : "", played.tried);
    take_report(out, r.report);
    take_rows(out, &r.tables[BUNDLE_TIMING]);
    if (table_rows(&r.tables[BUNDLE_TIMING]))
        assert_int_equal(table_append_csv(&r.tables[BUNDLE_TIMING], path, NULL), 0);
    for (int t = 0; t < BUNDLE_TABLE_COUNT; t++)
        table_release(&r.tables[t]);
    json_decref(r.report);
}

static void run(const struct request *q, struct outcome *out)
{
    char directory[] = "role-time-XXXXXX", path[64];
    size_t arms = 0;
    while (arms < ARMS_MAX && q->kernels[arms].single_us > 0)
        arms++;
    assert_non_null(mkdtemp(directory));
    *out = (struct outcome){0};
    played.kernels = q->kernels;
    played.there = 0;
    const int64_t processes = q->schedule == SCHEDULE_PROCESS ? 2 * (int64_t)arms : 2;
    for (int64_t index = 0; index < processes && !out->rc; index++)
        run_process(q, directory, index, arms, out);
    snprintf(path, sizeof path, "%s/timing.csv", directory);
    unlink(path);
    assert_int_equal(rmdir(directory), 0);
    if (!out->rc)
        assert_int_equal(played.there, 0);
}

/* Graphs that are tried take 500 us by what a launch takes alone, those that are timed by what it takes among others;
 * of 4 launches at least. */
TEST(every_arm_is_timed_alike)
{
    static const struct {
        struct request request;
        const char *tried, *batches;
        size_t notes;
    } cases[] = {
        {{SCHEDULE_ABBA, BATCH_AUTO, "hot", {{12, 8, false}, {10, 8, false}}}, "A42 B50 |", "A63 B63 ", 0},
        {{SCHEDULE_ABBA, BATCH_AUTO, "hot", {{12, 11.9, false}, {10, 9.9, false}}}, "A42 B50 |", "A1 B1 ", 0},
        {{SCHEDULE_ABBA, BATCH_AUTO, "hot", {{3000, 2990, false}, {10, 8, false}}}, "B50 A4 |", "A4 B63 ", 0},
        /* A graph cannot hold the long one: said once, and it is no error. */
        {{SCHEDULE_ABBA, BATCH_AUTO, "hot", {{3000, 0, true}, {10, 8, false}}}, "B50 A4 |", "A1 B1 ", 1},
        {{SCHEDULE_SEQUENTIAL, BATCH_AUTO, "hot", {{3000, 0, true}, {10, 8, false}}}, "B50 A4 |", "A1 B1 ", 1},
        {{SCHEDULE_PROCESS, BATCH_AUTO, "hot", {{3000, 0, true}, {10, 8, false}}}, "B50 A4 |||", "A1 B1 ", 1},
        {{SCHEDULE_ABBA, BATCH_AUTO, "hot", {{10, 0, true}, {10, 0, true}, {10, 8, false}}}, "A50 |", "A1 B1 C1 ", 1},
        /* Arms that are never together: as many launches as where they are. The second process looks at its own arm. */
        {{SCHEDULE_SEQUENTIAL, BATCH_AUTO, "hot", {{12, 8, false}, {10, 8, false}}}, "A42 B50 |", "A63 B63 ", 0},
        {{SCHEDULE_PROCESS, BATCH_AUTO, "hot", {{12, 8, false}, {10, 8, false}}}, "A42 B50 |B50 ||", "A63 B63 ", 0},
        {{SCHEDULE_PROCESS, BATCH_GRAPHS, "hot", {{12, 8, false}, {10, 8, false}}}, "A42 |B50 ||", "A63 B63 ", 0},
        {{SCHEDULE_ABBA, BATCH_GRAPHS, "hot", {{3000, 2990, false}, {200, 199, false}}}, "A4 B4 |", "A4 B4 ", 0},
        {{SCHEDULE_ABBA, BATCH_SINGLE, "hot", {{12, 8, false}, {2, 1, false}}}, "|", "A1 B1 ", 0},
        {{SCHEDULE_ABBA, BATCH_AUTO, "cold", {{12, 8, false}, {2, 1, false}}}, "|", "a1 b1 ", 0},
        {{SCHEDULE_ABBA, BATCH_GRAPHS, "both", {{100, 98, false}}}, "A5 |", "A6 a1 ", 0},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct outcome out;
        run(&cases[i].request, &out);
        if (out.rc || strcmp(out.tried, cases[i].tried) != 0 || strcmp(out.batches, cases[i].batches) != 0 ||
            out.notes != cases[i].notes)
            fail_msg("case %zu: code %d '%s', tried '%s', batches '%s', %zu notes", i, out.rc, out.e.text, out.tried,
                     out.batches, out.notes);
    }
}

/* What is verified last is what the timed launches left: none comes between. Before cold blocks the clocks go up again.
 */
TEST(the_output_of_the_last_block_is_verified)
{
    static const struct {
        const char *cache, *steps;
    } cases[] = {{"hot", "PLVLLhhhHV"}, {"cold", "PLVLLcccCV"}, {"both", "PLVLLhhhHVLLcccCV"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct request q = {SCHEDULE_ABBA, BATCH_SINGLE, cases[i].cache, {{12, 8, false}}};
        struct outcome out;
        run(&q, &out);
        assert_int_equal(out.rc, 0);
        assert_string_equal(played.steps, cases[i].steps);
    }
}

/* Where Python runs a launch is recorded when it was verified and is warm, and before anything is timed. */
TEST(beside_python_launches_are_replayed)
{
    static const struct python_host host;
    const struct request q = {SCHEDULE_ABBA, BATCH_SINGLE, "both", {{12, 8, false}}};
    struct outcome out;
    python_host_set(&host);
    run(&q, &out);
    assert_int_equal(out.rc, 0);
    assert_string_equal(played.steps, "PLVLLRhhhHVLLcccCV");
    played.no_replay = 1;
    run(&q, &out);
    played.no_replay = 0;
    python_host_set(NULL);
    assert_int_equal(out.rc, ERR_ENVIRONMENT);
    assert_non_null(strstr(out.e.text, "'A' at 'small' is timed with functions of Python files"));
    assert_string_equal(out.batches, "");
}

TEST(a_note_names_the_arm)
{
    static const struct request q = {SCHEDULE_ABBA, BATCH_AUTO, "hot", {{10, 8, false}, {10, 0, true}}};
    struct outcome out;
    run(&q, &out);
    assert_int_equal(out.notes, 1);
    assert_string_equal(out.missing[0], "'B' and what it is compared with at 'small' are timed one launch at a time: "
                                        "a launch allocates");
}

TEST(graphs_that_cannot_be_are_an_error)
{
    static const struct request q = {SCHEDULE_ABBA, BATCH_GRAPHS, "hot", {{10, 8, false}, {3000, 0, true}}};
    struct outcome out;
    run(&q, &out);
    assert_int_equal(out.rc, ERR_ENVIRONMENT);
    assert_string_equal(out.e.text, "'B' at 'small' cannot be timed in graphs, use --method auto: a launch allocates");
    assert_string_equal(out.batches, "");
    assert_int_equal(out.notes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_arm_is_timed_alike),
        cmocka_unit_test(the_output_of_the_last_block_is_verified),
        cmocka_unit_test(beside_python_launches_are_replayed),
        cmocka_unit_test(a_note_names_the_arm),
        cmocka_unit_test(graphs_that_cannot_be_are_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
