/* What follows from the comparison of bundles? */
#include "cli/compared/compared_bundles.h"

#include "analyzers/analyzer.h"
#include "cli/analyse.h"
#include "cli/record/messages.h"
#include "core/stats/ratio_decision.h"

void compared_bundles_init(struct compared_bundles *c)
{
    *c = (struct compared_bundles){.margin = RATIO_MARGIN};
    str_init(&c->stored);
}

void compared_bundles_release(struct compared_bundles *c)
{
    if (c->has_between)
        analysis_release(&c->between);
    for (size_t i = 0; i < c->side_count; i++)
        analysed_release(&c->sides[i]);
    str_release(&c->stored);
}

int compared_bundles_add(struct compared_bundles *c, const char *path, struct bundle *begun, struct err *e)
{
    const struct analysed_wish wish = {.margin = &c->margin, .overrides = c->thresholds};
    const int rc = analysed_open_begun(&c->sides[c->side_count], begun, &wish, e);
    if (!rc)
        c->paths[c->side_count++] = path;
    return rc;
}

int compared_bundles_judge(struct compared_bundles *c, const char *across, struct err *e)
{
    analysis_init(&c->between, &c->sides[1].bundle);
    c->between.margin = c->margin;
    c->between.thresholds = c->sides[1].analysis.thresholds;
    c->has_between = true;
    const int rc = compare_bundles(&c->between, &c->sides[0].analysis, &c->sides[1].analysis, across, e);
    return rc ? rc : transitions_of_bundles(&c->between, &c->sides[0].analysis, &c->sides[1].analysis, e);
}

const struct analysis *compared_bundles_verdicts(const struct compared_bundles *c)
{
    return c->has_between ? &c->between : &c->sides[0].analysis;
}

/* Both arms of every comparison: faster is nothing yet while it is open what ran, and whether that is right. */
static bool are_proven(const struct compared_bundles *c)
{
    const struct analysis *verdicts = compared_bundles_verdicts(c);
    const struct analysis *base = &c->sides[0].analysis, *cand = &c->sides[c->side_count - 1].analysis;
    for (size_t i = 0; i < verdicts->comparisons.count; i++) {
        const struct comparison *row = &verdicts->comparisons.items[i];
        if (!analysis_is_proven(base, row->base.arm) || !analysis_is_proven(cand, row->cand.arm))
            return false;
    }
    return true;
}

/* Evidence that is missing makes a pass inconclusive, damage is unusable. */
enum exit_status compared_bundles_status(const struct compared_bundles *c)
{
    const struct analysis *base = &c->sides[0].analysis, *cand = &c->sides[c->side_count - 1].analysis;
    enum exit_status worst = comparisons_status(compared_bundles_verdicts(c), base, cand);
    if (!are_proven(c))
        worst = exit_status_worse(worst, EXIT_INCONCLUSIVE);
    if (!compared_bundles_verdicts(c)->comparisons.count)
        message_note("nothing to compare: no variant of '%s' has a baseline; name a second bundle, or --against",
                     c->paths[0]);
    if (!c->has_between) /* 'run' ended with it */
        worst = exit_status_worse(worst, analysis_status(base));
    for (size_t i = 0; i < c->side_count; i++) {
        if (analysis_is_contradicted(&c->sides[i].analysis))
            worst = exit_status_worse(worst, EXIT_CHECK_FAILED);
        worst = exit_status_worse(worst, hangs_status(&c->sides[i].analysis));
        if (caveat_has(&c->sides[i].bundle.caveats, CAVEAT_WEAKENS))
            worst = exit_status_worse(worst, EXIT_INCONCLUSIVE);
        worst = exit_status_worse(worst, (enum exit_status)analysed_damage(&c->sides[i]));
    }
    return worst;
}
