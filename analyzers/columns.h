/* columns.h - the columns of every result: one list each, beside its rows. Each says which formats have them. */
#ifndef CPPROF_COLUMNS_H
#define CPPROF_COLUMNS_H

#include "core/io/row_columns.h"

/* Tables with columns of their own. */
enum {
    COMPARISON_VERDICTS = ROW_TABLE,
    COMPARISON_BASIS = ROW_TABLE_2, /* what they rest on */
    COMPARISON_COST = ROW_TABLE_3,  /* of marks, without a verdict */
    SWEEP_ALONE = ROW_TABLE,        /* the sizes of one arm, ... */
    SWEEP_PAIR = ROW_TABLE_2,       /* ... of two, ... */
    SWEEP_BUS = ROW_TABLE_3,        /* ... and with what goes over each link, ... */
    SWEEP_PAIR_BUS = ROW_TABLE_4,   /* ... of the candidate, too */
    BOUND_CLASSES = ROW_TABLE,
    BOUND_READINGS = ROW_TABLE_2,  /* how many agree, beside the classes */
    BOUND_BY_CONFIG = ROW_TABLE_3, /* which bound, before its parts: by config, or of programs by kernel */
    BOUND_BY_KERNEL = ROW_TABLE_4,
    INSIDE_ARM = ROW_TABLE_2,        /* which arm, before its parts */
    SLACK_MARK = ROW_TABLE_2,        /* which phase, before its delays */
    SIGNALS_OF_BASELINE = ROW_TABLE, /* all are held against the baseline */
    SIGNALS_AGAINST = ROW_TABLE_2,   /* some against another variant */
    RANKS_STEPS = ROW_TABLE_2        /* where steps are known */
};

extern const struct row_columns comparison_columns, timing_columns;
extern const struct row_columns sweep_columns, sweep_point_columns, sweep_fit_columns;
extern const struct row_columns bounded_columns; /* a number with its interval */
/* The context of a device is a struct overlap_context. */
extern const struct row_columns overlap_device_columns, overlap_class_columns, overlap_pair_columns;
extern const struct row_columns overlap_same_stream_columns, overlap_pageable_columns;
extern const struct row_columns overlap_level_columns, overlap_line_columns;
extern const struct row_columns cost_columns, cost_side_columns;
/* A machine against itself. The context of planted slowdowns is the struct aa_result. */
extern const struct row_columns aa_self_columns, aa_planted_columns;
extern const struct row_columns aa_rate_columns, aa_effect_columns, aa_verdict_columns;
extern const struct row_columns selection_columns;   /* JSON: its gate */
extern const struct row_columns correctness_columns; /* the same; the context is the analysis */
extern const struct row_columns witness_columns, expected_change_columns, transition_columns;
extern const struct row_columns finding_columns, evidence_columns;
extern const struct row_columns launch_columns, resource_columns;
extern const struct row_columns statistics_columns;
extern const struct row_columns duration_columns; /* of calls and of work behind them */
/* Launches in a trace. The columns of names take a struct short_names as context; those of ROW_JSON_MORE are for
 * kernels that have a short name. */
extern const struct row_columns launch_name_columns, launch_number_columns, launch_pair_columns;
extern const struct row_columns launch_device_columns, wait_name_columns, wait_pair_columns;
/* The context of gaps, and of what is beside them, is a struct gap_context. */
extern const struct row_columns gap_device_columns, gap_columns;
extern const struct row_columns gap_neighbour_columns, gap_other_columns, gap_call_columns;
extern const struct row_columns gap_share_columns, gap_share_pair_columns; /* of the causes */
/* The context of ranks is a struct ranks_context. */
extern const struct row_columns rank_columns, rank_origin_columns, rank_group_columns, rank_collective_columns;
extern const struct row_columns rank_mismatch_columns, rank_clock_columns, rank_kernel_columns, rank_link_columns;
/* The context is a struct time_context. */
extern const struct row_columns device_time_columns, time_part_columns;
/* The context of kernel windows is a struct short_names. */
extern const struct row_columns kernel_window_columns, window_unit_columns, sampled_device_columns;
/* The same of kernels that were delayed. */
extern const struct row_columns program_gain_columns;
extern const struct row_columns kernel_replay_columns, replay_unit_columns;
extern const struct row_columns causal_columns, causal_dose_columns;
extern const struct row_columns dependency_columns;
extern const struct row_columns step_difference_columns, step_work_columns, program_step_columns;
extern const struct row_columns owner_time_columns; /* the context is their struct short_names */
extern const struct row_columns benchmark_columns;
/* The context is the analysis. ROW_JSON_MORE: of launches that another tool counted. */
extern const struct row_columns bound_columns;
extern const struct row_columns tally_columns, lost_part_columns;
extern const struct row_columns roofline_columns, precision_columns, level_columns;
extern const struct row_columns prediction_columns, outcome_columns;
extern const struct row_columns inside_columns, inside_phase_columns, inside_overlap_columns, inside_receipt_columns;
extern const struct row_columns inside_series_columns, inside_fold_columns, inside_fold_unit_columns;
extern const struct row_columns inside_fold_point_columns;
extern const struct row_columns hang_columns, hang_group_columns; /* launches that did not end */
extern const struct row_columns slack_columns, slack_dose_columns;
extern const struct row_columns solution_columns; /* of a run with a task */

extern const struct row_columns history_columns, history_change_columns, history_arm_columns;

/* All of them, for docs/json.md and tests. */
extern const struct row_columns *const column_lists[];
extern const size_t column_list_count;

#endif
