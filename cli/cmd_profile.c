/* cpprof profile -- PROGRAM...: a capture in which the units of the GPU are sampled, too: what bounds the kernels? */
#define _GNU_SOURCE
#include "base/units.h"
#include "cli/capture_program.h"
#include "cli/command.h"

enum { OPTION_INTERVAL = CAPTURE_OPTION_OWN, INTERVAL_NS = 2000, INTERVAL_NS_MIN = 1000, INTERVAL_NS_MAX = 1000000 };

static const struct argp_option option_table[] = {
    CAPTURE_OPTIONS,
    {"interval", OPTION_INTERVAL, "TIME", 0,
     "how often the units of the GPU are sampled, from 1us to 1ms (default 2us); a longer one covers more of the time",
     0},
    CAPTURE_PART_OPTIONS,
    {0},
};

static long parse_interval(struct argp_state *state, const char *text)
{
    double value = 0;
    enum unit unit = UNIT_NONE;
    const size_t used = unit_parse(text, &value, &unit);
    if (!used || text[used] || unit != UNIT_NS || value < INTERVAL_NS_MIN || value > INTERVAL_NS_MAX)
        argp_error(state, "--interval takes a time from 1us to 1ms, not '%s'", text);
    return (long)value;
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    struct capture_options *o = state->input;
    if (key != OPTION_INTERVAL)
        return capture_program_option(key, value, state, o);
    o->scope.sample_ns = parse_interval(state, value);
    return 0;
}

static const struct argp argp_of_profile = {
    option_table,
    parse_option,
    "[--] PROGRAM [ARGUMENT...]",
    "Runs a program as it is, records what it does on the GPU as `capture` does, and samples the units of the first GPU "
    "that runs a kernel. Prints where the GPU's time went, and what bounds the ten kernels that take most of it.\v"
    "It needs a chip that is sampled by time, as `cpprof list --chip NAME` says. On any other (A100, Turing) it is a capture "
    "without samples. "
    "Nothing is replayed, and no kernel waits. Exit status: as of `capture`.",
    NULL,
    NULL,
    NULL};

int cmd_profile(int argc, char **argv)
{
    struct capture_options o = {.scope = {.sample_ns = INTERVAL_NS}};
    command_parse_in_order(&argp_of_profile, argc, argv, &o);
    return capture_program(&o, argc, argv);
}
