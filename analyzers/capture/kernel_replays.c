/* What do counters say of kernels whose launches were replayed? */
#include "analyzers/capture/kernel_replays.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/analyzer.h"
#include "analyzers/capture/traced_launches.h"
#include "analyzers/capture/window_bound.h"
#include "analyzers/counted_thresholds.h"
#include "core/base/count_of.h"
#include "core/base/demangle.h"
#include "core/base/launch_key.h"
#include "core/base/units.h"
#include "core/bundle/bundle_tables.h"
#include "core/run/imported_launches.h"

const char *const replay_metrics[REPLAY_METRICS] = {"bound", METRIC_NAME_L2_WRITES, METRIC_NAME_L2_ATOMICS,
                                                    METRIC_NAME_L2_REDUCTIONS};
enum { WRITING_METRICS = REPLAY_METRICS - 1 };
static const char *const *const writing_metrics = &replay_metrics[1];

/* What a sector of L2 may become in DRAM, whose accesses are no shorter. */
static const double dram_access_bytes = 64;

/* More than there are of any plan. */
enum { REPLAYED_MAX = 64 };

/* Of each launch, in the order of the table. */
struct replayed {
    size_t row; /* of its kernel */
    long number;
    double traced_ns;                        /* of the same launch in the trace; NAN: there is none */
    double written_sectors[WRITING_METRICS]; /* NAN: not counted */
    bool is_accepted;
};

struct replay_evidence {
    struct imported_launches launches;
    struct analysis analysis; /* points at the launches; its bounds are in their order */
    struct replayed of[REPLAYED_MAX];
};

/* ---- the counters ---- */

static struct imported_launch *add_launch(struct replay_evidence *evidence, const struct table *t, size_t row,
                                          struct err *e)
{
    struct imported_launches *list = &evidence->launches;
    if (list->count == REPLAYED_MAX) {
        err_set(e, ERR_INPUT, "metrics.csv has more than %d replayed launches", REPLAYED_MAX);
        return NULL;
    }
    struct imported_launch *l = ARRAY_PUSH(list);
    const uint32_t kernel = strtab_add(&list->texts, table_text(t, row, METRICS_KERNEL));
    const uint32_t shape = strtab_add(&list->texts, table_text(t, row, METRICS_SHAPE));
    if (!l || !kernel || !shape) {
        err_memory(e);
        return NULL;
    }
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
    struct replayed *of = &evidence->of[list->count - 1];
    *of = (struct replayed){.number = (long)table_number(t, row, METRICS_LAUNCH), .traced_ns = NAN};
    for (size_t i = 0; i < WRITING_METRICS; i++)
        of->written_sectors[i] = NAN;
    return l;
}

static void take_written(struct replayed *of, const char *metric, double sectors)
{
    for (size_t i = 0; i < WRITING_METRICS; i++)
        if (!strcmp(writing_metrics[i], metric))
            of->written_sectors[i] = sectors;
}

/* Before each pass CUPTI puts memory back. Lines that it wrote leave L2 while the kernel runs, so writes to DRAM are
 * counted that are not the kernel's. Its own it has made in L2 before. */
static void leave_out_what_was_put_back(struct counters *c, const struct replayed *of)
{
    double *share = &c->values[counters_index(metric_by_id(METRIC_DRAM_SHARE))],
           *written = &c->values[counters_index(metric_by_id(METRIC_DRAM_WRITE))];
    const double read = counters_value(c, METRIC_DRAM_READ);
    double own = 0;
    for (size_t i = 0; i < WRITING_METRICS; i++)
        own += dram_access_bytes * of->written_sectors[i];
    if (!(*written > own && read + own >= 0)) /* also where one was not counted */
        return;
    *share *= (read + own) / (read + *written);
    *written = own;
}

static bool is_same_launch(const struct table *t, size_t a, size_t b)
{
    return table_number(t, a, METRICS_LAUNCH) == table_number(t, b, METRICS_LAUNCH) &&
           !strcmp(table_text(t, a, METRICS_KERNEL), table_text(t, b, METRICS_KERNEL)) &&
           !strcmp(table_text(t, a, METRICS_SHAPE), table_text(t, b, METRICS_SHAPE));
}

/* The rows of a launch follow one another. */
static int read_launches(struct replay_evidence *evidence, const struct table *t, struct err *e)
{
    struct imported_launch *l = NULL;
    for (size_t row = 0; row < table_rows(t); row++) {
        const struct metric *metric = metric_by_name(table_text(t, row, METRICS_METRIC));
        if (!row || !is_same_launch(t, row - 1, row))
            l = add_launch(evidence, t, row, e);
        if (!l)
            return e->code;
        if (metric)
            l->counters.values[counters_index(metric)] = table_number(t, row, METRICS_VALUE);
        take_written(&evidence->of[evidence->launches.count - 1], table_text(t, row, METRICS_METRIC),
                     table_number(t, row, METRICS_VALUE));
    }
    for (size_t i = 0; i < evidence->launches.count; i++)
        leave_out_what_was_put_back(&evidence->launches.items[i].counters, &evidence->of[i]);
    return 0;
}

/* ---- what the device said of the kernels ---- */

static const json_t *facts_of(const json_t *kernels, const char *text)
{
    for (size_t i = 0; i < json_array_size(kernels) && i < REPLAYED_MAX; i++)
        if (!strcmp(json_get_text(json_array_get(kernels, i), "kernel", ""), text))
            return json_array_get(kernels, i);
    return NULL;
}

static double number_of(const json_t *facts, const char *name)
{
    const json_t *value = json_object_get(facts, name);
    return json_is_number(value) && json_number_value(value) > 0 ? json_number_value(value) : (double)NAN;
}

/* Grid and block are those of the text. */
static void add_facts(struct imported_launch *l, const struct launch_key *key, const char *text, const json_t *replay)
{
    const json_t *gpu = json_object_get(replay, "gpu");
    const json_t *facts = facts_of(json_object_get(replay, "kernels"), text);
    l->compute_capability = json_get_text(gpu, "compute_capability", "");
    l->sm_count = number_of(gpu, "sm_count");
    l->resource = (struct resource){.variant = "",
                                    .config = "",
                                    .kernel = l->kernel,
                                    .grid_blocks = (double)key->grid[0] * key->grid[1] * key->grid[2],
                                    .block_threads = (double)key->block[0] * key->block[1] * key->block[2],
                                    .registers = NAN,
                                    .shared_bytes = NAN,
                                    .local_bytes = NAN,
                                    .spill_bytes = NAN,
                                    .blocks_per_sm = number_of(facts, "blocks_per_sm"),
                                    .occupancy = number_of(facts, "occupancy"),
                                    .waves = number_of(facts, "waves"),
                                    .code_hash = ""};
}

/* ---- the rows ---- */

/* Names that are alike when they are demangled may be of two kernels. */
static struct kernel_window *find_window(const struct replay_witnesses *w, const struct kernel_replay *r)
{
    const struct strtab *symbols = event_stream_strings(w->stream);
    for (size_t i = 0; i < w->windows->kernel_count; i++) {
        struct kernel_window *k = &w->windows->kernels[i];
        if (!memcmp(k->grid, r->grid, sizeof k->grid) && !memcmp(k->block, r->block, sizeof k->block) &&
            !strcmp(strtab_text(symbols, k->symbol), r->symbol))
            return k;
    }
    return NULL;
}

static void init_row(struct kernel_replay *row, const struct imported_launch *l, const struct launch_key *key,
                     struct arena *arena)
{
    struct str name;
    str_init(&name);
    demangle_full(&name, l->kernel);
    *row = (struct kernel_replay){.symbol = l->kernel,
                                  .kernel = arena_copy(arena, str_text(&name)),
                                  .bound_by = "",
                                  .unit = "",
                                  .stall = "",
                                  .cause = "",
                                  .advice = "",
                                  .replayed_ns = NAN,
                                  .traced_ns = NAN,
                                  .unit_share = NAN,
                                  .busiest_share = NAN,
                                  .dram_share = NAN,
                                  .occupancy = NAN,
                                  .stall_share = NAN};
    for (int i = 0; i < 3; i++) {
        row->grid[i] = key->grid[i];
        row->block[i] = key->block[i];
    }
    str_release(&name);
}

static size_t row_of(struct kernel_replays *r, const struct imported_launch *l, const struct launch_key *key,
                     const struct replay_witnesses *w)
{
    struct kernel_replay one;
    init_row(&one, l, key, &r->evidence->analysis.arena);
    for (size_t i = 0; i < r->count; i++)
        if (!memcmp(r->items[i].grid, one.grid, sizeof one.grid) &&
            !memcmp(r->items[i].block, one.block, sizeof one.block) && !strcmp(r->items[i].symbol, one.symbol))
            return i;
    one.window = find_window(w, &one);
    r->items[r->count] = one;
    return r->count++;
}

static double traced_ns_of(const struct traced_launches *t, const char *text, long number)
{
    const struct traced_kernel *k = traced_launches_find(t, text);
    return k && number >= 0 && (size_t)number < k->count
               ? (double)t->launches.items[k->first + (size_t)number].duration_ns
               : (double)NAN;
}

static int make_rows(struct kernel_replays *r, const json_t *replay, const struct traced_launches *t,
                     const struct replay_witnesses *w, struct err *e)
{
    struct imported_launches *list = &r->evidence->launches;
    struct launch_key key;
    struct str text;
    int rc = 0;
    str_init(&text);
    for (size_t i = 0; i < list->count && !rc; i++) {
        struct imported_launch *l = &list->items[i];
        struct replayed *of = &r->evidence->of[i];
        str_clear(&text);
        str_addf(&text, "%s %s", l->grid, l->kernel);
        if (!launch_key_read(&key, str_text(&text))) {
            rc = err_set(e, ERR_INPUT, "'%.100s' of metrics.csv is no grid and block", l->grid);
            break;
        }
        add_facts(l, &key, str_text(&text), replay);
        of->row = row_of(r, l, &key, w);
        of->traced_ns = traced_ns_of(t, str_text(&text), of->number);
    }
    str_release(&text);
    return rc;
}

/* ---- units by both witnesses ---- */

/* Units whose samples and counters count the same; that of L2 is made from its bytes. */
static const struct {
    const char *metric;
    enum sampled_unit_id unit;
} pairs[] = {{METRIC_TENSOR_SHARE, SAMPLED_TENSOR}, {METRIC_ISSUE_SHARE, SAMPLED_ISSUE},
             {METRIC_XU_SHARE, SAMPLED_XU},         {METRIC_DRAM_SHARE, SAMPLED_DRAM},
             {METRIC_FP64_SHARE, SAMPLED_FP64},     {METRIC_SHARED_SHARE, SAMPLED_SHARED},
             {METRIC_L2_BYTES, SAMPLED_L2}};

static const struct window_unit *sampled_as(const struct kernel_window *w, const char *metric)
{
    for (size_t i = 0; i < COUNT_OF(pairs); i++)
        if (!strcmp(pairs[i].metric, metric))
            return &w->units[pairs[i].unit];
    return NULL;
}

/* Adds to the mean of the replays that count; the first of them says which units there are. */
static void add_unit(struct kernel_replay *r, const char *metric, double share)
{
    const struct window_unit *seen = sampled_as(r->window, metric);
    if (isnan(share) || r->unit_count == REPLAY_UNITS_MAX)
        return;
    for (int64_t i = 0; i < r->unit_count; i++)
        if (!strcmp(r->units[i].unit, metric)) {
            r->units[i].share += (share - r->units[i].share) / (double)r->accepted;
            return;
        }
    if (r->accepted == 1)
        r->units[r->unit_count++] = (struct replay_unit){.unit = metric,
                                                         .share = share,
                                                         .of_sample = seen ? seen->unit : "",
                                                         .sampled = seen ? seen->share : (double)NAN,
                                                         .error = seen ? seen->error : (double)NAN};
}

static void add_units(struct kernel_replay *r, const struct counters *c)
{
    static const enum metric_role sides[] = {METRIC_COMPUTE, METRIC_MEMORY};
    const struct metric *metric;
    for (size_t side = 0; side < 2; side++)
        for (size_t at = 0; (metric = counters_next_unit(sides[side], &at));)
            add_unit(r, metric->id, counters_share(c, metric));
    const double l2_bytes_per_s = counters_value(c, METRIC_L2_BYTES) * 1e9 / counters_value(c, METRIC_DURATION);
    add_unit(r, METRIC_L2_BYTES, l2_bytes_per_s / counters_value(c, METRIC_PEAK_L2));
}

/* L2 and DRAM have clocks of their own. A program that works hard makes SMs slower, so that a launch takes longer in it
 * than alone in a replay: then they are less busy with the same bytes. */
static double share_in_trace(const struct kernel_replay *r, const struct replay_unit *u)
{
    const bool has_own_clock = !strcmp(u->unit, METRIC_L2_BYTES) || !strcmp(u->unit, METRIC_DRAM_SHARE);
    return has_own_clock && r->traced_ns > 0 ? u->share * r->replayed_ns / r->traced_ns : u->share;
}

/* An error is what 5 of 100 shares are off by; twice that is a contradiction. */
static void hold_against_samples(struct kernel_replay *r)
{
    double most = 2;
    for (int64_t i = 0; i < r->unit_count; i++) {
        struct replay_unit *u = &r->units[i];
        u->in_trace = share_in_trace(r, u);
        const double errors = fabs(u->in_trace - u->sampled) / u->error;
        if (errors > most) { /* never for NAN */
            most = errors;
            r->odd = u;
        }
    }
}

/* ---- what follows ---- */

static double add_to_mean(double mean, double value, int64_t count)
{
    return count == 1 ? value : mean + (value - mean) / (double)count;
}

static void take_numbers(struct kernel_replay *r, const struct imported_launch *l, const struct bound *b)
{
    const struct metric *stall = counters_leading_stall(&l->counters);
    r->class_ = b->class_;
    r->bound_by = b->bound_by;
    r->unit = b->unit;
    r->unit_share = b->unit_share;
    r->busiest_share = fmax(b->compute_share, b->memory_share);
    r->dram_share = counters_share(&l->counters, metric_by_id(METRIC_DRAM_SHARE));
    r->occupancy = counters_value(&l->counters, METRIC_ACHIEVED_OCCUPANCY);
    r->stall = stall ? stall->group : "";
    r->stall_share = stall ? counters_stall_share(&l->counters, stall) : (double)NAN;
    r->cause = b->cause;
    r->advice = b->advice;
}

/* What was launched on another GPU, or behind records that are lost, is not what the trace has. */
static void take_launch(struct kernel_replays *r, size_t i)
{
    struct replayed *of = &r->evidence->of[i];
    const struct imported_launch *l = &r->evidence->launches.items[i];
    const struct bound *b = &r->evidence->analysis.bounds.items[i];
    struct kernel_replay *row = &r->items[of->row];
    const double duration_ns = counters_value(&l->counters, METRIC_DURATION);
    row->launches++;
    of->is_accepted = row->window && traced_launches_are_alike(of->traced_ns, duration_ns);
    if (!of->is_accepted)
        return;
    row->accepted++;
    row->replayed_ns = add_to_mean(row->replayed_ns, duration_ns, row->accepted);
    row->traced_ns = add_to_mean(row->traced_ns, of->traced_ns, row->accepted);
    add_units(row, &l->counters);
    if (row->accepted == 1)
        take_numbers(row, l, b);
    else if (row->class_ != b->class_)
        row->reason = REPLAY_LAUNCHES_DIFFER;
    else if (strcmp(row->bound_by, b->bound_by) != 0)
        row->bound_by = ""; /* the class is that of all, its cause is not */
}

/* Does a replay that counts stand for each launch that was chosen? */
static bool are_all_represented(const struct kernel_replays *r, const struct kernel_replay *row,
                                const struct traced_launches *t, struct err *e)
{
    size_t numbers[LAUNCHES_CHOSEN_MAX];
    struct str text;
    const uint32_t grid[] = {(uint32_t)row->grid[0], (uint32_t)row->grid[1], (uint32_t)row->grid[2]};
    const uint32_t block[] = {(uint32_t)row->block[0], (uint32_t)row->block[1], (uint32_t)row->block[2]};
    str_init(&text);
    launch_key_add(&text, grid, block, row->symbol);
    const struct traced_kernel *k = traced_launches_find(t, str_text(&text));
    const size_t count = k ? traced_launches_choose(t, k, numbers, e) : 0;
    bool are_all = count > 0;
    for (size_t n = 0; n < count && are_all; n++) {
        const double traced_ns = (double)t->launches.items[k->first + numbers[n]].duration_ns;
        are_all = false;
        for (size_t i = 0; i < r->evidence->launches.count && !are_all; i++) {
            const struct replayed *of = &r->evidence->of[i];
            are_all =
                &r->items[of->row] == row && of->is_accepted && traced_launches_are_alike(of->traced_ns, traced_ns);
        }
    }
    str_release(&text);
    return are_all;
}

/* What each kind of launch came to: "memory-bound at 32.0 us, compute-bound at 177 us". */
static const char *kinds_of(const struct kernel_replays *r, const struct kernel_replay *row)
{
    struct str text;
    str_init(&text);
    for (size_t i = 0; i < r->evidence->launches.count; i++) {
        const struct replayed *of = &r->evidence->of[i];
        char length[UNITS_TEXT_BYTES];
        if (&r->items[of->row] == row && of->is_accepted)
            str_addf(&text, "%s%s at %s", text.length ? ", " : "",
                     bound_class_name(r->evidence->analysis.bounds.items[i].class_),
                     unit_format(length, UNIT_NS, of->traced_ns));
    }
    const char *kinds =
        arena_printf(&r->evidence->analysis.arena, "launches of this kernel are unlike: %s", str_text(&text));
    str_release(&text);
    return kinds;
}

/* Nothing is said of the kernel as a whole. */
static void forget_numbers(struct kernel_replay *row)
{
    row->unit = row->bound_by = row->stall = row->advice = "";
    row->unit_share = row->busiest_share = row->dram_share = row->occupancy = row->stall_share = NAN;
}

static enum kernel_replay_reason doubt_of(const struct kernel_replay *row, const json_t *replay,
                                          const struct replay_witnesses *w)
{
    const char *uuid = json_get_text(json_object_get(replay, "gpu"), "uuid", "");
    return !w->is_whole                                              ? REPLAY_RECORDS_MISSING
           : *uuid && *w->gpu_uuid && strcmp(uuid, w->gpu_uuid) != 0 ? REPLAY_OTHER_GPU
           : !row->accepted                                          ? REPLAY_DURATIONS_DIFFER
           : row->window->communicates                               ? REPLAY_LINKS_NOT_COUNTED
                                                                     : REPLAY_NO_REASON;
}

static void conclude_row(struct kernel_replays *r, struct kernel_replay *row, const json_t *replay,
                         const struct traced_launches *t, const struct replay_witnesses *w, struct err *e)
{
    enum kernel_replay_reason doubt = doubt_of(row, replay, w);
    if (!doubt && !row->reason && !are_all_represented(r, row, t, e))
        doubt = REPLAY_LAUNCHES_MISSING;
    if (!doubt && !row->reason)
        hold_against_samples(row);
    if (doubt)
        row->reason = doubt;
    else if (!row->reason && row->class_ == BOUND_INCONCLUSIVE)
        row->reason = REPLAY_COUNTERS;
    else if (!row->reason && row->odd)
        row->reason = REPLAY_SAMPLES_DIFFER;
    if (row->reason == REPLAY_LAUNCHES_DIFFER)
        row->cause = kinds_of(r, row);
    if (row->reason)
        row->class_ = BOUND_INCONCLUSIVE;
    if (doubt || row->reason == REPLAY_LAUNCHES_DIFFER)
        forget_numbers(row);
    if (doubt)
        row->cause = "";
}

static void take_class(struct kernel_window *k, const struct kernel_replay *row)
{
    k->class_ = row->class_;
    k->reason = WINDOW_REPLAYED;
    k->unit = row->unit;
    k->unit_share = row->unit_share;
    k->unit_error = NAN;
    k->busiest_share = row->busiest_share;
}

/* Samples of the undisturbed program go before replays. Where a busy unit has given them a class and others are not
 * known, replays of the same class say what the busiest of all leaves. */
static void complete_windows(const struct kernel_replays *r, const struct replay_witnesses *w)
{
    struct thresholds thresholds;
    thresholds_resolve(&thresholds, NULL, NULL);
    for (size_t i = 0; i < r->count; i++) {
        const struct kernel_replay *row = &r->items[i];
        struct kernel_window *k = find_window(w, row);
        if (!k || row->class_ == BOUND_INCONCLUSIVE)
            continue;
        if (k->class_ == BOUND_INCONCLUSIVE)
            take_class(k, row);
        if (isfinite(k->headroom_ns) || k->class_ != row->class_)
            continue;
        const double headroom_ns = window_headroom_ns(k, &thresholds, row->busiest_share, row->dram_share);
        if (isfinite(headroom_ns)) /* fmin leaves a NAN out */
            k->headroom_ns = k->headroom_most_ns = fmin(headroom_ns, k->headroom_most_ns);
    }
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
    return strcmp(a->symbol, b->symbol);
}

static int judge(struct kernel_replays *r, const json_t *replay, const struct traced_launches *t,
                 const struct replay_witnesses *w, struct err *e)
{
    struct replay_evidence *evidence = r->evidence;
    struct err failed = {0};
    int rc = make_rows(r, replay, t, w, e);
    if (!rc)
        rc = counted_thresholds_resolve(&evidence->analysis, &evidence->launches, NULL, e);
    if (!rc)
        rc = bound_analyze_counted(&evidence->analysis, &evidence->launches, e);
    if (rc)
        return rc;
    for (size_t i = 0; i < evidence->launches.count; i++)
        take_launch(r, i);
    for (size_t i = 0; i < r->count; i++)
        conclude_row(r, &r->items[i], replay, t, w, &failed);
    if (failed.code)
        return err_memory(e);
    complete_windows(r, w);
    if (r->count)
        qsort(r->items, r->count, sizeof *r->items, by_time);
    return 0;
}

int kernel_replays_measure(struct kernel_replays *r, const struct table *metrics, const json_t *replay,
                           const struct replay_witnesses *w, struct err *e)
{
    struct traced_launches traced = {0};
    if (!table_rows(metrics))
        return 0;
    r->evidence = calloc(1, sizeof *r->evidence);
    r->items = calloc(REPLAYED_MAX, sizeof *r->items);
    if (!r->evidence || !r->items)
        return err_memory(e);
    imported_launches_init(&r->evidence->launches);
    analysis_init(&r->evidence->analysis, NULL);
    int rc = read_launches(r->evidence, metrics, e);
    if (!rc)
        rc = traced_launches_read(&traced, w->stream, e);
    if (!rc)
        rc = judge(r, replay, &traced, w, e);
    traced_launches_release(&traced);
    return rc;
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
