/* Are samples of many launches folded onto one axis, and are launches refused whose samples do not allow it? */
#include "tests/unit/written_run.h"

#include <math.h>

#include "analyzers/analysed.h"
#include "analyzers/inside/inside_parts.h"
#include "core/base/count_of.h"
#include "tests/unit/named_arms.h"

enum { WINDOW = 1000, LENGTH = 12300, LAUNCHES = 40 };
#define NEAR(a, b, by) assert_true(fabs((a) - (b)) <= (by))

/* Units of a launch, from its begin to an end; each is 0 outside. */
struct shape {
    double length, ramp;                                  /* SMs become active evenly over the ramp */
    double (*fma)(double from, double to, double length); /* its integral */
    bool lacks_end;                                       /* its last sample is gone */
    double tensor[2];                                     /* of every second launch, and of the others */
};

static double between(double from, double to, double low, double high)
{
    return fmax(0, fmin(to, high) - fmax(from, low));
}

/* 0.8 from 300 ns after the begin to 200 ns before the end. */
static double step(double from, double to, double length)
{
    return 0.8 * between(from, to, 300, length - 200);
}

/* For 100 ns it does all it can. Then it does a tenth. */
static double burst(double from, double to, double length)
{
    return between(from, to, 150, 250) + 0.1 * between(from, to, 250, length);
}

/* On for 800 ns, off for 800 ns. */
static double wave(double from, double to, double length)
{
    double on = 0;
    for (double at = 0; at < length; at += 1600)
        on += between(from, to, at, fmin(at + 800, length));
    return on;
}

static double active(const struct shape *s, double from, double to)
{
    double sum = between(from, to, s->ramp, s->length);
    const double begin = fmax(from, 0), end = fmin(to, s->ramp);
    if (begin < end) /* the mean of a line */
        sum += (end - begin) * (begin + end) / 2 / s->ramp;
    return sum;
}

/* The launch begins in the part `begin` of its first sample. */
static void add_launch(struct written_run *r, int number, double begin, const struct shape *s)
{
    double from = -begin * WINDOW;
    for (int i = 0; from + (s->lacks_end ? WINDOW : 0) < s->length; i++, from += WINDOW)
        add_row(r, BUNDLE_INSIDE_SERIES, "f/v|m|%d|%d|%d|%.9f|0|%.9f|%.9f", number, i * WINDOW, WINDOW,
                active(s, from, from + WINDOW) / WINDOW, s->tensor[number % 2],
                s->fma(from, from + WINDOW, s->length) / WINDOW);
}

static void begin_run(struct written_run *r)
{
    written_begin(r, 2);
    add_row(r, BUNDLE_VARIANTS, "f/v|m");
    add_proof(r, "f/v");
}

/* A tile takes 1600 ns. Released with the run. */
static struct inside ask(struct written_run *r)
{
    struct inside row = {0};
    struct inside_records records = {0};
    MUST(analysis_join(&r->analysis, &e));
    name_arms(&r->analysis);
    row.off = analysis_arm(&r->analysis, "f/v", "m");
    *ARRAY_PUSH(&records.phases) = (struct inside_phase){.role = 1, .kind = CPPROF_PHASE_COMPUTE};
    *ARRAY_PUSH(&records.warps) = (struct inside_warp){.role = 1, .tile_count = 100, .end_ns = 160000};
    MUST(inside_read_fold(&row, &r->analysis, &records, &e));
    inside_records_release(&records);
    return row;
}

static const struct inside_fold_unit *unit_of(const struct inside *row, const char *name)
{
    for (size_t i = 0; i < row->fold.unit_count; i++)
        if (!strcmp(row->fold.units[i].unit, name))
            return &row->fold.units[i];
    return NULL;
}

static struct inside folded(struct written_run *r, const struct shape *s)
{
    begin_run(r);
    for (int i = 0; i < LAUNCHES; i++)
        add_launch(r, i, (i + 0.5) / LAUNCHES, s);
    return ask(r);
}

/* 40 launches, 4 a step: 10 steps of 100 ns. A window that ends 300 ns after the begin is quiet, one whose middle is
 * there is at half. The axis begins 500 ns before the begin. */
static void a_step_is_found(void **state)
{
    (void)state;
    struct written_run r;
    const struct shape s = {LENGTH, 0, step, false, {0.2, 0.4}};
    const struct inside row = folded(&r, &s);
    const struct inside_fold *f = &row.fold;
    assert_string_equal(inside_reasons[f->reason].key, "");
    assert_true(f->is_ok);
    assert_int_equal(f->launches, LAUNCHES);
    assert_int_equal(f->folded, LAUNCHES);
    NEAR(f->window_ns, WINDOW, 1e-9);
    NEAR(f->step_ns, 100, 1e-9);
    NEAR(f->length_ns, LENGTH, 1e-3);
    NEAR(f->length_spread_ns, 0, 1e-3);
    const struct inside_fold_unit *fma = unit_of(&row, "fma");
    assert_non_null(fma);
    NEAR(fma->plateau, 0.8, 1e-6);
    NEAR(fma->lead_in_ns.value, 300, 1);
    NEAR(fma->tail_ns.value, 200, 1);
    assert_true(fma->lead_in_ns.low <= 300 && fma->lead_in_ns.high >= 300);
    assert_true(fma->tail_ns.low <= 200 && fma->tail_ns.high >= 200);
    /* The last quiet windows have their middles in [-300, -200): -250 + 500 - 50 - 42, where 42 = 32 + 1% of a sample.
     * The first at half have theirs in [300, 400): 350 + 500 + 50 + 42. */
    NEAR(fma->lead_in_ns.low, 158, 1e-6);
    NEAR(fma->lead_in_ns.high, 942, 1e-6);
    for (size_t i = 0; i < fma->point_count; i++) {
        const struct inside_fold_point *p = &fma->points[i];
        NEAR(p->at_ns, -450 + 100 * (double)i, 1e-6);
        if (p->samples) /* the middles of its samples are spread evenly over it */
            NEAR(p->share, step(p->at_ns - 500, p->at_ns + 500, LENGTH) / WINDOW, 0.02);
    }
    for (size_t i = 0; i < 120; i++)
        assert_int_equal(fma->points[i].samples, 4);
    /* Of four samples two are 0.2 and two 0.4: sqrt(4 * 0.01 / 3 / 4). */
    const struct inside_fold_point *p = &unit_of(&row, "tensor")->points[60];
    NEAR(p->share, 0.3, 1e-9);
    NEAR(p->error, sqrt(0.04 / 3 / 4), 1e-9);
    assert_null(unit_of(&row, "l1_request")); /* it was not counted */
    written_end(&r);
}

/* Windows whose middles are at -300 are at half of the plateau, 0.05, long before the burst begins. No window is quiet
 * that ends behind the begin of the launch, and the first that surely are at half have their middles in [-300, -200).
 */
static void a_burst_is_not_found_too_early(void **state)
{
    (void)state;
    struct written_run r;
    const struct shape s = {LENGTH, 0, burst, false, {0, 0}};
    const struct inside row = folded(&r, &s);
    const struct inside_fold_unit *fma = unit_of(&row, "fma");
    NEAR(fma->lead_in_ns.low, 0, 1e-6);
    NEAR(fma->lead_in_ns.value, 0, 1e-6);
    NEAR(fma->lead_in_ns.high, -250 + 500 + 50 + 42, 1e-6);
    assert_null(unit_of(&row, "tensor")); /* it does nothing */
    written_end(&r);
}

/* A window of 1000 ns has the wave on for 200 to 800 ns: 0.5 +- 0.3. Of the first harmonic, 2 / pi = 0.637, it leaves
 * sin(x) / x of x = pi * 1000 / 1600. */
static void a_wave_is_seen_as_samples_leave_it(void **state)
{
    (void)state;
    struct written_run r;
    const struct shape s = {LENGTH, 0, wave, false, {0, 0}};
    const struct inside row = folded(&r, &s);
    const struct inside_fold_unit *fma = unit_of(&row, "fma");
    double least = 1, most = 0;
    for (size_t i = 0; i < fma->point_count; i++)
        if (fma->points[i].at_ns > 3000 && fma->points[i].at_ns < 9000) {
            least = fmin(least, fma->points[i].share);
            most = fmax(most, fma->points[i].share);
        }
    NEAR(least, 0.2, 0.02);
    NEAR(most, 0.8, 0.02);
    const double x = 3.14159265358979323846 * 1000 / 1600, y = x / 10;
    NEAR(row.fold.attenuation, sin(x) / x * sin(y) / y, 1e-9);
    written_end(&r);
}

static void expect(struct written_run *r, const char *reason)
{
    const struct inside row = ask(r);
    assert_string_equal(inside_reasons[row.fold.reason].key, reason);
    assert_int_equal(row.fold.is_ok, !*reason);
    if (*reason) {
        assert_int_equal(row.fold.folded, 0);
        assert_int_equal(row.fold.unit_count, 0);
        assert_string_not_equal(row.fold.why, reason);
    }
    written_end(r);
}

/* A quarter of a sample may be without a begin. Here it is what is left of the sample beside the spread. */
static void offsets_must_be_spread(void **state)
{
    (void)state;
    static const struct {
        double spread;
        const char *reason;
    } cases[] = {{0, "offsets_not_spread"}, {0.7, "offsets_not_spread"}, {0.8, ""}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct written_run r;
        const struct shape s = {LENGTH, 0, step, false, {0, 0}};
        begin_run(&r);
        for (int k = 0; k < 20; k++)
            add_launch(&r, k, 0.1 + cases[i].spread * k / 19, &s);
        expect(&r, cases[i].reason);
    }
}

/* What was timed is the witness of what was sampled: 12.3 us. */
static void launches_must_be_those_that_were_timed(void **state)
{
    (void)state;
    static const struct {
        double timed_ns;
        const char *reason;
    } cases[] = {{12300, ""}, {15000, ""}, {17000, "other_length"}, {10000, ""}, {9000, "other_length"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct written_run r;
        const struct shape s = {LENGTH, 0, step, false, {0, 0}};
        begin_run(&r);
        for (int process = 0; process < 3; process++)
            add_row(&r, BUNDLE_TIMING, "f/v|m|%d|0|0|0|hot|1|1980000000|%.3f|no", process, cases[i].timed_ns);
        for (int k = 0; k < LAUNCHES; k++)
            add_launch(&r, k, (k + 0.5) / LAUNCHES, &s);
        expect(&r, cases[i].reason);
    }
}

static void launches_must_be_many(void **state)
{
    (void)state;
    for (int count = 15; count <= 16; count++) {
        struct written_run r;
        const struct shape s = {LENGTH, 0, step, false, {0, 0}};
        begin_run(&r);
        for (int k = 0; k < count; k++)
            add_launch(&r, k, (k + 0.5) / count, &s);
        expect(&r, count < 16 ? "too_few_launches" : "");
    }
}

/* Of 40 launches some take 260 ns longer, which is more than a quarter of a sample. */
static void lengths_must_be_steady(void **state)
{
    (void)state;
    static const struct {
        int longer, by;
        int folded; /* 0: refused */
    } cases[] = {{1, 260, 39}, {10, 260, 30}, {11, 260, 0}, {11, 200, 40}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct written_run r;
        begin_run(&r);
        for (int k = 0; k < LAUNCHES; k++) {
            const struct shape s = {LENGTH + (k < cases[i].longer ? cases[i].by : 0), 0, step, false, {0, 0}};
            add_launch(&r, k, fmod(k * 0.6180339887498949, 1), &s);
        }
        const struct inside row = ask(&r);
        assert_int_equal(row.fold.folded, cases[i].folded);
        assert_string_equal(inside_reasons[row.fold.reason].key, cases[i].folded ? "" : "unsteady_length");
        written_end(&r);
    }
}

/* Where SMs become active one after another, the first sample does not say when. */
static void the_begin_must_be_sharp(void **state)
{
    (void)state;
    struct written_run r;
    const struct shape slow = {LENGTH, 3000, step, false, {0, 0}};
    const struct inside row = folded(&r, &slow);
    assert_string_equal(inside_reasons[row.fold.reason].key, "no_begin");
    written_end(&r);
    const struct shape brief = {2900, 0, step, false, {0, 0}}; /* three or four samples */
    const struct inside other = folded(&r, &brief);
    assert_string_equal(inside_reasons[other.fold.reason].key, "no_begin");
    written_end(&r);
}

/* What is gone is another part of each launch. */
static void a_missing_end_is_refused(void **state)
{
    (void)state;
    struct written_run r;
    const struct shape s = {LENGTH, 0, step, true, {0, 0}};
    const struct inside row = folded(&r, &s);
    assert_string_equal(inside_reasons[row.fold.reason].key, "unsteady_length");
    written_end(&r);
}

/* Rows of samples that are gone make nothing better: the first, one in the middle, the active SMs of one. */
static void damage_is_refused(void **state)
{
    (void)state;
    for (int damage = 0; damage < 3; damage++) {
        struct written_run r;
        begin_run(&r);
        for (int k = 0; k < LAUNCHES; k++)
            for (int i = 0; i < 12; i++)
                if (damage == 2 && i == 6)
                    add_row(&r, BUNDLE_INSIDE_SERIES, "f/v|m|%d|%d|%d||0|0.5|0.5", k, i * WINDOW, WINDOW);
                else if (damage == 2 || i != 6 * damage)
                    add_row(&r, BUNDLE_INSIDE_SERIES, "f/v|m|%d|%d|%d|%.9f|0|0.5|0.5", k, i * WINDOW, WINDOW,
                            i ? 1 : (k + 0.5) / LAUNCHES);
        expect(&r, "no_begin");
    }
}

static void a_kernel_must_be_proven(void **state)
{
    (void)state;
    struct written_run r;
    const struct shape s = {LENGTH, 0, step, false, {0, 0}};
    written_begin(&r, 2);
    add_row(&r, BUNDLE_VARIANTS, "f/v|m");
    for (int i = 0; i < LAUNCHES; i++)
        add_launch(&r, i, (i + 0.5) / LAUNCHES, &s);
    expect(&r, "not_selected");
}

static void without_samples_there_is_no_fold(void **state)
{
    (void)state;
    struct written_run r;
    begin_run(&r);
    const struct inside row = ask(&r);
    assert_int_equal(row.fold.launches, 0);
    assert_false(row.fold.is_ok);
    written_end(&r);
}

/* Recorded ones: which have launches enough? Neither begin nor end of work lies outside of the launch by more than what
 * is known of its time. */
static void recorded_launches_are_folded(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        size_t arm;
        int64_t folded;
        const char *reason;
    } examples[] = {{"stages", 0, 34, ""},
                    {"stages", 1, 36, ""},
                    {"wgmma", 0, 42, ""},
                    {"warpspec", 0, 0, "too_few_launches"},
                    {"one-cta", 0, 0, "too_few_launches"},
                    {"eight-ctas", 0, 0, "too_few_launches"}};
    for (size_t i = 0; i < COUNT_OF(examples); i++) {
        static struct analysed a;
        struct err e = {0};
        char path[512];
        snprintf(path, sizeof path, SOURCE_DIRECTORY "/examples/inside/%s.cpprof", examples[i].path);
        assert_int_equal(analysed_open(&a, path, NULL, &e), 0);
        const struct inside_fold *f = &a.analysis.insides.items[examples[i].arm].fold;
        assert_int_equal(f->folded, examples[i].folded);
        assert_string_equal(inside_reasons[f->reason].key, examples[i].reason);
        for (size_t k = 0; k < f->unit_count; k++) {
            assert_true(f->units[k].lead_in_ns.value >= 0 && f->units[k].lead_in_ns.value < 3000);
            assert_true(f->units[k].tail_ns.value > -1000 && f->units[k].tail_ns.value < 3000);
        }
        analysed_release(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_is_found),
        cmocka_unit_test(a_burst_is_not_found_too_early),
        cmocka_unit_test(a_wave_is_seen_as_samples_leave_it),
        cmocka_unit_test(offsets_must_be_spread),
        cmocka_unit_test(launches_must_be_many),
        cmocka_unit_test(launches_must_be_those_that_were_timed),
        cmocka_unit_test(lengths_must_be_steady),
        cmocka_unit_test(the_begin_must_be_sharp),
        cmocka_unit_test(a_missing_end_is_refused),
        cmocka_unit_test(damage_is_refused),
        cmocka_unit_test(a_kernel_must_be_proven),
        cmocka_unit_test(without_samples_there_is_no_fold),
        cmocka_unit_test(recorded_launches_are_folded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
