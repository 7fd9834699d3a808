/* What bounds a launch of which a CSV of Nsight Compute has some counters, or some that contradict each other? */
#define _GNU_SOURCE
#include "tests/unit/ncu_table.h"

#include "analyzers/bounds/ncu_words.h"

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
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
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
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
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
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
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
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
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
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
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
        /* Empty cells, and no value of anything, not even of what nobody here uses. */
        {SHARE("DRAM Throughput", ""), true},
        {SHARE("DRAM Throughput", "") SHARE("A metric of tomorrow", "5"), false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
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

#define GRID(blocks, sms)                                                                                              \
    "0,k,Launch Statistics,Grid Size,," blocks "\n0,k,Launch Statistics,Block Size,,128\n"                             \
    "0,k,Launch Statistics,# SMs,SM," sms "\n"

/* Units of an SM are as busy as the part of the SMs that has a block, at most; memory that all share 32 times as much.
 * 60% make another class. */
static void few_blocks_decide_without_units(void **state)
{
    static const struct {
        const char *rows;
        enum bound_class class_;
    } cases[] = {
        {GRID("1", "114") SHARE("DRAM Throughput", "0.1"), BOUND_LATENCY},
        {GRID("1", "114") SHARE("Compute (SM) Throughput", "0.5"), BOUND_LATENCY}, /* memory: 32/114 = 28% */
        {GRID("2", "114") SHARE("Compute (SM) Throughput", "0.5"), BOUND_LATENCY}, /* 56% */
        {GRID("3", "114") SHARE("Compute (SM) Throughput", "0.5"), BOUND_INCONCLUSIVE},
        {GRID("57", "114") SHARE("DRAM Throughput", "5") SHARE("L2 Cache Throughput", "5"), BOUND_LATENCY},
        {GRID("80", "114") SHARE("DRAM Throughput", "5") SHARE("L2 Cache Throughput", "5"), BOUND_INCONCLUSIVE},
        {GRID("1", "114") SHARE("Compute (SM) Throughput", "50"), BOUND_INCONCLUSIVE}, /* the grid of something else */
        {GRID("1", "114"), BOUND_INCONCLUSIVE},                                        /* nothing counted */
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct judged j;
        struct str text;
        str_init(&text);
        str_addf(&text, "%s%s", ROW_HEADER, cases[i].rows);
        judge(&j, str_text(&text));
        const struct bound *b = &j.analysis.bounds.items[0];
        if (b->class_ != cases[i].class_ || (b->class_ == BOUND_LATENCY && strcmp(b->bound_by, "small-grid") != 0))
            fail_msg("case %zu: %s, %s", i, bound_class_name(b->class_), b->cause);
        str_release(&text);
        judged_release(&j);
    }
}

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
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct judged j;
        struct str text, advice;
        str_init(&text);
        str_init(&advice);
        const bool has_header = cases[i].rows[0] == 'I';
        str_addf(&text, "%s%s%s", has_header ? "" : ROW_HEADER, *cases[i].set ? CYCLES : "", cases[i].rows);
        if (*cases[i].set) /* a page of details shows some of what the report has */
            str_add(&advice, "read the raw page of the same report, which has more: ncu --import REPORT.ncu-rep --csv "
                             "--page raw; where that leaves it open, too, ");
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
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
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
            for (size_t k = 0; k < COUNT_OF(others); k++)
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
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
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
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
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
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_decide),
        cmocka_unit_test(the_unit_of_a_compute_bound_may_be_open),
        cmocka_unit_test(units_of_tcgen05),
        cmocka_unit_test(a_part_of_a_unit_is_not_the_unit),
        cmocka_unit_test(a_rule_says_how_many_sms_there_are),
        cmocka_unit_test(a_share_may_be_a_limit),
        cmocka_unit_test(ncu_may_have_recorded_nothing),
        cmocka_unit_test(few_blocks_decide_without_units),
        cmocka_unit_test(the_command_that_settles_it),
        cmocka_unit_test(what_is_not_credible_was_counted),
        cmocka_unit_test(a_unit_that_is_lacking_is_not_known),
        cmocka_unit_test(ncu_beside_ours),
        cmocka_unit_test(contradictions_decide_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
