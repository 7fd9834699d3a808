/* Which questions are asked of a bundle, and what does each need? */
#include "analyzers/analyzer.h"

static const struct analyzer {
    const char *question;
    uint32_t needs;
    int (*run)(struct analysis *a, struct err *e);
} analyzers[] = {
#define ANALYZER_ROW(name, needs, question) {question, needs, name##_analyze},
    ANALYZER_LIST(ANALYZER_ROW)
#undef ANALYZER_ROW
};

/* Needs are earlier questions, so that one way back finds those of needs, too. */
uint32_t questions_with_needs(uint32_t questions)
{
    for (size_t i = QUESTION_COUNT; i-- > 0;)
        if (questions >> i & 1)
            questions |= analyzers[i].needs;
    return questions;
}

int analyzers_run(struct analysis *a, uint32_t questions, struct err *e)
{
    const int rc = analysis_join(a, e);
    if (rc)
        return rc;
    questions = questions_with_needs(questions);
    for (size_t i = 0; i < QUESTION_COUNT; i++)
        if (questions >> i & 1 && analyzers[i].run(a, e))
            return err_context(e, "while asking '%s'", analyzers[i].question);
    return 0;
}
