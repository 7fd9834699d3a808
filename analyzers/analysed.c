/* What do the analyzers say about this bundle? */
#include "analyzers/analysed.h"

#include "analyzers/analyzer.h"
#include "base/files.h"
#include "bundle/bundle_open.h"
#include "gpu/chips.h"
#include "gpu/thresholds.h"
#include "stats/ratio_decision.h"

static int check_is_bundle(const char *path, struct err *e)
{
    if (bundle_is(path))
        return 0;
    if (!files_exists(path))
        return err_set(e, ERR_INPUT, "there is no bundle or file '%s'", path);
    if (files_is_directory(path))
        return err_set(e, ERR_INPUT, "'%s' is no bundle: it has no %s", path, BUNDLE_MANIFEST);
    return err_set(
        e, ERR_INPUT,
        "'%s' is no bundle but a file; two traces are shown side by side by 'cpprof stats A B', the bounds of "
        "a table of ncu by 'cpprof classify TABLE'",
        path);
}

static const struct chip *chip_of(const struct bundle *bundle)
{
    const json_t *gpu = json_object_get(bundle->manifest, "gpu");
    return chip_by_capability(json_get_text(gpu, "compute_capability", ""));
}

int analysed_begin(struct bundle *bundle, const char *path, struct err *e)
{
    int rc = check_is_bundle(path, e);
    if (rc)
        return rc;
    rc = bundle_begin(bundle, path, e);
    return rc ? err_context(e, "while reading '%s'", path) : 0;
}

/* What no reader gets through is damage, as a trace that was cut is: the tables speak, and nothing passes. */
static int say_unreadable_trace(struct analysed *a, struct err *e)
{
    const char *why = a->analysis.run->trace_error;
    return why ? caveat_add(&a->bundle.caveats, CAVEAT_TRUNCATED, e, "the trace cannot be read: %s", why) : 0;
}

/* The bundle moves in. */
static int analyse(struct analysed *out, struct bundle *begun, double margin,
                   const struct threshold_overrides *overrides, struct err *e)
{
    bundle_move(&out->bundle, begun);
    analysis_init(&out->analysis, &out->bundle);
    out->analysis.margin = margin;
    int rc = bundle_open_begun(&out->bundle, e);
    thresholds_resolve(&out->analysis.thresholds, overrides, chip_of(&out->bundle));
    if (!rc)
        rc = analyzers_run(&out->analysis, e);
    if (!rc)
        rc = say_unreadable_trace(out, e);
    if (!rc)
        return 0;
    rc = err_context(e, "while reading '%s'", out->bundle.path);
    analysed_release(out);
    return rc;
}

int analysed_open_begun(struct analysed *out, struct bundle *begun, const struct threshold_overrides *overrides,
                        struct err *e)
{
    return analyse(out, begun, RATIO_MARGIN, overrides, e);
}

int analysed_open_at(struct analysed *out, const char *path, double margin, const struct threshold_overrides *overrides,
                     struct err *e)
{
    struct bundle begun;
    bundle_init(&begun);
    int rc = analysed_begin(&begun, path, e);
    if (!rc)
        rc = analyse(out, &begun, margin, overrides, e);
    bundle_release(&begun);
    return rc;
}

int analysed_open(struct analysed *out, const char *path, struct err *e)
{
    return analysed_open_at(out, path, RATIO_MARGIN, NULL, e);
}

void analysed_release(struct analysed *a)
{
    analysis_release(&a->analysis);
    bundle_release(&a->bundle);
}
