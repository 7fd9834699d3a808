/* cpprof profile -- PROGRAM...: a capture in which the units of the GPU are sampled, too, or kernels, copies and the
 * host are delayed: what bounds the kernels, and what would it help if they were faster? */
#define _GNU_SOURCE
#include "cli/capture_program.h"
#include "cli/command.h"
#include "core/base/causal_plan.h"
#include "core/base/units.h"

enum {
    OPTION_INTERVAL = CAPTURE_OPTION_OWN,
    OPTION_CAUSAL,
    OPTION_DOSES,
    OPTION_REPLAY,
    REPLAY_MS = 10000,
    REPLAY_MS_MAX = 3600000,
    INTERVAL_NS = 4000,
    INTERVAL_NS_MIN = 1000,
    INTERVAL_NS_MAX = 1000000
};

#define REPLAY_RATIO_MIN 0.01
#define REPLAY_RATIO_MAX 10

static const struct argp_option option_table[] = {
    CAPTURE_OPTIONS,
    {"interval", OPTION_INTERVAL, "TIME", 0,
     "how often the units of the GPU are sampled, from 1us to 1ms (default 4us); a longer one covers more of the time",
     0},
    {"replay", OPTION_REPLAY, "TIME", OPTION_ARG_OPTIONAL,
     "run the program a second time, and replay up to three launches of each kernel that takes 1% of the kernels' time: "
     "what its warps wait for, occupancy, and all units. TIME: what the replays may take in all, such as 30s, or 25% of "
     "the program's time (default 10s)",
     0},
    {0, 0, NULL, 0, "What would a faster kernel save?", 2},
    {"causal", OPTION_CAUSAL, "TARGET[,TARGET...]", 0,
     "delay at most 8 targets, and see how much longer the program takes; nothing is sampled. A TARGET is a regular "
     "expression for demangled names of kernels; copy:h2d, copy:d2h, copy:d2d, copy:p2p or copy:any; or either behind "
     "host:, where the host waits before the call",
     2},
    {"doses", OPTION_DOSES, "TIME[,TIME]", 0, "by how much each launch is delayed (default " CAUSAL_DOSES ")", 2},
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

/* A share of the program's time is at most an hour, too. */
static void parse_replay(struct argp_state *state, const char *text, struct capture_options *o)
{
    double value = 0;
    enum unit unit = UNIT_NONE;
    const size_t used = unit_parse(text, &value, &unit);
    if (used && !text[used] && unit == UNIT_RATIO) {
        if (value < REPLAY_RATIO_MIN || value > REPLAY_RATIO_MAX)
            argp_error(state, "--replay takes 1%% to 1000%% of the program's time, not '%s'", text);
        o->replay_ms = REPLAY_MS_MAX;
        o->replay_ratio = value;
        return;
    }
    if (!used || text[used] || unit != UNIT_NS)
        argp_error(state, "--replay takes a time, such as 30s, or a share of the program's, such as 25%%, not '%s'",
                   text);
    o->replay_ms = capture_program_ms(state, "replay", text);
    if (o->replay_ms > REPLAY_MS_MAX)
        argp_error(state, "--replay takes an hour at most, not '%s'", text);
}

/* "--replay 10s" has its value where the program is expected. */
static void check_blank(struct argp_state *state, const struct capture_options *o)
{
    double value = 0;
    enum unit unit = UNIT_NONE;
    const char *word = o->program ? o->program[0] : NULL;
    const size_t used = word ? unit_parse(word, &value, &unit) : 0;
    if (o->replay_ms == REPLAY_MS && used && !word[used] && (unit == UNIT_NS || unit == UNIT_RATIO))
        argp_error(state, "'%s' is taken for the program: write --replay=%s", word, word);
}

/* In a causal run the options of samples say nothing, and the other way round. */
static void check_options(struct argp_state *state, struct capture_options *o)
{
    struct causal_plan plan;
    struct capture_scope *s = &o->scope;
    struct err bad = {0};
    if (!s->causal && s->doses)
        argp_error(state, "--doses goes with --causal");
    if (s->causal && s->sample_ns)
        argp_error(state, "--interval does not go with --causal, which samples nothing");
    if (s->causal && (s->range || s->when || s->duration_ms || s->delay_ms))
        argp_error(state, "--causal measures the whole program: a part of it would have delays that are not recorded");
    check_blank(state, o);
    if (o->replay_ms && (s->causal || s->when || s->duration_ms || s->delay_ms))
        argp_error(state,
                   "--replay needs launches that come again in a further run: --causal, --when and --duration do "
                   "not go with it");
    if (s->causal) {
        if (causal_plan_init(&plan, s->causal, s->doses ? s->doses : CAUSAL_DOSES, &bad))
            argp_error(state, "%s", bad.text);
        causal_plan_release(&plan);
    } else if (!s->sample_ns) {
        s->sample_ns = INTERVAL_NS;
    }
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    struct capture_options *o = state->input;
    switch (key) {
    case OPTION_INTERVAL: o->scope.sample_ns = parse_interval(state, value); return 0;
    case OPTION_CAUSAL: o->scope.causal = value; return 0;
    case OPTION_DOSES: o->scope.doses = value; return 0;
    case OPTION_REPLAY:
        o->replay_ms = REPLAY_MS;
        o->replay_ratio = 0;
        if (value)
            parse_replay(state, value, o);
        return 0;
    case ARGP_KEY_END: check_options(state, o); return capture_program_option(key, value, state, o);
    default: return capture_program_option(key, value, state, o);
    }
}

static const struct argp argp_of_profile = {
    option_table,
    parse_option,
    "[--] PROGRAM [ARGUMENT...]",
    "Runs a program as it is, records what it does on the GPU as `capture` does, and samples the units of the first GPU "
    "that runs a kernel. Ends with the first screen of `report`: where the GPU's time went, and what bounds the ten "
    "kernels with most to gain.\v"
    "It needs a chip that is sampled by time, as `cpprof list --chip NAME` says. On any other (A100, Turing) it is a capture "
    "without samples. "
    "No kernel is replayed without --replay, and nothing is delayed without --causal. Exit status: as of `capture`.",
    NULL,
    NULL,
    NULL};

int cmd_profile(int argc, char **argv)
{
    struct capture_options o = {0};
    command_parse_in_order(&argp_of_profile, argc, argv, &o);
    return capture_program(&o, argc, argv);
}
