/* What did a traced process of a program do, and how long did each iteration take?
 * One pass finds the occurrences of the range, a second one the calls in them
 * (launch_index.h), a third one goes through the work. */
#define _GNU_SOURCE
#include "analyzers/capture/program_samples.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/str.h"
#include "core/run/kernel_choice.h"
#include "core/run/launch_form.h"
#include "core/run/launch_groups.h"
#include "core/trace/event_work.h"
#include "core/trace/launch_index.h"
#include "core/trace/range_name.h"
#include "core/trace/range_occurrences.h"
#include "core/trace/selector.h"

/* One chosen operation. */
struct chosen {
    int64_t start_ns, end_ns;
    uint64_t bytes;
    size_t sample; /* which occurrence; for kernels set afterwards */
    size_t work;   /* index into work */
    size_t group;  /* of a kernel, set afterwards */
    uint32_t form; /* of a kernel: id in `strings` of the samples */
    int16_t rank;
};

/* Time in which any work runs, with all that ran before it. */
struct busy_span {
    int64_t start_ns, end_ns, before_ns;
};

enum match { MATCH_UNKNOWN, MATCH_NO, MATCH_YES };

struct sampling {
    struct program_samples *out;
    const struct work_choice *choice;
    struct event_stream *stream;
    const struct strtab *names;   /* of the stream */
    struct kernel_choice kernels; /* when kernels are chosen */
    unsigned char *matches;       /* enum match, by name id */
    size_t *work_of_name;         /* index + 1 of a kernel, by name id */
    bool *takes;                  /* by name id: could be the range */
    struct range_occurrences occurrences;
    struct launch_index *calls;
    struct {
        struct chosen *items;
        size_t count, capacity;
    } chosen;
    struct {
        struct busy_span *items;
        size_t count, capacity;
    } busy;
};

void program_samples_init(struct program_samples *s)
{
    *s = (struct program_samples){0};
    strtab_init(&s->strings);
}

void program_samples_release(struct program_samples *s)
{
    free(s->items);
    free(s->work.items);
    free(s->groups.items);
    strtab_release(&s->strings);
    program_samples_init(s);
}

/* ---- all work, by name ---- */

static struct program_work *find_by_name(struct program_samples *out, const char *name)
{
    for (size_t i = 0; i < out->work.count; i++)
        if (!out->work.items[i].is_kernel && !strcmp(out->work.items[i].name, name))
            return &out->work.items[i];
    return NULL;
}

static struct program_work *add_work(struct sampling *s, const char *name, bool is_kernel)
{
    const uint32_t id = strtab_add(&s->out->strings, name);
    struct program_work *work = id ? ARRAY_PUSH(&s->out->work) : NULL;
    if (work)
        *work = (struct program_work){.name = strtab_text(&s->out->strings, id), .is_kernel = is_kernel};
    return work;
}

static struct program_work *work_of(struct sampling *s, const struct cpprof_event *event)
{
    if (event->kind != CPPROF_EVENT_KERNEL) {
        const char *name = event_transfer_name(event);
        struct program_work *known = find_by_name(s->out, name);
        return known ? known : add_work(s, name, false);
    }
    const uint32_t id = event->name <= strtab_count(s->names) ? event->name : 0;
    if (!s->work_of_name[id]) {
        if (!add_work(s, strtab_text(s->names, id), true))
            return NULL;
        s->work_of_name[id] = s->out->work.count;
    }
    return &s->out->work.items[s->work_of_name[id] - 1];
}

static int64_t clamp(uint64_t value)
{
    return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

/* -1 once two launches differ. */
static void merge_size(int64_t *have, uint64_t value, bool is_first)
{
    if (is_first)
        *have = clamp(value);
    else if (*have != clamp(value))
        *have = -1;
}

static void add_sizes(struct program_work *work, const struct cpprof_event *event)
{
    const bool is_first = work->chosen_count == 0;
    const uint64_t blocks = (uint64_t)event->grid[0] * event->grid[1] % (1ull << 62) * event->grid[2];
    merge_size(&work->grid_blocks, blocks, is_first);
    merge_size(&work->block_threads, (uint64_t)event->block[0] * event->block[1] * event->block[2], is_first);
    merge_size(&work->registers, event->registers, is_first);
    merge_size(&work->shared_bytes, (uint64_t)event->shared_static_bytes + event->shared_dynamic_bytes, is_first);
    merge_size(&work->local_bytes, event->local_bytes, is_first);
}

static int64_t add_ns(int64_t sum_ns, int64_t start_ns, int64_t end_ns)
{
    int64_t length_ns;
    if (__builtin_sub_overflow(end_ns, start_ns, &length_ns) || length_ns < 0 ||
        __builtin_add_overflow(sum_ns, length_ns, &sum_ns))
        return INT64_MAX;
    return sum_ns;
}

/* ---- when any work runs ---- */

static int add_busy(struct sampling *s, const struct cpprof_event *event, struct err *e)
{
    struct busy_span *last = s->busy.count ? &s->busy.items[s->busy.count - 1] : NULL;
    if (last && event->start_ns <= last->end_ns) {
        if (event->end_ns > last->end_ns)
            last->end_ns = event->end_ns;
        return 0;
    }
    const int64_t before_ns = last ? add_ns(last->before_ns, last->start_ns, last->end_ns) : 0;
    struct busy_span *span = ARRAY_PUSH(&s->busy);
    if (!span)
        return err_memory(e);
    *span = (struct busy_span){event->start_ns, event->end_ns, before_ns};
    return 0;
}

/* Busy time before that moment. */
static int64_t busy_until(const struct sampling *s, int64_t time_ns)
{
    size_t low = 0, high = s->busy.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (s->busy.items[middle].start_ns <= time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return 0;
    const struct busy_span *span = &s->busy.items[low - 1];
    return add_ns(span->before_ns, span->start_ns, time_ns < span->end_ns ? time_ns : span->end_ns);
}

/* ---- the choice ---- */

static bool name_matches(struct sampling *s, uint32_t id)
{
    if (!id || id > strtab_count(s->names))
        return false;
    if (s->matches[id] == MATCH_UNKNOWN)
        s->matches[id] = kernel_choice_takes_name(&s->kernels, strtab_text(s->names, id)) ? MATCH_YES : MATCH_NO;
    return s->matches[id] == MATCH_YES;
}

static bool is_chosen_kernel(struct sampling *s, const struct cpprof_event *event)
{
    return event->kind == CPPROF_EVENT_KERNEL && name_matches(s, event->name) &&
           kernel_choice_takes_size(&s->kernels, event);
}

/* 0 without memory. */
static uint32_t form_of(struct sampling *s, const struct program_work *work, const struct cpprof_event *event)
{
    struct str text;
    str_init(&text);
    launch_form_add(&text, event, work->name);
    const uint32_t form = text.failed ? 0 : strtab_add(&s->out->strings, str_text(&text));
    str_release(&text);
    return form;
}

/* The occurrence that this work belongs to; SIZE_MAX for none. */
static size_t occurrence_of(struct sampling *s, const struct cpprof_event *event)
{
    const struct launch_call *call = launch_index_call(s->calls, event);
    if (!call)
        return SIZE_MAX;
    if (call->is_doubtful && launch_index_found(s->calls))
        snprintf(s->out->problem, sizeof s->out->problem,
                 "several calls have the id of some work: whether it belongs to the range '%.100s' is not known",
                 s->choice->range);
    if (!(call->ranges & 1)) {
        s->out->of_other_threads += (call->of_other_threads & 1) != 0;
        return SIZE_MAX;
    }
    return range_occurrences_at(&s->occurrences, event->rank, call->start_ns);
}

static int choose(struct sampling *s, struct program_work *work, const struct cpprof_event *event, struct err *e)
{
    size_t sample = 0;
    if (s->choice->kernels && !is_chosen_kernel(s, event))
        return 0;
    if (s->choice->range && (sample = occurrence_of(s, event)) == SIZE_MAX)
        return 0;
    if (s->chosen.count == PROGRAM_WORK_MAX)
        return err_set(e, ERR_INPUT, "more than %d operations are chosen: choose fewer", PROGRAM_WORK_MAX);
    struct chosen *chosen = ARRAY_PUSH(&s->chosen);
    if (!chosen)
        return err_memory(e);
    *chosen = (struct chosen){.start_ns = event->start_ns,
                              .end_ns = event->end_ns,
                              .bytes = event->size_bytes,
                              .sample = sample,
                              .work = (size_t)(work - s->out->work.items),
                              .form = s->choice->kernels ? form_of(s, work, event) : 0,
                              .rank = event->rank};
    if (s->choice->kernels && !chosen->form)
        return err_memory(e);
    if (work->is_kernel)
        add_sizes(work, event);
    work->chosen_count++;
    work->chosen_ns = add_ns(work->chosen_ns, event->start_ns, event->end_ns);
    work->chosen_bytes += event->size_bytes;
    return 0;
}

static bool is_work(const struct cpprof_event *event)
{
    return event_is_gpu_work(event) && !(event->flags & CPPROF_EVENT_UNFINISHED);
}

static int take_event(struct sampling *s, const struct cpprof_event *event, struct err *e)
{
    struct program_work *work = work_of(s, event);
    if (!work)
        return err_memory(e);
    work->count++;
    work->sum_ns = add_ns(work->sum_ns, event->start_ns, event->end_ns);
    work->bytes += event->size_bytes;
    int rc = add_busy(s, event, e);
    return rc ? rc : choose(s, work, event, e);
}

static int take_events(struct sampling *s, struct err *e)
{
    struct cpprof_event event;
    int rc = event_stream_rewind(s->stream, e);
    while (!rc && (rc = event_stream_next(s->stream, &event, e)) == 1)
        rc = is_work(&event) ? take_event(s, &event, e) : 0;
    return rc;
}

/* ---- the samples ---- */

static int by_rank_and_start(const void *left, const void *right)
{
    const struct chosen *a = left, *b = right;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->sample != b->sample)
        return a->sample < b->sample ? -1 : 1;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return a->work < b->work ? -1 : a->work > b->work;
}

static size_t distinct_names(const struct program_samples *out)
{
    size_t count = 0;
    for (size_t i = 0; i < out->work.count; i++)
        count += out->work.items[i].chosen_count > 0;
    return count;
}

/* Returns the group of these launches; SIZE_MAX without memory. */
static size_t group_of(struct sampling *s, const struct chosen *first, const struct launch_group *found)
{
    struct program_samples *out = s->out;
    struct str forms;
    str_init(&forms);
    for (size_t i = 0; i < found->length; i++)
        str_addf(&forms, "%s\n", strtab_text(&out->strings, first[i].form));
    const uint32_t id = forms.failed ? 0 : strtab_add(&out->strings, str_text(&forms));
    const char *text = id ? strtab_text(&out->strings, id) : NULL;
    str_release(&forms);
    for (size_t i = 0; i < out->groups.count && text; i++)
        if (out->groups.items[i].place == found->place && !strcmp(out->groups.items[i].forms, text))
            return i;
    struct sample_kind *group = text ? ARRAY_PUSH(&out->groups) : NULL;
    if (!group)
        return SIZE_MAX;
    *group = (struct sample_kind){text, found->place, 0};
    return out->groups.count - 1;
}

/* A launch in no sample was not measured. */
static void leave_out(struct sampling *s, struct chosen *launch)
{
    struct program_work *work = &s->out->work.items[launch->work];
    launch->sample = SIZE_MAX;
    work->chosen_count--;
    work->chosen_ns -= launch->end_ns - launch->start_ns;
    s->out->cut_off++;
}

static int number_launches(struct sampling *s, struct chosen *launches, size_t count, const struct launch_groups *found,
                           size_t *next, struct err *e)
{
    size_t named[LAUNCH_GROUPS_MAX];
    for (size_t i = 0; i < found->count; i++) {
        named[i] =
            found->items[i].is_set_up ? SIZE_MAX : group_of(s, &launches[found->items[i].first], &found->items[i]);
        if (named[i] == SIZE_MAX && !found->items[i].is_set_up)
            return err_memory(e);
    }
    for (size_t i = 0; i < count; i++) {
        const struct launch_place *place = &found->places[i];
        if (place->group == LAUNCH_NO_GROUP || named[place->group] == SIZE_MAX) {
            leave_out(s, &launches[i]);
            continue;
        }
        *next += place->is_first;
        launches[i].sample = *next - 1;
        launches[i].group = named[place->group];
        s->out->groups.items[launches[i].group].samples += place->is_first;
    }
    return 0;
}

/* Numbers the samples of one process. */
static int number_process(struct sampling *s, struct chosen *launches, size_t count, size_t *next, struct err *e)
{
    struct ordered_launch *order = calloc(count + 1, sizeof *order);
    struct launch_groups found = {0};
    struct err why = {0};
    for (size_t i = 0; i < count && order; i++)
        order[i] = (struct ordered_launch){launches[i].form, (uint32_t)launches[i].work};
    int rc = order ? launch_groups_find(&found, order, count, &why) : err_memory(&why);
    if (rc == ERR_INPUT)
        snprintf(s->out->problem, sizeof s->out->problem, "%.*s", (int)sizeof s->out->problem - 1, why.text);
    else if (rc)
        err_set(e, rc, "%s", why.text);
    else if (!found.count)
        snprintf(
            s->out->problem, sizeof s->out->problem,
            "the %zu launches of %zu kernels that match do not repeat: choose one kernel, or an iteration with --range",
            count, distinct_names(s->out));
    else
        rc = number_launches(s, launches, count, &found, next, e);
    launch_groups_release(&found);
    free(order);
    return rc == ERR_INPUT ? 0 : rc;
}

static int number_kernels(struct sampling *s, struct err *e)
{
    size_t next = 0;
    int rc = 0;
    for (size_t begin = 0, end; begin < s->chosen.count && !rc && !*s->out->problem; begin = end) {
        for (end = begin; end < s->chosen.count && s->chosen.items[end].rank == s->chosen.items[begin].rank; end++)
            ;
        rc = number_process(s, s->chosen.items + begin, end - begin, &next, e);
    }
    return rc;
}

/* The operations of one sample, sorted by start. */
static struct program_sample measure(const struct sampling *s, const struct chosen *items, size_t count)
{
    struct program_sample sample = {
        .start_ns = items[0].start_ns, .idle_ns = -1, .interval_ns = -1, .group = items[0].group};
    int64_t end_ns = items[0].start_ns; /* of what was seen so far */
    for (size_t i = 0; i < count; i++) {
        const bool is_kernel = s->out->work.items[items[i].work].is_kernel;
        sample.kernels += is_kernel;
        sample.copies += !is_kernel;
        sample.bytes += items[i].bytes;
        if (items[i].end_ns <= end_ns)
            continue;
        sample.busy_ns =
            add_ns(sample.busy_ns, items[i].start_ns > end_ns ? items[i].start_ns : end_ns, items[i].end_ns);
        end_ns = items[i].end_ns;
    }
    sample.span_ns = add_ns(0, sample.start_ns, end_ns);
    return sample;
}

/* What lies between one sample and the next of its process. */
static void measure_interval(const struct sampling *s, struct program_sample *before, int64_t next_start_ns)
{
    const int64_t interval_ns = add_ns(0, before->start_ns, next_start_ns);
    const int64_t busy_ns = busy_until(s, next_start_ns) - busy_until(s, before->start_ns);
    before->interval_ns = interval_ns;
    before->idle_ns = interval_ns > busy_ns ? interval_ns - busy_ns : 0;
}

static int add_samples(struct sampling *s, struct err *e)
{
    struct program_samples *out = s->out;
    for (size_t begin = 0, end; begin < s->chosen.count; begin = end) {
        const struct chosen *first = &s->chosen.items[begin];
        for (end = begin; end < s->chosen.count && s->chosen.items[end].sample == first->sample; end++)
            ;
        if (first->sample == SIZE_MAX)
            continue;
        const struct program_sample sample = measure(s, first, end - begin);
        if (begin && first[-1].rank == first->rank && out->count && out->items[out->count - 1].group == sample.group)
            measure_interval(s, &out->items[out->count - 1], sample.start_ns);
        struct program_sample *slot = ARRAY_PUSH(out);
        if (!slot)
            return err_memory(e);
        *slot = sample;
    }
    return 0;
}

static int longest_chosen_first(const void *left, const void *right)
{
    const struct program_work *a = left, *b = right;
    if (a->chosen_ns != b->chosen_ns)
        return a->chosen_ns > b->chosen_ns ? -1 : 1;
    if (a->sum_ns != b->sum_ns)
        return a->sum_ns > b->sum_ns ? -1 : 1;
    return strcmp(a->name, b->name);
}

static int make_samples(struct sampling *s, struct err *e)
{
    if (s->chosen.count)
        qsort(s->chosen.items, s->chosen.count, sizeof *s->chosen.items, by_rank_and_start);
    int rc = s->choice->kernels ? number_kernels(s, e) : 0;
    if (s->occurrences.is_shared)
        snprintf(s->out->problem, sizeof s->out->problem,
                 "the range '%.100s' is open on several threads at once: which work belongs to which is not known",
                 s->choice->range);
    if (!rc && !*s->out->problem)
        rc = add_samples(s, e);
    if (s->choice->range && !*s->out->problem)
        s->out->empty = (int64_t)s->occurrences.count - (int64_t)s->out->count;
    if (s->out->work.count) /* last: indices into it go stale */
        qsort(s->out->work.items, s->out->work.count, sizeof *s->out->work.items, longest_chosen_first);
    return rc;
}

/* ---- all together ---- */

static int find_calls(struct sampling *s, struct err *e)
{
    int rc = range_occurrences_read(&s->occurrences, s->stream, s->choice->range, e);
    bool own_thread;
    const size_t words = range_words_length(s->choice->range, &own_thread);
    const char *border = memrchr(s->choice->range, '@', words);
    const size_t length = border ? (size_t)(border - s->choice->range) : words;
    for (uint32_t id = 1; id <= strtab_count(s->names); id++)
        s->takes[id] =
            strtab_length(s->names, id) == length && !memcmp(strtab_text(s->names, id), s->choice->range, length);
    const struct range_pattern pattern = {
        .takes = s->takes, .count = strtab_count(s->names) + 1, .own_thread = own_thread};
    if (!rc)
        rc = event_stream_rewind(s->stream, e);
    return rc ? rc : launch_index_build(&s->calls, s->stream, &pattern, 1, e);
}

static int prepare(struct sampling *s, struct err *e)
{
    const size_t names = strtab_count(s->names) + 1;
    s->matches = calloc(names, sizeof *s->matches);
    s->work_of_name = calloc(names, sizeof *s->work_of_name);
    s->takes = calloc(names, sizeof *s->takes);
    if (!s->matches || !s->work_of_name || !s->takes)
        return err_memory(e);
    return s->choice->range ? find_calls(s, e) : 0;
}

int program_samples_read(struct program_samples *out, struct event_stream *stream, const struct work_choice *choice,
                         struct err *e)
{
    struct sampling s = {.out = out, .choice = choice, .stream = stream, .names = event_stream_strings(stream)};
    int rc = choice->kernels ? kernel_choice_compile(&s.kernels, choice->kernels, e) : 0;
    if (rc)
        return rc;
    rc = prepare(&s, e);
    if (!rc)
        rc = take_events(&s, e);
    if (!rc)
        rc = make_samples(&s, e);
    if (choice->kernels)
        kernel_choice_free(&s.kernels);
    launch_index_free(s.calls);
    range_occurrences_release(&s.occurrences);
    free(s.matches);
    free(s.work_of_name);
    free(s.takes);
    free(s.chosen.items);
    free(s.busy.items);
    return rc;
}

/* ---- warm-up ---- */

static size_t count_group(const struct program_samples *s, size_t group, const bool *kept)
{
    size_t count = 0;
    for (size_t i = 0; i < s->count; i++)
        count += !kept[i] && s->items[i].group == group;
    return count;
}

/* Marks the samples of this group behind its warm-up, and gives them its new number, which is no larger. */
static void keep_group(struct program_samples *s, size_t group, size_t number, size_t warmup, bool *kept)
{
    size_t seen = 0;
    for (size_t i = 0; i < s->count; i++)
        if (s->items[i].group == group && !kept[i] && seen++ >= warmup) {
            s->items[i].group = number;
            kept[i] = true;
        }
}

static void keep_groups(struct program_samples *s, size_t warmup, bool *kept)
{
    const size_t groups = s->groups.count ? s->groups.count : 1;
    size_t number = 0;
    for (size_t group = 0; group < groups; group++) {
        const size_t count = count_group(s, group, kept);
        if (count <= warmup)
            continue;
        keep_group(s, group, number, warmup, kept);
        if (s->groups.count) {
            s->groups.items[number] = s->groups.items[group];
            s->groups.items[number].samples = count - warmup;
        }
        number++;
    }
    s->groups.count = s->groups.count ? number : 0;
}

int program_samples_warm_up(struct program_samples *s, size_t warmup, struct err *e)
{
    const size_t before = s->count;
    bool *kept = calloc(before + 1, sizeof *kept);
    if (!kept)
        return err_memory(e);
    keep_groups(s, warmup, kept);
    s->count = 0;
    for (size_t i = 0; i < before; i++)
        if (kept[i])
            s->items[s->count++] = s->items[i];
    s->warm_up = (int64_t)(before - s->count);
    free(kept);
    if (before && !s->count)
        snprintf(s->problem, sizeof s->problem,
                 "there are %zu iterations and the first %zu are warm-up: none is left, choose a smaller --warmup",
                 before, warmup);
    return 0;
}
