/* Which sizes does a sweep mean? */
#include "analyzers/compare/size_sweep.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/base/units.h"

static const double largest = 9007199254740992.0; /* 2^53: whole numbers are exact up to here */

struct parser {
    const char *text; /* all of it, for messages */
    bool in_bytes;
    struct size_sweep *out;
};

static int complain(const struct parser *p, const char *what, struct err *e)
{
    return err_set(e, ERR_USAGE, "--sweep %s: %s", p->text, what);
}

/* Reads one size at *at and moves behind it. */
static int take_size(const struct parser *p, const char **at, int64_t *out, struct err *e)
{
    double value = NAN;
    enum unit unit = UNIT_NONE;
    const size_t length = isdigit((unsigned char)**at) ? unit_parse(*at, &value, &unit) : 0;
    if (!length || !(value >= 1 && value <= largest) || value != floor(value))
        return complain(p, "expected whole numbers from 1, as in n=1024:65536:x2 or bytes=64KiB,1MiB", e);
    if (unit == UNIT_BYTES && !p->in_bytes)
        return complain(p, "only a dimension called bytes takes units: give plain numbers", e);
    if (unit != UNIT_NONE && unit != UNIT_BYTES)
        return complain(p, "a size is a plain number or one of bytes", e);
    *out = (int64_t)value;
    *at += length;
    return 0;
}

static int push(const struct parser *p, int64_t value, struct err *e)
{
    struct size_sweep *out = p->out;
    if (out->count && value <= out->values[out->count - 1])
        return complain(p, "the sizes must ascend", e);
    if (out->count == SIZE_SWEEP_MAX)
        return err_set(e, ERR_USAGE, "--sweep %s: more than %d sizes", p->text, SIZE_SWEEP_MAX);
    out->values[out->count++] = value;
    return 0;
}

static int take_list(const struct parser *p, const char *at, struct err *e)
{
    int64_t value = 0;
    int rc = take_size(p, &at, &value, e);
    while (!rc) {
        rc = push(p, value, e);
        if (rc || !*at)
            return rc;
        if (*at++ != ',')
            return complain(p, "expected a comma between sizes", e);
        rc = take_size(p, &at, &value, e);
    }
    return rc;
}

static int take_range(const struct parser *p, const char *at, struct err *e)
{
    int64_t first = 0, last = 0, by = 0;
    int rc = take_size(p, &at, &first, e);
    if (!rc && *at++ != ':')
        rc = complain(p, "expected FIRST:LAST:xFACTOR or FIRST:LAST:+STEP", e);
    if (!rc)
        rc = take_size(p, &at, &last, e);
    const char how = !rc && *at == ':' ? at[1] : '\0';
    if (!rc && how != 'x' && how != '+')
        rc = complain(p, "how does it go on? :x2 doubles, :+1024 adds", e);
    if (!rc) {
        at += 2;
        rc = take_size(p, &at, &by, e);
    }
    if (!rc && (*at || (how == 'x' && by < 2)))
        rc = complain(p, "expected :xFACTOR, a whole number from 2, or :+STEP at its end", e);
    if (!rc && last < first)
        rc = complain(p, "the last size is below the first", e);
    /* by comparison with what is left, so that nothing can overflow */
    for (int64_t value = first; !rc; value = how == 'x' ? value * by : value + by) {
        rc = push(p, value, e);
        if (how == 'x' ? value > last / by : by > last - value)
            break;
    }
    return rc;
}

static bool is_in_bytes(const char *axis)
{
    const size_t length = strlen(axis);
    return !strcmp(axis, "bytes") || (length > 6 && !strcmp(axis + length - 6, "_bytes"));
}

int size_sweep_parse(struct size_sweep *out, const char *text, struct err *e)
{
    *out = (struct size_sweep){0};
    struct parser p = {.text = text, .out = out};
    const size_t length = strcspn(text, "=");
    if (!length || !text[length])
        return complain(&p, "expected NAME=FIRST:LAST:x2, NAME=FIRST:LAST:+STEP or NAME=SIZE,SIZE,...", e);
    if (length >= sizeof out->axis)
        return complain(&p, "the name of the dimension is too long", e);
    memcpy(out->axis, text, length);
    p.in_bytes = is_in_bytes(out->axis);
    const char *sizes = text + length + 1;
    return strchr(sizes, ':') ? take_range(&p, sizes, e) : take_list(&p, sizes, e);
}
