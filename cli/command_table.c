/* Which commands are there, and which one was meant? */
#include "cli/command.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "cli/record/messages.h"
#include "cli/unknown_option.h"
#include "core/base/count_of.h"
#include "core/base/nearest_word.h"
#include "core/base/str.h"

const struct command command_table[] = {
    {"measure",
     "run",
     "run variants: verify, measure, compare, explain",
     cmd_run,
     {"run pipeline/sync pipeline/cpasync3 --baseline pipeline/sync",
      "run --task ./libtask.so --solution mine=./libmine.so"}},
    {"measure",
     "capture",
     "record what any program does on the GPU",
     cmd_capture,
     {"capture -- ./train --steps 10", "capture -o step.cpprof --range step -- ./train"}},
    {"measure",
     "profile",
     "say where a program's GPU time goes, and what bounds its kernels",
     cmd_profile,
     {"profile -- ./train --steps 10", "profile --replay -- ./train"}},
    {"measure",
     "init",
     "write a new task, a naive solution, and the CMake that judges them",
     cmd_init,
     {"init softmax"}},
    {"look",
     "report",
     "write the report of a run, a capture or an ncu CSV: Markdown, HTML, ...",
     cmd_report,
     {"report examples/pipeline/one-cta.cpprof", "report examples/captures/train.cpprof -o train.html"}},
    {"look",
     "list",
     "list the variants, or one with its parameters; counters; thresholds",
     cmd_list,
     {"list examples/captures/train.cpprof", "list --metrics tensor"}},
    {"look",
     "classify",
     "say what bounds each kernel of a run, or of a CSV that ncu made",
     cmd_classify,
     {"classify examples/pipeline/one-cta.cpprof", "classify examples/truth/truth.cpprof --explain"}},
    {"look",
     "stats",
     "count, total time and spread per kernel, copy and call",
     cmd_stats,
     {"stats examples/captures/train.cpprof", "stats examples/captures/train.cpprof --by range --top 5"}},
    {"look",
     "launch",
     "what launches cost, and whether the GPU waits for the host",
     cmd_launch,
     {"launch examples/captures/train.cpprof", "launch examples/captures/train.cpprof --format json"}},
    {"look",
     "gaps",
     "when no kernel runs, and why",
     cmd_gaps,
     {"gaps examples/captures/train.cpprof", "gaps examples/captures/train.cpprof --full"}},
    {"look",
     "overlap",
     "what ran beside what in a trace, and do assertions hold?",
     cmd_overlap,
     {"overlap examples/overlap/two.cpprof", "overlap examples/overlap/pageable.cpprof --full"}},
    {"look",
     "ranks",
     "whose lateness costs the other ranks, and why",
     cmd_ranks,
     {"ranks examples/ranks/sleep.cpprof", "ranks examples/ranks/sleep-4"}},
    {"look",
     "inside",
     "phases, copies and waits inside the kernels of a run",
     cmd_inside,
     {"inside examples/inside/one-cta.cpprof", "inside examples/inside/one-cta.cpprof -o inside.html"}},
    {"look",
     "slack",
     "how much later each phase of a kernel may begin for free",
     cmd_slack,
     {"slack examples/inside/warpspec.cpprof", "slack examples/inside/warpspec.cpprof -o slack.html"}},
    {"decide",
     "compare",
     "is it faster beyond doubt? in one bundle or between two",
     cmd_compare,
     {"compare examples/pipeline/one-cta.cpprof", "compare examples/verdicts/win.cpprof --margin 5%"}},
    {"decide",
     "check",
     "hold a trace or a run against rules, for people and for CI",
     cmd_check,
     {"check examples/overlap/two.cpprof --rules streams.rules",
      "check examples/overlap/two.cpprof --assert 'idle() < 90%'"}},
    {"decide",
     "history",
     "times of the bundles saved under a name, and where their level changed",
     cmd_history,
     {"history nightly --store references"}},
    {"decide",
     "bisect",
     "find the commit that made a kernel slower",
     cmd_bisect,
     {"bisect --good v1 --bad HEAD -- ./bench"}},
    {"decide",
     "aa",
     "hold this machine against itself: false positives, detectable effect",
     cmd_aa,
     {"aa pipeline/sync", "aa examples/aa/pool.cpprof"}},
    {"tools",
     "export",
     "write a trace for Perfetto, as Chrome JSON, or as nsys's CSV",
     cmd_export,
     {"export examples/captures/train.cpprof --to pftrace -o t.pftrace",
      "export examples/captures/train.cpprof --to chrome -o t.json"}},
    {"tools", "merge", "answer from the parts that several calls have measured", cmd_merge, {"merge part.1 part.2"}},
    {"tools", "doctor", "say what works on this machine", cmd_doctor, {"doctor", "doctor --format json"}},
    {"tools", "help", "show the commands, or the options of one", cmd_help, {"help run", "help rules"}},
    {"tools", "version", "show version, commit and build", cmd_version, {"version"}},
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
    for (size_t i = 0; i < command_count; i++) {
        const struct command *c = &command_table[i];
        if (!i || strcmp(c->group, c[-1].group) != 0)
            fprintf(to, "%s%s:\n", i ? "\n" : "", c->group);
        fprintf(to, "  %-10s %s\n", c->name, c->summary);
    }
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

/* The command whose words are parsed, and its own filter of help. */
static const struct command *parsed;
static char *(*own_filter)(int key, const char *text, void *input);

/* Its description, with its examples. */
static char *add_examples(int key, const char *text, void *input)
{
    if (key != ARGP_KEY_HELP_PRE_DOC || !parsed)
        return own_filter ? own_filter(key, text, input) : (char *)text; /* descriptions need no filter */
    struct str doc;
    str_init(&doc);
    str_addf(&doc, "%s\n\nExamples:\n", text ? text : "");
    for (size_t i = 0; i < COUNT_OF(parsed->examples) && parsed->examples[i]; i++)
        str_addf(&doc, "  cpprof %s\n", parsed->examples[i]);
    return str_take(&doc);
}

enum { CHILDREN_MAX = 8 };

/* The parser with -h and examples; `children` is where its children are. */
static struct argp with_help(const struct argp *argp, struct argp_child children[CHILDREN_MAX])
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
    own_filter = argp->help_filter;
    with.help_filter = add_examples;
    return with;
}

static void parse(const struct argp *argp, int argc, char **argv, unsigned flags, void *input)
{
    struct argp_child children[CHILDREN_MAX];
    const struct argp with = with_help(argp, children);
    char title[sizeof "cpprof " + NAME_MAX_LENGTH];
    char *name = argv[0];
    struct err e = {0};
    parsed = command_find(name);
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
