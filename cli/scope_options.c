/* Which part of a trace does the command line ask about? */
#include "cli/scope_options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/units.h"

/* Far from those of the commands themselves. */
enum { OPTION_RANGE = 0x5c0, OPTION_WINDOW, OPTION_STREAM, OPTION_DEVICE, OPTION_RANK, OPTION_SKIP_FIRST };

static const char about_range[] =
    "What was launched while an NVTX range whose name matches was open; REGEX@thread: by the thread of the range";
static const char about_window[] =
    "What begins in this time, counted from the first event of its rank, such as 10ms:2.5s; either may be left out";
static const char about_skip_first[] = "Leave out the first N kernels of each name on each device";

static const struct argp_option own_options[] = {
    {0, 0, NULL, 0, "Only a part of the trace:", 0},
    {"range", OPTION_RANGE, "REGEX", 0, about_range, 0},
    {"window", OPTION_WINDOW, "START:END", 0, about_window, 0},
    {"stream", OPTION_STREAM, "N", 0, "GPU work of this stream; may be repeated", 0},
    {"device", OPTION_DEVICE, "N", 0, "GPU work of this device; may be repeated", 0},
    {"rank", OPTION_RANK, "N", 0, "Events of this rank; may be repeated", 0},
    {"skip-first", OPTION_SKIP_FIRST, "N", 0, about_skip_first, 0},
    {0}};

/* What counts on each rank by itself is taken, so that the command can say why it refuses it. */
static const struct argp_option options_of_ranks[] = {
    {0, 0, NULL, 0, "Only a part of the trace:", 0},
    {"range", OPTION_RANGE, "REGEX", 0, about_range, 0},
    {"window", OPTION_WINDOW, "START:END", OPTION_HIDDEN, about_window, 0},
    {"stream", OPTION_STREAM, "N", 0, "GPU work of this stream; may be repeated", 0},
    {"device", OPTION_DEVICE, "N", 0, "GPU work of this device; may be repeated", 0},
    {"rank", OPTION_RANK, "N", 0, "Events of this rank; may be repeated", 0},
    {"skip-first", OPTION_SKIP_FIRST, "N", OPTION_HIDDEN, about_skip_first, 0},
    {0}};

static long long parse_count(const char *value, const char *option, struct argp_state *state)
{
    char *end;
    errno = 0;
    const long long number = strtoll(value, &end, 10);
    if (errno || *end || end == value || number < 0 || number > UINT32_MAX)
        argp_error(state, "--%s takes a whole number from 0 on, not '%s'", option, value);
    return number;
}

static void add_number(struct scope_numbers *numbers, const char *value, const char *option, struct argp_state *state)
{
    if (numbers->count == SCOPE_NUMBERS_MAX)
        argp_error(state, "more than %d times --%s", SCOPE_NUMBERS_MAX, option);
    numbers->items[numbers->count++] = parse_count(value, option, state);
}

/* A time from `text` on; what follows it must be `end`. Nothing at all is `absent`. */
static int64_t parse_time(const char *text, const char *end, int64_t absent, struct argp_state *state)
{
    if (text == end)
        return absent;
    double value = 0;
    enum unit unit = UNIT_NONE;
    const size_t used = unit_parse(text, &value, &unit);
    const bool has_unit = unit == UNIT_NS || (unit == UNIT_NONE && value == 0);
    if (!used || text + used != end || !has_unit || fabs(value) > 9e18)
        argp_error(state, "--window takes START:END, times with ns, us, ms or s such as 10ms:2.5s, not '%.*s'",
                   (int)(end - text), text);
    return (int64_t)llround(value);
}

static void parse_window(struct stream_scope *scope, const char *value, struct argp_state *state)
{
    const char *colon = strchr(value, ':');
    if (!colon)
        argp_error(state, "--window takes START:END such as 10ms:2.5s, not '%s'", value);
    scope->has_window = true;
    scope->window_start_ns = parse_time(value, colon, 0, state);
    scope->window_end_ns = parse_time(colon + 1, value + strlen(value), INT64_MAX, state);
    if (scope->window_end_ns <= scope->window_start_ns)
        argp_error(state, "the window '%s' ends before it begins", value);
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    struct stream_scope *scope = state->input;
    switch (key) {
    case OPTION_RANGE: scope->range = value; return 0;
    case OPTION_WINDOW: parse_window(scope, value, state); return 0;
    case OPTION_STREAM: add_number(&scope->streams, value, "stream", state); return 0;
    case OPTION_DEVICE: add_number(&scope->devices, value, "device", state); return 0;
    case OPTION_RANK: add_number(&scope->ranks, value, "rank", state); return 0;
    case OPTION_SKIP_FIRST: scope->skip_first = parse_count(value, "skip-first", state); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

const struct argp scope_argp = {own_options, parse_option, NULL, NULL, NULL, NULL, NULL};
const struct argp scope_argp_of_ranks = {options_of_ranks, parse_option, NULL, NULL, NULL, NULL, NULL};
