/* What do the reasons of an inconclusive slack mean? */
#include "analyzers/slack/slack_words.h"

#include <math.h>

const char *slack_status_name(enum slack_status s)
{
    static const char *const names[] = {[SLACK_INCONCLUSIVE] = "inconclusive",
                                        [SLACK_HIDDEN] = "hidden",
                                        [SLACK_PARTLY] = "partly",
                                        [SLACK_CRITICAL] = "critical",
                                        [SLACK_UNSTEADY] = "unsteady"};
    return names[s];
}

const struct reason slack_reasons[] = {SLACK_REASONS(REASON_ROW)};

#define SLOPE_NEAR 0.2 /* of 1, and of 1/N */

const char *slack_doubt(const struct slack *row)
{
    if (row->status == SLACK_UNSTEADY)
        return "a larger delay costs less, or less for each cycle, than a smaller one: delays change the order of the roles, "
               "or waiting takes issue slots from others";
    return slack_reasons[row->reason].sentence;
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
