/* nearest_word.h - which known word is nearest to an unknown one? For "did you mean". */
#ifndef CPPROF_NEAREST_WORD_H
#define CPPROF_NEAREST_WORD_H

#include <stddef.h>

enum {
    NEAREST_WORD_MAX = 127, /* characters; nothing is near a longer word */
    NEAREST_WORDS = 3,      /* the most suggestions that are kept when several are equally near */
    NEAREST_QUESTION_BYTES = NEAREST_WORDS * (NEAREST_WORD_MAX + 8) + 24
};

/* Returns how many characters must be changed, added, removed or swapped with the next to turn `a` into `b`; at most
 * `limit` + 1. No character is edited twice (optimal string alignment). */
size_t word_distance(const char *a, const char *b, size_t limit);

/* The best of the words offered so far; starts as {0}. */
struct nearest_word {
    char found[NEAREST_WORD_MAX + 1];                   /* "": nothing is near */
    char also[NEAREST_WORDS - 1][NEAREST_WORD_MAX + 1]; /* others that are equally near */
    size_t also_count, distance;
};

/* Offers the known word `known` as a match for `word`. A word is near when at most a third of its characters differ, or
 * one character of a word of two or more. Of equally near words the first three are kept, each once. `said` is copied:
 * the text that is suggested when `known` matches. */
void nearest_word_offer(struct nearest_word *n, const char *word, const char *known, const char *said);

/* Writes "; did you mean 'a'?" or "; did you mean 'a', 'b' or 'c'?" to `text` and returns it; "" when nothing is
 * near. */
const char *nearest_word_question(const struct nearest_word *n, char text[NEAREST_QUESTION_BYTES]);

#endif
