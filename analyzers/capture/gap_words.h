/* gap_words.h - what people read of a gap. Texts are in the arena, or static. */
#ifndef CPPROF_GAP_WORDS_H
#define CPPROF_GAP_WORDS_H

#include "analyzers/capture/idle_gaps.h"
#include "core/base/arena.h"
#include "core/base/strtab.h"
#include "core/trace/rank_starts.h"
#include "core/trace/short_names.h"

/* "h2d copy", "memset" or the kernel's name in the style; "" for nothing. */
const char *gap_neighbour_name(struct arena *arena, const struct strtab *strings, const struct gap_neighbour *n,
                               enum name_style style);
const char *gap_call_name(struct arena *arena, const struct strtab *strings, uint32_t name);
/* Why the cause is what it is, in a few words. */
const char *gap_evidence(struct arena *arena, const struct strtab *strings, const struct idle_gap *gap);

/* What the columns of gaps and of their devices take beside a row. */
struct gap_context {
    struct arena *arena; /* for names, evidence and shares */
    const struct strtab *strings;
    /* For tables: */
    enum name_style style;            /* of kernels; JSON has full names */
    const struct rank_starts *starts; /* the start of a gap is shown from there, ... */
    int32_t rank;                     /* ... of this rank */
};

#endif
