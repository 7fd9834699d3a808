/* bundle_tables.h - the CSV tables of a bundle, for the runner that writes them and for all readers: columns, units,
 * allowed values, and which rows contradict themselves. docs/formats.md describes the same columns. */
#ifndef CPPROF_BUNDLE_TABLES_H
#define CPPROF_BUNDLE_TABLES_H

#include <stdbool.h>
#include <stddef.h>

#include "core/io/table_check.h"
#include "cpprof/inside.h"

enum bundle_table {
    BUNDLE_VARIANTS,
    BUNDLE_EXPECT,
    BUNDLE_TIMING,
    BUNDLE_METRICS,
    BUNDLE_RESOURCES,
    BUNDLE_VERIFY,
    BUNDLE_MISMATCHES,
    BUNDLE_ITERATIONS, /* programs only */
    BUNDLE_WORK,       /* programs only */
    BUNDLE_HOTSPOTS,
    BUNDLE_WITNESS,
    BUNDLE_INSIDE_PHASES,
    BUNDLE_INSIDE_WARPS,
    BUNDLE_INSIDE_TILES,
    BUNDLE_INSIDE_SERIES,
    BUNDLE_DELAYS,
    BUNDLE_INSIDE_PROGRESS,
    BUNDLE_TABLE_COUNT
};

/* A row is a variant with a shape and parameters, together its config: what was asked for. `shape` is the text of the
 * config, "mission ctas_per_sm=4 work=400", and identifies the config in all tables. */
enum variants_column {
    VARIANTS_VARIANT,
    VARIANTS_SHAPE,
    VARIANTS_BASELINE,
    VARIANTS_KERNEL_PATTERN,
    VARIANTS_SUMMARY,
    VARIANTS_SHARED_BYTES,
    VARIANTS_FLOPS,
    VARIANTS_BYTES,
    VARIANTS_STATUS,
    VARIANTS_BUS_FACTOR,
    VARIANTS_SIGNALS,
    VARIANTS_BOUND,
    VARIANTS_IMPROVES_ON,
    VARIANTS_CHOSEN,
    VARIANTS_NO_VERDICT,
    VARIANTS_COLUMNS
};
/* An expectation without a shape holds for every shape. */
enum expect_column { EXPECT_VARIANT, EXPECT_METRIC, EXPECT_MIN, EXPECT_MAX, EXPECT_SHAPE, EXPECT_COLUMNS };
enum timing_column {
    TIMING_VARIANT,
    TIMING_SHAPE,
    TIMING_PROCESS,
    TIMING_BLOCK,
    TIMING_ORDER,
    TIMING_ITERATION,
    TIMING_CACHE,
    TIMING_BATCH,
    TIMING_SM_CLOCK,
    TIMING_DURATION,
    TIMING_THROTTLED,
    TIMING_COLUMNS
};
enum metrics_column {
    METRICS_VARIANT,
    METRICS_SHAPE,
    METRICS_KERNEL,
    METRICS_LAUNCH,
    METRICS_METRIC,
    METRICS_UNIT,
    METRICS_VALUE,
    METRICS_COLUMNS
};
enum resources_column {
    RESOURCES_VARIANT,
    RESOURCES_SHAPE,
    RESOURCES_KERNEL,
    RESOURCES_GRID,
    RESOURCES_BLOCK,
    RESOURCES_REGISTERS,
    RESOURCES_SHARED,
    RESOURCES_LOCAL,
    RESOURCES_SPILL,
    RESOURCES_BLOCKS_PER_SM,
    RESOURCES_OCCUPANCY,
    RESOURCES_WAVES,
    RESOURCES_CODE_HASH,
    RESOURCES_CODE_BYTES,
    RESOURCES_COLUMNS
};
enum verify_column {
    VERIFY_VARIANT,
    VERIFY_SHAPE,
    VERIFY_PROCESS,
    VERIFY_SEED,
    VERIFY_PHASE,
    VERIFY_MAX_ABS_ERR,
    VERIFY_BAD_RATIO,
    VERIFY_VALUES,
    VERIFY_OUTPUT_HASH,
    VERIFY_BITWISE,
    VERIFY_PASS,
    VERIFY_HINT,
    VERIFY_COLUMNS
};
enum mismatches_column {
    MISMATCHES_VARIANT,
    MISMATCHES_SHAPE,
    MISMATCHES_SEED,
    MISMATCHES_PHASE,
    MISMATCHES_INDEX,
    MISMATCHES_WHERE,
    MISMATCHES_EXPECTED,
    MISMATCHES_GOT,
    MISMATCHES_COLUMNS
};
enum iterations_column {
    ITERATIONS_VARIANT,
    ITERATIONS_SHAPE,
    ITERATIONS_PROCESS,
    ITERATIONS_ITERATION,
    ITERATIONS_START,
    ITERATIONS_BUSY,
    ITERATIONS_SPAN,
    ITERATIONS_INTERVAL,
    ITERATIONS_IDLE,
    ITERATIONS_KERNELS,
    ITERATIONS_COPIES,
    ITERATIONS_BYTES,
    ITERATIONS_COLUMNS
};
enum work_column {
    WORK_VARIANT,
    WORK_SHAPE,
    WORK_PROCESS,
    WORK_KIND,
    WORK_NAME,
    WORK_COUNT,
    WORK_SUM,
    WORK_BYTES,
    WORK_CHOSEN_COUNT,
    WORK_CHOSEN_SUM,
    WORK_CHOSEN_BYTES,
    WORK_COLUMNS
};

enum hotspots_column {
    HOTSPOTS_VARIANT,
    HOTSPOTS_SHAPE,
    HOTSPOTS_KERNEL,
    HOTSPOTS_OFFSET,
    HOTSPOTS_INSTRUCTION,
    HOTSPOTS_FILE,
    HOTSPOTS_LINE,
    HOTSPOTS_REASON,
    HOTSPOTS_SAMPLES,
    HOTSPOTS_TEXT,
    HOTSPOTS_COLUMNS
};

/* Facts about an arm from outside its times, counters and trace. `place` is where it was seen (a moment of the traced
 * process, the graph that was timed, launches with a cold cache), `what` is the quantity. Readers ignore words that
 * they do not know. */
enum witness_column {
    WITNESS_VARIANT,
    WITNESS_SHAPE,
    WITNESS_PROCESS,
    WITNESS_PLACE,
    WITNESS_WHAT,
    WITNESS_VALUE,
    WITNESS_COLUMNS
};

/* The inside of a kernel (docs/inside.md), recorded by an arm that is an instrumented build of another one: its name is
 * that arm's and one of these endings. */
#define INSIDE_RECORD "+record"
#define INSIDE_DELAY  "+delay-" /* and ROLE.MARK-CYCLES, or ROLE.MARK-none */

#define INSIDE_PROGRESS "+progress"

#define INSIDE_PARTIAL "+without-" /* and copy, math or both (bundle_complete.h) */

/* The kinds of phases, by enum cpprof_phase_kind (include/cpprof/inside.h). */
enum { INSIDE_KIND_COUNT = CPPROF_PHASE_POLL + 1 };
extern const char *const inside_kinds[INSIDE_KIND_COUNT];

/* What begins at which mark of which role. */
enum inside_phases_column {
    INSIDE_PHASES_VARIANT,
    INSIDE_PHASES_SHAPE,
    INSIDE_PHASES_ROLE,
    INSIDE_PHASES_MARK,
    INSIDE_PHASES_KIND,
    INSIDE_PHASES_ROLE_NAME,
    INSIDE_PHASES_NAME,
    INSIDE_PHASES_UNTIL,
    INSIDE_PHASES_AHEAD,
    INSIDE_PHASES_COLUMNS
};
/* One row for each warp that recorded. */
enum inside_warps_column {
    INSIDE_WARPS_VARIANT,
    INSIDE_WARPS_SHAPE,
    INSIDE_WARPS_LAUNCH,
    INSIDE_WARPS_BLOCK,
    INSIDE_WARPS_WARP,
    INSIDE_WARPS_SM,
    INSIDE_WARPS_ROLE,
    INSIDE_WARPS_TILES,
    INSIDE_WARPS_BEGIN_NS,
    INSIDE_WARPS_END_NS,
    INSIDE_WARPS_BEGIN_CYCLE,
    INSIDE_WARPS_END_CYCLE,
    INSIDE_WARPS_DEVICE,
    INSIDE_WARPS_COLUMNS
};
/* One row for each tile that a warp recorded; its marks begin at INSIDE_TILES_MARKS. */
enum inside_tiles_column {
    INSIDE_TILES_VARIANT,
    INSIDE_TILES_SHAPE,
    INSIDE_TILES_LAUNCH,
    INSIDE_TILES_BLOCK,
    INSIDE_TILES_WARP,
    INSIDE_TILES_TILE,
    INSIDE_TILES_MARKS,
    INSIDE_TILES_COLUMNS = INSIDE_TILES_MARKS + CPPROF_MARKS_MAX
};
/* One row for each sample of a launch (docs/inside.md). The units, as shares of what is possible, begin at
 * INSIDE_SERIES_UNITS. */
enum inside_series_column {
    INSIDE_SERIES_VARIANT,
    INSIDE_SERIES_SHAPE,
    INSIDE_SERIES_LAUNCH,
    INSIDE_SERIES_BEGIN_NS,
    INSIDE_SERIES_TAKEN_NS,
    INSIDE_SERIES_UNITS,
    INSIDE_SERIES_ACTIVE = INSIDE_SERIES_UNITS,
    INSIDE_SERIES_ISSUE,
    INSIDE_SERIES_TENSOR,
    INSIDE_SERIES_FMA,
    INSIDE_SERIES_XU,
    INSIDE_SERIES_L1_REQUEST,
    INSIDE_SERIES_L1_FILL,
    INSIDE_SERIES_L2,
    INSIDE_SERIES_DRAM,
    INSIDE_SERIES_COLUMNS,
    INSIDE_SERIES_UNIT_COUNT = INSIDE_SERIES_COLUMNS - INSIDE_SERIES_UNITS
};
/* One row for each arm with a delay. */
enum delays_column {
    DELAYS_VARIANT,
    DELAYS_SHAPE,
    DELAYS_OF,
    DELAYS_ROLE,
    DELAYS_MARK,
    DELAYS_ASKED,
    DELAYS_TAKEN,
    DELAYS_COLUMNS
};
/* Only of a launch that did not end: a row for each warp that began, or one without a warp where none began. */
enum inside_progress_column {
    INSIDE_PROGRESS_VARIANT,
    INSIDE_PROGRESS_SHAPE,
    INSIDE_PROGRESS_DEVICE,
    INSIDE_PROGRESS_BLOCK,
    INSIDE_PROGRESS_WARP,
    INSIDE_PROGRESS_SM,
    INSIDE_PROGRESS_ROLE,
    INSIDE_PROGRESS_ROLE_NAME,
    INSIDE_PROGRESS_TILE,
    INSIDE_PROGRESS_MARK,
    INSIDE_PROGRESS_PHASE,
    INSIDE_PROGRESS_STATE,
    INSIDE_PROGRESS_MOVES,
    INSIDE_PROGRESS_WAITED_NS,
    INSIDE_PROGRESS_COLUMNS
};
#define PROGRESS_ABSENT "absent" /* states: no warp began */
#define PROGRESS_BEGUN  "begun"  /* it has passed no mark */
#define PROGRESS_MARKED "marked"
#define PROGRESS_ENDED  "ended"
/* Phases of verify.csv: the output that the last timed launches left, with hot and with cold caches. */
#define VERIFY_TIMED       "timed"
#define VERIFY_TIMED_COLD  "timed cold"
#define WITNESS_VERIFY     "verify"  /* places: the traced launch that is verified */
#define WITNESS_MEASURE    "measure" /* the traced launches that are not */
#define WITNESS_GRAPH      "graph"
#define WITNESS_COLD       "cold"
#define WITNESS_FLUSH      "flush" /* belongs to no arm: a buffer that was read, flushed and read again */
#define WITNESS_CALLS      "calls" /* quantities: calls of the function that launches */
#define WITNESS_KERNELS    "kernels"
#define WITNESS_BLOCKS     "blocks"
#define WITNESS_COPIES     "copies"
#define WITNESS_MEMSETS    "memsets"
#define WITNESS_MOVED      "moved_bytes" /* by copies and memsets, each byte once */
#define WITNESS_BYTES      "bytes"
#define WITNESS_DRAM_READ  "dram_read_bytes"
#define WITNESS_PERSISTING "persisting_l2_bytes"

/* In a pool (a bundle of kind "aa"): the suffix of the name of a variant that is timed a second time, and the parameter
 * by which an arm is slowed down on purpose. */
#define POOL_SECOND_ARM "#2"
#define POOL_PLANTED    "extra_ppm"

/* Values of `status` in variants.csv. Not runnable is followed by the reason. */
#define VARIANT_READY        "ready"
#define VARIANT_NOT_RUNNABLE "not runnable: "

/* Returns whether the variant of a row of variants.csv could run. */
bool bundle_is_runnable(const struct table *variants, size_t row);

const char *bundle_table_file(enum bundle_table which); /* "timing.csv" */
void bundle_table_init(struct table *t, enum bundle_table which);

/* Finds how many rows there are before the first bad one: see table_check. */
int bundle_table_check(const struct table *t, enum bundle_table which, size_t *good_rows, struct str *why,
                       struct err *e);

#endif
