/* Which samples of the GPU belong to which launch, and which launches have all of theirs? */
#include "collector/runner/inside/series_launches.h"

#include <stdbool.h>
#include <stdlib.h>

/* All together cover the stay: each begins where the one before ended, within a quarter of a step, and none is so long
 * that it stands for several. */
static bool is_covered(const struct series_launches *s)
{
    const struct series_sample *items = s->samples.items;
    const size_t count = s->samples.count;
    if (!count || items[0].begin_ns > s->stays[s->at].begin_ns || items[count - 1].end_ns < s->stays[s->at].end_ns)
        return false;
    for (size_t i = 0; i < count; i++)
        if (items[i].end_ns - items[i].begin_ns >= 2 * s->step_ns ||
            (i && items[i].begin_ns > items[i - 1].end_ns + s->step_ns / 4))
            return false;
    return true;
}

static bool is_active(const struct series_sample *sample)
{
    return sample->values[0] > 0;
}

static int end_launch(struct series_launches *s, struct err *e)
{
    const struct series_sample *items = s->samples.items;
    size_t first = 0, end = s->samples.count;
    int rc = 0;
    while (first < end && !is_active(&items[first]))
        first++;
    while (end > first && !is_active(&items[end - 1]))
        end--;
    if (first < end && is_covered(s))
        rc = s->keep(s->context, items + first, end - first, e);
    else
        s->gapped++;
    s->samples.count = 0;
    s->at++;
    return rc;
}

/* Launches part in the middle of the time between them. */
static bool is_behind(const struct series_launches *s, const struct series_sample *sample)
{
    if (s->at + 1 >= s->count)
        return false;
    const uint64_t idle_ns = s->stays[s->at].end_ns, next_ns = s->stays[s->at + 1].begin_ns;
    return sample->begin_ns >= idle_ns + (next_ns - idle_ns) / 2;
}

int series_launches_see(struct series_launches *s, const struct series_sample *sample, struct err *e)
{
    int rc = 0;
    while (!rc && is_behind(s, sample))
        rc = end_launch(s, e);
    if (rc)
        return rc;
    struct series_sample *slot = ARRAY_PUSH(&s->samples);
    if (!slot)
        return err_memory(e);
    *slot = *sample;
    return 0;
}

int series_launches_end(struct series_launches *s, struct err *e)
{
    int rc = 0;
    while (!rc && s->at < s->count)
        rc = end_launch(s, e);
    return rc;
}

void series_launches_release(struct series_launches *s)
{
    free(s->samples.items);
}
