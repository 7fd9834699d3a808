/* analysis.h - everything that the analyzers say about one bundle. Each
 * analyzer appends its values here and may read what earlier ones said; the
 * reports show it, the command judges by it. A verdict starts inconclusive and
 * is upgraded only by evidence. */
#ifndef CPPROF_ANALYSIS_H
#define CPPROF_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/units.h"
#include "model/counted_rows.h"
#include "model/bundle.h"
#include "model/event_stream.h"
#include "model/rules.h"
#include "model/timeline.h"
#include "model/timing_arms.h"

#define ANALYSIS_ARRAY(type) \
    struct {                 \
        type *items;         \
        size_t count, capacity; \
    }

enum verdict_status { VERDICT_INCONCLUSIVE, VERDICT_PASS, VERDICT_FAIL };
const char *verdict_status_name(enum verdict_status s); /* "inconclusive", "pass", "fail" */

/* Did the kernel that was meant really run? */
struct selection_check {
    const char *variant, *shape;
    enum verdict_status status;
    const char *reason;   /* code: kernel_matches, kernel_differs, expectation_missed, not_launched, no_trace,
                           trace_incomplete, bundle_damaged, no_counters, no_pattern; of programs also program_failed,
                           nothing_matched, no_samples */
    const char *meant;    /* the declared pattern */
    const char *chosen;   /* of a variant that chooses a kernel, which and for what; else "" */
    const char *ran;      /* demangled name(s) of what was launched */
    int64_t launches;
    int64_t kernels_per_call; /* that one call of the variant launches; 0 unknown */
    const char *detail;   /* one sentence with the numbers (LDGSTS executed 0, expected >= 1) */
};

/* Is it right? One row per variant and shape, over all seeds and phases. */
struct correctness {
    const char *variant, *shape;
    enum verdict_status status;
    int64_t checks, failed;
    double max_abs_err, bad_ratio; /* worst */
    int bitwise_equal;             /* to the baseline: 1, 0, or -1 unknown */
    const char *hint;
};

/* Two witnesses of one arm: do they agree? (docs/witnesses.md) */
enum witness_status { WITNESS_NOT_CHECKED, WITNESS_AGREES, WITNESS_CONTRADICTED };
const char *witness_status_name(enum witness_status s); /* "not checked", "agrees", "contradicted" */

struct witness_check {
    const char *variant, *shape;
    const char *witness; /* code: "event_time" ... (analyzers/witness.c) */
    enum witness_status status;
    double claimed, seen; /* the two sides; NAN where one is not known */
    enum unit unit;       /* of both */
    const char *detail;   /* of a contradiction a sentence with both numbers; of what is not checked the reason; else "" */
};

enum comparison_verdict {
    COMPARE_INCONCLUSIVE,
    COMPARE_FASTER,
    COMPARE_SLOWER,
    COMPARE_EQUIVALENT,
    COMPARE_UNUSABLE,
    COMPARE_CONTRADICTED /* the witnesses of an arm contradict each other: there is no ratio */
};
const char *comparison_verdict_name(enum comparison_verdict v);

/* One side of a comparison. */
struct comparison_arm {
    const struct timing_process *processes; /* that were timed (model/timing_arms.h), ascending; in the arena */
    size_t process_count;
    int64_t discarded_blocks; /* in which the GPU throttled */
    double bytes, flops;      /* per launch, as the variant states them; NAN unknown */
    double bus_factor;        /* bytes on each link per byte of `bytes`; NAN on one GPU */
    double batch;             /* launches per sample (model/timing_arms.h): 1, or those of its graph; NAN unknown */
    const char *no_verdict;   /* why its times say nothing of the variant, as it declares; "" when they do */
};

/* Is it faster? ratio = t_candidate / t_baseline. */
struct comparison {
    const char *baseline, *candidate, *shape;
    const char *cache; /* "hot", "cold", of programs "program"; "" when neither arm was timed */
    double ratio, speedup, gain;
    double ci_low, ci_high, confidence; /* of the ratio */
    double margin;
    double mde; /* smallest gain that this many processes would have called */
    enum comparison_verdict verdict;
    const char *reason; /* a code of model/comparison_reason.h */
    const char *detail; /* the reason in one sentence, with its numbers */
    double p_value;     /* of "no more than the margin apart" (model/ratio_decision.h); NAN no test */
    double p_holm;      /* adjusted for the tests of the whole table */
    enum comparison_verdict alone; /* what this row would be called if it were the only one */
    int64_t n_processes, n_samples;
    double baseline_ns, candidate_ns; /* typical over the processes (model/ratio_estimate.h) */
    double clock_ratio; /* candidate's mean SM clock over the baseline's; NAN unknown */
    double cycles_ratio; /* as `ratio`, in cycles of each block's own clock; NAN unknown */
    bool paired;         /* the arms shared their processes */
    struct comparison_arm base, cand;
};

/* A number with the ends of its 95% interval; NAN unknown, infinite ends open. */
struct bounded {
    double value, low, high;
};

/* The line t = fixed + bytes / bandwidth through the times of one arm. */
struct sweep_fit {
    struct bounded fixed_ns, bytes_per_s;
    size_t worst_point;    /* which the line misses by most ... */
    double worst_residual; /* ... by this share of the time measured there, more than the line says is positive */
};

struct sweep_point {
    const char *size;             /* the shape without its parameters: "n=262144", "mission" */
    const struct comparison *row; /* NULL of an arm that has nothing to compare with */
    double base_ns, cand_ns;      /* typical over the processes */
    double base_bytes, cand_bytes;
    double base_bus_factor, cand_bus_factor; /* NAN on one GPU */
};

/* One pair of arms, or one arm alone, over sizes: what else is in the shape stays the same. */
struct sweep {
    const char *baseline, *candidate; /* candidate "" of one arm alone */
    const char *cache, *parameters;   /* "ctas_per_sm=1 work=256"; "" when there are none */
    struct sweep_point *points;       /* ascending in bytes where they are known; in the arena */
    size_t count;
    struct bounded average; /* geometric mean of the ratios of `averaged` points */
    size_t averaged;
    enum comparison_verdict verdict; /* of the average; not one of the table's */
    int64_t n_processes; /* of the average */
    bool in_rounds;      /* no process measured all sizes: these are rounds of several */
    bool has_fit; /* three sizes or more, of the same work per byte */
    bool work_varies; /* no fit for that reason: the operations per byte that an arm states change with the size */
    bool timing_varies; /* no fit for that reason: some sizes are timed in graphs, others launch by launch */
    bool says_nothing; /* no fit for that reason: times of an arm say nothing at so many sizes, as it declares */
    struct sweep_fit base, cand;
    struct bounded fixed_change_ns;  /* candidate minus baseline */
    struct bounded bandwidth_factor; /* candidate over baseline */
};

/* Timing of one arm on its own. */
struct timing_summary {
    const char *variant, *shape, *cache;
    double p50_ns, p90_ns, p99_ns, mean_ns, std_ns, min_ns;
    int64_t samples, processes;
    double flops_per_s, bytes_per_s; /* from the variant's own counts; NAN when it states none */
};

enum bound_class {
    BOUND_INCONCLUSIVE,
    BOUND_COMPUTE,
    BOUND_MEMORY,
    BOUND_LATENCY,
    BOUND_LAUNCH,
    BOUND_COPY,       /* the device copies between its launches */
    BOUND_OTHER_WORK, /* the device runs other kernels between its launches */
    BOUND_BALANCED
};
const char *bound_class_name(enum bound_class c); /* "compute-bound" ... */

struct evidence {
    const char *metric; /* CUPTI's or our name */
    double value;
    int unit; /* enum unit */
};

struct evidence_list {
    struct evidence *items; /* in the analysis' arena */
    size_t count, capacity;
};

/* How many of the launches that were counted come to this? */
struct bound_tally {
    enum bound_class class_;
    const char *limit;
    int64_t count;
};

/* A part of the time from one launch of a kernel to the next (model/lost_time.h). */
enum lost_kind { LOST_HOST, LOST_COPY, LOST_OTHER_WORK, LOST_SMALL_GRID, LOST_TAIL, LOST_UNIT, LOST_STALL, LOST_SYNCHRONISATION };
struct lost_part {
    enum lost_kind kind;
    const char *name; /* "launch gap", "dram", "long_scoreboard" */
    const char *meaning;
    double share;
};

/* What bounds it? (design: docs/bounds.md) */
struct bound {
    const char *variant, *shape, *kernel;
    enum bound_class class_;
    const char *lean;  /* "compute" or "memory"; "" when there is nothing to go by */
    const char *unit;  /* "fma", "dram", ...; "" when none */
    const char *limit; /* of a compute or memory bound the unit, of a latency bound "small-grid", "tail" or the leading
                          stall; "" of the other classes */
    const char *stated; /* by the variant, known by construction: "memory-bound dram"; "" when it states none */
    const char *cause; /* one sentence */
    double margin;     /* ratio points to the nearest boundary */
    double compute_share, memory_share; /* of peak over elapsed cycles */
    double unit_share;                  /* of `unit`, which may be less than its side's; NAN without one */
    const char *ncu_rule; /* Nsight Compute's speed-of-light headline on the same numbers; NULL unknown */
    double sm_throughput, memory_throughput; /* these numbers; NAN unknown */
    struct evidence_list evidence;
    const char *advice, *will_not_help; /* "" when none */
    const char *advised_by; /* what the general advice goes by first (bound_advice_for): `limit`, or the leading stall
                               where a small grid costs little */
    const struct counted_launch *counted; /* of a launch that another tool counted; NULL of a bundle */
    /* Each launch that was counted is judged for itself, too. */
    int64_t repeats;  /* how many; 0 without counters */
    int64_t agreeing; /* how many of them come to the class and limit above */
    struct bound_tally *tallies; /* all of them, most first; in the arena */
    size_t tally_count;
    const struct lost_part *lost; /* they add up to 1; none without counters */
    size_t lost_count;
    const char *const *steps; /* how it was decided, a sentence each (model/bound_steps.h) */
    size_t step_count;
};

/* One roof: the operations of a precision, or the bytes of a memory level. */
struct roof {
    const char *name;      /* "fp32", "tensor_fp16"; "l1", "l2", "dram" */
    double amount;         /* operations, or bytes */
    double per_s;          /* over the duration of the launch that was counted */
    double intensity;      /* of a level: all operations for each of its bytes; NAN of a precision */
    double peak, measured; /* the most a second: in theory at the clocks of that launch, and as measured; NAN unknown */
};

/* Where does a kernel stand below the roofs? (model/roofline.h) */
enum roof_level { ROOF_L1, ROOF_L2, ROOF_DRAM, ROOF_LEVELS };
enum { ROOF_PRECISIONS_MAX = 12 };
struct roofline {
    const char *variant, *shape, *kernel;
    double duration_ns; /* of the launch that was counted */
    double flop, flop_per_s;
    struct roof levels[ROOF_LEVELS];
    struct roof precisions[ROOF_PRECISIONS_MAX]; /* that it has operations of, those that need most time first */
    size_t precision_count;
    const char *nearest;       /* roof, of those whose height is known; "" none */
    double nearest_share;      /* ... of it: of what was measured, else of theory */
    bool nearest_is_measured;
    const char *uncounted;     /* precisions whose operations have no counter: "tensor_fp8, tensor_tf32"; "" none */
};

/* A candidate that was measured with the change that was predicted. */
struct prediction_outcome {
    const char *with; /* "pipeline/cpasync3", "ctas_per_sm=8" */
    double gain;
    bool inside; /* the predicted interval */
};

/* What would a change bring? Said from the counters of one arm alone (model/gain_prediction.h). */
struct prediction {
    const char *variant, *shape;
    const char *id;      /* "load-ahead" */
    const char *change;  /* for people */
    const char *because; /* one sentence with its numbers */
    const char *assumption;
    double gain_low, gain_high;
    struct prediction_outcome *outcomes; /* in the arena */
    size_t outcome_count;
};

/* What does it cost to launch it? All times from the traced process. */
struct launch_cost {
    const char *variant, *shape;
    int64_t launches;
    double first_ns, median_ns, mean_ns, max_ns; /* API call; first apart from the others */
    double queue_median_ns;  /* kernel start minus API start */
    double kernel_median_ns; /* duration on the GPU */
    double interval_median_ns; /* start of one kernel to the start of the next */
    double gap_median_ns;    /* device idle between two launches of the arm, ... */
    double copy_median_ns;   /* ... copying or setting memory meanwhile, ... */
    double other_median_ns;  /* ... or running other kernels and copying nothing */
};

struct resource {
    const char *variant, *shape, *kernel;
    double grid_blocks, block_threads, registers, shared_bytes, local_bytes, spill_bytes, blocks_per_sm, occupancy, waves;
    const char *code_hash; /* "" unknown */
};

/* Variants whose machine code is the same. */
struct identical_code {
    const char *a, *b, *shape;
    const char *code_hash;
    bool launched_alike; /* same grid, block and shared memory: one kernel under two names */
};

/* What a variant expected of a counter beside that of what it improves on, or of its baseline, and what that did. */
struct signal_result {
    const char *variant, *shape;
    const char *baseline; /* the one that it was held against */
    const char *signal;         /* "dram_bytes flat 3%" */
    enum verdict_status status; /* VERDICT_PASS confirmed, VERDICT_FAIL refuted, VERDICT_INCONCLUSIVE not known */
    double baseline_value, value;
    int unit;           /* enum unit of both */
    const char *change; /* "up 60.1%"; of one that is not known the reason */
};

/* In one sentence, what became different between the arms of a comparison. */
struct transition {
    const char *baseline, *candidate, *shape;
    const char *text;
};

enum severity { SEVERITY_INFO, SEVERITY_ADVICE, SEVERITY_WARNING, SEVERITY_FAILURE };

/* A claim with its evidence. */
struct finding {
    const char *id; /* "latency-hidden" */
    enum severity severity;
    const char *variant, *shape; /* "" when about the whole bundle */
    const char *claim;
    struct evidence_list evidence;
    const char *advice; /* "" when none */
};

/* Where in its code does a kernel spend its time? Of samples of the program counter:
 * shares of warps seen, as good as shares of time. */
struct hot_reason {
    const char *reason; /* what the warps wait for; "selected": they issued */
    double samples;
};

struct hot_instruction {
    double offset;           /* bytes from the kernel's start */
    const char *instruction; /* "" unknown */
    const char *file;        /* "" without line information */
    double line;
    double samples;
    struct hot_reason *reasons; /* the most frequent first */
    size_t reason_count;
};

struct hotspots {
    const char *variant, *shape, *kernel;
    double samples; /* all of the kernel */
    ANALYSIS_ARRAY(struct hot_reason) reasons;        /* of the whole kernel, the most frequent first */
    ANALYSIS_ARRAY(struct hot_instruction) instructions; /* the hottest first; the cooler ones are not recorded */
};

struct aa_pool;

struct analysis {
    struct arena arena; /* owns all strings and the inner arrays above */
    const struct bundle *bundle;
    double margin; /* of the comparison */
    int looks; /* after any of which what is judged here may have been stopped (model/looks.h) */
    const struct aa_pool *aa; /* what this machine can tell, for gates on times; not owned, NULL unknown */
    const char *aa_doubt;     /* why that may be less than the pool says; NULL: it is not */
    ANALYSIS_ARRAY(struct selection_check) selection;
    ANALYSIS_ARRAY(struct correctness) correctness;
    ANALYSIS_ARRAY(struct witness_check) witnesses; /* arm by arm */
    ANALYSIS_ARRAY(struct comparison) comparisons;
    ANALYSIS_ARRAY(struct sweep) sweeps; /* their rows are in `comparisons`, which is complete then */
    ANALYSIS_ARRAY(struct timing_summary) timings;
    ANALYSIS_ARRAY(struct bound) bounds;
    ANALYSIS_ARRAY(struct roofline) rooflines; /* of kernels whose operations were counted */
    ANALYSIS_ARRAY(struct prediction) predictions;
    ANALYSIS_ARRAY(struct launch_cost) launches;
    ANALYSIS_ARRAY(struct resource) resources;
    ANALYSIS_ARRAY(struct identical_code) identical;
    ANALYSIS_ARRAY(struct signal_result) signals;
    ANALYSIS_ARRAY(struct transition) transitions;
    ANALYSIS_ARRAY(struct hotspots) hotspots;
    ANALYSIS_ARRAY(struct finding) findings;
    bool has_timeline;
    struct timeline timeline;     /* classes of the traced process */
    struct timeline_query query;  /* sets of rules may be added before the analyzers run; they stay the rules' */
    size_t own_sets_first, own_sets_count; /* of the query: what the overlap analyzer added, released here */
    struct event_stream *stream;  /* of the trace, for its names and caveats; NULL without one */
    struct rule_results assertions;
    struct counted_rows counted; /* of the bundle's metrics.csv; empty before the analyzers run */
};

void analysis_init(struct analysis *a, const struct bundle *bundle);
void analysis_release(struct analysis *a);

/* What was said about one variant at one shape; NULL when nothing was. */
const struct selection_check *analysis_selection(const struct analysis *a, const char *variant, const char *shape);
const struct correctness *analysis_correctness(const struct analysis *a, const char *variant, const char *shape);

/* Was another kernel launched than the one that was meant, or none? That none was is left to the contradiction where launches
 * contradict each other. */
bool analysis_is_wrong_kernel(const struct analysis *a, const struct selection_check *check);

/* The first contradiction about an arm; NULL when there is none. */
const struct witness_check *analysis_contradiction(const struct analysis *a, const char *variant, const char *shape);

/* Is any arm contradicted by its witnesses? */
bool analysis_is_contradicted(const struct analysis *a);

/* Was it shown that the arm ran what was meant, and that its results are right? A
 * check that failed, decided nothing or was not made is no proof, nor is any while the arm's witnesses contradict each other. */
bool analysis_is_proven(const struct analysis *a, const char *variant, const char *shape);

/* What a variant is compared with; "" of the baseline itself, and where there is none. */
const char *analysis_baseline_of(const struct analysis *a, const char *variant);

/* Can its GPU load tiles by TMA? Of asynchronous copies only cp.async is counted (ldgsts), so that a kernel without
 * any may load ahead nevertheless. */
bool analysis_has_tma(const struct analysis *a);

/* Of outputs that are wrong: "new" when the baseline's are right at this shape,
 * "baseline fails too" when not; "" when there is nothing to say. */
const char *analysis_failure(const struct analysis *a, const struct correctness *c);

/* A new finding; its texts are copied. NULL when memory is out. */
struct finding *analysis_finding(struct analysis *a, const char *id, enum severity severity, const char *variant,
                                 const char *shape, const char *claim);
int evidence_add(struct analysis *a, struct evidence_list *list, const char *metric, double value, enum unit unit,
                 struct err *e);

/* Selection, witnesses and correctness count always, then assertions: 0, 1, 3, or 5 when
 * there was nothing to judge. Evidence that is missing (a process that died,
 * dropped records) makes a pass inconclusive; a table that breaks off is 5. */
enum exit_status analysis_status(const struct analysis *a);

/* 1 when a candidate is slower or an arm is contradicted, 5 unusable, 3 inconclusive, 0 when each is
 * faster or equivalent; 5 when there is no comparison. */
enum exit_status comparisons_status(const struct analysis *a);

#endif
