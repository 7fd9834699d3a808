/* Is what a process leaves behind that goes in the middle of a write cut off, and nothing else? */
#include "tests/unit/scratch_bundle.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/collective_row.h"
#include "core/base/count_of.h"
#include "core/base/shard_chunk.h"
#include "core/base/shard_cut.h"
#include "core/trace/event_stream.h"

enum { CHUNKS_MAX = 16, EVENTS_EACH = 3 };

struct trial {
    struct scratch s;
    char path[128];
    struct str bytes;          /* of the whole shard */
    size_t begins[CHUNKS_MAX]; /* of its chunks, and behind the last one */
    size_t chunks;
    struct shard_writer writer;
};

/* ---- somebody who opens a file for writing as soon as a lease is granted ---- */

static const char *file_to_open;

int __real_fcntl(int fd, int command, ...);
int __wrap_fcntl(int fd, int command, ...);
int __wrap_fcntl(int fd, int command, ...)
{
    va_list rest;
    va_start(rest, command);
    const long argument = va_arg(rest, long);
    va_end(rest);
    const int rc = __real_fcntl(fd, command, argument);
    if (!rc && file_to_open && command == F_SETLEASE && argument == F_RDLCK) {
        assert_int_equal(open(file_to_open, O_WRONLY | O_NONBLOCK | O_CLOEXEC), -1);
        assert_int_equal(errno, EWOULDBLOCK); /* the holder of the lease was told */
        file_to_open = NULL;
    }
    return rc;
}

/* ---- a real shard ---- */

static void add_events(struct trial *t, const char *name)
{
    for (int i = 0; i < EVENTS_EACH; i++) {
        const struct cpprof_event event = {.kind = CPPROF_EVENT_KERNEL,
                                           .start_ns = 1000 * i,
                                           .end_ns = 1000 * i + 500,
                                           .rank = -1,
                                           .shared_static_bytes = 4,
                                           .name = shard_writer_string(&t->writer, name)};
        MUST(shard_writer_add(&t->writer, &event, &e));
    }
}

static void add_second_events(struct trial *t)
{
    add_events(t, "first"); /* no new string: the chunk of events is the last */
}

static void add_string(struct trial *t)
{
    (void)shard_writer_string(&t->writer, "a kernel that nobody has seen so far");
}

static void add_name(struct trial *t)
{
    const struct cpprof_name_row row = {CPPROF_NAMED_STREAM, 1, 7, shard_writer_label(&t->writer, "first")};
    MUST(shard_writer_name(&t->writer, &row, &e));
}

static void add_dropped(struct trial *t)
{
    shard_writer_dropped(&t->writer, CPPROF_EVENT_KERNEL, 7);
    shard_writer_dropped(&t->writer, CPPROF_EVENT_COPY, 1);
}

static void add_left_out(struct trial *t)
{
    t->writer.names_left_out++;
}

static void add_collectives(struct trial *t)
{
    const struct collective_row rows[2] = {{.position = 1}, {.position = 2}};
    MUST(shard_chunk_append(&t->writer, SHARD_CHUNK_COLLECTIVES, rows, sizeof rows, &e));
}

static void add_end(struct trial *t)
{
    (void)t; /* closing does */
}

/* Each makes another type of chunk the last one. */
static const struct {
    void (*add)(struct trial *t);
    uint32_t type;
} lasts[] = {
    {add_second_events, CPPROF_CHUNK_EVENTS},
    {add_string, CPPROF_CHUNK_STRINGS},
    {add_name, CPPROF_CHUNK_NAMES},
    {add_dropped, CPPROF_CHUNK_DROPPED},
    {add_left_out, CPPROF_CHUNK_NAMES_LEFT_OUT},
    {add_collectives, SHARD_CHUNK_COLLECTIVES},
    {add_end, CPPROF_CHUNK_END},
};
enum { LASTS = COUNT_OF(lasts) };

static uint32_t find_chunks(struct trial *t)
{
    struct cpprof_chunk_header chunk = {0};
    size_t at = sizeof(struct cpprof_shard_header);
    for (t->chunks = 0; at < t->bytes.length; t->chunks++) {
        assert_true(t->chunks < CHUNKS_MAX - 1);
        t->begins[t->chunks] = at;
        memcpy(&chunk, t->bytes.text + at, sizeof chunk);
        at += sizeof chunk + chunk.payload_bytes;
    }
    t->begins[t->chunks] = at;
    return chunk.type;
}

static void put(const struct trial *t, const char *bytes, size_t count)
{
    unlink(t->path); /* a file that is only cut short and filled again some file systems write to disk at once */
    FILE *file = fopen(t->path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

static void make(struct trial *t, size_t last)
{
    *t = (struct trial){0};
    scratch_create(&t->s);
    str_init(&t->bytes);
    snprintf(t->path, sizeof t->path, "%s/trace-1-0.bin", t->s.path);
    MUST(shard_writer_open(&t->writer, t->path, -1, 0, &e));
    add_events(t, "first");
    MUST(shard_writer_flush(&t->writer, &e));
    lasts[last].add(t);
    MUST(shard_writer_flush(&t->writer, &e));
    if (lasts[last].type != CPPROF_CHUNK_END)
        MUST(files_read(t->path, 1 << 20, &t->bytes, &e));
    MUST(shard_writer_close(&t->writer, &e));
    if (lasts[last].type == CPPROF_CHUNK_END)
        MUST(files_read(t->path, 1 << 20, &t->bytes, &e));
    assert_int_equal(find_chunks(t), lasts[last].type);
}

static void unmake(struct trial *t)
{
    str_release(&t->bytes);
    scratch_remove(&t->s);
}

static struct shard_tail look(const struct trial *t)
{
    struct shard_tail tail;
    MUST(shard_tail_look(t->path, &tail, &e));
    return tail;
}

static void expect_file(const struct trial *t, size_t count)
{
    struct str now;
    str_init(&now);
    MUST(files_read(t->path, 1 << 20, &now, &e));
    assert_int_equal(now.length, count);
    assert_memory_equal(now.text, t->bytes.text, count);
    str_release(&now);
}

/* ---- the tests ---- */

static void a_torn_tail_is_cut_at_every_byte(void **state)
{
    (void)state;
    for (size_t last = 0; last < LASTS; last++) {
        struct trial t;
        make(&t, last);
        const size_t whole = t.begins[t.chunks - 1];
        put(&t, t.bytes.text, whole);
        assert_int_equal(look(&t).end, SHARD_WHOLE);
        for (size_t length = whole + 1; length < t.bytes.length; length++) {
            put(&t, t.bytes.text, length);
            const struct shard_tail tail = look(&t);
            if (tail.end != SHARD_TORN)
                fail_msg("chunk type %u, %zu of its bytes: not torn", lasts[last].type, length - whole);
            assert_int_equal(tail.whole_bytes, whole);
            assert_int_equal(tail.torn_bytes, length - whole);
            MUST(shard_tail_cut(t.path, &tail, &e));
            expect_file(&t, whole);
            assert_int_equal(look(&t).end, SHARD_WHOLE);
        }
        struct event_stream *stream;
        MUST(event_stream_open(&stream, t.path, &e));
        assert_int_equal(event_stream_count(stream), EVENTS_EACH);
        assert_false(caveat_has(event_stream_caveats(stream), CAVEAT_TRUNCATED));
        assert_true(caveat_has(event_stream_caveats(stream), CAVEAT_WEAKENS));
        event_stream_free(stream);
        unmake(&t);
    }
}

/* Whatever bit is wrong, in a shard that is whole or torn: no whole chunk is ever taken for a torn tail. */
static void damage_is_never_cut(void **state)
{
    (void)state;
    for (size_t last = 0; last < LASTS; last++) {
        struct trial t;
        make(&t, last);
        const size_t torn = t.begins[t.chunks - 1] + 10, lengths[] = {t.bytes.length, torn};
        for (size_t which = 0; which < 2; which++)
            for (size_t bit = 0; bit < 8 * lengths[which]; bit++) {
                const char flip = (char)(1 << bit % 8);
                t.bytes.text[bit / 8] ^= flip;
                put(&t, t.bytes.text, lengths[which]);
                t.bytes.text[bit / 8] ^= flip;
                const struct shard_tail tail = look(&t);
                const size_t whole = which ? t.begins[t.chunks - 1] : t.bytes.length;
                if (tail.end == SHARD_TORN && tail.whole_bytes < whole)
                    fail_msg("chunk type %u, length %zu: bit %zu changed, and %zu bytes are kept", lasts[last].type,
                             lengths[which], bit, (size_t)tail.whole_bytes);
            }
        unmake(&t);
    }
}

static void damage_before_a_torn_tail_is_damage(void **state)
{
    (void)state;
    struct trial t;
    make(&t, 0);
    const size_t torn = t.begins[t.chunks - 1] + 40;
    t.bytes.text[t.begins[1] + 20] ^= 1; /* in the payload of the first events */
    put(&t, t.bytes.text, torn);
    assert_int_equal(look(&t).end, SHARD_DAMAGED);
    unmake(&t);
}

static void what_is_no_torn_chunk(void **state)
{
    (void)state;
    static const struct cpprof_chunk_header strange = {.type = 9, .payload_bytes = 1000},
                                            odd = {.type = CPPROF_CHUNK_EVENTS, .payload_bytes = 1000},
                                            huge = {.type = CPPROF_CHUNK_STRINGS, .payload_bytes = (uint64_t)1 << 40};
    static const struct {
        const void *tail;
        size_t bytes;
    } cases[] = {{"\0\0\0\0\0", 5}, {"text", 4}, {&strange, sizeof strange}, {&odd, sizeof odd}, {&huge, sizeof huge}};
    struct trial t;
    struct shard_tail tail;
    make(&t, 0);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const size_t length = t.bytes.length;
        str_add_bytes(&t.bytes, cases[i].tail, cases[i].bytes);
        put(&t, t.bytes.text, t.bytes.length);
        assert_int_equal(look(&t).end, SHARD_DAMAGED);
        t.bytes.length = length;
    }
    put(&t, "no shard", 8);
    assert_int_equal(look(&t).end, SHARD_DAMAGED);
    unlink(t.path);
    assert_int_equal(look(&t).end, SHARD_DAMAGED);
    unmake(&t);

    make(&t, LASTS - 1); /* behind the end nobody writes */
    str_add_bytes(&t.bytes, "\2\0\0", 3);
    put(&t, t.bytes.text, t.bytes.length);
    tail = look(&t);
    assert_int_equal(tail.end, SHARD_DAMAGED);
    unmake(&t);
}

static void a_header_alone_is_whole_and_part_of_one_is_not(void **state)
{
    (void)state;
    struct trial t;
    make(&t, 0);
    for (size_t length = 0; length < sizeof(struct cpprof_shard_header); length++) {
        put(&t, t.bytes.text, length);
        assert_int_equal(look(&t).end, SHARD_DAMAGED);
    }
    put(&t, t.bytes.text, sizeof(struct cpprof_shard_header));
    assert_int_equal(look(&t).end, SHARD_WHOLE);
    unmake(&t);
}

/* Whoever has it open keeps the file that it has, at its full length; a copy stands in its place. */
static void the_file_of_a_writer_is_not_touched(void **state)
{
    (void)state;
    struct trial t;
    struct stat open_one, named;
    make(&t, 0);
    const size_t whole = t.begins[t.chunks - 1];
    put(&t, t.bytes.text, whole + 10);
    const int fd = open(t.path, O_WRONLY | O_APPEND | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_true(shard_tail_may_grow(t.path));
    const struct shard_tail tail = look(&t);
    assert_int_equal(tail.end, SHARD_TORN);
    MUST(shard_tail_cut(t.path, &tail, &e));
    expect_file(&t, whole);
    assert_int_equal(write(fd, t.bytes.text + whole + 10, t.bytes.length - whole - 10), t.bytes.length - whole - 10);
    assert_int_equal(fstat(fd, &open_one), 0);
    assert_int_equal(stat(t.path, &named), 0);
    assert_int_equal(open_one.st_size, t.bytes.length);
    assert_int_not_equal(open_one.st_ino, named.st_ino);
    expect_file(&t, whole);
    close(fd);
    unmake(&t);
}

/* Where leases are not granted nobody is told of anything. */
static void a_writer_that_comes_meanwhile_does_not_end_us(void **state)
{
    (void)state;
    struct trial t;
    make(&t, 0);
    if (shard_tail_may_grow(t.path)) {
        unmake(&t);
        skip();
    }
    file_to_open = t.path;
    assert_false(shard_tail_may_grow(t.path));
    assert_null(file_to_open);
    unmake(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_torn_tail_is_cut_at_every_byte),
        cmocka_unit_test(damage_is_never_cut),
        cmocka_unit_test(damage_before_a_torn_tail_is_damage),
        cmocka_unit_test(what_is_no_torn_chunk),
        cmocka_unit_test(a_header_alone_is_whole_and_part_of_one_is_not),
        cmocka_unit_test(the_file_of_a_writer_is_not_touched),
        cmocka_unit_test(a_writer_that_comes_meanwhile_does_not_end_us),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
