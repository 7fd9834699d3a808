/* perfetto_packets.h - the packets of a Perfetto trace, one at a time into a sink.
 *
 * A file is a sequence of packets: tracks (in a tree), slices that begin and end on a track, values of a counter.
 * Names are written once and then referred to by a number. Times count in ns from the begin of the trace. Text from
 * outside becomes visible UTF-8. Nothing here looks at the order of events: on one track a slice must end before what
 * begins behind it does. */
#ifndef CPPROF_PERFETTO_PACKETS_H
#define CPPROF_PERFETTO_PACKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/byte_sink.h"
#include "core/base/err.h"
#include "core/base/str.h"
#include "core/base/strtab.h"

/* What is written once: the numbers of a text are those of its table. */
enum perfetto_texts { PERFETTO_CATEGORIES, PERFETTO_NAMES, PERFETTO_KEYS, PERFETTO_VALUES, PERFETTO_TEXTS };

struct perfetto_packets {
    struct byte_sink *sink;
    struct strtab texts[PERFETTO_TEXTS];
    struct str event, new_texts, packet, visible;
    bool has_begun;
    uint64_t tracks; /* so many have a number */
};

struct perfetto_track {
    uint64_t parent; /* 0: it stands by itself */
    const char *name;
    int32_t rank;            /* among its siblings, ascending */
    int32_t process;         /* above 0: it is a process, with this number */
    const char *labels;      /* of a process; NULL: none */
    const char *unit;        /* of a counter; NULL: it holds slices */
    const char *description; /* NULL: none */
};

void perfetto_init(struct perfetto_packets *p, struct byte_sink *sink);
void perfetto_release(struct perfetto_packets *p);

/* Tells which time since 1970 the begin of the trace is. */
int perfetto_set_clock(struct perfetto_packets *p, int64_t begin_ns, struct err *e);

/* *track: its number, from 1. */
int perfetto_add_track(struct perfetto_packets *p, const struct perfetto_track *track, uint64_t *number, struct err *e);

/* Begin an event, to which arguments may be added until perfetto_end_event writes it. */
void perfetto_begin_slice(struct perfetto_packets *p, uint64_t track, const char *category, const char *name,
                          size_t name_length);
void perfetto_begin_instant(struct perfetto_packets *p, uint64_t track, const char *category, const char *name,
                            size_t name_length);
void perfetto_add_flow(struct perfetto_packets *p, uint64_t flow); /* events with the same one are linked */
void perfetto_add_whole(struct perfetto_packets *p, const char *key, int64_t value);
void perfetto_add_wholes(struct perfetto_packets *p, const char *key, const int64_t *values, size_t count);
void perfetto_add_text(struct perfetto_packets *p, const char *key, const char *text, size_t length);
int perfetto_end_event(struct perfetto_packets *p, int64_t at_ns, struct err *e);

/* Ends the innermost slice of a track. */
int perfetto_end_slice(struct perfetto_packets *p, uint64_t track, int64_t at_ns, struct err *e);

/* The value holds until the next one. */
int perfetto_count(struct perfetto_packets *p, uint64_t track, int64_t at_ns, double value, struct err *e);

#endif
