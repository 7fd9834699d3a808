/* Which commands are there, and which one was meant? */
#include "cli/command.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "cli/record/messages.h"
#include "cli/unknown_option.h"
#include "core/base/count_of.h"
#include "core/base/nearest_word.h"

const struct command command_table[] = {
    {"run", "run variants: verify, measure, compare, explain", cmd_run},
    {"init", "write a new task, a naive solution, and the CMake that judges them", cmd_init},
    {"capture", "record what any program does on the GPU", cmd_capture},
    {"profile", "say where a program's GPU time goes, and what bounds its kernels", cmd_profile},
    {"list", "list the variants, or one with its parameters; counters; thresholds", cmd_list},
    {"report", "write the report of a run, a capture or an ncu CSV: Markdown, HTML, ...", cmd_report},
    {"stats", "count, total time and spread per kernel, copy and call", cmd_stats},
    {"overlap", "what ran beside what in a trace, and do assertions hold?", cmd_overlap},
    {"check", "hold a trace or a run against rules, for people and for CI", cmd_check},
    {"aa", "hold this machine against itself: false positives, detectable effect", cmd_aa},
    {"launch", "what launches cost, and whether the GPU waits for the host", cmd_launch},
    {"gaps", "when no kernel runs, and why", cmd_gaps},
    {"ranks", "whose lateness costs the other ranks, and why", cmd_ranks},
    {"merge", "answer from the parts that several calls have measured", cmd_merge},
    {"export", "write a trace for Perfetto, as Chrome JSON, or as nsys's CSV", cmd_export},
    {"classify", "say what bounds each kernel of a run, or of a CSV that ncu made", cmd_classify},
    {"inside", "phases, copies and waits inside the kernels of a run", cmd_inside},
    {"slack", "how much later each phase of a kernel may begin for free", cmd_slack},
    {"compare", "is it faster beyond doubt? in one bundle or between two", cmd_compare},
    {"history", "times of the bundles saved under a name, and where their level changed", cmd_history},
    {"bisect", "find the commit that made a kernel slower", cmd_bisect},
    {"doctor", "say what works on this machine", cmd_doctor},
    {"help", "show the commands, or the options of one", cmd_help},
    {"version", "show version, commit and build", cmd_version},
};
const size_t command_count = COUNT_OF(command_table);

/* What other tools call it. */
static const struct {
    const char *word, *name;
} other_words[] = {
    {"ls", "list"},      {"metrics", "list"},     {"show", "report"},        {"open", "report"},
    {"view", "report"},  {"info", "report"},      {"summary", "report"},     {"analyze", "report"},
    {"diff", "compare"}, {"record", "capture"},   {"trace", "capture"},      {"bench", "run"},
    {"why", "classify"}, {"explain", "classify"}, {"occupancy", "classify"}, {"top", "stats"},
    {"stat", "stats"},   {"timeline", "export"},  {"convert", "export"},     {"stragglers", "ranks"},
};

enum { NAME_MAX_LENGTH = 31 };

const struct command *command_find(const char *name)
{
    for (size_t i = 0; i < command_count; i++)
        if (!strcmp(command_table[i].name, name))
            return &command_table[i];
    return NULL;
}

const char *command_meant(const char *word)
{
    for (size_t i = 0; i < COUNT_OF(other_words); i++)
        if (!strcmp(word, other_words[i].word))
            return other_words[i].name;
    return NULL;
}

int command_unknown(const char *name, struct err *e)
{
    struct nearest_word near = {0};
    const char *meant = command_meant(name);
    if (meant)
        return err_set(e, ERR_USAGE, "there is no command '%s': it is 'cpprof %s' here", name, meant);
    for (size_t i = 0; i < command_count; i++)
        nearest_word_offer(&near, name, command_table[i].name, command_table[i].name);
    char question[NEAREST_QUESTION_BYTES];
    if (*near.found)
        return err_set(e, ERR_USAGE, "unknown command '%s'%s", name, nearest_word_question(&near, question));
    return err_set(e, ERR_USAGE, "unknown command '%.100s'; 'cpprof help' lists them", name);
}

void command_usage(FILE *to)
{
    fputs("usage: cpprof COMMAND [OPTION...] [OPERAND...]\n\n", to);
    for (size_t i = 0; i < command_count; i++)
        fprintf(to, "  %-10s %s\n", command_table[i].name, command_table[i].summary);
    fputs(
        "\n'cpprof help COMMAND' shows the options of one command, 'cpprof help rules' and 'cpprof help profile.md' a document.\n",
        to);
}

/* -h, which argp leaves to its programs. */
static error_t parse_short_help(int key, char *arg, struct argp_state *state)
{
    (void)arg;
    if (key != 'h')
        return ARGP_ERR_UNKNOWN;
    argp_state_help(state, state->out_stream, ARGP_HELP_STD_HELP);
    return 0;
}

enum { CHILDREN_MAX = 8 };

/* The parser with -h; `children` is where its children are. */
static struct argp with_short_help(const struct argp *argp, struct argp_child children[CHILDREN_MAX])
{
    static const struct argp_option option[] = {{NULL, 'h', NULL, OPTION_HIDDEN, NULL, 0}, {0}};
    static const struct argp help = {option, parse_short_help, NULL, NULL, NULL, NULL, NULL};
    struct argp with = *argp;
    size_t count = 0;
    for (const struct argp_child *c = argp->children; c && c->argp; c++)
        children[count++] = *c;
    assert(count < CHILDREN_MAX - 1);
    children[count] = (struct argp_child){&help, 0, NULL, 0};
    children[count + 1] = (struct argp_child){0};
    with.children = children;
    return with;
}

static void parse(const struct argp *argp, int argc, char **argv, unsigned flags, void *input)
{
    struct argp_child children[CHILDREN_MAX];
    const struct argp with = with_short_help(argp, children);
    char title[sizeof "cpprof " + NAME_MAX_LENGTH];
    char *name = argv[0];
    struct err e = {0};
    if (unknown_option(argp, argc, argv, flags & ARGP_IN_ORDER, &e))
        exit(message_error(&e));
    snprintf(title, sizeof title, "cpprof %s", name);
    argv[0] = title;
    if (argp_parse(&with, argc, argv, flags, NULL, input))
        exit(EXIT_USAGE);
    argv[0] = name;
}

void command_parse(const struct argp *argp, int argc, char **argv, void *input)
{
    parse(argp, argc, argv, 0, input);
}

void command_parse_in_order(const struct argp *argp, int argc, char **argv, void *input)
{
    parse(argp, argc, argv, ARGP_IN_ORDER, input);
}
