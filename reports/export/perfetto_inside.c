/* How does the inside of a kernel become tracks? */
#include "reports/export/perfetto_inside.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/export/export_lanes.h"

/* Samples come behind the lanes of all arms. */
enum { SAMPLES_PROCESS = EXPORT_INSIDE_PROCESS + 50000000 };

static void add_word(struct perfetto_packets *p, const char *key, const char *word)
{
    perfetto_add_text(p, key, word, strlen(word));
}

/* ---- lanes ---- */

static int write_span(struct perfetto_packets *p, const struct lane_span *span, uint64_t track, struct err *e)
{
    perfetto_begin_slice(p, track, "inside", span->name, strlen(span->name));
    perfetto_add_whole(p, "tile", span->tile);
    add_word(p, "kind", span->kind);
    perfetto_add_whole(p, "cycles", span->cycles);
    if (span->is_copy)
        add_word(p, "arrival", span->is_censored ? "censored" : "seen");
    if (span->is_censored) {
        perfetto_add_whole(p, "earliest ns", span->earliest_ns);
        perfetto_add_whole(p, "latest ns", span->latest_ns);
    }
    if (span->is_before)
        add_word(p, "issue", "before the window");
    int rc = perfetto_end_event(p, span->begin_ns, e);
    return rc ? rc : perfetto_end_slice(p, track, span->end_ns, e);
}

static int add_process(struct perfetto_packets *p, const struct str *name, const struct str *labels, int32_t process,
                       uint64_t *track, struct err *e)
{
    const struct perfetto_track descriptor = {
        .name = str_text(name), .labels = str_text(labels), .process = process, .rank = process};
    return name->failed || labels->failed ? err_memory(e) : perfetto_add_track(p, &descriptor, track, e);
}

static int add_lanes(struct perfetto_packets *p, const struct inside_lanes *l, uint64_t parent, uint64_t *tracks,
                     struct err *e)
{
    struct str name;
    int rc = 0;
    str_init(&name);
    for (size_t i = 0; i < l->lanes.count && !rc; i++) {
        str_clear(&name);
        export_lane_name(&name, &l->lanes.items[i]);
        const struct perfetto_track lane = {.parent = parent, .name = str_text(&name), .rank = (int32_t)i};
        rc = name.failed ? err_memory(e) : perfetto_add_track(p, &lane, &tracks[i], e);
    }
    str_release(&name);
    return rc;
}

static int write_lanes(struct perfetto_packets *p, const struct inside_lanes *l, uint64_t parent, struct err *e)
{
    uint64_t *tracks = calloc(l->lanes.count + 1, sizeof *tracks);
    int rc = tracks ? add_lanes(p, l, parent, tracks, e) : err_memory(e);
    for (size_t i = 0; i < l->spans.count && !rc; i++)
        rc = write_span(p, &l->spans.items[i], tracks[l->spans.items[i].lane], e);
    free(tracks);
    return rc;
}

int perfetto_lanes_write(const struct inside_lanes_list *l, struct perfetto_packets *p, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < l->arms.count && !rc; i++) {
        uint64_t process = 0;
        struct str name, labels;
        str_init(&name);
        str_init(&labels);
        export_inside_name(&name, &l->arms.items[i]);
        export_inside_labels(&labels, &l->arms.items[i]);
        rc = add_process(p, &name, &labels, EXPORT_INSIDE_PROCESS + 1 + (int32_t)i, &process, e);
        str_release(&name);
        str_release(&labels);
        if (!rc)
            rc = write_lanes(p, &l->arms.items[i], process, e);
    }
    return rc;
}

/* ---- samples ---- */

static const char *const unit_names[INSIDE_SERIES_UNIT_COUNT] = {
    "SMs active", "issue", "tensor", "fma", "xu", "L1 requests", "L1 fills", "L2", "DRAM",
};

struct samples {
    const struct table *table;
    const size_t *rows; /* of one launch */
    size_t count;
};

static int64_t whole(const struct samples *s, size_t i, size_t column)
{
    return (int64_t)table_number(s->table, s->rows[i], column);
}

static double share(const struct samples *s, size_t i, size_t unit)
{
    return table_number(s->table, s->rows[i], INSIDE_SERIES_UNITS + unit);
}

/* A chip that does not count a unit has no value for it. */
static int write_unit(struct perfetto_packets *p, const struct samples *s, size_t unit, uint64_t parent, struct err *e)
{
    uint64_t track = 0;
    int64_t end_ns = 0;
    int rc = 0;
    for (size_t i = 0; i < s->count && !rc; i++) {
        if (isnan(share(s, i, unit)))
            continue;
        const struct perfetto_track counter = {
            .parent = parent, .name = unit_names[unit], .rank = (int32_t)unit, .unit = "%"};
        if (!track)
            rc = perfetto_add_track(p, &counter, &track, e);
        if (!rc)
            rc = perfetto_count(p, track, whole(s, i, INSIDE_SERIES_BEGIN_NS), 100 * share(s, i, unit), e);
        end_ns = whole(s, i, INSIDE_SERIES_BEGIN_NS) + whole(s, i, INSIDE_SERIES_TAKEN_NS);
    }
    return rc || !track ? rc : perfetto_count(p, track, end_ns, 0, e);
}

static int write_samples(struct perfetto_packets *p, const struct samples *s, const struct arm *arm, int32_t process,
                         struct err *e)
{
    uint64_t parent = 0;
    struct str name, labels;
    str_init(&name);
    str_init(&labels);
    str_addf(&name, "samples of %s", arm->variant);
    str_addf(&labels, "%s, launch %" PRId64, arm->config, whole(s, 0, INSIDE_SERIES_LAUNCH));
    int rc = add_process(p, &name, &labels, process, &parent, e);
    for (size_t unit = 0; unit < INSIDE_SERIES_UNIT_COUNT && !rc; unit++)
        rc = write_unit(p, s, unit, parent, e);
    str_release(&name);
    str_release(&labels);
    return rc;
}

static int note_others(const struct samples *s, size_t all, const struct arm *arm, struct caveat_list *losses,
                       struct err *e)
{
    if (all == s->count)
        return 0;
    return caveat_add(losses, CAVEAT_NOTE, e,
                      "samples of '%s' (%s): launch %" PRId64 " is written, %zu of %zu samples are left out",
                      arm->variant, arm->config, whole(s, 0, INSIDE_SERIES_LAUNCH), all - s->count, all);
}

int perfetto_samples_write(const struct run *run, struct perfetto_packets *p, struct caveat_list *losses, struct err *e)
{
    const struct arm_table *table = &run->tables[BUNDLE_INSIDE_SERIES];
    int32_t written = 0;
    int rc = 0;
    for (size_t i = 0; i < run->arms.list.count && !rc; i++) {
        const struct arm_places rows = arm_table_rows(table, run->arms.list.items[i]);
        struct samples first = {table->table, rows.items, 0};
        while (first.count < rows.count &&
               whole(&first, first.count, INSIDE_SERIES_LAUNCH) == whole(&first, 0, INSIDE_SERIES_LAUNCH))
            first.count++;
        if (first.count)
            rc = write_samples(p, &first, run->arms.list.items[i], SAMPLES_PROCESS + ++written, e);
        if (first.count && !rc)
            rc = note_others(&first, rows.count, run->arms.list.items[i], losses, e);
    }
    return rc;
}
