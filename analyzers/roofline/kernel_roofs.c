/* How near does each kernel come to what its operations and its bytes would allow? */
#include "analyzers/entries.h"
#include "core/base/array.h"
#include "core/base/json.h"
#include "core/run/instrumented_arm.h"
#include "core/run/roofline.h"

/* Bounds are made of the same counters in the same order, and know kernels by their names. */
static const char *kernel_name(const struct analysis *a, size_t index, const struct counters *c)
{
    const struct bound *b = index < a->bounds.count ? &a->bounds.items[index] : NULL;
    return b && b->arm == c->arm ? b->kernel : c->kernel;
}

static int add(struct analysis *a, size_t index, const struct counters *c, const struct chip *chip, struct err *e)
{
    struct roofline roofline;
    if (!roofline_of(&roofline, c, chip, json_object_get(a->bundle->manifest, "ceilings"), &a->arena))
        return 0;
    roofline.arm = c->arm;
    roofline.variant = arena_copy(&a->arena, c->variant);
    roofline.config = arena_copy(&a->arena, c->config);
    roofline.kernel = arena_copy(&a->arena, kernel_name(a, index, c));
    struct roofline *slot = ARRAY_PUSH(&a->rooflines);
    if (!slot)
        return err_memory(e);
    *slot = roofline;
    analysis_note(a, ARM_ROOFLINES, c->arm, a->rooflines.count - 1);
    return 0;
}

int roofline_analyze(struct analysis *a, struct err *e)
{
    const struct chip *chip = analysis_chip(a);
    const struct counters_list *counters = &a->run->counters;
    int rc = 0;
    for (size_t i = 0, bound = 0; i < counters->count && !rc; i++)
        if (!arm_is_partial(counters->items[i].arm)) /* which have no bound either */
            rc = add(a, bound++, &counters->items[i], chip, e);
    return rc;
}
