/* Does the CSV of Nsight Compute mean what we read in it? */
#define _GNU_SOURCE
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyzers/analyzer.h"
#include "analyzers/bounds/ncu_words.h"
#include "base/str.h"
#include "run/ncu/ncu_csv.h"
#include "run/ncu/ncu_file.h"
#include "run/ncu/ncu_names.h"
#include "run/ncu/ncu_rules.h"
#include "run/ncu/ncu_value.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(1, fabs(b));
}

static void a_file_that_is_not_there_is_an_input_error(void **state)
{
    (void)state;
    struct imported_launches list;
    struct err e = {0};
    imported_launches_init(&list);
    assert_int_equal(imported_launches_read(&list, "/no/such/table.csv", &e), ERR_INPUT);
    assert_non_null(strstr(e.text, "/no/such/table.csv"));
    assert_int_equal(list.count, 0);
    imported_launches_release(&list);
}

static void numbers(void **state)
{
    static const struct {
        const char *text;
        enum ncu_number kind;
        double value;
    } cases[] = {
        {"12", NCU_NUMBER, 12},
        {"-3.5", NCU_NUMBER, -3.5},
        {"4,963,609,951.19", NCU_NUMBER, 4963609951.19},
        {"12,319,469", NCU_NUMBER, 12319469},
        {"9.637e-05", NCU_NUMBER, 9.637e-05},
        {"1E3", NCU_NUMBER, 1000},
        {"0.00", NCU_NUMBER, 0},
        {"", NCU_MISSING, NAN},
        {"n/a", NCU_MISSING, NAN},
        {"nan", NCU_NAN, NAN},
        {"-nan", NCU_NAN, NAN},
        {"(!) n/a", NCU_MISSING, NAN},
        {"no data", NCU_MISSING, NAN},
        {"inf", NCU_NAN, NAN},
        {"61,84", NCU_LOCALE, NAN},
        {"0,125", NCU_LOCALE, NAN},    /* no group of thousands begins with 0 */
        {"1234,567", NCU_LOCALE, NAN}, /* the first group has three digits at most */
        {"1,23,456", NCU_LOCALE, NAN},
        {"4.963.609,19", NCU_LOCALE, NAN},
        {"12'319'469.5", NCU_LOCALE, NAN},
        {"12\xe2\x80\xaf"
         "319",
         NCU_LOCALE, NAN},
        {"12\xc2\xa0"
         "319,5",
         NCU_LOCALE, NAN},
        {"-1.000,5", NCU_LOCALE, NAN},
        {"PolicySpread", NCU_GARBAGE, NAN},
        {"61.84%", NCU_GARBAGE, NAN},
        {"0x10", NCU_GARBAGE, NAN},
        {"1e", NCU_GARBAGE, NAN},
        {"1e999", NCU_GARBAGE, NAN},
        {"--1", NCU_GARBAGE, NAN},
        {",", NCU_GARBAGE, NAN},
        {"1111111111111111111111111111111111111111111111111111111111111111", NCU_GARBAGE, NAN}, /* 64 digits */
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        double value;
        const enum ncu_number kind = ncu_number_read(cases[i].text, &value);
        if (kind != cases[i].kind)
            fail_msg("'%s' is %d", cases[i].text, (int)kind);
        assert_true(isnan(cases[i].value) ? isnan(value) : near(value, cases[i].value));
    }
}

static void units(void **state)
{
    static const struct {
        const char *unit;
        enum unit wanted;
        double factor; /* 0: not a unit of it */
    } cases[] = {
        {"%", UNIT_RATIO, 0.01},
        {"", UNIT_RATIO, 0},
        {"byte/s", UNIT_RATIO, 0},
        {"ns", UNIT_NS, 1},
        {"nsecond", UNIT_NS, 1},
        {"us", UNIT_NS, 1e3},
        {"usecond", UNIT_NS, 1e3},
        {"msecond", UNIT_NS, 1e6},
        {"ms", UNIT_NS, 1e6},
        {"second", UNIT_NS, 1e9},
        {"s", UNIT_NS, 1e9},
        {"cycle/second", UNIT_NS, 0},
        {"byte", UNIT_BYTES, 1},
        {"Kbyte", UNIT_BYTES, 1e3},
        {"Mbyte", UNIT_BYTES, 1e6},
        {"Gbyte", UNIT_BYTES, 1e9},
        {"Tbyte", UNIT_BYTES, 1e12},
        {"Kbyte/block", UNIT_BYTES, 1e3},
        {"hz", UNIT_HZ, 1},
        {"Ghz", UNIT_HZ, 1e9},
        {"cycle/nsecond", UNIT_HZ, 1e9},
        {"cycle/usecond", UNIT_HZ, 1e6},
        {"cycle", UNIT_HZ, 0},
        {"Gbyte/second", UNIT_BYTES_PER_S, 1e9},
        {"byte/nsecond", UNIT_BYTES_PER_S, 1e9},
        {"Gbyte", UNIT_BYTES_PER_S, 0},
        {"byte/fortnight", UNIT_BYTES_PER_S, 0},
        {"sector", UNIT_BYTES, 0},
        {"inst", UNIT_COUNT, 1},
        {"Minst", UNIT_COUNT, 1e6},
        {"", UNIT_COUNT, 1},
        {"block", UNIT_COUNT, 1},
        {"register/thread", UNIT_COUNT, 1},
        {"SM", UNIT_COUNT, 1},
        {"cycle", UNIT_CYCLES, 1},
        {"inst", UNIT_CYCLES, 1},
        {"Kcycle", UNIT_CYCLES, 1e3},
        {"%", UNIT_COUNT, 0},
        {"furlong", UNIT_NONE, 0},
        {"inst/cycle", UNIT_NONE, 1},
        {"warp", UNIT_NONE, 1},
        {"hz", UNIT_TEXT, 0},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        double factor = 0;
        const bool known = ncu_unit_factor(cases[i].unit, cases[i].wanted, &factor);
        if (known != (cases[i].factor > 0) || (known && !near(factor, cases[i].factor)))
            fail_msg("'%s' to %s: %d, %g", cases[i].unit, unit_name(cases[i].wanted), known, factor);
    }
}

static void names(void **state)
{
    enum { NOWHERE = -1 };
    static const struct {
        const char *section, *name, *id; /* NULL: a fact, or nothing */
        int fact;
    } cases[] = {
        {"GPU Speed Of Light Throughput", "Memory Throughput", "memory_throughput", NOWHERE},
        {"GPU Speed Of Light", "SM [%]", "sm_throughput", NOWHERE},
        {"Memory Workload Analysis", "Memory Throughput", NULL, NOWHERE}, /* bytes per second */
        {"GPU Speed Of Light Throughput", "L1/TEX Cache Throughput", NULL, NCU_L1_ACTIVE_SHARE},
        {"Launch Statistics", "# SMs", NULL, NCU_SM_COUNT},
        {"Occupancy", "# SMs", NULL, NOWHERE},
        {"", "dram__throughput.avg.pct_of_peak_sustained_elapsed", "dram_share", NOWHERE},
        {"", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", "dram_share", NOWHERE},
        {"", "gpu__dram_throughput.sum.pct_of_peak_sustained_elapsed", "dram_share", NOWHERE},
        {"Command line profiler metrics", "sm__pipe_fma_cycles_active.sum.pct_of_peak_sustained_elapsed", "fma_share",
         NOWHERE},
        {"", "sm__pipe_fma_cycles_active.max.pct_of_peak_sustained_elapsed", NULL, NOWHERE},
        {"GPU Speed Of Light Throughput", "sm__inst_executed_pipe_lsu", "lsu_share", NOWHERE}, /* a breakdown */
        {"Instruction Statistics", "sm__inst_executed_pipe_lsu", NULL, NOWHERE},
        {"", "dram__bytes_op_read.sum", "dram_read", NOWHERE},
        {"", "TPC.TriageCompute.sm__cycles_active.avg", NULL, NOWHERE},
        {"", "", NULL, NOWHERE},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct ncu_slot slot;
        const bool found = ncu_slot_find(cases[i].section, cases[i].name, &slot);
        const size_t wanted = cases[i].id ? ncu_slot_of(cases[i].id) : (size_t)(COUNTERS_METRICS_MAX + cases[i].fact);
        if (found != (cases[i].id || cases[i].fact != NOWHERE) || (found && slot.at != wanted))
            fail_msg("'%s' of '%s': %d", cases[i].name, cases[i].section, found);
    }
}

static void rules(void **state)
{
    static const struct {
        const char *rule, *text, *headline, *pipe;
        double share; /* NAN: no pipe is said */
        bool active;
        const char *stall;
        double cycles;
    } cases[] = {
        {"SOLBottleneck", "The kernel is utilizing greater than 80.0% of the available compute", "High Throughput",
         NULL, NAN, false, NULL, 0},
        {"SOLBottleneck", "Compute and Memory are well-balanced: To reduce runtime", "Balanced Throughput", NULL, NAN,
         false, NULL, 0},
        {"SOLBottleneck", "Memory is more heavily utilized than Compute: Look", "High Memory Throughput", NULL, NAN,
         false, NULL, 0},
        {"SOLBottleneck", "This kernel grid is too small to fill the available resources", "Small Grid", NULL, NAN,
         false, NULL, 0},
        {"SOLBottleneck", "This workload exhibits low compute throughput and memory bandwidth utilization relative",
         "Latency Issue", NULL, NAN, false, NULL, 0},
        {"SOLBottleneck", "Something that a later version says", NULL, NULL, NAN, false, NULL, 0},
        {"SOLFPRoofline", "is utilizing greater than 80%", NULL, NULL, NAN, false, NULL, 0},
        {"HighPipeUtilization", "FMA is the highest-utilized pipeline (91.2%) based on elapsed cycles in the workload",
         NULL, "fma_share", 0.912, false, NULL, 0},
        {"HighPipeUtilization", "ALU is the highest-utilized pipeline (44.3%) based on active cycles, taking", NULL,
         "alu_share", 0.443, true, NULL, 0},
        {"HighPipeUtilization", "FP64 is the highest-utilized pipeline (85.2%). It executes", NULL, "fp64_share", 0.852,
         true, NULL, 0},
        {"HighPipeUtilization", "FP64 (DMMA) is the highest-utilized pipeline (85.2%) based on elapsed cycles", NULL,
         "tensor_share", 0.852, false, NULL, 0},
        {"HighPipeUtilization",
         "Shared is the highest-utilized pipeline (98.9%) based on elapsed cycles. It's dominated by its Tensor (FP) "
         "sub-pipeline. Based on instructions, the highest utilized pipeline (33.0%) is Tensor (FP).",
         NULL, "tensor_share", 0.989, false, NULL, 0},
        {"HighPipeUtilization",
         "Shared FMA Heavy is the highest-utilized pipeline (58.3%) based on elapsed cycles. It's dominated by its FMA Heavy "
         "sub-pipeline.",
         NULL, "fmaheavy_share", 0.583, false, NULL, 0},
        {"HighPipeUtilization", "LSU is the highest-utilized pipeline (91.9%) based on elapsed cycles", NULL,
         "lsu_share", 0.919, false, NULL, 0},
        {"HighPipeUtilization", "Uniform is the highest-utilized pipeline (71%) based on elapsed cycles", NULL, NULL,
         0.71, false, NULL, 0},
        {"HighPipeUtilization", "All compute pipelines are under-utilized.", NULL, NULL, NAN, false, NULL, 0},
        {"HighPipeUtilization", "FMA is the highest-utilized pipeline (much)", NULL, NULL, NAN, false, NULL, 0},
        {"HighPipeUtilization", "FMA is the highest-utilized pipeline (inf%)", NULL, NULL, NAN, false, NULL, 0},
        {"CPIStall",
         "On average, each warp of this workload spends 295.5 cycles being stalled waiting for a scoreboard dependency on a "
         "L1TEX (local, global, surface, texture) operation. Find the fixed latency execution dependency.",
         NULL, NULL, NAN, false, "stall_long_scoreboard", 295.5},
        {"CPIStall",
         "each warp of this kernel spends 13.5 cycles being stalled waiting for sibling warps at a CTA barrier.", NULL,
         NULL, NAN, false, "stall_barrier", 13.5},
        {"CPIStall",
         "each warp of this kernel spends 5.0 cycles being stalled waiting for a scoreboard dependency on a MIO", NULL,
         NULL, NAN, false, "stall_short_scoreboard", 5},
        {"CPIStall", "each warp spends 2.6 cycles being stalled waiting on a fixed latency execution dependency.", NULL,
         NULL, NAN, false, "stall_wait", 2.6},
        {"CPIStall", "Check the Warp Stall Sampling table", NULL, NULL, NAN, false, NULL, 0},
        {"CPIStall", "each warp spends many cycles being stalled waiting for sibling warps at a CTA barrier.", NULL,
         NULL, NAN, false, NULL, 0},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct ncu_said said = ncu_rule_read(cases[i].rule, cases[i].text);
        const char *const got[] = {said.headline, said.pipe, said.stall};
        const char *const wanted[] = {cases[i].headline, cases[i].pipe, cases[i].stall};
        for (size_t k = 0; k < COUNT(got); k++)
            if (!got[k] != !wanted[k] || (got[k] && strcmp(got[k], wanted[k])))
                fail_msg("'%s' says '%s'", cases[i].text, got[k] ? got[k] : "nothing");
        assert_int_equal(said.has_pipe, !isnan(cases[i].share));
        assert_true(!said.has_pipe ||
                    (near(said.pipe_share, cases[i].share) && said.pipe_over_active == cases[i].active));
        assert_true(!said.stall || near(said.stall_cycles, cases[i].cycles));
    }
}

/* ---- whole tables ---- */

struct judged {
    struct imported_launches launches;
    struct analysis analysis;
};

static int read_text(const char *text, size_t length, struct imported_launches *out, struct err *e)
{
    FILE *file = fmemopen((void *)(uintptr_t)text, length, "rb");
    assert_non_null(file);
    const struct open_input input = {"t.csv", file, text, length};
    imported_launches_init(out);
    const int rc = ncu_csv_read(&input, out, e);
    fclose(file);
    return rc;
}

static void judge(struct judged *j, const char *text)
{
    struct err e = {0};
    if (read_text(text, strlen(text), &j->launches, &e))
        fail_msg("%s", e.text);
    analysis_init(&j->analysis, NULL);
    assert_int_equal(bound_analyze_counted(&j->analysis, &j->launches, &e), 0);
    assert_int_equal(j->analysis.bounds.count, j->launches.count);
}

static void judged_release(struct judged *j)
{
    analysis_release(&j->analysis);
    imported_launches_release(&j->launches);
}

#define ROW_HEADER         "ID,Kernel Name,Section Name,Metric Name,Metric Unit,Metric Value,Rule Name,Rule Description\n"
#define SHARE(name, value) "0,k,GPU Speed Of Light Throughput," name ",%," value "\n"
#define CYCLES                                                                                                         \
    "0,k,GPU Speed Of Light Throughput,Elapsed Cycles,cycle,1000\n"                                                    \
    "0,k,GPU Speed Of Light Throughput,SM Active Cycles,cycle,900\n"
#define SPEED(sm, memory, dram, l2, l1)                                                                                \
    SHARE("Compute (SM) Throughput", sm)                                                                               \
    SHARE("Memory Throughput", memory)                                                                                 \
    SHARE("DRAM Throughput", dram) SHARE("L2 Cache Throughput", l2) SHARE("L1/TEX Cache Throughput", l1)
#define ISSUE(value)     "0,k,Scheduler Statistics,One or More Eligible,%," value "\n" /* of the active cycles */
#define PIPES(value)     "0,k,Memory Workload Analysis,Mem Pipes Busy,%," value "\n"
#define RAW(name, value) "0,k,Command line profiler metrics," name ".avg.pct_of_peak_sustained_elapsed,%," value "\n"
#define HIGHEST(text)    "0,k,ComputeWorkloadAnalysis,,,,HighPipeUtilization," text "\n"

/* A unit that was not counted is no busier than what includes it: a verdict that
 * is the same wherever it lies below stands, any other one does not. */
static void limits_decide(void **state)
{
    static const struct {
        const char *rows;
        enum bound_class class_;
        const char *lean, *unit;
        double compute, memory;
    } cases[] = {
        /* Every pipe is between 0 and 6%: memory wins all the same. */
        {SPEED("6", "82", "82", "88", "28"), BOUND_MEMORY, "memory", "dram", 0.06, 0.88},
        /* Every pipe is between 0 and 55%: 65 - 55 leads by 10. */
        {SPEED("55", "65", "65", "60", "28") PIPES("3"), BOUND_MEMORY, "memory", "dram", 0.55, 0.65},
        /* Between 0 and 56%: 65 - 56 = 9 would be balanced. */
        {SPEED("56", "65", "65", "60", "28") PIPES("3"), BOUND_INCONCLUSIVE, "memory", "dram", 0.56, 0.65},
        /* Nothing reaches 60%, whatever the pipes do. */
        {SPEED("59", "20", "20", "20", "28") PIPES("3"), BOUND_LATENCY, "compute", "", 0.59, 0.252},
        /* A pipe may be at 90%, or issue slots alone. */
        {SPEED("90", "20", "20", "20", "28") PIPES("3"), BOUND_INCONCLUSIVE, "compute", "", 0.90, 0.252},
        /* The rule names it; no other pipe is busier. Issue slots are at 0.9 x 80%, a pipe up to 10 points below is
           named. */
        {SPEED("80", "20", "20", "20", "28") PIPES("3") ISSUE("80")
             HIGHEST("FMA is the highest-utilized pipeline (70%) based on elapsed cycles"),
         BOUND_COMPUTE, "compute", "fma", 0.72, 0.252},
        /* 70% of the active 90% of the cycles are 63% of the elapsed ones. */
        {SPEED("70", "20", "20", "20", "28") PIPES("3") ISSUE("60")
             HIGHEST("ALU is the highest-utilized pipeline (70%) based on active cycles"),
         BOUND_COMPUTE, "compute", "alu", 0.63, 0.252},
        /* 66% of them are 59.4%. */
        {SPEED("69", "20", "20", "20", "28") PIPES("3") ISSUE("60")
             HIGHEST("ALU is the highest-utilized pipeline (66%) based on active cycles"),
         BOUND_LATENCY, "compute", "alu", 0.594, 0.252},
        /* Issue slots at 0.9 x 100%, the busiest pipe at 70%. */
        {SPEED("90", "20", "20", "20", "28") PIPES("3") ISSUE("100")
             HIGHEST("FMA is the highest-utilized pipeline (70%) based on elapsed cycles"),
         BOUND_COMPUTE, "compute", "issue", 0.90, 0.252},
        /* Issue slots at 54%, the busiest pipe at 58%: something else is at 90%. */
        {SPEED("90", "20", "20", "20", "28") PIPES("3") ISSUE("60")
             HIGHEST("FMA is the highest-utilized pipeline (58%) based on elapsed cycles"),
         BOUND_INCONCLUSIVE, "compute", "fma", 0.58, 0.252},
        /* The same where memory is the limit whatever it is: 95 - 80 leads by more than 10. */
        {SPEED("80", "95", "95", "95", "28") PIPES("3") ISSUE("60")
             HIGHEST("FMA is the highest-utilized pipeline (58%) based on elapsed cycles"),
         BOUND_MEMORY, "memory", "dram", 0.58, 0.95},
        /* Memory throughput is 70%, and no unit of memory above 28%. */
        {SPEED("20", "70", "20", "20", "28") PIPES("3") ISSUE("10"), BOUND_INCONCLUSIVE, "memory", "dram", 0.20, 0.252},
        /* The busiest pipe is one that we have no counter of: ours may be as busy. */
        {SPEED("90", "20", "20", "20", "28") PIPES("3")
             HIGHEST("Uniform is the highest-utilized pipeline (70%) based on elapsed cycles"),
         BOUND_INCONCLUSIVE, "compute", "", 0.90, 0.252},
        /* LSU is a memory unit: 91%, and no pipe is busier; one may be as busy, and issue slots at 92%. */
        {SPEED("92", "20", "20", "20", "28")
             HIGHEST("LSU is the highest-utilized pipeline (91%) based on elapsed cycles"),
         BOUND_INCONCLUSIVE, "compute", "", 0.92, 0.91},
        /* L1 has 100% of the active 90%: 90%, and DRAM 5%. */
        {SPEED("30", "95", "5", "20", "100"), BOUND_MEMORY, "memory", "l1", 0.30, 0.90},
        /* LSU may be at 75%, and no memory unit was seen above 40%: one limit for both sides. */
        {SPEED("75", "40", "40", "30", "30"), BOUND_INCONCLUSIVE, "", "", 0.75, 0.75},
        /* LSU may be at 74%: what SM throughput has above that is no load or store. */
        {SPEED("75", "40", "40", "30", "30") PIPES("74"), BOUND_INCONCLUSIVE, "compute", "", 0.75, 0.74},
        /* Memory was not counted at all: nothing can be said, nor which side. */
        {SHARE("Compute (SM) Throughput", "22.3"), BOUND_INCONCLUSIVE, "", "", 0.223, NAN},
        /* The sides that ncu goes by still say which way it leans. */
        {SHARE("Compute (SM) Throughput", "22.3") SHARE("Memory Throughput", "61"), BOUND_INCONCLUSIVE, "memory", "",
         0.223, NAN},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct judged j;
        struct str text;
        str_init(&text);
        str_addf(&text, "%s%s%s", ROW_HEADER, CYCLES, cases[i].rows);
        judge(&j, str_text(&text));
        const struct bound *b = &j.analysis.bounds.items[0];
        if (b->class_ != cases[i].class_ || strcmp(b->lean, cases[i].lean) || strcmp(b->unit, cases[i].unit))
            fail_msg("case %zu: %s, lean '%s', unit '%s': %s", i, bound_class_name(b->class_), b->lean, b->unit,
                     b->cause);
        if (!near(b->compute_share, cases[i].compute))
            fail_msg("case %zu: compute %g", i, b->compute_share);
        assert_true(isnan(cases[i].memory) ? isnan(b->memory_share) : near(b->memory_share, cases[i].memory));
        str_release(&text);
        judged_release(&j);
    }
}

/* Compute leads memory wherever the pipes lie below SM throughput, but without the sentence that says how busy they are
 * any of them may be what fills the issue slots. */
static void the_unit_of_a_compute_bound_may_be_open(void **state)
{
    static const struct {
        const char *rows, *unit; /* "" open */
    } cases[] = {
        /* Issue slots at 0.9 x 100%, as busy as the SM; the rule says that no pipe is above 70%. */
        {SPEED("90", "20", "20", "20", "28") PIPES("3") ISSUE("100")
             HIGHEST("FMA is the highest-utilized pipeline (70%) based on elapsed cycles"),
         "issue"},
        {SPEED("90", "20", "20", "20", "28") PIPES("3") ISSUE("100"), ""},
        /* The pipes may be busier than the issue slots. */
        {SPEED("97", "20", "20", "20", "28") PIPES("3") ISSUE("100"), ""},
        /* FMA was counted at 85%, and is named; the others may be at 90%. */
        {SPEED("90", "20", "20", "20", "28") PIPES("3") ISSUE("100") RAW("sm__pipe_fma_cycles_active", "85"), ""},
        {SPEED("90", "20", "20", "20", "28") PIPES("3") ISSUE("100") RAW("sm__pipe_fma_cycles_active", "90"), "fma"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct judged j;
        struct str text;
        str_init(&text);
        str_addf(&text, "%s%s%s", ROW_HEADER, CYCLES, cases[i].rows);
        judge(&j, str_text(&text));
        const struct bound *b = &j.analysis.bounds.items[0];
        const bool open = !*cases[i].unit;
        if (b->class_ != BOUND_COMPUTE || strcmp(b->bound_by, cases[i].unit) || strcmp(b->unit, cases[i].unit) ||
            b->unit_is_open != open || !*b->will_not_help != open || strcmp(b->lean, "compute"))
            fail_msg("case %zu: %s, limit '%s', unit '%s', not '%s': %s", i, bound_class_name(b->class_), b->bound_by,
                     b->unit, b->will_not_help, b->cause);
        assert_int_equal(open, strstr(b->advice, "count what is missing") != NULL);
        assert_int_equal(open, strstr(b->cause, "which unit is the limit is open") != NULL);
        str_release(&text);
        judged_release(&j);
    }
}

/* Is this id among "ID=VALUE", each with its end? */
static bool is_given(const char *rows, const char *id)
{
    for (const char *at = rows; *at; at += strlen(at) + 1)
        if (strlen(id) == strcspn(at, "=") && !strncmp(at, id, strlen(id)))
            return true;
    return false;
}

/* The rows of a chip of a compute capability: all units at `rest`, but for those of `rows`. */
static void of_chip(struct str *out, const char *capability, const char *rest, const char *rows)
{
    size_t count;
    const struct metric *metrics = metrics_known(&count);
    str_add(out, "ID,Kernel Name,CC,Metric Name,Metric Unit,Metric Value\n");
    for (size_t i = 0; i < count; i++) {
        const bool is_unit = metrics[i].role == METRIC_COMPUTE || metrics[i].role == METRIC_MEMORY;
        if ((is_unit || !strcmp(metrics[i].id, "issue_share")) && !metric_is_of_tcgen05(&metrics[i]) &&
            !is_given(rows, metrics[i].id))
            str_addf(out, "0,k,%s,%s,%%,%s\n", capability, metrics[i].name, rest);
    }
    for (const char *at = rows; *at; at += strlen(at) + 1) {
        const size_t name = strcspn(at, "=");
        const struct metric *m;
        char id[64];
        snprintf(id, sizeof id, "%.*s", (int)name, at);
        m = metric_by_id(id);
        assert_non_null(m);
        str_addf(out, "0,k,%s,%s,%s,%s\n", capability, m->name, m->unit == UNIT_RATIO ? "%" : "inst", at + name + 1);
    }
}

/* The tensor cores of tcgen05 and their memory are units of the chips that have them, and of no others. */
static void units_of_tcgen05(void **state)
{
    static const struct {
        const char *capability, *rows; /* "ID=VALUE", each with its end */
        enum bound_class class_;
        const char *unit, *advice;
    } cases[] = {
        /* A full tensor pipe, which the older counter does not see. Its memory is as busy. */
        {"10.0", "tensor_share=2.9\0tc_share=92\0tmem_share=93\0operands_share=40\0", BOUND_COMPUTE, "tensor",
         "fewer matrix operations"},
        {"10.3", "tensor_share=2.9\0tc_share=92\0tmem_share=41\0operands_share=40\0", BOUND_COMPUTE, "tensor",
         "fewer matrix operations"},
        /* Tensor memory alone. */
        {"10.0", "tc_share=45\0tmem_share=85\0operands_share=20\0", BOUND_COMPUTE, "tmem",
         "fewer passes over tensor memory"},
        /* Shared memory is full of operands, which pairs of blocks read once. */
        {"11.0", "tc_share=45\0tmem_share=45\0operands_share=85\0tcgen05=1000\0tcgen05_pairs=0\0", BOUND_MEMORY,
         "shared", "pairs of blocks"},
        {"10.0", "tc_share=45\0tmem_share=45\0operands_share=85\0tcgen05=1000\0tcgen05_pairs=1000\0", BOUND_MEMORY,
         "shared", "larger tiles"},
        /* Not counted: it may be the limit. */
        {"10.0", "tensor_share=2.9\0", BOUND_INCONCLUSIVE, "fma", "count what is missing"},
        {"10.0", "tc_share=92\0operands_share=40\0", BOUND_INCONCLUSIVE, "tensor", "count what is missing"},
        /* Counted, but more than there can be. */
        {"10.0", "tc_share=150\0tmem_share=41\0operands_share=40\0", BOUND_INCONCLUSIVE, "tmem", "count again"},
        /* The tensor pipe and its memory are both below the issue slots: the pipe says where it leans. */
        {"10.0", "issue_share=50\0tc_share=40\0tmem_share=41\0operands_share=10\0", BOUND_LATENCY, "tensor", ""},
        /* SM throughput limits what was not counted. */
        {"10.0", "sm_throughput=92\0tc_share=92\0operands_share=40\0", BOUND_COMPUTE, "tensor",
         "fewer matrix operations"},
        {"10.0", "sm_throughput=30\0operands_share=20\0", BOUND_LATENCY, "", ""},
        /* There is no such unit. */
        {"9.0", "tensor_share=70\0", BOUND_COMPUTE, "tensor", "fewer matrix operations"},
        {"12.0", "tensor_share=70\0", BOUND_COMPUTE, "tensor", "fewer matrix operations"},
        /* Nobody knows whether there is: it must be counted. */
        {"", "tensor_share=70\0", BOUND_INCONCLUSIVE, "tensor", "count what is missing"},
        {"10.7", "tensor_share=70\0", BOUND_INCONCLUSIVE, "tensor", "count what is missing"},
        {"13.7", "sm_throughput=70\0tensor_share=70\0l1_share=20\0", BOUND_COMPUTE, "tensor",
         "fewer matrix operations"},
        /* Operands are a part of L1, which is busier. */
        {"10.0", "tc_share=40\0tmem_share=20\0l1_share=90\0operands_share=89\0tcgen05=9\0tcgen05_pairs=0\0",
         BOUND_MEMORY, "shared", "pairs of blocks"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct judged j;
        struct str text;
        str_init(&text);
        of_chip(&text, cases[i].capability, "10", cases[i].rows);
        judge(&j, str_text(&text));
        const struct bound *b = &j.analysis.bounds.items[0];
        if (b->class_ != cases[i].class_ || strcmp(b->unit, cases[i].unit) != 0 || !strstr(b->advice, cases[i].advice))
            fail_msg("case %zu: %s, unit '%s', '%s': %s", i, bound_class_name(b->class_), b->unit, b->advice, b->cause);
        str_release(&text);
        judged_release(&j);
    }
}

/* Without cycles the L1 cache of the details page has a limit and no share, and its data stage is a part of it alone:
 * neither makes a verdict of a unit that may be busier. */
static void a_part_of_a_unit_is_not_the_unit(void **state)
{
    static const struct {
        const char *rows;
        enum bound_class class_;
        double memory;
    } cases[] = {
        {SPEED("6", "40", "40", "40", "75") PIPES("3"), BOUND_INCONCLUSIVE, 0.75},
        {SPEED("6", "40", "40", "40", "59") PIPES("3"), BOUND_LATENCY, 0.59},
        {SHARE("Compute (SM) Throughput", "6") SHARE("DRAM Throughput", "40") SHARE("L2 Cache Throughput", "40")
             PIPES("3") RAW("l1tex__data_pipe_lsu_wavefronts", "45"),
         BOUND_INCONCLUSIVE, 0.45},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct judged j;
        struct str text;
        str_init(&text);
        str_addf(&text, "%s%s", ROW_HEADER, cases[i].rows);
        judge(&j, str_text(&text));
        const struct bound *b = &j.analysis.bounds.items[0];
        if (b->class_ != cases[i].class_ || !near(b->memory_share, cases[i].memory))
            fail_msg("case %zu: %s, memory %g: %s", i, bound_class_name(b->class_), b->memory_share, b->cause);
        str_release(&text);
        judged_release(&j);
    }
}

/* "only 64 blocks, which is less than the GPU's 80 multiprocessors", where the page has no row for its SMs. */
static void a_rule_says_how_many_sms_there_are(void **state)
{
    (void)state;
    struct judged j;
    judge(
        &j,
        ROW_HEADER CYCLES SPEED("30", "20", "20", "20", "28") PIPES(
            "3") "0,k,Launch Statistics,Grid Size,,64,,\n"
                 "0,k,LaunchStats,,,,LaunchConfiguration,The grid for this launch is configured to execute only 64 blocks"
                 " which is less than the GPU's 80 multiprocessors.\n");
    const struct bound *b = &j.analysis.bounds.items[0];
    assert_int_equal(b->class_, BOUND_LATENCY);
    assert_string_equal(b->bound_by, "small-grid");
    assert_true(near(j.launches.items[0].sm_count, 80));
    judged_release(&j);
}

/* What is known of a side where units of it were not counted. */
static void a_share_may_be_a_limit(void **state)
{
    static const struct {
        const char *rows;
        enum share_certainty compute_is, memory_is;
        double compute, memory;
    } cases[] = {
        /* No pipe was counted: SM throughput limits them. Memory is complete but for LSU, at most 3%. */
        {SPEED("55", "65", "65", "60", "28") PIPES("3"), SHARE_AT_MOST, SHARE_EXACT, 0.55, 0.65},
        /* No L1, and nothing that limits it. */
        {SHARE("Compute (SM) Throughput", "55") SHARE("DRAM Throughput", "12"), SHARE_AT_MOST, SHARE_AT_LEAST, 0.55,
         0.12},
        /* LSU may be at 75%. */
        {SPEED("75", "40", "40", "30", "30"), SHARE_AT_MOST, SHARE_AT_MOST, 0.75, 0.75},
        /* One pipe alone, and no memory unit. */
        {RAW("sm__pipe_fma_cycles_active", "10"), SHARE_AT_LEAST, SHARE_UNKNOWN, 0.10, NAN},
        /* More than there can be is no share, and its unit is not known. */
        {SPEED("55", "65", "65", "160", "28") PIPES("3"), SHARE_AT_MOST, SHARE_AT_LEAST, 0.55, 0.65},
        {"", SHARE_UNKNOWN, SHARE_UNKNOWN, NAN, NAN},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct judged j;
        struct str text;
        str_init(&text);
        str_addf(&text, "%s%s%s", ROW_HEADER, CYCLES, cases[i].rows);
        judge(&j, str_text(&text));
        const struct bound *b = &j.analysis.bounds.items[0];
        if (b->compute_is != cases[i].compute_is || b->memory_is != cases[i].memory_is)
            fail_msg("case %zu: compute is %s, memory %s", i, share_certainty_name(b->compute_is),
                     share_certainty_name(b->memory_is));
        assert_true(isnan(cases[i].compute) ? isnan(b->compute_share) : near(b->compute_share, cases[i].compute));
        assert_true(isnan(cases[i].memory) ? isnan(b->memory_share) : near(b->memory_share, cases[i].memory));
        str_release(&text);
        judged_release(&j);
    }
}

#define NANS SPEED("nan", "nan", "nan", "nan", "n/a") "0,k,GPU Speed Of Light Throughput,Elapsed Cycles,cycle,nan\n"

/* Of a launch that fails ncu writes nan, and 0 for a few counters. */
static void ncu_may_have_recorded_nothing(void **state)
{
    static const struct {
        const char *rows;
        bool nothing;
    } cases[] = {
        {NANS, true},
        {NANS RAW("sm__pipe_fp64_cycles_active", "0.000000"), true},
        {NANS RAW("sm__pipe_fp64_cycles_active", "0.1"), false},
        /* Zeros that were measured. */
        {SPEED("0", "0", "0", "0", "0"), false},
        {SPEED("0", "0", "nan", "0", "0"), false},
        /* An empty cell says nothing, not even that there was a counter. */
        {SHARE("DRAM Throughput", ""), false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct judged j;
        struct str text;
        str_init(&text);
        str_addf(&text, "%s%s", ROW_HEADER, cases[i].rows);
        judge(&j, str_text(&text));
        const struct bound *b = &j.analysis.bounds.items[0];
        const bool said = strstr(b->cause, "ncu recorded nothing for this launch") != NULL;
        if (said != cases[i].nothing || b->class_ == BOUND_COMPUTE || b->class_ == BOUND_MEMORY)
            fail_msg("case %zu: %s, %s", i, bound_class_name(b->class_), b->cause);
        assert_true(!said || (b->class_ == BOUND_INCONCLUSIVE && isnan(b->compute_share) && !*b->will_not_help &&
                              !strstr(b->advice, "--metrics")));
        str_release(&text);
        judged_release(&j);
    }
}

#define ELAPSED  ".avg.pct_of_peak_sustained_elapsed"
#define SHARED   "l1tex__data_pipe_lsu_wavefronts_mem_shared"
#define OPERANDS "l1tex__data_pipe_tc_wavefronts_mem_shared"

#define LSU "sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_elapsed"

/* What is missing and matters is asked for, and what the file has: by its names, or by the set of its sections. */
static void the_command_that_settles_it(void **state)
{
    static const struct {
        const char *rows, *set, *metrics;
        bool is_all; /* nothing is missing, and no unit explains the throughput */
    } cases[] = {
        {SPEED("85", "20", "20", "20", "28") PIPES("3") ISSUE("50") RAW("lts__throughput", "20")
             HIGHEST("FMA is the highest-utilized pipeline (50%) based on elapsed cycles"),
         "--set full ", "lts__throughput" ELAPSED, true},
        {SPEED("75", "40", "40", "30", "30")
             HIGHEST("FMA is the highest-utilized pipeline (62%) based on elapsed cycles") PIPES("61") ISSUE("50"),
         "--set full ", LSU, false},
        {SHARE("DRAM Throughput", "5") SHARE("L2 Cache Throughput", "5") SHARE("Compute (SM) Throughput", "49"),
         "--set full ",
         "l1tex__throughput.avg.pct_of_peak_sustained_elapsed,"
         "l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_elapsed,"
         "l1tex__data_pipe_tc_wavefronts_mem_shared.avg.pct_of_peak_sustained_elapsed", /* of a chip that may have it */
         false},
        /* No sections: l1 has a row without a value, sm__memory_throughput limits lsu. */
        {RAW("dram__throughput", "5") RAW("lts__throughput", "5") RAW("sm__throughput", "49")
             RAW("l1tex__throughput", "n/a")
                 RAW("sm__memory_throughput", "3") "0,k,Command line profiler metrics,launch__grid_size,,64\n"
                                                   "0,k,Command line profiler metrics,gpu__time_duration.sum,us,64\n",
         "",
         "l1tex__throughput" ELAPSED "," SHARED ELAPSED "," OPERANDS ELAPSED ",dram__throughput" ELAPSED
         ",lts__throughput" ELAPSED ",sm__throughput" ELAPSED ",sm__memory_throughput" ELAPSED
         ",launch__grid_size,gpu__time_duration.sum",
         false},
        /* A raw page has the launch and the device, whatever was asked for. */
        {"ID,Kernel Name,dram__throughput" ELAPSED ",lts__throughput" ELAPSED ",sm__throughput" ELAPSED
         ",launch__grid_size,device__attribute_multiprocessor_count\n,,%,%,%,,\n0,k,5,5,49,64,132\n",
         "",
         "l1tex__throughput" ELAPSED "," SHARED ELAPSED "," OPERANDS ELAPSED ",dram__throughput" ELAPSED
         ",lts__throughput" ELAPSED ",sm__throughput" ELAPSED,
         false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct judged j;
        struct str text, advice;
        str_init(&text);
        str_init(&advice);
        const bool has_header = cases[i].rows[0] == 'I';
        str_addf(&text, "%s%s%s", has_header ? "" : ROW_HEADER, *cases[i].set ? CYCLES : "", cases[i].rows);
        str_addf(&advice, "count %s, and again what is there: ncu %s--csv --page raw --metrics %s PROGRAM",
                 cases[i].is_all ? "all units that this chip has" : "what is missing", cases[i].set, cases[i].metrics);
        judge(&j, str_text(&text));
        assert_int_equal(j.analysis.bounds.items[0].class_, BOUND_INCONCLUSIVE);
        assert_string_equal(j.analysis.bounds.items[0].advice, str_text(&advice));
        str_release(&text);
        str_release(&advice);
        judged_release(&j);
    }
}

/* A counter that is there is not called missing: the words say why its value is not taken. */
static void what_is_not_credible_was_counted(void **state)
{
    static const struct {
        const char *dram, *said, *unit;
    } cases[] = {
        {"nan", "dram__throughput" ELAPSED " (its value is no share of a peak)", "%"},
        {"30", "dram__throughput" ELAPSED " (its value is no share of a peak)", "Gbyte"},
        {"inf", "dram__throughput" ELAPSED " (its value is no share of a peak)", "%"},
        {"-3", "dram__throughput" ELAPSED " (-3.0% of its peak, which is not credible)", "%"},
        {"150", "dram__throughput" ELAPSED " (150.0% of its peak, which is not credible)", "%"},
        {"n/a", NULL, "%"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct judged j;
        struct str text;
        str_init(&text);
        str_add(&text, ROW_HEADER CYCLES SHARE("Compute (SM) Throughput", "6") SHARE("L2 Cache Throughput", "88")
                           SHARE("L1/TEX Cache Throughput", "28") PIPES("3"));
        str_addf(&text, "0,k,,dram__throughput" ELAPSED ",%s,%s\n", cases[i].unit, cases[i].dram);
        judge(&j, str_text(&text));
        const struct bound *b = &j.analysis.bounds.items[0];
        assert_int_equal(b->class_, BOUND_INCONCLUSIVE);
        assert_int_equal(strstr(b->cause, "counters missing") != NULL, !cases[i].said);
        assert_true(!cases[i].said ||
                    (!strncmp(b->cause, "counted, but not taken: ", 24) && !strcmp(b->cause + 24, cases[i].said)));
        assert_int_equal(!strcmp(b->advice, "count again: a share is a number from 0% to 100% of its peak"),
                         cases[i].said != NULL);
        str_release(&text);
        judged_release(&j);
    }
}

/* L1 has 80% of the active cycles: 72% of the elapsed ones where nine tenths of these are active. */
static void cycles_that_contradict_decide_nothing(void **state)
{
    static const struct {
        const char *elapsed, *active, *duration_us;
        double l1;
    } cases[] = {
        {"1000", "900", "1", 0.72},   {"1000", "1010", "1", 0.80},  {"1000", "1100", "1", NAN},
        {"1000", "1e30", "1", NAN},   {"1000", "900", "0.05", NAN}, {"1e9", "900", "1", NAN},
        {"1000", "900", "n/a", 0.72}, {"0", "0", "1", NAN},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct judged j;
        struct str text;
        str_init(&text);
        str_addf(&text,
                 ROW_HEADER "0,k,,l1tex__throughput.avg.pct_of_peak_sustained_active,%%,80\n"
                            "0,k,,gpc__cycles_elapsed.max,cycle,%s\n"
                            "0,k,,sm__cycles_active.avg,cycle,%s\n"
                            "0,k,,gpu__time_duration.sum,us,%s\n",
                 cases[i].elapsed, cases[i].active, cases[i].duration_us);
        judge(&j, str_text(&text));
        const double l1 = counters_value(&j.launches.items[0].counters, "l1_share");
        if (isnan(cases[i].l1) ? !isnan(l1) : !near(l1, cases[i].l1))
            fail_msg("case %zu: %g", i, l1);
        str_release(&text);
        judged_release(&j);
    }
}

#define LAUNCH_HEADER                                                                                                  \
    "ID,Kernel Name,Grid Size,Block Size,launch__registers_per_thread,launch__waves_per_multiprocessor,"               \
    "device__attribute_multiprocessor_count,gpu__time_duration.sum,dram__throughput" ELAPSED "\n"                      \
    ",,,,,,,us,%\n"

/* What a launch cannot be is named, and not known then. */
static void impossible_launches_are_not_known(void **state)
{
    static const struct {
        const char *row, *said; /* NULL: nothing */
        double blocks, threads, registers, waves, sms;
    } cases[] = {
        {"\"(64, 2, 1)\",\"(256, 1, 1)\",32,0.5,132,10,5", NULL, 128, 256, 32, 0.5, 132},
        {"\"(-3, 1, 1)\",\"(256, 1, 1)\",32,0.5,132,10,5",
         "'Grid Size' is '(-3, 1, 1)', expected a whole number from 1 on", NAN, 256, 32, 0.5, 132},
        {"\"(-3, -1, 1)\",\"(256, 1, 1)\",32,0.5,132,10,5", "'Grid Size' is '(-3, -1, 1)'", NAN, 256, 32, 0.5, 132},
        {"\"(64, 0.5, 1)\",\"(256, 1, 1)\",32,0.5,132,10,5", "'Grid Size' is '(64, 0.5, 1)'", NAN, 256, 32, 0.5, 132},
        {"\"(64, 2, 1)\",\"(0, 1, 1)\",32,0.5,132,10,5",
         "'Block Size' is '(0, 1, 1)', expected a whole number from 1 to 1024", 128, NAN, 32, 0.5, 132},
        {"\"(64, 2, 1)\",\"(70000, 1, 1)\",32,0.5,132,10,5", "'Block Size' is '(70000, 1, 1)'", 128, NAN, 32, 0.5, 132},
        {"\"(64, 2, 1)\",\"(256, 1, 1)\",1e9,0.5,132,10,5", "'launch__registers_per_thread' is '1e9'", 128, 256, NAN,
         0.5, 132},
        {"\"(64, 2, 1)\",\"(256, 1, 1)\",32,nan,132,10,5", "'launch__waves_per_multiprocessor' is 'nan'", 128, 256, 32,
         NAN, 132},
        {"\"(64, 2, 1)\",\"(256, 1, 1)\",32,0.5,13.5,10,5", "'device__attribute_multiprocessor_count' is '13.5'", 128,
         256, 32, 0.5, NAN},
        {"\"(64, 2, 1)\",\"(256, 1, 1)\",32,0.5,132,-10,5",
         "'gpu__time_duration.sum' is '-10', expected more than 0 and at most a day", 128, 256, 32, 0.5, 132},
        {"\"(64, 2, 1)\",\"(256, 1, 1)\",32,0.5,132,0,5", "'gpu__time_duration.sum' is '0', expected", 128, 256, 32,
         0.5, 132},
        /* In us: a day, and 1 us more. */
        {"\"(64, 2, 1)\",\"(256, 1, 1)\",32,0.5,132,86400000000,5", NULL, 128, 256, 32, 0.5, 132},
        {"\"(64, 2, 1)\",\"(256, 1, 1)\",32,0.5,132,86400000001,5", "'gpu__time_duration.sum' is '86400000001'", 128,
         256, 32, 0.5, 132},
        {"\"(64, 2, 1)\",\"(256, 1, 1)\",32,0.5,132,10,-5",
         "t.csv:3: 'dram__throughput" ELAPSED "' is '-5', expected 0% to 100%; not taken", 128, 256, 32, 0.5, 132},
        /* ncu has these for a launch that failed. */
        {"\"(0, 0, 0)\",\"(0, 0, 0)\",n/a,n/a,132,nan,nan", NULL, NAN, NAN, NAN, NAN, 132},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct judged j;
        struct str text;
        str_init(&text);
        str_addf(&text, "%s0,k,%s\n1,k,%s\n", LAUNCH_HEADER, cases[i].row, cases[i].row);
        judge(&j, str_text(&text));
        const struct imported_launch *l = &j.launches.items[0];
        const double wanted[] = {cases[i].blocks, cases[i].threads, cases[i].registers, cases[i].waves, cases[i].sms};
        const double got[] = {l->resource.grid_blocks, l->resource.block_threads, l->resource.registers,
                              l->resource.waves, l->sm_count};
        for (size_t k = 0; k < COUNT(wanted); k++)
            if (isnan(wanted[k]) ? !isnan(got[k]) : !near(wanted[k], got[k]))
                fail_msg("case %zu: %zu is %g", i, k, got[k]);
        const double duration_ns = counters_value(&l->counters, "duration");
        assert_true(isnan(duration_ns) || (duration_ns > 0 && duration_ns <= 86400e9));
        assert_int_equal(j.launches.caveats.count, cases[i].said != NULL); /* once for both launches */
        assert_true(!cases[i].said || (strstr(j.launches.caveats.items[0].text, cases[i].said) &&
                                       j.launches.caveats.items[0].kind == CAVEAT_WEAKENS));
        str_release(&text);
        judged_release(&j);
    }
}

/* Rows of launches may be mixed, tables may follow each other, and processes count from 0 each. */
static void launches_are_told_apart(void **state)
{
    static const char text[] = "ID,Process ID,Kernel Name,Metric Name,Metric Unit,Metric Value\n"
                               "0,7,a,gpu__time_duration.sum,us,1\n"
                               "1,7,a,gpu__time_duration.sum,us,2\n"
                               "0,8,a,gpu__time_duration.sum,us,3\n"
                               "0,7,a,dram__bytes_read.sum,Kbyte,4\n"
                               "==PROF== Disconnected from process 8\n"
                               "\n"
                               "result: 42\n"
                               "ID,Process ID,Kernel Name,gpu__time_duration.sum,dram__bytes_read.sum,Grid Size\n"
                               ",,,ns,byte,\n"
                               "1,7,a,2500,6,\"(4, 3, 2)\"\n"
                               "5,9,b,7,8,\"(4, x)\"\n";
    static const struct {
        const char *id, *process;
        double duration, bytes, blocks;
    } wanted[] = {
        {"0", "7", 1000, 4000, NAN}, {"1", "7", NAN, 6, NAN}, {"0", "8", 3000, NAN, NAN}, {"5", "9", 7, 8, NAN}};
    struct judged j;
    (void)state;
    judge(&j, text);
    assert_int_equal(j.launches.count, COUNT(wanted));
    for (size_t i = 0; i < COUNT(wanted); i++) {
        const struct imported_launch *l = &j.launches.items[i];
        const double bytes = counters_value(&l->counters, "dram_read");
        assert_string_equal(l->id, wanted[i].id);
        assert_string_equal(l->process_id, wanted[i].process);
        const double duration_ns = counters_value(&l->counters, "duration");
        assert_true(isnan(wanted[i].duration) ? isnan(duration_ns) : near(duration_ns, wanted[i].duration));
        assert_true(isnan(wanted[i].bytes) ? isnan(bytes) : near(bytes, wanted[i].bytes));
        assert_true(isnan(l->resource.grid_blocks)); /* of the first row of a launch, and "(4, x)" is no grid */
    }
    assert_int_equal(j.launches.caveats.count, 2);
    assert_string_equal(j.launches.caveats.items[0].text,
                        "t.csv:11: 'gpu__time_duration.sum' is '2500', and the launch "
                        "has another value of it; neither is taken");
    assert_string_equal(j.launches.caveats.items[1].text, "t.csv: 1 line behind the header is no row and not read");
    judged_release(&j);
}

#define LACKING_HEADER                                                                                                 \
    "ID,Kernel Name,CC,dram__throughput" ELAPSED ",gpu__dram_throughput" ELAPSED ",lts__t_sector_hit_rate.pct\n"       \
    ",,,%,%,%\n"

/* Shares that are none are named, once for each column, but not of launches that failed. So are those that a launch
 * lacks and others of its table and chip have. */
static void shares_in_doubt_are_named(void **state)
{
    static const char none[] = ", expected 0% to 100%; not taken, like all such values of it";
    static const char lacks[] = " has no value of 'dram__throughput" ELAPSED "', which other launches have";
    static const struct {
        const char *rows, *place; /* NULL: nothing is said */
        const char *said;
        double dram; /* of the last launch */
    } cases[] = {
        {"0,k,9.0,50,51,9\n1,k,9.0,60,61,9\n", NULL, NULL, 0.60},
        {"0,k,9.0,nan,51,9\n", "t.csv:3: 'dram__throughput" ELAPSED "' is 'nan'", none, NAN},
        {"0,k,9.0,50,51,9\n1,k,9.0,inf,51,9\n", "t.csv:4: 'dram__throughput" ELAPSED "' is 'inf'", none, NAN},
        {"0,k,9.0,250,51,9\n1,k,9.0,-5,51,9\n", "t.csv:3: 'dram__throughput" ELAPSED "' is '250'", none, NAN},
        {"0,k,9.0,1e308,51,9\n", "t.csv:3: 'dram__throughput" ELAPSED "' is '1e308'", none, NAN},
        /* The number has another name. */
        {"0,k,9.0,n/a,250,9\n", "t.csv:3: 'gpu__dram_throughput" ELAPSED "' is '250'", none, NAN},
        /* No sector was asked for. */
        {"0,k,9.0,0,0,nan\n", NULL, NULL, 0},
        {"0,k,9.0,50,51,-1\n", "t.csv:3: 'lts__t_sector_hit_rate.pct' is '-1'", none, 0.50},
        /* A launch that failed says nothing of the column. */
        {"0,k,9.0,nan,nan,nan\n", NULL, NULL, NAN},
        {"0,k,9.0,nan,nan,nan\n1,k,9.0,-7,51,9\n", "t.csv:4: 'dram__throughput" ELAPSED "' is '-7'", none, NAN},
        {"0,k,9.0,50,51,9\n1,k,9.0,nan,n/a,nan\n", NULL, NULL, NAN},
        {"0,k,9.0,50,51,9\n1,k,9.0,,51,9\n2,k,9.0,,51,9\n", "t.csv:4: launch 1", lacks, 0.51},
        {"0,k,9.0,n/a,51,9\n1,k,9.0,50,51,9\n", "t.csv:3: launch 0", lacks, 0.50},
        /* No launch has it; a chip without it; another table. */
        {"0,k,9.0,,51,9\n1,k,9.0,,52,9\n", NULL, NULL, 0.52},
        {"0,k,9.0,50,51,9\n1,k,12.1,n/a,51,9\n", NULL, NULL, 0.51},
        {"0,k,9.0,50,51,9\n" LACKING_HEADER "1,k,9.0,,51,9\n", NULL, NULL, 0.51},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct judged j;
        struct str text, said;
        str_init(&text);
        str_init(&said);
        str_addf(&text, "%s%s", LACKING_HEADER, cases[i].rows);
        judge(&j, str_text(&text));
        const struct counters *last = &j.launches.items[j.launches.count - 1].counters;
        const double dram = counters_share(last, metric_by_id("dram_share"));
        if (isnan(cases[i].dram) ? !isnan(dram) : !near(dram, cases[i].dram))
            fail_msg("case %zu: dram %g", i, dram);
        assert_int_equal(j.launches.caveats.count, cases[i].said != NULL);
        if (cases[i].said) {
            str_addf(&said, "%s%s", cases[i].place, cases[i].said);
            assert_string_equal(j.launches.caveats.items[0].text, str_text(&said));
            assert_int_equal(j.launches.caveats.items[0].kind, CAVEAT_WEAKENS);
        }
        str_release(&text);
        str_release(&said);
        judged_release(&j);
    }
}

/* Rows of launches whose units are all at 10%, without a counter; the last launch lacks one more. */
static void add_launches(struct str *out, size_t launches, const char *lacking, const char *uncounted)
{
    static const char *const others[] = {"sm_throughput", "memory_throughput", "issue_share", "l2_hit_ratio"};
    size_t count;
    const struct metric *metrics = metrics_known(&count);
    str_add(out, "ID,Kernel Name,CC,Metric Name,Metric Unit,Metric Value\n");
    for (size_t launch = 0; launch < launches; launch++)
        for (size_t i = 0; i < count; i++) {
            bool is_there = metrics[i].role == METRIC_COMPUTE || metrics[i].role == METRIC_MEMORY;
            for (size_t k = 0; k < COUNT(others); k++)
                is_there |= !strcmp(metrics[i].id, others[k]);
            if (is_there && strcmp(metrics[i].id, uncounted) != 0 &&
                (launch + 1 < launches || strcmp(metrics[i].id, lacking) != 0))
                str_addf(out, "%zu,k,9.0,%s,%%,10\n", launch, metrics[i].name);
        }
}

/* One counter of a unit that has two does not say how busy it is, when another launch of the file has both. The launch
 * alone has its verdict, as nothing says that the other one was counted. */
static void a_unit_that_is_lacking_is_not_known(void **state)
{
    static const struct {
        const char *lacking, *uncounted;
        enum bound_class alone, class_; /* of a file with this launch, and of one with another launch */
        bool is_named;
    } cases[] = {
        {"fma_share", "sm_throughput", BOUND_LATENCY, BOUND_INCONCLUSIVE, true},
        /* SM throughput limits the pipe. */
        {"fma_share", "", BOUND_LATENCY, BOUND_LATENCY, true},
        {"l2_share", "", BOUND_INCONCLUSIVE, BOUND_INCONCLUSIVE, true},
        {"sm_throughput", "", BOUND_LATENCY, BOUND_INCONCLUSIVE, true},
        {"l2_hit_ratio", "", BOUND_LATENCY, BOUND_LATENCY, false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (size_t launches = 1; launches <= 2; launches++) {
            struct judged j;
            struct str text;
            str_init(&text);
            add_launches(&text, launches, cases[i].lacking, cases[i].uncounted);
            judge(&j, str_text(&text));
            const struct bound *b = &j.analysis.bounds.items[launches - 1];
            if (b->class_ != (launches == 1 ? cases[i].alone : cases[i].class_))
                fail_msg("case %zu, %zu launches: %s: %s", i, launches, bound_class_name(b->class_), b->cause);
            assert_int_equal(j.launches.caveats.count, launches == 2 && cases[i].is_named);
            assert_true(b->class_ != BOUND_INCONCLUSIVE || strstr(b->cause, metric_by_id(cases[i].lacking)->name));
            str_release(&text);
            judged_release(&j);
        }
    }
}

/* Two columns of one name with two values: neither is taken, nor a third one. */
static void two_values_of_one_name_decide_nothing(void **state)
{
    static const struct {
        const char *first, *second, *third;
        double dram;
    } cases[] = {{"50", "50", "50", 0.50}, {"50", "60", "50", NAN}, {"50", "50", "60", NAN},
                 {"50", "", "n/a", 0.50},  {"", "50", "50", 0.50},  {"50", "nan", "", NAN}};
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct judged j;
        struct str text;
        str_init(&text);
        str_add(&text, "ID,Kernel Name,dram__throughput" ELAPSED ",dram__throughput" ELAPSED ",dram__throughput" ELAPSED
                       "\n,,%,%,%\n");
        str_addf(&text, "0,k,%s,%s,%s\n", cases[i].first, cases[i].second, cases[i].third);
        judge(&j, str_text(&text));
        const double dram = counters_value(&j.launches.items[0].counters, "dram_share");
        if (isnan(cases[i].dram) ? !isnan(dram) : !near(dram, cases[i].dram))
            fail_msg("case %zu: dram %g", i, dram);
        assert_int_equal(j.launches.caveats.count, isnan(cases[i].dram));
        assert_true(!isnan(cases[i].dram) ||
                    strstr(j.launches.caveats.items[0].text, "and the launch has another value"));
        str_release(&text);
        judged_release(&j);
    }
}

/* What stands for the same number: its own name goes first, then the first that came. */
static void own_names_go_first(void **state)
{
    static const char text[] =
        ROW_HEADER "0,k,GPU Speed Of Light Throughput,DRAM Throughput,%,10\n"
                   "0,k,Command line profiler metrics,dram__throughput.avg.pct_of_peak_sustained_elapsed,%,20\n"
                   "0,k,GPU Speed Of Light Throughput,DRAM Throughput,%,30\n"
                   "0,k,GPU Speed Of Light Throughput,L2 Cache Throughput,%,40\n"
                   "0,k,GPU Speed Of Light Throughput,lts__throughput,%,50\n";
    struct judged j;
    (void)state;
    judge(&j, text);
    assert_true(near(counters_value(&j.launches.items[0].counters, "dram_share"), 0.20));
    assert_true(near(counters_value(&j.launches.items[0].counters, "l2_share"), 0.40));
    judged_release(&j);
}

static void launches_are_bounded(void **state)
{
    struct str text;
    struct imported_launches list;
    struct err e = {0};
    (void)state;
    str_init(&text);
    str_add(&text, "ID,Kernel Name,gpu__time_duration.sum\n,,ns\n");
    for (int i = 0; i <= IMPORTED_LAUNCHES_MAX; i++)
        str_addf(&text, "%d,k,1\n", i);
    assert_int_equal(read_text(text.text, text.length, &list, &e), 0);
    assert_int_equal(list.count, IMPORTED_LAUNCHES_MAX);
    assert_true(caveat_has(&list.caveats, CAVEAT_TRUNCATED));
    assert_non_null(strstr(list.caveats.items[0].text, "t.csv:65539: more than 65536 launches; choose some"));
    imported_launches_release(&list);
    str_release(&text);
}

static void names_are_bounded(void **state)
{
    enum { NAME_BYTES = 1000 * 1000, NAMES = 140 };
    struct str text;
    struct imported_launches list;
    struct err e = {0};
    (void)state;
    str_init(&text);
    str_add(&text, "ID,Kernel Name,gpu__time_duration.sum\n,,ns\n");
    for (int i = 0; i < NAMES; i++)
        str_addf(&text, "%d,%0*d,1\n", i, NAME_BYTES, i);
    assert_int_equal(read_text(text.text, text.length, &list, &e), 0);
    assert_true(list.count > 100 && list.count < NAMES);
    assert_true(caveat_has(&list.caveats, CAVEAT_TRUNCATED));
    assert_non_null(strstr(list.caveats.items[0].text, "names take more than 128 MiB"));
    imported_launches_release(&list);
    str_release(&text);
}

#define SAID(text) "0,k,SpeedOfLight,,,,SOLBottleneck," text "\n"

static void ncu_beside_ours(void **state)
{
    static const struct {
        const char *rows;
        int agrees;
        const char *words;
    } cases[] = {
        {SPEED("6", "82", "82", "88", "28") SAID("is utilizing greater than 80.0%"), 1,
         "Nsight Compute's rule gives High Throughput, as it said in the file."},
        {SPEED("6", "82", "82", "88", "28"), -1, "Nsight Compute's rule gives High Throughput."},
        /* 79.998 would print as 80.00 and was below the limit. */
        {SPEED("6", "80.00", "80.00", "78", "28") SAID("Memory is more heavily utilized than Compute"), 0,
         "Nsight Compute's rule gives High Throughput, but in the file it said High Memory Throughput: the numbers are rounded, "
         "and lie on a boundary."},
        {SPEED("6", "82", "82", "88", "28") SAID("Compute and Memory are well-balanced"), 0,
         "Nsight Compute's rule gives High Throughput, but in the file it said Balanced Throughput: its version has other limits, "
         "or it saw other numbers."},
        {SHARE("DRAM Throughput", "82") SAID("is utilizing greater than 80.0%"), -1,
         "Nsight Compute said High Throughput; the file lacks the numbers to repeat its rule."},
        {SHARE("DRAM Throughput", "82"), -1, ""},
        /* No unit that is known is above 50%, and SM throughput is 85%: no verdict of ours that could differ. */
        {SPEED("85", "20", "20", "20", "28") PIPES("3") ISSUE("50")
             HIGHEST("FMA is the highest-utilized pipeline (50%) based on elapsed cycles"),
         -1, "Nsight Compute's rule gives High Throughput."},
        {SPEED("66", "20", "20", "20", "28") PIPES("3") ISSUE("50")
             HIGHEST("FMA is the highest-utilized pipeline (58%) based on elapsed cycles"),
         -1,
         "Nsight Compute's rule gives High Compute Throughput. The verdict here is latency-bound. Its SM throughput (66.0%) counts "
         "load/store and other pipes, too; the busiest arithmetic pipe or the issue slots are busy less: 58.0%. Its memory throughput (20.0%) is of "
         "other parts of the memory system; the busiest memory unit is busy more: 25.2%."},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct judged j;
        struct str text, words;
        str_init(&text);
        str_init(&words);
        str_addf(&text, "%s%s%s", ROW_HEADER, CYCLES, cases[i].rows);
        judge(&j, str_text(&text));
        assert_int_equal(ncu_agrees(&j.analysis.bounds.items[0]), cases[i].agrees);
        ncu_words_add(&words, &j.analysis.thresholds, &j.analysis.bounds.items[0]);
        assert_string_equal(str_text(&words), cases[i].words);
        str_release(&text);
        str_release(&words);
        judged_release(&j);
    }
}

#define FMA(share) HIGHEST("FMA is the highest-utilized pipeline (" share "%) based on elapsed cycles")

/* What is there twice is compared before there is a verdict. */
static void contradictions_decide_nothing(void **state)
{
    static const struct {
        const char *rows, *said; /* NULL: nothing */
        enum bound_class class_;
    } cases[] = {
        {SPEED("52", "95", "95", "95", "28") FMA("50"), NULL, BOUND_MEMORY},
        {SPEED("0.5", "95", "95", "95", "28") FMA("50"), "fma at 50.0%, and SM throughput, which includes it, at 0.5%",
         BOUND_INCONCLUSIVE},
        /* 50 - 48 are two points, as between passes. */
        {SPEED("48", "95", "95", "95", "28") FMA("50"), NULL, BOUND_MEMORY},
        {SPEED("47.9", "95", "95", "95", "28") FMA("50"), "fma at 50.0%, and SM throughput", BOUND_INCONCLUSIVE},
        /* 0.9 x 70%. */
        {SPEED("60", "95", "95", "95", "28") FMA("50") ISSUE("70"),
         "issue slots at 63.0%, and SM throughput, which includes them, at 60.0%", BOUND_INCONCLUSIVE},
        {SPEED("6", "50", "95", "50", "28"), "dram at 95.0%, and memory throughput, which includes it, at 50.0%",
         BOUND_INCONCLUSIVE},
        /* L1 has 28% of the active 90% of the cycles. */
        {SPEED("6", "40", "40", "40", "28") PIPES("3") RAW("l1tex__data_pipe_lsu_wavefronts", "27"), NULL,
         BOUND_LATENCY},
        {SPEED("6", "40", "40", "40", "28") PIPES("3") RAW("l1tex__data_pipe_lsu_wavefronts", "28"),
         "L1's data stage at 28.0%, and L1 throughput, which includes it, at 25.2%", BOUND_INCONCLUSIVE},
        {SPEED("6", "40", "40", "40", "28") PIPES("3") RAW(SHARED, "28"),
         "shared at 28.0%, and L1 throughput, which includes it, at 25.2%", BOUND_INCONCLUSIVE},
        /* L2 may be above. */
        {SPEED("6", "82", "82", "95", "28"), NULL, BOUND_MEMORY},
        {SPEED("0.5", "64.8", "64.8", "64.8", "28") PIPES("3") SAID("Compute and Memory are well-balanced"),
         "Nsight Compute's rule said Balanced Throughput, which it does not say of SM throughput 0.5% and memory throughput "
         "64.8%",
         BOUND_INCONCLUSIVE},
        {SPEED("54", "64.8", "64.8", "64.8", "28") PIPES("3") SAID("Compute and Memory are well-balanced"), NULL,
         BOUND_MEMORY},
        {SPEED("6", "82", "82", "88", "28") SAID("grid is too small to fill"), "said Small Grid", BOUND_INCONCLUSIVE},
        {SPEED("6", "20", "20", "20", "28") SAID("grid is too small to fill"), NULL, BOUND_LATENCY},
        {SPEED("6", "80.00", "80.00", "78", "28") SAID("Memory is more heavily utilized than Compute"), NULL,
         BOUND_MEMORY},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct judged j;
        struct str text;
        str_init(&text);
        str_addf(&text, "%s%s%s", ROW_HEADER, CYCLES, cases[i].rows);
        judge(&j, str_text(&text));
        const struct bound *b = &j.analysis.bounds.items[0];
        if (b->class_ != cases[i].class_)
            fail_msg("case %zu: %s: %s", i, bound_class_name(b->class_), b->cause);
        assert_int_equal(!strncmp(b->cause, "the file contradicts itself: ", 29), cases[i].said != NULL);
        if (cases[i].said) {
            assert_non_null(strstr(b->cause, cases[i].said));
            assert_string_equal(b->lean, "");
            assert_string_equal(b->advice, "count again: the numbers of one launch must agree");
        }
        str_release(&text);
        judged_release(&j);
    }
}

/* Where the grid and the block are: a column of dimensions, and a number. */
static void dimensions_must_agree(void **state)
{
    static const struct {
        const char *blocks, *threads;
        double grid, block;
    } cases[] = {
        {"128", "256", 128, 256}, {"127.5", "256", 128, 256}, {"64", "256", NAN, 256}, {"128", "1024", 128, NAN}};
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct judged j;
        struct str text;
        str_init(&text);
        str_addf(&text,
                 "ID,Kernel Name,Grid Size,Block Size,launch__grid_size,launch__block_size\n,,,,,\n"
                 "0,k,\"(64, 2, 1)\",\"(256, 1, 1)\",%s,%s\n",
                 cases[i].blocks, cases[i].threads);
        judge(&j, str_text(&text));
        const struct resource *r = &j.launches.items[0].resource;
        assert_true(isnan(cases[i].grid) ? isnan(r->grid_blocks) : near(r->grid_blocks, cases[i].grid));
        assert_true(isnan(cases[i].block) ? isnan(r->block_threads) : near(r->block_threads, cases[i].block));
        assert_int_equal(j.launches.caveats.count, isnan(cases[i].grid) || isnan(cases[i].block) || i == 1);
        str_release(&text);
        judged_release(&j);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_that_is_not_there_is_an_input_error),
        cmocka_unit_test(numbers),
        cmocka_unit_test(units),
        cmocka_unit_test(names),
        cmocka_unit_test(rules),
        cmocka_unit_test(limits_decide),
        cmocka_unit_test(the_unit_of_a_compute_bound_may_be_open),
        cmocka_unit_test(units_of_tcgen05),
        cmocka_unit_test(a_part_of_a_unit_is_not_the_unit),
        cmocka_unit_test(a_rule_says_how_many_sms_there_are),
        cmocka_unit_test(a_share_may_be_a_limit),
        cmocka_unit_test(ncu_may_have_recorded_nothing),
        cmocka_unit_test(the_command_that_settles_it),
        cmocka_unit_test(what_is_not_credible_was_counted),
        cmocka_unit_test(impossible_launches_are_not_known),
        cmocka_unit_test(cycles_that_contradict_decide_nothing),
        cmocka_unit_test(launches_are_told_apart),
        cmocka_unit_test(shares_in_doubt_are_named),
        cmocka_unit_test(a_unit_that_is_lacking_is_not_known),
        cmocka_unit_test(two_values_of_one_name_decide_nothing),
        cmocka_unit_test(own_names_go_first),
        cmocka_unit_test(launches_are_bounded),
        cmocka_unit_test(names_are_bounded),
        cmocka_unit_test(ncu_beside_ours),
        cmocka_unit_test(contradictions_decide_nothing),
        cmocka_unit_test(dimensions_must_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
