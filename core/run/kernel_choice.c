/* Which launches does --kernels choose? */
#define _GNU_SOURCE
#include "core/run/kernel_choice.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/demangle.h"
#include "core/base/pattern.h"
#include "core/base/str.h"

/* The sizes by name, and how many extents each has. */
static const struct {
    const char *name;
    size_t extents;
} sizes[KERNEL_SIZES] = {{"grid", 3}, {"block", 3}, {"shared", 1}};

/* "64x64" up to a comma or the end. Returns what stands behind it; NULL for what is no size. */
static const char *read_extents(struct launch_size *out, const char *text, size_t extents)
{
    *out = (struct launch_size){true, {0, 1, 1}};
    for (size_t i = 0; i < extents; i++) {
        char *end;
        if (!isdigit((unsigned char)*text))
            return NULL;
        out->extent[i] = strtoull(text, &end, 10);
        text = end;
        if (*text != 'x')
            break;
        text++;
    }
    return !*text || *text == ',' ? text : NULL;
}

static size_t size_named(const char *text)
{
    size_t i = 0;
    while (i < KERNEL_SIZES &&
           (strncmp(text, sizes[i].name, strlen(sizes[i].name)) != 0 || text[strlen(sizes[i].name)] != '='))
        i++;
    return i;
}

/* "grid=64x64,block=256". False for what is no such list. */
static bool read_sizes(struct launch_size out[KERNEL_SIZES], const char *text)
{
    memset(out, 0, KERNEL_SIZES * sizeof *out);
    for (;; text++) {
        const size_t i = size_named(text);
        if (i == KERNEL_SIZES || out[i].is_asked)
            return false;
        text = read_extents(&out[i], text + strlen(sizes[i].name) + 1, sizes[i].extents);
        if (!text || !*text)
            return text != NULL;
    }
}

size_t kernel_choice_pattern_length(const char *text)
{
    struct launch_size asked[KERNEL_SIZES];
    const char *at = strrchr(text, '@');
    return at && read_sizes(asked, at + 1) ? (size_t)(at - text) : strlen(text);
}

/* Begins like a filter, but is none: an expression with that in it matches no kernel. */
static const char *spoilt_filter(const char *text)
{
    const char *at = strrchr(text, '@');
    return at && size_named(at + 1) < KERNEL_SIZES ? at + 1 : NULL;
}

int kernel_choice_compile(struct kernel_choice *out, const char *text, struct err *e)
{
    const size_t length = kernel_choice_pattern_length(text);
    memset(out, 0, sizeof *out);
    if (text[length])
        read_sizes(out->sizes, text + length + 1);
    else if (spoilt_filter(text))
        return err_set(e, ERR_USAGE,
                       "--kernels: '%.100s' is no filter: it is a list such as grid=64x64,block=256,shared=4096",
                       spoilt_filter(text));
    if (!length)
        return err_set(e, ERR_USAGE, "--kernels takes a regular expression: an empty one would match every kernel");
    char *pattern = strndup(text, length);
    const int rc = pattern ? pattern_compile(&out->pattern, pattern, "--kernels", e) : err_memory(e);
    free(pattern);
    return rc;
}

void kernel_choice_free(struct kernel_choice *choice)
{
    regfree(&choice->pattern);
}

bool kernel_choice_takes_name(const struct kernel_choice *choice, const char *symbol)
{
    struct str text;
    str_init(&text);
    demangle_full(&text, symbol);
    const bool takes = !regexec(&choice->pattern, str_text(&text), 0, NULL, 0);
    str_release(&text);
    return takes;
}

bool kernel_choice_takes_size(const struct kernel_choice *choice, const struct cpprof_event *kernel)
{
    const uint64_t have[KERNEL_SIZES][3] = {
        {kernel->grid[0], kernel->grid[1], kernel->grid[2]},
        {kernel->block[0], kernel->block[1], kernel->block[2]},
        {(uint64_t)kernel->shared_static_bytes + kernel->shared_dynamic_bytes, 1, 1}};
    for (size_t i = 0; i < KERNEL_SIZES; i++)
        if (choice->sizes[i].is_asked && memcmp(choice->sizes[i].extent, have[i], sizeof have[i]) != 0)
            return false;
    return true;
}
