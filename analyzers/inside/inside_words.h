/* inside_words.h - why may what a kernel recorded not be believed, in words? */
#ifndef CPPROF_INSIDE_WORDS_H
#define CPPROF_INSIDE_WORDS_H

/* Returns half a sentence for the reason of a row; the reason itself when it is not known. */
const char *inside_reason_words(const char *reason);

#endif
