/* slack_words.h - the words for why a slack is not known. */
#ifndef CPPROF_SLACK_WORDS_H
#define CPPROF_SLACK_WORDS_H

#include "analyzers/slack/slack_rows.h"

/* Returns a clause without a full stop; the reason itself where it is of no kind that is known. */
const char *slack_reason_words(const char *reason);

/* Returns why no slack can be stated; "" when one can. */
const char *slack_doubt(const struct slack *row);

#endif
