/* Is what a line of costs says of a slack possible, and does a worse cost never make it a better one?
 *
 * The first byte is the number of doses, five bytes each: step of the delay, cost (2), half width and tolerance. */
#include "tests/fuzz/fuzz.h"

#include <math.h>
#include <stdbool.h>

#include "analyzers/slack/slack_line.h"
#include "core/base/count_of.h"

enum { DOSES_MAX = 12, DOSE_BYTES = 5 };

static const char *at(const struct bounded *b)
{
    static char text[96];
    snprintf(text, sizeof text, "%g [%g, %g]", b->value, b->low, b->high);
    return text;
}

static bool is_known(const struct bounded *b)
{
    return !isnan(b->value);
}

/* Known with all of it, or with none of it. */
static void check_interval(const struct bounded *b)
{
    const bool holds = is_known(b) ? b->low <= b->value && b->value <= b->high : isnan(b->low) && isnan(b->high);
    if (!holds)
        fprintf(stderr, "%s\n", at(b));
    REQUIRE(holds);
}

static void check_slack(const struct slack_line *line, const struct slack_point *points, size_t count)
{
    const struct bounded *slack = &line->slack;
    const bool has_slack =
        line->status == SLACK_HIDDEN || line->status == SLACK_PARTLY || line->status == SLACK_CRITICAL;
    REQUIRE(has_slack == is_known(slack) && has_slack == is_known(&line->slope));
    REQUIRE(!has_slack || slack->low >= 0);
    REQUIRE(!has_slack || slack->value <= points[count - 1].delay);
    REQUIRE(isinf(slack->high) == (line->status == SLACK_HIDDEN));
    REQUIRE(line->status != SLACK_CRITICAL || (slack->value == 0 && line->first_slope.value >= 0.8));
    REQUIRE((line->status != SLACK_PARTLY && line->status != SLACK_CRITICAL) || line->slope.value > 0);
    /* no delay from one that certainly costs on is free */
    for (size_t i = 0; i < count && has_slack; i++)
        REQUIRE(points[i].cost.low <= points[i].tolerance || slack->value <= points[i].delay);
}

static void check_free(const struct slack_point *points, size_t count)
{
    static const double limits[] = {1, 10, 100, 1e3, 1e4, 1e5};
    double before = 0;
    for (size_t i = 0; i < COUNT_OF(limits); i++) {
        const double delay = slack_free_up_to(points, count, limits[i]);
        REQUIRE(delay >= before && delay <= points[count - 1].delay);
        before = delay;
    }
}

/* A dose that is dearer for certain. */
static void check_dearer(const struct slack_line *line, const struct slack_point *points, size_t count)
{
    struct slack_point dearer[DOSES_MAX];
    for (size_t i = 0; i < count; i++) {
        dearer[i] = points[i];
        dearer[i].cost.value += 1e6;
        dearer[i].cost.low += 1e6;
        dearer[i].cost.high += 1e6;
    }
    const struct slack_line worse = slack_line_of(dearer, count);
    REQUIRE(worse.status != SLACK_HIDDEN);
    REQUIRE(!is_known(&worse.slack) || !is_known(&line->slack) || worse.slack.value <= line->slack.value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct slack_point points[DOSES_MAX];
    const size_t asked = 2 + fuzz_take(&data, &size) % (DOSES_MAX - 1);
    size_t count = 0;
    double delay = 0;
    for (; count < asked && size >= DOSE_BYTES; count++) {
        const uint8_t step = fuzz_take(&data, &size), high = fuzz_take(&data, &size), low = fuzz_take(&data, &size);
        const double cost = (double)(int16_t)(uint16_t)(high << 8 | low) / 8;
        const double half = fuzz_take(&data, &size) * 2.0, tolerance = fuzz_take(&data, &size);
        delay += 1 + step * 8.0;
        points[count] = (struct slack_point){delay, {cost, cost - half, cost + half}, tolerance};
    }
    if (count < 2)
        return 0;
    const struct slack_line line = slack_line_of(points, count);
    check_interval(&line.first_slope);
    check_interval(&line.slope);
    check_interval(&line.slack);
    check_slack(&line, points, count);
    check_free(points, count);
    check_dearer(&line, points, count);
    return 0;
}
