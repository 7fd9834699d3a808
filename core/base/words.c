/* Which words does a shell make of this line, if it expands nothing? */
#include "core/base/words.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/str.h"

static const char blanks[] = " \t\r\n";

/* A backslash in double quotes is special only before these. */
static const char escaped_in_quotes[] = "\"\\$`";

void words_release(struct word_list *w)
{
    for (size_t i = 0; i < w->count; i++)
        free(w->items[i]);
    free(w->items);
    *w = (struct word_list){0};
}

static int push(struct word_list *out, struct str *word, struct err *e)
{
    if (out->count == WORDS_MAX)
        return err_set(e, ERR_USAGE, "the command line has more than %d words", WORDS_MAX);
    if (word->failed || array_reserve((void **)&out->items, &out->capacity, out->count + 2, sizeof *out->items))
        return err_memory(e);
    char *text = str_take(word); /* '' is a word, too */
    if (!text)
        return err_memory(e);
    out->items[out->count++] = text;
    out->items[out->count] = NULL;
    return 0;
}

/* Each function takes the part at `at` and returns the place after it; NULL when the closing quote is missing. */
static const char *take_single(struct str *word, const char *at)
{
    const char *end = strchr(at, '\'');
    if (end)
        str_add_bytes(word, at, (size_t)(end - at));
    return end ? end + 1 : NULL;
}

static const char *take_double(struct str *word, const char *at)
{
    for (; *at && *at != '"'; at++) {
        if (*at == '\\' && at[1] == '\n') {
            at++; /* the command continues on the next line */
            continue;
        }
        if (*at == '\\' && at[1] && strchr(escaped_in_quotes, at[1]))
            at++;
        str_add_char(word, *at);
    }
    return *at ? at + 1 : NULL;
}

static const char *take_escaped(struct str *word, const char *at)
{
    if (!*at)
        return NULL;
    if (*at != '\n')
        str_add_char(word, *at);
    return at + 1;
}

static const char *take_word(struct str *word, const char *at)
{
    while (at && *at && !strchr(blanks, *at)) {
        if (*at == '\'')
            at = take_single(word, at + 1);
        else if (*at == '"')
            at = take_double(word, at + 1);
        else if (*at == '\\')
            at = take_escaped(word, at + 1);
        else
            str_add_char(word, *at++);
    }
    return at;
}

int words_split(struct word_list *out, const char *text, struct err *e)
{
    struct str word;
    str_init(&word);
    int rc = 0;
    const char *at = text + strspn(text, blanks);
    while (*at && !rc) {
        at = take_word(&word, at);
        if (!at) {
            rc = err_set(e, ERR_USAGE, "a quote or a backslash is left open in '%s'", text);
            break;
        }
        rc = push(out, &word, e);
        str_clear(&word);
        at += strspn(at, blanks);
    }
    str_release(&word);
    if (!rc && !out->count)
        rc = err_set(e, ERR_USAGE, "the command line is empty");
    if (rc)
        words_release(out);
    return rc;
}

void words_add_quoted(struct str *out, const char *word)
{
    static const char harmless[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
    if (*word && !word[strspn(word, harmless)]) {
        str_add(out, word);
        return;
    }
    str_add_char(out, '\'');
    for (; *word; word++)
        if (*word == '\'')
            str_add(out, "'\\''");
        else
            str_add_char(out, *word);
    str_add_char(out, '\'');
}

bool words_list_has(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strcspn(at, ",") == length && !strncmp(at, word, length))
            return true;
    return false;
}

size_t words_name_length(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+";
    const size_t length = strspn(text, letters);
    return text[length] == '=' ? length : 0;
}

size_t words_python_length(const char *text)
{
    static const char suffix[] = ".py";
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";
    const char *colon = strrchr(text, ':');
    const size_t length = colon ? (size_t)(colon - text) : 0;
    if (length < sizeof suffix || strncmp(colon - strlen(suffix), suffix, strlen(suffix)))
        return 0;
    return colon[1] && !colon[1 + strspn(colon + 1, letters)] ? length : 0;
}
