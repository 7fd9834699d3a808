/* Which variants can this process run? */
#include "collector/runner/catalogue.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
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
            *slot = (struct catalogue_entry){&family[f].variants[v], ""};
        }
    return 0;
}

const struct catalogue_entry *catalogue_find(const struct catalogue *c, const char *name)
{
    for (size_t i = 0; i < c->count; i++)
        if (!strcmp(c->items[i].variant->name, name))
            return &c->items[i];
    return NULL;
}

/* A loaded variant is our own copy, and so is the name of its library. */
void catalogue_cut(struct catalogue *c, size_t count)
{
    for (; c->count > count; c->count--) {
        const struct catalogue_entry *last = &c->items[c->count - 1];
        if (!*last->library)
            continue;
        free((void *)last->variant);
        free((void *)last->library);
    }
}

void catalogue_release(struct catalogue *c)
{
    catalogue_cut(c, 0);
    free(c->items);
    *c = (struct catalogue){0};
}
