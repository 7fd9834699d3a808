/* event_stream.h - one pass over the events of any input, sorted by start.
 *
 * Every reader produces this: a pull iterator over a k-way merge of sorted
 * runs, so that sweeps need memory for the concurrency of a trace and not for
 * its length. When open returns, the whole input has been read once: the
 * string table and the caveats are complete, bad rows have been reported. */
#ifndef CPPROF_EVENT_STREAM_H
#define CPPROF_EVENT_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/caveat.h"
#include "base/err.h"
#include "base/strtab.h"
#include "cpprof/event.h"

struct bundle;
struct event_stream;
struct object_names;
struct rank_starts;

/* Distinct names, with what keeping each one costs; a trace with more is refused, but of shards, whose writers have
 * limits of their own, the rest has one name together (CAVEAT_WEAKENS). */
enum { EVENT_STREAM_NAME_BYTES_MAX = 128 * 1024 * 1024 };

/* Opens a trace by content (reader_table.c), compressed with gzip or not; "-"
 * is standard input, a folder that is no bundle stands for the traces in it.
 * An input that is something else is ERR_INPUT with one line that names what
 * it is and what to do. */
int event_stream_open(struct event_stream **out, const char *path, struct err *e);

/* The same of a bundle that is open (bundle/bundle_open.h) and must outlive the
 * stream: no file of it is opened again. */
int event_stream_open_bundle(struct event_stream **out, const struct bundle *bundle, struct err *e);

/* Opens several traces as one stream, each as a rank of its own: the one that
 * its content names, else its path (trace_rank_of_path), else its place; no two
 * share one. Where there are several, one that cannot be read is a caveat
 * CAVEAT_TRUNCATED, unless that is true of all; in a folder, what was never
 * meant as a trace (a readme) is left out with a note. A single trace keeps rank -1
 * unless its content names one. */
int event_stream_open_ranks(struct event_stream **out, const char *const *paths, size_t count, struct err *e);

/* A stream over `count` events in memory, for tests and for callers that made
 * their own; names are ids of `strings`. Both are copied. */
int event_stream_from_events(struct event_stream **out, const struct cpprof_event *events, size_t count,
                             const struct strtab *strings, struct err *e);

void event_stream_free(struct event_stream *s);

/* 1 and an event, 0 at the end, or an error code. Events come in the order
 * (start_ns, end_ns, rank, device, stream). */
int event_stream_next(struct event_stream *s, struct cpprof_event *out, struct err *e);

/* What next leaves out. takes: 1, 0 or an error code; rewind forgets what was counted; free takes the state with it. */
struct event_filter {
    int (*takes)(void *state, const struct cpprof_event *event, struct err *e);
    bool (*takes_rank)(const void *state, int rank); /* any event of this rank? */
    void (*rewind)(void *state);
    void (*free)(void *state);
    void *state;
};

/* From now on, instead of the one before, which is freed; the filter is the stream's. */
void event_stream_set_filter(struct event_stream *s, struct event_filter filter);

/* As next, whatever the filter. Rewind between the two. */
int event_stream_next_unscoped(struct event_stream *s, struct cpprof_event *out, struct err *e);

/* Back to the first event. */
int event_stream_rewind(struct event_stream *s, struct err *e);

/* When each rank begins and which kinds of events it has (trace/rank_starts.h), whatever the scope: of the ranks
 * that were passed so far, so of all after one pass. */
const struct rank_starts *event_stream_starts(const struct event_stream *s);

/* Whether the scope asks about this rank. */
bool event_stream_takes_rank(const struct event_stream *s, int rank);

/* The names and domains that events point into. */
const struct strtab *event_stream_strings(const struct event_stream *s);
/* What its program calls its streams, threads and devices, sorted (object_names_sort); none of several traces, whose
 * ranks are given anew. */
const struct object_names *event_stream_object_names(const struct event_stream *s);
const struct caveat_list *event_stream_caveats(const struct event_stream *s);
/* For who filters and has something to say of it. */
struct caveat_list *event_stream_own_caveats(struct event_stream *s);
const char *event_stream_source(const struct event_stream *s); /* the path as given, "A and 2 more" for several */
int64_t event_stream_count(const struct event_stream *s);      /* of the input, whatever the scope */

/* By how much a start or an end may be off, in either direction, as an input shows rounded times; 0: exact. */
int64_t event_stream_time_error_ns(const struct event_stream *s);
/* For streams that were made here. */
void event_stream_set_time_error_ns(struct event_stream *s, int64_t time_error_ns);

/* True when an input holds kernels only to tell of their launches, without
 * copies and streams: no measure of GPU work may be taken from it. */
bool event_stream_is_launches_only(const struct event_stream *s);

/* True when an input does not tell whether calls that wait were traced: their absence is no evidence then. */
bool event_stream_may_lack_waits(const struct event_stream *s);

/* True when the first migrations were not recorded: their absence is no evidence then. */
bool event_stream_lacks_migrations(const struct event_stream *s);

/* True when a table was left out that could be read from a file of its own; a caveat names it. */
bool event_stream_has_unread(const struct event_stream *s);

#endif
