/* Which commit made it slower? */
#include "reports/bisect_report.h"

#include <math.h>

#include "core/base/count_of.h"
#include "reports/trace_words.h"

enum { COMMIT_SHOWN = 12 };

/* One side of a 95% interval, of a single comparison; of several, whatever Holm's adjustment leaves for the table. */
#define WRONG_ALONE 0.025
#define WRONG_TABLE 0.05

static void write_answer(const struct bisect_report *r, struct document *out)
{
    const size_t left = r->range.bad - r->range.good;
    struct str text;
    str_init(&text);
    switch (r->result) {
    case BISECT_FOUND:
        str_addf(&text, "first slow commit: %.*s %s", COMMIT_SHOWN, r->commits[r->range.bad], r->subjects[0]);
        break;
    case BISECT_RANGE: str_addf(&text, "not decided: the first slow commit is one of %zu", left); break;
    case BISECT_NOT_SLOWER: str_addf(&text, "nothing to find: %s is not slower than %s", r->bad, r->good); break;
    case BISECT_UNDECIDED: str_addf(&text, "not decided: is %s slower than %s?", r->bad, r->good); break;
    }
    words_answer(out, &text);
}

static const struct bisect_step *step_at(const struct bisect_report *r, size_t at)
{
    for (size_t i = 0; i < r->step_count; i++)
        if (r->steps[i].at == at)
            return &r->steps[i];
    return NULL;
}

static void write_evidence(const struct bisect_report *r, size_t at, struct document *out)
{
    const struct bisect_step *step = step_at(r, at);
    document_bullet(out);
    document_span(out, SPAN_CODE, "%.*s", COMMIT_SHOWN, r->commits[at]);
    if (step)
        document_span(out, SPAN_PLAIN, " %s", step->words ? step->words : "");
    else
        document_span(out, SPAN_PLAIN, " is %s", r->good);
}

static void write_left(const struct bisect_report *r, struct document *out)
{
    const size_t left = r->range.bad - r->range.good;
    for (size_t i = 0; i < left && i < BISECT_LISTED; i++) {
        document_bullet(out);
        document_span(out, SPAN_CODE, "%.*s", COMMIT_SHOWN, r->commits[r->range.good + 1 + i]);
        document_span(out, SPAN_PLAIN, " %s", r->subjects[i]);
    }
    if (left > BISECT_LISTED) {
        document_bullet(out);
        document_span(out, SPAN_PLAIN, "and %zu more", left - BISECT_LISTED);
    }
}

static void write_measured(const struct bisect_report *r, struct document *out)
{
    size_t earlier = 0;
    double seconds = 0;
    for (size_t i = 0; i < r->step_count; i++) {
        earlier += r->steps[i].is_earlier;
        seconds += r->steps[i].seconds;
    }
    char steps[UNITS_TEXT_BYTES];
    document_fact(out, "Measured");
    document_span(out, SPAN_PLAIN, "%s over %zu commits after %s, %.1f s each",
                  words_count(steps, (int64_t)r->step_count, "step", "steps"), r->commit_count - 1, r->good,
                  r->step_count ? seconds / (double)r->step_count : 0);
    if (earlier)
        document_span(out, SPAN_PLAIN, "; %zu of them by an earlier call", earlier);
    if (r->result == BISECT_RANGE && r->has_open)
        document_span(out, SPAN_PLAIN, "; not all that is left: the same command goes on from here");
}

static double chance_of_error(const struct bisect_step *step)
{
    return step->looks * (step->comparisons > 1 ? WRONG_TABLE : WRONG_ALONE);
}

/* The union bound: decisions share the good commit's times, so they are not independent. */
static void write_certainty(const struct bisect_report *r, struct document *out)
{
    size_t decided = 0, twice = 0;
    double wrong = 0;
    for (size_t i = 0; i < r->step_count; i++)
        if (r->steps[i].mark == BISECTION_SLOWER || r->steps[i].mark == BISECTION_NOT_SLOWER) {
            decided++;
            twice += r->steps[i].looks > 1;
            wrong += chance_of_error(&r->steps[i]);
        }
    if (!decided)
        return;
    char decisions[UNITS_TEXT_BYTES];
    document_fact(out, "Certainty");
    document_span(out, SPAN_PLAIN, "%s at 95%% intervals",
                  words_count(decisions, (int64_t)decided, "decision", "decisions"));
    if (twice)
        document_span(out, SPAN_PLAIN, ", %zu of them at a second look, which counts twice", twice);
    document_span(out, SPAN_PLAIN, ": the chance that one of them is wrong is at most %.3g%%", 100 * fmin(wrong, 1));
    if (r->result == BISECT_FOUND || r->result == BISECT_RANGE)
        document_span(out, SPAN_PLAIN, ", where one commit made it slower and none after it made it faster again");
}

static void add_steps(const struct bisect_report *r, struct document *out)
{
    static const struct document_column columns[] = {
        {"commit", false}, {"after good", true}, {"looks", true}, {"time", true}, {"compared with good", false}};
    document_heading(out, 2, "Steps");
    document_table(out, columns, COUNT_OF(columns));
    for (size_t i = 0; i < r->step_count; i++) {
        const struct bisect_step *step = &r->steps[i];
        document_cell(out, "%.*s", COMMIT_SHOWN, r->commits[step->at]);
        document_cell(out, "%zu", step->at);
        document_cell(out, "%d", step->looks);
        document_cell(out, "%.1f s", step->seconds);
        document_cell(out, "%s", step->words ? step->words : "");
    }
}

int report_bisect(const struct bisect_report *r, struct document *out, struct err *e)
{
    write_answer(r, out);
    if (r->result == BISECT_FOUND || r->result == BISECT_RANGE) {
        write_evidence(r, r->range.bad, out);
        write_evidence(r, r->range.good, out);
    }
    write_measured(r, out);
    write_certainty(r, out);
    if (r->result == BISECT_RANGE)
        write_left(r, out);
    add_steps(r, out);
    return out->failed ? err_memory(e) : 0;
}
