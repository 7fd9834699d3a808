/* After which rounds is growing data looked at, so that a run may stop? */
#include "core/stats/sequential_looks.h"

const struct reason stop_reasons[] = {STOP_REASONS(REASON_ROW)};

long sequential_looks_next(long rounds)
{
    return rounds < ROUNDS_MAX / 2 ? 2 * rounds : ROUNDS_MAX;
}

int sequential_looks_planned(long first)
{
    int looks = 1;
    for (long rounds = first; rounds < ROUNDS_MAX; rounds = sequential_looks_next(rounds))
        looks++;
    return looks;
}

int sequential_looks_of_manifest(const json_t *manifest)
{
    const long long looks = json_get_integer(json_object_get(manifest, "stop"), "looks", 1);
    return looks < 1 ? 1 : looks > ROUNDS_MAX ? ROUNDS_MAX : (int)looks;
}
