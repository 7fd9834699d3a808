/* What do the analyzers say about this bundle? */
#include "cli/analyse.h"

#include "analyzers/analyzer.h"
#include "base/files.h"
#include "cli/output.h"
#include "model/metric_sets.h"
#include "model/ratio_decision.h"
#include "model/threshold_file.h"

static int check_is_bundle(const char *path, struct err *e)
{
    if (bundle_is(path))
        return 0;
    if (!files_exists(path))
        return err_set(e, ERR_INPUT, "there is no bundle or file '%s'", path);
    if (files_is_directory(path))
        return err_set(e, ERR_INPUT, "'%s' is no bundle: it has no %s", path, BUNDLE_MANIFEST);
    return err_set(e, ERR_INPUT,
                   "'%s' is no bundle but a file; two traces are shown side by side by 'cpprof stats A B', the bounds of "
                   "a table of ncu by 'cpprof classify TABLE'",
                   path);
}

int analyse_at_thresholds(struct threshold_overrides *keep, const char *path, struct err *e)
{
    const int rc = path ? threshold_file_read(keep, path, e) : 0;
    if (!rc)
        thresholds_override(path ? keep : NULL);
    return rc;
}

/* Some thresholds are other ones on other chips. */
static void enter_chip_of(const struct bundle *bundle)
{
    const json_t *gpu = json_object_get(bundle->manifest, "gpu");
    const struct metric_chip *chip = metric_chip_by_capability(json_get_text(gpu, "compute_capability", ""));
    thresholds_enter_chip(chip ? chip->name : NULL);
}

int analysed_open(struct analysed *out, const char *path, struct err *e)
{
    return analysed_open_at(out, path, RATIO_MARGIN, e);
}

int analysed_open_at(struct analysed *out, const char *path, double margin, struct err *e)
{
    int rc = check_is_bundle(path, e);
    if (rc)
        return rc;
    bundle_init(&out->bundle);
    analysis_init(&out->analysis, &out->bundle);
    out->analysis.margin = margin;
    rc = bundle_open(&out->bundle, path, e);
    enter_chip_of(&out->bundle);
    if (!rc)
        rc = analyzers_run(&out->analysis, e);
    if (rc) {
        analysed_release(out);
        return err_context(e, "while reading '%s'", path);
    }
    return 0;
}

bool analyse_note_damage(const struct caveat_list *caveats, const struct caveat_list *said)
{
    bool damaged = false;
    for (size_t i = 0; i < caveats->count; i++)
        if (caveats->items[i].kind == CAVEAT_TRUNCATED) {
            if (!said || !caveat_says(said, caveats->items[i].text))
                output_note("%s", caveats->items[i].text);
            damaged = true;
        }
    return damaged;
}

int analysed_damage(const struct analysed *a)
{
    bool damaged = analyse_note_damage(&a->bundle.caveats, NULL);
    if (a->analysis.stream)
        damaged |= analyse_note_damage(event_stream_caveats(a->analysis.stream), &a->bundle.caveats);
    return damaged ? EXIT_UNUSABLE_INPUT : EXIT_PASS;
}

void analysed_release(struct analysed *a)
{
    analysis_release(&a->analysis);
    bundle_release(&a->bundle);
}
