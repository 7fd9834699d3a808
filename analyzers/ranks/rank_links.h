/* rank_links.h - does the same transfer take longer on one communicator than on others?
 *
 * What a transfer is expected to take comes from its own communicator, so that a link which is always slow is not seen
 * there. Communicators with the same kernel, bytes and number of ranks are compared here. They may differ by design. */
#ifndef CPPROF_RANK_LINKS_H
#define CPPROF_RANK_LINKS_H

#include "analyzers/ranks/rank_matching.h"

struct rank_link {
    uint32_t communicator, name;
    int64_t bytes, expected_ns; /* its fastest tenth */
    size_t ranks, others;       /* other communicators that have the same */
    double usual_ns, ratio;     /* their median; the one over the other */
};

struct rank_links {
    ARRAY_OF(struct rank_link) items; /* the one that takes longest beyond the others first */
};

/* Release even after an error; `out` need not be initialised. */
int rank_links_compare(const struct rank_meetings_found *m, struct rank_links *out, struct err *e);
void rank_links_release(struct rank_links *l);

#endif
