/* class_sets.h - the sets and pairs that are measured in every trace, without any rule asking for them. */
#ifndef CPPROF_CLASS_SETS_H
#define CPPROF_CLASS_SETS_H

#include "core/base/err.h"
#include "core/trace/timeline.h"

enum { CLASS_SETS = 10 };

struct class_sets {
    struct selector *selectors[CLASS_SETS];
    enum event_class classes[CLASS_SETS]; /* of the first CLASS_SETS sets of the query */
};

/* Fills an empty query, which then points into `sets`. Release even after an error. */
int class_sets_init(struct class_sets *sets, struct timeline_query *query, struct err *e);
void class_sets_release(struct class_sets *sets);

#endif
