/* Which chips do people mean? */
#define _POSIX_C_SOURCE 200809L /* fnmatch */
#include "gpu/chip_words.h"

#include <ctype.h>
#include <fnmatch.h>
#include <string.h>

enum { SAID_MAX = 60 }; /* of a word, in an error */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_between(char c)
{
    return is_blank(c) || c == '-' || c == '_';
}

/* Returns how many characters at the beginning of the text spell this name; 0 when they do not, or go on. */
static size_t spelled(const char *text, const char *name, size_t length)
{
    size_t used = 0;
    for (size_t i = 0; i < length; i++) {
        if (is_between(name[i]))
            continue;
        while (used && is_between(text[used]))
            used++;
        if (toupper((unsigned char)text[used]) != toupper((unsigned char)name[i]))
            return 0;
        used++;
    }
    return !text[used] || is_blank(text[used]) ? used : 0;
}

/* The same of the longest of a chip's cards: "RTX 4060 Ti" is not the RTX 4060. */
static size_t spelled_card(const char *text, const char *cards)
{
    size_t longest = 0;
    while (*cards) {
        const size_t length = strcspn(cards, ","), used = spelled(text, cards, length);
        longest = used > longest ? used : longest;
        cards += length;
        cards += strspn(cards, ", ");
    }
    return longest;
}

/* Finds the chip whose name or card the text begins with. */
static const struct chip *begins_with(const char *text, size_t *used)
{
    size_t count;
    const struct chip *chips = chips_known(&count), *found = NULL;
    *used = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t name = spelled(text, chips[i].name, strlen(chips[i].name));
        const size_t card = spelled_card(text, chips[i].cards), longer = name > card ? name : card;
        if (longer > *used) {
            *used = longer;
            found = &chips[i];
        }
    }
    return found;
}

const struct chip *chip_by_word(const char *word)
{
    size_t used;
    const struct chip *chip = begins_with(word, &used);
    return chip && !word[used] ? chip : NULL;
}

void chip_words_add_known(struct str *out)
{
    size_t count;
    const struct chip *chips = chips_known(&count);
    for (size_t i = 0; i < count; i++) {
        str_addf(out, "%s%s", i ? ", " : "", chips[i].name);
        if (*chips[i].cards)
            str_addf(out, " (%s)", chips[i].cards);
    }
}

static bool matches_one(const char *pattern)
{
    size_t count;
    const struct chip *chips = chips_known(&count);
    for (size_t i = 0; i < count; i++)
        if (!fnmatch(pattern, chips[i].name, 0))
            return true;
    return false;
}

static int refuse(const char *word, size_t length, struct err *e)
{
    struct str known;
    str_init(&known);
    chip_words_add_known(&known);
    const int rc = err_set(e, ERR_USAGE, "'%.*s' is no card and matches no chip: %s",
                           length < SAID_MAX ? (int)length : SAID_MAX, word, str_text(&known));
    str_release(&known);
    return rc;
}

/* A word that is no card, in capitals, as the names of chips are. */
static int add_pattern(struct str *out, const char *text, size_t length, struct err *e)
{
    struct str pattern;
    str_init(&pattern);
    for (size_t i = 0; i < length; i++)
        str_addf(&pattern, "%c", toupper((unsigned char)text[i]));
    const int rc = pattern.failed ? err_memory(e) : matches_one(str_text(&pattern)) ? 0 : refuse(text, length, e);
    str_add(out, str_text(&pattern));
    str_release(&pattern);
    return rc;
}

int chip_words_read(struct str *out, const char *text, struct err *e)
{
    int rc = 0;
    for (const char *at = text + strspn(text, " \t"); *at && !rc; at += strspn(at, " \t")) {
        size_t used;
        const struct chip *chip = begins_with(at, &used);
        if (out->length)
            str_add(out, " ");
        if (chip) {
            str_add(out, chip->name);
        } else {
            used = strcspn(at, " \t");
            rc = add_pattern(out, at, used, e);
        }
        at += used;
    }
    return rc || !out->failed ? rc : err_memory(e);
}
