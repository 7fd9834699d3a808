/* What is a short name for a kernel? */
#include "core/trace/short_names.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/causal_plan.h"
#include "core/base/demangle.h"
#include "core/trace/kernel_names.h"

struct short_name {
    uint32_t text[SHORT_NAME_LEVELS]; /* ids in levels[].texts */
};

static void (*const shorten[SHORT_NAME_LEVELS])(struct str *, const char *) = {kernel_name_short, kernel_name_compact,
                                                                               demangle_template};

void short_names_init(struct short_names *n)
{
    *n = (struct short_names){0};
    strtab_init(&n->full);
    for (size_t i = 0; i < SHORT_NAME_LEVELS; i++)
        strtab_init(&n->levels[i].texts);
}

void short_names_release(struct short_names *n)
{
    strtab_release(&n->full);
    free(n->items);
    for (size_t i = 0; i < SHORT_NAME_LEVELS; i++) {
        strtab_release(&n->levels[i].texts);
        free(n->levels[i].owners);
    }
    short_names_init(n);
}

static uint32_t add_text(struct short_names *n, size_t level, const char *full)
{
    struct str text;
    str_init(&text);
    shorten[level](&text, full);
    const char *shown = text.length ? str_text(&text) : full; /* a name that is not C++ */
    uint32_t id = text.failed ? 0 : strtab_add(&n->levels[level].texts, shown);
    str_release(&text);
    if (!id || array_reserve((void **)&n->levels[level].owners, &n->levels[level].capacity, id, sizeof(uint32_t)))
        return 0;
    if (id > n->levels[level].count)
        n->levels[level].owners[n->levels[level].count++] = 0;
    n->levels[level].owners[id - 1]++;
    return id;
}

uint32_t short_names_add(struct short_names *n, const char *full)
{
    full = strcmp(full, CAUSAL_KERNEL) ? full : CAUSAL_SHOWN; /* nobody takes it for a kernel of the program */
    uint32_t id = strtab_add(&n->full, full);
    if (!id || id <= n->count)
        return id;
    struct short_name *name = ARRAY_PUSH(n);
    if (!name)
        return 0;
    for (size_t level = 0; level < SHORT_NAME_LEVELS; level++)
        if (!(name->text[level] = add_text(n, level, full)))
            return 0;
    return id;
}

size_t call_name_length(const char *name)
{
    const size_t length = strlen(name);
    size_t end = length;
    while (end && isdigit((unsigned char)name[end - 1]))
        end--;
    const bool has_version = end < length && end > 2 && name[end - 1] == 'v' && name[end - 2] == '_';
    return has_version ? end - 2 : length;
}

uint32_t short_names_add_call(struct short_names *n, const char *name)
{
    struct str text;
    str_init(&text);
    str_add_bytes(&text, name, call_name_length(name));
    const uint32_t id = text.failed ? 0 : short_names_add(n, str_text(&text));
    str_release(&text);
    return id;
}

const char *short_names_text(const struct short_names *n, uint32_t id)
{
    if (!id || id > n->count)
        return "";
    for (size_t level = 0; level < SHORT_NAME_LEVELS; level++) {
        uint32_t text = n->items[id - 1].text[level];
        if (n->levels[level].owners[text - 1] == 1)
            return strtab_text(&n->levels[level].texts, text);
    }
    return strtab_text(&n->full, id);
}

const char *short_names_full(const struct short_names *n, uint32_t id)
{
    return strtab_text(&n->full, id);
}
