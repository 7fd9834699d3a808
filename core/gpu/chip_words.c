/* Which chips do people mean? */
#define _POSIX_C_SOURCE 200809L /* fnmatch */
#include "core/gpu/chip_words.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/base/count_of.h"

enum { SAID_MAX = 60 }; /* of a word, in an error */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_between(char c)
{
    return is_blank(c) || c == '-' || c == '_';
}

/* Skips a maker's name and a brand, as in "NVIDIA GeForce RTX 4090". */
static const char *skip_brand(const char *text)
{
    static const char *const brands[] = {"NVIDIA", "GeForce", "Tesla", "Quadro"};
    for (size_t i = 0; i < COUNT_OF(brands); i++) {
        const size_t length = strlen(brands[i]);
        if (!strncasecmp(text, brands[i], length) && is_between(text[length]))
            text += length + 1;
    }
    return text;
}

/* Returns how many characters there are of form factor, memory and the like, each behind a blank or '-':
 * "-SXM4-80GB", " 80GB HBM3". What makes another card of it, as "Ti" does, is none of them. */
static size_t suffix_length(const char *text)
{
    static const char *const forms[] = {"SXM*",     "PCIE",    "NVL*", "DGXS", "FHHL",       "HBM*",
                                        "[0-9]*GB", "[0-9]*G", "MIG",  "GPU",  "GENERATION", NULL};
    size_t used = 0, begin;
    char one[16];
    while (begin = used, is_between(text[begin])) {
        begin += strspn(text + begin, " \t-_");
        const size_t length = strcspn(text + begin, " \t-_");
        if (!length || length >= sizeof one)
            return used;
        for (size_t i = 0; i < length; i++)
            one[i] = (char)toupper((unsigned char)text[begin + i]);
        one[length] = '\0';
        size_t form = 0;
        while (forms[form] && fnmatch(forms[form], one, 0))
            form++;
        if (!forms[form])
            return used;
        used = begin + length;
    }
    return used;
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
    return !text[used] || is_between(text[used]) ? used : 0;
}

/* The same of the longest of a chip's cards: "RTX 4060 Ti" is not the RTX 4060. The RTX A6000 is also the A6000. */
static size_t spelled_card(const char *text, const char *cards)
{
    static const char series[] = "RTX ";
    const size_t series_length = sizeof series - 1;
    size_t longest = 0;
    while (*cards) {
        const size_t length = strcspn(cards, ",");
        size_t used = spelled(text, cards, length);
        if (!used && !strncmp(cards, series, series_length))
            used = spelled(text, cards + series_length, length - series_length);
        longest = used > longest ? used : longest;
        cards += length;
        cards += strspn(cards, ", ");
    }
    return longest;
}

/* Finds the chip whose name or card the text begins with. */
static const struct chip *begins_with(const char *text, size_t *used)
{
    size_t count, longest = 0;
    const char *const name = skip_brand(text);
    const struct chip *chips = chips_known(&count), *found = NULL;
    for (size_t i = 0; i < count; i++) {
        const size_t chip = spelled(name, chips[i].name, strlen(chips[i].name));
        const size_t card = spelled_card(name, chips[i].cards), longer = chip > card ? chip : card;
        if (longer > longest) {
            longest = longer;
            found = &chips[i];
        }
    }
    *used = found ? (size_t)(name - text) + longest + suffix_length(name + longest) : 0;
    return found;
}

const struct chip *chip_by_word(const char *word)
{
    size_t used;
    const struct chip *chip = begins_with(word, &used);
    return chip && !word[used] ? chip : NULL;
}

/* "100a" of an architecture is 10.0: the last digit is the minor number. */
static bool read_architecture(const char *text, char capability[static CHIP_CAPABILITY_BYTES])
{
    const size_t digits = strspn(text, "0123456789");
    const char *end = text + digits;
    if (digits < 2 || digits > 3 || (*end && (!strchr("af", *end) || end[1])))
        return false;
    snprintf(capability, CHIP_CAPABILITY_BYTES, "%.*s.%c", (int)digits - 1, text, end[-1]);
    return true;
}

bool chip_capability_read(const char *word, char capability[static CHIP_CAPABILITY_BYTES])
{
    static const char *const begins[] = {"sm_", "sm", "compute_"};
    for (size_t i = 0; i < COUNT_OF(begins); i++)
        if (!strncasecmp(word, begins[i], strlen(begins[i])) && read_architecture(word + strlen(begins[i]), capability))
            return true;
    const size_t major = strspn(word, "0123456789");
    if (major < 1 || major > 2 || word[major] != '.' || !isdigit((unsigned char)word[major + 1]) || word[major + 2])
        return false;
    snprintf(capability, CHIP_CAPABILITY_BYTES, "%s", word);
    return true;
}

/* Rows of one capability need not be neighbours. */
void chip_words_add_capabilities(struct str *out)
{
    size_t count;
    const struct chip *chips = chips_known(&count);
    const size_t before = out->length;
    for (size_t i = 0; i < count; i++)
        if (chip_by_capability(chips[i].capability) == &chips[i])
            str_addf(out, "%s%s", out->length > before ? ", " : "", chips[i].capability);
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
    return err_set(e, ERR_USAGE,
                   "'%.*s' is no card and matches no chip; 'cpprof list --chip 8.6' says which chip has a compute "
                   "capability",
                   length < SAID_MAX ? (int)length : SAID_MAX, word);
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
