/* How is a number shown to a person, and what did a person's number mean? */
#include "core/base/units.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/count_of.h"

static const char *const unit_names[] = {
    [UNIT_NONE] = "",
    [UNIT_COUNT] = "count",
    [UNIT_NS] = "ns",
    [UNIT_BYTES] = "bytes",
    [UNIT_RATIO] = "ratio",
    [UNIT_FACTOR] = "factor",
    [UNIT_BYTES_PER_S] = "bytes/s",
    [UNIT_CYCLES] = "cycles",
    [UNIT_HZ] = "Hz",
    [UNIT_FLOP_PER_S] = "FLOP/s",
    [UNIT_TEXT] = "text",
};

const char *unit_name(enum unit unit)
{
    return unit_names[unit];
}

struct scale {
    double factor; /* how many base units one of these is */
    const char *suffix;
};

/* Chooses the largest scale that leaves at least 1 before the decimal point, and shows three significant digits (four
 * from 1000 of the largest scale). */
static void format_scaled(char *text, double value, const struct scale *scales, size_t count)
{
    size_t pick = count - 1;
    for (size_t i = 0; i < count; i++)
        if (fabs(value) >= scales[i].factor * 0.9995) {
            pick = i;
            break;
        }
    double scaled = value / scales[pick].factor;
    double size = fabs(scaled);
    int decimals = size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
    if (pick == count - 1 && scaled == floor(scaled))
        decimals = 0;
    snprintf(text, UNITS_TEXT_BYTES, "%.*f %s", decimals, scaled, scales[pick].suffix);
}

static void format_grouped(char *text, double value)
{
    char digits[UNITS_TEXT_BYTES];
    int length = snprintf(digits, sizeof digits, "%.0f", fabs(value));
    if (length < 0 || length > 24) {
        snprintf(text, UNITS_TEXT_BYTES, "%.3g", value);
        return;
    }
    char *out = text;
    if (value < 0)
        *out++ = '-';
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            *out++ = ',';
        *out++ = digits[i];
    }
    *out = '\0';
}

char *unit_format(char *text, enum unit unit, double value)
{
    static const struct scale time[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
    static const struct scale size[] = {
        {1099511627776.0, "TiB"}, {1073741824.0, "GiB"}, {1048576.0, "MiB"}, {1024.0, "KiB"}, {1, "B"}};
    static const struct scale rate[] = {{1e12, "TB/s"}, {1e9, "GB/s"}, {1e6, "MB/s"}, {1e3, "kB/s"}, {1, "B/s"}};
    static const struct scale work[] = {
        {1e12, "TFLOP/s"}, {1e9, "GFLOP/s"}, {1e6, "MFLOP/s"}, {1e3, "kFLOP/s"}, {1, "FLOP/s"}};
    static const struct scale clock[] = {{1e9, "GHz"}, {1e6, "MHz"}, {1e3, "kHz"}, {1, "Hz"}};
#define SCALED(table) format_scaled(text, value, table, COUNT_OF(table))
    if (!isfinite(value)) {
        snprintf(text, UNITS_TEXT_BYTES, "n/a");
        return text;
    }
    if (unit == UNIT_RATIO && fabs(value) < 0.0005)
        value = 0; /* no "-0.0%" */
    switch (unit) {
    case UNIT_NS: SCALED(time); break;
    case UNIT_BYTES: SCALED(size); break;
    case UNIT_BYTES_PER_S: SCALED(rate); break;
    case UNIT_HZ: SCALED(clock); break;
    case UNIT_FLOP_PER_S: SCALED(work); break;
    case UNIT_RATIO: snprintf(text, UNITS_TEXT_BYTES, "%.1f%%", value * 100.0); break;
    case UNIT_FACTOR: snprintf(text, UNITS_TEXT_BYTES, "%.3fx", value); break;
    case UNIT_COUNT:
    case UNIT_CYCLES:
        if (value == floor(value) || fabs(value) >= 1000)
            format_grouped(text, value);
        else
            snprintf(text, UNITS_TEXT_BYTES, "%.3g", value);
        break;
    case UNIT_NONE:
    case UNIT_TEXT: snprintf(text, UNITS_TEXT_BYTES, "%.4g", value); break;
    }
#undef SCALED
    return text;
}

enum { MORE_DECIMALS = 3 };

static int usual_decimals(enum unit unit)
{
    return unit == UNIT_RATIO ? 1 : 3;
}

static double as_shown(enum unit unit, double value)
{
    return unit == UNIT_RATIO ? value * 100 : value;
}

static void format_decimals(char texts[][UNITS_TEXT_BYTES], enum unit unit, const double *values, size_t count,
                            int decimals)
{
    for (size_t i = 0; i < count; i++) {
        const double shown = as_shown(unit, values[i]), least = 0.5 * pow(10, -decimals);
        if (!isfinite(shown))
            unit_format(texts[i], unit, values[i]);
        else
            snprintf(texts[i], UNITS_TEXT_BYTES, "%.*f%s", decimals, fabs(shown) < least ? 0 : shown,
                     unit == UNIT_RATIO ? "%" : "x");
    }
}

/* Are all values that differ shown as different texts? Values that agree in the last possible decimal count as
 * equal. */
static bool are_apart(char texts[][UNITS_TEXT_BYTES], enum unit unit, const double *values, size_t count)
{
    const double least = pow(10, -(usual_decimals(unit) + MORE_DECIMALS));
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++)
            if (fabs(as_shown(unit, values[i]) - as_shown(unit, values[j])) >= least && !strcmp(texts[i], texts[j]))
                return false;
    return true;
}

void unit_format_apart(char texts[][UNITS_TEXT_BYTES], enum unit unit, const double *values, size_t count)
{
    if (unit != UNIT_RATIO && unit != UNIT_FACTOR) {
        for (size_t i = 0; i < count; i++)
            unit_format(texts[i], unit, values[i]);
        return;
    }
    for (int more = 0; more <= MORE_DECIMALS; more++) {
        format_decimals(texts, unit, values, count, usual_decimals(unit) + more);
        if (are_apart(texts, unit, values, count))
            return;
    }
}

char *unit_format_factor(char *text, double value)
{
    const double size = fabs(value);
    const int decimals = size >= 99.95 ? 0 : size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3;
    if (!isfinite(value))
        return unit_format(text, UNIT_FACTOR, value);
    snprintf(text, UNITS_TEXT_BYTES, "%.*fx", decimals, value);
    return text;
}

char *unit_format_moment(char *text, int64_t ns)
{
    static const struct {
        const char *suffix;
        int decimals;
    } units[] = {{"ns", 0}, {"us", 3}, {"ms", 6}, {"s", 9}};
    uint64_t left = ns < 0 ? -(uint64_t)ns : (uint64_t)ns, power = 1;
    size_t pick = 0;
    while (pick < 3 && left / power >= 1000) {
        power *= 1000;
        pick++;
    }
    const char *sign = ns < 0 ? "-" : "";
    if (!pick)
        snprintf(text, UNITS_TEXT_BYTES, "%s%" PRIu64 " ns", sign, left);
    else
        snprintf(text, UNITS_TEXT_BYTES, "%s%" PRIu64 ".%0*" PRIu64 " %s", sign, left / power, units[pick].decimals,
                 left % power, units[pick].suffix);
    return text;
}

size_t unit_parse(const char *text, double *value, enum unit *unit)
{
    static const struct {
        const char *suffix;
        enum unit unit;
        double factor;
    } suffixes[] = {
        {"%", UNIT_RATIO, 0.01}, {"ns", UNIT_NS, 1},           {"us", UNIT_NS, 1e3},    {"ms", UNIT_NS, 1e6},
        {"s", UNIT_NS, 1e9},     {"B", UNIT_BYTES, 1},         {"KB", UNIT_BYTES, 1e3}, {"KiB", UNIT_BYTES, 1024},
        {"MB", UNIT_BYTES, 1e6}, {"MiB", UNIT_BYTES, 1048576}, {"GB", UNIT_BYTES, 1e9}, {"GiB", UNIT_BYTES, 1073741824},
    };
    /* strtod would also accept hex, inf and nan, which are not meant in a rule. */
    const char *start = text;
    if (*start == '-' || *start == '+')
        start++;
    if (!isdigit((unsigned char)start[0]) && !(start[0] == '.' && isdigit((unsigned char)start[1])))
        return 0;
    if (start[0] == '0' && (start[1] == 'x' || start[1] == 'X'))
        return 0;
    char *end;
    double number = strtod(text, &end);
    if (!isfinite(number))
        return 0;
    const char *word = end;
    while (*word == ' ')
        word++;
    size_t letters = 0;
    while (isalpha((unsigned char)word[letters]) || word[letters] == '%')
        letters++;
    if (!letters) {
        *value = number;
        *unit = UNIT_NONE;
        return (size_t)(end - text);
    }
    for (size_t i = 0; i < COUNT_OF(suffixes); i++)
        if (strlen(suffixes[i].suffix) == letters && !strncmp(suffixes[i].suffix, word, letters)) {
            *value = number * suffixes[i].factor;
            *unit = suffixes[i].unit;
            return (size_t)(word - text) + letters;
        }
    return 0;
}
