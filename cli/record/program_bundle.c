/* How does a run of programs become a bundle? */
#define _GNU_SOURCE
#include "cli/record/program_bundle.h"

#include <math.h>

#include "cli/record/program_origin.h"
#include "cli/record/program_session.h"
#include "core/base/count_of.h"
#include "core/base/files.h"
#include "core/base/str.h"
#include "core/bundle/bundle_write.h"

/* What a recorded bundle depends on: tests/gpu/stale.sh compares their last
 * change with the bundle's. */
static json_t *sources(void)
{
    static const char *const paths[] = {"include/cpprof",
                                        "core/base/shard_writer.c",
                                        "core/base/json.c",
                                        "core/bundle/seal.c",
                                        "core/bundle/bundle_tables.c",
                                        "core/io/table_csv.c",
                                        "collector/inject",
                                        "collector/counters",
                                        "collector/activity",
                                        "core/gpu/metrics.c",
                                        "analyzers/capture/program_samples.c",
                                        "cli/record/program_rows.c",
                                        "cli/record/program_outputs.c",
                                        "cli/record/program_session.c"};
    json_t *list = json_array();
    for (size_t i = 0; i < COUNT_OF(paths); i++)
        json_array_append_new(list, json_string(paths[i]));
    return list;
}

/* What a run of programs adds; a run of kernels has seeds instead. */
static void describe(json_t *manifest, const struct program_request *q)
{
    const bool by_range = q->range != NULL;
    struct str kernels;
    str_init(&kernels);
    for (size_t i = 0; i < q->kernel_count; i++)
        str_addf(&kernels, "%s%s", i ? ", " : "", q->kernels[i]);
    json_object_set_new(manifest, "sources", sources());
    json_object_set_new(manifest, "timing_source", json_string("GPU activity records of CUPTI"));
    json_object_set_new(manifest, "choice",
                        json_pack("{s:s}", by_range ? "range" : "kernels", by_range ? q->range : str_text(&kernels)));
    str_release(&kernels);
    if (!isnan(q->tolerance.absolute))
        json_object_set_new(
            manifest, "tolerance",
            json_pack("{s:f,s:f}", "absolute", q->tolerance.absolute, "relative", q->tolerance.relative));
    if (q->unverified)
        json_object_set_new(manifest, "unverified", json_true());
    json_object_set_new(manifest, "repository", program_repository());
    json_object_set_new(manifest, "programs", program_request_describe(q));
}

int program_bundle_record(const struct program_request *request, const char *path, json_t *manifest, struct err *e)
{
    struct str aside; /* the bundle that this one replaces */
    str_init(&aside);
    describe(manifest, request);
    int rc = program_session_check(e);
    if (!rc)
        rc = bundle_set_aside(path, &aside, e);
    if (!rc && (rc = bundle_create(path, manifest, e)))
        bundle_put_back(path, &aside);
    else if (!rc && (rc = program_session_run(request, path, manifest, e)))
        bundle_undo(path, &aside);
    if (!rc)
        rc = bundle_seal(path, manifest, e);
    if (!rc && aside.length)
        rc = files_remove_tree(str_text(&aside), e);
    str_release(&aside);
    return rc;
}
