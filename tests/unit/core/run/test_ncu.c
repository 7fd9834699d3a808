/* Does the CSV of Nsight Compute mean what we read in it? */
#define _GNU_SOURCE
#include "tests/unit/ncu_table.h"

#include "core/run/ncu/ncu_names.h"
#include "core/run/ncu/ncu_rules.h"
#include "core/run/ncu/ncu_value.h"

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
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
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
        {"", UNIT_RATIO, 0.01}, /* ncu has no shares but per cent */
        {"", UNIT_NS, 1},
        {"", UNIT_BYTES_PER_S, 1},
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
    assert_true(ncu_unit_is_missing("", UNIT_NS) && !ncu_unit_is_missing("", UNIT_COUNT));
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
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
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
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
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct ncu_said said = ncu_rule_read(cases[i].rule, cases[i].text);
        const char *const got[] = {said.headline, said.pipe, said.stall};
        const char *const wanted[] = {cases[i].headline, cases[i].pipe, cases[i].stall};
        for (size_t k = 0; k < COUNT_OF(got); k++)
            if (!got[k] != !wanted[k] || (got[k] && strcmp(got[k], wanted[k])))
                fail_msg("'%s' says '%s'", cases[i].text, got[k] ? got[k] : "nothing");
        assert_int_equal(said.has_pipe, !isnan(cases[i].share));
        assert_true(!said.has_pipe ||
                    (near(said.pipe_share, cases[i].share) && said.pipe_over_active == cases[i].active));
        assert_true(!said.stall || near(said.stall_cycles, cases[i].cycles));
    }
}

/* ---- whole tables ---- */

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
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
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
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct judged j;
        struct str text;
        str_init(&text);
        str_addf(&text, "%s0,k,%s\n1,k,%s\n", LAUNCH_HEADER, cases[i].row, cases[i].row);
        judge(&j, str_text(&text));
        const struct imported_launch *l = &j.launches.items[0];
        const double wanted[] = {cases[i].blocks, cases[i].threads, cases[i].registers, cases[i].waves, cases[i].sms};
        const double got[] = {l->resource.grid_blocks, l->resource.block_threads, l->resource.registers,
                              l->resource.waves, l->sm_count};
        for (size_t k = 0; k < COUNT_OF(wanted); k++)
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
    assert_int_equal(j.launches.count, COUNT_OF(wanted));
    for (size_t i = 0; i < COUNT_OF(wanted); i++) {
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

/* A number without a unit is in base units, unless it has what ncu adds when it scales. One line tells of all. */
static void numbers_without_units(void **state)
{
    static const struct {
        const char *duration, *bytes; /* cells */
        double duration_ns;
        const char *said[2];
    } cases[] = {
        {"535,296",
         "1,073",
         535296,
         {"t.csv:3: 'gpu__time_duration.sum' has no unit there: taken to be in its base "
          "unit; so it is with 2 more numbers"}},
        {"535.00",
         "1,073",
         NAN,
         {"t.csv:3: 'dram__bytes_read.sum' has no unit there: taken to be in its base unit; so "
          "it is with 1 more number",
          "t.csv:3: 'gpu__time_duration.sum' is in '', which is no unit of it; not used"}},
        {"535.30",
         "1,073",
         NAN,
         {"t.csv:3: 'dram__bytes_read.sum' has no unit there: taken to be in its base unit; so "
          "it is with 1 more number",
          "t.csv:3: 'gpu__time_duration.sum' is in '', which is no unit of it; not used"}},
        {"n/a", "", NAN, {"t.csv:3: 'dram__throughput" ELAPSED "' has no unit there: taken to be in %"}},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct imported_launches launches;
        struct err e = {0};
        struct str text;
        str_init(&text);
        str_addf(&text,
                 "ID,Kernel Name,gpu__time_duration.sum,dram__bytes_read.sum,dram__throughput" ELAPSED
                 "\n,,,,\n0,k,\"%s\",\"%s\",82.5\n",
                 cases[i].duration, cases[i].bytes);
        assert_int_equal(read_text(str_text(&text), text.length, &launches, &e), 0);
        const struct counters *c = &launches.items[0].counters;
        assert_true(near(counters_share(c, metric_by_id("dram_share")), 0.825));
        const double duration = counters_value(c, "duration");
        assert_true(isnan(cases[i].duration_ns) ? !(duration > 0) : near(duration, cases[i].duration_ns));
        for (size_t k = 0; k < 2; k++) {
            if (cases[i].said[k] && !caveat_says(&launches.caveats, cases[i].said[k]))
                fail_msg("case %zu: %s", i, launches.caveats.count ? launches.caveats.items[0].text : "nothing said");
        }
        assert_int_equal(launches.caveats.count, cases[i].said[1] ? 2 : 1);
        str_release(&text);
        imported_launches_release(&launches);
    }
}

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
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
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

/* Two columns of one name with two values: neither is taken, nor a third one. */
static void two_values_of_one_name_decide_nothing(void **state)
{
    static const struct {
        const char *first, *second, *third;
        double dram;
    } cases[] = {{"50", "50", "50", 0.50}, {"50", "60", "50", NAN}, {"50", "50", "60", NAN},
                 {"50", "", "n/a", 0.50},  {"", "50", "50", 0.50},  {"50", "nan", "", NAN}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
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

/* Where the grid and the block are: a column of dimensions, and a number. */
static void dimensions_must_agree(void **state)
{
    static const struct {
        const char *blocks, *threads;
        double grid, block;
    } cases[] = {
        {"128", "256", 128, 256}, {"127.5", "256", 128, 256}, {"64", "256", NAN, 256}, {"128", "1024", 128, NAN}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
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
        cmocka_unit_test(cycles_that_contradict_decide_nothing),
        cmocka_unit_test(impossible_launches_are_not_known),
        cmocka_unit_test(launches_are_told_apart),
        cmocka_unit_test(numbers_without_units),
        cmocka_unit_test(shares_in_doubt_are_named),
        cmocka_unit_test(two_values_of_one_name_decide_nothing),
        cmocka_unit_test(own_names_go_first),
        cmocka_unit_test(launches_are_bounded),
        cmocka_unit_test(names_are_bounded),
        cmocka_unit_test(dimensions_must_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
