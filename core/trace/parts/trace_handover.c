/* How does what one process read of a trace become another one's? */
#include "core/trace/parts/trace_handover.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/count_of.h"
#include "core/trace/collective_notes.h"
#include "core/trace/event_stream.h"
#include "core/trace/host_scopes.h"
#include "core/trace/identity.h"
#include "core/trace/readers/event_member.h"

/* Both processes are the same program. */
struct header {
    struct handover about;
    int64_t time_error_ns, recorded_from_ns, dependent_launch;
    int64_t strings, caveats, events, scopes, notes, ranks, gpus;
    int64_t process;
    char host[PROCESS_HOST_MAX];
    int rank, world_size;
    bool launches_only, may_lack_waits, lacks_migrations, lacks_times, lacks_collectives, hides_anywhere, has_unread,
        is_mixed;
};

/* ---- writing ---- */

static int write_strings(const struct strtab *strings, FILE *to, struct err *e)
{
    int rc = 0;
    for (uint32_t id = 1; id <= strtab_count(strings) && !rc; id++)
        rc = part_write_text(to, strtab_text(strings, id), strtab_length(strings, id), e);
    return rc;
}

static int write_caveats(const struct caveat_list *caveats, FILE *to, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < caveats->count && !rc; i++) {
        const int facts[2] = {(int)caveats->items[i].kind, caveats->items[i].elsewhere};
        rc = part_write(to, facts, sizeof facts, e);
        if (!rc)
            rc = part_write_text(to, caveats->items[i].text, strlen(caveats->items[i].text), e);
    }
    return rc;
}

static int write_events(struct event_spool *events, FILE *to, struct err *e)
{
    struct cpprof_event event;
    int rc = event_spool_rewind(events, e);
    while (!rc && (rc = event_spool_next(events, &event, e)) == 1)
        rc = part_write(to, &event, sizeof event, e);
    return rc;
}

static int write_records(struct record_spool *records, void *record, size_t bytes, FILE *to, struct err *e)
{
    int rc = records ? record_spool_rewind(records, e) : 0;
    while (!rc && records && (rc = record_spool_next(records, record, e)) == 1)
        rc = part_write(to, record, bytes, e);
    return rc;
}

static int write_ranks(const struct rank_starts *ranks, FILE *to, struct err *e)
{
    struct rank_facts *facts = calloc(ranks->count + 1, sizeof *facts);
    if (!facts)
        return err_memory(e);
    rank_starts_facts(ranks, facts);
    const int rc = part_write(to, facts, ranks->count * sizeof *facts, e);
    free(facts);
    return rc;
}

static int write_all(const struct reader_sink *sink, FILE *to, struct err *e)
{
    struct host_scope scope;
    struct collective_note note;
    int rc = write_events(sink->events, to, e);
    if (!rc)
        rc = write_records(sink->scopes, &scope, sizeof scope, to, e);
    if (!rc)
        rc = write_records(sink->notes, &note, sizeof note, to, e);
    return rc || !sink->gpus ? rc : part_write(to, sink->gpus->items, sink->gpus->count * sizeof *sink->gpus->items, e);
}

int trace_handover_write(const struct reader_sink *sink, struct handover *about, const struct rank_starts *ranks,
                         FILE *to, struct err *e)
{
    about->events = event_spool_count(sink->events);
    const bool all = !about->is_measured;
    struct header h = {.time_error_ns = sink->time_error_ns,
                       .recorded_from_ns = sink->recorded_from_ns,
                       .dependent_launch = sink->dependent_launch,
                       .strings = (int64_t)strtab_count(sink->strings),
                       .caveats = (int64_t)sink->caveats->count,
                       .events = all ? about->events : 0,
                       .scopes = all && sink->scopes ? record_spool_count(sink->scopes) : 0,
                       .notes = all && sink->notes ? record_spool_count(sink->notes) : 0,
                       .ranks = all ? 0 : (int64_t)ranks->count,
                       .gpus = all && sink->gpus ? (int64_t)sink->gpus->count : 0,
                       .process = sink->process,
                       .rank = sink->rank,
                       .world_size = sink->world_size,
                       .launches_only = sink->launches_only,
                       .may_lack_waits = sink->may_lack_waits,
                       .lacks_migrations = sink->lacks_migrations,
                       .lacks_times = sink->lacks_times,
                       .lacks_collectives = sink->lacks_collectives,
                       .hides_anywhere = sink->hides_anywhere,
                       .has_unread = sink->has_unread,
                       .is_mixed = sink->is_mixed};
    h.about = *about;
    memcpy(h.host, sink->host, sizeof h.host);
    int rc = part_write(to, &h, sizeof h, e);
    if (!rc)
        rc = write_strings(sink->strings, to, e);
    if (!rc)
        rc = write_caveats(sink->caveats, to, e);
    if (rc)
        return rc;
    return all ? write_all(sink, to, e) : write_ranks(ranks, to, e);
}

/* ---- reading ---- */

static int read_strings(struct part_reader *r, int64_t count, struct strtab *strings, struct err *e)
{
    int rc = 0;
    r->strings = count;
    r->ids = calloc((size_t)count + 1, sizeof *r->ids);
    if (!r->ids)
        return err_memory(e);
    for (int64_t i = 1; i <= count && !rc; i++) {
        char *text;
        size_t length = 0;
        rc = part_read_text(r, &text, &length, e);
        if (!rc && !(r->ids[i] = strtab_add_bytes(strings, text, length)))
            rc = err_memory(e);
        free(text);
    }
    return rc;
}

static int read_caveats(struct part_reader *r, int64_t count, struct caveat_list *caveats, struct err *e)
{
    int rc = 0;
    for (int64_t i = 0; i < count && !rc; i++) {
        const size_t before = caveats->count;
        int facts[2] = {0};
        char *text = NULL;
        size_t length;
        rc = part_read(r, facts, sizeof facts, e);
        if (!rc && (facts[0] < CAVEAT_NOTE || facts[0] > CAVEAT_TRUNCATED))
            rc = part_makes_no_sense(e);
        if (!rc)
            rc = part_read_text(r, &text, &length, e);
        if (!rc)
            rc = caveat_add(caveats, (enum caveat_kind)facts[0], e, "%s", text);
        if (!rc && caveats->count > before)
            caveats->items[before].elsewhere = facts[1] != 0;
        free(text);
    }
    return rc;
}

/* As readers give them: an end may be a start at the limit and a duration, and that of unfinished work is no time. */
static bool times_are_sane(const struct cpprof_event *event)
{
    const bool is_finished = !(event->flags & (CPPROF_EVENT_UNFINISHED | EVENT_IS_FALSE));
    return event->start_ns >= -EVENT_TIME_NS_MAX && event->start_ns <= EVENT_TIME_NS_MAX &&
           (!is_finished || (event->end_ns >= event->start_ns && event->end_ns <= 2 * EVENT_TIME_NS_MAX));
}

static int read_events(struct part_reader *r, int64_t count, struct event_spool *events, struct err *e)
{
    struct cpprof_event event;
    int rc = 0;
    for (int64_t i = 0; i < count && !rc; i++) {
        rc = part_read(r, &event, sizeof event, e);
        if (!rc && !times_are_sane(&event))
            rc = part_makes_no_sense(e);
        if (rc)
            break;
        event.name = part_string(r, event.name);
        if (event.kind == CPPROF_EVENT_RANGE)
            event.detail = part_string(r, event.detail);
        rc = event_spool_add(events, &event, e);
    }
    return rc;
}

static int read_scopes(struct part_reader *r, int64_t count, struct record_spool *scopes, struct err *e)
{
    struct host_scope scope;
    int rc = 0;
    for (int64_t i = 0; i < count && !rc; i++) {
        rc = part_read(r, &scope, sizeof scope, e);
        if (rc)
            break;
        scope.name = part_string(r, scope.name);
        if (scopes)
            rc = record_spool_add(scopes, &scope, e);
    }
    return rc;
}

static int read_notes(struct part_reader *r, int64_t count, struct record_spool *notes, struct err *e)
{
    struct collective_note note;
    int rc = 0;
    for (int64_t i = 0; i < count && !rc; i++) {
        rc = part_read(r, &note, sizeof note, e);
        if (rc)
            break;
        note.group = part_string(r, note.group);
        note.operation = part_string(r, note.operation);
        if (notes)
            rc = record_spool_add(notes, &note, e);
    }
    return rc;
}

static int read_gpus(struct part_reader *r, int64_t count, struct gpu_places *gpus, struct err *e)
{
    struct gpu_place place;
    int rc = 0;
    for (int64_t i = 0; i < count && !rc; i++) {
        rc = part_read(r, &place, sizeof place, e);
        if (!rc && gpus)
            rc = gpu_places_add(gpus, place.rank, place.device, place.gpu, e);
    }
    return rc;
}

static int read_ranks(struct part_reader *r, int64_t count, struct rank_facts **ranks, struct err *e)
{
    *ranks = calloc((size_t)count + 1, sizeof **ranks);
    r->ranks = calloc((size_t)count + 1, sizeof *r->ranks);
    if (!*ranks || !r->ranks)
        return err_memory(e);
    int rc = part_read(r, *ranks, (size_t)count * sizeof **ranks, e);
    for (int64_t i = 0; !rc && i < count; i++) {
        r->ranks[i].own = r->ranks[i].here = (*ranks)[i].rank;
        if (!(*ranks)[i].kinds)
            rc = part_makes_no_sense(e);
    }
    r->rank_count = (size_t)count;
    return rc;
}

static bool makes_sense(const struct header *h)
{
    const int64_t counts[] = {h->caveats, h->events, h->scopes, h->notes, h->gpus, h->about.events};
    bool ok = h->strings >= 0 && h->strings <= EVENT_STREAM_NAME_BYTES_MAX && h->ranks >= 0 && h->ranks <= UINT16_MAX;
    for (size_t i = 0; i < COUNT_OF(counts); i++)
        ok &= counts[i] >= 0;
    ok &= h->time_error_ns >= 0 && h->time_error_ns <= EVENT_TIME_ERROR_NS_MAX;
    ok &= h->dependent_launch >= DEPENDENT_LAUNCH_UNSAID && h->dependent_launch <= DEPENDENT_LAUNCH_MIXED;
    ok &= h->recorded_from_ns == INT64_MIN ||
          (h->recorded_from_ns >= -EVENT_TIME_NS_MAX && h->recorded_from_ns <= EVENT_TIME_NS_MAX);
    return ok && h->about.why.code <= 0 && h->about.failed.code <= 0 &&
           !part_flags_are_good(NULL, 11, &h->about.is_skipped, &h->about.is_measured, &h->about.scope.found,
                                &h->launches_only, &h->may_lack_waits, &h->lacks_migrations, &h->lacks_times,
                                &h->lacks_collectives, &h->hides_anywhere, &h->has_unread, &h->is_mixed);
}

static void take_facts(const struct header *h, struct reader_sink *sink)
{
    sink->process = h->process;
    memcpy(sink->host, h->host, sizeof sink->host);
    sink->host[sizeof sink->host - 1] = '\0';
    sink->rank = h->rank;
    sink->world_size = h->world_size;
    sink->time_error_ns = h->time_error_ns;
    sink->recorded_from_ns = h->recorded_from_ns;
    sink->dependent_launch = (enum dependent_launch)h->dependent_launch;
    sink->launches_only = h->launches_only;
    sink->may_lack_waits = h->may_lack_waits;
    sink->lacks_migrations = h->lacks_migrations;
    sink->lacks_times = h->lacks_times;
    sink->lacks_collectives = h->lacks_collectives;
    sink->hides_anywhere = h->hides_anywhere;
    sink->has_unread = h->has_unread;
    sink->is_mixed = h->is_mixed;
}

int trace_handover_read(struct part_reader *r, struct reader_sink *sink, struct handover *about,
                        struct rank_facts **ranks, struct err *e)
{
    struct header h = {0};
    int rc = part_read(r, &h, sizeof h, e);
    if (!rc && !makes_sense(&h))
        rc = part_makes_no_sense(e);
    if (rc)
        return rc;
    take_facts(&h, sink);
    *about = h.about;
    about->why.text[sizeof about->why.text - 1] = about->failed.text[sizeof about->failed.text - 1] = '\0';
    rc = read_strings(r, h.strings, sink->strings, e);
    if (!rc)
        rc = read_caveats(r, h.caveats, sink->caveats, e);
    if (!rc)
        rc = read_events(r, h.events, sink->events, e);
    if (!rc)
        rc = read_scopes(r, h.scopes, sink->scopes, e);
    if (!rc)
        rc = read_notes(r, h.notes, sink->notes, e);
    if (!rc)
        rc = read_gpus(r, h.gpus, sink->gpus, e);
    return rc ? rc : read_ranks(r, h.ranks, ranks, e);
}
