/* causal_rows.h - how much of a saving in a kernel, a copy or the host would reach the program? From a capture in which
 * launches of it were delayed (core/base/causal_plan.h, docs/profile.md).
 *
 * A block is a series of launches of one target that wait for one dose. Its time is that from one launch to the next.
 * The slope of these times over the delays is the criticality: 1 where the program waits for the kernel, 0 where it
 * waits for something else. */
#ifndef CPPROF_CAUSAL_ROWS_H
#define CPPROF_CAUSAL_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzers/compare/sweep_rows.h"
#include "core/base/causal_plan.h"
#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/reason.h"

struct event_stream;
struct short_names;

/* Blocks with fewer launches are left out; fewer blocks of a dose than this say nothing. */
enum { CAUSAL_LAUNCHES_MIN = 8, CAUSAL_BLOCKS_MIN = 3, CAUSAL_LAUNCHES_MAX = 1 << 22 };

enum causal_status { CAUSAL_INCONCLUSIVE, CAUSAL_HIDDEN, CAUSAL_PARTLY, CAUSAL_CRITICAL };
const char *causal_status_name(enum causal_status status);

/* Why is a criticality inconclusive? Half a sentence each. */
#define CAUSAL_REASONS(X)                                                                                              \
    X(CAUSAL_NO_REASON, "", "")                                                                                        \
    X(CAUSAL_NO_LAUNCHES, "no_launches", "nothing of that name was launched one by one")                               \
    X(CAUSAL_RECORDS_MISSING, "records_missing", "a part of the trace is missing or false")                            \
    X(CAUSAL_TOO_FEW_BLOCKS, "too_few_blocks",                                                                         \
      "the program did not run for long enough: each delay takes 3 blocks of 8 launches")                              \
    X(CAUSAL_DELAYS_NOT_AS_ASKED, "delays_not_as_asked", "the recorded delays are not those that were asked for")      \
    X(CAUSAL_NOT_LINEAR, "not_linear", "a short delay costs another part of itself than a longer one")                 \
    X(CAUSAL_NOT_ALL_DELAYED, "not_all_delayed",                                                                       \
      "more than a tenth of its launches have no delay, as those of graphs")                                           \
    X(CAUSAL_SEVERAL_STREAMS, "several_streams",                                                                       \
      "launches of one block are on several streams or GPUs, whose delays act together")                               \
    X(CAUSAL_NOT_CREDIBLE, "not_credible", "a delay cannot make a program faster, nor slower by more than it")         \
    X(CAUSAL_TOO_COARSE, "too_coarse", "the program's time varies too much")

enum causal_reason { CAUSAL_REASONS(REASON_CODE) };
extern const struct reason causal_reasons[];

struct causal_dose {
    int64_t asked_ns;
    int64_t blocks, launches; /* launches that were followed by another one of their block */
    double delay_ns;          /* mean of the recorded delays, less that of those of no time */
    double time_ns;           /* from one launch to the next */
};

/* A target in one process. NAN: unknown. */
struct causal_row {
    const char *target; /* as it was asked for */
    struct causal_target asked;
    int rank;
    uint32_t name;              /* of the kernel with most launches, in the short names; 0: none was launched */
    int64_t kernels;            /* distinct names */
    int64_t launches;           /* with a delay, also one of no time */
    int64_t undelayed;          /* of the same kernels, without one */
    int64_t counted, elsewhere; /* launches in blocks; on another stream than the first of their block */
    double share;               /* its time without delays, of the program's; NAN: of the host */
    struct causal_dose doses[CAUSAL_DOSES_MAX];
    size_t dose_count;
    struct bounded criticality;    /* over all doses */
    struct bounded first, further; /* up to the second dose, and from there to the third */
    enum causal_status status;
    enum causal_reason reason;
};

struct causal { /* starts zeroed */
    struct causal_row *items;
    size_t count;
    int64_t left_out; /* launches beyond CAUSAL_LAUNCHES_MAX */
};

/* Measures in one pass over the stream, which it rewinds before. `asked` is the member `causal` of the manifest, whose
 * texts the rows keep; NULL: nothing was delayed. `is_whole`: nothing of the trace is known to be missing. Adds the
 * kernels' names. Release even after an error. */
int causal_measure(struct causal *out, struct event_stream *stream, const json_t *asked, bool is_whole,
                   struct short_names *names, struct err *e);
void causal_release(struct causal *c);

#endif
