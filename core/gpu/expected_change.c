/* How was a variant expected to change the counters, and did it? */
#define _POSIX_C_SOURCE 200809L
#include "core/gpu/expected_change.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/count_of.h"
#include "core/base/str.h"
#include "core/gpu/metrics.h"

static const struct {
    const char *word;
    enum threshold_id tolerance; /* used when none is written */
} directions[] = {
    [CHANGE_UP] = {"up", THRESHOLD_SIGNAL_CHANGE},
    [CHANGE_DOWN] = {"down", THRESHOLD_SIGNAL_CHANGE},
    [CHANGE_FLAT] = {"flat", THRESHOLD_SIGNAL_FLAT},
};

enum { DIRECTIONS = COUNT_OF(directions) };

void expected_change_release(struct expected_change *s)
{
    free(s->metric);
    free(s->text);
    *s = (struct expected_change){0};
}

static const char spaces[] = " \t";

static size_t word_length(const char *text)
{
    return strcspn(text, " \t;");
}

static int parse_direction(struct expected_change *out, const char **at, struct err *e)
{
    const size_t length = word_length(*at);
    int i = 0;
    while (i < DIRECTIONS && (strlen(directions[i].word) != length || memcmp(directions[i].word, *at, length) != 0))
        i++;
    if (i == DIRECTIONS)
        return err_set(e, ERR_USAGE, "expected up, down or flat behind '%s'", out->metric);
    out->direction = (enum change_direction)i;
    out->tolerance = NAN;
    *at += length;
    return 0;
}

/* Reads an optional share: "3%". */
static int parse_tolerance(struct expected_change *out, const char **at, struct err *e)
{
    enum unit unit;
    if (!**at || **at == ';')
        return 0;
    const size_t length = unit_parse(*at, &out->tolerance, &unit);
    if (!length || unit != UNIT_RATIO || !(out->tolerance >= 0))
        return err_set(e, ERR_USAGE, "expected per cent, as in 'flat 3%%', or ';'");
    *at += length;
    return 0;
}

/* Copies it without trailing spaces. */
static char *copy_text_between(const char *begin, const char *end)
{
    while (end > begin && strchr(spaces, end[-1]))
        end--;
    return strndup(begin, (size_t)(end - begin));
}

int expected_change_parse(struct expected_change *out, const char **at, struct err *e)
{
    *out = (struct expected_change){0};
    *at += strspn(*at, spaces);
    const char *begin = *at;
    const size_t length = word_length(begin);
    if (!length)
        return err_set(e, ERR_USAGE, "expected a signal, such as 'sm_throughput up' or 'dram_bytes flat 3%%'");
    out->metric = strndup(begin, length);
    if (!out->metric)
        return err_memory(e);
    *at += length;
    *at += strspn(*at, spaces);
    int code = parse_direction(out, at, e);
    *at += strspn(*at, spaces);
    if (!code)
        code = parse_tolerance(out, at, e);
    const char *end = *at;
    *at += strspn(*at, spaces);
    if (!code && **at && **at != ';')
        code = err_set(e, ERR_USAGE, "expected ';' before the next signal");
    if (!code && **at)
        (*at)++;
    out->text = code ? NULL : copy_text_between(begin, end);
    if (!code && !out->text)
        code = err_memory(e);
    if (code)
        expected_change_release(out);
    return code;
}

double counter_change(double base, double cand)
{
    if (isnan(base) || isnan(cand))
        return NAN;
    if (base == 0)
        return cand == 0 ? 0 : copysign(INFINITY, cand);
    return (cand - base) / fabs(base);
}

/* Counters by the beginnings of their names. */
static const struct noise_floor {
    const char *prefix;
    enum unit unit;
    enum threshold_id least;
    bool of_instructions; /* a share of the instructions, else an amount */
} floors[] = {
    {"dram__", UNIT_BYTES, THRESHOLD_DRAM_FLOOR, false},
    {"l1tex__data_bank_conflicts_", UNIT_COUNT, THRESHOLD_CONFLICT_FLOOR, true},
};

/* Is it a counter of that row, or a sum of such counters? */
static bool is_of(const struct noise_floor *f, const char *metric)
{
    const char *parts[METRIC_PARTS_MAX];
    const size_t count = metric_parts(metric, parts);
    for (size_t i = 0; i < count; i++)
        if (strncmp(parts[i], f->prefix, strlen(f->prefix)) != 0 || metric_unit(parts[i]) != f->unit)
            return false;
    return true;
}

/* Returns the floor; 0: any difference counts. */
static double floor_of(const struct thresholds *t, const char *metric, double instructions, enum unit *unit)
{
    for (size_t i = 0; i < COUNT_OF(floors); i++) {
        const double least = threshold(t, floors[i].least) * (floors[i].of_instructions ? instructions : 1);
        *unit = floors[i].unit;
        if (is_of(&floors[i], metric))
            return least > 0 ? least : 0;
    }
    return 0;
}

bool counter_change_is_noise(const struct thresholds *t, const char *metric, double base, double cand,
                             double instructions)
{
    enum unit unit;
    const double differs = fabs(cand - base);
    return differs > 0 && differs < floor_of(t, metric, instructions, &unit);
}

enum verdict_status expected_change_judge(const struct thresholds *t, const struct expected_change *s, double base,
                                          double cand, double instructions)
{
    const double change = counter_change(base, cand);
    if (isnan(change))
        return VERDICT_INCONCLUSIVE;
    if (counter_change_is_noise(t, s->metric, base, cand, instructions))
        return s->direction == CHANGE_FLAT ? VERDICT_PASS : VERDICT_INCONCLUSIVE;
    const double tolerance = isnan(s->tolerance) ? threshold(t, directions[s->direction].tolerance) : s->tolerance;
    const bool confirmed = s->direction == CHANGE_FLAT ? fabs(change) <= tolerance + 1e-12
                           : s->direction == CHANGE_UP ? change > 0 && threshold_reached(change, tolerance)
                                                       : change < 0 && threshold_reached(-change, tolerance);
    return confirmed ? VERDICT_PASS : VERDICT_FAIL;
}

const char *expected_change_verdict_name(enum verdict_status status)
{
    static const char *const names[] = {
        [VERDICT_INCONCLUSIVE] = "unknown", [VERDICT_PASS] = "confirmed", [VERDICT_FAIL] = "refuted"};
    return names[status];
}

static const char *plain_change_words(struct arena *arena, double base, double cand)
{
    const double change = counter_change(base, cand);
    char text[UNITS_TEXT_BYTES];
    if (isnan(change))
        return "";
    if (change == 0)
        return "unchanged";
    if (isinf(change))
        return change > 0 ? "up from 0" : "down from 0";
    return arena_printf(arena, "%s %s", change > 0 ? "up" : "down", unit_format(text, UNIT_RATIO, fabs(change)));
}

const char *counter_change_words(struct arena *arena, const struct thresholds *t, const char *metric, double base,
                                 double cand, double instructions)
{
    const char *words = plain_change_words(arena, base, cand);
    char text[UNITS_TEXT_BYTES];
    enum unit unit;
    const double least = floor_of(t, metric, instructions, &unit);
    if (!counter_change_is_noise(t, metric, base, cand, instructions))
        return words;
    return arena_printf(arena, "%s, differs by less than %s", words,
                        unit_format(text, unit, unit == UNIT_COUNT ? ceil(least) : least));
}
