/* Is this a file of some kind that is known, but that nobody here reads? */
#define _GNU_SOURCE
#include "io/known_input.h"

#include <string.h>

enum { BINARY_LOOK_BYTES = 4096 };

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
    if (kind->magic)
        return input->head_bytes >= kind->magic_bytes && !memcmp(input->head, kind->magic, kind->magic_bytes);
    if (kind->suffix)
        return input_path_ends_in(input, kind->suffix);
    if (kind->first_line)
        return first_line_has(input, kind->first_line);
    for (size_t i = 0; i < sizeof kind->words / sizeof kind->words[0] && kind->words[i]; i++)
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

int known_input_refuse(const struct known_input *kind, const struct open_input *input, struct err *e)
{
    return err_set(e, ERR_INPUT, "'%s' is %s; %s", input->path, kind->what, kind->remedy);
}
