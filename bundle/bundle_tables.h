/* bundle_tables.h - the CSV tables of a bundle: one source of truth for the
 * runner that writes them and for everything that reads them: columns, units, what
 * each may hold, which rows contradict themselves. docs/formats.md describes each
 * column and says the same. */
#ifndef CPPROF_BUNDLE_TABLES_H
#define CPPROF_BUNDLE_TABLES_H

#include <stdbool.h>
#include <stddef.h>

#include "io/table_check.h"

enum bundle_table {
    BUNDLE_VARIANTS,
    BUNDLE_EXPECT,
    BUNDLE_TIMING,
    BUNDLE_METRICS,
    BUNDLE_RESOURCES,
    BUNDLE_VERIFY,
    BUNDLE_MISMATCHES,
    BUNDLE_ITERATIONS, /* of programs */
    BUNDLE_WORK,       /* of programs */
    BUNDLE_HOTSPOTS,
    BUNDLE_WITNESS,
    BUNDLE_TABLE_COUNT
};

/* A variant at a shape and set of parameters, together its config: what was asked for. `shape` is
 * the config's text, the case key, "mission ctas_per_sm=4 work=400": it names a row everywhere. */
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
/* An expectation without a shape is one at every shape. */
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
    HOTSPOTS_COLUMNS
};

/* What was seen of an arm outside its times, counters and trace: `place` is where (a moment of the traced process, the
 * graph that was timed, launches with a cold cache), `what` the quantity. Readers pass over words that they do not
 * know. */
enum witness_column {
    WITNESS_VARIANT,
    WITNESS_SHAPE,
    WITNESS_PROCESS,
    WITNESS_PLACE,
    WITNESS_WHAT,
    WITNESS_VALUE,
    WITNESS_COLUMNS
};
/* Phases of verify.csv: the output as the last timed launches left it, with hot and with cold caches. */
#define VERIFY_TIMED       "timed"
#define VERIFY_TIMED_COLD  "timed cold"
#define WITNESS_VERIFY     "verify"  /* places: the traced launch that is verified, ... */
#define WITNESS_MEASURE    "measure" /* ... the traced launches that are not */
#define WITNESS_GRAPH      "graph"
#define WITNESS_COLD       "cold"
#define WITNESS_FLUSH      "flush" /* of no arm: a buffer that was read, flushed and read again */
#define WITNESS_CALLS      "calls" /* quantities: of the function that launches */
#define WITNESS_KERNELS    "kernels"
#define WITNESS_BLOCKS     "blocks"
#define WITNESS_BYTES      "bytes"
#define WITNESS_DRAM_READ  "dram_read_bytes"
#define WITNESS_PERSISTING "persisting_l2_bytes"

/* What stands in a pool (a bundle of kind "aa") behind the name of a variant that
 * is timed a second time, and the parameter by which an arm is planted slower. */
#define POOL_SECOND_ARM "#2"
#define POOL_PLANTED    "extra_ppm"

/* `status` of variants.csv. */
#define VARIANT_READY        "ready"
#define VARIANT_NOT_RUNNABLE "not runnable: "

/* True when a row of variants.csv does not say that its variant could not run. */
bool bundle_is_runnable(const struct table *variants, size_t row);

const char *bundle_table_file(enum bundle_table which); /* "timing.csv" */
void bundle_table_init(struct table *t, enum bundle_table which);

/* How many rows are good before the first one that is not: see table_check. */
int bundle_table_check(const struct table *t, enum bundle_table which, size_t *good_rows, struct str *why,
                       struct err *e);

#endif
