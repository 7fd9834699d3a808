/* Of which rank is a row of a Chrome trace? */
#include "core/trace/readers/kineto_ranks.h"

#include <stdio.h>
#include <string.h>

#include "core/trace/collective_notes.h"
#include "core/trace/event_work.h"
#include "core/trace/host_scopes.h"

void kineto_ranks_release(struct kineto_ranks *k)
{
    merged_ranks_release(&k->pids);
}

void kineto_ranks_begin_row(struct kineto_ranks *k)
{
    k->pid_length = 0;
    *k->label = '\0';
}

void kineto_ranks_take_pid(struct kineto_ranks *k, const char *text, size_t length, bool is_number)
{
    k->pid_length = length < sizeof k->pid ? length : sizeof k->pid;
    k->pid_is_number = is_number;
    memcpy(k->pid, text, k->pid_length);
}

/* Returns the place of the row's pid; SIZE_MAX: it has none. */
static size_t place_of(struct kineto_ranks *k)
{
    struct err e = {0};
    size_t place = SIZE_MAX;
    k->failed |= k->pid_length && merged_ranks_find(&k->pids, k->pid, k->pid_length, k->pid_is_number, &place, &e);
    return place;
}

void kineto_ranks_take_label(struct kineto_ranks *k, const char *text, size_t length)
{
    snprintf(k->label, sizeof k->label, "%.*s", length < sizeof k->label ? (int)length : (int)sizeof k->label, text);
}

void kineto_ranks_name_process(struct kineto_ranks *k, const char *name, const char *phase)
{
    if (*k->label && !strcmp(phase, "M") && (!strcmp(name, "process_name") || !strcmp(name, "process_labels")) &&
        k->pids.count < MERGED_PIDS_MAX)
        merged_ranks_label(&k->pids, place_of(k), k->label);
}

static int16_t place_as_rank(struct kineto_ranks *k, size_t place)
{
    k->has_places = true;
    return (int16_t)place;
}

static int16_t rank_of_host(struct kineto_ranks *k, size_t place)
{
    if (place == SIZE_MAX)
        return -1;
    if (!k->first_host)
        k->first_host = place + 1;
    return place + 1 == k->first_host ? -1 : place_as_rank(k, place);
}

int16_t kineto_ranks_of_host(struct kineto_ranks *k)
{
    return rank_of_host(k, place_of(k));
}

/* Rows of work, and of waits on streams, have the pid of a device. */
static bool is_on_device(const struct kineto_ranks *k, size_t place, const struct cpprof_event *event)
{
    const struct merged_pid *p = &k->pids.items[place];
    return p->is_number && (event->kind == CPPROF_EVENT_SYNC ? p->number < MERGED_DEVICES_MAX
                                                             : event->device < 0 || p->number == event->device);
}

static enum merged_row row_of(const struct cpprof_event *event)
{
    switch (event->kind) {
    case CPPROF_EVENT_API: return MERGED_CALL;
    case CPPROF_EVENT_RANGE: return MERGED_RANGE;
    case CPPROF_EVENT_COPY:
    case CPPROF_EVENT_MEMSET: return MERGED_COPY;
    default: return MERGED_WORK;
    }
}

int16_t kineto_ranks_of(struct kineto_ranks *k, const struct cpprof_event *event)
{
    const enum merged_row row = row_of(event);
    const bool is_of_host = row == MERGED_CALL || row == MERGED_RANGE;
    const size_t place = event->kind == CPPROF_EVENT_OVERHEAD ? SIZE_MAX : place_of(k);
    if (place == SIZE_MAX)
        return -1;
    if (row != MERGED_WORK || (event->kind == CPPROF_EVENT_KERNEL && event->device >= 0))
        merged_ranks_note(&k->pids, place, row, event->device);
    if (is_of_host)
        return rank_of_host(k, place);
    return is_on_device(k, place, event) ? -1 : place_as_rank(k, place);
}

/* ---- when all is read ---- */

static int16_t rank_of_place(const struct kineto_ranks *k, size_t place)
{
    const int16_t rank = place < k->pids.count ? k->pids.items[place].rank : -1;
    return rank < 0 && k->pids.ranks > 1 ? 0 : rank;
}

static int16_t rank_of_device(const struct kineto_ranks *k, int16_t device)
{
    for (size_t i = 0; i < k->pids.count; i++)
        if (k->pids.items[i].is_number && k->pids.items[i].number == device)
            return rank_of_place(k, i);
    return rank_of_place(k, SIZE_MAX);
}

static int16_t settled(const struct kineto_ranks *k, int16_t rank, bool is_work, int16_t device)
{
    if (rank >= 0)
        return rank_of_place(k, (size_t)rank);
    return is_work ? rank_of_device(k, device) : rank_of_place(k, k->first_host - 1);
}

static int settle_events(const struct kineto_ranks *k, struct event_spool *events, struct err *e)
{
    struct event_spool *new = NULL;
    struct cpprof_event event;
    int rc = event_spool_new(&new, e);
    if (!rc)
        rc = event_spool_rewind(events, e);
    while (!rc && (rc = event_spool_next(events, &event, e)) == 1) {
        event.rank = settled(k, event.rank, event_is_gpu_work(&event), event.device);
        rc = event_spool_add(new, &event, e);
    }
    if (!rc)
        event_spool_swap(events, new);
    event_spool_free(new);
    return rc;
}

static int settle_scopes(const struct kineto_ranks *k, struct record_spool *scopes, struct err *e)
{
    struct record_spool *new = NULL;
    struct host_scope scope;
    int rc = host_scope_spool_new(&new, e);
    if (!rc)
        rc = record_spool_rewind(scopes, e);
    while (!rc && (rc = record_spool_next(scopes, &scope, e)) == 1) {
        scope.rank = settled(k, scope.rank, false, -1);
        rc = record_spool_add(new, &scope, e);
    }
    if (!rc)
        record_spool_swap(scopes, new);
    record_spool_free(new);
    return rc;
}

static int settle_notes(const struct kineto_ranks *k, struct record_spool *notes, struct err *e)
{
    struct record_spool *new = NULL;
    struct collective_note note;
    int rc = collective_note_spool_new(&new, e);
    if (!rc)
        rc = record_spool_rewind(notes, e);
    while (!rc && (rc = record_spool_next(notes, &note, e)) == 1) {
        note.rank = settled(k, note.rank, true, note.device);
        rc = record_spool_add(new, &note, e);
    }
    if (!rc)
        record_spool_swap(notes, new);
    record_spool_free(new);
    return rc;
}

static int note_ranks(const struct kineto_ranks *k, enum merged_by by, const char *path, struct reader_sink *sink,
                      struct err *e)
{
    if (by == MERGED_NOT)
        return 0;
    if (by != MERGED_UNKNOWN)
        return caveat_add(sink->caveats, CAVEAT_NOTE, e, "%s: traces of %zu ranks are in this file, told apart by %s",
                          path, k->pids.ranks,
                          by == MERGED_BY_LABEL ? "the labels of their pids" : "what was added to their pids");
    sink->is_mixed = true;
    return caveat_add(sink->caveats, CAVEAT_WEAKENS, e,
                      "%s: rows of several processes are in this file, and it is not known which work is whose: "
                      "give the trace of each rank as a file of its own",
                      path);
}

/* PyTorch names files "HOST_PID.TIME.pt.trace.json". */
static void find_host(const char *path, int64_t process, char host[PROCESS_HOST_MAX])
{
    char pid[32];
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    snprintf(pid, sizeof pid, "_%lld.", (long long)process);
    const char *end = strstr(name, pid);
    if (end && end - name < PROCESS_HOST_MAX)
        snprintf(host, PROCESS_HOST_MAX, "%.*s", (int)(end - name), name);
}

/* The only process that makes calls. */
static void find_process(const struct kineto_ranks *k, const char *path, struct reader_sink *sink)
{
    for (size_t i = 0; i < k->pids.count; i++)
        if (k->pids.items[i].has_calls && k->pids.items[i].is_number)
            sink->process = k->pids.items[i].number;
    if (sink->process)
        find_host(path, sink->process, sink->host);
}

int kineto_ranks_settle(struct kineto_ranks *k, const char *path, struct reader_sink *sink, struct err *e)
{
    const enum merged_by by = merged_ranks_decide(&k->pids);
    if (by == MERGED_NOT)
        find_process(k, path, sink);
    int rc = note_ranks(k, by, path, sink, e);
    if (rc || !k->has_places)
        return rc;
    for (size_t i = 0; i < k->pids.count && k->pids.ranks < 2; i++)
        k->pids.items[i].rank = -1;
    rc = settle_events(k, sink->events, e);
    if (!rc && sink->scopes)
        rc = settle_scopes(k, sink->scopes, e);
    return rc || !sink->notes ? rc : settle_notes(k, sink->notes, e);
}
