/* At which shapes does a sweep run? */
#include "cli/sweep_shapes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/str.h"
#include "model/size_sweep.h"

static int add_shape(struct run_texts *out, const char *axis, int64_t value, const char *others, struct err *e)
{
    struct str shape;
    str_init(&shape);
    str_addf(&shape, "%s=%" PRId64 "%s%s", axis, value, *others ? "," : "", others);
    const char **slot = shape.failed ? NULL : ARRAY_PUSH(out);
    if (slot)
        *slot = str_take(&shape);
    str_release(&shape);
    return slot && *slot ? 0 : err_memory(e);
}

int sweep_shapes(struct run_texts *out, const char *sweep, const struct run_texts *shapes, struct err *e)
{
    static const char *const alone[] = {""};
    struct size_sweep sizes;
    int rc = size_sweep_parse(&sizes, sweep, e);
    for (size_t i = 0; i < shapes->count && !rc; i++)
        if (!strchr(shapes->items[i], '='))
            rc = err_set(e, ERR_USAGE, "--sweep %s with --shape %s: a shape by name has its sizes; give the other dimensions as NAME=VALUE",
                         sweep, shapes->items[i]);
    const char *const *others = shapes->count ? shapes->items : alone;
    for (size_t i = 0; i < (shapes->count ? shapes->count : 1) && !rc; i++)
        for (size_t v = 0; v < sizes.count && !rc; v++)
            rc = add_shape(out, sizes.axis, sizes.values[v], others[i], e);
    return rc;
}

void sweep_shapes_release(struct run_texts *texts)
{
    for (size_t i = 0; i < texts->count; i++)
        free((char *)texts->items[i]);
    free(texts->items);
    *texts = (struct run_texts){0};
}
