/* Does what the shard writer writes come back, and what happens when it does not? */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/collective_row.h"
#include "core/base/files.h"
#include "core/base/shard_writer.h"
#include "core/bundle/bundle_write.h"
#include "core/trace/event_stream.h"
#include "core/trace/object_names.h"
#include "cpprof/shard.h"
#include "tests/test.h"
#include "tests/unit/stream_caveats.h"

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/cpprof-test-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return files_remove_tree(folder, NULL);
}

static const char *in_folder(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_bytes(const char *path, const char *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

/* A kernel, a range with a domain and an unfinished kernel, in two flushes. */
static void write_shard(const char *path, int32_t rank, bool close_it)
{
    struct shard_writer w;
    assert_int_equal(shard_writer_open(&w, path, rank, 1000, NULL), 0);
    uint32_t kernel = shard_writer_string(&w, "tile<3>(float*)");
    struct cpprof_event event = {.start_ns = 2000,
                                 .end_ns = 2500,
                                 .kind = CPPROF_EVENT_KERNEL,
                                 .name = kernel,
                                 .rank = -1,
                                 .device = 1,
                                 .stream = 7,
                                 .grid = {4, 2, 1},
                                 .block = {128, 1, 1},
                                 .graph_node = 5};
    assert_int_equal(shard_writer_add(&w, &event, NULL), 0);
    assert_int_equal(shard_writer_flush(&w, NULL), 0);
    uint32_t range = shard_writer_string(&w, "phase"), domain = shard_writer_string(&w, "cpprof");
    event = (struct cpprof_event){.start_ns = 1500,
                                  .end_ns = 3000,
                                  .kind = CPPROF_EVENT_RANGE,
                                  .name = range,
                                  .rank = -1,
                                  .device = -1,
                                  .thread = 42,
                                  .detail = domain};
    assert_int_equal(shard_writer_add(&w, &event, NULL), 0);
    event = (struct cpprof_event){
        .start_ns = 2600, .kind = CPPROF_EVENT_KERNEL, .flags = CPPROF_EVENT_UNFINISHED, .name = kernel, .rank = -1};
    assert_int_equal(shard_writer_add(&w, &event, NULL), 0);
    if (close_it) {
        assert_int_equal(shard_writer_close(&w, NULL), 0);
        return;
    }
    assert_int_equal(shard_writer_flush(&w, NULL), 0);
    close(w.fd);
    strtab_release(&w.strings);
    free(w.items);
}

static struct event_stream *open_stream(const char *path)
{
    struct event_stream *s;
    struct err e = {0};
    if (event_stream_open(&s, path, &e))
        fail_msg("%s", e.text);
    return s;
}

TEST(shards_round_trip)
{
    write_shard(in_folder("a.bin"), 3, true);
    struct event_stream *s = open_stream(in_folder("a.bin"));
    const struct strtab *strings = event_stream_strings(s);
    struct cpprof_event event;
    assert_int_equal(event_stream_count(s), 3);
    assert_int_equal(event_stream_caveats(s)->count, 0);
    assert_int_equal(event_stream_next(s, &event, NULL), 1); /* the range starts first */
    assert_int_equal(event.kind, CPPROF_EVENT_RANGE);
    assert_string_equal(strtab_text(strings, event.name), "phase");
    assert_string_equal(strtab_text(strings, event.detail), "cpprof");
    assert_int_equal(event.thread, 42);
    assert_int_equal(event.rank, 3);
    assert_int_equal(event_stream_next(s, &event, NULL), 1);
    assert_string_equal(strtab_text(strings, event.name), "tile<3>(float*)");
    assert_int_equal(event.end_ns, 2500);
    assert_int_equal(event.grid[1], 2);
    assert_int_equal(event.graph_node, 5);
    assert_int_equal(event_stream_next(s, &event, NULL), 1);
    assert_true(event.flags & CPPROF_EVENT_UNFINISHED);
    assert_int_equal(event_stream_next(s, &event, NULL), 0);
    event_stream_free(s);
}

TEST(losses_become_caveats)
{
    write_shard(in_folder("killed.bin"), -1, false);
    struct event_stream *s = open_stream(in_folder("killed.bin"));
    assert_int_equal(event_stream_count(s), 3);
    assert_true(has_caveat(s, CAVEAT_WEAKENS, "killed.bin: the process ended before its trace was closed"));
    event_stream_free(s);

    struct shard_writer w;
    struct cpprof_event strange = {.start_ns = 1, .end_ns = 2, .kind = 77};
    assert_int_equal(shard_writer_open(&w, in_folder("dropped.bin"), -1, 0, NULL), 0);
    shard_writer_dropped(&w, CPPROF_EVENT_KERNEL, 12);
    shard_writer_dropped(&w, 0, 5);
    assert_int_equal(shard_writer_add(&w, &strange, NULL), 0);
    assert_int_equal(shard_writer_close(&w, NULL), 0);
    s = open_stream(in_folder("dropped.bin"));
    assert_int_equal(event_stream_count(s), 0);
    assert_true(has_caveat(s, CAVEAT_WEAKENS, "12 kernel records were dropped"));
    assert_true(has_caveat(s, CAVEAT_WEAKENS, "5 records were dropped"));
    assert_true(has_caveat(s, CAVEAT_WEAKENS, "1 events of a kind that this cpprof does not know"));
    event_stream_free(s);
}

/* Labels fill their part and no more; other names go on finding room until theirs is full, too. One that is known
 * already needs none. */
TEST(names_without_end_share_one)
{
    enum {
        LENGTH = 256 * 1024,
        ENTRY = LENGTH + 80,
        LABELS = SHARD_LABEL_BYTES_MAX / ENTRY,
        ALL = SHARD_NAME_BYTES_MAX / ENTRY
    };
    struct shard_writer w;
    struct cpprof_event event = {.start_ns = 1, .end_ns = 2, .kind = CPPROF_EVENT_KERNEL, .device = -1, .rank = -1};
    char *text = calloc(1, LENGTH + 1);
    memset(text, 'x', LENGTH);
    assert_int_equal(shard_writer_open(&w, in_folder("names.bin"), -1, 0, NULL), 0);
    for (int i = 0; i < 100; i++) {
        text[0] = (char)(1 + i);
        const uint32_t id = i < 80 ? shard_writer_label(&w, text) : shard_writer_string(&w, text);
        const bool has_room = i < LABELS || (i >= 80 && i < 80 + ALL - LABELS);
        assert_int_equal(!strcmp(strtab_text(&w.strings, id), SHARD_NAME_LEFT_OUT), !has_room);
        event.name = id;
        assert_int_equal(shard_writer_add(&w, &event, NULL), 0);
        if (i == 50)
            assert_int_equal(shard_writer_flush(&w, NULL), 0); /* each chunk tells what is new */
    }
    text[0] = 1;
    assert_int_equal(shard_writer_label(&w, text), 1);
    assert_true(w.strings.size_bytes <= SHARD_NAME_BYTES_MAX + 200);
    free(text);
    assert_int_equal(w.names_left_out, 100 - ALL);
    assert_int_equal(shard_writer_close(&w, NULL), 0);
    assert_int_equal(w.names_left_out, 100 - ALL);
    struct event_stream *s = open_stream(in_folder("names.bin"));
    assert_int_equal(event_stream_count(s), 100);
    assert_true(has_caveat(s, CAVEAT_WEAKENS, "37 times '(too many names)' stands for one of them")); /* 100 - 63 */
    event_stream_free(s);
}

/* Nine processes with 15 names of a MiB each, of which 128 MiB hold 127: eight are one. */
TEST(names_of_many_processes_share_one)
{
    enum { LENGTH = 1024 * 1024, SHARDS = 9, NAMES = 15 };
    char *text = calloc(1, LENGTH + 1), path[32];
    memset(text, 'x', LENGTH);
    assert_int_equal(mkdir(in_folder("ranks"), 0700), 0);
    for (int shard = 0; shard < SHARDS; shard++) {
        struct shard_writer w;
        snprintf(path, sizeof path, "ranks/%d.bin", shard);
        assert_int_equal(shard_writer_open(&w, in_folder(path), shard, 0, NULL), 0);
        for (int i = 0; i < NAMES; i++) {
            text[0] = (char)(1 + shard * NAMES + i);
            const struct cpprof_event event = {
                .start_ns = 1, .end_ns = 2, .kind = CPPROF_EVENT_KERNEL, .name = shard_writer_string(&w, text)};
            assert_int_equal(shard_writer_add(&w, &event, NULL), 0);
        }
        assert_int_equal(shard_writer_close(&w, NULL), 0);
        assert_int_equal(w.names_left_out, 0);
    }
    free(text);
    struct event_stream *s = open_stream(in_folder("ranks"));
    assert_int_equal(event_stream_count(s), SHARDS * NAMES);
    assert_int_equal(strtab_count(event_stream_strings(s)), 128);
    assert_true(
        has_caveat(s, CAVEAT_WEAKENS, "8.bin: too many distinct names: for 8 of them stands '(too many names)'"));
    event_stream_free(s);
    files_remove_tree(in_folder("ranks"), NULL);
}

/* When one object has two names, the last counts. */
TEST(objects_have_names)
{
    struct shard_writer w;
    assert_int_equal(shard_writer_open(&w, in_folder("objects.bin"), 3, 0, NULL), 0);
    const uint32_t first = shard_writer_label(&w, "first"), second = shard_writer_label(&w, "second");
    const struct cpprof_name_row rows[] = {{CPPROF_NAMED_STREAM, 2, 7, first},
                                           {CPPROF_NAMED_STREAM, 1, 7, first},
                                           {CPPROF_NAMED_THREAD, 0, 99, second},
                                           {CPPROF_NAMED_STREAM, 1, 7, second}};
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(shard_writer_name(&w, &rows[i], NULL), 0);
    assert_int_equal(shard_writer_close(&w, NULL), 0);
    struct event_stream *s = open_stream(in_folder("objects.bin"));
    static const struct {
        uint32_t object, context, id;
        const char *name;
    } expected[] = {{CPPROF_NAMED_THREAD, 0, 99, "second"},
                    {CPPROF_NAMED_STREAM, 1, 7, "second"},
                    {CPPROF_NAMED_STREAM, 2, 7, "first"}};
    const struct object_names *names = event_stream_object_names(s);
    assert_int_equal(names->count, 3);
    for (size_t i = 0; i < 3; i++) {
        const struct object_name *n = &names->items[i];
        assert_true(n->rank == 3 && n->object == expected[i].object && n->context == expected[i].context);
        assert_int_equal(n->id, expected[i].id);
        assert_string_equal(strtab_text(event_stream_strings(s), n->name), expected[i].name);
    }
    event_stream_free(s);
}

/* A range whose beginning was not recorded has no name and no length: it is said, and is no range. */
TEST(ends_without_a_beginning_are_no_ranges)
{
    struct shard_writer w;
    struct cpprof_event event = {.start_ns = 5, .end_ns = 5, .kind = CPPROF_EVENT_RANGE, .device = -1, .rank = -1};
    assert_int_equal(shard_writer_open(&w, in_folder("ends.bin"), -1, 0, NULL), 0);
    assert_int_equal(shard_writer_add(&w, &event, NULL), 0);
    event.name = shard_writer_string(&w, "a moment");
    assert_int_equal(shard_writer_add(&w, &event, NULL), 0);
    assert_int_equal(shard_writer_close(&w, NULL), 0);
    struct event_stream *s = open_stream(in_folder("ends.bin"));
    assert_int_equal(event_stream_count(s), 1);
    assert_int_equal(event_stream_next(s, &event, NULL), 1);
    assert_string_equal(strtab_text(event_stream_strings(s), event.name), "a moment");
    assert_true(has_caveat(s, CAVEAT_NOTE, "1 NVTX ranges had begun before recording did"));
    event_stream_free(s);
}

/* Cut at any byte: an error, or a caveat and no event that was not written. */
TEST(a_shard_cut_anywhere_says_so)
{
    static const int64_t starts_ns[] = {1500, 2000, 2600};
    struct str bytes;
    str_init(&bytes);
    write_shard(in_folder("whole.bin"), 0, true);
    assert_int_equal(files_read(in_folder("whole.bin"), 1 << 20, &bytes, NULL), 0);
    for (size_t length = 0; length < bytes.length; length++) {
        struct event_stream *s;
        struct err e = {0};
        write_bytes(in_folder("cut.bin"), bytes.text, length);
        if (event_stream_open(&s, in_folder("cut.bin"), &e)) {
            assert_int_equal(e.code, ERR_INPUT);
            assert_true(length < sizeof(struct cpprof_shard_header));
            continue;
        }
        assert_true(caveat_has(event_stream_caveats(s), CAVEAT_TRUNCATED) ||
                    caveat_has(event_stream_caveats(s), CAVEAT_WEAKENS));
        struct cpprof_event event;
        while (event_stream_next(s, &event, NULL) == 1)
            assert_true(event.start_ns == starts_ns[0] || event.start_ns == starts_ns[1] ||
                        event.start_ns == starts_ns[2]);
        event_stream_free(s);
    }
    str_release(&bytes);
}

/* Any single byte that changes behind the header is found or harmless; none crashes. */
TEST(a_shard_with_a_flipped_byte_says_so)
{
    struct str bytes;
    str_init(&bytes);
    write_shard(in_folder("good.bin"), 0, true);
    assert_int_equal(files_read(in_folder("good.bin"), 1 << 20, &bytes, NULL), 0);
    for (size_t at = 0; at < bytes.length; at++) {
        struct event_stream *s;
        struct err e = {0};
        bytes.text[at] ^= 0x41;
        write_bytes(in_folder("flipped.bin"), bytes.text, bytes.length);
        bytes.text[at] ^= 0x41;
        int rc = event_stream_open(&s, in_folder("flipped.bin"), &e);
        if (rc)
            assert_int_equal(rc, ERR_INPUT);
        else if (at >= sizeof(struct cpprof_shard_header) && !event_stream_caveats(s)->count)
            fail_msg("byte %zu of %zu changed unnoticed", at, bytes.length);
        event_stream_free(s);
    }
    str_release(&bytes);
}

/* A shard of one header and one chunk, made by hand. */
static void add_chunk(struct str *out, uint32_t type, const void *payload, size_t bytes)
{
    static const uint32_t crc_of_nothing = 0;
    struct cpprof_chunk_header chunk = {.type = type, .payload_bytes = bytes};
    chunk.checksum = bytes ? 0 : crc_of_nothing;
    for (size_t i = 0; i < bytes; i++) { /* CRC-32 bit by bit, independent of zlib */
        uint32_t crc = i ? ~chunk.checksum : 0xffffffffu;
        crc ^= ((const unsigned char *)payload)[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? (crc >> 1) ^ 0xedb88320u : crc >> 1;
        chunk.checksum = ~crc;
    }
    str_add_bytes(out, (const char *)&chunk, sizeof chunk);
    str_add_bytes(out, payload, bytes);
}

static struct cpprof_shard_header plain_header(void)
{
    struct cpprof_shard_header h = {
        .version = CPPROF_SHARD_VERSION, .header_bytes = sizeof h, .record_bytes = 96, .rank = -1};
    memcpy(h.magic, CPPROF_SHARD_MAGIC, sizeof h.magic);
    return h;
}

TEST(hostile_chunks_end_the_good_part)
{
    static const uint32_t long_string[] = {1, 100}, wrong_id[] = {2, 0}, huge_id[] = {UINT32_MAX, 0},
                          cut_string[] = {1};
    static const struct cpprof_name_row strange = {CPPROF_NAMED_STREAM, 1, 7, 9};
    static const struct cpprof_event nameless = {.start_ns = 5, .end_ns = 6, .kind = CPPROF_EVENT_KERNEL, .name = 9};
    static const struct cpprof_event timeless = {
        .start_ns = INT64_MIN, .end_ns = INT64_MAX, .kind = CPPROF_EVENT_KERNEL};
    static const struct collective_row stranger = {.end_ns = 1, .position = 1, .protocol = 9},
                                       early = {.begin_ns = 2, .end_ns = 1, .position = 1}, unnumbered = {.end_ns = 1};
    static const struct {
        uint32_t type;
        const void *payload;
        size_t bytes;
        const char *caveat;
    } cases[] = {
        {CPPROF_CHUNK_STRINGS, long_string, sizeof long_string, "byte 48: a string is longer than its chunk"},
        {CPPROF_CHUNK_STRINGS, wrong_id, sizeof wrong_id, "byte 48: string ids do not count up from 1"},
        {CPPROF_CHUNK_STRINGS, huge_id, sizeof huge_id, "byte 48: string ids do not count up from 1"},
        {CPPROF_CHUNK_STRINGS, cut_string, sizeof cut_string, "byte 48: a string record is cut"},
        {CPPROF_CHUNK_EVENTS, &timeless, sizeof timeless, "byte 48: the times of an event are no times"},
        {CPPROF_CHUNK_EVENTS, &nameless, sizeof nameless, "byte 48: an event names a string that is not there"},
        {CPPROF_CHUNK_EVENTS, &nameless, sizeof nameless - 1, "byte 48: an event chunk holds part of a record"},
        {CPPROF_CHUNK_DROPPED, wrong_id, sizeof wrong_id, "byte 48: a chunk of dropped counts holds part of a row"},
        {CPPROF_CHUNK_NAMES, wrong_id, sizeof wrong_id, "byte 48: a chunk of names holds part of a row"},
        {CPPROF_CHUNK_NAMES, &strange, sizeof strange, "byte 48: a name has a string that is not there"},
        {CPPROF_CHUNK_NAMES_LEFT_OUT, cut_string, sizeof cut_string, "byte 48: a count of left out names is no count"},
        {CPPROF_CHUNK_END, &nameless, sizeof nameless, "byte 48: a chunk that says the end is not empty"},
        {SHARD_CHUNK_COLLECTIVES, &early, sizeof early - 1, "byte 48: a chunk of collectives holds part of a row"},
        {SHARD_CHUNK_COLLECTIVES, &stranger, sizeof stranger, "byte 48: a collective has a string that is not there"},
        {SHARD_CHUNK_COLLECTIVES, &early, sizeof early, "byte 48: a collective ends before it starts"},
        {SHARD_CHUNK_COLLECTIVES, &unnumbered, sizeof unnumbered, "or has no number"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct cpprof_shard_header h = plain_header();
        struct str bytes;
        str_init(&bytes);
        str_add_bytes(&bytes, (const char *)&h, sizeof h);
        add_chunk(&bytes, cases[i].type, cases[i].payload, cases[i].bytes);
        write_bytes(in_folder("hostile.bin"), bytes.text, bytes.length);
        struct event_stream *s = open_stream(in_folder("hostile.bin"));
        assert_int_equal(event_stream_count(s), 0);
        assert_true(has_caveat(s, CAVEAT_TRUNCATED, cases[i].caveat));
        event_stream_free(s);
        str_release(&bytes);
    }
}

/* It is one row; what comes behind it is as good as before. */
TEST(an_event_that_ends_before_it_starts_is_left_out)
{
    static const struct cpprof_event events[] = {{.start_ns = 5, .end_ns = 4, .kind = CPPROF_EVENT_KERNEL},
                                                 {.start_ns = 7, .end_ns = 9, .kind = CPPROF_EVENT_KERNEL}};
    const struct cpprof_shard_header h = plain_header();
    struct cpprof_event event;
    struct str bytes;
    str_init(&bytes);
    str_add_bytes(&bytes, (const char *)&h, sizeof h);
    add_chunk(&bytes, CPPROF_CHUNK_EVENTS, events, sizeof events);
    write_bytes(in_folder("backwards.bin"), bytes.text, bytes.length);
    struct event_stream *s = open_stream(in_folder("backwards.bin"));
    assert_true(
        has_caveat(s, CAVEAT_TIMES, "rows that end before they begin, which are left out: 1; the first is kernel"));
    assert_int_equal(event_stream_next(s, &event, NULL), 1);
    assert_int_equal(event.start_ns, 7);
    assert_int_equal(event_stream_next(s, &event, NULL), 0);
    event_stream_free(s);
    str_release(&bytes);
}

/* The checksum of a chunk does not cover its type: rows that became another kind of rows must not hide. */
TEST(what_a_chunk_hides_is_said)
{
    static const struct {
        uint32_t kind, zero;
        uint64_t count;
    } losses[] = {{CPPROF_EVENT_KERNEL, 0, UINT64_MAX}, {CPPROF_EVENT_KERNEL, 0, 3}};
    static const struct cpprof_event event = {.start_ns = 5, .end_ns = 6, .kind = CPPROF_EVENT_KERNEL};
    static const struct {
        uint32_t types[2];
        const void *payloads[2];
        size_t bytes[2];
        enum caveat_kind kind;
        const char *caveat;
    } cases[] = {
        {{CPPROF_CHUNK_DROPPED, CPPROF_CHUNK_END},
         {losses, ""},
         {sizeof losses, 0},
         CAVEAT_WEAKENS,
         "18446744073709551615 kernel records were dropped"}, /* and 3, but no sum that wrapped */
        {{CPPROF_CHUNK_END, CPPROF_CHUNK_EVENTS},
         {"", &event},
         {0, sizeof event},
         CAVEAT_TRUNCATED,
         "byte 64: a chunk stands behind the end"},
        {{CPPROF_CHUNK_END, CPPROF_CHUNK_END},
         {"", ""},
         {0, 0},
         CAVEAT_TRUNCATED,
         "byte 64: a chunk stands behind the end"},
        {{CPPROF_CHUNK_NAMES, CPPROF_CHUNK_END},
         {&event, ""},
         {sizeof event, 0},
         CAVEAT_WEAKENS,
         "names are of no kind of object that this cpprof knows"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct cpprof_shard_header h = plain_header();
        struct str bytes;
        str_init(&bytes);
        str_add_bytes(&bytes, (const char *)&h, sizeof h);
        for (size_t k = 0; k < 2; k++)
            add_chunk(&bytes, cases[i].types[k], cases[i].payloads[k], cases[i].bytes[k]);
        write_bytes(in_folder("hiding.bin"), bytes.text, bytes.length);
        struct event_stream *s = open_stream(in_folder("hiding.bin"));
        assert_int_equal(event_stream_count(s), 0);
        assert_true(has_caveat(s, cases[i].kind, cases[i].caveat));
        event_stream_free(s);
        str_release(&bytes);
    }
}

/* Larger headers and records are read; chunk types from later are passed over, and said. */
TEST(newer_writers_are_understood)
{
    struct {
        struct cpprof_shard_header header;
        char more[16];
    } head = {plain_header(), "more"};
    struct {
        struct cpprof_event event;
        char more[8];
    } records[2] = {{{.start_ns = 10, .end_ns = 20, .kind = CPPROF_EVENT_KERNEL}, "x"},
                    {{.start_ns = 30, .end_ns = 40, .kind = CPPROF_EVENT_MEMSET}, "y"}};
    head.header.header_bytes = sizeof head;
    head.header.record_bytes = sizeof records[0];
    struct str bytes;
    str_init(&bytes);
    str_add_bytes(&bytes, (const char *)&head, sizeof head);
    add_chunk(&bytes, 99, "new", 3);
    add_chunk(&bytes, CPPROF_CHUNK_EVENTS, records, sizeof records);
    add_chunk(&bytes, CPPROF_CHUNK_END, "", 0);
    write_bytes(in_folder("newer.bin"), bytes.text, bytes.length);
    struct event_stream *s = open_stream(in_folder("newer.bin"));
    struct cpprof_event event;
    assert_int_equal(event_stream_caveats(s)->count, 1);
    assert_true(has_caveat(s, CAVEAT_WEAKENS, "1 chunks of a type that this cpprof does not know"));
    assert_int_equal(event_stream_next(s, &event, NULL), 1);
    assert_int_equal(event.end_ns, 20);
    assert_int_equal(event_stream_next(s, &event, NULL), 1);
    assert_int_equal(event.kind, CPPROF_EVENT_MEMSET);
    event_stream_free(s);
    str_release(&bytes);
}

TEST(bad_headers_are_refused)
{
    static const struct {
        size_t offset;
        uint32_t value;
        const char *message;
    } cases[] = {
        {offsetof(struct cpprof_shard_header, version), 2, "has shard version 2, this cpprof reads version 1"},
        {offsetof(struct cpprof_shard_header, header_bytes), 4, "bad header: 4 header bytes"},
        {offsetof(struct cpprof_shard_header, header_bytes), UINT32_MAX, "bad header: 4294967295 header bytes"},
        {offsetof(struct cpprof_shard_header, record_bytes), 95, "bad header: 95 bytes a record"},
        {offsetof(struct cpprof_shard_header, record_bytes), 0, "bad header: 0 bytes a record"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct cpprof_shard_header h = plain_header();
        struct event_stream *s;
        struct err e = {0};
        memcpy((char *)&h + cases[i].offset, &cases[i].value, sizeof cases[i].value);
        write_bytes(in_folder("header.bin"), (const char *)&h, sizeof h);
        assert_int_equal(event_stream_open(&s, in_folder("header.bin"), &e), ERR_INPUT);
        assert_non_null(strstr(e.text, cases[i].message));
    }
}

static void seal(const char *bundle)
{
    json_t *manifest = json_object();
    struct err e = {0};
    if (bundle_seal(bundle, manifest, &e))
        fail_msg("%s", e.text);
    json_decref(manifest);
}

TEST(bundles_gather_their_shards)
{
    struct str bundle, path;
    str_init(&bundle);
    str_init(&path);
    str_add(&bundle, in_folder("run.cpprof"));
    assert_int_equal(files_make_directory(bundle.text, NULL), 0);
    seal(bundle.text);
    struct event_stream *s = open_stream(bundle.text);
    assert_int_equal(event_stream_count(s), 0);
    assert_true(has_caveat(s, CAVEAT_WEAKENS, "the bundle holds no trace"));
    event_stream_free(s);

    write_shard(files_join(&path, bundle.text, "trace-20-0.bin"), 1, true);
    write_shard(files_join(&path, bundle.text, "trace-10-0.bin"), 0, true);
    write_bytes(files_join(&path, bundle.text, "timing.csv"), "x\n", 2);
    seal(bundle.text);
    s = open_stream(bundle.text);
    assert_int_equal(event_stream_count(s), 6);
    assert_int_equal(event_stream_caveats(s)->count, 0);
    assert_int_equal(strtab_count(event_stream_strings(s)), 3); /* names are shared */
    struct cpprof_event event;
    for (int i = 0; i < 6; i++) { /* same times in both: rank 0 first */
        assert_int_equal(event_stream_next(s, &event, NULL), 1);
        assert_int_equal(event.rank, i % 2);
    }
    event_stream_free(s);

    write_bytes(files_join(&path, bundle.text, "trace-30-0.bin"), "CPPROFSH", 8); /* one bad shard leaves the others */
    const char *manifest = "{\"format\": 1, \"status\": \"incomplete\"}";
    write_bytes(files_join(&path, bundle.text, "manifest.json"), manifest, strlen(manifest));
    s = open_stream(bundle.text);
    assert_int_equal(event_stream_count(s), 6);
    assert_true(has_caveat(s, CAVEAT_TRUNCATED, "trace-30-0.bin' is shorter than the header"));
    assert_true(has_caveat(s, CAVEAT_WEAKENS, "the bundle is incomplete"));
    event_stream_free(s);

    struct err e = {0};
    write_bytes(files_join(&path, bundle.text, "manifest.json"), "{", 1);
    assert_int_equal(event_stream_open(&s, bundle.text, &e), ERR_INPUT);
    str_release(&bundle);
    str_release(&path);
}

/* A chunk holds the writer's 16384 events. Events out of place by less than a
 * few chunks pass through the window; by more, the spool sorts them. Either way
 * each comes out once and in order, and again after a rewind. */
TEST(events_come_in_order_of_start)
{
    static const struct {
        size_t count, reach; /* each block of `reach` events is written backwards */
    } cases[] = {
        {50000, 1},      /* sorted */
        {50000, 3},      /* out of order within chunks */
        {50000, 20000},  /* over the borders of chunks */
        {200000, 90000}, /* the window holds 7 chunks */
        {200000, 200000},
    };
    const char *path = in_folder("order.bin");
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct shard_writer w;
        assert_int_equal(shard_writer_open(&w, path, 3, 0, NULL), 0);
        for (size_t k = 0; k < cases[i].count; k++) {
            const size_t block = k / cases[i].reach * cases[i].reach;
            size_t last = block + cases[i].reach - 1;
            if (last >= cases[i].count)
                last = cases[i].count - 1;
            const size_t place = last - (k - block);
            struct cpprof_event event = {.kind = CPPROF_EVENT_MEMSET,
                                         .rank = -1,
                                         .start_ns = (int64_t)(place / 2), /* pairs start together */
                                         .end_ns = (int64_t)(place / 2 + 10),
                                         .stream = (uint32_t)place};
            assert_int_equal(shard_writer_add(&w, &event, NULL), 0);
        }
        assert_int_equal(shard_writer_close(&w, NULL), 0);
        struct event_stream *s = open_stream(path);
        assert_int_equal(event_stream_count(s), cases[i].count);
        for (int pass = 0; pass < 2; pass++) {
            struct cpprof_event event;
            for (size_t k = 0; k < cases[i].count; k++) {
                assert_int_equal(event_stream_next(s, &event, NULL), 1);
                assert_int_equal(event.stream, k);
                assert_int_equal(event.rank, 3);
            }
            assert_int_equal(event_stream_next(s, &event, NULL), 0);
            assert_int_equal(event_stream_rewind(s, NULL), 0);
        }
        event_stream_free(s);
        assert_int_equal(unlink(path), 0);
    }
}

/* Ten shards: eight are read where they are, two are copied, all are merged. */
TEST(many_shards_are_merged)
{
    enum { SHARDS = 10, EACH = 100 };
    char bundle[128], name[160];
    snprintf(bundle, sizeof bundle, "%s/many.cpprof", folder);
    assert_int_equal(files_make_directory(bundle, NULL), 0);
    snprintf(name, sizeof name, "%s/manifest.json", bundle);
    write_bytes(name, "{\"status\": \"complete\"}", 22);
    for (int shard = 0; shard < SHARDS; shard++) {
        struct shard_writer w;
        snprintf(name, sizeof name, "%s/trace-%d-0.bin", bundle, shard);
        assert_int_equal(shard_writer_open(&w, name, -1, 0, NULL), 0);
        for (int k = 0; k < EACH; k++) {
            const int64_t place = k * SHARDS + shard;
            struct cpprof_event event = {.kind = CPPROF_EVENT_MEMSET, .rank = -1, .start_ns = place, .end_ns = place};
            assert_int_equal(shard_writer_add(&w, &event, NULL), 0);
        }
        assert_int_equal(shard_writer_close(&w, NULL), 0);
    }
    struct event_stream *s = open_stream(bundle);
    struct cpprof_event event;
    assert_int_equal(event_stream_count(s), SHARDS * EACH);
    for (int64_t place = 0; place < SHARDS * EACH; place++) {
        assert_int_equal(event_stream_next(s, &event, NULL), 1);
        assert_int_equal(event.start_ns, place);
    }
    assert_int_equal(event_stream_next(s, &event, NULL), 0);
    event_stream_free(s);
}

/* What was checked is not trusted again: the file may be another one by now. */
TEST(a_shard_that_changes_while_it_is_read_says_so)
{
    enum { COUNT = 40000, FIRST_RECORD = 64 }; /* behind the headers of the shard and its first chunk */
    const char *path = in_folder("changing.bin");
    for (int cut = 0; cut < 2; cut++) {
        struct shard_writer w;
        assert_int_equal(shard_writer_open(&w, path, -1, 0, NULL), 0);
        for (int k = 0; k < COUNT; k++) {
            struct cpprof_event event = {.kind = CPPROF_EVENT_MEMSET, .rank = -1, .start_ns = k, .end_ns = k + 1};
            assert_int_equal(shard_writer_add(&w, &event, NULL), 0);
        }
        assert_int_equal(shard_writer_close(&w, NULL), 0);
        struct event_stream *s = open_stream(path);
        if (cut) {
            assert_int_equal(truncate(path, 1000000), 0);
        } else {
            FILE *file = fopen(path, "r+b");
            const struct cpprof_event wild = {.kind = CPPROF_EVENT_KERNEL, .name = 1234567, .end_ns = 1};
            assert_non_null(file);
            assert_int_equal(fseek(file, FIRST_RECORD, SEEK_SET), 0);
            assert_int_equal(fwrite(&wild, sizeof wild, 1, file), 1);
            assert_int_equal(fclose(file), 0);
        }
        struct cpprof_event event;
        struct err e = {0};
        int got = event_stream_rewind(s, &e);
        while (!got && (got = event_stream_next(s, &event, &e)) == 1)
            got = 0;
        assert_int_equal(got, ERR_INPUT);
        assert_non_null(strstr(e.text, "has changed while it was read"));
        event_stream_free(s);
        assert_int_equal(unlink(path), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shards_round_trip),
        cmocka_unit_test(losses_become_caveats),
        cmocka_unit_test(names_without_end_share_one),
        cmocka_unit_test(names_of_many_processes_share_one),
        cmocka_unit_test(objects_have_names),
        cmocka_unit_test(ends_without_a_beginning_are_no_ranges),
        cmocka_unit_test(a_shard_cut_anywhere_says_so),
        cmocka_unit_test(a_shard_with_a_flipped_byte_says_so),
        cmocka_unit_test(hostile_chunks_end_the_good_part),
        cmocka_unit_test(an_event_that_ends_before_it_starts_is_left_out),
        cmocka_unit_test(what_a_chunk_hides_is_said),
        cmocka_unit_test(newer_writers_are_understood),
        cmocka_unit_test(bad_headers_are_refused),
        cmocka_unit_test(bundles_gather_their_shards),
        cmocka_unit_test(events_come_in_order_of_start),
        cmocka_unit_test(many_shards_are_merged),
        cmocka_unit_test(a_shard_that_changes_while_it_is_read_says_so),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
