/* Is a table that cannot be right noticed, and does its good part stay? */
#include "tests/unit/scratch_bundle.h"

#include "analyzers/entries.h"
#include "core/base/count_of.h"
#include "core/bundle/bundle_open.h"
#include "core/bundle/bundle_write.h"

struct row {
    enum bundle_table table;
    const char *cells;
};

static const struct row good[] = {
    {BUNDLE_VARIANTS, "f/a|s|||x|1024|||ready"},
    {BUNDLE_VARIANTS, "f/b|s|f/a||x|1024|||ready"},
    {BUNDLE_VARIANTS, "f/c|s|f/a||x|1024|||not runnable: no such chip"},
    {BUNDLE_EXPECT, "f/b|sm__inst_executed.sum|1||s"},
    {BUNDLE_TIMING, "f/a|s|0|0|0|0|hot|1|1e9|100|no"},
    {BUNDLE_METRICS, "f/b|s|k|0|sm__inst_executed.sum|count|30"},
    {BUNDLE_RESOURCES, "f/a|s|k|8|256|40|1024|0|0|2|0.5|1|aa|10"},
    {BUNDLE_VERIFY, "f/a|s|0|1|all|0.001|0|10|aa||yes|"},
    {BUNDLE_ITERATIONS, "f/a|s|0|0|0|100|120|200|80|1|0|0"},
    {BUNDLE_WORK, "f/a|s|0|kernel|k|3|300|0|2|200|0"},
};

static bool proves_nothing; /* of the bundle before */

/* The first caveat that says damage; "" when there is none. */
static const char *damage_of(const struct scratch *s, enum bundle_table table, size_t *rows)
{
    static char text[512];
    struct bundle b;
    bundle_init(&b);
    MUST(bundle_open(&b, s->path, &e));
    const char *first = caveat_first(&b.caveats, CAVEAT_TRUNCATED);
    snprintf(text, sizeof text, "%s", first ? first : "");
    *rows = table_rows(&b.tables[table]);
    proves_nothing = b.lacks_checks;
    bundle_release(&b);
    return text;
}

static void make(struct scratch *s)
{
    scratch_create(s);
    for (size_t i = 0; i < COUNT_OF(good); i++)
        scratch_row(s, good[i].table, good[i].cells);
}

static size_t good_rows(enum bundle_table table)
{
    size_t rows = 0;
    for (size_t i = 0; i < COUNT_OF(good); i++)
        rows += good[i].table == table;
    return rows;
}

static void rows_that_are_right_are_read(void **state)
{
    (void)state;
    static const struct row cases[] = {
        {BUNDLE_VERIFY, "f/a|ragged|0|1|all|0|0|10|aa||yes|"}, /* ragged shapes are in no other table */
        {BUNDLE_VERIFY, "f/a|s|0|1|some new phase|0|0|10|aa|no|yes|"},
        {BUNDLE_VERIFY, "f/a|s|0|1|after|||10|||no|"}, /* what fails need not say by how much */
        {BUNDLE_VERIFY, "f/a|s||1|output||||||||"},    /* an open check */
        {BUNDLE_METRICS, "f/b|s|k|1|sm__inst_executed.sum|count|"},
        {BUNDLE_METRICS, "f/b|s||0|sm__inst_executed.sum|count|3"},
        {BUNDLE_RESOURCES, "f/a|s|k2|||||||||||"},
        {BUNDLE_VARIANTS, "f/d|s|f/a||x||||"},
        {BUNDLE_HOTSPOTS, "f/a|s|k|16|FADD|k.cu|7|wait|3|x += y;"},
        {BUNDLE_HOTSPOTS, "f/a|s|k||||0|wait|3|"}, /* no text, so any line */
        {BUNDLE_HOTSPOTS, "f/a|s|k|||k.cu|7|wait|3|x += y;"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct scratch s;
        size_t rows;
        make(&s);
        scratch_row(&s, cases[i].table, cases[i].cells);
        const char *damage = damage_of(&s, cases[i].table, &rows);
        if (*damage || rows != good_rows(cases[i].table) + 1)
            fail_msg("'%s': %s", cases[i].cells, damage);
        scratch_remove(&s);
    }
}

static void rows_that_cannot_be_right_are_damage(void **state)
{
    (void)state;
    static const struct {
        struct row row;
        const char *says;
    } cases[] = {
        {{BUNDLE_TIMING, "f/a|s|1e300|0|0|0|hot|1|1e9|100|no"},
         "column 'process' is 1e+300, beyond 2^53, where whole numbers cannot be told apart, expected: required, key"},
        {{BUNDLE_HOTSPOTS, "f/a|s|k|16|FADD|k.cu||wait|3|x += y;"},
         "hotspots.csv: row 1: it has the text of a line, and no line"},
        {{BUNDLE_HOTSPOTS, "f/a|s|k|16|FADD|k.cu|0|wait|3|x += y;"}, "it has the text of a line, and no line"},
        {{BUNDLE_HOTSPOTS, "f/a|s|k|16|FADD|k.cu|7.5|wait|3|x += y;"}, "column 'line' is 7.5"},
        {{BUNDLE_HOTSPOTS, "f/a|s|k|16|FADD|k.cu|7|wait|-3|x += y;"}, "column 'samples' is -3"},
        {{BUNDLE_HOTSPOTS, "f/a|t|k|16|FADD|k.cu|7|wait|3|x += y;"},
         "row 1: 'f/a' at 't': variants.csv has no such row"},
        {{BUNDLE_VERIFY, "f/a|s|0|2|all||0|10|aa||yes|"},
         "verify.csv: row 2: it passes, and its largest error is not known"},
        {{BUNDLE_VERIFY, "f/a|s|0|2|all|-1|0|10|aa||yes|"}, "column 'max_abs_err' is -1, expected: 0 or more"},
        {{BUNDLE_VERIFY, "f/a|s|0|2|all|0|1|10|aa||yes|"}, "it passes, and not all values are within their tolerance"},
        {{BUNDLE_VERIFY, "f/a|s|0|2|all|0||10|aa||yes|"}, "it passes, and not all values are within their tolerance"},
        {{BUNDLE_VERIFY, "f/a|s|0|2|all|0|0|10|aa||YES|"}, "column 'pass' is 'YES', expected: `yes` or `no`"},
        {{BUNDLE_VERIFY, "f/a|s|0|1|all|0|0|10|aa||no|"},
         "it is row 1 again: variant, shape, process, seed, phase are the same"},
        {{BUNDLE_VERIFY, "f/x|s|0|1|all|0|0|10|aa||no|"}, "'f/x' at 's': variants.csv has no such row"},
        {{BUNDLE_TIMING, "f/a|s|0|0|0|1|hot|1|1e9||no"},
         "timing.csv: row 2: column 'duration_ns' is empty, which only samples of solutions may be"},
        {{BUNDLE_TIMING, "f/a|s|0|0|0|1|hot|1|1e9|-1|no"}, "column 'duration_ns' is -1"},
        {{BUNDLE_TIMING, "f/a|s|0|0|0|1|hot|1|1e9|1|YES"}, "column 'throttled' is 'YES'"},
        {{BUNDLE_TIMING, "f/a|s|0|0|0|1|HOT|1|1e9|1|no"}, "column 'cache' is 'HOT'"},
        {{BUNDLE_TIMING, "f/a|s|0.5|0|0|1|hot|1|1e9|1|no"},
         "column 'process' is 0.5, expected: required, key, whole, 0 or more"},
        {{BUNDLE_TIMING, "f/a|s|0|0|0|1|hot|-1|1e9|1|no"}, "column 'batch' is -1"},
        {{BUNDLE_TIMING, "f/a|s|0|0|0|1|hot|0|1e9|1|no"}, "column 'batch' is 0"},
        {{BUNDLE_TIMING, "f/a|s|0|0|7|0|hot|1|1e9|900|yes"}, "it is row 1 again"},
        {{BUNDLE_TIMING, "f/a|s|0|0|0|1|hot|1|1e9|5|yes"}, "row 2: 'throttled' is not that of the block"},
        {{BUNDLE_TIMING, "f/a|s|0|0|0|1|hot|1||5|no"}, "row 2: 'sm_clock_hz' is not that of the block"},
        {{BUNDLE_TIMING, "f/a|t|0|0|0|1|hot|1|1e9|1|no"}, "row 2: 'f/a' at 't': variants.csv has no such row"},
        {{BUNDLE_TIMING, "f/c|s|0|0|0|1|hot|1|1e9|1|no"}, "row 2: 'f/c' at 's': it was not runnable"},
        {{BUNDLE_RESOURCES, "f/b|s|k|8|256|40|1024|0|0|2|5|1|aa|10"}, "column 'occupancy' is 5, expected: 0 to 1"},
        {{BUNDLE_RESOURCES, "f/b|s|k|8|256|-40|1024|0|0|2|0.5|1|aa|10"}, "column 'registers' is -40"},
        {{BUNDLE_RESOURCES, "f/a|s|k|8|256|99|1024|0|0|2|0.5|1|aa|10"},
         "it is row 1 again: variant, shape, kernel are the same"},
        {{BUNDLE_METRICS, "f/b|s|k|1|sm__inst_executed.sum|ns|30"}, "its unit is not that of the counter"},
        {{BUNDLE_METRICS, "f/b|s|k|0|sm__inst_executed.sum|count|1"}, "it is row 1 again"},
        {{BUNDLE_EXPECT, "f/b|m|||s"}, "it expects nothing"},
        {{BUNDLE_VARIANTS, "f/d|s|||x||||almost ready"}, "its status is neither"},
        {{BUNDLE_VARIANTS, "f/a|s|f/b||x||||ready"}, "it is row 1 again: variant, shape are the same"},
        {{BUNDLE_ITERATIONS, "f/a|s|0|1|0|130|120|200|80|1|0|0"}, "it is busy for longer than it lasts"},
        {{BUNDLE_ITERATIONS, "f/a|s|0|1|0|100|120|200|201|1|0|0"}, "it idles for longer than its interval"},
        {{BUNDLE_WORK, "f/a|s|0|kernel|k2|3|300|0|4|200|0"}, "more of it was chosen than ran"},
        {{BUNDLE_WORK, "f/a|s|0|range|k2|3|300|0|1|200|0"}, "column 'kind' is 'range'"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct scratch s;
        size_t rows;
        make(&s);
        scratch_row(&s, cases[i].row.table, cases[i].row.cells);
        const char *damage = damage_of(&s, cases[i].row.table, &rows);
        if (!strstr(damage, cases[i].says))
            fail_msg("'%s': '%s'", cases[i].row.cells, damage);
        const bool alone = !strstr(damage, "' at '") && !strstr(damage, "only samples of solutions") &&
                           !strstr(damage, "of the block"); /* rows that disagree with another table stay */
        assert_int_equal(rows, good_rows(cases[i].row.table) + !alone);
        assert_int_equal(proves_nothing, alone && cases[i].row.table == BUNDLE_VERIFY);
        scratch_remove(&s);
    }
}

/* Samples of process `process`; its own noise, unless it is a copy of process 0. */
static void add_process(const struct scratch *s, int process, int samples, bool is_copy)
{
    for (int i = 0; i < samples; i++) {
        char row[128];
        snprintf(row, sizeof row, "f/a|s|%d|1|0|%d|hot|1|1e9|%d|no", process, i,
                 1000 + 7 * i + (is_copy ? 0 : process));
        scratch_row(s, BUNDLE_TIMING, row);
    }
}

static void a_copied_process_is_damage(void **state)
{
    (void)state;
    static const struct {
        int samples;
        bool is_copy;
        const char *says;
    } cases[] = {
        {8, true,
         "timing.csv: row 10: process 2 has the samples of process 1"}, /* behind the one of process 0, and 8 */
        {7, true, ""},                                                  /* so few may agree by chance */
        {8, false, ""},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct scratch s;
        size_t rows;
        make(&s);
        for (int process = 1; process < 4; process++)
            add_process(&s, process, cases[i].samples, cases[i].is_copy);
        const char *damage = damage_of(&s, BUNDLE_TIMING, &rows);
        if (*cases[i].says ? !strstr(damage, cases[i].says) : *damage)
            fail_msg("case %zu: '%s'", i, damage);
        scratch_remove(&s);
    }
}

static void a_sealed_run_has_its_variants(void **state)
{
    (void)state;
    struct scratch s;
    size_t rows;
    scratch_create(&s);
    scratch_row(&s, BUNDLE_TIMING, "f/a|s|0|0|0|0|hot|1|1e9|100|no");
    json_object_set_new(s.manifest, "kind", json_string("run"));
    MUST(bundle_seal(s.path, s.manifest, &e));
    assert_non_null(strstr(damage_of(&s, BUNDLE_TIMING, &rows), "has no variants.csv"));
    scratch_remove(&s);
}

/* One seed, two arms of which one could not run, two processes. */
static const struct row whole_run[] = {
    {BUNDLE_VARIANTS, "f/a|s|||x|1024|||"}, /* nothing says that it could not run */
    {BUNDLE_VARIANTS, "f/c|s|f/a||x|1024|||not runnable: no such chip"},
    {BUNDLE_VERIFY, "f/a|s|0|7|all|0|0|10|aa||yes|"},
    {BUNDLE_VERIFY, "f/a|s|0|0|before|0|0|10|aa||yes|"},
    {BUNDLE_VERIFY, "f/a|s|0|0|after|0|0|10|aa||yes|"},
    {BUNDLE_VERIFY, "f/a|s|1|0|before|0|0|10|aa||yes|"},
    {BUNDLE_VERIFY, "f/a|s|1|0|timed|0|0|10|aa||yes|"},
    {BUNDLE_TIMING, "f/a|s|0|0|0|0|hot|1|1e9|100|no"},
    {BUNDLE_TIMING, "f/a|s|0|0|0|1|hot|1|1e9|100|no"},
    {BUNDLE_TIMING, "f/a|s|1|0|0|0|hot|1|1e9|101|no"},
    {BUNDLE_TIMING, "f/a|s|1|0|0|1|hot|1|1e9|101|no"},
};

/* What the seal and the rows do not show: that some of them are gone. */
static void a_run_has_what_its_manifest_says(void **state)
{
    (void)state;
    static const struct {
        size_t gone;         /* a row of whole_run; COUNT: none */
        long long processes; /* as the manifest says */
        const char *kind, *failures;
        enum caveat_kind is;
        const char *says;
        struct row more;
    } cases[] = {
        {COUNT_OF(whole_run), 2, "run", NULL, CAVEAT_NOTE, "", {0, NULL}},
        {COUNT_OF(whole_run),
         3,
         "run",
         NULL,
         CAVEAT_WEAKENS,
         "'f/a' at 's' has samples of 2 processes, of 3 that timed it",
         {0, NULL}},
        {COUNT_OF(whole_run),
         3,
         "run",
         "[{\"role\": \"time\"}]",
         CAVEAT_WEAKENS,
         "the time process 0 failed",
         {0, NULL}},
        {COUNT_OF(whole_run),
         1,
         "run",
         NULL,
         CAVEAT_TRUNCATED,
         "has samples of 2 processes, of 1 that timed it",
         {0, NULL}},
        {COUNT_OF(whole_run), 1, "capture", NULL, CAVEAT_NOTE, "", {0, NULL}},
        {2, 2, "run", NULL, CAVEAT_WEAKENS, "'f/a' at 's' lacks the check 'all' with seed 7", {0, NULL}},
        {5, 2, "run", NULL, CAVEAT_WEAKENS, "'f/a' at 's' lacks the check 'before' of process 1", {0, NULL}},
        {6, 2, "run", NULL, CAVEAT_WEAKENS, "'f/a' at 's' lacks the check 'timed' of process 1", {0, NULL}},
        {6, 2, "aa", NULL, CAVEAT_NOTE, "", {0, NULL}}, /* a pool keeps those of process 0 */
        {4, 2, "aa", NULL, CAVEAT_WEAKENS, "'f/a' at 's' lacks the check 'timed' of process 0", {0, NULL}},
        {10,
         2,
         "run",
         NULL,
         CAVEAT_WEAKENS,
         "samples of 'f/a' at 's' are gone: process 1 has not all of them",
         {0, NULL}},
        {COUNT_OF(whole_run),
         2,
         "run",
         NULL,
         CAVEAT_WEAKENS,
         "are gone: process 0 has not all",
         {BUNDLE_TIMING, "f/a|s|0|2|0|0|hot|1|1e9|100|no"}}, /* block 2 without block 1 */
        {COUNT_OF(whole_run),
         2,
         "run",
         NULL,
         CAVEAT_WEAKENS,
         "lacks the check whose row does not say whether it passes",
         {BUNDLE_VERIFY, "f/a|s|0|8|all|||10|||"}},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct scratch s;
        struct bundle b;
        scratch_create(&s);
        for (size_t row = 0; row < COUNT_OF(whole_run); row++)
            if (row != cases[i].gone)
                scratch_row(&s, whole_run[row].table, whole_run[row].cells);
        if (cases[i].more.cells)
            scratch_row(&s, cases[i].more.table, cases[i].more.cells);
        json_object_set_new(s.manifest, "kind", json_string(cases[i].kind));
        json_object_set_new(s.manifest, "seeds", json_pack("[s]", "7"));
        json_object_set_new(s.manifest, "programs", json_array()); /* which switch no check off */
        json_object_set_new(s.manifest, "stop", json_pack("{s:I}", "processes", (json_int_t)cases[i].processes));
        if (cases[i].failures)
            json_object_set_new(s.manifest, "failures", json_loads(cases[i].failures, 0, NULL));
        MUST(bundle_seal(s.path, s.manifest, &e));
        bundle_init(&b);
        MUST(bundle_open(&b, s.path, &e));
        const char *found = b.caveats.count ? b.caveats.items[0].text : "";
        if (b.caveats.count > 1 || !strstr(found, cases[i].says) ||
            (*found && b.caveats.items[0].kind != cases[i].is) || !*found != !*cases[i].says)
            fail_msg("case %zu: '%s'", i, found);
        assert_int_equal(b.lacks_checks,
                         strstr(cases[i].says, "lacks the check") || strstr(cases[i].says, "that timed it"));
        struct analysis a;
        analysis_init(&a, &b);
        MUST(analysis_join(&a, &e));
        MUST(correctness_analyze(&a, &e));
        const bool passes = analysis_correctness(&a, analysis_arm(&a, "f/a", "s"))->status == VERDICT_PASS;
        assert_int_equal(passes, !b.lacks_checks);
        analysis_release(&a);
        bundle_release(&b);
        scratch_remove(&s);
    }
}

/* Two processes of a program took three samples each; number 2 took none. */
static void a_program_has_the_samples_that_its_manifest_counts(void **state)
{
    (void)state;
    static const struct {
        int rows[4]; /* of processes 0 to 3 */
        enum caveat_kind is;
        const char *says;
    } cases[] = {
        {{3, 3, 0, 0}, CAVEAT_NOTE, ""},
        {{3, 2, 0, 0}, CAVEAT_WEAKENS, "'a' has 2 samples of process 1, of 3 that it took"},
        {{4, 3, 0, 0}, CAVEAT_TRUNCATED, "'a' has 4 samples of process 0, of 3 that it took"},
        {{3, 3, 1, 0}, CAVEAT_TRUNCATED, "'a' has 1 samples of process 2, of 0 that it took"},
        {{3, 3, 0, 1}, CAVEAT_TRUNCATED, "'a' has 1 samples of process 3, of 0 that it took"},
        {{3, 0, 0, 0}, CAVEAT_WEAKENS, "'a' has samples of 1 processes, of 2 that took some"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct scratch s;
        struct bundle b;
        scratch_create(&s);
        scratch_row(&s, BUNDLE_VARIANTS, "a|program");
        scratch_row(&s, BUNDLE_VERIFY, "a|program|0||output|0|0|4|aa|no|yes|");
        scratch_row(&s, BUNDLE_VERIFY, "a|program|1||output|0|0|4|aa|no|yes|");
        for (int process = 0; process < 4; process++)
            for (int row = 0; row < cases[i].rows[process]; row++) {
                char cells[64];
                snprintf(cells, sizeof cells, "a|program|%d|0|0|%d|program|1||%d|", process, row,
                         100 + 10 * process + row);
                scratch_row(&s, BUNDLE_TIMING, cells);
            }
        json_object_set_new(s.manifest, "programs",
                            json_pack("[{s:s,s:[{s:i,s:i},{s:i,s:i},{s:i,s:i}]}]", "variant", "a", "processes",
                                      "process", 0, "samples", 3, "process", 1, "samples", 3, "process", 2, "samples",
                                      0));
        MUST(bundle_seal(s.path, s.manifest, &e));
        bundle_init(&b);
        MUST(bundle_open(&b, s.path, &e));
        const char *found = b.caveats.count ? b.caveats.items[0].text : "";
        if (b.caveats.count > 1 || !strstr(found, cases[i].says) || !*found != !*cases[i].says ||
            (*found && b.caveats.items[0].kind != cases[i].is))
            fail_msg("case %zu: '%s'", i, found);
        bundle_release(&b);
        scratch_remove(&s);
    }
}

/* Each process that ran has a row of its own, unless the manifest says why the program has none. */
static void programs_have_shown_their_arrays(void **state)
{
    (void)state;
    static const char no_array[] = "[{\"what\": \"correctness of a\", \"why\": \"it wrote no array\"}]";
    static const char not_all[] =
        "[{\"what\": \"correctness of a\", \"why\": \"not every process of the program wrote its array\"}]";
    static const char of_another[] = "[{\"what\": \"correctness of b\", \"why\": \"it wrote no array\"}]";
    enum { NONE = -1, OPEN = -2 };
    static const struct {
        int processes[2]; /* of whose arrays there are checks; processes 0 and 1 ran */
        const char *missing;
        const char *says; /* "": nothing */
    } cases[] = {
        {{0, 1}, "[]", ""},
        {{0, NONE}, "[]", "has checks of 1 processes, of 2 that ran"},
        {{NONE, NONE}, "[]", "has checks of 0 processes, of 2 that ran"},
        {{NONE, NONE}, no_array, ""},
        {{0, NONE}, no_array, "has checks of 1 processes, of 2 that ran"},
        {{0, OPEN}, not_all, ""},
        {{NONE, NONE}, of_another, "has checks of 0 processes, of 2 that ran"},
        {{NONE, NONE}, not_all, "has checks of 0 processes, of 2 that ran"},
        {{0, 77}, "[]", "a check of process 77, which never ran"},
        {{0, 0}, "[]", "has checks of 1 processes, of 2 that ran"}, /* the second is of another phase */
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct scratch s;
        struct bundle b;
        scratch_create(&s);
        scratch_row(&s, BUNDLE_VARIANTS, "a|program");
        scratch_row(&s, BUNDLE_TIMING, "a|program|0|0|0|0|program|1||100|");
        scratch_row(&s, BUNDLE_TIMING, "a|program|1|0|0|0|program|1||100|");
        for (int row = 0; row < 2; row++) {
            static const char *const phases[] = {"output", "repeat"};
            const int process = cases[i].processes[row];
            char number[16] = "", cells[64];
            if (process >= 0)
                snprintf(number, sizeof number, "%d", process);
            snprintf(cells, sizeof cells, "a|program|%s||%s|0|0|4|aa|no|yes|", number, phases[row]);
            if (process != NONE)
                scratch_row(&s, BUNDLE_VERIFY, cells);
        }
        json_object_set_new(s.manifest, "missing", json_loads(cases[i].missing, 0, NULL));
        json_object_set_new(s.manifest, "programs",
                            json_pack("[{s:s,s:[{s:i,s:i},{s:i,s:i}]}]", "variant", "a", "processes", "process", 0,
                                      "samples", 1, "process", 1, "samples", 1));
        MUST(bundle_seal(s.path, s.manifest, &e));
        bundle_init(&b);
        MUST(bundle_open(&b, s.path, &e));
        const char *found = b.caveats.count ? b.caveats.items[0].text : "";
        if (!strstr(found, cases[i].says) || !*found != !*cases[i].says || b.lacks_checks != (*found != '\0'))
            fail_msg("case %zu: '%s'", i, found);
        bundle_release(&b);
        scratch_remove(&s);
    }
}

/* Deleted from the folder and from the seal, it is still known to have been written. */
static void a_trace_that_was_written_is_there(void **state)
{
    (void)state;
    static const struct {
        const char *processes;
        enum { NO_TRACE, SEALED_TRACE, LATE_TRACE } trace; /* late: behind the seal */
        const char *says;
    } cases[] = {
        {"[{\"role\": \"trace\", \"collector\": {\"records\": 17}}]", NO_TRACE,
         "lacks the trace of its traced process"},
        {"[{\"role\": \"trace\", \"collector\": {\"records\": 17}}]", SEALED_TRACE, ""},
        {"[{\"role\": \"trace\", \"collector\": {\"records\": 17}}]", LATE_TRACE,
         "lacks the trace of its traced process"},
        {"[{\"role\": \"trace\", \"collector\": {\"records\": 0}}]", NO_TRACE, ""},
        {"[{\"role\": \"trace\", \"collector\": {\"records\": 17.5}}]", NO_TRACE,
         "lacks the trace of its traced process"},
        {"[{\"role\": \"trace\"}]", NO_TRACE, "lacks the trace of its traced process"},
        {"[{\"role\": \"trace\", \"missing\": [{\"what\": \"hotspots\", \"why\": \"x\"}]}]", NO_TRACE,
         "lacks the trace of its traced process"},
        {"[{\"role\": \"trace\", \"collector\": {\"records\": 17}, \"missing\": [{\"what\": \"trace\"}]}]", NO_TRACE,
         "lacks the trace of its traced process"},
        {"[{\"role\": \"trace\", \"missing\": [{\"what\": \"trace\", \"why\": \"no CUPTI\"}]}]", NO_TRACE, ""},
        {"[{\"role\": \"time\", \"collector\": {\"records\": 17}}]", NO_TRACE, ""},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct scratch s;
        struct bundle b;
        scratch_create(&s);
        json_object_set_new(s.manifest, "kind", json_string("run"));
        json_object_set_new(s.manifest, "processes", json_loads(cases[i].processes, 0, NULL));
        if (cases[i].trace == SEALED_TRACE)
            scratch_write(&s, "trace-1-0.bin", "");
        MUST(bundle_seal(s.path, s.manifest, &e));
        if (cases[i].trace == LATE_TRACE)
            scratch_write(&s, "trace-1-0.bin", "");
        bundle_init(&b);
        MUST(bundle_open(&b, s.path, &e));
        const char *found = b.caveats.count ? b.caveats.items[0].text : "";
        if (!strstr(found, cases[i].says) || !*found != !*cases[i].says ||
            (*found && b.caveats.items[0].kind != CAVEAT_WEAKENS))
            fail_msg("case %zu: '%s'", i, found);
        bundle_release(&b);
        scratch_remove(&s);
    }
}

/* Old bundles have fewer columns. */
static void columns_that_are_younger_may_be_absent(void **state)
{
    (void)state;
    struct scratch s;
    size_t rows;
    scratch_create(&s);
    scratch_write(&s, "timing.csv",
                  "variant,shape,process,block,order,iteration,cache,batch,sm_clock_hz,duration_ns\n"
                  "f/a,s,0,0,0,0,hot,1,,100\n");
    scratch_write(&s, "expect.csv", "variant,metric,min,max\nf/a,m,1,\n");
    assert_string_equal(damage_of(&s, BUNDLE_TIMING, &rows), "");
    assert_int_equal(rows, 1);
    scratch_write(&s, "hotspots.csv",
                  "variant,shape,kernel,offset,instruction,file,line,reason,samples\nf/a,s,k,16,FADD,k.cu,7,wait,3\n");
    assert_string_equal(damage_of(&s, BUNDLE_HOTSPOTS, &rows), "");
    assert_int_equal(rows, 1);
    scratch_remove(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_that_are_right_are_read),
        cmocka_unit_test(rows_that_cannot_be_right_are_damage),
        cmocka_unit_test(a_copied_process_is_damage),
        cmocka_unit_test(a_sealed_run_has_its_variants),
        cmocka_unit_test(a_run_has_what_its_manifest_says),
        cmocka_unit_test(a_program_has_the_samples_that_its_manifest_counts),
        cmocka_unit_test(programs_have_shown_their_arrays),
        cmocka_unit_test(a_trace_that_was_written_is_there),
        cmocka_unit_test(columns_that_are_younger_may_be_absent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
