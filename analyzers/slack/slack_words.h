/* slack_words.h - the words for why a slack is not known. */
#ifndef CPPROF_SLACK_WORDS_H
#define CPPROF_SLACK_WORDS_H

#include <stdbool.h>

#include "analyzers/slack/slack_rows.h"

/* Returns why no slack can be stated; "" when one can. */
const char *slack_doubt(const struct slack *row);

/* Did no delay come before one that costs, so that the slack is only known to be less than it? */
bool slack_is_below_doses(const struct slack *row);

/* Is the slope behind the slack neither near 1, what all tiles wait for, nor near 1/N of a ring of N tiles, in which a
 * slot comes round once in N tiles? */
bool slack_slope_is_odd(const struct slack *row);

#endif
