/* ranks_words.h - what do people and programs read of ranks: places, verdicts, reasons, the answer? */
#ifndef CPPROF_RANKS_WORDS_H
#define CPPROF_RANKS_WORDS_H

#include "analyzers/ranks/ranks.h"
#include "core/base/arena.h"

/* The context of all columns of ranks. */
struct ranks_context {
    struct arena *arena;
    const struct ranks *r;
    const char *operand; /* of the command, where there is one for all ranks; NULL: a trace each */
};

const char *rank_verdict_key(enum rank_verdict verdict); /* "late-arrival" */
const char *rank_cause_key(enum rank_cause cause);       /* "host" */
const char *rank_doubt_key(enum rank_doubt doubt);       /* "clocks"; NULL for none */
const char *rank_doubt_sentence(enum rank_doubt doubt);  /* "... because" this */
const char *rank_mismatch_key(enum rank_mismatch_kind kind);

/* "rank 3", "rank 3, device 1" where ranks have several devices, "device 1" where there are no ranks. */
const char *rank_place_name(const struct ranks_context *c, uint32_t place);
/* "0-2, 4" of a group; cut to `columns`. */
const char *rank_group_places(const struct ranks_context *c, const struct rank_group *g, size_t columns);
/* "0 [0,1]" as noted, or "stream 1". */
const char *rank_communicator_name(const struct ranks_context *c, uint32_t communicator);
const char *rank_kernel_name(const struct ranks_context *c, uint32_t name);
/* The clocks to be shown. */
const struct rank_clocks *ranks_shown_clocks(const struct ranks *r);
/* Which clocks contradict others, in a sentence, and whose trace may be of another run; "" where none do. */
const char *rank_clocks_contradiction(const struct ranks_context *c);
/* What rank_doubt_sentence says; of clocks that contradict one another it says which. */
const char *rank_doubt_reason(const struct ranks_context *c, enum rank_doubt doubt);
/* What does not match, in a sentence. */
const char *rank_mismatch_sentence(const struct ranks_context *c, const struct rank_mismatch *x);
/* What to do next about a late rank: a command, and what it does; NULL: nothing. */
struct rank_advice {
    const char *command, *does;
};
struct rank_advice rank_origin_advice(const struct ranks_context *c, const struct rank_origin *o);
struct rank_advice rank_slow_advice(const struct ranks_context *c); /* the same about slow transfers */
/* Which kernels --comm could name, where it names none: "gemm, add and 3 others"; "" when there are none. */
const char *rank_kernels_to_name(const struct ranks_context *c);
/* What to do about collectives without a verdict; NULL: nothing. */
const char *rank_doubt_advice(const struct ranks_context *c, enum rank_doubt doubt);
/* Why an origin is late: "its gemm takes 1.70x as long". */
const char *rank_origin_why(const struct ranks_context *c, const struct rank_origin *o);
/* Why a rank is late, with its parts where it is for several reasons: "its host 3.2%, kernel 2.3%; host: its GPU ...";
 * "" where that is not known. */
const char *rank_late_why(const struct ranks_context *c, int rank);
/* "48 of 59 transfers that are compared are slow". */
const char *rank_slow_transfers(const struct ranks_context *c);
/* "rank 3 costs each step 1.20 ms, 12.0% of the time: its gemm takes 1.70x as long". */
const char *ranks_answer(const struct ranks_context *c);

#endif
