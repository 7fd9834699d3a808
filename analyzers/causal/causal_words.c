/* What do the reasons of an inconclusive criticality mean? */
#include <string.h>

#include "analyzers/causal/causal_rows.h"
#include "core/base/count_of.h"

const char *causal_status_name(enum causal_status status)
{
    static const char *const names[] = {[CAUSAL_INCONCLUSIVE] = "inconclusive",
                                        [CAUSAL_HIDDEN] = "hidden",
                                        [CAUSAL_PARTLY] = "partly",
                                        [CAUSAL_CRITICAL] = "critical"};
    return names[status];
}

static const struct {
    const char *reason, *words;
} reasons[] = {
    {"no_launches", "nothing of that name was launched one by one"},
    {"records_missing", "a part of the trace is missing or false"},
    {"too_few_blocks", "the program did not run for long enough: each delay takes 3 blocks of 8 launches"},
    {"delays_not_as_asked", "the recorded delays are not those that were asked for"},
    {"not_linear", "a short delay costs another part of itself than a longer one"},
    {"not_all_delayed", "more than a tenth of its launches have no delay, as those of graphs"},
    {"several_streams", "launches of one block are on several streams or GPUs, whose delays act together"},
    {"not_credible", "a delay cannot make a program faster, nor slower by more than it"},
    {"too_coarse", "the program's time varies too much"},
};

const char *causal_reason_words(const char *reason)
{
    for (size_t i = 0; i < COUNT_OF(reasons); i++)
        if (!strcmp(reasons[i].reason, reason))
            return reasons[i].words;
    return reason;
}
