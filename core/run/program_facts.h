/* program_facts.h - the facts about each program that ran as a variant: the manifest's records of its processes, and
 * its work by name over all of them. */
#ifndef CPPROF_PROGRAM_FACTS_H
#define CPPROF_PROGRAM_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/json.h"
#include "core/bundle/bundle.h"

/* Work of one name, summed over the processes. */
struct named_work {
    const char *name; /* a kernel's name is demangled */
    double count, sum_ns, chosen_count, chosen_ns;
};

struct program_facts {
    const char *variant;
    const json_t *about;      /* its member of "programs" */
    int64_t processes;        /* that were started */
    int64_t failed, untraced; /* of these */
    int64_t samples, empty, of_other_threads;
    const char *failure;      /* the first one; "" */
    const char *untraced_why; /* likewise */
    const char *problem;      /* why a trace gave no samples; "" */
    struct named_work *work;  /* in the arena; longest chosen time first */
    size_t work_count;
    double sum_ns, chosen_ns; /* sums over all work */
};

/* Reads the facts. Texts and arrays are owned by the arena or the bundle, which must outlive them. */
int program_facts_read(struct program_facts *out, const struct bundle *b, const char *variant, struct arena *arena,
                       struct err *e);

#endif
