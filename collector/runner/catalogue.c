/* Which variants can this process run? */
#define _GNU_SOURCE
#include "collector/runner/catalogue.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "collector/runner/inside/inside_build.h"
#include "collector/runner/judge/judged.h"
#include "core/base/array.h"
#include "core/base/words.h"
#include "kernels/registry.h"

int catalogue_add_built_in(struct catalogue *c, struct err *e)
{
    size_t families;
    const struct variant_family *family = variant_families(&families);
    for (size_t f = 0; f < families; f++)
        for (size_t v = 0; v < family[f].count; v++) {
            struct catalogue_entry *slot = ARRAY_PUSH(c);
            if (!slot)
                return err_memory(e);
            *slot = (struct catalogue_entry){&family[f].variants[v], "", NULL};
        }
    return 0;
}

int catalogue_load_all(struct catalogue *c, const char *const *texts, size_t count, struct err *e)
{
    int rc = 0;
    for (int solutions = 0; solutions < 2; solutions++)
        for (size_t i = 0; i < count && !rc; i++)
            if ((words_name_length(texts[i]) > 0) == solutions)
                rc = catalogue_load(c, texts[i], e);
    return rc;
}

/* Returns "" for a variant that has one name only. */
static const char *name_alone(const struct catalogue_entry *entry)
{
    const char *slash = variant_is_judged(entry->variant) ? strchr(entry->variant->name, '/') : NULL;
    return slash ? slash + 1 : "";
}

const struct catalogue_entry *catalogue_find(const struct catalogue *c, const char *name)
{
    for (size_t i = 0; i < c->count; i++)
        if (!strcmp(c->items[i].variant->name, name) || (*name && !strcmp(name_alone(&c->items[i]), name)))
            return &c->items[i];
    return NULL;
}

bool catalogue_entry_matches(const struct catalogue_entry *entry, const char *glob)
{
    const char *alone = name_alone(entry);
    return !fnmatch(glob, entry->variant->name, 0) || (*alone && !fnmatch(glob, alone, 0));
}

static void release_build(const struct catalogue_entry *entry)
{
    free((void *)entry->variant->name);
    free((void *)entry->build);
    free((void *)entry->variant);
    free((void *)entry->library);
}

int catalogue_add_build(struct catalogue *c, const struct cpprof_variant *variant, const char *name,
                        const char *library, const struct inside_build *build, struct err *e)
{
    struct cpprof_variant *own = malloc(sizeof *own);
    struct inside_build *own_build = malloc(sizeof *own_build);
    char *own_name = strdup(name), *own_library = strdup(library);
    struct catalogue_entry *slot = own && own_build && own_name && own_library ? ARRAY_PUSH(c) : NULL;
    if (!slot) {
        free(own);
        free(own_build);
        free(own_name);
        free(own_library);
        return err_memory(e);
    }
    *own = *variant;
    own->name = own_name;
    *own_build = *build;
    *slot = (struct catalogue_entry){own, own_library, own_build};
    return 0;
}

/* A loaded variant is our own copy, and so is the name of its library. */
void catalogue_cut(struct catalogue *c, size_t count)
{
    for (; c->count > count; c->count--) {
        const struct catalogue_entry *last = &c->items[c->count - 1];
        if (last->build) {
            release_build(last);
        } else if (*last->library) {
            free((void *)last->variant);
            free((void *)last->library);
        }
    }
}

void catalogue_release(struct catalogue *c)
{
    catalogue_cut(c, 0);
    free(c->items);
    free(c->task);
    *c = (struct catalogue){0};
}
