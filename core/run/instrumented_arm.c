/* Is an arm a build with marks, and which mark waits for how long? */
#include "core/run/instrumented_arm.h"

#include <string.h>

#include "core/bundle/bundle_complete.h"
#include "core/bundle/bundle_tables.h"

enum { DIGITS_MAX = 15 };

/* Reads digits and what ends them; NULL when it is something else. */
static const char *read_number(const char *at, int64_t *out, char ending)
{
    int digits = 0;
    for (*out = 0; *at >= '0' && *at <= '9' && digits < DIGITS_MAX; digits++)
        *out = 10 * *out + (*at++ - '0');
    return digits && *at == ending ? at + (ending ? 1 : 0) : NULL;
}

static const char *last_of(const char *text, const char *part)
{
    const char *found = NULL;
    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
        found = at;
    return found;
}

bool delay_arm_read(struct delay_arm *out, const char *variant)
{
    const char *ending = last_of(variant, INSIDE_DELAY);
    const char *at = ending && ending > variant ? read_number(ending + strlen(INSIDE_DELAY), &out->role, '.') : NULL;
    if (at)
        at = read_number(at, &out->mark, '-');
    if (!at)
        return false;
    out->of_length = (size_t)(ending - variant);
    if (strcmp(at, "none") != 0)
        return read_number(at, &out->asked_cycles, '\0');
    out->asked_cycles = -1;
    return true;
}

bool variant_is_delayed(const char *variant)
{
    struct delay_arm delay;
    return delay_arm_read(&delay, variant);
}

bool arm_is_delayed(const struct arm *arm)
{
    return arm && variant_is_delayed(arm->variant);
}

bool arm_is_partial(const struct arm *arm)
{
    return arm && inside_is_partial(arm->variant);
}

bool variant_is_altered(const char *variant)
{
    return variant_is_delayed(variant) || inside_is_partial(variant);
}

bool arm_is_altered(const struct arm *arm)
{
    return arm && variant_is_altered(arm->variant);
}

static size_t length_before(const char *variant, const char *ending)
{
    const size_t length = strlen(variant), own = strlen(ending);
    return length > own && !strcmp(variant + length - own, ending) ? length - own : 0;
}

size_t record_arm_of_length(const char *variant)
{
    return length_before(variant, INSIDE_RECORD);
}

size_t progress_arm_of_length(const char *variant)
{
    return length_before(variant, INSIDE_PROGRESS);
}

bool variant_is_instrumented(const char *variant)
{
    return variant_is_altered(variant) || record_arm_of_length(variant) || progress_arm_of_length(variant);
}

bool arm_is_instrumented(const struct arm *arm)
{
    return arm && variant_is_instrumented(arm->variant);
}
