/* Under which names does the inside of a kernel go, and what of it is left out? */
#include "reports/export/export_lanes.h"

#include <inttypes.h>

#include "core/base/files.h"
#include "core/bundle/bundle.h"
#include "core/io/packed_file.h"

void export_inside_name(struct str *out, const struct inside_lanes *l)
{
    str_addf(out, "inside %s, ", l->variant);
    if (l->device >= 0)
        str_addf(out, "GPU %" PRId64 ", ", l->device);
    str_addf(out, "SM %" PRId64, l->sm);
}

void export_inside_labels(struct str *out, const struct inside_lanes *l)
{
    str_addf(out, "%s, launch %" PRId64 ", tiles %" PRId64 " to %" PRId64, l->config, l->launch, l->first_tile,
             l->last_tile);
}

void export_lane_name(struct str *out, const struct lane *lane)
{
    str_addf(out, "block %" PRId64 " ", lane->block);
    if (lane->role_name)
        str_addf(out, "%s, warp %" PRId64, lane->role_name, lane->warp);
    else
        str_add(out, "copies");
    if (lane->line)
        str_addf(out, ", line %zu", lane->line + 1);
}

int export_lanes_note(const struct inside_lanes_list *l, struct caveat_list *losses, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < l->arms.count && !rc; i++) {
        const struct inside_lanes *arm = &l->arms.items[i];
        if (arm->tiles_left_out)
            rc = caveat_add(losses, CAVEAT_NOTE, e,
                            "inside of '%s' (%s): tiles %" PRId64 " to %" PRId64 " of SM %" PRId64 " in launch %" PRId64
                            " are written, %" PRId64 " of %" PRId64 " recorded tiles are left out",
                            arm->variant, arm->config, arm->first_tile, arm->last_tile, arm->sm, arm->launch,
                            arm->tiles_left_out, arm->tiles + arm->tiles_left_out);
    }
    return rc;
}

int export_samples_note(const struct run *run, struct caveat_list *losses, struct err *e)
{
    const struct arm_table *samples = &run->tables[BUNDLE_INSIDE_SERIES];
    const size_t count = samples->table ? table_rows(samples->table) : 0;
    return count ? caveat_add(losses, CAVEAT_NOTE, e,
                              "%zu samples of the inside of kernels are left out; --to pftrace writes those of one "
                              "launch of each arm",
                              count)
                 : 0;
}

static bool has_table(const char *path, enum bundle_table table)
{
    struct str file;
    str_init(&file);
    const bool has = packed_file_exists(files_join(&file, path, bundle_table_file(table)));
    str_release(&file);
    return has;
}

int export_inside_note(const char *path, const char *why, struct caveat_list *losses, struct err *e)
{
    const bool has_lanes = has_table(path, BUNDLE_INSIDE_TILES), has_samples = has_table(path, BUNDLE_INSIDE_SERIES);
    if (!bundle_is(path) || (!has_lanes && !has_samples))
        return 0;
    return caveat_add(losses, CAVEAT_NOTE, e, "'%s': the inside of its kernels (%s%s%s) is left out: %s", path,
                      has_lanes ? "lanes" : "", has_lanes && has_samples ? ", " : "", has_samples ? "samples" : "",
                      why);
}
