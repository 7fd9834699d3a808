/* Which classes does a report on overlap show, and which pairs of them? */
#include "core/trace/class_sets.h"

#include "core/base/count_of.h"

static const enum event_class shown[CLASS_SETS] = {CLASS_KERNEL, CLASS_COPY,   CLASS_H2D,    CLASS_D2H,
                                                   CLASS_D2D,    CLASS_P2P,    CLASS_MEMSET, CLASS_MIGRATION,
                                                   CLASS_COMM,   CLASS_COMPUTE};

static const struct {
    enum event_class a, b;
} against[] = {
    {CLASS_COPY, CLASS_KERNEL},      {CLASS_H2D, CLASS_KERNEL}, {CLASS_D2H, CLASS_KERNEL},
    {CLASS_D2D, CLASS_KERNEL},       {CLASS_P2P, CLASS_KERNEL}, {CLASS_MEMSET, CLASS_KERNEL},
    {CLASS_MIGRATION, CLASS_KERNEL}, {CLASS_H2D, CLASS_D2H},    {CLASS_COMM, CLASS_COMPUTE},
};

static uint8_t index_of(enum event_class c)
{
    uint8_t i = 0;
    while (i + 1 < CLASS_SETS && shown[i] != c)
        i++;
    return i;
}

int class_sets_init(struct class_sets *sets, struct timeline_query *query, struct err *e)
{
    *sets = (struct class_sets){0};
    for (size_t i = 0; i < CLASS_SETS; i++) {
        int code = selector_new(&sets->selectors[i], shown[i], e);
        if (code)
            return code;
        sets->classes[i] = shown[i];
        query->is_brief[query->set_count] = true;
        query->sets[query->set_count++] = sets->selectors[i];
    }
    for (size_t i = 0; i < COUNT_OF(against); i++) {
        query->pairs[query->pair_count].a = index_of(against[i].a);
        query->pairs[query->pair_count].b = index_of(against[i].b);
        query->pairs[query->pair_count].is_brief = true;
        query->pair_count++;
    }
    return 0;
}

void class_sets_release(struct class_sets *sets)
{
    for (size_t i = 0; i < CLASS_SETS; i++)
        selector_free(sets->selectors[i]);
    *sets = (struct class_sets){0};
}
