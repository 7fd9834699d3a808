/* What do the analyzers say about this bundle? */
#include "analyzers/analysed.h"

#include "analyzers/analyzer.h"
#include "core/bundle/bundle_open.h"
#include "core/gpu/thresholds.h"
#include "core/run/program_groups.h"
#include "core/stats/ratio_decision.h"

/* What no reader gets through is damage, as a trace that was cut is: the tables speak, and nothing passes. */
static int note_unreadable_trace(struct analysed *a, struct err *e)
{
    const char *why = a->analysis.run->trace_error;
    return why ? caveat_add(&a->bundle.caveats, CAVEAT_TRUNCATED, e, "the trace cannot be read: %s", why) : 0;
}

int analysed_open_begun(struct analysed *out, struct bundle *begun, const struct analysed_wish *wish, struct err *e)
{
    static const struct analysed_wish all;
    wish = wish ? wish : &all;
    bundle_move(&out->bundle, begun);
    analysis_init(&out->analysis, &out->bundle);
    out->analysis.margin = wish->margin ? *wish->margin : RATIO_MARGIN;
    int rc = bundle_open_begun(&out->bundle, e);
    thresholds_resolve(&out->analysis.thresholds, wish->overrides, analysis_chip(&out->analysis));
    if (!rc)
        rc = program_groups_apply(&out->bundle, e);
    if (!rc && wish->part && bundle_focus_is_set(wish->part))
        rc = bundle_focus_on(&out->bundle, wish->part, e);
    if (!rc)
        rc = analyzers_run(&out->analysis, wish->questions ? wish->questions : QUESTIONS_ALL, e);
    if (!rc)
        rc = note_unreadable_trace(out, e);
    if (!rc)
        return 0;
    rc = err_context(e, "while reading '%s'", out->bundle.path);
    analysed_release(out);
    return rc;
}

int analysed_open(struct analysed *out, const char *path, const struct analysed_wish *wish, struct err *e)
{
    struct bundle begun;
    bundle_init(&begun);
    int rc = bundle_begin(&begun, path, e);
    rc = rc ? err_context(e, "while reading '%s'", path) : analysed_open_begun(out, &begun, wish, e);
    bundle_release(&begun);
    return rc;
}

void analysed_release(struct analysed *a)
{
    analysis_release(&a->analysis);
    bundle_release(&a->bundle);
}
