/* Why is a comparison called what it is called? */
#include "analyzers/compare/comparison_reason.h"

#include <string.h>

#include "analyzers/solutions/solution_rows.h"
#include "core/base/count_of.h"

const struct comparison_reason comparison_reasons[] = {
    {"interval_below_margin", "the whole interval lies below the margin"},
    {"interval_above_margin", "the whole interval lies above the margin"},
    {"interval_within_margin",
     "the whole interval lies within the margin: that there is no larger difference is shown"},
    {"interval_crosses_margin", "the interval reaches across the margin: more processes may decide it"},
    {"too_few_processes", "an interval needs three processes or more"},
    {"no_timing", "one of the arms has no timing"},
    {"times_say_nothing", "times of this form say nothing of the variants"},
    {"work_varies", "samples of an arm are not one kind of work"},
    {"uncounted", SOLUTION_UNCOUNTED},
    {"few_verified", "so few of its timed outputs were verified that wrong ones could make the gain: more processes "
                     "verify more"},
    {"without_gate",
     "it was timed without a gate, so that it may have begun before the clock: a gain needs a judge in a "
     "process of its own, with device memory for its references"},
    {"unsteady_ranks", "a collective is more than 2% from itself in every other process: more processes may decide it"},
    {"throttled", "the GPU slowed itself down in every block of one of the arms"},
    {"clock_difference", "the difference does not hold in clock cycles"},
    {"holm", "among so many comparisons a difference like this one comes up by chance"},
    {"identical_code", "both arms are the same machine code, launched alike: the difference is not one of the kernels"},
    {"board_differs", "the arms were measured on two boards of one model, which differ among themselves"},
    {"device_unknown", "one of the bundles does not say on which GPU it was measured"},
    {"not_in_candidate", "the baseline has this variant at this shape, the candidate has not"},
    {"shapes_differ", "the two have no shape in common"},
    {"work_differs", "the arms do not do the same work"},
    {"same_recording", "both bundles are one recording: it can only agree with itself"},
    {"device_differs", "the arms were measured on different GPUs"},
    {"driver_differs", "the arms were measured with different drivers"},
    {"clocks_differ", "the memory of the GPU was clocked differently"},
    {"power_limit_differs", "the GPU had different power limits"},
    {"mixed_timing", "the arms were timed in different ways, which do not cost the same"},
    {"contradicted", "the witnesses of an arm contradict each other"},
    {"failed_verification", "an arm computes a wrong result"},
    {"wrong_baseline", "the baseline computes a wrong result: there is nothing to compare with"},
    {"program_failed", "a program of the comparison failed"},
    {"wrong_kernel", "an arm ran another kernel than the one that was meant"},
};
const size_t comparison_reason_count = COUNT_OF(comparison_reasons);

const char *comparison_reason_sentence(const char *code)
{
    for (size_t i = 0; i < comparison_reason_count; i++)
        if (!strcmp(comparison_reasons[i].code, code))
            return comparison_reasons[i].sentence;
    return "";
}
