/* analysed_scratch.h - a scratch bundle as a report knows it: sealed, opened, analysed. Include it first. */
#ifndef CPPROF_ANALYSED_SCRATCH_H
#define CPPROF_ANALYSED_SCRATCH_H

#include "tests/unit/scratch_bundle.h"

#include "analyzers/analyzer.h"
#include "core/bundle/bundle_open.h"
#include "core/bundle/bundle_write.h"

static inline void scratch_analyse(const struct scratch *s, struct bundle *bundle, struct analysis *analysis)
{
    MUST(bundle_seal(s->path, s->manifest, &e));
    bundle_init(bundle);
    MUST(bundle_open(bundle, s->path, &e));
    analysis_init(analysis, bundle);
    MUST(analyzers_run(analysis, QUESTIONS_ALL, &e));
}

static inline void scratch_remove_analysed(struct scratch *s, struct bundle *bundle, struct analysis *analysis)
{
    analysis_release(analysis);
    bundle_release(bundle);
    scratch_remove(s);
}

#endif
