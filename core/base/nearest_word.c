/* Which of the known words was meant? */
#include "core/base/nearest_word.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Fills one row of the table of Wagner and Fischer from the two rows before it. Returns its smallest value. */
static size_t fill_row(const char *a, size_t i, const char *b, size_t columns, const size_t *before,
                       const size_t *above, size_t *row)
{
    size_t least = row[0] = i;
    for (size_t j = 1; j <= columns; j++) {
        row[j] = smaller(above[j - 1] + (a[i - 1] != b[j - 1]), smaller(above[j], row[j - 1]) + 1);
        if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
            row[j] = smaller(row[j], before[j - 2] + 1);
        least = smaller(least, row[j]);
    }
    return least;
}

size_t word_distance(const char *a, const char *b, size_t limit)
{
    const size_t length = strlen(a), columns = strlen(b);
    const size_t apart = length > columns ? length - columns : columns - length;
    if (apart > limit || columns > NEAREST_WORD_MAX)
        return limit + 1;
    size_t rows[3][NEAREST_WORD_MAX + 1]; /* a ring: row i is i % 3 */
    for (size_t j = 0; j <= columns; j++)
        rows[0][j] = j;
    size_t least = 0;
    for (size_t i = 1; i <= length; i++) {
        const size_t least_above = least;
        least = fill_row(a, i, b, columns, rows[(i + 1) % 3], rows[(i + 2) % 3], rows[i % 3]);
        if (smaller(least, least_above) > limit) /* a swap looks back two rows */
            return limit + 1;
    }
    return smaller(rows[length % 3][columns], limit + 1);
}

static void add_another(struct nearest_word *n, const char *said)
{
    bool is_new = n->also_count < NEAREST_WORDS - 1 && strcmp(n->found, said);
    for (size_t i = 0; i < n->also_count; i++)
        is_new &= strcmp(n->also[i], said) != 0;
    if (is_new)
        strcpy(n->also[n->also_count++], said);
}

void nearest_word_offer(struct nearest_word *n, const char *word, const char *known, const char *said)
{
    const size_t length = strlen(word);
    if (length < 2 || length > NEAREST_WORD_MAX || strlen(said) > NEAREST_WORD_MAX)
        return;
    size_t limit = length / 3 > 1 ? length / 3 : 1;
    if (*n->found)
        limit = smaller(limit, n->distance);
    const size_t distance = word_distance(word, known, limit);
    if (distance > limit)
        return;
    if (*n->found && distance == n->distance) {
        add_another(n, said);
        return;
    }
    n->distance = distance;
    n->also_count = 0;
    strcpy(n->found, said);
}

const char *nearest_word_question(const struct nearest_word *n, char text[NEAREST_QUESTION_BYTES])
{
    text[0] = '\0';
    if (!*n->found)
        return text;
    size_t used = (size_t)snprintf(text, NEAREST_QUESTION_BYTES, "; did you mean '%s'", n->found);
    for (size_t i = 0; i < n->also_count; i++)
        used += (size_t)snprintf(text + used, NEAREST_QUESTION_BYTES - used, "%s'%s'",
                                 i + 1 < n->also_count ? ", " : " or ", n->also[i]);
    snprintf(text + used, NEAREST_QUESTION_BYTES - used, "?");
    return text;
}
