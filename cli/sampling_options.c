/* What do the timing processes of a run do, and when are there enough? */
#include "cli/sampling_options.h"

#include <math.h>
#include <string.h>

#include "core/base/units.h"

/* Far from those of the commands themselves. */
enum { OPTION_SCHEDULE = 0x5d0, OPTION_CACHE, OPTION_METHOD, OPTION_UNTIL_WIDTH, OPTION_BUDGET, OPTION_SWEEP };

static const struct argp_option option_table[] = {
    {"schedule", OPTION_SCHEDULE, "ORDER", 0,
     "abba: all arms in each process, block by block (default of variants); process: one arm in each process (default "
     "of solutions in libraries); sequential: in each process one arm after the other",
     0},
    {"cache", OPTION_CACHE, "STATE", 0, "L2 cache before each timed launch: hot (default), cold, or both, a row each",
     0},
    {"method", OPTION_METHOD, "METHOD", 0,
     "a sample with hot caches: single, one launch; graphs, a CUDA graph of at least four; auto (default): as the times of both ways say",
     0},
    {"until-width", OPTION_UNTIL_WIDTH, "SHARE", 0,
     "go on beyond --processes until the interval of every ratio reaches no farther than this to either side, such as 0.5%",
     0},
    {"budget", OPTION_BUDGET, "TIME", 0,
     "go on beyond --processes for so much time of timing processes, such as 30s, while a comparison is inconclusive for its width",
     0},
    {"sweep", OPTION_SWEEP, "NAME=SIZES", 0,
     "a dimension at many sizes: bytes=256KiB:512MiB:x2, n=1024:8192:+1024, or a list with commas", 0},
    {0}};

static double parse_value(const char *name, const char *text, enum unit wanted, const char *example,
                          struct argp_state *state)
{
    double value = NAN;
    enum unit unit = UNIT_NONE;
    const size_t used = unit_parse(text, &value, &unit);
    if (!used || text[used] || unit != wanted || !(value > 0))
        argp_error(state, "--%s %s: expected a value such as %s", name, text, example);
    return value;
}

static void parse_schedule(struct sampling *s, const char *name, struct argp_state *state)
{
    if (!schedule_parse(name, &s->schedule))
        argp_error(state, "--schedule %s: expected abba, process or sequential", name);
    s->has_schedule = true;
}

static void parse_cache(struct sampling *s, const char *name, struct argp_state *state)
{
    if (strcmp(name, "hot") && strcmp(name, "cold") && strcmp(name, "both"))
        argp_error(state, "--cache %s: expected hot, cold or both", name);
    s->cache = name;
}

static void parse_method(struct sampling *s, const char *name, struct argp_state *state)
{
    if (!batch_method_parse(name, &s->method))
        argp_error(state, "--method %s: expected auto, single or graphs", name);
}

static void parse_budget(struct sampling *s, const char *text, struct argp_state *state)
{
    const double ns = parse_value("budget", text, UNIT_NS, "30s", state);
    if (ns > 1e15)
        argp_error(state, "--budget %s: that is more than eleven days", text);
    s->budget_ns = (int64_t)llround(ns);
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    struct sampling *s = state->input;
    switch (key) {
    case OPTION_SCHEDULE: parse_schedule(s, value, state); return 0;
    case OPTION_CACHE: parse_cache(s, value, state); return 0;
    case OPTION_METHOD: parse_method(s, value, state); return 0;
    case OPTION_UNTIL_WIDTH: s->until_width = parse_value("until-width", value, UNIT_RATIO, "0.5%", state); return 0;
    case OPTION_BUDGET: parse_budget(s, value, state); return 0;
    case OPTION_SWEEP:
        if (s->sweep)
            argp_error(state, "--sweep %s: one sweep at a time", value);
        s->sweep = value;
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

const struct argp sampling_argp = {option_table, parse_option, NULL, NULL, NULL, NULL, NULL};
