/* Which columns does each table of a bundle have? */
#include "model/bundle_tables.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct column variants[] = {
    [VARIANTS_VARIANT] = {"variant", UNIT_TEXT},
    [VARIANTS_SHAPE] = {"shape", UNIT_TEXT},
    [VARIANTS_BASELINE] = {"baseline", UNIT_TEXT},
    [VARIANTS_KERNEL_PATTERN] = {"kernel_pattern", UNIT_TEXT},
    [VARIANTS_SUMMARY] = {"summary", UNIT_TEXT},
    [VARIANTS_SHARED_BYTES] = {"shared_bytes", UNIT_BYTES},
    [VARIANTS_FLOPS] = {"flops", UNIT_COUNT},
    [VARIANTS_BYTES] = {"bytes", UNIT_BYTES},
    [VARIANTS_STATUS] = {"status", UNIT_TEXT},
    [VARIANTS_BUS_FACTOR] = {"bus_factor", UNIT_NONE},
    [VARIANTS_SIGNALS] = {"signals", UNIT_TEXT},
    [VARIANTS_BOUND] = {"bound", UNIT_TEXT},
    [VARIANTS_IMPROVES_ON] = {"improves_on", UNIT_TEXT},
    [VARIANTS_CHOSEN] = {"chosen", UNIT_TEXT},
    [VARIANTS_NO_VERDICT] = {"no_verdict", UNIT_TEXT},
};

static const struct column expect[] = {
    [EXPECT_VARIANT] = {"variant", UNIT_TEXT},
    [EXPECT_METRIC] = {"metric", UNIT_TEXT},
    [EXPECT_MIN] = {"min", UNIT_NONE},
    [EXPECT_MAX] = {"max", UNIT_NONE},
    [EXPECT_SHAPE] = {"shape", UNIT_TEXT},
};

static const struct column timing[] = {
    [TIMING_VARIANT] = {"variant", UNIT_TEXT},   [TIMING_SHAPE] = {"shape", UNIT_TEXT},
    [TIMING_PROCESS] = {"process", UNIT_COUNT},  [TIMING_BLOCK] = {"block", UNIT_COUNT},
    [TIMING_ORDER] = {"order", UNIT_COUNT},      [TIMING_ITERATION] = {"iteration", UNIT_COUNT},
    [TIMING_CACHE] = {"cache", UNIT_TEXT},       [TIMING_BATCH] = {"batch", UNIT_COUNT},
    [TIMING_SM_CLOCK] = {"sm_clock_hz", UNIT_HZ}, [TIMING_DURATION] = {"duration_ns", UNIT_NS},
    [TIMING_THROTTLED] = {"throttled", UNIT_TEXT},
};

static const struct column metrics[] = {
    [METRICS_VARIANT] = {"variant", UNIT_TEXT}, [METRICS_SHAPE] = {"shape", UNIT_TEXT},
    [METRICS_KERNEL] = {"kernel", UNIT_TEXT},   [METRICS_LAUNCH] = {"launch", UNIT_COUNT},
    [METRICS_METRIC] = {"metric", UNIT_TEXT},   [METRICS_UNIT] = {"unit", UNIT_TEXT},
    [METRICS_VALUE] = {"value", UNIT_NONE},
};

static const struct column resources[] = {
    [RESOURCES_VARIANT] = {"variant", UNIT_TEXT},
    [RESOURCES_SHAPE] = {"shape", UNIT_TEXT},
    [RESOURCES_KERNEL] = {"kernel", UNIT_TEXT},
    [RESOURCES_GRID] = {"grid_blocks", UNIT_COUNT},
    [RESOURCES_BLOCK] = {"block_threads", UNIT_COUNT},
    [RESOURCES_REGISTERS] = {"registers", UNIT_COUNT},
    [RESOURCES_SHARED] = {"shared_bytes", UNIT_BYTES},
    [RESOURCES_LOCAL] = {"local_bytes", UNIT_BYTES},
    [RESOURCES_SPILL] = {"spill_bytes", UNIT_BYTES},
    [RESOURCES_BLOCKS_PER_SM] = {"blocks_per_sm", UNIT_COUNT},
    [RESOURCES_OCCUPANCY] = {"occupancy", UNIT_RATIO},
    [RESOURCES_WAVES] = {"waves", UNIT_NONE},
    [RESOURCES_CODE_HASH] = {"code_hash", UNIT_TEXT},
    [RESOURCES_CODE_BYTES] = {"code_bytes", UNIT_BYTES},
};

static const struct column verify[] = {
    [VERIFY_VARIANT] = {"variant", UNIT_TEXT},
    [VERIFY_SHAPE] = {"shape", UNIT_TEXT},
    [VERIFY_PROCESS] = {"process", UNIT_COUNT},
    [VERIFY_SEED] = {"seed", UNIT_TEXT},
    [VERIFY_PHASE] = {"phase", UNIT_TEXT},
    [VERIFY_MAX_ABS_ERR] = {"max_abs_err", UNIT_NONE},
    [VERIFY_BAD_RATIO] = {"bad_ratio", UNIT_RATIO},
    [VERIFY_VALUES] = {"values", UNIT_COUNT},
    [VERIFY_OUTPUT_HASH] = {"output_hash", UNIT_TEXT},
    [VERIFY_BITWISE] = {"bitwise_equal_to_baseline", UNIT_TEXT},
    [VERIFY_PASS] = {"pass", UNIT_TEXT},
    [VERIFY_HINT] = {"hint", UNIT_TEXT},
};

static const struct column mismatches[] = {
    [MISMATCHES_VARIANT] = {"variant", UNIT_TEXT},
    [MISMATCHES_SHAPE] = {"shape", UNIT_TEXT},
    [MISMATCHES_SEED] = {"seed", UNIT_TEXT},
    [MISMATCHES_PHASE] = {"phase", UNIT_TEXT},
    [MISMATCHES_INDEX] = {"index", UNIT_COUNT},
    [MISMATCHES_WHERE] = {"where", UNIT_TEXT},
    [MISMATCHES_EXPECTED] = {"expected", UNIT_NONE},
    [MISMATCHES_GOT] = {"got", UNIT_NONE},
};

static const struct column iterations[] = {
    [ITERATIONS_VARIANT] = {"variant", UNIT_TEXT},
    [ITERATIONS_SHAPE] = {"shape", UNIT_TEXT},
    [ITERATIONS_PROCESS] = {"process", UNIT_COUNT},
    [ITERATIONS_ITERATION] = {"iteration", UNIT_COUNT},
    [ITERATIONS_START] = {"start_ns", UNIT_NS},
    [ITERATIONS_BUSY] = {"busy_ns", UNIT_NS},
    [ITERATIONS_SPAN] = {"span_ns", UNIT_NS},
    [ITERATIONS_INTERVAL] = {"interval_ns", UNIT_NS},
    [ITERATIONS_IDLE] = {"idle_ns", UNIT_NS},
    [ITERATIONS_KERNELS] = {"kernels", UNIT_COUNT},
    [ITERATIONS_COPIES] = {"copies", UNIT_COUNT},
    [ITERATIONS_BYTES] = {"bytes", UNIT_BYTES},
};

static const struct column work[] = {
    [WORK_VARIANT] = {"variant", UNIT_TEXT},
    [WORK_SHAPE] = {"shape", UNIT_TEXT},
    [WORK_PROCESS] = {"process", UNIT_COUNT},
    [WORK_KIND] = {"kind", UNIT_TEXT},
    [WORK_NAME] = {"name", UNIT_TEXT},
    [WORK_COUNT] = {"count", UNIT_COUNT},
    [WORK_SUM] = {"sum_ns", UNIT_NS},
    [WORK_BYTES] = {"bytes", UNIT_BYTES},
    [WORK_CHOSEN_COUNT] = {"chosen_count", UNIT_COUNT},
    [WORK_CHOSEN_SUM] = {"chosen_ns", UNIT_NS},
    [WORK_CHOSEN_BYTES] = {"chosen_bytes", UNIT_BYTES},
};

static const struct column hotspots[] = {
    [HOTSPOTS_VARIANT] = {"variant", UNIT_TEXT}, [HOTSPOTS_SHAPE] = {"shape", UNIT_TEXT},
    [HOTSPOTS_KERNEL] = {"kernel", UNIT_TEXT},   [HOTSPOTS_OFFSET] = {"offset", UNIT_BYTES},
    [HOTSPOTS_INSTRUCTION] = {"instruction", UNIT_TEXT},
    [HOTSPOTS_FILE] = {"file", UNIT_TEXT},       [HOTSPOTS_LINE] = {"line", UNIT_COUNT},
    [HOTSPOTS_REASON] = {"reason", UNIT_TEXT},   [HOTSPOTS_SAMPLES] = {"samples", UNIT_COUNT},
};

static const struct column witness[] = {
    [WITNESS_VARIANT] = {"variant", UNIT_TEXT}, [WITNESS_SHAPE] = {"shape", UNIT_TEXT},
    [WITNESS_PROCESS] = {"process", UNIT_COUNT}, [WITNESS_PLACE] = {"place", UNIT_TEXT},
    [WITNESS_WHAT] = {"what", UNIT_TEXT},        [WITNESS_VALUE] = {"value", UNIT_NONE},
};

static const struct {
    const char *file;
    const struct column *columns;
    size_t count;
    size_t optional_count; /* columns that bundles of earlier versions lack: the last ones */
} tables[BUNDLE_TABLE_COUNT] = {
    [BUNDLE_VARIANTS] = {"variants.csv", variants, COUNT(variants), 6},
    [BUNDLE_EXPECT] = {"expect.csv", expect, COUNT(expect), 1},
    [BUNDLE_TIMING] = {"timing.csv", timing, COUNT(timing), 1},
    [BUNDLE_METRICS] = {"metrics.csv", metrics, COUNT(metrics), 0},
    [BUNDLE_RESOURCES] = {"resources.csv", resources, COUNT(resources), 0},
    [BUNDLE_VERIFY] = {"verify.csv", verify, COUNT(verify), 0},
    [BUNDLE_MISMATCHES] = {"mismatches.csv", mismatches, COUNT(mismatches), 0},
    [BUNDLE_ITERATIONS] = {"iterations.csv", iterations, COUNT(iterations), 0},
    [BUNDLE_WORK] = {"work.csv", work, COUNT(work), 0},
    [BUNDLE_HOTSPOTS] = {"hotspots.csv", hotspots, COUNT(hotspots), 0},
    [BUNDLE_WITNESS] = {"witness.csv", witness, COUNT(witness), 0},
};

const char *bundle_table_file(enum bundle_table which)
{
    return tables[which].file;
}

void bundle_table_init(struct table *t, enum bundle_table which)
{
    table_init(t, tables[which].columns, tables[which].count);
    t->optional_count = tables[which].optional_count;
}
