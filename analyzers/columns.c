/* Which lists of columns are there? */
#include "analyzers/columns.h"

const struct row_columns *const column_lists[] = {
    &comparison_columns,     &timing_columns,
    &sweep_columns,          &sweep_point_columns,
    &sweep_fit_columns,      &bounded_columns,
    &selection_columns,      &correctness_columns,
    &witness_columns,        &expected_change_columns,
    &transition_columns,     &finding_columns,
    &launch_columns,         &resource_columns,
    &bound_columns,          &tally_columns,
    &evidence_columns,       &lost_part_columns,
    &roofline_columns,       &precision_columns,
    &level_columns,          &prediction_columns,
    &outcome_columns,        &inside_columns,
    &inside_phase_columns,   &inside_overlap_columns,
    &inside_receipt_columns, &inside_series_columns,
    &statistics_columns,     &duration_columns,
    &launch_name_columns,    &launch_number_columns,
    &launch_pair_columns,    &launch_device_columns,
    &wait_name_columns,      &wait_pair_columns,
    &gap_device_columns,     &gap_columns,
    &gap_neighbour_columns,  &gap_other_columns,
    &gap_call_columns,       &gap_share_columns,
    &gap_share_pair_columns, &aa_self_columns,
    &aa_planted_columns,     &aa_rate_columns,
    &aa_effect_columns,      &aa_verdict_columns,
    &slack_columns,          &slack_dose_columns,
    &ablation_columns,       &ablation_receipt_columns,
};
const size_t column_list_count = sizeof column_lists / sizeof column_lists[0];
