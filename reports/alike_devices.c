/* Which of many devices are alike? */
#include "reports/alike_devices.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/str.h"

enum { TWENTIETHS = 20, OTHERS_COLUMNS = 24 };

static int step_of(double share)
{
    return isnan(share) ? -1 : (int)lround(fmin(fmax(share, 0), 1) * TWENTIETHS);
}

static int by_shares(const struct alike_device *a, const struct alike_device *b)
{
    for (size_t i = 0; i < ALIKE_SHARES; i++)
        if (step_of(a->shares[i]) != step_of(b->shares[i]))
            return step_of(a->shares[i]) < step_of(b->shares[i]) ? -1 : 1;
    return 0;
}

static int device_order(const void *left, const void *right)
{
    const struct alike_device *a = left, *b = right;
    const int order = by_shares(a, b);
    return order ? order : (a->index > b->index) - (a->index < b->index);
}

static int by_size(const void *left, const void *right)
{
    const struct alike_group *a = left, *b = right;
    return a->count != b->count ? (a->count < b->count ? 1 : -1) : (a->first > b->first) - (a->first < b->first);
}

static int number_of(const struct alike_device *d)
{
    return d->rank >= 0 ? (int)d->rank : (int)d->device;
}

/* Numbers that follow one another are a stretch. */
static const char *others_of(struct arena *arena, const struct alike_device *d, size_t count)
{
    struct str text;
    str_init(&text);
    for (size_t i = 1, end; i < count; i = end) {
        for (end = i + 1; end < count && number_of(&d[end]) - number_of(&d[end - 1]) == 1;)
            end++;
        if (text.length > OTHERS_COLUMNS) {
            str_addf(&text, ", and %zu more", count - i);
            break;
        }
        str_addf(&text, "%s%d", i > 1 ? ", " : "", number_of(&d[i]));
        if (end > i + 1)
            str_addf(&text, "%s%d", end > i + 2 ? "-" : ", ", number_of(&d[end - 1]));
    }
    const char *copy = arena_copy(arena, str_text(&text));
    str_release(&text);
    return copy;
}

size_t alike_devices_group(struct arena *arena, struct alike_device *devices, size_t count, struct alike_group *groups)
{
    size_t found = 0;
    if (!count)
        return 0;
    qsort(devices, count, sizeof *devices, device_order);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && !by_shares(&devices[i], &devices[end]);)
            end++;
        groups[found++] = (struct alike_group){i, end - i, ""};
    }
    qsort(groups, found, sizeof *groups, by_size);
    for (size_t i = 0; i < found; i++)
        groups[i].others = others_of(arena, devices + groups[i].first, groups[i].count);
    return found;
}
