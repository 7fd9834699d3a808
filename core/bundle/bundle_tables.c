/* Which columns does each table of a bundle have, and which values may they hold? */
#include "core/bundle/bundle_tables.h"

#include <math.h>
#include <string.h>

#include "core/gpu/metrics.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Rules for the values of a column (core/io/table.h). */
#define ANY                                                                                                            \
    {                                                                                                                  \
        0, RANGE_ANY, NULL                                                                                             \
    }
#define REQUIRED                                                                                                       \
    {                                                                                                                  \
        COLUMN_REQUIRED, RANGE_ANY, NULL                                                                               \
    }
#define KEY                                                                                                            \
    {                                                                                                                  \
        COLUMN_REQUIRED | COLUMN_KEY, RANGE_ANY, NULL                                                                  \
    }
#define KEY_OR_EMPTY                                                                                                   \
    {                                                                                                                  \
        COLUMN_KEY, RANGE_ANY, NULL                                                                                    \
    }
#define KEY_INDEX                                                                                                      \
    {                                                                                                                  \
        COLUMN_REQUIRED | COLUMN_KEY | COLUMN_WHOLE, RANGE_FROM_0, NULL                                                \
    }
#define KEY_INDEX_OR_EMPTY                                                                                             \
    {                                                                                                                  \
        COLUMN_KEY | COLUMN_WHOLE, RANGE_FROM_0, NULL                                                                  \
    }
#define INDEX                                                                                                          \
    {                                                                                                                  \
        COLUMN_REQUIRED | COLUMN_WHOLE, RANGE_FROM_0, NULL                                                             \
    }
#define INDEX_OR_EMPTY                                                                                                 \
    {                                                                                                                  \
        COLUMN_WHOLE, RANGE_FROM_0, NULL                                                                               \
    }
#define WHOLE_FROM_1                                                                                                   \
    {                                                                                                                  \
        COLUMN_WHOLE, RANGE_FROM_1, NULL                                                                               \
    }
#define FROM_0                                                                                                         \
    {                                                                                                                  \
        0, RANGE_FROM_0, NULL                                                                                          \
    }
#define ABOVE_0                                                                                                        \
    {                                                                                                                  \
        0, RANGE_ABOVE_0, NULL                                                                                         \
    }
#define SHARE                                                                                                          \
    {                                                                                                                  \
        0, RANGE_SHARE, NULL                                                                                           \
    }
#define YES_NO                                                                                                         \
    {                                                                                                                  \
        0, RANGE_ANY, "yes no"                                                                                         \
    }

static const struct column variants[] = {
    [VARIANTS_VARIANT] = {"variant", UNIT_TEXT, KEY},
    [VARIANTS_SHAPE] = {"shape", UNIT_TEXT, KEY},
    [VARIANTS_BASELINE] = {"baseline", UNIT_TEXT, ANY},
    [VARIANTS_KERNEL_PATTERN] = {"kernel_pattern", UNIT_TEXT, ANY},
    [VARIANTS_SUMMARY] = {"summary", UNIT_TEXT, ANY},
    [VARIANTS_SHARED_BYTES] = {"shared_bytes", UNIT_BYTES, INDEX_OR_EMPTY},
    [VARIANTS_FLOPS] = {"flops", UNIT_COUNT, FROM_0},
    [VARIANTS_BYTES] = {"bytes", UNIT_BYTES, FROM_0},
    [VARIANTS_STATUS] = {"status", UNIT_TEXT, ANY},
    [VARIANTS_BUS_FACTOR] = {"bus_factor", UNIT_NONE, ABOVE_0},
    [VARIANTS_SIGNALS] = {"signals", UNIT_TEXT, ANY},
    [VARIANTS_BOUND] = {"bound", UNIT_TEXT, ANY},
    [VARIANTS_IMPROVES_ON] = {"improves_on", UNIT_TEXT, ANY},
    [VARIANTS_CHOSEN] = {"chosen", UNIT_TEXT, ANY},
    [VARIANTS_NO_VERDICT] = {"no_verdict", UNIT_TEXT, ANY},
};

static const struct column expect[] = {
    [EXPECT_VARIANT] = {"variant", UNIT_TEXT, REQUIRED},
    [EXPECT_METRIC] = {"metric", UNIT_TEXT, REQUIRED},
    [EXPECT_MIN] = {"min", UNIT_NONE, ANY},
    [EXPECT_MAX] = {"max", UNIT_NONE, ANY},
    [EXPECT_SHAPE] = {"shape", UNIT_TEXT, ANY},
};

static const struct column timing[] = {
    [TIMING_VARIANT] = {"variant", UNIT_TEXT, KEY},
    [TIMING_SHAPE] = {"shape", UNIT_TEXT, KEY},
    [TIMING_PROCESS] = {"process", UNIT_COUNT, KEY_INDEX},
    [TIMING_BLOCK] = {"block", UNIT_COUNT, KEY_INDEX_OR_EMPTY},
    [TIMING_ORDER] = {"order", UNIT_COUNT, INDEX_OR_EMPTY},
    [TIMING_ITERATION] = {"iteration", UNIT_COUNT, KEY_INDEX_OR_EMPTY},
    [TIMING_CACHE] = {"cache", UNIT_TEXT, {COLUMN_REQUIRED | COLUMN_KEY, RANGE_ANY, "hot rotated cold program"}},
    [TIMING_BATCH] = {"batch", UNIT_COUNT, WHOLE_FROM_1},
    [TIMING_SM_CLOCK] = {"sm_clock_hz", UNIT_HZ, ABOVE_0},
    [TIMING_DURATION] = {"duration_ns", UNIT_NS, FROM_0},
    [TIMING_THROTTLED] = {"throttled", UNIT_TEXT, YES_NO},
};

static const struct column metrics[] = {
    [METRICS_VARIANT] = {"variant", UNIT_TEXT, KEY},
    [METRICS_SHAPE] = {"shape", UNIT_TEXT, KEY},
    [METRICS_KERNEL] = {"kernel", UNIT_TEXT, KEY_OR_EMPTY},
    [METRICS_LAUNCH] = {"launch", UNIT_COUNT, KEY_INDEX},
    [METRICS_METRIC] = {"metric", UNIT_TEXT, KEY},
    [METRICS_UNIT] = {"unit", UNIT_TEXT, ANY},
    [METRICS_VALUE] = {"value", UNIT_NONE, ANY},
};

static const struct column resources[] = {
    [RESOURCES_VARIANT] = {"variant", UNIT_TEXT, KEY},
    [RESOURCES_SHAPE] = {"shape", UNIT_TEXT, KEY},
    [RESOURCES_KERNEL] = {"kernel", UNIT_TEXT, KEY},
    [RESOURCES_GRID] = {"grid_blocks", UNIT_COUNT, WHOLE_FROM_1},
    [RESOURCES_BLOCK] = {"block_threads", UNIT_COUNT, WHOLE_FROM_1},
    [RESOURCES_REGISTERS] = {"registers", UNIT_COUNT, INDEX_OR_EMPTY},
    [RESOURCES_SHARED] = {"shared_bytes", UNIT_BYTES, INDEX_OR_EMPTY},
    [RESOURCES_LOCAL] = {"local_bytes", UNIT_BYTES, INDEX_OR_EMPTY},
    [RESOURCES_SPILL] = {"spill_bytes", UNIT_BYTES, INDEX_OR_EMPTY},
    [RESOURCES_BLOCKS_PER_SM] = {"blocks_per_sm", UNIT_COUNT, INDEX_OR_EMPTY},
    [RESOURCES_OCCUPANCY] = {"occupancy", UNIT_RATIO, SHARE},
    [RESOURCES_WAVES] = {"waves", UNIT_NONE, FROM_0},
    [RESOURCES_CODE_HASH] = {"code_hash", UNIT_TEXT, ANY},
    [RESOURCES_CODE_BYTES] = {"code_bytes", UNIT_BYTES, INDEX_OR_EMPTY},
};

static const struct column verify[] = {
    [VERIFY_VARIANT] = {"variant", UNIT_TEXT, KEY},
    [VERIFY_SHAPE] = {"shape", UNIT_TEXT, KEY},
    [VERIFY_PROCESS] = {"process", UNIT_COUNT, {COLUMN_KEY_KNOWN | COLUMN_WHOLE, RANGE_FROM_0, NULL}},
    [VERIFY_SEED] = {"seed", UNIT_TEXT, KEY_OR_EMPTY},
    [VERIFY_PHASE] = {"phase", UNIT_TEXT, KEY},
    [VERIFY_MAX_ABS_ERR] = {"max_abs_err", UNIT_NONE, FROM_0},
    [VERIFY_BAD_RATIO] = {"bad_ratio", UNIT_RATIO, SHARE},
    [VERIFY_VALUES] = {"values", UNIT_COUNT, INDEX_OR_EMPTY},
    [VERIFY_OUTPUT_HASH] = {"output_hash", UNIT_TEXT, ANY},
    [VERIFY_BITWISE] = {"bitwise_equal_to_baseline", UNIT_TEXT, YES_NO},
    [VERIFY_PASS] = {"pass", UNIT_TEXT, YES_NO},
    [VERIFY_HINT] = {"hint", UNIT_TEXT, ANY},
};

static const struct column mismatches[] = {
    [MISMATCHES_VARIANT] = {"variant", UNIT_TEXT, REQUIRED},
    [MISMATCHES_SHAPE] = {"shape", UNIT_TEXT, REQUIRED},
    [MISMATCHES_SEED] = {"seed", UNIT_TEXT, ANY},
    [MISMATCHES_PHASE] = {"phase", UNIT_TEXT, REQUIRED},
    [MISMATCHES_INDEX] = {"index", UNIT_COUNT, INDEX},
    [MISMATCHES_WHERE] = {"where", UNIT_TEXT, ANY},
    [MISMATCHES_EXPECTED] = {"expected", UNIT_NONE, ANY},
    [MISMATCHES_GOT] = {"got", UNIT_NONE, ANY},
};

static const struct column iterations[] = {
    [ITERATIONS_VARIANT] = {"variant", UNIT_TEXT, KEY},
    [ITERATIONS_SHAPE] = {"shape", UNIT_TEXT, KEY},
    [ITERATIONS_PROCESS] = {"process", UNIT_COUNT, KEY_INDEX},
    [ITERATIONS_ITERATION] = {"iteration", UNIT_COUNT, KEY_INDEX},
    [ITERATIONS_START] = {"start_ns", UNIT_NS, REQUIRED},
    [ITERATIONS_BUSY] = {"busy_ns", UNIT_NS, INDEX},
    [ITERATIONS_SPAN] = {"span_ns", UNIT_NS, INDEX},
    [ITERATIONS_INTERVAL] = {"interval_ns", UNIT_NS, INDEX_OR_EMPTY},
    [ITERATIONS_IDLE] = {"idle_ns", UNIT_NS, INDEX_OR_EMPTY},
    [ITERATIONS_KERNELS] = {"kernels", UNIT_COUNT, INDEX},
    [ITERATIONS_COPIES] = {"copies", UNIT_COUNT, INDEX},
    [ITERATIONS_BYTES] = {"bytes", UNIT_BYTES, INDEX},
};

static const struct column work[] = {
    [WORK_VARIANT] = {"variant", UNIT_TEXT, KEY},
    [WORK_SHAPE] = {"shape", UNIT_TEXT, KEY},
    [WORK_PROCESS] = {"process", UNIT_COUNT, KEY_INDEX},
    [WORK_KIND] = {"kind", UNIT_TEXT, {COLUMN_REQUIRED | COLUMN_KEY, RANGE_ANY, "kernel copy others"}},
    [WORK_NAME] = {"name", UNIT_TEXT, KEY_OR_EMPTY},
    [WORK_COUNT] = {"count", UNIT_COUNT, INDEX},
    [WORK_SUM] = {"sum_ns", UNIT_NS, INDEX},
    [WORK_BYTES] = {"bytes", UNIT_BYTES, INDEX},
    [WORK_CHOSEN_COUNT] = {"chosen_count", UNIT_COUNT, INDEX},
    [WORK_CHOSEN_SUM] = {"chosen_ns", UNIT_NS, INDEX},
    [WORK_CHOSEN_BYTES] = {"chosen_bytes", UNIT_BYTES, INDEX},
};

static const struct column hotspots[] = {
    [HOTSPOTS_VARIANT] = {"variant", UNIT_TEXT, REQUIRED},
    [HOTSPOTS_SHAPE] = {"shape", UNIT_TEXT, REQUIRED},
    [HOTSPOTS_KERNEL] = {"kernel", UNIT_TEXT, REQUIRED},
    [HOTSPOTS_OFFSET] = {"offset", UNIT_BYTES, INDEX_OR_EMPTY},
    [HOTSPOTS_INSTRUCTION] = {"instruction", UNIT_TEXT, ANY},
    [HOTSPOTS_FILE] = {"file", UNIT_TEXT, ANY},
    [HOTSPOTS_LINE] = {"line", UNIT_COUNT, INDEX_OR_EMPTY},
    [HOTSPOTS_REASON] = {"reason", UNIT_TEXT, REQUIRED},
    [HOTSPOTS_SAMPLES] = {"samples", UNIT_COUNT, INDEX},
    [HOTSPOTS_TEXT] = {"text", UNIT_TEXT, ANY},
};

static const struct column witness[] = {
    [WITNESS_VARIANT] = {"variant", UNIT_TEXT, ANY},    [WITNESS_SHAPE] = {"shape", UNIT_TEXT, ANY},
    [WITNESS_PROCESS] = {"process", UNIT_COUNT, INDEX}, [WITNESS_PLACE] = {"place", UNIT_TEXT, REQUIRED},
    [WITNESS_WHAT] = {"what", UNIT_TEXT, REQUIRED},     [WITNESS_VALUE] = {"value", UNIT_NONE, FROM_0},
};

const char *const inside_kinds[INSIDE_KIND_COUNT] = {"other", "issue", "wait", "transform", "compute", "poll"};

static const struct column inside_phases[] = {
    [INSIDE_PHASES_VARIANT] = {"variant", UNIT_TEXT, KEY},
    [INSIDE_PHASES_SHAPE] = {"shape", UNIT_TEXT, KEY},
    [INSIDE_PHASES_ROLE] = {"role", UNIT_COUNT, KEY_INDEX},
    [INSIDE_PHASES_MARK] = {"mark", UNIT_COUNT, KEY_INDEX},
    [INSIDE_PHASES_KIND] = {"kind",
                            UNIT_TEXT,
                            {COLUMN_REQUIRED | COLUMN_KEY, RANGE_ANY, "other issue wait transform compute poll"}},
    [INSIDE_PHASES_ROLE_NAME] = {"role_name", UNIT_TEXT, REQUIRED},
    [INSIDE_PHASES_NAME] = {"name", UNIT_TEXT, KEY},
    [INSIDE_PHASES_UNTIL] = {"until", UNIT_COUNT, INDEX},
    [INSIDE_PHASES_AHEAD] = {"ahead", UNIT_COUNT, INDEX},
};

static const struct column inside_warps[] = {
    [INSIDE_WARPS_VARIANT] = {"variant", UNIT_TEXT, KEY},
    [INSIDE_WARPS_SHAPE] = {"shape", UNIT_TEXT, KEY},
    [INSIDE_WARPS_LAUNCH] = {"launch", UNIT_COUNT, KEY_INDEX},
    [INSIDE_WARPS_BLOCK] = {"block", UNIT_COUNT, KEY_INDEX},
    [INSIDE_WARPS_WARP] = {"warp", UNIT_COUNT, KEY_INDEX},
    [INSIDE_WARPS_SM] = {"sm", UNIT_COUNT, INDEX},
    [INSIDE_WARPS_ROLE] = {"role", UNIT_COUNT, INDEX},
    [INSIDE_WARPS_TILES] = {"tiles", UNIT_COUNT, INDEX},
    [INSIDE_WARPS_BEGIN_NS] = {"begin_ns", UNIT_NS, INDEX},
    [INSIDE_WARPS_END_NS] = {"end_ns", UNIT_NS, INDEX},
    [INSIDE_WARPS_BEGIN_CYCLE] = {"begin_cycle", UNIT_COUNT, INDEX},
    [INSIDE_WARPS_END_CYCLE] = {"end_cycle", UNIT_COUNT, INDEX},
    [INSIDE_WARPS_DEVICE] = {"device", UNIT_COUNT, INDEX_OR_EMPTY},
};

static const struct column inside_tiles[] = {
    [INSIDE_TILES_VARIANT] = {"variant", UNIT_TEXT, KEY},
    [INSIDE_TILES_SHAPE] = {"shape", UNIT_TEXT, KEY},
    [INSIDE_TILES_LAUNCH] = {"launch", UNIT_COUNT, KEY_INDEX},
    [INSIDE_TILES_BLOCK] = {"block", UNIT_COUNT, KEY_INDEX},
    [INSIDE_TILES_WARP] = {"warp", UNIT_COUNT, KEY_INDEX},
    [INSIDE_TILES_TILE] = {"tile", UNIT_COUNT, KEY_INDEX},
    [INSIDE_TILES_MARKS] = {"mark_0", UNIT_COUNT, INDEX_OR_EMPTY},
    {"mark_1", UNIT_COUNT, INDEX_OR_EMPTY},
    {"mark_2", UNIT_COUNT, INDEX_OR_EMPTY},
    {"mark_3", UNIT_COUNT, INDEX_OR_EMPTY},
    {"mark_4", UNIT_COUNT, INDEX_OR_EMPTY},
    {"mark_5", UNIT_COUNT, INDEX_OR_EMPTY},
    {"mark_6", UNIT_COUNT, INDEX_OR_EMPTY},
    {"mark_7", UNIT_COUNT, INDEX_OR_EMPTY},
};

static const struct column inside_series[] = {
    [INSIDE_SERIES_VARIANT] = {"variant", UNIT_TEXT, KEY},
    [INSIDE_SERIES_SHAPE] = {"shape", UNIT_TEXT, KEY},
    [INSIDE_SERIES_LAUNCH] = {"launch", UNIT_COUNT, KEY_INDEX},
    [INSIDE_SERIES_BEGIN_NS] = {"begin_ns", UNIT_NS, KEY_INDEX},
    [INSIDE_SERIES_TAKEN_NS] = {"taken_ns", UNIT_NS, {COLUMN_REQUIRED | COLUMN_WHOLE, RANGE_FROM_1, NULL}},
    [INSIDE_SERIES_ACTIVE] = {"active", UNIT_RATIO, FROM_0},
    [INSIDE_SERIES_ISSUE] = {"issue", UNIT_RATIO, FROM_0},
    [INSIDE_SERIES_TENSOR] = {"tensor", UNIT_RATIO, FROM_0},
    [INSIDE_SERIES_FMA] = {"fma", UNIT_RATIO, FROM_0},
    [INSIDE_SERIES_XU] = {"xu", UNIT_RATIO, FROM_0},
    [INSIDE_SERIES_L1_REQUEST] = {"l1_request", UNIT_RATIO, FROM_0},
    [INSIDE_SERIES_L1_FILL] = {"l1_fill", UNIT_RATIO, FROM_0},
    [INSIDE_SERIES_L2] = {"l2", UNIT_RATIO, FROM_0},
    [INSIDE_SERIES_DRAM] = {"dram", UNIT_RATIO, FROM_0},
};

static const struct column delays[] = {
    [DELAYS_VARIANT] = {"variant", UNIT_TEXT, KEY},
    [DELAYS_SHAPE] = {"shape", UNIT_TEXT, KEY},
    [DELAYS_OF] = {"of", UNIT_TEXT, REQUIRED},
    [DELAYS_ROLE] = {"role", UNIT_COUNT, INDEX},
    [DELAYS_MARK] = {"mark", UNIT_COUNT, INDEX},
    [DELAYS_ASKED] = {"asked_cycles", UNIT_COUNT, INDEX_OR_EMPTY},
    [DELAYS_TAKEN] = {"taken_cycles", UNIT_COUNT, {COLUMN_REQUIRED, RANGE_FROM_0, NULL}},
};

static const struct column inside_progress[] = {
    [INSIDE_PROGRESS_VARIANT] = {"variant", UNIT_TEXT, KEY},
    [INSIDE_PROGRESS_SHAPE] = {"shape", UNIT_TEXT, KEY},
    [INSIDE_PROGRESS_DEVICE] = {"device", UNIT_COUNT, KEY_INDEX},
    [INSIDE_PROGRESS_BLOCK] = {"block", UNIT_COUNT, KEY_INDEX_OR_EMPTY},
    [INSIDE_PROGRESS_WARP] = {"warp", UNIT_COUNT, KEY_INDEX_OR_EMPTY},
    [INSIDE_PROGRESS_SM] = {"sm", UNIT_COUNT, INDEX_OR_EMPTY},
    [INSIDE_PROGRESS_ROLE] = {"role", UNIT_COUNT, INDEX_OR_EMPTY},
    [INSIDE_PROGRESS_ROLE_NAME] = {"role_name", UNIT_TEXT, ANY},
    [INSIDE_PROGRESS_TILE] = {"tile", UNIT_COUNT, INDEX_OR_EMPTY},
    [INSIDE_PROGRESS_MARK] = {"mark", UNIT_COUNT, INDEX_OR_EMPTY},
    [INSIDE_PROGRESS_PHASE] = {"phase", UNIT_TEXT, ANY},
    [INSIDE_PROGRESS_STATE] = {"state", UNIT_TEXT, {COLUMN_REQUIRED, RANGE_ANY, "absent begun marked ended"}},
    [INSIDE_PROGRESS_MOVES] = {"moves", UNIT_TEXT, YES_NO},
    [INSIDE_PROGRESS_WAITED_NS] = {"waited_ns", UNIT_NS, INDEX},
};

/* ---- rows that contradict themselves ---- */

bool bundle_is_runnable(const struct table *t, size_t row)
{
    return strncmp(table_text(t, row, VARIANTS_STATUS), VARIANT_NOT_RUNNABLE, strlen(VARIANT_NOT_RUNNABLE)) != 0;
}

static const char *variant_contradicts(const struct table *t, size_t row)
{
    const char *status = table_text(t, row, VARIANTS_STATUS);
    return *status && strcmp(status, VARIANT_READY) && bundle_is_runnable(t, row)
               ? "its status is neither 'ready' nor 'not runnable: ...'"
               : NULL;
}

static const char *expectation_contradicts(const struct table *t, size_t row)
{
    return isnan(table_number(t, row, EXPECT_MIN)) && isnan(table_number(t, row, EXPECT_MAX))
               ? "it expects nothing: both limits are empty"
               : NULL;
}

static const char *counter_contradicts(const struct table *t, size_t row)
{
    const char *unit = unit_name(metric_unit(table_text(t, row, METRICS_METRIC)));
    return strcmp(table_text(t, row, METRICS_UNIT), unit) ? "its unit is not that of the counter" : NULL;
}

/* A check that passes must have compared all values. */
static const char *check_contradicts(const struct table *t, size_t row)
{
    if (strcmp(table_text(t, row, VERIFY_PASS), "yes"))
        return NULL;
    if (isnan(table_number(t, row, VERIFY_MAX_ABS_ERR)))
        return "it passes, and its largest error is not known";
    return table_number(t, row, VERIFY_BAD_RATIO) == 0 ? NULL
                                                       : "it passes, and not all values are within their tolerance";
}

static bool is_more(const struct table *t, size_t row, size_t part, size_t whole)
{
    return table_number(t, row, part) > table_number(t, row, whole);
}

static const char *iteration_contradicts(const struct table *t, size_t row)
{
    return is_more(t, row, ITERATIONS_BUSY, ITERATIONS_SPAN)       ? "it is busy for longer than it lasts"
           : is_more(t, row, ITERATIONS_IDLE, ITERATIONS_INTERVAL) ? "it idles for longer than its interval"
                                                                   : NULL;
}

static const char *work_contradicts(const struct table *t, size_t row)
{
    return is_more(t, row, WORK_CHOSEN_COUNT, WORK_COUNT) || is_more(t, row, WORK_CHOSEN_SUM, WORK_SUM) ||
                   is_more(t, row, WORK_CHOSEN_BYTES, WORK_BYTES)
               ? "more of it was chosen than ran"
               : NULL;
}

static const char *hotspot_contradicts(const struct table *t, size_t row)
{
    return *table_text(t, row, HOTSPOTS_TEXT) && !(table_number(t, row, HOTSPOTS_LINE) > 0)
               ? "it has the text of a line, and no line"
               : NULL;
}

static const char *warp_contradicts(const struct table *t, size_t row)
{
    return is_more(t, row, INSIDE_WARPS_BEGIN_NS, INSIDE_WARPS_END_NS) ||
                   is_more(t, row, INSIDE_WARPS_BEGIN_CYCLE, INSIDE_WARPS_END_CYCLE)
               ? "it ends before it begins"
               : NULL;
}

static const char *phase_contradicts(const struct table *t, size_t row)
{
    return table_number(t, row, INSIDE_PHASES_MARK) >= CPPROF_MARKS_MAX ||
                   table_number(t, row, INSIDE_PHASES_UNTIL) >= CPPROF_MARKS_MAX
               ? "a role has 8 marks, 0 to 7"
               : NULL;
}

static const char *progress_contradicts(const struct table *t, size_t row)
{
    const bool is_absent = !strcmp(table_text(t, row, INSIDE_PROGRESS_STATE), PROGRESS_ABSENT);
    const bool is_marked = !strcmp(table_text(t, row, INSIDE_PROGRESS_STATE), PROGRESS_MARKED);
    const bool has_mark = !isnan(table_number(t, row, INSIDE_PROGRESS_MARK));
    if (is_absent != isnan(table_number(t, row, INSIDE_PROGRESS_WARP)))
        return "a row is either of a warp, or says that none has begun";
    if (has_mark != !isnan(table_number(t, row, INSIDE_PROGRESS_TILE)) || (is_marked && !has_mark))
        return "a mark has a tile, and a tile a mark";
    return table_number(t, row, INSIDE_PROGRESS_MARK) >= CPPROF_MARKS_MAX ||
                   table_number(t, row, INSIDE_PROGRESS_ROLE) >= CPPROF_ROLES_MAX
               ? "a kernel has 8 roles of 8 marks, 0 to 7"
               : NULL;
}

/* Steps of the unit's clock and of the sampling clock do not agree: at 500 ns up to 110% were read (H200). */
static const char *sample_contradicts(const struct table *t, size_t row)
{
    for (size_t unit = INSIDE_SERIES_UNITS; unit < INSIDE_SERIES_COLUMNS; unit++)
        if (table_number(t, row, unit) > 1.25)
            return "a unit is busy for longer than the sample takes";
    return NULL;
}

/* ---- the tables ---- */

static const struct {
    const char *file;
    const struct column *columns;
    size_t count;
    size_t optional_count; /* how many of the last columns bundles of earlier versions may lack */
    table_contradiction *contradiction;
} tables[BUNDLE_TABLE_COUNT] = {
    [BUNDLE_VARIANTS] = {"variants.csv", variants, COUNT(variants), 6, variant_contradicts},
    [BUNDLE_EXPECT] = {"expect.csv", expect, COUNT(expect), 1, expectation_contradicts},
    [BUNDLE_TIMING] = {"timing.csv", timing, COUNT(timing), 1, NULL},
    [BUNDLE_METRICS] = {"metrics.csv", metrics, COUNT(metrics), 0, counter_contradicts},
    [BUNDLE_RESOURCES] = {"resources.csv", resources, COUNT(resources), 0, NULL},
    [BUNDLE_VERIFY] = {"verify.csv", verify, COUNT(verify), 0, check_contradicts},
    [BUNDLE_MISMATCHES] = {"mismatches.csv", mismatches, COUNT(mismatches), 0, NULL},
    [BUNDLE_ITERATIONS] = {"iterations.csv", iterations, COUNT(iterations), 0, iteration_contradicts},
    [BUNDLE_WORK] = {"work.csv", work, COUNT(work), 0, work_contradicts},
    [BUNDLE_HOTSPOTS] = {"hotspots.csv", hotspots, COUNT(hotspots), 1, hotspot_contradicts},
    [BUNDLE_WITNESS] = {"witness.csv", witness, COUNT(witness), 0, NULL},
    [BUNDLE_INSIDE_PHASES] = {"inside_phases.csv", inside_phases, COUNT(inside_phases), 0, phase_contradicts},
    [BUNDLE_INSIDE_WARPS] = {"inside_warps.csv", inside_warps, COUNT(inside_warps), 1, warp_contradicts},
    [BUNDLE_INSIDE_TILES] = {"inside_tiles.csv", inside_tiles, COUNT(inside_tiles), 0, NULL},
    [BUNDLE_INSIDE_SERIES] = {"inside_series.csv", inside_series, COUNT(inside_series), 0, sample_contradicts},
    [BUNDLE_DELAYS] = {"delays.csv", delays, COUNT(delays), 0, NULL},
    [BUNDLE_INSIDE_PROGRESS] = {"inside_progress.csv", inside_progress, COUNT(inside_progress), 0,
                                progress_contradicts},
};

int bundle_table_check(const struct table *t, enum bundle_table which, size_t *good_rows, struct str *why,
                       struct err *e)
{
    return table_check(t, tables[which].contradiction, good_rows, why, e);
}

const char *bundle_table_file(enum bundle_table which)
{
    return tables[which].file;
}

void bundle_table_init(struct table *t, enum bundle_table which)
{
    table_init(t, tables[which].columns, tables[which].count);
    t->optional_count = tables[which].optional_count;
}
