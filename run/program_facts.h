/* program_facts.h - what a bundle says of each program that was run as a variant:
 * the manifest's words on its processes, and its work by name over all of them. */
#ifndef CPPROF_PROGRAM_FACTS_H
#define CPPROF_PROGRAM_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "bundle/bundle.h"

/* Work of one name, summed over the processes. */
struct named_work {
    const char *name; /* of a kernel demangled */
    double count, sum_ns, chosen_count, chosen_ns;
};

struct program_facts {
    const char *variant;
    const json_t *about;      /* its member of "programs" */
    int64_t processes;        /* that were started */
    int64_t failed, untraced; /* of them */
    int64_t samples, empty, of_other_threads;
    const char *failure;      /* the first one; "" */
    const char *untraced_why; /* likewise */
    const char *problem;      /* why a trace gave no samples; "" */
    struct named_work *work;  /* in the arena; longest chosen time first */
    size_t work_count;
    double sum_ns, chosen_ns; /* of all work */
};

/* Texts and arrays live in the arena or in the bundle, which must outlive them. */
int program_facts_read(struct program_facts *out, const struct bundle *b, const char *variant, struct arena *arena,
                       struct err *e);

#endif
