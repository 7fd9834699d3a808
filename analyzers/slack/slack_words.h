/* slack_words.h - what the reasons mean for which a slack says nothing. */
#ifndef CPPROF_SLACK_WORDS_H
#define CPPROF_SLACK_WORDS_H

/* Returns the reason itself when it is not known. */
const char *slack_reason_words(const char *reason);

#endif
