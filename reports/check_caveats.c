/* What must be said about results beside their rows? What the reader of the
 * input said, then what measuring and judging found; every format says all. */
#include "core/trace/identity.h"
#include "reports/rule_rows.h"
#include "reports/trace_words.h"

struct counted {
    int64_t count;
    const char *before, *after;
};

enum { COUNTED = 4 };

/* The one of number `i` among those that there are; NULL behind the last. */
static const struct counted *find_counted(const struct counted all[COUNTED], size_t i)
{
    for (size_t c = 0; c < COUNTED; c++)
        if (all[c].count && !i--)
            return &all[c];
    return NULL;
}

static const char *counted_text(struct arena *arena, const struct timeline *t, size_t i)
{
    const struct counted all[COUNTED] = {
        {t->unfinished, "events that never ended: ", " (counted, not measured)"},
        {t->unlaunched, "GPU events without a recorded call: ", " (in no NVTX range, without launch and queue time)"},
        {t->doubtful, DOUBTFUL_CALLS, ""},
        {t->of_other_threads,
         "GPU operations that an nvtx filter leaves out, as other threads launched them while the range was open: ",
         ""},
    };
    const struct counted *found = find_counted(all, i);
    return found ? arena_printf(arena, "%s%lld%s", found->before, (long long)found->count, found->after) : NULL;
}

static size_t count_counted(const struct timeline *t)
{
    return (t->unfinished > 0) + (t->unlaunched > 0) + (t->doubtful > 0) + (t->of_other_threads > 0);
}

static bool has_pageable(const struct timeline *t)
{
    for (size_t i = 0; i < t->device_count; i++)
        if (t->devices[i].pageable)
            return true;
    return false;
}

/* Over all devices. */
static const char *pageable_text(struct arena *arena, const struct timeline *t)
{
    int64_t count = 0;
    double sum_ns = 0;
    char copies[UNITS_TEXT_BYTES], sum[UNITS_TEXT_BYTES];
    for (size_t i = 0; i < t->device_count; i++) {
        count += t->devices[i].pageable;
        sum_ns += (double)t->devices[i].pageable_ns;
    }
    return arena_printf(arena,
                        "%s from or to pageable memory (%s): the call returns only when the host's memory was read or "
                        "written, so that little of what its thread launches next runs beside the copy",
                        words_count(copies, count, "copy", "copies"), unit_format(sum, UNIT_NS, sum_ns));
}

static const char *absence_text(struct arena *arena, const struct rule_absence *x)
{
    const char *places = "";
    size_t shown = 0;
    for (; shown < x->devices && shown < RULE_ABSENCES_SHOWN; shown++)
        places = arena_printf(arena, "%s%s%s", places, shown ? "; " : "",
                              place_label(arena, x->places[shown].rank, x->places[shown].device, true));
    const char *more = shown < x->devices ? arena_printf(arena, "; and %zu more", x->devices - shown) : "";
    return arena_printf(arena, "not judged on %s%s, without one of its operands: %s", places, more, x->rule);
}

size_t check_caveat_count(const struct check_report *r)
{
    return r->caveats->count + count_counted(r->timeline) + has_pageable(r->timeline) + r->results->absences.count;
}

struct check_caveat check_caveat(struct arena *arena, const struct check_report *r, size_t i)
{
    if (i < r->caveats->count)
        return (struct check_caveat){r->caveats->items[i].kind, r->caveats->items[i].text};
    i -= r->caveats->count;
    const char *text = counted_text(arena, r->timeline, i);
    if (text)
        return (struct check_caveat){CAVEAT_NOTE, text};
    i -= count_counted(r->timeline);
    if (has_pageable(r->timeline) && !i--)
        text = pageable_text(arena, r->timeline);
    else
        text = absence_text(arena, &r->results->absences.items[i]);
    return (struct check_caveat){CAVEAT_NOTE, text};
}
