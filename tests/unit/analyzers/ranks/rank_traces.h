/* rank_traces.h - small Kineto traces of ranks, a file each, become what is measured of them. */
#ifndef CPPROF_RANK_TRACES_H
#define CPPROF_RANK_TRACES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzers/ranks/rank_listing.h"
#include "analyzers/ranks/rank_waits.h"
#include "analyzers/ranks/ranks_words.h"
#include "core/base/arena.h"
#include "core/trace/event_stream.h"
#include "rules/rules.h"
#include "tests/test.h"

enum { RANK_TRACES_MAX = 8 };

static bool rank_traces_judging; /* a rule is being judged */

#define SUM "ncclDevKernel_AllReduce_Sum_f32_RING_LL"

/* Files that are being written, and then what is measured of them. */
struct rank_traces {
    char folder[32], *paths[RANK_TRACES_MAX];
    FILE *files[RANK_TRACES_MAX];
    size_t count;
    int rows;
    int64_t time_error_ns; /* by how much each time may be off */
    struct event_stream *stream;
    struct ranks ranks;
    struct arena arena;
};

/* A kernel of a device on a stream; times are us. `note`: more members of its arguments, or NULL. */
struct rank_kernel_row {
    int rank, device, stream;
    int64_t start_us, end_us;
    const char *name, *note;
};

static inline void rank_traces_begin(struct rank_traces *t)
{
    memset(t, 0, sizeof *t);
    arena_init(&t->arena);
    strcpy(t->folder, "/tmp/rank_traces_XXXXXX");
    assert_non_null(mkdtemp(t->folder));
}

/* Begins a file. `about`: its members before the events, such as "\"distributedInfo\":{...},", or "". */
static inline void rank_traces_file(struct rank_traces *t, const char *about)
{
    char *path = NULL;
    assert_true(asprintf(&path, "%s/t%zu.json", t->folder, t->count) > 0);
    t->paths[t->count] = path;
    t->files[t->count] = fopen(t->paths[t->count], "wb");
    assert_non_null(t->files[t->count]);
    fprintf(t->files[t->count++], "{\"schemaVersion\":1,%s\"traceEvents\":[{\"ph\":\"M\",\"name\":\"process_name\"}",
            about);
}

/* Begins the file of a rank of so many. */
static inline void rank_traces_file_of(struct rank_traces *t, int rank, int world)
{
    char about[80];
    snprintf(about, sizeof about, "\"distributedInfo\":{\"rank\":%d,\"world_size\":%d},", rank, world);
    rank_traces_file(t, about);
}

/* Adds a kernel to the last file. A rank below 0 is that of the file. */
static inline void rank_traces_add(struct rank_traces *t, struct rank_kernel_row k)
{
    FILE *to = t->files[t->count - 1];
    fprintf(
        to,
        ",\n{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"%s\",\"pid\":%d,\"tid\":1,\"ts\":%lld.000,\"dur\":%lld.000,\"args\":{",
        k.name, k.rank < 0 ? 0 : k.rank, (long long)k.start_us, (long long)(k.end_us - k.start_us));
    if (k.rank >= 0)
        fprintf(to, "\"rank\":%d,", k.rank);
    fprintf(to, "\"device\":%d,\"context\":1,\"stream\":%d,\"correlation\":%d%s%s}}", k.device, k.stream, ++t->rows,
            k.note ? "," : "", k.note ? k.note : "");
}

static inline void rank_traces_open(struct rank_traces *t)
{
    const char *paths[RANK_TRACES_MAX];
    struct err e = {0};
    for (size_t i = 0; i < t->count; i++) {
        fputs("]}\n", t->files[i]);
        fclose(t->files[i]);
        paths[i] = t->paths[i];
    }
    if (event_stream_open_as(&t->stream, paths, t->count, &(struct event_stream_wish){.notes = true}, &e))
        fail_msg("%s", e.text);
    if (t->time_error_ns)
        event_stream_set_time_error_ns(t->stream, t->time_error_ns);
    if (ranks_measure(t->stream, &t->ranks, &e))
        fail_msg("%s", e.text);
}

static inline const char *rank_traces_answer(struct rank_traces *t)
{
    return ranks_answer(&(struct ranks_context){&t->arena, &t->ranks, NULL});
}

/* What the page says does not match, first; "" when all does. */
static inline const char *rank_traces_mismatch(struct rank_traces *t)
{
    const struct rank_meetings_found *m = &t->ranks.meetings;
    return m->mismatches.count
               ? rank_mismatch_sentence(&(struct ranks_context){&t->arena, &t->ranks, NULL}, &m->mismatches.items[0])
               : "";
}

/* Judges a rule. Returns an error as its code, with `why` set to its text; else 0, and the row. */
static inline int rank_traces_judge(struct rank_traces *t, const char *rule, enum rule_status *status, const char **why)
{
    struct rule_list *rules;
    struct timeline_query query;
    struct timeline timeline;
    struct rule_results results;
    struct err e = {0};
    memset(&query, 0, sizeof query);
    assert_int_equal(rule_list_new(&rules, &e), 0);
    assert_int_equal(rule_list_add(rules, rule, "r", &e), 0);
    assert_int_equal(rule_list_query(rules, &query, &e), 0);
    assert_int_equal(event_stream_rewind(t->stream, &e), 0);
    assert_int_equal(timeline_measure(t->stream, &query, &timeline, &e), 0);
    const struct rule_evidence evidence = {.query = &query,
                                           .timeline = &timeline,
                                           .caveats = event_stream_caveats(t->stream),
                                           .ranks = &t->ranks,
                                           .ranks_doubt = event_stream_ranks_doubt(t->stream)};
    rank_traces_judging = true;
    const int rc = rule_list_judge(rules, &evidence, &results, &e);
    rank_traces_judging = false;
    if (!rc) {
        assert_int_equal(results.count, 1);
        *status = results.items[0].status;
    }
    *why = arena_printf(&t->arena, "%s", rc ? e.text : results.items[0].reason);
    rule_results_release(&results);
    timeline_release(&timeline);
    rule_list_free(rules);
    return rc;
}

static inline enum rule_status rank_traces_rule(struct rank_traces *t, const char *rule)
{
    enum rule_status status = RULE_VACUOUS;
    const char *why;
    assert_int_equal(rank_traces_judge(t, rule, &status, &why), 0);
    return status;
}

static inline void rank_traces_release(struct rank_traces *t)
{
    for (size_t i = 0; i < t->count; i++) {
        unlink(t->paths[i]);
        free(t->paths[i]);
    }
    rmdir(t->folder);
    ranks_release(&t->ranks);
    event_stream_free(t->stream);
    arena_release(&t->arena);
}

#endif
