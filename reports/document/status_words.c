/* Which words does one look for first? They have a colour that is read on black and on white, and they are bold, for
 * who sees no colours. */
#include "reports/document/status_words.h"

#include <ctype.h>
#include <string.h>

#include "core/base/count_of.h"

#define GREEN  "\x1b[1;32m"
#define RED    "\x1b[1;31m"
#define YELLOW "\x1b[1;33m"

/* The longer one of two that begin alike goes first. */
static const struct {
    const char *words, *style;
} status_words[] = {
    {"PASS", GREEN},
    {"pass", GREEN},
    {"faster", GREEN},
    {"agrees", GREEN},
    {"merged", GREEN},
    {"ok", GREEN},
    {"FAIL", RED},
    {"fail", RED},
    {"slower", RED},
    {"WRONG KERNEL", RED},
    {"wrong kernel", RED},
    {"WRONG RESULT", RED},
    {"CONTRADICTED", RED},
    {"contradicted", RED},
    {"PROGRAM FAILED", RED},
    {"PROCESS FAILED", RED},
    {"DAMAGED BUNDLE", RED},
    {"regression", RED},
    {"correctness", RED}, /* of a stage that was refused */
    {"unusable", RED},
    {"missing", RED},
    {"INCONCLUSIVE", YELLOW},
    {"inconclusive", YELLOW},
    {"neither faster nor slower", YELLOW},
    {"VACUOUS", YELLOW},
    {"vacuous", YELLOW},
    {"UNPROVEN", YELLOW},
    {"SAME MACHINE CODE", YELLOW},
    {"NOTHING TO MEASURE", YELLOW},
    {"marginal", YELLOW},
    {"below target", YELLOW},
    {"valid negative", YELLOW},
    {"not checked", YELLOW},
    {"unsteady", YELLOW},
    {"note", YELLOW},
};

/* Part of a longer word, of a name or of a path. */
static bool is_in_name(char c)
{
    return isalnum((unsigned char)c) || strchr("_-/<>", c) || (unsigned char)c >= 0x80;
}

/* Does the text begin with words of status, and with which? */
static bool find_words(const char *text, size_t *at)
{
    for (size_t i = 0; i < COUNT_OF(status_words); i++) {
        const size_t length = strlen(status_words[i].words);
        if (!strncmp(text, status_words[i].words, length) && (!text[length] || !is_in_name(text[length]))) {
            *at = i;
            return true;
        }
    }
    return false;
}

static size_t add_words(struct str *out, size_t at, const char *style)
{
    str_addf(out, "%s%s%s%s", status_words[at].style, status_words[at].words, STYLE_OFF, style);
    return strlen(status_words[at].words);
}

void status_words_add(struct str *out, const char *text, const char *style)
{
    bool in_name = false;
    size_t at;
    while (*text) {
        if (!in_name && find_words(text, &at)) {
            text += add_words(out, at, style);
            continue;
        }
        in_name = is_in_name(*text);
        str_add_char(out, *text++);
    }
}

void status_words_add_first(struct str *out, const char *text)
{
    const size_t spaces = strspn(text, " ");
    size_t at, words = 0;
    str_add_bytes(out, text, spaces);
    if (find_words(text + spaces, &at))
        words = add_words(out, at, "");
    str_add(out, text + spaces + words);
}

bool status_words_in_column(const char *title)
{
    static const char *const titles[] = {"verdict", "verdict alone", "status", "level"};
    for (size_t i = 0; i < COUNT_OF(titles); i++)
        if (!strcmp(title, titles[i]))
            return true;
    return false;
}
