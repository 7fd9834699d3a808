/* What do counters say of kernels whose launches were replayed? */
#include "analyzers/capture/kernel_replays.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/analyzer.h"
#include "analyzers/counted_thresholds.h"
#include "base/demangle.h"
#include "base/launch_key.h"
#include "bundle/bundle_tables.h"
#include "run/imported_launches.h"

/* A replay takes so much less than the shortest launch of the trace, or more than the longest, and is one of them all
 * the same: caches and clocks are what the passes before have left. */
static const double duration_room = 0.15;
static const double duration_room_ns = 2000;

struct replay_evidence {
    struct imported_launches launches;
    struct analysis analysis; /* points at the launches; its bounds are in their order */
};

/* ---- the counters ---- */

static struct imported_launch *add_launch(struct imported_launches *list, const struct table *t, size_t row,
                                          struct err *e)
{
    struct imported_launch *l = list->count < IMPORTED_LAUNCHES_MAX ? ARRAY_PUSH(list) : NULL;
    if (!l) {
        if (list->count < IMPORTED_LAUNCHES_MAX)
            err_memory(e);
        else
            err_set(e, ERR_INPUT, "more than %d launches were replayed", IMPORTED_LAUNCHES_MAX);
        return NULL;
    }
    const uint32_t kernel = strtab_add(&list->texts, table_text(t, row, METRICS_KERNEL));
    const uint32_t shape = strtab_add(&list->texts, table_text(t, row, METRICS_SHAPE));
    *l = (struct imported_launch){.id = "",
                                  .process_id = "",
                                  .process_name = "",
                                  .device = "",
                                  .compute_capability = "",
                                  .block = "",
                                  .kernel = strtab_text(&list->texts, kernel),
                                  .grid = strtab_text(&list->texts, shape),
                                  .sm_count = NAN};
    for (size_t i = 0; i < COUNTERS_METRICS_MAX; i++)
        l->counters.values[i] = l->busy_at_most[i] = NAN;
    l->counters.variant = l->counters.config = "";
    l->counters.kernel = l->kernel;
    l->counters.first_row = row;
    return kernel && shape ? l : (err_memory(e), NULL);
}

static bool is_same_launch(const struct table *t, size_t a, size_t b)
{
    return table_number(t, a, METRICS_LAUNCH) == table_number(t, b, METRICS_LAUNCH) &&
           !strcmp(table_text(t, a, METRICS_KERNEL), table_text(t, b, METRICS_KERNEL)) &&
           !strcmp(table_text(t, a, METRICS_SHAPE), table_text(t, b, METRICS_SHAPE));
}

/* The rows of a launch follow one another. */
static int read_launches(struct imported_launches *list, const struct table *t, struct err *e)
{
    struct imported_launch *l = NULL;
    for (size_t row = 0; row < table_rows(t); row++) {
        const struct metric *metric = metric_by_name(table_text(t, row, METRICS_METRIC));
        if (!row || !is_same_launch(t, row - 1, row))
            l = add_launch(list, t, row, e);
        if (!l)
            return e->code;
        if (metric)
            l->counters.values[counters_index(metric)] = table_number(t, row, METRICS_VALUE);
    }
    return 0;
}

/* ---- what the device said of the kernels ---- */

static const json_t *facts_of(const json_t *kernels, const struct imported_launch *l)
{
    const size_t shape = strlen(l->grid);
    for (size_t i = 0; i < json_array_size(kernels); i++) {
        const json_t *facts = json_array_get(kernels, i);
        const char *key = json_get_text(facts, "kernel", "");
        if (!strncmp(key, l->grid, shape) && key[shape] == ' ' && !strcmp(key + shape + 1, l->kernel))
            return facts;
    }
    return NULL;
}

static double number_of(const json_t *facts, const char *name)
{
    const json_t *value = json_object_get(facts, name);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static void add_facts(struct imported_launches *list, const json_t *replay)
{
    const json_t *gpu = json_object_get(replay, "gpu");
    for (size_t i = 0; i < list->count; i++) {
        struct imported_launch *l = &list->items[i];
        const json_t *facts = facts_of(json_object_get(replay, "kernels"), l);
        l->compute_capability = json_get_text(gpu, "compute_capability", "");
        l->sm_count = number_of(gpu, "sm_count");
        l->resource = (struct resource){.variant = "",
                                        .config = "",
                                        .kernel = l->kernel,
                                        .grid_blocks = number_of(facts, "grid_blocks"),
                                        .block_threads = number_of(facts, "block_threads"),
                                        .registers = NAN,
                                        .shared_bytes = NAN,
                                        .local_bytes = NAN,
                                        .spill_bytes = NAN,
                                        .blocks_per_sm = number_of(facts, "blocks_per_sm"),
                                        .occupancy = number_of(facts, "occupancy"),
                                        .waves = number_of(facts, "waves"),
                                        .code_hash = ""};
    }
}

/* ---- the rows ---- */

static bool is_window_of(const struct kernel_window *w, const struct kernel_replay *r, const struct short_names *names)
{
    return !memcmp(w->grid, r->grid, sizeof w->grid) && !memcmp(w->block, r->block, sizeof w->block) &&
           !strcmp(short_names_full(names, w->name), r->kernel);
}

static struct kernel_window *find_window(struct kernel_windows *windows, const struct kernel_replay *r,
                                         const struct short_names *names)
{
    for (size_t i = 0; i < windows->kernel_count; i++)
        if (is_window_of(&windows->kernels[i], r, names))
            return &windows->kernels[i];
    return NULL;
}

static bool describe(struct kernel_replay *r, const struct imported_launch *l, struct arena *arena)
{
    struct launch_key key;
    struct str text, name;
    str_init(&text);
    str_init(&name);
    str_addf(&text, "%s %s", l->grid, l->kernel);
    const bool is_key = launch_key_read(&key, str_text(&text));
    for (int i = 0; i < 3 && is_key; i++) {
        r->grid[i] = key.grid[i];
        r->block[i] = key.block[i];
    }
    demangle_full(&name, l->kernel);
    r->kernel = arena_copy(arena, str_text(&name));
    str_release(&text);
    str_release(&name);
    return is_key;
}

static double duration_of(const struct imported_launch *l)
{
    return counters_value(&l->counters, "duration");
}

static bool took_as_long(const struct kernel_window *w, double duration_ns)
{
    return w && duration_ns >= (1 - duration_room) * (double)w->least_ns - duration_room_ns &&
           duration_ns <= (1 + duration_room) * (double)w->most_ns + duration_room_ns;
}

/* Units whose samples and counters count the same; that of L2 is made from its bytes. */
static const struct {
    enum sampled_unit_id unit;
    const char *metric;
} pairs[] = {
    {SAMPLED_TENSOR, "tensor_share"},     {SAMPLED_ISSUE, "issue_share"}, {SAMPLED_XU, "xu_share"},
    {SAMPLED_DRAM, "dram_share"},         {SAMPLED_FP64, "fp64_share"},   {SAMPLED_SHARED, "shared_share"},
    {SAMPLED_FMAHEAVY, "fmaheavy_share"},
};
enum { PAIRS = sizeof pairs / sizeof pairs[0] };

static size_t pair_of(const char *metric)
{
    size_t i = 0;
    while (i < PAIRS && strcmp(pairs[i].metric, metric) != 0)
        i++;
    return i;
}

/* Adds to the mean of the replays that count; the first of them says which units there are. */
static void add_unit(struct kernel_replay *r, const char *unit, double share, const struct window_unit *seen)
{
    if (isnan(share) || r->unit_count == REPLAY_UNITS_MAX)
        return;
    for (int64_t i = 0; i < r->unit_count; i++)
        if (!strcmp(r->units[i].unit, unit)) {
            r->units[i].share += (share - r->units[i].share) / (double)r->accepted;
            return;
        }
    if (r->accepted == 1)
        r->units[r->unit_count++] =
            (struct replay_unit){unit, share, seen ? seen->share : (double)NAN, seen ? seen->error : (double)NAN};
}

static void add_units(struct kernel_replay *r, const struct counters *c)
{
    static const enum metric_role sides[] = {METRIC_COMPUTE, METRIC_MEMORY};
    const struct window_unit *seen = r->window->units;
    const struct metric *metric;
    for (size_t side = 0; side < 2; side++)
        for (size_t at = 0; (metric = counters_next_unit(sides[side], &at));) {
            const size_t pair = pair_of(metric->id);
            add_unit(r, pair < PAIRS ? seen[pairs[pair].unit].unit : metric->id, counters_share(c, metric),
                     pair < PAIRS ? &seen[pairs[pair].unit] : NULL);
        }
    const double l2_bytes_per_s = counters_value(c, "l2_bytes") * 1e9 / counters_value(c, "duration");
    add_unit(r, seen[SAMPLED_L2].unit, l2_bytes_per_s / counters_value(c, "peak_l2"), &seen[SAMPLED_L2]);
}

/* Launches that differ are not those that the samples met. */
static void hold_against_samples(struct kernel_replay *r)
{
    for (int64_t i = 0; i < r->unit_count && strcmp(r->reason, "launches_differ") != 0; i++) {
        const struct replay_unit *u = &r->units[i];
        const double off = fabs(u->share - u->sampled) - u->error;
        if (isnan(off))
            continue;
        r->largest_off = isnan(r->largest_off) ? 0 : r->largest_off;
        if (off > r->largest_off) {
            r->largest_off = off;
            r->off_unit = u->unit;
        }
    }
}

static void take_numbers(struct kernel_replay *r, const struct imported_launch *l, const struct bound *b)
{
    const struct metric *stall = counters_leading_stall(&l->counters);
    r->unit = b->unit;
    r->unit_share = b->unit_share;
    r->occupancy = counters_value(&l->counters, "achieved_occupancy");
    r->stall = stall ? stall->group : "";
    r->stall_share = stall ? counters_stall_share(&l->counters, stall) : (double)NAN;
    r->cause = b->cause;
    r->advice = b->advice;
}

/* The first launch that counts speaks for the others, if they come to the same. */
static void take_launch(struct kernel_replay *r, const struct imported_launch *l, const struct bound *b)
{
    const double duration_ns = duration_of(l);
    r->replayed_ns =
        r->launches ? r->replayed_ns + (duration_ns - r->replayed_ns) / (double)(r->launches + 1) : duration_ns;
    r->launches++;
    if (!took_as_long(r->window, duration_ns))
        return;
    if (!r->accepted++) {
        r->class_ = b->class_;
        r->bound_by = b->bound_by;
        r->reason = b->class_ == BOUND_INCONCLUSIVE ? "counters" : "";
        take_numbers(r, l, b);
    } else if (r->class_ != b->class_) {
        r->class_ = BOUND_INCONCLUSIVE;
        r->reason = "launches_differ";
    } else if (strcmp(r->bound_by, b->bound_by) != 0) {
        r->bound_by = ""; /* the class is that of all, its cause is not */
    }
    add_units(r, &l->counters);
}

static int add_rows(struct kernel_replays *r, struct kernel_windows *windows, const struct short_names *names,
                    struct err *e)
{
    struct replay_evidence *evidence = r->evidence;
    const struct imported_launches *list = &evidence->launches;
    r->items = calloc(list->count + 1, sizeof *r->items);
    if (!r->items)
        return err_memory(e);
    for (size_t i = 0; i < list->count; i++) {
        const struct imported_launch *l = &list->items[i];
        const bool is_new = !i || strcmp(l[-1].kernel, l->kernel) != 0 || strcmp(l[-1].grid, l->grid) != 0;
        struct kernel_replay *row = &r->items[r->count - !is_new];
        if (is_new) {
            *row = (struct kernel_replay){.reason = "durations_differ",
                                          .bound_by = "",
                                          .unit = "",
                                          .stall = "",
                                          .cause = "",
                                          .advice = "",
                                          .off_unit = "",
                                          .unit_share = NAN,
                                          .occupancy = NAN,
                                          .stall_share = NAN,
                                          .largest_off = NAN};
            if (!describe(row, l, &evidence->analysis.arena))
                return err_set(e, ERR_INPUT, "'%.100s' of metrics.csv is no grid and block", l->grid);
            row->window = find_window(windows, row, names);
            r->count++;
        }
        take_launch(row, l, &evidence->analysis.bounds.items[i]);
    }
    for (size_t i = 0; i < r->count; i++)
        hold_against_samples(&r->items[i]);
    return 0;
}

static int64_t time_of(const struct kernel_replay *r)
{
    return r->window ? r->window->total_ns : 0;
}

static int by_time(const void *left, const void *right)
{
    const struct kernel_replay *a = left, *b = right;
    if (time_of(a) != time_of(b))
        return time_of(a) > time_of(b) ? -1 : 1;
    return strcmp(a->kernel, b->kernel);
}

/* Rows of one kernel may be in several places of the table, as the program launches others in between. */
static int by_kernel(const void *left, const void *right)
{
    const struct imported_launch *a = left, *b = right;
    int order = strcmp(a->kernel, b->kernel);
    if (!order)
        order = strcmp(a->grid, b->grid);
    return order ? order
                 : (a->counters.first_row > b->counters.first_row) - (a->counters.first_row < b->counters.first_row);
}

/* ---- what follows ---- */

/* DRAM cannot reach its peak. */
static double headroom_of(const struct kernel_window *w, const struct kernel_replay *r)
{
    struct thresholds thresholds;
    thresholds_resolve(&thresholds, NULL, NULL);
    const double most = strcmp(r->unit, "dram") != 0 ? 1 : threshold(&thresholds, THRESHOLD_DRAM_CEILING);
    return (double)w->total_ns * fmax(0, 1 - r->unit_share / most);
}

/* Samples of the undisturbed program go before replays. */
static void complete_windows(struct kernel_replays *r, struct kernel_windows *windows, const struct short_names *names)
{
    for (size_t i = 0; i < r->count; i++) {
        const struct kernel_replay *row = &r->items[i];
        struct kernel_window *w = find_window(windows, row, names);
        if (!w || w->class_ != BOUND_INCONCLUSIVE || row->class_ == BOUND_INCONCLUSIVE)
            continue;
        w->class_ = row->class_;
        w->reason = "replayed";
        w->unit = row->unit;
        w->unit_share = row->unit_share;
        w->unit_error = NAN;
        w->headroom_ns = isnan(w->headroom_ns) ? headroom_of(w, row) : w->headroom_ns;
    }
}

static int judge(struct kernel_replays *r, const json_t *replay, struct kernel_windows *windows,
                 const struct short_names *names, struct err *e)
{
    struct replay_evidence *evidence = r->evidence;
    if (evidence->launches.count)
        qsort(evidence->launches.items, evidence->launches.count, sizeof *evidence->launches.items, by_kernel);
    add_facts(&evidence->launches, replay);
    int rc = counted_thresholds_resolve(&evidence->analysis, &evidence->launches, NULL, e);
    if (!rc)
        rc = bound_analyze_counted(&evidence->analysis, &evidence->launches, e);
    if (!rc)
        rc = add_rows(r, windows, names, e);
    if (rc)
        return rc;
    if (r->count)
        qsort(r->items, r->count, sizeof *r->items, by_time);
    complete_windows(r, windows, names);
    return 0;
}

int kernel_replays_measure(struct kernel_replays *r, const struct bundle *b, struct kernel_windows *windows,
                           const struct short_names *names, struct err *e)
{
    const json_t *replay = json_object_get(json_object_get(b->manifest, "capture"), "replay");
    if (!json_is_object(replay) || !table_rows(&b->tables[BUNDLE_METRICS]))
        return 0;
    r->evidence = calloc(1, sizeof *r->evidence);
    if (!r->evidence)
        return err_memory(e);
    imported_launches_init(&r->evidence->launches);
    analysis_init(&r->evidence->analysis, NULL);
    int rc = read_launches(&r->evidence->launches, &b->tables[BUNDLE_METRICS], e);
    return rc ? rc : judge(r, replay, windows, names, e);
}

void kernel_replays_release(struct kernel_replays *r)
{
    if (r->evidence) {
        analysis_release(&r->evidence->analysis);
        imported_launches_release(&r->evidence->launches);
    }
    free(r->evidence);
    free(r->items);
    *r = (struct kernel_replays){0};
}
