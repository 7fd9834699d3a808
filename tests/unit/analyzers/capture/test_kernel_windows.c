/* Are the shares of kernels those that a played GPU had, and is nothing said where samples cannot tell? */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/capture/kernel_windows.h"
#include "core/trace/short_names.h"
#include "cpprof/shard.h"
#include "tests/test.h"
#include "tests/unit/hand_trace.h"

#define US INT64_C(1000)

enum {
    WORK_MAX = 4096,
    CHUNK = 100,
    FEW_UNITS = 5,
    LINK_UNITS = 15,
    PLAYED_UNITS = 19,
    ROW_BYTES = 8 + 2 * PLAYED_UNITS
};

/* What the units do while a kernel runs: nothing in its first `lead_ns`, then these shares. */
struct played_kernel {
    const char *name;
    double shares[PLAYED_UNITS]; /* of `units` */
    int64_t lead_ns;
};
static const char *const units[PLAYED_UNITS] = {
    "active",   "tensor",    "dram",          "l2",        "issue",        "fma",     "xu",
    "alu",      "fp64",      "tex",           "l1",        "shared",       "l1_fill", "l1_request",
    "fmaheavy", "link_sent", "link_received", "sent_data", "received_data"};

static const struct played_kernel gemm = {"gemm", {1.0, 0.90, 0.20, 0.08, 0.30}, 0},
                                  copy = {"copy", {1.0, 0.00, 0.86, 0.50, 0.20}, 0},
                                  late = {"late", {1.0, 0.90, 0.20, 0.08, 0.30}, 5 * US},
                                  tiny = {"tiny", {0.2, 0.00, 0.02, 0.01, 0.05}, 0},
                                  dull = {"dull", {1.0, 0.00, 0.45, 0.08, 0.30}, 0},
                                  edge = {"edge", {1.0, 0.81, 0.20, 0.08, 0.30}, 0},
                                  wide = {"wide", {1.0, 0.10, 0.72, 0.08, 0.30}, 0},
                                  even = {"even", {1.0, 0.70, 0.72, 0.08, 0.30}, 0},
                                  bank = {"bank", {1.0, 0.00, 0.10, 0.08, 0.30, [10] = 0.860, [11] = 0.855}, 0},
                                  deep = {"deep",
                                          {1.0, 0.00, 0.45, 0.12, 0.30},
                                          0}, /* parts of L2 may be busier than its sectors */
    rare = {"rare", {1.0, 0.62, 0.20, 0.08, 0.30}, 0};

/* A GPU, what ran on it, and how it is sampled. */
static struct {
    struct {
        const struct played_kernel *kernel; /* NULL: a copy, which no unit does */
        struct tiny_event event;
    } work[WORK_MAX];
    size_t count;
    int64_t end_ns;                         /* of what ran */
    int64_t step_ns;                        /* of a sample */
    int64_t shift_ns;                       /* of the samples' clock */
    int64_t shift_from_ns;                  /* from this moment on */
    int64_t sampled_from_ns, sampled_to_ns; /* 0: to the end */
    int64_t crossing_ns;                    /* a chunk begins so much before the end of the one before */
    int lost;                               /* of how many chunks one is lost; 0: none */
    double ghost;                           /* share of SMs that others use, always */
    bool is_whole;
    bool has_all_units; /* else the first few */
    bool lacks_links;
    bool two_grids; /* each second launch has one of 4x16 blocks of 384 threads */
} gpu;

static void play(int64_t step_ns)
{
    memset(&gpu, 0, sizeof gpu);
    gpu.step_ns = step_ns;
    gpu.is_whole = true;
}

static void run_at(const struct played_kernel *kernel, int64_t begin_ns, int64_t length_ns, unsigned stream)
{
    assert_true(gpu.count < WORK_MAX);
    gpu.work[gpu.count].kernel = kernel;
    gpu.work[gpu.count++].event = (struct tiny_event){
        kernel ? KERNEL : H2D, begin_ns, begin_ns + length_ns, stream, kernel ? kernel->name : "copy", 0, 0};
    if (begin_ns + length_ns > gpu.end_ns)
        gpu.end_ns = begin_ns + length_ns;
}

/* Behind what ran so far. */
static void then(const struct played_kernel *kernel, int64_t gap_ns, int64_t length_ns)
{
    run_at(kernel, gpu.end_ns + gap_ns, length_ns, 7);
}

static double overlap(int64_t a_begin, int64_t a_end, int64_t b_begin, int64_t b_end)
{
    const int64_t begin = a_begin > b_begin ? a_begin : b_begin, end = a_end < b_end ? a_end : b_end;
    return end > begin ? (double)(end - begin) : 0;
}

/* What a unit did from then to then, over the time. */
static double share_in(int unit, int64_t begin_ns, int64_t end_ns)
{
    double sum = unit ? 0 : gpu.ghost * (double)(end_ns - begin_ns);
    for (size_t i = 0; i < gpu.count; i++) {
        const struct played_kernel *k = gpu.work[i].kernel;
        const struct tiny_event *event = &gpu.work[i].event;
        if (k)
            sum +=
                k->shares[unit] * overlap(begin_ns, end_ns, event->start_ns + (unit ? k->lead_ns : 0), event->end_ns);
    }
    return sum / (double)(end_ns - begin_ns);
}

static int64_t stamp(int64_t ns)
{
    return ns >= gpu.shift_from_ns ? ns + gpu.shift_ns : ns;
}

static void add_chunk(struct gpu_samples *samples, int64_t first_ns)
{
    unsigned char payload[sizeof(struct cpprof_samples) + PLAYED_UNITS * CPPROF_UNIT_BYTES + CHUNK * ROW_BYTES] = {0};
    const struct cpprof_samples head = {.begin_ns = stamp(first_ns), .count = CHUNK, .units = PLAYED_UNITS};
    memcpy(payload, &head, sizeof head);
    unsigned char *at = payload + sizeof head;
    for (int unit = 0; unit < PLAYED_UNITS; unit++, at += CPPROF_UNIT_BYTES)
        memcpy(at, units[unit], strlen(units[unit]));
    for (int i = 0; i < CHUNK; i++) {
        const int64_t begin_ns = first_ns + i * gpu.step_ns;
        const uint32_t times[] = {(uint32_t)(i * gpu.step_ns), (uint32_t)gpu.step_ns};
        memcpy(at, times, sizeof times);
        at += sizeof times;
        for (int unit = 0; unit < PLAYED_UNITS; unit++, at += sizeof(uint16_t)) {
            const uint16_t share =
                (unit >= FEW_UNITS && !gpu.has_all_units) || (unit >= LINK_UNITS && gpu.lacks_links)
                    ? CPPROF_SHARE_UNKNOWN
                    : (uint16_t)lrint(share_in(unit, begin_ns, begin_ns + gpu.step_ns) * CPPROF_SHARE_UNIT);
            memcpy(at, &share, sizeof share);
        }
    }
    assert_null(gpu_samples_fault(payload, sizeof payload));
    assert_int_equal(gpu_samples_add(samples, payload, sizeof payload, 0, NULL), 0);
}

/* Everything measured of the played GPU. */
struct seen {
    struct kernel_windows w;
    struct short_names names;
};

static void look(struct seen *s)
{
    struct strtab strings;
    struct event_stream *stream;
    struct gpu_samples samples = {0};
    static struct cpprof_event events[WORK_MAX];
    strtab_init(&strings);
    short_names_init(&s->names);
    memset(&s->w, 0, sizeof s->w);
    for (size_t i = 0; i < gpu.count; i++)
        events[i] = hand_event(&gpu.work[i].event, &strings);
    for (size_t i = 1; i < gpu.count && gpu.two_grids; i += 2) {
        memcpy(events[i].grid, (uint32_t[]){4, 16, 1}, sizeof events[i].grid);
        memcpy(events[i].block, (uint32_t[]){384, 1, 1}, sizeof events[i].block);
    }
    assert_int_equal(event_stream_from_events(&stream, events, gpu.count, &strings, NULL), 0);
    int chunk = 0;
    for (int64_t ns = gpu.sampled_from_ns + 3; ns < (gpu.sampled_to_ns ? gpu.sampled_to_ns : gpu.end_ns + 50 * US);
         ns += CHUNK * gpu.step_ns - gpu.crossing_ns)
        if (!gpu.lost || ++chunk % gpu.lost)
            add_chunk(&samples, ns);
    gpu_samples_sort(&samples);
    assert_int_equal(kernel_windows_measure(&s->w, stream, &samples, &s->names, gpu.is_whole, NULL), 0);
    gpu_samples_release(&samples);
    event_stream_free(stream);
    strtab_release(&strings);
}

static void forget(struct seen *s)
{
    kernel_windows_release(&s->w);
    short_names_release(&s->names);
}

static const struct kernel_window *kernel(const struct seen *s, const struct played_kernel *k)
{
    for (size_t i = 0; i < s->w.kernel_count; i++)
        if (!strcmp(short_names_full(&s->names, s->w.kernels[i].name), k->name))
            return &s->w.kernels[i];
    fail_msg("no row of %s", k->name);
    return NULL;
}

static double share_of(const struct kernel_window *k, const char *unit)
{
    for (int i = 0; i < SAMPLED_UNIT_COUNT; i++)
        if (!strcmp(k->units[i].unit, unit))
            return k->units[i].share;
    return NAN;
}

static void expect_near(double value, double expected, double room)
{
    if (!(fabs(value - expected) <= room))
        fail_msg("%g, not %g", value, expected);
}

static void expect_class(const struct kernel_window *k, enum bound_class class_, const char *reason)
{
    assert_string_equal(kernel_window_reasons[k->reason].key, reason);
    assert_int_equal(k->class_, class_);
}

/* 30 rounds of 100 us and 60 us, 1 us apart, samples of 10 us: 9 or 10 and 5 or 6 whole ones in each. */
TEST(two_kernels_in_turns)
{
    struct seen s;
    play(2 * US);
    for (int i = 0; i < 30; i++) {
        then(&gemm, US, 100 * US);
        then(&copy, US, 60 * US);
    }
    look(&s);
    assert_int_equal(s.w.kernel_count, 2);
    const struct kernel_window *g = kernel(&s, &gemm), *c = kernel(&s, &copy);
    assert_ptr_equal(g, &s.w.kernels[0]); /* most time first */
    assert_true(g->launches == 30 && g->alone == 30 && g->sampled_launches == 30);
    assert_in_range(g->samples, 30 * 48, 30 * 50);
    assert_in_range(c->samples, 30 * 28, 30 * 30);
    expect_near(g->device_share, 100.0 * 30 / (162 * 30 - 1), 1e-9);
    expect_near(share_of(g, "tensor"), 0.90, 1e-4);
    expect_near(share_of(g, "dram"), 0.20, 1e-4);
    expect_near(share_of(c, "dram"), 0.86, 1e-4);
    assert_true(isnan(share_of(g, "xu"))); /* nobody sampled it */
    expect_class(g, BOUND_COMPUTE, "unit_busy");
    expect_class(c, BOUND_MEMORY, "unit_busy");
    assert_string_equal(g->unit, "tensor");
    assert_string_equal(c->unit, "dram");
    assert_string_equal(c->lean, "memory");
    expect_near(g->unit_error, 0.03, 1e-9); /* from 64 samples on */
    assert_int_equal(s.w.device_count, 1);
    assert_string_equal(kernel_window_reasons[s.w.devices[0].doubt].key, "");
    forget(&s);
}

/* A kernel on another stream meets each second gemm, a copy half of the others: those that are alone count. */
TEST(what_overlaps_does_not_count)
{
    struct seen s;
    play(10 * US);
    for (int i = 0; i < 40; i++) {
        const int64_t begin_ns = gpu.end_ns + 20 * US;
        run_at(&gemm, begin_ns, 100 * US, 7);
        if (i % 2)
            run_at(&copy, begin_ns + 85 * US, 20 * US, 8); /* a kernel that begins before the first ends */
        else if (i % 4)
            run_at(NULL, begin_ns + 40 * US, 5 * US, 9);
    }
    look(&s);
    const struct kernel_window *g = kernel(&s, &gemm), *c = kernel(&s, &copy);
    assert_int_equal(g->launches, 40);
    assert_int_equal(g->alone, 10);
    expect_near(share_of(g, "tensor"), 0.90, 1e-4);
    assert_int_equal(c->alone, 0);
    assert_int_equal(c->samples, 0);
    expect_class(c, BOUND_INCONCLUSIVE, "not_alone");
    assert_true(isnan(share_of(c, "dram")));
    forget(&s);
}

/* 100 us at 300 GB/s of data are 30 MB. Busy links bound a kernel; where they are not known, idle SMs say nothing of
 * one that communicates. */
TEST(links_bound_what_communicates)
{
    static const struct played_kernel reduce = {
        "ncclDevKernel_AllReduce",
        {0.2, 0.00, 0.10, 0.05, 0.05, [15] = 0.85, [16] = 0.86, [17] = 0.300, [18] = 0.310},
        0};
    for (int lacks = 0; lacks < 2; lacks++) {
        struct seen s;
        play(2 * US);
        gpu.has_all_units = true;
        gpu.lacks_links = lacks;
        for (int i = 0; i < 30; i++) {
            then(&reduce, 50 * US, 100 * US);
            then(&tiny, 50 * US, 100 * US);
        }
        look(&s);
        const struct kernel_window *r = kernel(&s, &reduce), *t = kernel(&s, &tiny);
        assert_true(r->communicates && !t->communicates);
        expect_class(r, lacks ? BOUND_INCONCLUSIVE : BOUND_MEMORY, lacks ? "units_not_sampled" : "unit_busy");
        expect_class(t, BOUND_LATENCY, "all_units");
        if (lacks) {
            assert_true(isnan(r->sent_bytes) && isnan(r->headroom_ns));
        } else {
            assert_string_equal(r->unit, "link_received");
            expect_near(r->sent_bytes, 30e6, 1e4);
            expect_near(r->received_bytes, 31e6, 1e4);
        }
        forget(&s);
    }
}

/* 3 us each, with 40 us of nothing between: every sample is partly idle, and what it counted is the kernel's. The lead
 * of a kernel counts like the rest: 0.9 for 15 of 20 us. */
TEST(short_kernels_are_folded)
{
    struct seen s;
    play(10 * US);
    for (int i = 0; i < 200; i++) {
        then(&gemm, 37 * US + 300 + i * 7, 3 * US);
        then(&late, 41 * US + i * 11, 20 * US);
    }
    look(&s);
    const struct kernel_window *g = kernel(&s, &gemm), *l = kernel(&s, &late);
    assert_in_range(g->samples, 200, 400);
    expect_near(share_of(g, "tensor"), 0.90, 2e-3);
    expect_near(share_of(l, "tensor"), 0.90 * 15 / 20, 1e-3);
    expect_class(g, BOUND_COMPUTE, "unit_busy");
    forget(&s);
}

/* 3 us each in turns without a pause: no sample is of one of them. */
TEST(short_kernels_side_by_side_are_refused)
{
    struct seen s;
    play(10 * US);
    for (int i = 0; i < 400; i++)
        then(i % 2 ? &gemm : &copy, 500, 3 * US);
    look(&s);
    expect_class(kernel(&s, &gemm), BOUND_INCONCLUSIVE, "too_few_samples");
    assert_true(kernel(&s, &gemm)->alone == 200 && kernel(&s, &gemm)->samples == 0);
    assert_string_equal(kernel(&s, &gemm)->unit, "");
    forget(&s);
}

/* Of 19, 20, 63 and 64 whole samples. A share of 0.9 is off by a tenth, then by 3 points. */
TEST(few_samples_have_a_larger_error)
{
    static const struct {
        int64_t samples;
        double error;
        const char *reason;
    } cases[] = {
        {19, NAN, "too_few_samples"}, {20, 0.09, "unit_busy"}, {63, 0.09, "unit_busy"}, {64, 0.03, "unit_busy"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct seen s;
        play(10 * US);
        then(&copy, 3, 200 * US); /* samples begin at 3 ns, too, so that these edges are those of samples */
        then(&gemm, 0, (cases[i].samples + 2) * 10 * US); /* those at its edges are not surely its own */
        then(&copy, 0, 200 * US);
        look(&s);
        const struct kernel_window *g = kernel(&s, &gemm);
        assert_int_equal(g->samples, cases[i].samples);
        assert_string_equal(kernel_window_reasons[g->reason].key, cases[i].reason);
        if (isnan(cases[i].error))
            assert_true(isnan(g->unit_error) && isnan(share_of(g, "tensor")));
        else
            expect_near(g->unit_error, cases[i].error, 1e-4);
        forget(&s);
    }
}

/* Every third chunk is gone, as between bursts: fewer samples, the same shares. */
TEST(bursts_have_the_same_shares)
{
    struct seen s;
    play(10 * US);
    for (int i = 0; i < 100; i++)
        then(i % 2 ? &gemm : &copy, US, 100 * US);
    gpu.lost = 3;
    look(&s);
    expect_near(share_of(kernel(&s, &gemm), "tensor"), 0.90, 1e-4);
    expect_near(share_of(kernel(&s, &copy), "tensor"), 0.0, 1e-4);
    expect_near((double)s.w.devices[0].sampled_ns, (double)s.w.devices[0].span_ns * 2 / 3, (double)(CHUNK * 10 * US));
    forget(&s);
}

/* The clock of the samples is off, jumps back, or jumps on: nothing follows. */
TEST(clocks_that_jump_decide_nothing)
{
    static const struct {
        int64_t shift_ns, from_ns;
    } cases[] = {{60 * US, 0}, {-55 * US, 0}, {-3000 * US, 9000 * US}, {90 * US, 9000 * US}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct seen s;
        play(10 * US);
        gpu.sampled_from_ns = 60 * US; /* so that no stamp is below 0 */
        for (int k = 0; k < 100; k++)
            then(&gemm, 80 * US, 100 * US);
        gpu.shift_ns = cases[i].shift_ns;
        gpu.shift_from_ns = cases[i].from_ns;
        look(&s);
        assert_string_equal(kernel_window_reasons[s.w.devices[0].doubt].key, "clocks_disagree");
        expect_class(kernel(&s, &gemm), BOUND_INCONCLUSIVE, "clocks_disagree");
        forget(&s);
    }
}

/* The begin of a sample and the end of the one before were seen to cross by 15 ns (H100). */
TEST(stamps_that_cross_are_no_doubt)
{
    struct seen s;
    play(10 * US);
    gpu.crossing_ns = 15;
    for (int i = 0; i < 100; i++)
        then(&gemm, 80 * US, 100 * US);
    look(&s);
    assert_string_equal(kernel_window_reasons[s.w.devices[0].doubt].key, "");
    expect_class(kernel(&s, &gemm), BOUND_COMPUTE, "unit_busy");
    forget(&s);
}

/* SMs work while the trace has no work: another program, or records that are not there. */
TEST(work_without_a_record_decides_nothing)
{
    struct seen s;
    play(10 * US);
    for (int i = 0; i < 50; i++)
        then(&gemm, 80 * US, 100 * US);
    gpu.ghost = 0.02;
    look(&s);
    expect_class(kernel(&s, &gemm), BOUND_INCONCLUSIVE, "other_work");
    expect_near(s.w.devices[0].idle_active, 1, 0);
    forget(&s);
}

TEST(a_class_needs_its_evidence)
{
    static const struct {
        const struct played_kernel *kernel;
        bool is_cut, has_all; /* cut: something of the trace is missing */
        enum bound_class class_;
        const char *reason, *unit;
    } cases[] = {
        {&gemm, false, false, BOUND_COMPUTE, "unit_busy", "tensor"},
        {&gemm, true, false, BOUND_INCONCLUSIVE, "records_missing", "tensor"},
        {&gemm, true, true, BOUND_INCONCLUSIVE, "records_missing", "tensor"},
        {&tiny, false, false, BOUND_LATENCY, "sms_idle", "issue"},
        {&dull, false, false, BOUND_INCONCLUSIVE, "units_not_sampled", "dram"},
        {&edge, false, false, BOUND_COMPUTE, "unit_busy", "tensor"}, /* 0.81 +- 0.03, and no other reaches 0.8 */
        {&gemm, false, true, BOUND_COMPUTE, "unit_busy", "tensor"},
        {&tiny, false, true, BOUND_LATENCY, "all_units", "issue"},
        {&dull, false, true, BOUND_LATENCY, "all_units", "dram"},
        {&deep, false, true, BOUND_INCONCLUSIVE, "units_not_sampled", "dram"},
        {&edge, false, true, BOUND_COMPUTE, "unit_busy", "tensor"}, /* it leads by 0.41 */
        {&wide, false, true, BOUND_MEMORY, "all_units", "dram"},
        {&even, false, true, BOUND_BALANCED, "all_units", "dram"},
        {&bank, false, true, BOUND_MEMORY, "unit_busy", "shared"},
        {&rare, false, true, BOUND_INCONCLUSIVE, "near_boundary", "tensor"}, /* of latency below 0.6 */
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct seen s;
        play(10 * US);
        for (int k = 0; k < 30; k++)
            then(cases[i].kernel, 30 * US, 100 * US);
        gpu.is_whole = !cases[i].is_cut;
        gpu.has_all_units = cases[i].has_all;
        look(&s);
        expect_class(kernel(&s, cases[i].kernel), cases[i].class_, cases[i].reason);
        assert_string_equal(kernel(&s, cases[i].kernel)->unit, cases[i].unit);
        forget(&s);
    }
}

/* The class is that of the busiest unit of each side, whichever is named (docs/bounds.md). */
TEST(the_busiest_unit_decides)
{
    static const struct {
        struct played_kernel kernel; /* active, tensor, dram, l2, issue, fma */
        enum bound_class class_;
        const char *reason, *unit;
    } cases[] = {
        {{"a", {1, 0, 0.10, 0.09, 0.66, 0.565}, 0}, BOUND_COMPUTE, "all_units", "fma"},
        {{"b", {1, 0, 0.10, 0.09, 0.66, 0.500}, 0}, BOUND_COMPUTE, "all_units", "issue"},
        {{"c", {1, 0.30, 0.55, 0.09, 0.1, 0, [13] = 0.66}, 0}, BOUND_MEMORY, "all_units", "dram"},
        {{"d", {1, 0, 0.88, 0.09, 0.86, 0.765}, 0}, BOUND_BALANCED, "unit_busy", "dram"},
        {{"e", {1, 0.70, 0.75, 0.09, 0.1, 0, [13] = 0.85}, 0}, BOUND_MEMORY, "unit_busy", "dram"},
        {{"f", {1, 0, 0.1, 0.09, 0.5, 0.50, [14] = 1.0}, 0}, BOUND_COMPUTE, "unit_busy", "fmaheavy"},
        {{"g", {1, 0, 0.1, 0.09, 0.1, [9] = 0.95}, 0}, BOUND_MEMORY, "unit_busy", "tex"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct seen s;
        play(2 * US);
        gpu.has_all_units = true;
        for (int k = 0; k < 30; k++)
            then(&cases[i].kernel, 30 * US, 400 * US);
        look(&s);
        expect_class(kernel(&s, &cases[i].kernel), cases[i].class_, cases[i].reason);
        assert_string_equal(kernel(&s, &cases[i].kernel)->unit, cases[i].unit);
        forget(&s);
    }
}

/* What one burst saw of a kernel says nothing of the rest: 600 launches of which it met some, one launch of which it
 * met the end, and launches that do something else elsewhere. */
TEST(one_burst_is_no_program)
{
    static const struct played_kernel other = {"gemm", {1.0, 0.10, 0.20, 0.08, 0.30}, 0};
    struct seen s;
    play(2 * US);
    for (int i = 0; i < 600; i++)
        then(i / 22 % 2 ? &other : &gemm, 5 * US, 20 * US);
    gpu.sampled_to_ns = 500 * US;
    look(&s);
    assert_int_equal(kernel(&s, &gemm)->bursts, 1);
    assert_true(kernel(&s, &gemm)->samples > 100);
    expect_class(kernel(&s, &gemm), BOUND_INCONCLUSIVE, "too_few_samples");
    forget(&s);
    play(2 * US);
    then(&gemm, 0, 50000 * US);
    gpu.sampled_from_ns = 49400 * US;
    look(&s);
    expect_class(kernel(&s, &gemm), BOUND_INCONCLUSIVE, "too_few_samples");
    forget(&s);
}

/* Bursts of which each met launches of one kind: 0.9 and 0.1. The error is that between bursts. */
TEST(bursts_that_differ_have_a_larger_error)
{
    static const struct played_kernel other = {"gemm", {1.0, 0.10, 0.20, 0.08, 0.30}, 0};
    struct seen s;
    play(2 * US);
    gpu.lost = 2;
    for (int i = 0; i < 200; i++)
        then(i / 20 % 2 ? &other : &gemm, 2 * US, 18 * US);
    look(&s);
    const struct kernel_window *g = kernel(&s, &gemm);
    assert_in_range(g->bursts, 8, 11);
    assert_true(g->units[SAMPLED_TENSOR].error > 0.25);
    expect_class(g, BOUND_INCONCLUSIVE, "near_boundary");
    forget(&s);
}

/* Kernels of 6 us in turns without a pause, and clocks that differ by less than what is told: none gets the samples of
 * another. */
TEST(neighbours_keep_their_samples)
{
    for (int64_t shift_ns = -900; shift_ns <= 900; shift_ns += 600) {
        struct seen s;
        play(US);
        for (int i = 0; i < 400; i++)
            then(i % 2 ? &gemm : &copy, 0, 6 * US);
        gpu.sampled_from_ns = 10 * US;
        gpu.shift_ns = shift_ns;
        look(&s);
        expect_near(share_of(kernel(&s, &gemm), "tensor"), 0.90, 5e-3); /* behind the last one nothing runs */
        expect_near(share_of(kernel(&s, &copy), "tensor"), 0.0, 1e-4);
        forget(&s);
    }
}

/* Nothing happens in the first 2 us of 21, which samples of 4 us show in full only where the kernel before is in them,
 * too. */
TEST(begins_of_kernels_weigh_as_much_as_the_rest)
{
    static const struct played_kernel slow_start = {"slow_start", {1.0, 0.90, 0.20, 0.08, 0.30}, 2 * US};
    struct seen s;
    play(4 * US);
    for (int i = 0; i < 600; i++)
        then(i % 2 ? &slow_start : &copy, 0, 21 * US);
    look(&s);
    expect_near(share_of(kernel(&s, &slow_start), "tensor"), 0.90 * 19 / 21, 5e-3);
    expect_near(share_of(kernel(&s, &slow_start), "issue"), 0.30 * 19 / 21, 1e-2);
    expect_near(share_of(kernel(&s, &copy), "tensor"), 0, 1e-9);
    expect_near(share_of(kernel(&s, &copy), "issue"), 0.20, 1e-2);
    forget(&s);
}

/* Samples inside a kernel are the same whether a kernel or a copy is before it, and only those between two kernels are
 * shared. They are no reason to be surer. */
TEST(shared_samples_make_no_error_smaller)
{
    static const struct played_kernel slow_start = {"slow_start", {1.0, 0.90, 0.20, 0.08, 0.30}, 2 * US};
    const struct played_kernel *const before[] = {NULL, &copy};
    double errors[2], shares[2];
    struct seen s;
    for (int k = 0; k < 2; k++) {
        play(4 * US);
        for (int i = 0; i < 600; i++)
            then(i % 2 ? &slow_start : before[k], 0, 21 * US);
        look(&s);
        errors[k] = kernel(&s, &slow_start)->units[SAMPLED_TENSOR].standard_error;
        shares[k] = share_of(kernel(&s, &slow_start), "tensor");
        forget(&s);
    }
    assert_true(shares[1] < shares[0]); /* the slow start weighs more */
    assert_true(errors[0] > 0);
    expect_near(errors[1], errors[0], 1e-12);
}

/* Samples of 10 us of kernels of 30 us that adjoin others: a third of a launch is not seen. */
TEST(edges_that_are_not_seen_are_an_error)
{
    struct seen s;
    play(10 * US);
    for (int i = 0; i < 400; i++)
        then(i % 2 ? &gemm : &copy, 0, 30 * US + 700);
    look(&s);
    assert_true(kernel(&s, &gemm)->units[SAMPLED_TENSOR].error > 0.9 / 3.2);
    forget(&s);
    play(10 * US);
    for (int i = 0; i < 400; i++)
        then(&gemm, 30 * US, 30 * US);
    look(&s);
    expect_near(kernel(&s, &gemm)->units[SAMPLED_TENSOR].error, 0.03, 1e-6);
    forget(&s);
}

/* 100 us each, of which 4 us overlap the kernel before and 4 us the one behind, as kernels of one graph may. */
TEST(overlapped_ends_are_an_error)
{
    struct seen s;
    play(US);
    for (int i = 0; i < 40; i++)
        run_at(i % 2 ? &gemm : &copy, i * 96 * US, 100 * US, 7 + (unsigned)i % 2);
    gpu.sampled_from_ns = 10 * US;
    look(&s);
    const struct kernel_window *g = kernel(&s, &gemm);
    assert_int_equal(g->alone, 20);
    expect_near(share_of(g, "tensor"), 0.90, 1e-4);
    expect_near(g->units[SAMPLED_TENSOR].error, 0.90 * (0.08 + 0.01), 0.003);
    forget(&s);
}

/* Six of seven launches run beside others: the seventh does not speak for them. */
TEST(few_launches_alone_are_too_few)
{
    struct seen s;
    play(US);
    for (int i = 0; i < 70; i++) {
        const int64_t begin_ns = i * 300 * US;
        run_at(&gemm, begin_ns, 200 * US, 7);
        if (i % 7)
            run_at(&copy, begin_ns + 100 * US, 50 * US, 8);
    }
    look(&s);
    assert_int_equal(kernel(&s, &gemm)->alone, 10);
    expect_class(kernel(&s, &gemm), BOUND_INCONCLUSIVE, "not_alone");
    forget(&s);
}

/* Of 30 launches of 100 us: what their busiest unit leaves, DRAM of the rate that it reaches. Where some units are not
 * known, nothing is. */
TEST(headroom_is_what_the_busiest_unit_leaves)
{
    struct seen s;
    for (int all = 0; all < 2; all++) {
        play(10 * US);
        gpu.has_all_units = all;
        for (int k = 0; k < 30; k++) {
            then(&gemm, 30 * US, 100 * US);
            then(&wide, 30 * US, 100 * US);
        }
        look(&s);
        struct thresholds t;
        thresholds_resolve(&t, NULL, NULL);
        const double dram = 0.72 / threshold(&t, THRESHOLD_DRAM_CEILING);
        if (all) {
            expect_near(kernel(&s, &gemm)->headroom_ns, 3e6 * (1 - 0.9), 3e6 * 1e-4);
            expect_near(kernel(&s, &wide)->headroom_ns, 3e6 * (1 - dram), 3e6 * 1e-4);
            assert_ptr_equal(kernel_windows_most_headroom(&s.w), kernel(&s, &wide));
        } else {
            assert_true(isnan(kernel(&s, &gemm)->headroom_ns));
            assert_null(kernel_windows_most_headroom(&s.w));
            /* 0.90 and 0.72, each 0.03 less: of 3 ms no more than 0.39 and 0.93 ms go, and the larger bound is first */
            expect_near(kernel(&s, &gemm)->headroom_most_ns, 3e6 * 0.13, 3e6 * 1e-3);
            expect_near(kernel(&s, &wide)->headroom_most_ns, 3e6 * 0.31, 3e6 * 1e-3);
            assert_ptr_equal(kernel_windows_next(&s.w, NULL), kernel(&s, &wide));
            assert_ptr_equal(kernel_windows_next(&s.w, kernel(&s, &wide)), kernel(&s, &gemm));
            assert_null(kernel_windows_next(&s.w, kernel(&s, &gemm)));
        }
        forget(&s);
    }
}

/* Launches of two kinds: tensor at 0.9 and at 0.1. The error is that between launches: 0.4 / sqrt(n). */
TEST(launches_that_differ_have_a_larger_error)
{
    static const struct played_kernel slow = {"gemm", {1.0, 0.10, 0.20, 0.08, 0.30}, 0};
    struct seen s;
    play(US);
    for (int i = 0; i < 16; i++)
        then(i % 2 ? &gemm : &slow, 30 * US, 50 * US);
    look(&s);
    const struct kernel_window *g = kernel(&s, &gemm);
    expect_near(share_of(g, "tensor"), 0.5, 2e-3);
    expect_near(g->units[SAMPLED_TENSOR].standard_error, 0.4 / sqrt(15), 2e-3);
    forget(&s);
}

/* Of two launches one was sampled, and says nothing of the other. */
TEST(one_launch_of_several_is_too_few)
{
    struct seen s;
    play(10 * US);
    then(&gemm, 100 * US, 1000 * US);
    then(&gemm, 3000 * US, 1000 * US);
    gpu.sampled_from_ns = 2000 * US;
    look(&s);
    assert_int_equal(kernel(&s, &gemm)->sampled_launches, 1);
    assert_in_range(kernel(&s, &gemm)->samples, 99, 102);
    expect_class(kernel(&s, &gemm), BOUND_INCONCLUSIVE, "too_few_samples");
    forget(&s);
}

/* A kernel that never ends may run beside all that follows, and grids tell kernels apart. */
TEST(unfinished_kernels_and_grids)
{
    struct seen s;
    play(10 * US);
    for (int i = 0; i < 5; i++)
        then(&gemm, 30 * US, 100 * US);
    run_at(&copy, gpu.end_ns + 10 * US, 5 * US, 8);
    gpu.work[gpu.count - 1].event.end_ns = -1;
    for (int i = 0; i < 5; i++)
        then(&gemm, 30 * US, 100 * US);
    look(&s);
    assert_int_equal(kernel(&s, &gemm)->launches, 10);
    assert_int_equal(kernel(&s, &gemm)->alone, 5);
    assert_int_equal(kernel(&s, &copy)->alone, 0);
    assert_true(isnan(kernel(&s, &gemm)->device_share)); /* when the device's work ended is not known */
    forget(&s);
}

/* gemm runs with two grids, one of which is missing in the trace, tiny with one. */
TEST(grids_tell_kernels_of_one_name_apart)
{
    struct seen s;
    struct str text;
    str_init(&text);
    play(10 * US);
    gpu.two_grids = true;
    then(&gemm, 30 * US, 50 * US);
    then(&gemm, 30 * US, 100 * US);
    then(&tiny, 30 * US, 10 * US);
    look(&s);
    assert_int_equal(s.w.kernel_count, 3);
    for (size_t i = 0; i < 3; i++) {
        kernel_window_add_name(&text, &s.w.kernels[i], &s.names);
        str_add(&text, "; ");
    }
    assert_string_equal(str_text(&text), "gemm 4x16 384; gemm; tiny; ");
    str_release(&text);
    forget(&s);
}

TEST(bad_payloads_are_refused)
{
    unsigned char payload[sizeof(struct cpprof_samples) + CPPROF_UNIT_BYTES + 2 * 10] = {0};
    struct cpprof_samples head = {.begin_ns = 5, .count = 2, .units = 1};
    const uint32_t first[] = {0, 10}, good[] = {10, 10}, early[] = {9, 10}, empty[] = {10, 0};
    unsigned char *rows = payload + sizeof head + CPPROF_UNIT_BYTES;
    const size_t bytes = sizeof payload;
    memcpy(payload, &head, sizeof head);
    memcpy(rows, first, sizeof first);
    memcpy(rows + 10, good, sizeof good);
    assert_null(gpu_samples_fault(payload, bytes));
    assert_non_null(gpu_samples_fault(payload, bytes - 1));
    assert_non_null(gpu_samples_fault(payload, 3));
    memcpy(rows + 10, early, sizeof early);
    assert_string_equal(gpu_samples_fault(payload, bytes), "samples are not in order");
    memcpy(rows + 10, empty, sizeof empty);
    assert_non_null(gpu_samples_fault(payload, bytes));
    memcpy(rows + 10, good, sizeof good);
    head.count = UINT32_MAX;
    memcpy(payload, &head, sizeof head);
    assert_non_null(gpu_samples_fault(payload, bytes));
    head.count = 2;
    head.device = -1;
    memcpy(payload, &head, sizeof head);
    assert_non_null(gpu_samples_fault(payload, bytes));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_kernels_in_turns),
        cmocka_unit_test(links_bound_what_communicates),
        cmocka_unit_test(what_overlaps_does_not_count),
        cmocka_unit_test(short_kernels_are_folded),
        cmocka_unit_test(short_kernels_side_by_side_are_refused),
        cmocka_unit_test(few_samples_have_a_larger_error),
        cmocka_unit_test(bursts_have_the_same_shares),
        cmocka_unit_test(clocks_that_jump_decide_nothing),
        cmocka_unit_test(stamps_that_cross_are_no_doubt),
        cmocka_unit_test(work_without_a_record_decides_nothing),
        cmocka_unit_test(a_class_needs_its_evidence),
        cmocka_unit_test(the_busiest_unit_decides),
        cmocka_unit_test(one_burst_is_no_program),
        cmocka_unit_test(bursts_that_differ_have_a_larger_error),
        cmocka_unit_test(neighbours_keep_their_samples),
        cmocka_unit_test(begins_of_kernels_weigh_as_much_as_the_rest),
        cmocka_unit_test(shared_samples_make_no_error_smaller),
        cmocka_unit_test(edges_that_are_not_seen_are_an_error),
        cmocka_unit_test(overlapped_ends_are_an_error),
        cmocka_unit_test(few_launches_alone_are_too_few),
        cmocka_unit_test(headroom_is_what_the_busiest_unit_leaves),
        cmocka_unit_test(launches_that_differ_have_a_larger_error),
        cmocka_unit_test(one_launch_of_several_is_too_few),
        cmocka_unit_test(unfinished_kernels_and_grids),
        cmocka_unit_test(grids_tell_kernels_of_one_name_apart),
        cmocka_unit_test(bad_payloads_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
