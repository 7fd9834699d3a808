/* What do the reasons of an inconclusive slack mean? */
#include "analyzers/slack/slack_words.h"

#include <math.h>
#include <string.h>

#include "core/base/count_of.h"

const char *slack_status_name(enum slack_status s)
{
    static const char *const names[] = {[SLACK_INCONCLUSIVE] = "inconclusive",
                                        [SLACK_HIDDEN] = "hidden",
                                        [SLACK_PARTLY] = "partly",
                                        [SLACK_CRITICAL] = "critical",
                                        [SLACK_UNSTEADY] = "unsteady"};
    return names[s];
}

#define SLOPE_NEAR 0.2 /* of 1, and of 1/N */

static const struct {
    const char *reason, *words;
} reasons[] = {
    {"no_off_arm", "the run has no build of it without marks"},
    {"contradicted", "witnesses of one of its builds contradict each other"},
    {"wrong_result", "the results of one of its builds are wrong"},
    {"not_selected", "it was not shown of all its builds that the kernel ran that was meant"},
    {"not_verified", "the results of one of its builds were not verified"},
    {"delays_missing", "how long its marks wait is not known of all arms"},
    {"too_few_doses", "fewer than 3 delays were tried"},
    {"not_timed", "not all of its builds were timed"},
    {"mixed_timing", "its builds were timed in different ways"},
    {"too_few_processes", "fewer than 3 processes timed its builds"},
    {"times_say_nothing", "its times say nothing, as it declares"},
    {"clock_difference", "the SM clock changed between its builds"},
    {"other_occupancy", "with the mark an SM has another number of blocks, so this is another kernel"},
    {"control_slower", "the build whose mark does not wait is more than 2% slower, so this is another kernel"},
    {"control_faster", "the build whose mark does not wait is more than 2% faster, so this is another kernel"},
    {"control_unclear", "the build whose mark does not wait may be more than 2% off"},
    {"no_tiles", "how many tiles follow each other is not known without a build that records, so the slope is not"},
    {"no_clock", "the SM clock is not known, so the slope is not"},
    {"too_coarse", "its times are not precise enough for these delays"},
};

const char *slack_reason_words(const char *reason)
{
    for (size_t i = 0; i < COUNT_OF(reasons); i++)
        if (!strcmp(reasons[i].reason, reason))
            return reasons[i].words;
    return reason;
}

const char *slack_doubt(const struct slack *row)
{
    if (row->status == SLACK_UNSTEADY)
        return "a larger delay costs less, or less for each cycle, than a smaller one: delays change the order of the roles, "
               "or waiting takes issue slots from others";
    return slack_reason_words(row->reason);
}

bool slack_is_below_doses(const struct slack *row)
{
    return row->status == SLACK_PARTLY && row->dose_count && row->slack_cycles.high <= row->doses[0].delay_cycles;
}

bool slack_slope_is_odd(const struct slack *row)
{
    const double slope = row->slope.value;
    if (row->status != SLACK_PARTLY || row->ring < 1 || !isfinite(slope))
        return false;
    const double of_ring = 1.0 / (double)row->ring;
    return fabs(slope - 1) > SLOPE_NEAR && fabs(slope - of_ring) > SLOPE_NEAR * of_ring;
}
