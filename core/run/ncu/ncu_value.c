/* Which number, in base units, is in a cell of Nsight Compute? */
#include "core/run/ncu/ncu_value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/count_of.h"

enum { NUMBER_BYTES_MAX = 64 };

/* Clocks and rates of a GPU are above a million a second; ncu scales numbers to below a thousand. */
#define RATE_LEAST 1e6

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *skip_digits(const char *at)
{
    while (is_digit(*at))
        at++;
    return at;
}

/* Skips digits, or groups of three after one to three digits that do not start with 0. Returns NULL for anything
 * else. */
static const char *skip_whole(const char *at)
{
    const char *end = skip_digits(at);
    if (*end != ',')
        return end > at ? end : NULL;
    if (end == at || end - at > 3 || *at == '0')
        return NULL;
    while (*end == ',') {
        const char *group = end + 1;
        end = skip_digits(group);
        if (end - group != 3)
            return NULL;
    }
    return end;
}

static bool is_number(const char *text)
{
    const char *at = skip_whole(text + (*text == '-'));
    if (!at)
        return false;
    if (*at == '.') {
        const char *fraction = at + 1;
        at = skip_digits(fraction);
        if (at == fraction)
            return false;
    }
    if (*at == 'e' || *at == 'E') {
        const char *exponent = at + 1 + (at[1] == '-' || at[1] == '+');
        at = skip_digits(exponent);
        if (at == exponent)
            return false;
    }
    return !*at;
}

static bool is_one_of(const char *text, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(text, words[i]))
            return true;
    return false;
}

static bool is_missing(const char *text)
{
    static const char *const words[] = {"",     "n/a",   "N/A",  "no data",   "(!) n/a", "-",
                                        "None", "error", "N/A*", "<no data>", "null"};
    return is_one_of(text, words, COUNT_OF(words));
}

static bool is_nan(const char *text)
{
    static const char *const words[] = {"nan", "-nan", "NaN", "inf", "-inf", "(!) nan", "(!) inf"};
    return is_one_of(text, words, COUNT_OF(words));
}

/* Does the text have only digits and separators of some locale: comma, full stop, apostrophe, space, no-break space
 * (U+00A0, U+202F), right quotation mark? */
static bool is_of_other_locale(const char *text)
{
    static const char *const marks[] = {",", ".", "'", " ", "\xc2\xa0", "\xe2\x80\xaf", "\xe2\x80\x99"};
    bool any_digit = false;
    for (text += *text == '-'; *text;) {
        size_t length = is_digit(*text) ? 1 : 0;
        any_digit |= length > 0;
        for (size_t i = 0; i < COUNT_OF(marks) && !length; i++)
            if (!strncmp(text, marks[i], strlen(marks[i])))
                length = strlen(marks[i]);
        if (!length)
            return false;
        text += length;
    }
    return any_digit;
}

enum ncu_number ncu_number_read(const char *text, double *value)
{
    char plain[NUMBER_BYTES_MAX];
    size_t length = 0;
    *value = NAN;
    if (is_missing(text))
        return NCU_MISSING;
    if (is_nan(text))
        return NCU_NAN;
    if (!is_number(text))
        return is_of_other_locale(text) ? NCU_LOCALE : NCU_GARBAGE;
    for (; *text; text++) {
        if (*text == ',')
            continue;
        if (length == sizeof plain - 1)
            return NCU_GARBAGE;
        plain[length++] = *text;
    }
    plain[length] = '\0';
    *value = strtod(plain, NULL);
    if (isfinite(*value))
        return NCU_NUMBER;
    *value = NAN;
    return NCU_GARBAGE;
}

double ncu_dimensions_read(const char *text)
{
    double product = 1, impossible = 1;
    if (*text != '(')
        return NAN;
    for (const char *at = text + 1;; at++) {
        char *end;
        const double extent = strtod(at, &end);
        if (end == at || isnan(extent) || (*end != ',' && *end != ')'))
            return NAN;
        if (extent < 1 || extent != floor(extent))
            impossible = extent;
        product *= extent;
        if (*end == ')')
            return impossible != 1 ? impossible : product;
        at = end;
    }
}

struct scale {
    const char *prefix;
    double factor;
};

static const struct scale times[] = {{"n", 1}, {"u", 1e3}, {"m", 1e6}, {"", 1e9}};
static const struct scale amounts[] = {{"", 1},    {"K", 1e3},  {"k", 1e3}, {"M", 1e6},
                                       {"G", 1e9}, {"T", 1e12}, {"P", 1e15}};

static bool scaled(const struct scale *scales, size_t count, const char *text, size_t length, const char *word,
                   double *factor)
{
    for (size_t i = 0; i < count; i++) {
        const size_t prefix = strlen(scales[i].prefix);
        if (length != prefix + strlen(word) || strncmp(text, scales[i].prefix, prefix) ||
            strncmp(text + prefix, word, length - prefix))
            continue;
        *factor = scales[i].factor;
        return true;
    }
    return false;
}

static bool scaled_by_any(const struct scale *scales, size_t count, const char *text, size_t length,
                          const char *const *words, size_t word_count, double *factor)
{
    for (size_t i = 0; i < word_count; i++)
        if (scaled(scales, count, text, length, words[i], factor))
            return true;
    return false;
}

/* "Gbyte/second", "cycle/nsecond": each side has a scale of its own. */
static bool rate_factor(const char *unit, const char *const *words, size_t word_count, const char *const *seconds,
                        size_t second_count, double *factor)
{
    const size_t length = strcspn(unit, "/");
    double per_ns;
    if (!unit[length] || !scaled_by_any(amounts, COUNT_OF(amounts), unit, length, words, word_count, factor) ||
        !scaled_by_any(times, COUNT_OF(times), unit + length + 1, strlen(unit + length + 1), seconds, second_count,
                       &per_ns))
        return false;
    *factor *= 1e9 / per_ns;
    return true;
}

bool ncu_unit_is_missing(const char *unit, enum unit wanted)
{
    static const enum unit with_one[] = {UNIT_RATIO, UNIT_NS, UNIT_BYTES, UNIT_BYTES_PER_S, UNIT_HZ};
    for (size_t i = 0; i < COUNT_OF(with_one) && !*unit; i++)
        if (wanted == with_one[i])
            return true;
    return false;
}

bool ncu_unit_factor(const char *unit, enum unit wanted, double *factor)
{
    static const char *const seconds[] = {"second", "s"}, *const hertz[] = {"hz", "Hz"};
    static const char *const bytes[] = {"byte", "B"};
    static const char *const counted[] = {"",         "inst",   "cycle",  "sector", "sectors",  "request",
                                          "warp",     "thread", "block",  "SM",     "register", "cluster",
                                          "branches", "pass",   "sample", "TPC",    "warps"};
    const size_t length = strcspn(unit, "/"); /* the name of the metric states what it is per */
    if (ncu_unit_is_missing(unit, wanted)) {
        *factor = wanted == UNIT_RATIO ? 0.01 : 1;
        return true;
    }
    switch (wanted) {
    case UNIT_RATIO: *factor = 0.01; return !strcmp(unit, "%");
    case UNIT_NS: return scaled_by_any(times, COUNT_OF(times), unit, strlen(unit), seconds, COUNT_OF(seconds), factor);
    case UNIT_BYTES: return scaled_by_any(amounts, COUNT_OF(amounts), unit, length, bytes, COUNT_OF(bytes), factor);
    case UNIT_BYTES_PER_S: return rate_factor(unit, bytes, COUNT_OF(bytes), seconds, COUNT_OF(seconds), factor);
    case UNIT_HZ:
        return scaled_by_any(amounts, COUNT_OF(amounts), unit, length, hertz, COUNT_OF(hertz), factor) ||
               rate_factor(unit, counted, COUNT_OF(counted), seconds, COUNT_OF(seconds), factor);
    case UNIT_COUNT:
    case UNIT_CYCLES:
    case UNIT_NONE: return scaled_by_any(amounts, COUNT_OF(amounts), unit, length, counted, COUNT_OF(counted), factor);
    default: return false;
    }
}

bool ncu_value_is_unscaled(enum unit wanted, const char *text, double value)
{
    switch (wanted) {
    case UNIT_NS:
    case UNIT_BYTES: return !strchr(text, '.');
    case UNIT_BYTES_PER_S:
    case UNIT_HZ: return value == 0 || value >= RATE_LEAST;
    default: return true;
    }
}
