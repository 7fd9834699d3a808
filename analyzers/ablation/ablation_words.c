/* What do the reasons of an inconclusive ablation mean? */
#include <stddef.h>
#include <string.h>

#include "analyzers/ablation/ablation_parts.h"

static const struct {
    const char *reason, *words;
} reasons[] = {
    {"no_off_arm", "the run does not have the variant itself"},
    {"no_arm", "one of its three builds is missing"},
    {"contradicted", "the witnesses of one of its arms contradict each other"},
    {"wrong_result", "the results of the variant are wrong"},
    {"not_selected", "it was not shown that the kernels ran that were meant"},
    {"not_verified", "the results of the variant were not verified"},
    {"times_say_nothing", "the times of the variant say nothing of it"},
    {"not_timed", "its builds were not all timed"},
    {"mixed_timing", "its builds were timed in different ways"},
    {"too_few_processes", "fewer than 3 processes timed all of its builds"},
    {"no_receipt", "what its builds occupy is not known"},
    {"new_spills", "a build spills registers that the variant does not"},
    {"other_occupancy", "a build has another number of blocks on an SM"},
    {"not_counted", "the copies of the build without math, or the math of the one without copies, were not counted"},
    {"copies_left", "the build without copies still makes more than a tenth of them"},
    {"memory_load", "without math the copies use more than half of DRAM, and take longer for it"},
    {"other_work", "what a build left in is not the work of the variant"},
    {"slower_without", "a build that does less takes longer"},
    {"nothing_alone", "copies alone, or math alone, may take no time at all"},
    {"recorder_disagrees", "the recorder says otherwise"},
};

const char *ablation_reason_words(const char *reason)
{
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
        if (!strcmp(reasons[i].reason, reason))
            return reasons[i].words;
    return reason;
}
