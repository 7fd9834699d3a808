/* cpprof bisect --good A --bad B -- COMMAND: which commit made it slower? */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/compare/comparison_words.h"
#include "cli/command.h"
#include "cli/compared/compared_bundles.h"
#include "cli/compared/margin_option.h"
#include "cli/output.h"
#include "cli/record/bisect_looks.h"
#include "cli/record/git_commits.h"
#include "cli/record/messages.h"
#include "core/base/array.h"
#include "core/stats/ratio_decision.h"
#include "reports/bisect_report.h"

enum { OPTION_GOOD = 256, OPTION_BAD, OPTION_MARGIN, OPTION_RUN, OPTION_STATE, OPTION_STEPS, OPTION_TIMEOUT };
enum { LOOKS_MAX = 2, STEPS_MAX = 100000, TIMEOUT_MAX = 1000000 };

static const struct argp_option options[] = {
    {"good", OPTION_GOOD, "COMMIT", 0, "a commit that was fast: all others are compared with it", 0},
    {"bad", OPTION_BAD, "COMMIT", 0, "a later commit that is slow", 0},
    {"margin", OPTION_MARGIN, "PERCENT", 0, "a smaller slowdown is none (default 1%)", 0},
    {"run", OPTION_RUN, "COMMAND LINE", 0,
     "what measures after COMMAND has built, without a shell; its word OUT becomes the bundle's path", 0},
    {"state", OPTION_STATE, "DIR", 0, "what was measured, for the next call (default cpprof-bisect)", 0},
    {"steps", OPTION_STEPS, "N", 0,
     "measure at most N further commits, the next call goes on (default: twice as many as a search needs that decides "
     "each)",
     0},
    {"timeout", OPTION_TIMEOUT, "SECONDS", 0,
     "kill a command that takes longer, and skip the commit (default: no limit)", 0},
    {0},
};

struct bisect_options {
    const char *good, *bad, *run, *state;
    const char *const *command; /* NULL: --run alone */
    double margin;
    long steps;   /* 0: the default */
    long timeout; /* seconds; 0: none */
};

static void parse_number(struct argp_state *state, const char *option, const char *text, long most, long *out)
{
    char *end;
    *out = strtol(text, &end, 10);
    if (end == text || *end || *out < 1 || *out > most)
        argp_error(state, "--%s %s: expected a whole number from 1 to %ld", option, text, most);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct bisect_options *o = state->input;
    switch (key) {
    case OPTION_GOOD: o->good = arg; return 0;
    case OPTION_BAD: o->bad = arg; return 0;
    case OPTION_MARGIN: margin_option_parse(state, arg, &o->margin); return 0;
    case OPTION_RUN: o->run = arg; return 0;
    case OPTION_STATE: o->state = arg; return 0;
    case OPTION_STEPS: parse_number(state, "steps", arg, STEPS_MAX, &o->steps); return 0;
    case OPTION_TIMEOUT: parse_number(state, "timeout", arg, TIMEOUT_MAX, &o->timeout); return 0;
    case ARGP_KEY_ARG:
        o->command = (const char *const *)&state->argv[state->next - 1];
        state->next = state->argc;
        return 0;
    case ARGP_KEY_END:
        if (!o->good || !o->bad)
            argp_error(state, "--good and --bad are needed: two commits");
        if (!o->command && !o->run)
            argp_error(state, "which command builds and measures a commit?");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

struct bisecting {
    const struct bisect_options *options;
    struct bisect_looks looks;
    struct git_commits commits;
    struct bisect_look good;
    enum bisection_mark *marks;
    ARRAY_OF(struct bisect_step) steps;
};

/* ---- one comparison ---- */

static int add_side(struct compared_bundles *c, const char *path, struct err *e)
{
    struct bundle begun;
    bundle_init(&begun);
    int rc = bundle_begin(&begun, path, e);
    if (!rc)
        rc = compared_bundles_add(c, path, &begun, e);
    bundle_release(&begun);
    return rc;
}

/* The row that the others follow from: one that is slower, else one that is undecided, else the slowest. */
static const struct comparison *telling_row(const struct analysis *between, bool slower)
{
    const struct comparison *best = NULL;
    for (size_t i = 0; i < between->comparisons.count; i++) {
        const struct comparison *c = &between->comparisons.items[i];
        const bool is_decided = c->verdict == COMPARE_FASTER || c->verdict == COMPARE_EQUIVALENT;
        if (slower ? c->verdict == COMPARE_SLOWER : !is_decided)
            return c;
        if (!best || c->ratio > best->ratio)
            best = c;
    }
    return best;
}

static void write_row(struct str *out, const struct comparison *c)
{
    char texts[3][UNITS_TEXT_BYTES];
    const double values[] = {c->ratio, c->ci_low, c->ci_high};
    unit_format_apart(texts, UNIT_FACTOR, values, 3);
    str_addf(out, ": %s at ", c->candidate);
    case_words_add(out, c->config, c->cache);
    if (c->verdict == COMPARE_INCONCLUSIVE || c->verdict == COMPARE_UNUSABLE || c->verdict == COMPARE_CONTRADICTED)
        str_addf(out, ", %s, %s", comparison_verdict_name(c->verdict), comparison_reasons[c->reason].key);
    if (c->ratio > 0)
        str_addf(out, ", %s of the time (%s to %s)", texts[0], texts[1], texts[2]);
}

/* Decided is what `compare` decides: slower beyond doubt, or proven to be as fast. */
static enum bisection_mark mark_of(const struct compared_bundles *c, enum exit_status status, struct str *words)
{
    const struct analysis *between = compared_bundles_verdicts(c);
    const struct comparison *row = telling_row(between, status == EXIT_CHECK_FAILED);
    const bool is_slower = status == EXIT_CHECK_FAILED && row && row->verdict == COMPARE_SLOWER &&
                           !analysis_is_contradicted(&c->sides[1].analysis);
    const enum bisection_mark mark = is_slower             ? BISECTION_SLOWER
                                     : status == EXIT_PASS ? BISECTION_NOT_SLOWER
                                                           : BISECTION_SKIPPED;
    str_add(words, is_slower ? "is slower" : mark == BISECTION_NOT_SLOWER ? "is not slower" : "is undecided");
    if (row)
        write_row(words, row);
    if (mark == BISECTION_SKIPPED && (!row || row->verdict == COMPARE_FASTER || row->verdict == COMPARE_EQUIVALENT))
        str_addf(words, "; evidence is missing: 'cpprof compare' of the two ends with %d", (int)status);
    return mark;
}

/* Bundles that cannot be compared are skipped, as are commits that leave none. *status is that of `compare`. */
static int compare_bundles(const struct bisecting *b, const char *baseline, const char *bundle,
                           struct bisect_step *step, enum exit_status *status, struct str *words, struct err *e)
{
    struct compared_bundles c;
    struct err why = {0};
    compared_bundles_init(&c);
    c.margin = b->options->margin;
    int rc = add_side(&c, baseline, &why);
    if (!rc)
        rc = add_side(&c, bundle, &why);
    if (!rc)
        rc = compared_bundles_judge(&c, NULL, &why);
    step->mark = BISECTION_SKIPPED;
    step->comparisons = 0;
    if (!rc) {
        *status = compared_bundles_status(&c);
        step->mark = mark_of(&c, *status, words);
        step->comparisons = compared_bundles_verdicts(&c)->comparisons.count;
    } else if (rc == ERR_INPUT)
        str_addf(words, "cannot be compared: %s", why.text);
    else
        err_set(e, rc, "%s", why.text);
    compared_bundles_release(&c);
    return rc == ERR_INPUT ? 0 : rc;
}

/* ---- one commit ---- */

/* "and ended with 2" */
static void add_end(struct str *words, const struct bisect_look *look, long timeout)
{
    if (look->timed_out)
        str_addf(words, "and was killed after %ld s (--timeout)", timeout);
    else
        str_addf(words, "and ended with %d", look->exit_status);
}

/* A look and its comparison. Sets *again when another look may decide. */
static int look_once(struct bisecting *b, struct bisect_step *step, struct str *words, bool *again, struct err *e)
{
    struct bisect_look look;
    enum exit_status status = EXIT_UNUSABLE_INPUT;
    bisect_look_init(&look);
    str_clear(words);
    int rc = bisect_looks_at(&b->looks, b->commits.list.items[step->at], ++step->looks, &look, e);
    step->seconds += look.seconds;
    step->is_earlier &= look.is_earlier;
    *again = false;
    if (!rc && look.bundle.length) {
        rc = compare_bundles(b, str_text(&b->good.bundle), str_text(&look.bundle), step, &status, words, e);
        *again = status == EXIT_INCONCLUSIVE && step->looks < LOOKS_MAX;
    } else if (!rc) {
        step->mark = BISECTION_SKIPPED;
        str_add(words, "is skipped: the command left no whole bundle, ");
        add_end(words, &look, b->options->timeout);
    }
    bisect_look_release(&look);
    return rc;
}

static int decide(struct bisecting *b, size_t at, struct err *e)
{
    struct bisect_step *step = ARRAY_PUSH(&b->steps);
    struct str words;
    bool again = true;
    if (!step)
        return err_memory(e);
    *step = (struct bisect_step){.at = at, .is_earlier = true};
    str_init(&words);
    int rc = 0;
    while (!rc && again)
        rc = look_once(b, step, &words, &again, e);
    b->marks[at] = step->mark;
    if (!rc)
        message_note("%.12s (%zu of %zu) %s%s, %.1f s", b->commits.list.items[at], at, b->commits.list.count - 1,
                     str_text(&words), step->is_earlier ? " (measured before)" : "", step->seconds);
    step->words = str_take(&words);
    return rc;
}

/* ---- the search ---- */

static int look_at_good(struct bisecting *b, struct err *e)
{
    const char *commit = b->commits.list.items[0];
    struct str end;
    str_init(&end);
    int rc = bisect_looks_at(&b->looks, commit, 1, &b->good, e);
    add_end(&end, &b->good, b->options->timeout);
    if (!rc && !b->good.bundle.length)
        rc = err_set(e, ERR_INPUT,
                     "the command left no whole bundle in $CPPROF_BISECT_OUT at the good commit %.12s, %s; "
                     "%s '%s' to try again",
                     commit, str_text(&end),
                     b->good.timed_out ? "give it a longer --timeout, or remove its .json from"
                                       : "remove its .json from",
                     str_text(&b->looks.folder));
    str_release(&end);
    b->marks[0] = BISECTION_NOT_SLOWER;
    if (!rc)
        message_note("%.12s is %s: all others are compared with it%s, %.1f s", commit, b->options->good,
                     b->good.is_earlier ? " (measured before)" : "", b->good.seconds);
    return rc;
}

/* The bad one, and as many as halve the rest until one is left: 1 + 6 of 64. */
static size_t steps_needed(size_t commits)
{
    size_t steps = 1;
    for (size_t left = commits - 1; left > 1; left = (left + 1) / 2)
        steps++;
    return steps;
}

/* Of this call: what an earlier one measured costs nothing. */
static bool may_go_on(const struct bisecting *b)
{
    const size_t most = b->options->steps ? (size_t)b->options->steps : 2 * steps_needed(b->commits.list.count);
    size_t made = 0;
    for (size_t i = 0; i < b->steps.count; i++)
        made += !b->steps.items[i].is_earlier;
    return made < most;
}

static int search(struct bisecting *b, struct err *e)
{
    const size_t count = b->commits.list.count, bad = count - 1;
    int rc = look_at_good(b, e);
    if (!rc)
        rc = decide(b, bad, e);
    while (!rc && b->marks[bad] == BISECTION_SLOWER && may_go_on(b)) {
        const size_t next = bisection_next(b->marks, count);
        if (next == count)
            break;
        rc = decide(b, next, e);
    }
    return rc;
}

static enum bisect_result result_of(const struct bisecting *b, struct bisection_range range)
{
    const enum bisection_mark bad = b->marks[b->commits.list.count - 1];
    if (bad != BISECTION_SLOWER)
        return bad == BISECTION_NOT_SLOWER ? BISECT_NOT_SLOWER : BISECT_UNDECIDED;
    return range.bad - range.good == 1 ? BISECT_FOUND : BISECT_RANGE;
}

/* The last look at a commit that was decided. */
static int last_look(struct bisecting *b, size_t at, struct bisect_look *look, struct err *e)
{
    int number = 1;
    for (size_t i = 0; i < b->steps.count; i++)
        if (b->steps.items[i].at == at)
            number = b->steps.items[i].looks;
    return bisect_looks_at(&b->looks, b->commits.list.items[at], number, look, e);
}

/* All are compared with the good one, so small losses add up: the commit at which they reach the margin is not the
 * cause unless it is slower than the one before it, too. */
static int hold_against_parent(struct bisecting *b, struct bisection_range range, enum bisect_result *result,
                               struct err *e)
{
    struct bisect_look before, found;
    struct bisect_step step = {0};
    struct str words;
    enum exit_status status = EXIT_UNUSABLE_INPUT;
    if (*result != BISECT_FOUND || !range.good)
        return 0;
    bisect_look_init(&before);
    bisect_look_init(&found);
    str_init(&words);
    int rc = last_look(b, range.good, &before, e);
    if (!rc)
        rc = last_look(b, range.bad, &found, e);
    if (!rc && before.bundle.length && found.bundle.length)
        rc = compare_bundles(b, str_text(&before.bundle), str_text(&found.bundle), &step, &status, &words, e);
    if (!rc && step.mark != BISECTION_SLOWER) {
        *result = BISECT_RANGE;
        message_note(
            "the margin is crossed at %.12s, but compared with the commit before it, it %s: what is slower came "
            "little by little",
            b->commits.list.items[range.bad], str_text(&words));
    }
    bisect_look_release(&before);
    bisect_look_release(&found);
    str_release(&words);
    return rc;
}

static int print_report(const struct bisecting *b, const struct bisect_report *r, struct err *e)
{
    struct str texts[BISECT_LISTED];
    const char *subjects[BISECT_LISTED];
    struct bisect_report whole = *r;
    struct document d;
    for (size_t i = 0; i < BISECT_LISTED; i++) {
        str_init(&texts[i]);
        if (r->range.good + 1 + i <= r->range.bad)
            git_subject(&texts[i], &b->looks.session, r->commits[r->range.good + 1 + i]);
        subjects[i] = str_text(&texts[i]);
    }
    whole.subjects = subjects;
    document_init(&d);
    int rc = report_bisect(&whole, &d, e);
    if (!rc)
        rc = output_document(&d, "text", NULL, false, e);
    document_release(&d);
    for (size_t i = 0; i < BISECT_LISTED; i++)
        str_release(&texts[i]);
    return rc;
}

static int bisect(struct bisecting *b, enum exit_status *status, struct err *e)
{
    const struct bisect_options *o = b->options;
    int rc = git_refuse_elsewhere(e);
    if (!rc)
        rc = bisect_looks_open(&b->looks, o->state, o->command, o->run, e);
    b->looks.seconds_max = (int)o->timeout;
    if (!rc)
        rc = git_commits_between(&b->commits, &b->looks.session, o->good, o->bad, e);
    if (!rc && !(b->marks = calloc(b->commits.list.count, sizeof *b->marks)))
        rc = err_memory(e);
    if (!rc)
        rc = search(b, e);
    if (rc)
        return rc;
    const struct bisection_range range = bisection_range(b->marks, b->commits.list.count);
    enum bisect_result result = result_of(b, range);
    rc = hold_against_parent(b, range, &result, e);
    if (rc)
        return rc;
    const struct bisect_report r = {.good = o->good,
                                    .bad = o->bad,
                                    .commits = (const char *const *)b->commits.list.items,
                                    .commit_count = b->commits.list.count,
                                    .steps = b->steps.items,
                                    .step_count = b->steps.count,
                                    .range = range,
                                    .has_open = bisection_next(b->marks, b->commits.list.count) < b->commits.list.count,
                                    .result = result};
    *status = r.result == BISECT_FOUND ? EXIT_PASS : EXIT_INCONCLUSIVE;
    return print_report(b, &r, e);
}

static void bisecting_release(struct bisecting *b)
{
    for (size_t i = 0; i < b->steps.count; i++)
        free(b->steps.items[i].words);
    free(b->steps.items);
    free(b->marks);
    bisect_look_release(&b->good);
    git_commits_release(&b->commits);
    bisect_looks_release(&b->looks);
}

int cmd_bisect(int argc, char **argv)
{
    static const struct argp argp = {
        options,
        parse,
        "--good COMMIT --bad COMMIT [--] COMMAND [ARGUMENT...]",
        "Finds the commit that made a kernel slower. COMMAND builds and measures a commit in a checkout of its own, and leaves a "
        "bundle of `run` in $CPPROF_BISECT_OUT; each commit is compared with the good one as `compare` does.\v"
        "Exit status: 0 the first slow commit was found, 3 not decided or nothing to find, 2 for a wrong command line, 4 "
        "without git or a usable GPU, and when interrupted, 5 for commits that cannot be used. docs/bisect.md explains it.",
        NULL,
        NULL,
        NULL};
    struct bisect_options o = {.state = "cpprof-bisect", .margin = RATIO_MARGIN};
    struct bisecting b = {.options = &o};
    struct err e = {0};
    enum exit_status status = EXIT_PASS;
    command_parse_in_order(&argp, argc, argv, &o);
    bisect_look_init(&b.good);
    const int rc = bisect(&b, &status, &e);
    bisecting_release(&b);
    return rc ? message_error(&e) : (int)status;
}
