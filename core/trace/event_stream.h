/* event_stream.h - one pass over the events of any input, sorted by start.
 *
 * Every reader produces this: an iterator over a k-way merge of sorted runs, whose users need memory for the
 * concurrency of a trace and not for its length. When opening returns, the whole input has been read once: the string
 * table and the caveats are complete, and bad rows have been reported. */
#ifndef CPPROF_EVENT_STREAM_H
#define CPPROF_EVENT_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/caveat.h"
#include "core/base/err.h"
#include "core/base/strtab.h"
#include "core/trace/dependent_launch.h"
#include "core/trace/event_filter.h"
#include "cpprof/event.h"

struct bundle;
struct call_doubt;
struct collective_note;
struct event_stream;
struct gpu_places;
struct gpu_samples;
struct host_scope;
struct object_names;
struct part_source;
struct rank_starts;
struct resumptions;
struct stream_scope;
struct trace_measure;

/* The limit for distinct names, including a fixed cost of each. A trace with more is refused. In shards, whose writers
 * have limits of their own, all further names become one name (CAVEAT_WEAKENS). */
enum { EVENT_STREAM_NAME_BYTES_MAX = 128 * 1024 * 1024 };

/* Opens a trace (traces_open.c), whose format is recognised by content (reader_table.c) and which may be compressed
 * with gzip. "-" is standard input. A folder that is not a bundle stands for the traces in it. For any other input it
 * returns ERR_INPUT, with one line that names what the input is and what to do. */
int event_stream_open(struct event_stream **out, const char *path, struct err *e);

/* Does the same, and keeps what event_stream_next_scope gives. */
int event_stream_open_with_scopes(struct event_stream **out, const char *path, struct err *e);

/* What a stream keeps besides events, and how it is read. */
struct event_stream_wish {
    bool scopes;                         /* what event_stream_next_scope gives */
    bool notes;                          /* what event_stream_next_note gives */
    const struct stream_scope *scope;    /* what was asked for (event_stream_scope); NULL: everything */
    size_t jobs;                         /* processes that read several traces at once; up to 1: one after the other */
    bool may_fork;                       /* there may be such processes */
    struct part_source *source;          /* who reads several traces; NULL: `jobs` processes, or this one */
    uint32_t key;                        /* differs where the same words ask for something else: a file has changed */
    const struct trace_measure *measure; /* what may be measured of each trace where it is read (trace_measure.h) */
    bool on_demand;                      /* events may be read while they are asked for (event_stream_is_on_demand) */
};

/* Opens several traces, as event_stream_open_ranks does. A worker that dies is a trace that cannot be read. */
int event_stream_open_as(struct event_stream **out, const char *const *paths, size_t count,
                         const struct event_stream_wish *wish, struct err *e);

/* Was each trace measured where it was read (event_stream_wish)? Then the stream has no events, but all names, caveats
 * and ranks, and each result was taken. If not, a result that was taken must be forgotten, and the stream be measured.
 */
bool event_stream_is_measured(const struct event_stream *s);

/* Was that wish granted? Then names, caveats and the count of events are complete behind the last event,
 * and not before. An event may have a name that the string table did not have before it. After an error the trace must
 * be opened once more without that wish: perhaps events are not in order, or something must be said of a row. It is
 * granted for one trace, in the whole of its scope, that is large and seems to be sorted. */
bool event_stream_is_on_demand(const struct event_stream *s);

/* Does the same for a bundle that is open (core/bundle/bundle_open.h) and must outlive the stream. No file of it is
 * opened again. */
int event_stream_open_bundle(struct event_stream **out, const struct bundle *bundle, struct err *e);

/* Does the same, and adds the samples of its GPUs to `samples`, sorted. */
int event_stream_open_sampled(struct event_stream **out, const struct bundle *bundle, struct gpu_samples *samples,
                              struct err *e);

/* Opens several traces as one stream, each with a rank of its own: the one that its content names, else the one in its
 * path (trace_rank_of_path), else its place. No two get the same rank. With several traces, one that cannot be read is
 * a CAVEAT_TRUNCATED, unless none can be read. In a folder, files that were never meant as traces (a readme) are left
 * out with a note. A single trace keeps rank -1 unless its content names a rank. */
int event_stream_open_ranks(struct event_stream **out, const char *const *paths, size_t count, struct err *e);

/* Makes a stream of `count` events in memory, for tests and for callers that made their own. Names are ids of
 * `strings`. Both are copied. */
int event_stream_from_events(struct event_stream **out, const struct cpprof_event *events, size_t count,
                             const struct strtab *strings, struct err *e);

void event_stream_free(struct event_stream *s);

/* Gives the next event. Returns 1, 0 at the end, or an error code. The order is (start_ns, end_ns, rank, device,
 * stream). */
int event_stream_next(struct event_stream *s, struct cpprof_event *out, struct err *e);

/* Sets the filter from now on. The stream owns it and frees the previous one. */
void event_stream_set_filter(struct event_stream *s, struct event_filter filter);

/* Like event_stream_next, without the filter. Rewind when changing between the two. */
int event_stream_next_unscoped(struct event_stream *s, struct cpprof_event *out, struct err *e);

/* Like event_stream_next, and also gives rows whose times cannot be (EVENT_IS_FALSE), wherever in the scope they were
 * meant to be. Nothing but their number may be used. */
int event_stream_next_with_false(struct event_stream *s, struct cpprof_event *out, struct err *e);

/* Goes back to the first event. */
int event_stream_rewind(struct event_stream *s, struct err *e);

/* Gives back memory of events and notes until they are rewound. */
void event_stream_rest(struct event_stream *s);

/* Gives the next operator, module or Python frame of the host (core/trace/host_scopes.h), in the order of their starts.
 * These are no events, and no filter holds for them. Returns 1, 0 at the end, or an error code. */
int event_stream_next_scope(struct event_stream *s, struct host_scope *out, struct err *e);
int event_stream_rewind_scopes(struct event_stream *s, struct err *e);

/* Gives the next note on a collective (core/trace/collective_notes.h), in the order of their starts. No filter holds
 * for them. Returns 1, 0 at the end, or an error code. */
int event_stream_next_note(struct event_stream *s, struct collective_note *out, struct err *e);
int event_stream_rewind_notes(struct event_stream *s, struct err *e);

/* Returns how many ranks the job has, as a trace says; 0: none says it. */
int event_stream_world_size(const struct event_stream *s);

/* Do two of several traces state the same rank? They are shown as different ones, and it is not known which is which.
 */
bool event_stream_has_twins(const struct event_stream *s);

/* Returns why the traces may not be those of all ranks of the job, each once: the two files, or the rank that is
 * missing;
 * "" when nothing says so. It knows the events passed so far, so all of them after one pass. The text lives as long as
 * the stream. */
const char *event_stream_ranks_doubt(struct event_stream *s);

/* Returns in which of several traces a rank is, counted from 0. Ranks of one trace have one clock. */
size_t event_stream_origin(const struct event_stream *s, int rank);

/* Returns the path of the trace that a rank is in, of several; "": unknown, or there is one trace. */
const char *event_stream_trace_path(const struct event_stream *s, int rank);

/* When did recording of a rank begin, in the time of its events? Returns false where its trace does not say. */
bool event_stream_recorded_from(const struct event_stream *s, int rank, int64_t *out);

/* By how much did recording begin later at one trace than at another, by their clocks? 0 where fewer than two say it.
 */
int64_t event_stream_recording_apart_ns(const struct event_stream *s);

/* Returns when each rank begins and which kinds of events it has (core/trace/rank_starts.h), without the filter. It
 * knows the events passed so far, so all of them after one pass. */
const struct rank_starts *event_stream_starts(const struct event_stream *s);

/* Sets rank and device to those by which their GPU goes, where several processes use one (core/trace/identity.h). What
 * is measured of a GPU is measured of all that ran there. */
void event_stream_gpu_of(const struct event_stream *s, int16_t *rank, int16_t *device);
const struct gpu_places *event_stream_gpus(const struct event_stream *s);

/* Returns how many recordings of one process the traces are, one after the other; 0: they are not. Then they are one
 * rank, and recording went on at the beginning of each (event_stream_resumptions). */
size_t event_stream_recordings(const struct event_stream *s);

/* Does the scope include this rank? */
bool event_stream_takes_rank(const struct event_stream *s, int rank);

/* Returns the names and domains that events refer to. */
const struct strtab *event_stream_strings(const struct event_stream *s);
/* Returns the names that the program gave its streams, threads and devices, sorted (object_names_sort). Empty for
 * several traces, because their ranks are assigned anew. */
const struct object_names *event_stream_object_names(const struct event_stream *s);
const struct caveat_list *event_stream_caveats(const struct event_stream *s);
/* For filters that have caveats to add. */
struct caveat_list *event_stream_own_caveats(struct event_stream *s);
/* Only for stream_comm.h: the regex is copied, and the stream owns the judge. */
int event_stream_set_comm(struct event_stream *s, const char *regex, struct err *e);
void event_stream_set_comm_copies(struct event_stream *s, struct copy_judge judge);
/* Returns the regex of names that communicate besides those that are known; NULL: there is none. */
const char *event_stream_comm(const struct event_stream *s);
const char *event_stream_source(const struct event_stream *s); /* the path as given, "A and 2 more" for several */
int64_t event_stream_count(const struct event_stream *s);      /* of the input, whatever the scope */

/* Returns when recording went on (core/trace/resumptions.h), sorted; none for a trace that was recorded as a whole, and
 * for several traces unless they are recordings of one process. */
const struct resumptions *event_stream_resumptions(const struct event_stream *s);

/* Returns by how much a start or an end may be off, in either direction, because the input has rounded times; 0:
 * exact. */
int64_t event_stream_time_error_ns(const struct event_stream *s);
/* Can kernels of one stream overlap on its chips, all of them? */
enum dependent_launch event_stream_dependent_launch(const struct event_stream *s);
/* For streams made by event_stream_from_events. */
void event_stream_set_time_error_ns(struct event_stream *s, int64_t time_error_ns);

/* Does the input hold kernels only because of their launches, without copies and streams? Then GPU work must not be
 * measured in it. */
bool event_stream_is_launches_only(const struct event_stream *s);

/* May calls that wait be missing because the input does not state whether they were traced? Then their absence proves
 * nothing. */
bool event_stream_may_lack_waits(const struct event_stream *s);

/* Were the first migrations not recorded? Then their absence proves nothing. */
bool event_stream_lacks_migrations(const struct event_stream *s);

/* Were rows left out by whoever wrote the trace, as their times could not be? */
bool event_stream_lacks_times(const struct event_stream *s);

/* Did kernels run that no record shows, and nothing says in which rank (rank_starts_hides_kernels)? */
bool event_stream_hides_anywhere(const struct event_stream *s);

/* Is there a filter? */
bool event_stream_is_scoped(const struct event_stream *s);

/* Is some of what NCCL said of collectives lost, so that kernels lack their notes? */
bool event_stream_lacks_collectives(const struct event_stream *s);

/* Are rows of several processes in a trace that does not say which work is whose, or which of their devices are one
 * GPU? Then no rule passes or fails on it. */
bool event_stream_is_mixed(const struct event_stream *s);

/* Which doubts about calls the scope, and what communicates, rest on (identity.h); to fill and to read. */
struct call_doubt *event_stream_call_doubt(struct event_stream *s);

/* Was a table left out that could be read from a file of its own? A caveat names it. */
bool event_stream_has_unread(const struct event_stream *s);

#endif
