/* nearest_word.h - which of the words that we know was meant by one that we do
 * not? For "did you mean". */
#ifndef CPPROF_NEAREST_WORD_H
#define CPPROF_NEAREST_WORD_H

#include <stddef.h>

enum {
    NEAREST_WORD_MAX = 127, /* characters; nothing is near a longer word */
    NEAREST_WORDS = 3,      /* so many that are equally near are named */
    NEAREST_QUESTION_BYTES = NEAREST_WORDS * (NEAREST_WORD_MAX + 8) + 24
};

/* How many characters must be changed, added, left out or swapped with the next
 * (once each: optimal string alignment); at most `limit` + 1. */
size_t word_distance(const char *a, const char *b, size_t limit);

/* The best of what was offered; starts as {0}. */
struct nearest_word {
    char found[NEAREST_WORD_MAX + 1];                   /* "": nothing is near */
    char also[NEAREST_WORDS - 1][NEAREST_WORD_MAX + 1]; /* others that are as near */
    size_t also_count, distance;
};

/* Near means that at most a third of the word's characters, or one of two and
 * more, would change. Of equally near ones the first three stay, each once.
 * `said` is copied, and what is to be named when `known` is the one. */
void nearest_word_offer(struct nearest_word *n, const char *word, const char *known, const char *said);

/* "; did you mean 'a'?" or "; did you mean 'a', 'b' or 'c'?" in `text`, which it
 * returns; "" when nothing is near. */
const char *nearest_word_question(const struct nearest_word *n, char text[NEAREST_QUESTION_BYTES]);

#endif
