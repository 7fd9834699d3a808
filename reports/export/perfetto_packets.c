/* What does a packet of a Perfetto trace look like?
 *
 * Field numbers are those of Perfetto's protos/perfetto/trace/: trace_packet, track_event/track_event,
 * track_descriptor, counter_descriptor, process_descriptor, debug_annotation, interned_data/interned_data,
 * clock_snapshot. */
#include "reports/export/perfetto_packets.h"

#include <string.h>

#include "core/base/count_of.h"
#include "core/base/utf8.h"
#include "reports/export/protobuf.h"

enum { TRACE_PACKET = 1 };

enum packet_field {
    PACKET_CLOCKS = 6,
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_EVENT = 11,
    PACKET_INTERNED = 12,
    PACKET_FLAGS = 13,
    PACKET_CLOCK = 58,
    PACKET_DEFAULTS = 59,
    PACKET_TRACK = 60,
    PACKET_IS_FIRST = 87
};

enum { SEQUENCE = 1, STATE_CLEARED = 1, NEEDS_STATE = 2, REAL_TIME = 1, BOOT_TIME = 6 };

enum { CLOCKS_CLOCK = 1, CLOCKS_PRIMARY = 2, CLOCK_ID = 1, CLOCK_TIME = 2 };

enum track_field {
    TRACK_NUMBER = 1,
    TRACK_NAME = 2,
    TRACK_PROCESS = 3,
    TRACK_PARENT = 5,
    TRACK_COUNTER = 8,
    TRACK_ORDER_OF_CHILDREN = 11,
    TRACK_RANK = 12,
    TRACK_DESCRIPTION = 14
};

enum { BY_RANK = 3, PROCESS_NUMBER = 1, PROCESS_NAME = 6, PROCESS_LABELS = 8, COUNTER_UNIT_NAME = 6 };

enum event_field {
    EVENT_CATEGORY = 3,
    EVENT_ARGUMENT = 4,
    EVENT_TYPE = 9,
    EVENT_NAME = 10,
    EVENT_TRACK = 11,
    EVENT_VALUE = 44,
    EVENT_FLOW = 47
};

enum event_type { SLICE_BEGIN = 1, SLICE_END = 2, INSTANT = 3, COUNTER = 4 };

enum argument_field { ARGUMENT_KEY = 1, ARGUMENT_WHOLE = 4, ARGUMENT_ARRAY = 12, ARGUMENT_TEXT = 17 };

enum { TEXT_NUMBER = 1, TEXT_BYTES = 2 };

/* Where interned_data has the texts of each kind. */
static const uint32_t text_fields[PERFETTO_TEXTS] = {
    [PERFETTO_CATEGORIES] = 1, [PERFETTO_NAMES] = 2, [PERFETTO_KEYS] = 3, [PERFETTO_VALUES] = 29};

void perfetto_init(struct perfetto_packets *p, struct byte_sink *sink)
{
    *p = (struct perfetto_packets){.sink = sink};
    for (size_t i = 0; i < PERFETTO_TEXTS; i++)
        strtab_init(&p->texts[i]);
    str_init(&p->event);
    str_init(&p->new_texts);
    str_init(&p->packet);
    str_init(&p->visible);
}

void perfetto_release(struct perfetto_packets *p)
{
    for (size_t i = 0; i < PERFETTO_TEXTS; i++)
        strtab_release(&p->texts[i]);
    str_release(&p->event);
    str_release(&p->new_texts);
    str_release(&p->packet);
    str_release(&p->visible);
}

/* ---- packets ---- */

/* The first packet says that no state comes before it, and by which clock all times are. */
static void begin_packet(struct perfetto_packets *p)
{
    struct str *packet = &p->packet;
    str_clear(packet);
    protobuf_add_whole(packet, PACKET_SEQUENCE, SEQUENCE);
    protobuf_add_whole(packet, PACKET_FLAGS, p->has_begun ? NEEDS_STATE : STATE_CLEARED);
    if (p->has_begun)
        return;
    const size_t defaults = protobuf_begin(packet, PACKET_DEFAULTS);
    protobuf_add_whole(packet, PACKET_CLOCK, BOOT_TIME);
    protobuf_end(packet, defaults);
    protobuf_add_whole(packet, PACKET_IS_FIRST, 1);
    p->has_begun = true;
}

static int end_packet(struct perfetto_packets *p, struct err *e)
{
    static const char tag = TRACE_PACKET << 3 | 2;
    protobuf_end(&p->packet, 0);
    if (p->packet.failed || p->event.failed || p->new_texts.failed || p->visible.failed)
        return err_memory(e);
    byte_sink_write(p->sink, &tag, sizeof tag);
    byte_sink_write(p->sink, p->packet.text, p->packet.length);
    return 0;
}

static void add_visible(struct perfetto_packets *p, struct str *out, uint32_t field, const char *text, size_t length)
{
    str_clear(&p->visible);
    utf8_add_visible(&p->visible, text, length);
    protobuf_add_bytes(out, field, str_text(&p->visible), p->visible.length);
}

static void add_visible_line(struct perfetto_packets *p, uint32_t field, const char *text)
{
    add_visible(p, &p->packet, field, text, strlen(text));
}

int perfetto_set_clock(struct perfetto_packets *p, int64_t begin_ns, struct err *e)
{
    const struct {
        uint64_t clock;
        int64_t ns;
    } readings[] = {{BOOT_TIME, 0}, {REAL_TIME, begin_ns}};
    begin_packet(p);
    const size_t clocks = protobuf_begin(&p->packet, PACKET_CLOCKS);
    for (size_t i = 0; i < COUNT_OF(readings); i++) {
        const size_t clock = protobuf_begin(&p->packet, CLOCKS_CLOCK);
        protobuf_add_whole(&p->packet, CLOCK_ID, readings[i].clock);
        protobuf_add_signed(&p->packet, CLOCK_TIME, readings[i].ns);
        protobuf_end(&p->packet, clock);
    }
    protobuf_add_whole(&p->packet, CLOCKS_PRIMARY, BOOT_TIME);
    protobuf_end(&p->packet, clocks);
    return end_packet(p, e);
}

static void add_process(struct perfetto_packets *p, const struct perfetto_track *track)
{
    const size_t process = protobuf_begin(&p->packet, TRACK_PROCESS);
    protobuf_add_signed(&p->packet, PROCESS_NUMBER, track->process);
    add_visible_line(p, PROCESS_NAME, track->name);
    if (track->labels)
        add_visible_line(p, PROCESS_LABELS, track->labels);
    protobuf_end(&p->packet, process);
}

int perfetto_add_track(struct perfetto_packets *p, const struct perfetto_track *track, uint64_t *number, struct err *e)
{
    begin_packet(p);
    const size_t descriptor = protobuf_begin(&p->packet, PACKET_TRACK);
    *number = ++p->tracks;
    protobuf_add_whole(&p->packet, TRACK_NUMBER, *number);
    if (track->parent)
        protobuf_add_whole(&p->packet, TRACK_PARENT, track->parent);
    if (track->process > 0)
        add_process(p, track);
    else
        add_visible_line(p, TRACK_NAME, track->name);
    if (track->unit) {
        const size_t counter = protobuf_begin(&p->packet, TRACK_COUNTER);
        add_visible_line(p, COUNTER_UNIT_NAME, track->unit);
        protobuf_end(&p->packet, counter);
    }
    if (track->process > 0)
        protobuf_add_whole(&p->packet, TRACK_ORDER_OF_CHILDREN, BY_RANK);
    protobuf_add_signed(&p->packet, TRACK_RANK, track->rank);
    if (track->description)
        add_visible_line(p, TRACK_DESCRIPTION, track->description);
    protobuf_end(&p->packet, descriptor);
    return end_packet(p, e);
}

/* ---- events ---- */

/* The number of a text. A new one is written with the packet that first needs it. */
static uint64_t number_of(struct perfetto_packets *p, enum perfetto_texts kind, const char *text, size_t length)
{
    struct strtab *table = &p->texts[kind];
    const size_t known = strtab_count(table);
    const uint32_t number = strtab_add_bytes(table, text, length);
    if (!number)
        p->event.failed = true;
    if (number <= known)
        return number;
    const size_t entry = protobuf_begin(&p->new_texts, text_fields[kind]);
    protobuf_add_whole(&p->new_texts, TEXT_NUMBER, number);
    add_visible(p, &p->new_texts, TEXT_BYTES, text, length);
    protobuf_end(&p->new_texts, entry);
    return number;
}

static void begin_event(struct perfetto_packets *p, uint64_t track, enum event_type type)
{
    str_clear(&p->event);
    str_clear(&p->new_texts);
    protobuf_add_whole(&p->event, EVENT_TYPE, type);
    protobuf_add_whole(&p->event, EVENT_TRACK, track);
}

static void begin_named(struct perfetto_packets *p, uint64_t track, enum event_type type, const char *category,
                        const char *name, size_t name_length)
{
    begin_event(p, track, type);
    protobuf_add_whole(&p->event, EVENT_CATEGORY, number_of(p, PERFETTO_CATEGORIES, category, strlen(category)));
    protobuf_add_whole(&p->event, EVENT_NAME, number_of(p, PERFETTO_NAMES, name, name_length));
}

void perfetto_begin_slice(struct perfetto_packets *p, uint64_t track, const char *category, const char *name,
                          size_t name_length)
{
    begin_named(p, track, SLICE_BEGIN, category, name, name_length);
}

void perfetto_begin_instant(struct perfetto_packets *p, uint64_t track, const char *category, const char *name,
                            size_t name_length)
{
    begin_named(p, track, INSTANT, category, name, name_length);
}

void perfetto_add_flow(struct perfetto_packets *p, uint64_t flow)
{
    protobuf_add_fixed64(&p->event, EVENT_FLOW, flow);
}

static size_t begin_argument(struct perfetto_packets *p, const char *key)
{
    const size_t argument = protobuf_begin(&p->event, EVENT_ARGUMENT);
    protobuf_add_whole(&p->event, ARGUMENT_KEY, number_of(p, PERFETTO_KEYS, key, strlen(key)));
    return argument;
}

void perfetto_add_whole(struct perfetto_packets *p, const char *key, int64_t value)
{
    const size_t argument = begin_argument(p, key);
    protobuf_add_signed(&p->event, ARGUMENT_WHOLE, value);
    protobuf_end(&p->event, argument);
}

void perfetto_add_wholes(struct perfetto_packets *p, const char *key, const int64_t *values, size_t count)
{
    const size_t argument = begin_argument(p, key);
    for (size_t i = 0; i < count; i++) {
        const size_t item = protobuf_begin(&p->event, ARGUMENT_ARRAY);
        protobuf_add_signed(&p->event, ARGUMENT_WHOLE, values[i]);
        protobuf_end(&p->event, item);
    }
    protobuf_end(&p->event, argument);
}

void perfetto_add_text(struct perfetto_packets *p, const char *key, const char *text, size_t length)
{
    const size_t argument = begin_argument(p, key);
    protobuf_add_whole(&p->event, ARGUMENT_TEXT, number_of(p, PERFETTO_VALUES, text, length));
    protobuf_end(&p->event, argument);
}

int perfetto_end_event(struct perfetto_packets *p, int64_t at_ns, struct err *e)
{
    begin_packet(p);
    protobuf_add_signed(&p->packet, PACKET_TIMESTAMP, at_ns);
    if (p->new_texts.length)
        protobuf_add_bytes(&p->packet, PACKET_INTERNED, p->new_texts.text, p->new_texts.length);
    protobuf_add_bytes(&p->packet, PACKET_EVENT, p->event.text, p->event.length);
    return end_packet(p, e);
}

int perfetto_end_slice(struct perfetto_packets *p, uint64_t track, int64_t at_ns, struct err *e)
{
    begin_event(p, track, SLICE_END);
    return perfetto_end_event(p, at_ns, e);
}

int perfetto_count(struct perfetto_packets *p, uint64_t track, int64_t at_ns, double value, struct err *e)
{
    begin_event(p, track, COUNTER);
    protobuf_add_double(&p->event, EVENT_VALUE, value);
    return perfetto_end_event(p, at_ns, e);
}
