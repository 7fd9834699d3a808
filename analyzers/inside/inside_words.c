/* What do the reasons of an inconclusive inside mean? */
#include "analyzers/inside/inside_words.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "core/base/count_of.h"

static const struct {
    const char *reason, *words;
} reasons[] = {
    {"no_off_arm", "the run has no build of it without marks"},
    {"contradicted", "its witnesses contradict each other"},
    {"wrong_result", "its results are wrong"},
    {"not_selected", "it was not shown that the kernel ran that was meant"},
    {"not_verified", "its results were not verified"},
    {"records_missing", "records are missing or contradict others"},
    {"too_few_windows", "fewer than 3 windows of tiles were recorded whole"},
    {"no_receipt", "what its builds occupy is not known"},
    {"new_spills", "the marks made it spill registers, so these are the phases of another kernel"},
    {"other_occupancy", "with marks an SM has another number of blocks, so these are the phases of another kernel"},
    {"other_work", "with marks it does other work"},
    {"not_timed", "its builds with and without marks were not both timed"},
    {"mixed_timing", "its builds with and without marks were timed in different ways"},
    {"too_few_processes", "fewer than 3 processes timed it with and without marks"},
    {"slower", "with marks it is more than 5% slower, so these are the phases of another kernel"},
    {"faster", "with marks it is more than 5% faster, so these are the phases of another kernel"},
    {"cost_unclear", "its cost may be more than 5%"},
    {"too_few_launches", "fewer than 16 launches alike have samples"},
    {"no_begin", "the begin of more than a quarter of its launches is not known"},
    {"unsteady_length", "more than a quarter of its launches are longer or shorter than the others"},
    {"offsets_not_spread", "its launches begin at the same parts of a sample"},
    {"other_length", "its sampled launches take another time than the timed ones"},
};

const char *inside_reason_words(const char *reason)
{
    for (size_t i = 0; i < COUNT_OF(reasons); i++)
        if (!strcmp(reasons[i].reason, reason))
            return reasons[i].words;
    return reason;
}

/* With one digit it would look like the limit itself. */
static bool is_at_limit(double share)
{
    return fabs(fabs(share) - INSIDE_COST_MAX) < 0.001;
}

char *inside_cost_words(char *out, struct bounded cost, const char *before, const char *behind)
{
    const int digits = is_at_limit(cost.value) || is_at_limit(cost.low) || is_at_limit(cost.high) ? 2 : 1;
    size_t length = (size_t)snprintf(out, INSIDE_COST_BYTES, "%.*f%%", digits, 100 * cost.value);
    if (isfinite(cost.low) && isfinite(cost.high) && length < INSIDE_COST_BYTES)
        snprintf(out + length, INSIDE_COST_BYTES - length, "%s%.*f to %.*f%%%s", before, digits, 100 * cost.low, digits,
                 100 * cost.high, behind);
    return out;
}
