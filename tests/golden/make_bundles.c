/* Which bundles do the golden reports come from? Made by code, so that every
 * number in them has a place where it is said.
 * usage: make_bundles DIRECTORY
 *        make_bundles drawn BUNDLE POOL SEED FACTOR WIDER COMMIT UNIX_S      one arm, its times those of processes of
 *                                                                           POOL (see below) */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/count_of.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/shard_writer.h"
#include "core/bundle/bundle.h"
#include "core/bundle/bundle_open.h"
#include "core/bundle/bundle_write.h"
#include "core/gpu/metrics.h"
#include "core/stats/resampling.h"
#include "core/stats/statistics.h"

#define CP_ASYNC "sm__sass_inst_executed_op_ldgsts.sum"
#define KEY      "large ctas_per_sm=1"

/* What is true of one variant at one config. */
struct arm {
    const char *variant, *config, *baseline;
    const char *pattern; /* declared */
    const char *kernel;  /* launched, as the driver names it */
    double duration_ns;  /* first process; each later one is 0.1% slower */
    double registers, shared_bytes;
    double cp_async; /* NAN: not counted */
    double expect_min, expect_max;
    double bad_ratio;
    const char *code_hash;
    const char *status;
    double bytes; /* stated; 0 for 1e8 */
};

enum { ARMS_MAX = 16 };

struct recipe {
    const char *name;
    const char *manifest; /* JSON */
    bool traced, complete;
    struct arm arms[ARMS_MAX];
};

/* A stranger's name with everything that a format could stumble over. */
#define HOSTILE "evil|k`<b>&</b>`*_[x](http://e.x)\x1b[31m\n\xff"

#define MANIFEST_HEAD                                                                                                  \
    "{\"created_unix_s\":1767225600,\"cpprof\":{\"version\":\"0.1.0\",\"commit\":\"0123abc\",\"build_flags\":"         \
    "\"Release\"},"

#define FULL_MANIFEST(gpu, uuid, driver, more)                                                                             \
    MANIFEST_HEAD more                                                                                                     \
        "\"command\":[\"cpprof\",\"run\",\"pipeline/sync\",\"pipeline/cpasync3\",\"--baseline\",\"pipeline/"               \
        "sync\",\"--set\","                                                                                                \
        "\"ctas_per_sm=1\",\"-o\",\"it's here.cpprof\"],"                                                                  \
        "\"gpu\":{\"name\":\"" gpu "\",\"uuid\":\"" uuid "\",\"compute_capability\":\"9.0\",\"sm_count\":132,"             \
        "\"memory_bytes\":150754820096,\"l2_bytes\":62914560},\"driver\":{\"version\":\"" driver "\"},"                    \
        "\"cuda\":{\"runtime\":13000,\"driver_api\":13010},\"cupti\":{\"version\":130001,\"library\":\"libcupti.so.13\"}," \
        "\"seeds\":[\"0\",\"1\",\"2\",\"7777\"],\"processes\":["                                                           \
        "{\"role\":\"time\",\"index\":0,\"wall_ns\":1500000000,\"clocks\":{"                                               \
        "\"before\":{\"sm_clock_mhz\":1980,\"memory_clock_mhz\":3201,\"temperature_c\":41,\"power_mw\":121000,"            \
        "\"throttle_reasons\":\"none\",\"compute_processes\":1},"                                                          \
        "\"after\":{\"sm_clock_mhz\":1755,\"memory_clock_mhz\":3201,\"temperature_c\":45,\"power_mw\":-1,"                 \
        "\"throttle_reasons\":\"power cap\",\"compute_processes\":1}},"                                                    \
        "\"missing\":[{\"what\":\"a metric\",\"why\":\"this chip has none of that name\"}]},"                              \
        "{\"role\":\"trace\",\"index\":0,\"wall_ns\":900000000,\"collector\":{\"records\":16,\"record_bytes\":1536,"       \
        "\"decode_ns\":120000},\"missing\":[{\"what\":\"a metric\",\"why\":\"this chip has none of that name\"}]}],"       \
        "\"dropped\":{},\"failures\":[],\"missing\":[]}"

static const char full_manifest[] = FULL_MANIFEST("NVIDIA H200", "GPU-1", "580.1", "");
static const char other_manifest[] =
    FULL_MANIFEST("NVIDIA L4", "GPU-2", "590.2",
                  "\"other_gpus\":[{\"ordinal\":3,\"name\":\"L4 <b>|\\u001b[31m\",\"uuid\":\"GPU-`4\"},7,{}],");
static const char budget_manifest[] =
    FULL_MANIFEST("NVIDIA H200", "GPU-1", "580.1",
                  "\"stop\":{\"reason\":\"budget\",\"processes\":5,\"wall_ns\":28500000000,\"looks\":6,"
                  "\"until_width\":null,\"budget_ns\":30000000000},");

/* Ceilings as `run --ceilings` leaves them. */
static const char ceilings_manifest[] = FULL_MANIFEST(
    "NVIDIA H200", "GPU-1", "580.1",
    "\"ceilings\":{\"name\":\"NVIDIA H200\",\"uuid\":\"GPU-1\",\"compute_capability\":\"9.0\",\"sm_count\":132,"
    "\"sm_clock_max_hz\":1980000000,\"memory_clock_max_hz\":3201000000,\"memory_bus_bits\":6144,\"l2_bytes\":62914560,"
    "\"ceilings\":["
    "{\"id\":\"dram\",\"unit\":\"bytes/s\",\"best\":4.05e12,\"median\":4.0e12,\"repeats\":40,\"sm_clock_hz\":1980000000},"
    "{\"id\":\"l2\",\"unit\":\"bytes/s\",\"best\":8.0e12,\"median\":7.9e12,\"repeats\":40,\"sm_clock_hz\":1980000000},"
    "{\"id\":\"fp32\",\"unit\":\"FLOP/s\",\"best\":6.4e13,\"median\":6.4e13,\"repeats\":40,\"sm_clock_hz\":1980000000},"
    "{\"id\":\"tensor_wgmma\",\"unit\":\"FLOP/s\",\"best\":8.0e14,\"median\":7.9e14,\"repeats\":40,"
    "\"sm_clock_hz\":1755000000}],\"missing\":[],\"source\":\"measured\"},");

static const char bare_manifest[] =
    MANIFEST_HEAD "\"command\":[\"cpprof\",\"run\",\"pipeline/misdispatched\"],"
                  "\"missing\":[{\"what\":\"counters\",\"why\":\"the driver refuses them to this user\"}]}";

static const char broken_manifest[] =
    MANIFEST_HEAD "\"command\":[\"cpprof\",\"run\",\"\\u001b[2Jx\",\"a`b\"],\"gpu\":\"none\",\"processes\":[1,null],"
                  "\"dropped\":{\"kernel\":3},\"failures\":[{\"role\":\"count\",\"index\":0,\"detail\":\"killed by "
                  "signal 9 | <b>\"}],"
                  "\"missing\":[{\"what\":\"counters\"},7]}";

/* A mark of pipeline/cpasync3 waits; no counters. */
#define DELAYED(mark, ns, code, bad_ratio)                                                                             \
    {                                                                                                                  \
        "pipeline/cpasync3+delay-" mark, KEY, "pipeline/cpasync3", "pipeline_cpasync<.*3.*>",                          \
            "_Z16pipeline_cpasyncILi3EEvPf", ns, 45, 49152, NAN, NAN, NAN, bad_ratio, code, "ready", 0                 \
    }

static const struct recipe recipes[] = {
    {"faster",
     full_manifest,
     true,
     true,
     {{"pipeline/sync", KEY, "", "^pipeline_sync", "pipeline_sync", 52000, 40, 16384, 0, 0, 0, 0, "aa11", "ready", 0},
      {"pipeline/cpasync3", KEY, "pipeline/sync", "pipeline_cpasync<.*3.*>", "_Z16pipeline_cpasyncILi3EEvPf", 39000, 44,
       49152, 12288, 1, INFINITY, 0, "bb22", "ready", 0}}},
    /* stopped by the clock at one of six looks */
    {"budget",
     budget_manifest,
     true,
     true,
     {{"pipeline/sync", KEY, "", "^pipeline_sync", "pipeline_sync", 52000, 40, 16384, 0, 0, 0, 0, "aa11", "ready", 0},
      {"pipeline/cpasync3", KEY, "pipeline/sync", "pipeline_cpasync<.*3.*>", "_Z16pipeline_cpasyncILi3EEvPf", 39100, 44,
       49152, 12288, 1, INFINITY, 0, "bb22", "ready", 0}}},
    /* the second one's roof is that of the tensor cores */
    {"roofline",
     ceilings_manifest,
     false,
     true,
     {{"pipeline/sync", KEY, "", "^pipeline_sync", "pipeline_sync", 52000, 40, 16384, 0, 0, 0, 0, "aa11", "ready", 0},
      {"evil/tensor|`<b>\n\"; x", KEY, "", "^pipeline_sync", HOSTILE, 39000, 44, 49152, 12288, 1, INFINITY, 0, "bb22",
       "ready", 0}}},
    {"shapes",
     full_manifest,
     true,
     true,
     {{"pipeline/sync", "small", "", "^pipeline_sync", "pipeline_sync", 10000, 40, 16384, 0, 0, 0, 0, "aa11", "ready",
       0},
      {"pipeline/cpasync3", "small", "pipeline/sync", "pipeline_cpasync<.*3.*>", "_Z16pipeline_cpasyncILi3EEvPf", 10001,
       44, 49152, 12288, 1, INFINITY, 0, "bb22", "ready", 0},
      {"pipeline/sync", "large", "", "^pipeline_sync", "pipeline_sync", 52000, 40, 16384, 0, 0, 0, 0, "aa11", "ready",
       0},
      {"pipeline/cpasync3", "large", "pipeline/sync", "pipeline_cpasync<.*3.*>", "_Z16pipeline_cpasyncILi3EEvPf", 39000,
       44, 49152, 12288, 1, INFINITY, 0, "bb22", "ready", 0}}},
    {"misdispatched",
     bare_manifest,
     true,
     true,
     {{"pipeline/misdispatched", KEY, "", "pipeline_cpasync<.*3.*>", "pipeline_sync", 52000, 40, 16384, NAN, 1,
       INFINITY, 0, "aa11", "ready", 0}}},
    {"hostile",
     broken_manifest,
     true,
     false,
     {{"evil/base", "s|1", "", ".", HOSTILE, 1000, 8, 0, NAN, NAN, NAN, 0, "cc33", "ready", 0},
      {"evil/`*|<i>", "s|1", "evil/base", ".", HOSTILE, 2000, 8, 0, NAN, NAN, NAN, 0.25, "cc33", "ready", 0},
      {"evil/large", "s|1", "evil/base", ".", "", NAN, NAN, NAN, NAN, NAN, NAN, 0, "",
       "not runnable: needs 72 KiB, device allows 64", 0}}},
    /* t = 3 us + bytes / 2 TB/s, and 2 us with the same bandwidth */
    {"sizes",
     full_manifest,
     true,
     true,
     {{"pipeline/sync", "n=1000000", "", "^pipeline_sync", "pipeline_sync", 5000, 40, 16384, 0, 0, 0, 0, "aa11",
       "ready", 4e6},
      {"pipeline/cpasync3", "n=1000000", "pipeline/sync", "pipeline_cpasync<.*3.*>", "_Z16pipeline_cpasyncILi3EEvPf",
       4000, 44, 49152, 12288, 1, INFINITY, 0, "bb22", "ready", 4e6},
      {"pipeline/sync", "n=4000000", "", "^pipeline_sync", "pipeline_sync", 11000, 40, 16384, 0, 0, 0, 0, "aa11",
       "ready", 16e6},
      {"pipeline/cpasync3", "n=4000000", "pipeline/sync", "pipeline_cpasync<.*3.*>", "_Z16pipeline_cpasyncILi3EEvPf",
       10000, 44, 49152, 12288, 1, INFINITY, 0, "bb22", "ready", 16e6},
      {"pipeline/sync", "n=64000000", "", "^pipeline_sync", "pipeline_sync", 131000, 40, 16384, 0, 0, 0, 0, "aa11",
       "ready", 256e6},
      {"pipeline/cpasync3", "n=64000000", "pipeline/sync", "pipeline_cpasync<.*3.*>", "_Z16pipeline_cpasyncILi3EEvPf",
       130000, 44, 49152, 12288, 1, INFINITY, 0, "bb22", "ready", 256e6}}},
    /* Stages of one kernel on four days: the second is joined through stage2, the third, on another GPU, through
     * stage1, and the fourth not at all, as its stage2 is other code. */
    {"ladder",
     full_manifest,
     false,
     true,
     {{"sdpa/scalar", "mission", "", "^stage", "stage", 2870000, 40, 16384, NAN, NAN, NAN, 0, "a0", "ready", 0},
      {"sdpa/stage1", "mission", "sdpa/scalar", "^stage", "stage", 761000, 72, 16384, NAN, NAN, NAN, 0, "a1", "ready",
       0},
      {"sdpa/stage2", "mission", "sdpa/scalar", "^stage", "stage", 656000, 96, 16384, NAN, NAN, NAN, 0, "a2", "ready",
       0},
      {"sdpa/stage3a", "mission", "sdpa/scalar", "^stage", "stage", 655000, 96, 16384, NAN, NAN, NAN, 0, "a3", "ready",
       0},
      {"sdpa/stage3b", "mission", "sdpa/scalar", "^stage", "stage", 500000, 96, 16384, NAN, NAN, NAN, 0.5, "a4",
       "ready", 0},
      {"sdpa/swizzle", "mission", "sdpa/scalar", "^stage", "stage", 696000, 96, 16384, NAN, NAN, NAN, 0, "a5", "ready",
       0}}},
    {"next_day",
     full_manifest,
     false,
     true,
     {{"sdpa/stage2", "mission", "", "^stage", "stage", 698000, 96, 16384, NAN, NAN, NAN, 0, "a2", "ready", 0},
      {"sdpa/stage4", "mission", "sdpa/stage2", "^stage", "stage", 693000, 96, 16384, NAN, NAN, NAN, 0, "a6", "ready",
       0},
      {"sdpa/stage5", "mission", "sdpa/stage2", "^stage", "stage", 600000, 96, 16384, NAN, NAN, NAN, 0, "a7", "ready",
       0}}},
    {"third_day",
     other_manifest,
     false,
     true,
     {{"sdpa/stage1", "mission", "", "^stage", "stage", 800000, 72, 16384, NAN, NAN, NAN, 0, "a1", "ready", 0},
      {"sdpa/stage6", "mission", "sdpa/stage1", "^stage", "stage", 400000, 96, 16384, NAN, NAN, NAN, 0, "a8", "ready",
       0}}},
    {"rebuilt",
     full_manifest,
     false,
     true,
     {{"sdpa/stage2", "mission", "", "^stage", "stage", 600000, 96, 16384, NAN, NAN, NAN, 0, "b2", "ready", 0},
      {"sdpa/stage7", "mission", "sdpa/stage2", "^stage", "stage", 300000, 96, 16384, NAN, NAN, NAN, 0, "b7", "ready",
       0}}},
    {"slower",
     full_manifest,
     true,
     true,
     {{"pipeline/sync", KEY, "", "^pipeline_sync", "pipeline_sync", 52001, 40, 16384, 0, 0, 0, 0, "aa11", "ready", 0},
      {"pipeline/cpasync3", KEY, "pipeline/sync", "pipeline_cpasync<.*3.*>", "_Z16pipeline_cpasyncILi3EEvPf", 60000, 46,
       49152, 12288, 1, INFINITY, 0, "bb33", "ready", 0}}},
    {"other_gpu",
     other_manifest,
     true,
     true,
     {{"pipeline/sync", KEY, "", "^pipeline_sync", "pipeline_sync", 252000, 40, 16384, 0, 0, 0, 0, "aa11", "ready", 0},
      {"pipeline/cpasync3", KEY, "pipeline/sync", "pipeline_cpasync<.*3.*>", "_Z16pipeline_cpasyncILi3EEvPf", 160000,
       44, 49152, 12288, 1, INFINITY, 0, "bb22", "ready", 0}}},
    {"same",
     full_manifest,
     true,
     true,
     {{"pipeline/sync", KEY, "", "^pipeline_sync", "pipeline_sync", 52000, 40, 16384, 0, 0, 0, 0, "aa11", "ready", 0},
      {"pipeline/copy", KEY, "pipeline/sync", "^pipeline_sync", "pipeline_sync", 51000, 40, 16384, 0, 0, 0, 0, "aa11",
       "ready", 0}}},
    /* recording costs one of them 2%, the other 23% */
    {"inside",
     full_manifest,
     true,
     true,
     {{"pipeline/sync", KEY, "", "^pipeline_sync", "pipeline_sync", 52000, 40, 16384, 0, 0, 0, 0, "aa11", "ready", 0},
      {"pipeline/sync+record", KEY, "pipeline/sync", "^pipeline_sync", "pipeline_sync", 64000, 42, 16384, 0, 0, 0, 0,
       "aa12", "ready", 0},
      {"pipeline/cpasync3", KEY, "pipeline/sync", "pipeline_cpasync<.*3.*>", "_Z16pipeline_cpasyncILi3EEvPf", 39000, 44,
       49152, 12288, 1, INFINITY, 0, "bb22", "ready", 0},
      {"pipeline/cpasync3+record", KEY, "pipeline/sync", "pipeline_cpasync<.*3.*>", "_Z16pipeline_cpasyncILi3EEvPf",
       39800, 45, 49152, 12288, 1, INFINITY, 0, "bb23", "ready", 0}}},
    /* A tile of 773 cycles. Math is critical; the refill has 800 cycles of slack and a ring of 2; a delay of the wait
     * by 1600 cycles costs less than one by 400. */
    {"slack",
     full_manifest,
     true,
     true,
     {{"pipeline/sync", KEY, "", "^pipeline_sync", "pipeline_sync", 52000, 40, 16384, 0, 0, 0, 0, "aa11", "ready", 0},
      {"pipeline/cpasync3", KEY, "pipeline/sync", "pipeline_cpasync<.*3.*>", "_Z16pipeline_cpasyncILi3EEvPf", 39000, 44,
       49152, 12288, 1, INFINITY, 0, "bb22", "ready", 0},
      {"pipeline/cpasync3+record", KEY, "pipeline/cpasync3", "pipeline_cpasync<.*3.*>", "_Z16pipeline_cpasyncILi3EEvPf",
       39200, 45, 49152, 12288, 1, INFINITY, 0, "bb23", "ready", 0},
      DELAYED("0.0-none", 39100, "bb24", 0),
      DELAYED("0.0-100", 39100, "bb24", 0),
      DELAYED("0.0-400", 56000, "bb24", 0),
      DELAYED("0.0-1600", 41000, "bb24", 0),
      DELAYED("0.1-none", 39000, "bb25", 0),
      DELAYED("0.1-400", 39000, "bb25", 0),
      DELAYED("0.1-1600", 59202, "bb25", 0),
      DELAYED("0.1-2000", 69303, "bb25", 0),
      DELAYED("0.2-none", 39100, "bb26", 0),
      DELAYED("0.2-100", 44151, "bb26", 0),
      DELAYED("0.2-400", 59302, "bb26", 0),
      DELAYED("0.2-1600", 119908, "bb26", 0)}},
    /* the largest delay computes something else */
    {"slack_wrong",
     full_manifest,
     true,
     true,
     {{"pipeline/cpasync3", KEY, "", "pipeline_cpasync<.*3.*>", "_Z16pipeline_cpasyncILi3EEvPf", 39000, 44, 49152,
       12288, 1, INFINITY, 0, "bb22", "ready", 0},
      DELAYED("0.1-none", 39000, "bb25", 0),
      DELAYED("0.1-100", 39000, "bb25", 0),
      DELAYED("0.1-400", 39000, "bb25", 0),
      DELAYED("0.1-1600", 39000, "bb25", 0.5)}},
    {"empty", bare_manifest, false, true, {{0}}},
};

enum { PROCESSES = 5, DRAWN = 7, ITERATIONS = 4, CHECKS = 2 };

static const double
    *drawn_times; /* of DRAWN processes, instead of those that the recipes state; NULL: there are none */

static double time_of(const struct arm *arm, int process)
{
    return drawn_times ? drawn_times[process] : arm->duration_ns * (1 + 0.001 * process);
}

static int variants_row(struct table *t, const struct arm *arm)
{
    struct cell *row = table_add_row(t);
    row[VARIANTS_VARIANT] = cell_text(t, arm->variant);
    row[VARIANTS_SHAPE] = cell_text(t, arm->config);
    row[VARIANTS_BASELINE] = cell_text(t, arm->baseline);
    row[VARIANTS_KERNEL_PATTERN] = cell_text(t, arm->pattern);
    row[VARIANTS_SUMMARY] = cell_text(t, "a tile at a time");
    row[VARIANTS_SHARED_BYTES] = cell_number(arm->shared_bytes);
    const double bytes = arm->bytes > 0 ? arm->bytes : 1e8;
    row[VARIANTS_FLOPS] = cell_number(9 * bytes);
    row[VARIANTS_BYTES] = cell_number(bytes);
    row[VARIANTS_STATUS] = cell_text(t, arm->status);
    if (!strcmp(arm->variant, "pipeline/cpasync3"))
        row[VARIANTS_SIGNALS] =
            cell_text(t, "stall_long_scoreboard down; issue_share up 5%; tensor_cycles up; other.sum flat");
    return 0;
}

static int expect_row(struct table *t, const struct arm *arm)
{
    if (isnan(arm->expect_min))
        return 0;
    struct cell *row = table_add_row(t);
    row[EXPECT_VARIANT] = cell_text(t, arm->variant);
    row[EXPECT_METRIC] = cell_text(t, CP_ASYNC);
    row[EXPECT_MIN] = cell_number(arm->expect_min);
    row[EXPECT_MAX] = cell_number(arm->expect_max);
    return 0;
}

/* Process p takes 0.1% longer than the one before, iteration i a nanosecond more. */
static int timing_rows(struct table *t, const struct arm *arm)
{
    const int processes = drawn_times ? DRAWN : PROCESSES;
    for (int process = 0; process < processes && isfinite(arm->duration_ns); process++)
        for (int iteration = 0; iteration < ITERATIONS; iteration++) {
            struct cell *row = table_add_row(t);
            row[TIMING_VARIANT] = cell_text(t, arm->variant);
            row[TIMING_SHAPE] = cell_text(t, arm->config);
            row[TIMING_PROCESS] = cell_integer(process);
            row[TIMING_BLOCK] = cell_integer(0);
            row[TIMING_ORDER] = cell_integer(*arm->baseline ? 1 : 0);
            row[TIMING_ITERATION] = cell_integer(iteration);
            row[TIMING_CACHE] = cell_text(t, "hot");
            row[TIMING_BATCH] = cell_integer(1);
            row[TIMING_SM_CLOCK] = cell_number(1.98e9);
            row[TIMING_DURATION] = cell_number(time_of(arm, process) + iteration);
        }
    return 0;
}

/* Amounts of a launch grow with its bytes, beyond those that the table below is for. */
static double scale_of(const struct metric *m, const struct arm *arm)
{
    const bool is_amount = m->role == METRIC_FLOP || strstr(m->id, "_bytes") || !strncmp(m->id, "dram_", 5);
    return is_amount && m->unit != UNIT_RATIO && arm->bytes > 1e8 ? arm->bytes / 1e8 : 1;
}

/* A kernel that reads memory and multiplies: what hides the loads makes both sides busier. */
static double counter_value(const struct metric *m, const struct arm *arm)
{
    if (!strcmp(m->id, "duration")) /* no longer than the launches that are timed */
        return arm->duration_ns;
    static const struct {
        const char *id;
        double plain, hidden; /* without and with cp.async */
    } values[] = {
        {"dram_share", 0.58, 0.79},
        {"fma_share", 0.41, 0.55},
        {"sm_throughput", 0.45, 0.60},
        {"memory_throughput", 0.58, 0.79},
        {"issue_share", 0.45, 0.60},
        {"l2_share", 0.40, 0.52},
        {"warp_latency", 10, 7},
        {"stall_long_scoreboard", 5, 0.5},
        {"warps_per_sm", 8, 8},
        /* 0.8 GFLOP in FMAs and 0.1 in additions; 320, 200 and 100 MB at L1, L2 and DRAM; an H200's peaks */
        {"ffma_threads", 4e8, 4e8},
        {"fadd_threads", 1e8, 1e8},
        {"l1_bytes", 3.2e8, 2e8},
        {"l2_bytes", 2e8, 2e8},
        {"dram_read", 8e7, 8e7},
        {"dram_write", 2e7, 2e7},
        {"peak_dram", 4.9e12, 4.9e12},
        {"peak_l2", 1.2e13, 1.2e13},
        {"peak_l1", 3.3e13, 3.3e13},
        {"peak_ffma", 3.34e13, 3.34e13},
        {"peak_tensor_fp16", 9.9e14, 9.9e14},
    };
    if (!strcmp(m->id, "ldgsts"))
        return arm->cp_async;
    if (!strcmp(m->id, "tensor_fp16_ops"))
        return strstr(arm->variant, "tensor") ? 2e10 : 0;
    for (size_t i = 0; i < COUNT_OF(values); i++)
        if (!strcmp(values[i].id, m->id))
            return scale_of(m, arm) * (arm->cp_async > 0 ? values[i].hidden : values[i].plain);
    if (m->role == METRIC_STALL)
        return 0.2; /* with the ones above and the issue itself less than warp_latency */
    return m->role == METRIC_FLOP ? 0 : m->unit == UNIT_RATIO ? 0.05 : 1;
}

static int metrics_rows(struct table *t, const struct arm *arm)
{
    size_t count;
    const struct metric *metrics = metrics_known(&count);
    for (size_t i = 0; i < count && !isnan(arm->cp_async); i++) {
        struct cell *row = table_add_row(t);
        row[METRICS_VARIANT] = cell_text(t, arm->variant);
        row[METRICS_SHAPE] = cell_text(t, arm->config);
        row[METRICS_KERNEL] = cell_text(t, arm->kernel);
        row[METRICS_LAUNCH] = cell_integer(0);
        row[METRICS_METRIC] = cell_text(t, metrics[i].name);
        row[METRICS_UNIT] = cell_text(t, unit_name(metrics[i].unit));
        row[METRICS_VALUE] = cell_number(counter_value(&metrics[i], arm));
    }
    return 0;
}

static int resources_row(struct table *t, const struct arm *arm)
{
    if (isnan(arm->registers))
        return 0;
    struct cell *row = table_add_row(t);
    row[RESOURCES_VARIANT] = cell_text(t, arm->variant);
    row[RESOURCES_SHAPE] = cell_text(t, arm->config);
    row[RESOURCES_KERNEL] = cell_text(t, arm->kernel);
    row[RESOURCES_GRID] = cell_number(132);
    row[RESOURCES_BLOCK] = cell_number(256);
    row[RESOURCES_REGISTERS] = cell_number(arm->registers);
    row[RESOURCES_SHARED] = cell_number(arm->shared_bytes);
    row[RESOURCES_LOCAL] = cell_number(0);
    row[RESOURCES_SPILL] = cell_number(0);
    row[RESOURCES_BLOCKS_PER_SM] = cell_number(4);
    row[RESOURCES_OCCUPANCY] = cell_number(0.125);
    row[RESOURCES_WAVES] = cell_number(0.25);
    row[RESOURCES_CODE_HASH] = cell_text(t, arm->code_hash);
    row[RESOURCES_CODE_BYTES] = cell_number(4096);
    return 0;
}

static int verify_rows(struct table *t, const struct arm *arm)
{
    static const char *const phases[] = {"before", "after"};
    for (int check = 0; check < CHECKS && isfinite(arm->duration_ns); check++) {
        struct cell *row = table_add_row(t);
        row[VERIFY_VARIANT] = cell_text(t, arm->variant);
        row[VERIFY_SHAPE] = cell_text(t, arm->config);
        row[VERIFY_PROCESS] = cell_integer(0);
        row[VERIFY_SEED] = cell_text(t, "0");
        row[VERIFY_PHASE] = cell_text(t, phases[check]);
        row[VERIFY_MAX_ABS_ERR] = cell_number(arm->bad_ratio > 0 ? 3.5 : 1.25e-6);
        row[VERIFY_BAD_RATIO] = cell_number(arm->bad_ratio);
        row[VERIFY_VALUES] = cell_integer(1000000);
        row[VERIFY_OUTPUT_HASH] = cell_text(t, arm->bad_ratio > 0 ? "2" : "1");
        row[VERIFY_BITWISE] = cell_text(t, !*arm->baseline ? "" : arm->bad_ratio > 0 ? "no" : "yes");
        row[VERIFY_PASS] = cell_text(t, arm->bad_ratio > 0 ? "no" : "yes");
        row[VERIFY_HINT] =
            cell_text(t, arm->bad_ratio > 0 ? "every 4th tile: stage 3 is read | before it is <full>" : "");
    }
    return 0;
}

static int mismatches_row(struct table *t, const struct arm *arm)
{
    if (!(arm->bad_ratio > 0))
        return 0;
    struct cell *row = table_add_row(t);
    row[MISMATCHES_VARIANT] = cell_text(t, arm->variant);
    row[MISMATCHES_SHAPE] = cell_text(t, arm->config);
    row[MISMATCHES_SEED] = cell_text(t, "0");
    row[MISMATCHES_PHASE] = cell_text(t, "before");
    row[MISMATCHES_INDEX] = cell_integer(4096);
    row[MISMATCHES_WHERE] = cell_text(t, "tile 3, stage 0\n");
    row[MISMATCHES_EXPECTED] = cell_number(1.5);
    row[MISMATCHES_GOT] = cell_number(-2);
    return 0;
}

/* ---- the inside of arms that record ---- */

static bool records(const struct arm *arm)
{
    const size_t length = strlen(arm->variant), ending = strlen(INSIDE_RECORD);
    return length > ending && !strcmp(arm->variant + length - ending, INSIDE_RECORD);
}

static bool loads_ahead(const struct arm *arm)
{
    return strstr(arm->variant, "cpasync");
}

static void phase_row(struct table *t, const struct arm *arm, int mark, const char *kind, const char *name, int until)
{
    struct cell *row = table_add_row(t);
    row[INSIDE_PHASES_VARIANT] = cell_text(t, arm->variant);
    row[INSIDE_PHASES_SHAPE] = cell_text(t, arm->config);
    row[INSIDE_PHASES_ROLE] = cell_integer(0);
    row[INSIDE_PHASES_MARK] = cell_integer(mark);
    row[INSIDE_PHASES_KIND] = cell_text(t, kind);
    row[INSIDE_PHASES_ROLE_NAME] = cell_text(t, "ring|`<b>");
    row[INSIDE_PHASES_NAME] = cell_text(t, name);
    row[INSIDE_PHASES_UNTIL] = cell_integer(until);
    row[INSIDE_PHASES_AHEAD] = cell_integer(mark == 1 ? 2 : 0);
}

static int inside_phases_rows(struct table *t, const struct arm *arm)
{
    if (!records(arm))
        return 0;
    phase_row(t, arm, 0, "wait", "wait", loads_ahead(arm) ? 1 : 2);
    phase_row(t, arm, loads_ahead(arm) ? 1 : 0, "issue", "refill", 2);
    phase_row(t, arm, 2, "compute", "compute", 3);
    return 0;
}

enum { LAUNCHES = 2, BLOCKS = 3, TILES = 16 };

static int inside_warps_rows(struct table *t, const struct arm *arm)
{
    for (int i = 0; i < LAUNCHES * BLOCKS && records(arm); i++) {
        const int cycles = 101000 + 500 * (i % BLOCKS);
        struct cell *row = table_add_row(t);
        row[INSIDE_WARPS_VARIANT] = cell_text(t, arm->variant);
        row[INSIDE_WARPS_SHAPE] = cell_text(t, arm->config);
        row[INSIDE_WARPS_LAUNCH] = cell_integer(i / BLOCKS);
        row[INSIDE_WARPS_BLOCK] = cell_integer(i % BLOCKS);
        row[INSIDE_WARPS_WARP] = cell_integer(0);
        row[INSIDE_WARPS_SM] = cell_integer(i % BLOCKS);
        row[INSIDE_WARPS_ROLE] = cell_integer(0);
        row[INSIDE_WARPS_TILES] = cell_integer(100);
        row[INSIDE_WARPS_BEGIN_NS] = cell_integer(0);
        row[INSIDE_WARPS_END_NS] = cell_integer(cycles / 2 + 10 * i);
        row[INSIDE_WARPS_BEGIN_CYCLE] = cell_integer(0);
        row[INSIDE_WARPS_END_CYCLE] = cell_integer(cycles);
    }
    return 0;
}

/* A tile takes 1000 cycles. Its wait takes 200 and 10 for each block before; each fourth tile is there when it is asked
 * for. The rest of the tile is math, but for 40 cycles before it and behind it. */
static int inside_tiles_rows(struct table *t, const struct arm *arm)
{
    for (int i = 0; i < LAUNCHES * BLOCKS * TILES && records(arm); i++) {
        const int tile = i % TILES, block = i / TILES % BLOCKS, at = 1000 * tile;
        const int wait = loads_ahead(arm) && tile % 4 == 3 ? 30 : 200 + 10 * block;
        struct cell *row = table_add_row(t);
        row[INSIDE_TILES_VARIANT] = cell_text(t, arm->variant);
        row[INSIDE_TILES_SHAPE] = cell_text(t, arm->config);
        row[INSIDE_TILES_LAUNCH] = cell_integer(i / TILES / BLOCKS);
        row[INSIDE_TILES_BLOCK] = cell_integer(block);
        row[INSIDE_TILES_WARP] = cell_integer(0);
        row[INSIDE_TILES_TILE] = cell_integer(tile);
        row[INSIDE_TILES_MARKS] = cell_integer(at);
        if (loads_ahead(arm))
            row[INSIDE_TILES_MARKS + 1] = cell_integer(at + wait);
        row[INSIDE_TILES_MARKS + 2] = cell_integer(at + wait + 40);
        row[INSIDE_TILES_MARKS + 3] = cell_integer(at + 960);
    }
    return 0;
}

/* A mark takes 3 cycles more than it is asked to wait. */
static int delays_row(struct table *t, const struct arm *arm)
{
    const char *ending = strstr(arm->variant, INSIDE_DELAY);
    if (!ending)
        return 0;
    int role = 0, mark = 0, asked = 0;
    const bool waits = sscanf(ending, INSIDE_DELAY "%d.%d-%d", &role, &mark, &asked) == 3;
    struct cell *row = table_add_row(t);
    row[DELAYS_VARIANT] = cell_text(t, arm->variant);
    row[DELAYS_SHAPE] = cell_text(t, arm->config);
    row[DELAYS_OF] = cell_text(t, arm->baseline);
    row[DELAYS_ROLE] = cell_integer(role);
    row[DELAYS_MARK] = cell_integer(mark);
    if (waits)
        row[DELAYS_ASKED] = cell_integer(asked);
    row[DELAYS_TAKEN] = cell_integer(asked + 3);
    return 0;
}

/* Four instructions at two lines of a stranger's file; line 12 has 60 + 20, and 9 of its cooler instructions. */
static int hotspots_rows(struct table *t, const struct arm *arm)
{
    static const struct {
        double offset, line, samples;
        const char *reason, *text;
    } rows[] = {{16, 12, 60, "long_scoreboard", HOSTILE},
                {16, 12, 20, "selected", HOSTILE},
                {32, 7, 8, "ba`rr|ier<b>", "`` | </code>"},
                {NAN, 12, 9, "wait", HOSTILE},
                {NAN, NAN, 3, "wait", NULL}};
    if (strcmp(arm->variant, "evil/base") != 0)
        return 0;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct cell *row = table_add_row(t);
        row[HOTSPOTS_VARIANT] = cell_text(t, arm->variant);
        row[HOTSPOTS_SHAPE] = cell_text(t, arm->config);
        row[HOTSPOTS_KERNEL] = cell_text(t, arm->kernel);
        row[HOTSPOTS_OFFSET] = cell_number(rows[i].offset);
        if (rows[i].offset > 0)
            row[HOTSPOTS_INSTRUCTION] = cell_text(t, "BRA `(" HOSTILE ")");
        if (rows[i].text)
            row[HOTSPOTS_FILE] = cell_text(t, "<k>|`.cu");
        row[HOTSPOTS_LINE] = cell_number(rows[i].line);
        row[HOTSPOTS_REASON] = cell_text(t, rows[i].reason);
        row[HOTSPOTS_SAMPLES] = cell_number(rows[i].samples);
        if (rows[i].text)
            row[HOTSPOTS_TEXT] = cell_text(t, rows[i].text);
    }
    return 0;
}

static int (*const fill[BUNDLE_TABLE_COUNT])(struct table *t, const struct arm *arm) = {
    [BUNDLE_VARIANTS] = variants_row,
    [BUNDLE_EXPECT] = expect_row,
    [BUNDLE_TIMING] = timing_rows,
    [BUNDLE_METRICS] = metrics_rows,
    [BUNDLE_RESOURCES] = resources_row,
    [BUNDLE_VERIFY] = verify_rows,
    [BUNDLE_MISMATCHES] = mismatches_row,
    [BUNDLE_HOTSPOTS] = hotspots_rows,
    [BUNDLE_INSIDE_PHASES] = inside_phases_rows,
    [BUNDLE_INSIDE_WARPS] = inside_warps_rows,
    [BUNDLE_INSIDE_TILES] = inside_tiles_rows,
    [BUNDLE_DELAYS] = delays_row,
};

/* What is expected holds for a variant at every config. */
static bool repeats_variant(const struct recipe *r, const struct arm *arm)
{
    for (const struct arm *before = r->arms; before < arm; before++)
        if (!strcmp(before->variant, arm->variant))
            return true;
    return false;
}

static int write_table(const struct recipe *r, const char *path, enum bundle_table which, struct err *e)
{
    struct table t;
    bundle_table_init(&t, which);
    for (const struct arm *arm = r->arms; arm < r->arms + ARMS_MAX && arm->variant; arm++)
        if (fill[which] && (which != BUNDLE_EXPECT || !repeats_variant(r, arm))) /* programs have tables of their own */
            fill[which](&t, arm);
    struct str file;
    str_init(&file);
    int rc = table_rows(&t) ? table_append_csv(&t, files_join(&file, path, bundle_table_file(which)), e) : 0;
    str_release(&file);
    table_release(&t);
    return rc;
}

/* Three launches of 4 us calls, a kernel and 1 us apart; the kernel starts 6 us after its
 * call. A copy of 10 us starts 7 us before the first kernel: 3 us of it are hidden. */
static int trace_arm(struct shard_writer *w, const struct arm *arm, int64_t start_ns, uint32_t correlation,
                     struct err *e)
{
    char mark[512];
    snprintf(mark, sizeof mark, "%s | %s | measure", arm->variant, arm->config);
    const int64_t kernel_ns = (int64_t)arm->duration_ns;
    const int64_t end_ns = start_ns + 3 * (kernel_ns + 1000);
    struct cpprof_event range = {.start_ns = start_ns,
                                 .end_ns = end_ns,
                                 .kind = CPPROF_EVENT_RANGE,
                                 .device = -1,
                                 .rank = -1,
                                 .name = shard_writer_string(w, mark),
                                 .thread = 1,
                                 .detail = shard_writer_string(w, "cpprof")};
    struct cpprof_event copy = {.start_ns = start_ns,
                                .end_ns = start_ns + 10000,
                                .kind = CPPROF_EVENT_COPY,
                                .rank = -1,
                                .detail = CPPROF_COPY_H2D,
                                .size_bytes = 65536,
                                .stream = 8,
                                .correlation = correlation + 3,
                                .name = shard_writer_string(w, "[CUDA memcpy HtoD]")};
    struct cpprof_event copy_call = {.start_ns = start_ns,
                                     .end_ns = start_ns + 500,
                                     .kind = CPPROF_EVENT_API,
                                     .device = -1,
                                     .rank = -1,
                                     .correlation = correlation + 3,
                                     .thread = 1,
                                     .detail = CPPROF_API_COPY,
                                     .name = shard_writer_string(w, "cudaMemcpyAsync")};
    int rc = shard_writer_add(w, &range, e);
    if (!rc)
        rc = shard_writer_add(w, &copy_call, e);
    if (!rc)
        rc = shard_writer_add(w, &copy, e);
    for (uint32_t i = 0; !rc && i < 3; i++) {
        const int64_t call_ns = start_ns + 1000 + i * (kernel_ns + 1000);
        struct cpprof_event call = {.start_ns = call_ns,
                                    .end_ns = call_ns + (i ? 4000 : 16000),
                                    .kind = CPPROF_EVENT_API,
                                    .device = -1,
                                    .rank = -1,
                                    .correlation = correlation + i,
                                    .thread = 1,
                                    .detail = CPPROF_API_LAUNCH,
                                    .name = shard_writer_string(w, "cudaLaunchKernel")};
        struct cpprof_event kernel = {.start_ns = call_ns + 6000,
                                      .end_ns = call_ns + 6000 + kernel_ns,
                                      .kind = CPPROF_EVENT_KERNEL,
                                      .rank = -1,
                                      .correlation = correlation + i,
                                      .stream = 7,
                                      .grid = {132, 1, 1},
                                      .block = {256, 1, 1},
                                      .name = shard_writer_string(w, arm->kernel)};
        rc = shard_writer_add(w, &call, e);
        if (!rc)
            rc = shard_writer_add(w, &kernel, e);
    }
    return rc;
}

static int write_trace(const struct recipe *r, const char *path, struct err *e)
{
    struct str file;
    str_init(&file);
    struct shard_writer w;
    int rc = shard_writer_open(&w, files_join(&file, path, "trace-1-0.bin"), -1, 0, e);
    str_release(&file);
    if (rc)
        return rc;
    int64_t start_ns = 1000000;
    uint32_t correlation = 1;
    for (const struct arm *arm = r->arms; !rc && arm < r->arms + ARMS_MAX && arm->variant; arm++) {
        if (!isfinite(arm->duration_ns))
            continue;
        rc = trace_arm(&w, arm, start_ns, correlation, e);
        start_ns += 1000000;
        correlation += 4;
    }
    int closed = shard_writer_close(&w, e);
    return rc ? rc : closed;
}

/* A process that traced nothing wrote no records. */
static void forget_records(const json_t *manifest)
{
    json_t *processes = json_object_get(manifest, "processes");
    for (size_t i = 0; i < json_array_size(processes); i++) {
        json_t *collector = json_object_get(json_array_get(processes, i), "collector");
        if (!collector)
            continue;
        json_object_set_new(collector, "records", json_integer(0));
        json_object_set_new(collector, "record_bytes", json_integer(0));
    }
}

/* Takes the manifest. */
static int make_at(const struct recipe *r, const char *path, json_t *manifest, struct err *e)
{
    if (!r->traced)
        forget_records(manifest);
    int rc = manifest ? bundle_create(path, manifest, e) : err_set(e, ERR_INTERNAL, "%s: bad manifest", r->name);
    for (int i = 0; !rc && i < BUNDLE_TABLE_COUNT; i++)
        rc = write_table(r, path, (enum bundle_table)i, e);
    if (!rc && r->traced)
        rc = write_trace(r, path, e);
    if (!rc && r->complete)
        rc = bundle_seal(path, manifest, e);
    json_decref(manifest);
    return rc;
}

static int make(const struct recipe *r, const char *directory, struct err *e)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.cpprof", directory, r->name);
    return make_at(r, path, json_loads(r->manifest, 0, NULL), e);
}

/* ---- a pool: a thing against itself ---- */

/* Each process takes each arm's time, off by at most 0.3% that all arms share and 0.2% of its own. */
static const struct {
    const char *variant, *config, *baseline;
    double duration_ns;
} pool_arms[] = {
    {"dose/chain", "us2 extra_ppm=0", "", 2000},       {"dose/chain#2", "us2 extra_ppm=0", "dose/chain", 2000},
    {"dose/chain", "us2 extra_ppm=100000", "", 2050}, /* 10% of a quarter of the time: 2.5% */
    {"dose/chain", "us2 extra_ppm=20000", "", 2010},  /* 0.5% */
    {"dose/chain", "us50 extra_ppm=0", "", 50000},     {"dose/chain#2", "us50 extra_ppm=0", "dose/chain", 50000},
    {"dose/chain", "us50 extra_ppm=30000", "", 51455}, /* 3% of 97% of the time: 2.91% */
};

enum { POOL_ARMS = COUNT_OF(pool_arms) };

/* From -1 to 1; Numerical Recipes' quick generator is good enough to be uneven. */
static double noise(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / (1 << 23) - 1;
}

static void pool_rows(struct table *variants, struct table *timing, int processes)
{
    uint32_t random = 1;
    for (int process = 0; process < processes; process++) {
        const double shared = 1 + 0.003 * noise(&random);
        for (size_t i = 0; i < POOL_ARMS; i++) {
            struct cell *row = table_add_row(timing);
            row[TIMING_VARIANT] = cell_text(timing, pool_arms[i].variant);
            row[TIMING_SHAPE] = cell_text(timing, pool_arms[i].config);
            row[TIMING_PROCESS] = cell_integer(process);
            row[TIMING_CACHE] = cell_text(timing, "hot");
            row[TIMING_BATCH] = cell_integer(pool_arms[i].duration_ns < 5000 ? 100 : 1);
            row[TIMING_DURATION] = cell_number(pool_arms[i].duration_ns * shared * (1 + 0.002 * noise(&random)));
        }
    }
    for (size_t i = 0; i < POOL_ARMS; i++) {
        struct cell *row = table_add_row(variants);
        row[VARIANTS_VARIANT] = cell_text(variants, pool_arms[i].variant);
        row[VARIANTS_SHAPE] = cell_text(variants, pool_arms[i].config);
        row[VARIANTS_BASELINE] = cell_text(variants, pool_arms[i].baseline);
        row[VARIANTS_KERNEL_PATTERN] = cell_text(variants, "^dose_chain");
        row[VARIANTS_STATUS] = cell_text(variants, "ready");
    }
}

static int make_pool(const char *directory, const char *name, int processes, struct err *e)
{
    char path[4096];
    struct str file;
    struct table variants, timing;
    str_init(&file);
    bundle_table_init(&variants, BUNDLE_VARIANTS);
    bundle_table_init(&timing, BUNDLE_TIMING);
    snprintf(path, sizeof path, "%s/%s.cpprof", directory, name);
    json_t *manifest = json_pack("{s:s,s:{s:s}}", "kind", "aa", "gpu", "name", "NVIDIA H200");
    int rc = bundle_create(path, manifest, e);
    pool_rows(&variants, &timing, processes);
    if (!rc)
        rc = table_append_csv(&variants, files_join(&file, path, bundle_table_file(BUNDLE_VARIANTS)), e);
    if (!rc)
        rc = table_append_csv(&timing, files_join(&file, path, bundle_table_file(BUNDLE_TIMING)), e);
    if (!rc)
        rc = bundle_seal(path, manifest, e);
    json_decref(manifest);
    table_release(&variants);
    table_release(&timing);
    str_release(&file);
    return rc;
}

/* ---- a run with the noise of a recorded pool ---- */

/* The case of the pool with the most noise: 0.2% from process to process. */
static const char drawn_variant[] = "dose/chain", drawn_config[] = "steps=32 extra_ppm=0";
enum { POOL_PROCESSES_MAX = 1000, DRAWN_NS = 20000 };

/* Reads the times of the case, each divided by their median. Returns how many. */
static size_t read_noise(const char *pool, double *out, struct err *e)
{
    struct bundle b;
    size_t count = 0;
    double sorted[POOL_PROCESSES_MAX];
    bundle_init(&b);
    const int rc = bundle_open(&b, pool, e);
    const struct table *timing = &b.tables[BUNDLE_TIMING];
    for (size_t row = 0; !rc && row < table_rows(timing) && count < POOL_PROCESSES_MAX; row++)
        if (!strcmp(table_text(timing, row, TIMING_VARIANT), drawn_variant) &&
            !strcmp(table_text(timing, row, TIMING_SHAPE), drawn_config))
            sorted[count] = out[count] = table_number(timing, row, TIMING_DURATION), count++;
    const double middle = median(sorted, count);
    for (size_t i = 0; i < count; i++)
        out[i] /= middle;
    bundle_release(&b);
    return count;
}

/* Processes that followed one another, from a place that SEED chooses. WIDER multiplies what they are off by. Two seeds
 * may choose one place: a millionth apart, they are two recordings all the same. */
static int make_drawn(char **argv, struct err *e)
{
    double noise_of[POOL_PROCESSES_MAX], times[DRAWN];
    const size_t count = read_noise(argv[1], noise_of, e);
    if (count < DRAWN)
        return err_set(e, ERR_INPUT, "'%s' has too few processes of %s at %s: %s", argv[1], drawn_variant, drawn_config,
                       e->text);
    uint64_t state = strtoull(argv[2], NULL, 10);
    const size_t from = resampling_draw(&state, count - DRAWN + 1);
    const double factor = strtod(argv[3], NULL), wider = strtod(argv[4], NULL);
    for (size_t i = 0; i < DRAWN; i++)
        times[i] = DRAWN_NS * factor * (1 + wider * (noise_of[from + i] - 1)) *
                   (1 + 1e-9 * (double)resampling_draw(&state, 1000));
    drawn_times = times;
    const struct recipe r = {.traced = true,
                             .complete = true,
                             .arms = {{"pipeline/sync", KEY, "", "^pipeline_sync", "pipeline_sync", DRAWN_NS * factor,
                                       40, 16384, 0, 0, 0, 0, argv[5], "ready", 0}}};
    json_t *manifest = json_loads(full_manifest, 0, NULL);
    json_object_set_new(manifest, "created_unix_s", json_integer(strtoll(argv[6], NULL, 10)));
    json_object_set_new(manifest, "repository", json_pack("{s:s}", "commit", argv[5]));
    const int rc = make_at(&r, argv[0], manifest, e);
    drawn_times = NULL;
    return rc;
}

enum { DRAWN_WORDS = 9 };

static int report(int rc, const struct err *e)
{
    if (rc)
        fprintf(stderr, "make_bundles: %s\n", e->text);
    return rc ? (int)err_exit_status(rc) : 0;
}

int main(int argc, char **argv)
{
    struct err e = {0};
    if (argc == DRAWN_WORDS && !strcmp(argv[1], "drawn"))
        return report(make_drawn(argv + 2, &e), &e);
    if (argc != 2)
        return EXIT_USAGE;
    int rc = files_make_directory(argv[1], &e);
    for (size_t i = 0; !rc && i < COUNT_OF(recipes); i++)
        rc = make(&recipes[i], argv[1], &e);
    if (!rc)
        rc = make_pool(argv[1], "pool", 100, &e);
    if (!rc)
        rc = make_pool(argv[1], "small_pool", 12, &e);
    return report(rc, &e);
}
