/* What do the reasons mean for which a slack says nothing? */
#include "analyzers/slack/slack_words.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *reason, *words;
} reasons[] = {
    {"no_off_arm", "the run has no build of it without marks"},
    {"no_control", "the run has no build of it whose mark does not wait"},
    {"contradicted", "its witnesses contradict each other"},
    {"wrong_result", "its results are wrong with a delay"},
    {"not_selected", "it was not shown that the kernel ran that was meant"},
    {"not_verified", "its results were not verified"},
    {"not_timed", "its builds were not all timed, or in different ways"},
    {"too_few_processes", "fewer than 3 processes timed it"},
    {"control_differs", "the build whose mark does not wait differs by more than 2% from the one without marks"},
    {"control_unclear", "the build whose mark does not wait may differ by more than 4% from the one without marks"},
    {"no_clock", "the clock of the SMs is not known"},
    {"too_few_doses", "fewer than 3 delays were timed"},
    {"delays_not_in_order", "its delays did not really become longer from dose to dose"},
    {"unsteady",
     "a larger delay costs less, or less for each cycle, than a smaller one: the order of the roles changes"},
    {"no_tiles", "how many tiles a launch has is not known: its build that records has no such role"},
};

const char *slack_reason_words(const char *reason)
{
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
        if (!strcmp(reasons[i].reason, reason))
            return reasons[i].words;
    return reason;
}
