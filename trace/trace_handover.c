/* How does what one process read of a trace become another one's? */
#include "trace/trace_handover.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/collective_notes.h"
#include "trace/host_scopes.h"

/* Both processes are the same program. */
struct header {
    struct handover about;
    int64_t time_error_ns;
    int64_t strings, caveats, events, scopes, notes;
    int rank, world_size;
    bool launches_only, may_lack_waits, lacks_migrations, has_unread;
};

enum { TEXT_MAX = 16 << 20 };

static int write_bytes(FILE *to, const void *bytes, size_t count, struct err *e)
{
    if (!count || fwrite(bytes, count, 1, to) == 1)
        return 0;
    return err_set(e, ERR_ENVIRONMENT, "cannot write a temporary file: %s", strerror(errno));
}

static int read_bytes(FILE *from, void *bytes, size_t count, struct err *e)
{
    if (!count || fread(bytes, count, 1, from) == 1)
        return 0;
    return err_set(e, ERR_INPUT, "what the process that read it wrote is not whole");
}

static int write_text(FILE *to, const char *text, size_t length, struct err *e)
{
    const uint32_t bytes = (uint32_t)length;
    int rc = write_bytes(to, &bytes, sizeof bytes, e);
    return rc ? rc : write_bytes(to, text, length, e);
}

/* The caller frees the text. */
static int read_text(FILE *from, char **text, size_t *length, struct err *e)
{
    uint32_t bytes = 0;
    *text = NULL;
    int rc = read_bytes(from, &bytes, sizeof bytes, e);
    if (rc)
        return rc;
    if (bytes > TEXT_MAX)
        return err_set(e, ERR_INPUT, "what the process that read it wrote makes no sense");
    *length = bytes;
    *text = malloc((size_t)bytes + 1);
    if (!*text)
        return err_memory(e);
    (*text)[bytes] = '\0';
    return read_bytes(from, *text, bytes, e);
}

/* ---- writing ---- */

static int write_strings(const struct strtab *strings, FILE *to, struct err *e)
{
    int rc = 0;
    for (uint32_t id = 1; id <= strtab_count(strings) && !rc; id++)
        rc = write_text(to, strtab_text(strings, id), strtab_length(strings, id), e);
    return rc;
}

static int write_caveats(const struct caveat_list *caveats, FILE *to, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < caveats->count && !rc; i++) {
        const int facts[2] = {(int)caveats->items[i].kind, caveats->items[i].elsewhere};
        rc = write_bytes(to, facts, sizeof facts, e);
        if (!rc)
            rc = write_text(to, caveats->items[i].text, strlen(caveats->items[i].text), e);
    }
    return rc;
}

static int write_events(struct event_spool *events, FILE *to, struct err *e)
{
    struct cpprof_event event;
    int rc = event_spool_rewind(events, e);
    while (!rc && (rc = event_spool_next(events, &event, e)) == 1)
        rc = write_bytes(to, &event, sizeof event, e);
    return rc;
}

static int write_records(struct record_spool *records, void *record, size_t bytes, FILE *to, struct err *e)
{
    int rc = records ? record_spool_rewind(records, e) : 0;
    while (!rc && records && (rc = record_spool_next(records, record, e)) == 1)
        rc = write_bytes(to, record, bytes, e);
    return rc;
}

int trace_handover_write(const struct reader_sink *sink, const struct handover *about, FILE *to, struct err *e)
{
    struct host_scope scope;
    struct collective_note note;
    struct header h = {.time_error_ns = sink->time_error_ns,
                       .strings = (int64_t)strtab_count(sink->strings),
                       .caveats = (int64_t)sink->caveats->count,
                       .events = event_spool_count(sink->events),
                       .scopes = sink->scopes ? record_spool_count(sink->scopes) : 0,
                       .notes = sink->notes ? record_spool_count(sink->notes) : 0,
                       .rank = sink->rank,
                       .world_size = sink->world_size,
                       .launches_only = sink->launches_only,
                       .may_lack_waits = sink->may_lack_waits,
                       .lacks_migrations = sink->lacks_migrations,
                       .has_unread = sink->has_unread};
    h.about = *about;
    int rc = write_bytes(to, &h, sizeof h, e);
    if (!rc)
        rc = write_strings(sink->strings, to, e);
    if (!rc)
        rc = write_caveats(sink->caveats, to, e);
    if (!rc)
        rc = write_events(sink->events, to, e);
    if (!rc)
        rc = write_records(sink->scopes, &scope, sizeof scope, to, e);
    return rc ? rc : write_records(sink->notes, &note, sizeof note, to, e);
}

/* ---- reading ---- */

/* ids[i] is what the string i of the writer is here. */
static int read_strings(FILE *from, int64_t count, struct strtab *strings, uint32_t *ids, struct err *e)
{
    int rc = 0;
    for (int64_t i = 1; i <= count && !rc; i++) {
        char *text;
        size_t length = 0;
        rc = read_text(from, &text, &length, e);
        if (!rc && !(ids[i] = strtab_add_bytes(strings, text, length)))
            rc = err_memory(e);
        free(text);
    }
    return rc;
}

static int read_caveats(FILE *from, int64_t count, struct caveat_list *caveats, struct err *e)
{
    int rc = 0;
    for (int64_t i = 0; i < count && !rc; i++) {
        const size_t before = caveats->count;
        int facts[2] = {0};
        char *text = NULL;
        size_t length;
        rc = read_bytes(from, facts, sizeof facts, e);
        if (!rc)
            rc = read_text(from, &text, &length, e);
        if (!rc)
            rc = caveat_add(caveats, (enum caveat_kind)facts[0], e, "%s", text);
        if (!rc && caveats->count > before)
            caveats->items[before].elsewhere = facts[1] != 0;
        free(text);
    }
    return rc;
}

struct reading {
    FILE *from;
    struct reader_sink *sink;
    uint32_t *ids;
    int64_t strings;
};

static uint32_t id_of(const struct reading *r, uint32_t id)
{
    return id <= r->strings ? r->ids[id] : 0;
}

static int read_events(struct reading *r, int64_t count, struct err *e)
{
    struct cpprof_event event;
    int rc = 0;
    for (int64_t i = 0; i < count && !rc; i++) {
        rc = read_bytes(r->from, &event, sizeof event, e);
        event.name = id_of(r, event.name);
        if (event.kind == CPPROF_EVENT_RANGE)
            event.detail = id_of(r, event.detail);
        if (!rc)
            rc = event_spool_add(r->sink->events, &event, e);
    }
    return rc;
}

static int read_scopes(struct reading *r, int64_t count, struct err *e)
{
    struct host_scope scope;
    int rc = 0;
    for (int64_t i = 0; i < count && !rc; i++) {
        rc = read_bytes(r->from, &scope, sizeof scope, e);
        scope.name = id_of(r, scope.name);
        if (!rc && r->sink->scopes)
            rc = record_spool_add(r->sink->scopes, &scope, e);
    }
    return rc;
}

static int read_notes(struct reading *r, int64_t count, struct err *e)
{
    struct collective_note note;
    int rc = 0;
    for (int64_t i = 0; i < count && !rc; i++) {
        rc = read_bytes(r->from, &note, sizeof note, e);
        note.group = id_of(r, note.group);
        note.operation = id_of(r, note.operation);
        if (!rc && r->sink->notes)
            rc = record_spool_add(r->sink->notes, &note, e);
    }
    return rc;
}

static void take_facts(const struct header *h, struct reader_sink *sink)
{
    sink->rank = h->rank;
    sink->world_size = h->world_size;
    sink->time_error_ns = h->time_error_ns;
    sink->launches_only = h->launches_only;
    sink->may_lack_waits = h->may_lack_waits;
    sink->lacks_migrations = h->lacks_migrations;
    sink->has_unread = h->has_unread;
}

int trace_handover_read(FILE *from, struct reader_sink *sink, struct handover *about, struct err *e)
{
    struct header h = {0};
    int rc = read_bytes(from, &h, sizeof h, e);
    if (rc)
        return rc;
    take_facts(&h, sink);
    *about = h.about;
    struct reading r = {from, sink, calloc((size_t)h.strings + 1, sizeof *r.ids), h.strings};
    rc = r.ids ? read_strings(from, h.strings, sink->strings, r.ids, e) : err_memory(e);
    if (!rc)
        rc = read_caveats(from, h.caveats, sink->caveats, e);
    if (!rc)
        rc = read_events(&r, h.events, e);
    if (!rc)
        rc = read_scopes(&r, h.scopes, e);
    if (!rc)
        rc = read_notes(&r, h.notes, e);
    free(r.ids);
    return rc;
}
