/* Why does the recorded graph not say what a program would gain? */
#include <string.h>

#include "analyzers/dependencies/dependency_rows.h"
#include "core/base/count_of.h"

static const struct {
    const char *reason, *words;
} reasons[] = {
    {"records_missing", "a part of the trace is missing or false"},
    {"shared_gpu", "several processes share a GPU, and work of one waits for that of others"},
    {"no_work", "the trace holds no GPU work"},
    {"calls_missing", "the trace holds GPU work without the calls that launched it"},
    {"waits_missing", "the trace does not say in which calls the host waited"},
    {"paused", "nothing was recorded for a part of the time"},
    {"times_rounded", "the trace has rounded times"},
    {"too_long", "the trace has more than a million calls and operations"},
    {"several_clocks", "ranks of several traces have clocks of their own"},
    {"not_explained", "more than 1% of the time is waits whose cause is not in the trace"},
    {"no_launches", "no launch of it is in the trace"},
    {"below_error", "the saving is smaller than what the trace does not explain"},
    {"unseen_waits", "it depends on waits that the trace does not show"},
};

const char *dependency_reason_words(const char *reason)
{
    for (size_t i = 0; i < COUNT_OF(reasons); i++)
        if (!strcmp(reasons[i].reason, reason))
            return reasons[i].words;
    return reason;
}
