/* What is there to say about one capture? */
#include "analyzers/capture/capture_facts.h"
#include "analyzers/capture/steady_begin.h"
#include "core/bundle/bundle_open.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/count_sum.h"
#include "core/trace/stream_scope.h"

static int64_t sum_members(const json_t *object)
{
    int64_t sum = 0;
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)object, key, value)
        count_add(&sum, json_integer_value(value));
    return sum;
}

static void add_cost(struct capture_cost *cost, const json_t *report)
{
    const json_t *collector = json_object_get(report, "collector");
    count_add(&cost->cpu_ns, json_get_integer(collector, "cpu_ns", 0));
    count_add(&cost->cpu_ns, json_get_integer(collector, "callbacks_ns", 0));
    count_add(&cost->records, json_get_integer(collector, "records", 0));
    count_add(&cost->bytes, json_get_integer(collector, "trace_bytes", 0));
    count_add(&cost->filtered, json_get_integer(collector, "filtered", 0));
    count_add(&cost->dropped, sum_members(json_object_get(report, "dropped")));
    cost->unended += report && strcmp(json_get_text(report, "state", ""), "ended") != 0;
}

static void sum_costs(struct capture_facts *f)
{
    f->cost.wall_ns = json_get_integer(json_object_get(f->bundle.manifest, "capture"), "wall_ns", 0);
    for (size_t i = 0; i < f->map.processes.count; i++)
        add_cost(&f->cost, f->map.processes.items[i].report);
}

static bool has_work(const struct capture_facts *f)
{
    return f->gaps.operations || f->statistics.gpu_count;
}

bool capture_facts_is_damaged(const struct capture_facts *f)
{
    return caveat_has(event_stream_caveats(f->stream), CAVEAT_TRUNCATED);
}

/* What was recorded is not what is there: nothing follows about what the program did. */
static int note_damage(struct capture_facts *f, struct err *e)
{
    if (capture_facts_is_damaged(f) && !has_work(f))
        str_addf(&f->damage, "no GPU work can be read, as the %s is damaged: %s", f->is_foreign ? "trace" : "capture",
                 caveat_first(event_stream_caveats(f->stream), CAVEAT_TRUNCATED));
    return f->damage.failed ? err_memory(e) : 0;
}

static void init(struct capture_facts *f)
{
    *f = (struct capture_facts){0};
    str_init(&f->damage);
    bundle_init(&f->bundle);
    short_names_init(&f->names);
}

int capture_facts_open(struct capture_facts *f, const char *path, const char *comm, struct err *e)
{
    struct bundle b;
    init(f);
    bundle_init(&b);
    int rc = bundle_begin(&b, path, e);
    if (!rc)
        rc = capture_facts_open_begun(f, &b, comm, e);
    bundle_release(&b);
    return rc;
}

/* Launches alone have no timeline: what looks idle in them may be a copy. */
static int measure_stream(struct capture_facts *f, const char *comm, struct err *e)
{
    const struct stream_scope all = {.comm = comm};
    int rc = event_stream_scope(f->stream, &all, e);
    if (!rc)
        rc = trace_statistics_measure(f->stream, STATISTICS_BY_NAME, NAMES_SHORT, &f->names, &f->statistics, e);
    if (!rc && !event_stream_is_launches_only(f->stream))
        rc = idle_gaps_measure(f->stream, &f->gaps, e);
    return rc ? rc : note_damage(f, e);
}

int capture_facts_open_begun(struct capture_facts *f, struct bundle *begun, const char *comm, struct err *e)
{
    init(f);
    bundle_move(&f->bundle, begun);
    f->path = f->bundle.path;
    int rc = bundle_open_begun(&f->bundle, e);
    if (!rc)
        rc = capture_map_make(&f->map, &f->bundle, e);
    if (!rc)
        rc = event_stream_open_sampled(&f->stream, &f->bundle, &f->samples, e);
    if (rc)
        return rc;
    sum_costs(f);
    return measure_stream(f, comm, e);
}

int capture_facts_open_trace(struct capture_facts *f, const char *path, const char *comm, struct err *e)
{
    init(f);
    f->is_foreign = true;
    f->path = path;
    const int rc = event_stream_open_with_scopes(&f->stream, path, e);
    return rc ? rc : measure_stream(f, comm, e);
}

static int add_times(struct capture_facts *f, struct err *e)
{
    f->times = calloc(f->gaps.count + 1, sizeof *f->times);
    if (!f->times)
        return err_memory(e);
    for (size_t i = 0; i < f->gaps.count; i++)
        f->times[i] = device_time_of(&f->gaps.items[i], &f->sets, &f->query, &f->timeline);
    return 0;
}

bool capture_facts_asked_for_samples(const struct capture_facts *f)
{
    const json_t *scope = json_object_get(json_object_get(f->bundle.manifest, "capture"), "scope");
    return json_is_integer(json_object_get(scope, "sample_ns"));
}

bool capture_facts_is_whole(const struct capture_facts *f)
{
    const struct caveat_list *caveats = event_stream_caveats(f->stream);
    return !caveat_has(caveats, CAVEAT_TRUNCATED) && !caveat_has(caveats, CAVEAT_WEAKENS) &&
           !caveat_has(caveats, CAVEAT_TIMES);
}

const json_t *capture_facts_replay(const struct capture_facts *f)
{
    const json_t *replay = json_object_get(json_object_get(f->bundle.manifest, "capture"), "replay");
    return json_is_object(replay) ? replay : NULL;
}

/* The GPU that ran the kernels of a capture with replays, of which there is one. */
static const char *gpu_uuid(const struct capture_facts *f)
{
    return f->map.gpus.count == 1 ? json_get_text(f->map.gpus.items[0].about, "uuid", "") : "";
}

static int measure_windows(struct capture_facts *f, struct err *e)
{
    const json_t *replay = capture_facts_replay(f);
    if (!f->samples.count && !replay)
        return 0;
    const struct replay_witnesses witnesses = {.stream = f->stream,
                                               .windows = &f->windows,
                                               .names = &f->names,
                                               .gpu_uuid = gpu_uuid(f),
                                               .is_whole = capture_facts_is_whole(f)};
    const int rc = kernel_windows_measure(&f->windows, f->stream, &f->samples, &f->names, witnesses.is_whole, e);
    return rc || !replay
               ? rc
               : kernel_replays_measure(&f->replays, &f->bundle.tables[BUNDLE_METRICS], replay, &witnesses, e);
}

/* That its kernels were delayed is a caveat for everybody else. */
static bool is_whole_but_delayed(const struct capture_facts *f)
{
    const struct caveat_list *caveats = event_stream_caveats(f->stream);
    size_t weaken = 0;
    for (size_t i = 0; i < caveats->count; i++)
        weaken += caveats->items[i].kind == CAVEAT_WEAKENS;
    return !caveat_has(caveats, CAVEAT_TRUNCATED) && !caveat_has(caveats, CAVEAT_TIMES) && weaken <= 1;
}

/* What a delayed program waited for are delays. */
static int measure_dependencies(struct capture_facts *f, struct err *e)
{
    const bool is_whole = capture_facts_is_whole(f) && !f->cost.filtered;
    const int rc = dependencies_measure(&f->dependencies, f->stream, is_whole, &f->names, e);
    return rc || f->causal.count ? rc : program_gains_make(&f->gain, &f->windows, &f->names, NULL, &f->dependencies, e);
}

static int measure_causal(struct capture_facts *f, struct err *e)
{
    const json_t *asked = json_object_get(json_object_get(f->bundle.manifest, "capture"), "causal");
    return causal_measure(&f->causal, f->stream, asked, is_whole_but_delayed(f), &f->names, e);
}

int capture_facts_measure(struct capture_facts *f, struct err *e)
{
    int rc = kernel_launch_costs_measure(f->stream, NAMES_SHORT, &f->names, &f->launches, e);
    if (!rc)
        rc = span_statistics_measure(f->stream, &f->spans, e);
    if (!rc)
        rc = class_sets_init(&f->sets, &f->query, e);
    if (!rc)
        rc = event_stream_rewind(f->stream, e);
    if (!rc)
        rc = timeline_measure(f->stream, &f->query, &f->timeline, e);
    if (!rc)
        rc = owner_times_measure(&f->owners, f->stream, e);
    if (!rc)
        rc = program_steps_measure(&f->steps, f->stream, e);
    if (!rc)
        rc = steady_begin_find(f->stream, &f->steady_begin_ns, e);
    if (!rc)
        rc = measure_windows(f, e);
    if (!rc)
        rc = measure_causal(f, e);
    if (!rc)
        rc = measure_dependencies(f, e);
    return rc ? rc : add_times(f, e);
}

/* The names of the first GPUs; "" where there is none. */
static const char *gpu_name(const struct capture_facts *f)
{
    return f->map.gpus.count ? json_get_text(f->map.gpus.items[0].about, "name", "") : "";
}

static const char *program_of(const struct capture_facts *f)
{
    return json_get_text(json_object_get(f->bundle.manifest, "capture"), "program", "");
}

static int check_causal(const struct capture_facts *f, const struct capture_facts *causal, struct err *e)
{
    const char *path = causal->bundle.path;
    if (capture_facts_is_damaged(causal))
        return err_set(e, ERR_INPUT, "'%s' is damaged: %.300s", path,
                       caveat_first(event_stream_caveats(causal->stream), CAVEAT_TRUNCATED));
    if (!causal->causal.count)
        return err_set(e, ERR_USAGE, "'%s' is no capture of profile --causal: its kernels were not delayed", path);
    if (strcmp(program_of(f), program_of(causal)) != 0)
        return err_set(e, ERR_INPUT,
                       "'%s' is a capture of '%.100s', and '%s' one of '%.100s': both must be of one program", path,
                       program_of(causal), f->bundle.path, program_of(f));
    if (strcmp(gpu_name(f), gpu_name(causal)) != 0)
        return err_set(e, ERR_INPUT,
                       "'%s' was recorded on '%.100s', and '%s' on '%.100s': both must be of one kind of GPU", path,
                       gpu_name(causal), f->bundle.path, gpu_name(f));
    return 0;
}

int capture_facts_join_causal(struct capture_facts *f, const char *path, struct err *e)
{
    f->causal_run = calloc(1, sizeof *f->causal_run);
    if (!f->causal_run)
        return err_memory(e);
    int rc = capture_facts_open(f->causal_run, path, event_stream_comm(f->stream), e);
    if (!rc)
        rc = capture_facts_measure(f->causal_run, e);
    if (!rc)
        rc = check_causal(f, f->causal_run, e);
    if (rc)
        return rc;
    program_gains_release(&f->gain);
    return program_gains_make(&f->gain, &f->windows, &f->names, &f->causal_run->causal, &f->dependencies, e);
}

void capture_facts_release(struct capture_facts *f)
{
    owner_times_release(&f->owners);
    program_steps_release(&f->steps);
    program_gains_release(&f->gain);
    if (f->causal_run)
        capture_facts_release(f->causal_run);
    free(f->causal_run);
    dependencies_release(&f->dependencies);
    causal_release(&f->causal);
    kernel_replays_release(&f->replays);
    kernel_windows_release(&f->windows);
    gpu_samples_release(&f->samples);
    free(f->times);
    timeline_release(&f->timeline);
    class_sets_release(&f->sets);
    span_statistics_release(&f->spans);
    kernel_launch_costs_release(&f->launches);
    idle_gaps_release(&f->gaps);
    trace_statistics_release(&f->statistics);
    short_names_release(&f->names);
    event_stream_free(f->stream);
    capture_map_release(&f->map);
    bundle_release(&f->bundle);
    str_release(&f->damage);
}

static bool is_limited(const json_t *scope)
{
    return json_is_string(json_object_get(scope, "range")) || json_is_string(json_object_get(scope, "when")) ||
           json_is_string(json_object_get(scope, "kernels")) || json_is_false(json_object_get(scope, "from_start")) ||
           json_is_integer(json_object_get(scope, "delay_ms")) ||
           json_is_integer(json_object_get(scope, "duration_ms"));
}

static bool is_any_missing(const struct capture_map *m)
{
    for (size_t i = 0; i < m->processes.count; i++)
        if (json_array_size(json_object_get(m->processes.items[i].report, "missing")))
            return true;
    return false;
}

/* Every process that says what its condition was about has recorded nothing. */
static bool never_held(const struct capture_map *m)
{
    bool has_condition = false;
    for (size_t i = 0; i < m->processes.count; i++) {
        const json_t *when = json_object_get(m->processes.items[i].report, "when");
        if (json_array_size(json_object_get(when, "recorded")))
            return false;
        has_condition |= when != NULL;
    }
    return has_condition;
}

const char *capture_facts_nothing(const struct capture_facts *f)
{
    const json_t *capture = json_object_get(f->bundle.manifest, "capture");
    if (has_work(f))
        return NULL;
    if (f->damage.length)
        return str_text(&f->damage);
    if (f->is_foreign)
        return "no GPU work: the trace holds no kernel, copy or memset";
    if (!f->map.processes.count && json_is_false(json_object_get(capture, "driver")))
        return "no CUDA call was seen: this machine has no NVIDIA driver (libcuda.so.1 does not load; 'cpprof doctor' says "
               "what is missing)";
    if (!f->map.processes.count)
        return "no CUDA call was seen: the program made none, or made them where the collector is not loaded (another "
               "machine, another user, a process that clears its environment)";
    if (f->cost.dropped)
        return "no GPU work was recorded: all of its records were dropped";
    if (is_any_missing(&f->map))
        return "no GPU work was recorded: the collector could not record, see the reasons";
    if (never_held(&f->map))
        return "no GPU work was recorded: the condition of --when never held";
    if (is_limited(json_object_get(capture, "scope")))
        return "no GPU work was recorded: what was asked for (range, condition, start, kernels, delay, duration) never came";
    if (f->cost.unended)
        return "no GPU work was recorded: a process ended before its records were on disk; a shorter --flush-period "
               "leaves less to lose";
    return "no GPU work: the program started CUDA, but no kernel, copy or memset";
}
