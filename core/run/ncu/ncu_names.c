/* Which of our numbers is in this row or column of Nsight Compute? */
#include "core/run/ncu/ncu_names.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/count_of.h"
#include "core/gpu/other_units.h"

#define ELAPSED     ".avg.pct_of_peak_sustained_elapsed"
#define ELAPSED_SUM ".sum.pct_of_peak_sustained_elapsed"

/* The beginnings of section names: "GPU Speed Of Light" gained "Throughput" in 2021. */
#define SPEED     "GPU Speed Of Light"
#define SCHEDULER "Scheduler Statistics"
#define WARPS     "Warp State Statistics"
#define MEMORY    "Memory Workload Analysis"
#define LAUNCH    "Launch Statistics"
#define OCCUPANCY "Occupancy"

enum { NAME_BYTES_MAX = 256 };

/* Other names of our counters. A name may be in several sections with different meanings ("Memory Throughput": a share,
 * and bytes per second). */
static const struct {
    const char *section; /* NULL: any */
    const char *name;
    const char *id; /* an id of core/gpu/metrics.c */
} counters[] = {
    {SPEED, "Compute (SM) Throughput", METRIC_SM_THROUGHPUT},
    {SPEED, "Compute (SM) [%]", METRIC_SM_THROUGHPUT},
    {SPEED, "SM [%]", METRIC_SM_THROUGHPUT},
    {SPEED, "Memory Throughput", METRIC_MEMORY_THROUGHPUT},
    {SPEED, "Memory [%]", METRIC_MEMORY_THROUGHPUT},
    {SPEED, "DRAM Throughput", METRIC_DRAM_SHARE},
    {SPEED, "SOL DRAM", METRIC_DRAM_SHARE},
    {SPEED, "L2 Cache Throughput", METRIC_L2_SHARE},
    {SPEED, "SOL L2 Cache", METRIC_L2_SHARE},
    {SPEED, "Elapsed Cycles", METRIC_ELAPSED_CYCLES},
    {SPEED, "SM Active Cycles", METRIC_ACTIVE_CYCLES},
    {SPEED, "Duration", METRIC_DURATION},
    {SCHEDULER, "One or More Eligible", METRIC_ISSUE_ACTIVE},
    {WARPS, "Warp Cycles Per Issued Instruction", METRIC_WARP_LATENCY},
    {MEMORY, "L2 Hit Rate", METRIC_L2_HIT_RATIO},
    {"Instruction Statistics", "Executed Instructions", METRIC_INSTRUCTIONS},
    {OCCUPANCY, "Achieved Occupancy", METRIC_ACHIEVED_OCCUPANCY},
    {OCCUPANCY, "Achieved Active Warps Per SM", METRIC_WARPS_PER_SM},
    /* Names of the same counter on newer chips and in newer sections. */
    {NULL, "gpu__dram_throughput" ELAPSED, METRIC_DRAM_SHARE},
    {NULL, "sm__issue_active" ELAPSED, METRIC_ISSUE_SHARE},
};

static const struct {
    const char *section;
    const char *name;
    enum ncu_fact fact;
} facts[] = {
    {SPEED, "L1/TEX Cache Throughput", NCU_L1_ACTIVE_SHARE},
    {SPEED, "SOL L1/TEX Cache", NCU_L1_ACTIVE_SHARE},
    {NULL, "l1tex__throughput.avg.pct_of_peak_sustained_active", NCU_L1_ACTIVE_SHARE},
    {MEMORY, "Mem Pipes Busy", NCU_MEMORY_PIPES},
    {NULL, "sm__memory_throughput" ELAPSED, NCU_MEMORY_PIPES},
    {LAUNCH, "Grid Size", NCU_GRID_BLOCKS},
    {NULL, "launch__grid_size", NCU_GRID_BLOCKS},
    {LAUNCH, "Block Size", NCU_BLOCK_THREADS},
    {NULL, "launch__block_size", NCU_BLOCK_THREADS},
    {LAUNCH, "Registers Per Thread", NCU_REGISTERS},
    {NULL, "launch__registers_per_thread", NCU_REGISTERS},
    {LAUNCH, "Static Shared Memory Per Block", NCU_SHARED_STATIC},
    {NULL, "launch__shared_mem_per_block_static", NCU_SHARED_STATIC},
    {LAUNCH, "Dynamic Shared Memory Per Block", NCU_SHARED_DYNAMIC},
    {NULL, "launch__shared_mem_per_block_dynamic", NCU_SHARED_DYNAMIC},
    {OCCUPANCY, "Theoretical Occupancy", NCU_OCCUPANCY},
    {NULL, "sm__maximum_warps_per_active_cycle_pct", NCU_OCCUPANCY},
    {LAUNCH, "Waves Per SM", NCU_WAVES},
    {NULL, "launch__waves_per_multiprocessor", NCU_WAVES},
    {LAUNCH, "# SMs", NCU_SM_COUNT},
    {NULL, "launch__sm_count", NCU_SM_COUNT},
    {NULL, "device__attribute_multiprocessor_count", NCU_SM_COUNT},
};

/* More blocks than the largest grid has: 2^31 - 1, 65535, 65535. */
#define BLOCKS_MAX 1e19

/* What a launch can be on any chip, with some room: shared memory of 228 KiB and some 200 SMs are the most so far. */
static const struct {
    enum unit unit;
    double least, most;
    bool is_whole;
    const char *range;
} fact_ranges[NCU_FACTS] = {
    [NCU_L1_ACTIVE_SHARE] = {UNIT_RATIO, 0, PEAK_ROUNDING, false, "0% to 100%"},
    [NCU_MEMORY_PIPES] = {UNIT_RATIO, 0, PEAK_ROUNDING, false, "0% to 100%"},
    [NCU_GRID_BLOCKS] = {UNIT_COUNT, 1, BLOCKS_MAX, true, "a whole number from 1 on"},
    [NCU_BLOCK_THREADS] = {UNIT_COUNT, 1, 1024, true, "a whole number from 1 to 1024"},
    [NCU_REGISTERS] = {UNIT_COUNT, 1, 255, true, "a whole number from 1 to 255"},
    [NCU_SHARED_STATIC] = {UNIT_BYTES, 0, 1 << 20, false, "0 to 1 MiB"},
    [NCU_SHARED_DYNAMIC] = {UNIT_BYTES, 0, 1 << 20, false, "0 to 1 MiB"},
    [NCU_OCCUPANCY] = {UNIT_RATIO, 0, PEAK_ROUNDING, false, "0% to 100%"},
    [NCU_WAVES] = {UNIT_NONE, 0, BLOCKS_MAX, false, "0 or more"},
    [NCU_SM_COUNT] = {UNIT_COUNT, 1, 4096, true, "a whole number from 1 to 4096"},
};

/* A launch takes time, and one that runs for longer than a day is none that anybody profiles: ncu repeats it dozens of
 * times. */
#define DURATION_NS_MAX (24 * 3600e9)

static bool is_duration(const struct ncu_slot *slot)
{
    return slot->at == ncu_slot_of(METRIC_DURATION);
}

static bool counter_allows(const struct ncu_slot *slot, double value)
{
    if (is_duration(slot))
        return value > 0 && value <= DURATION_NS_MAX;
    return value >= 0 && isfinite(value);
}

static bool fact_allows(enum ncu_fact fact, double value)
{
    /* 1.1 Kblock are 1100.0000000000002 blocks. */
    const bool is_whole = fabs(value - round(value)) <= 1e-9 * fabs(value);
    return value >= fact_ranges[fact].least && value <= fact_ranges[fact].most &&
           (is_whole || !fact_ranges[fact].is_whole);
}

bool ncu_slot_allows(const struct ncu_slot *slot, double value)
{
    return slot->at < COUNTERS_METRICS_MAX ? counter_allows(slot, value)
                                           : fact_allows((enum ncu_fact)(slot->at - COUNTERS_METRICS_MAX), value);
}

const char *ncu_slot_range(const struct ncu_slot *slot)
{
    if (is_duration(slot))
        return "more than 0 and at most a day";
    return slot->at < COUNTERS_METRICS_MAX ? "0 or more" : fact_ranges[slot->at - COUNTERS_METRICS_MAX].range;
}

struct ncu_slot ncu_fact_slot(enum ncu_fact fact)
{
    return (struct ncu_slot){COUNTERS_METRICS_MAX + (size_t)fact, fact_ranges[fact].unit, false};
}

static struct ncu_slot slot_of(const struct metric *metric, bool by_own_name)
{
    return (struct ncu_slot){counters_index(metric), metric->unit, by_own_name};
}

size_t ncu_slot_of(const char *metric_id)
{
    const struct metric *metric = metric_by_id(metric_id);
    assert(metric);
    return slot_of(metric, true).at;
}

bool ncu_counter_decides(size_t at)
{
    static const char *const throughputs[] = {METRIC_SM_THROUGHPUT, METRIC_MEMORY_THROUGHPUT};
    const struct metric *metric;
    for (size_t i = 0; i < COUNT_OF(throughputs); i++)
        if (at == ncu_slot_of(throughputs[i]))
            return true;
    for (enum metric_role side = METRIC_COMPUTE; side <= METRIC_MEMORY; side++)
        for (size_t next = 0; (metric = counters_next_unit(side, &next));)
            if (at == counters_index(metric))
                return true;
    return false;
}

bool ncu_slot_allows_share(const struct ncu_slot *slot, double value)
{
    if (slot->unit != UNIT_RATIO)
        return true;
    const bool is_fact = slot->at >= COUNTERS_METRICS_MAX;
    if (value == COUNTERS_NO_NUMBER)
        return is_fact ? slot->at >= ncu_fact_slot(NCU_OCCUPANCY).at : !ncu_counter_decides(slot->at);
    return is_fact || (value >= 0 && (value <= PEAK_ROUNDING || !ncu_counter_decides(slot->at)));
}

static bool is_named(const char *wanted_section, const char *wanted, const char *section, const char *name)
{
    return *wanted == *name && !strcmp(wanted, name) &&
           (!wanted_section || !strncmp(section, wanted_section, strlen(wanted_section)));
}

static const struct metric *named(const char *name)
{
    const struct metric *metric = metric_by_name(name);
    return metric ? metric : other_unit_by_name(name);
}

/* A share of the sum over units equals the share of their mean, and breakdowns of the speed-of-light section omit the
 * ending that all of its rows share. */
static const struct metric *metric_of_share(const char *section, const char *name)
{
    char own[NAME_BYTES_MAX];
    const size_t length = strlen(name), ending = strlen(ELAPSED_SUM);
    const bool is_sum = length > ending && !strcmp(name + length - ending, ELAPSED_SUM);
    const bool is_bare = strstr(name, "__") && !strchr(name, '.') && !strncmp(section, SPEED, strlen(SPEED));
    if ((!is_sum && !is_bare) || length + ending >= sizeof own)
        return NULL;
    snprintf(own, sizeof own, "%.*s" ELAPSED, (int)(is_sum ? length - ending : length), name);
    const struct metric *metric = named(own);
    if (metric)
        return metric;
    for (size_t i = 0; i < COUNT_OF(counters); i++)
        if (!counters[i].section && !strcmp(counters[i].name, own))
            return metric_by_id(counters[i].id);
    return NULL;
}

bool ncu_slot_find(const char *section, const char *name, struct ncu_slot *out)
{
    const struct metric *metric = named(name);
    if (metric) {
        *out = slot_of(metric, true);
        return true;
    }
    for (size_t i = 0; i < COUNT_OF(facts); i++)
        if (is_named(facts[i].section, facts[i].name, section, name)) {
            *out = ncu_fact_slot(facts[i].fact);
            return true;
        }
    for (size_t i = 0; i < COUNT_OF(counters) && !metric; i++)
        if (is_named(counters[i].section, counters[i].name, section, name))
            metric = metric_by_id(counters[i].id);
    if (!metric)
        metric = metric_of_share(section, name);
    if (metric)
        *out = slot_of(metric, false);
    return metric != NULL;
}

bool ncu_name_needs_section(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(facts); i++)
        if (facts[i].section && is_named(NULL, facts[i].name, "", name))
            return true;
    for (size_t i = 0; i < COUNT_OF(counters); i++)
        if (counters[i].section && is_named(NULL, counters[i].name, "", name))
            return true;
    return false;
}
