/* Is this a file of some kind that is known, but that nobody here reads? */
#define _GNU_SOURCE
#include "core/io/known_input.h"

#include <string.h>

#include "core/base/count_of.h"
#include "core/base/utf8.h"

enum { BINARY_LOOK_BYTES = 4096, QUOTED_BYTES_MAX = 200 };

const char *input_find(const struct open_input *input, const char *word)
{
    return memmem(input->head, input->head_bytes, word, strlen(word));
}

bool input_path_ends_in(const struct open_input *input, const char *suffix)
{
    const size_t length = strlen(input->path), need = strlen(suffix);
    return !input->is_export && length >= need && !strcmp(input->path + length - need, suffix);
}

bool input_is_blank(const struct open_input *input)
{
    for (size_t i = 0; i < input->head_bytes; i++)
        if (!strchr(" \t\r\n", input->head[i]) || !input->head[i])
            return false;
    return true;
}

bool input_is_binary(const struct open_input *input)
{
    return memchr(input->head, '\0', input->head_bytes < BINARY_LOOK_BYTES ? input->head_bytes : BINARY_LOOK_BYTES);
}

/* A field of a header comes after a comma or a space. */
static bool first_line_has(const struct open_input *input, const char *field)
{
    const char *end = memchr(input->head, '\n', input->head_bytes);
    const size_t bytes = end ? (size_t)(end - input->head) : input->head_bytes;
    const char *found = memmem(input->head, bytes, field, strlen(field));
    return found && (found == input->head || strchr(", .\"", found[-1])) && memchr(input->head, ',', bytes);
}

static bool matches(const struct open_input *input, const struct known_input *kind)
{
    if (kind->is_binary && !input_is_binary(input))
        return false;
    if (kind->looks)
        return kind->looks(input);
    if (kind->magic)
        return input->head_bytes >= kind->magic_bytes && !memcmp(input->head, kind->magic, kind->magic_bytes);
    if (kind->suffix)
        return input_path_ends_in(input, kind->suffix);
    if (kind->first_line)
        return first_line_has(input, kind->first_line);
    for (size_t i = 0; i < COUNT_OF(kind->words) && kind->words[i]; i++)
        if (!input_find(input, kind->words[i]))
            return false;
    return true;
}

const struct known_input *known_input_find(const struct known_input *kinds, size_t count,
                                           const struct open_input *input)
{
    for (size_t i = 0; i < count; i++)
        if (matches(input, &kinds[i]))
            return &kinds[i];
    return NULL;
}

/* Appends the line from `from` on, made inert. */
static void quote_line(const struct open_input *input, const char *from, struct str *out)
{
    const size_t left = (size_t)(input->head + input->head_bytes - from);
    size_t length = 0;
    while (length < left && length < QUOTED_BYTES_MAX && from[length] != '\n' && from[length] != '\r')
        length++;
    utf8_add_visible(out, from, length);
}

void known_input_describe(const struct known_input *kind, const struct open_input *input, struct str *out)
{
    const char *from = kind->quotes ? input_find(input, kind->quotes) : NULL;
    struct str more;
    str_init(&more);
    if (from)
        quote_line(input, from, &more);
    if (kind->holds)
        kind->holds(input, &more);
    str_addf(out, "%s%s%s; %s", kind->what, more.length ? ": " : "", str_text(&more), kind->remedy);
    str_release(&more);
}

int known_input_refuse(const struct known_input *kind, const struct open_input *input, struct err *e)
{
    struct str text;
    str_init(&text);
    known_input_describe(kind, input, &text);
    const int rc = err_set(e, ERR_INPUT, "'%s' is %s", input->path, str_text(&text));
    str_release(&text);
    return rc;
}
