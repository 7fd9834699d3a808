/* cpprof capture -- PROGRAM...: run it as it is, and keep what it did on the GPU. */
#define _GNU_SOURCE
#include <string.h>

#include "cli/capture_program.h"
#include "cli/command.h"
#include "core/base/pattern.h"
#include "core/base/units.h"

enum {
    OPTION_TRACE = CAPTURE_OPTION_OWN,
    OPTION_GRAPHS,
    OPTION_FROM_START,
    OPTION_KERNELS,
    OPTION_DELAY,
    OPTION_FLUSH,
    OPTION_MEMORY
};

#define MEMORY_BYTES_MAX (1024.0 * 1024 * 1024 * 1024)

static const struct argp_option option_table[] = {
    CAPTURE_OPTIONS,
    {"trace", OPTION_TRACE, "WHAT", 0,
     "launch (default): GPU work and the calls that launch, copy, set and wait; api: all CUDA calls", 0},
    {"graphs", OPTION_GRAPHS, "HOW", 0, "of CUDA graphs: node (default), each operation; graph, each launch as one", 0},
    CAPTURE_PART_OPTIONS,
    {"profile-from-start", OPTION_FROM_START, "on|off", 0, "off: from cudaProfilerStart to cudaProfilerStop", 1},
    {"kernels", OPTION_KERNELS, "REGEX", 0, "kernels whose demangled names match", 1},
    {"delay", OPTION_DELAY, "TIME", 0, "begin so long after the first CUDA call, such as 2s", 1},
    {0, 0, NULL, 0, "Of the collector:", 2},
    {"flush-period", OPTION_FLUSH, "TIME", 0, "what is older is on disk when the program is killed (default 1s)", 2},
    {"memory", OPTION_MEMORY, "SIZE", 0,
     "most that waiting records may take (default 512MiB); beyond it they are dropped and counted", 2},
    {0},
};

/* ---- the command line ---- */

static const char *one_of(struct argp_state *state, const char *option, const char *value, const char *a, const char *b)
{
    if (strcmp(value, a) != 0 && strcmp(value, b) != 0)
        argp_error(state, "--%s takes %s or %s, not '%s'", option, a, b, value);
    return value;
}

static long parse_mib(struct argp_state *state, const char *text)
{
    double value = 0;
    enum unit unit = UNIT_NONE;
    const size_t used = unit_parse(text, &value, &unit);
    if (!used || text[used] || unit != UNIT_BYTES || value < 16 * 1024 * 1024 || value > MEMORY_BYTES_MAX)
        argp_error(state, "--memory takes a size of at least 16MiB, such as 512MiB or 2GiB, not '%s'", text);
    return (long)(value / (1024 * 1024));
}

static const char *parse_pattern(struct argp_state *state, const char *text)
{
    regex_t compiled;
    struct err bad = {0};
    if (!*text)
        argp_error(state, "--kernels takes a regular expression: an empty one would match every kernel");
    if (pattern_compile(&compiled, text, "--kernels", &bad))
        argp_error(state, "%s", bad.text);
    else
        regfree(&compiled);
    return text;
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    struct capture_options *o = state->input;
    struct capture_scope *s = &o->scope;
    switch (key) {
    case OPTION_TRACE: s->trace = one_of(state, "trace", value, "launch", "api"); return 0;
    case OPTION_GRAPHS: s->graphs = one_of(state, "graphs", value, "node", "graph"); return 0;
    case OPTION_FROM_START:
        s->from_start_off = !strcmp(one_of(state, "profile-from-start", value, "on", "off"), "off");
        return 0;
    case OPTION_KERNELS: s->kernels = parse_pattern(state, value); return 0;
    case OPTION_DELAY: s->delay_ms = capture_program_ms(state, "delay", value); return 0;
    case OPTION_FLUSH: s->flush_ms = capture_program_ms(state, "flush-period", value); return 0;
    case OPTION_MEMORY: s->memory_mb = parse_mib(state, value); return 0;
    default: return capture_program_option(key, value, state, o);
    }
}

static const struct argp argp_of_capture = {
    option_table,
    parse_option,
    "[--] PROGRAM [ARGUMENT...]",
    "Runs a program as it is and records what it and its child processes do on the GPU, into a bundle that every other "
    "command reads. The program needs no change and keeps its input, output and terminal.\v"
    "Exit status: the program's own, or 128 and the signal that ended it; 2 for a wrong command line and 4 when the "
    "program could not be started: then nothing has run.",
    NULL,
    NULL,
    NULL};

int cmd_capture(int argc, char **argv)
{
    struct capture_options o = {0};
    command_parse_in_order(&argp_of_capture, argc, argv, &o);
    return capture_program(&o, argc, argv);
}
