/* What ran at the same time in the traced process? */
#include <math.h>
#include <string.h>

#include "analyzers/entries.h"
#include "core/base/count_of.h"
#include "core/run/noted_calls.h"
#include "core/trace/event_stream.h"
#include "core/trace/stream_scope.h"

static const enum event_class classes[] = {CLASS_KERNEL, CLASS_COPY, CLASS_H2D,  CLASS_D2H,
                                           CLASS_MEMSET, CLASS_ANY,  CLASS_COMM, CLASS_COMPUTE};

enum { COMM = 6, COMPUTE = 7 };

/* Indices into classes: whose time is hidden, under whose. */
static const struct {
    unsigned char a, b;
} pairs[] = {{1, 0}, {0, 1}, {2, 0}, {3, 0}, {2, 3}, {4, 0}, {COMM, COMPUTE}};

enum { CLASSES = COUNT_OF(classes), PAIRS = COUNT_OF(pairs) };

/* Behind whatever rules have put into the query. */
static int add_sets(struct analysis *a, struct err *e)
{
    struct timeline_query *query = &a->query;
    if (query->set_count + CLASSES > TIMELINE_SETS_MAX || query->pair_count + PAIRS > TIMELINE_SETS_MAX)
        return err_set(e, ERR_USAGE, "the rules need more than %d sets of events: check them in several runs",
                       TIMELINE_SETS_MAX - CLASSES);
    a->own_sets_first = query->set_count;
    for (size_t i = 0; i < CLASSES; i++) {
        int rc = selector_new(&query->sets[query->set_count], classes[i], e);
        if (rc)
            return rc;
        query->is_brief[query->set_count++] = true;
        a->own_sets_count++;
    }
    for (size_t i = 0; i < PAIRS; i++) {
        query->pairs[query->pair_count].a = (uint8_t)(a->own_sets_first + pairs[i].a);
        query->pairs[query->pair_count].b = (uint8_t)(a->own_sets_first + pairs[i].b);
        query->pairs[query->pair_count].is_brief = true;
        query->pair_count++;
    }
    return 0;
}

struct both_parts analysis_both_parts(const struct analysis *a)
{
    struct both_parts both = {NAN, NAN, NAN};
    const size_t comm = a->own_sets_first + COMM, compute = a->own_sets_first + COMPUTE;
    const bool is_one = a->timings.count == 1 && a->has_timeline && a->own_sets_count == CLASSES;
    const double calls = is_one ? noted_calls(a->run, a->timings.items[0].arm, WITNESS_MEASURE) : NAN;
    for (size_t i = 0; is_one && calls > 0 && i < a->timeline.device_count; i++) {
        const struct timeline_set *sets = a->timeline.devices[i].sets;
        if (!sets[comm].sum_ns || !sets[compute].sum_ns || (double)sets[comm].sum_ns / calls <= both.comm_ns)
            continue;
        both.comm_ns = (double)sets[comm].sum_ns / calls;
        both.compute_ns = (double)sets[compute].sum_ns / calls;
    }
    if (isnan(both.comm_ns))
        return both;
    const double saved_ns = both.comm_ns + both.compute_ns - a->timings.items[0].p50_ns;
    both.hidden = fmax(0, fmin(saved_ns / fmin(both.comm_ns, both.compute_ns), 1));
    return both;
}

/* A run's trace also holds what its setup and checks did: the question is about
 * the launches that were measured. Traces without that phase are taken whole. */
static int keep_measured(struct event_stream *stream, struct err *e)
{
    static const char measured[] = " | measure";
    const struct strtab *strings = event_stream_strings(stream);
    for (uint32_t id = 1; id <= strtab_count(strings); id++) {
        const size_t length = strtab_length(strings, id), tail = sizeof measured - 1;
        if (length > tail && !strcmp(strtab_text(strings, id) + length - tail, measured)) {
            const struct stream_scope scope = {.range = " \\| measure$"};
            return event_stream_scope(stream, &scope, e);
        }
    }
    return 0;
}

int overlap_analyze(struct analysis *a, struct err *e)
{
    struct run *run = a->run;
    if (run->trace_error) /* of a run the selection check says so, and the rest of it still speaks */
        return table_rows(&a->bundle->tables[BUNDLE_VARIANTS]) ? 0 : err_set(e, ERR_INPUT, "%s", run->trace_error);
    if (!run->stream)
        return 0;
    int rc = keep_measured(run->stream, e);
    if (!rc)
        rc = add_sets(a, e);
    if (!rc)
        rc = timeline_measure(run->stream, &a->query, &a->timeline, e);
    a->has_timeline = !rc;
    return rc;
}
