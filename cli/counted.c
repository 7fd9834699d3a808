/* What bounds the launches of another tool's table? */
#include "cli/counted.h"

#include "analyzers/analyzer.h"
#include "analyzers/counted_thresholds.h"
#include "cli/record/messages.h"
#include "core/run/ncu/ncu_file.h"

int counted_open(struct counted *out, const char *path, const struct threshold_overrides *thresholds, struct err *e)
{
    imported_launches_init(&out->launches);
    analysis_init(&out->analysis, NULL);
    int rc = imported_launches_read(&out->launches, path, e);
    if (!rc)
        rc = counted_thresholds_resolve(&out->analysis, &out->launches, thresholds, e);
    if (!rc)
        rc = bound_analyze_counted(&out->analysis, &out->launches, e);
    if (rc)
        counted_release(out);
    return rc;
}

void counted_release(struct counted *c)
{
    analysis_release(&c->analysis);
    imported_launches_release(&c->launches);
}

int counted_status(const struct counted *c)
{
    static const enum exit_status of_caveat[] = {[CAVEAT_NOTE] = EXIT_PASS,
                                                 [CAVEAT_RANGES] = EXIT_PASS,
                                                 [CAVEAT_HIDDEN] = EXIT_INCONCLUSIVE,
                                                 [CAVEAT_TIMES] = EXIT_INCONCLUSIVE,
                                                 [CAVEAT_WEAKENS] = EXIT_INCONCLUSIVE,
                                                 [CAVEAT_TRUNCATED] = EXIT_UNUSABLE_INPUT};
    enum exit_status worst = EXIT_PASS;
    for (size_t i = 0; i < c->launches.caveats.count; i++) {
        message_note("%s", c->launches.caveats.items[i].text);
        worst = exit_status_worse(worst, of_caveat[c->launches.caveats.items[i].kind]);
    }
    for (size_t i = 0; i < c->analysis.bounds.count; i++)
        if (c->analysis.bounds.items[i].class_ == BOUND_INCONCLUSIVE || c->analysis.bounds.items[i].unit_is_open)
            worst = exit_status_worse(worst, EXIT_INCONCLUSIVE);
    return (int)worst;
}
