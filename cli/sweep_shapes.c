/* At which shapes does a sweep run? */
#include "cli/sweep_shapes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/compare/size_sweep.h"
#include "core/base/array.h"
#include "core/base/str.h"

/* "n=1" and "H=8" make "n=1,H=8". */
static int add_shape(struct run_texts *out, const char *size, const char *others, struct err *e)
{
    struct str shape;
    str_init(&shape);
    str_addf(&shape, "%s%s%s", size, *others ? "," : "", others);
    const char **slot = shape.failed ? NULL : ARRAY_PUSH(out);
    if (slot)
        *slot = str_take(&shape);
    str_release(&shape);
    return slot && *slot ? 0 : err_memory(e);
}

static int check_are_dimensions(const struct run_texts *shapes, const char *sweep, struct err *e)
{
    for (size_t i = 0; i < shapes->count; i++)
        if (!strchr(shapes->items[i], '='))
            return err_set(e, ERR_USAGE,
                           "%s with --shape %s: a shape by name has its sizes; give the other dimensions as NAME=VALUE",
                           sweep, shapes->items[i]);
    return 0;
}

static int add_sizes(struct run_texts *out, const struct size_sweep *sizes, const char *others, struct err *e)
{
    int rc = 0;
    for (size_t v = 0; v < sizes->count && !rc; v++) {
        char size[128];
        snprintf(size, sizeof size, "%s=%" PRId64, sizes->axis, sizes->values[v]);
        rc = add_shape(out, size, others, e);
    }
    return rc;
}

int sweep_shapes(struct run_texts *out, const char *sweep, const struct run_texts *shapes, struct err *e)
{
    struct size_sweep sizes;
    int rc = size_sweep_parse(&sizes, sweep, e);
    if (!rc)
        rc = check_are_dimensions(shapes, sweep, e);
    if (!rc && !shapes->count)
        rc = add_sizes(out, &sizes, "", e);
    for (size_t i = 0; i < shapes->count && !rc; i++)
        rc = add_sizes(out, &sizes, shapes->items[i], e);
    return rc;
}

void sweep_shapes_release(struct run_texts *texts)
{
    for (size_t i = 0; i < texts->count; i++)
        free((char *)texts->items[i]);
    free(texts->items);
    *texts = (struct run_texts){0};
}
