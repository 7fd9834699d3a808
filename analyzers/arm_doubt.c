/* Is it proven that an arm ran as meant and that it is right? */
#include "analyzers/arm_doubt.h"

const char *arm_doubt(const struct analysis *a, const struct arm *arm)
{
    if (analysis_contradiction(a, arm))
        return "contradicted";
    if (analysis_wrong_result(a, arm))
        return "wrong_result";
    const struct selection_check *check = analysis_selection(a, arm);
    if (!check || check->status != VERDICT_PASS)
        return "not_selected";
    return analysis_is_proven(a, arm) ? "" : "not_verified";
}
