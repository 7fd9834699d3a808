/* Is a sealed bundle that was changed afterwards noticed? */
#define _GNU_SOURCE
#include "tests/unit/scratch_bundle.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/byte_sink.h"
#include "core/base/count_of.h"
#include "core/bundle/bundle_open.h"
#include "core/bundle/bundle_write.h"
#include "core/trace/event_stream.h"

static void make(struct scratch *s)
{
    scratch_create(s);
    scratch_write(s, "timing.csv",
                  "variant,shape,process,block,order,iteration,cache,batch,sm_clock_hz,duration_ns\n"
                  "f/a,s,0,0,0,0,hot,1,,100\n");
    scratch_write(s, "report.md", "derived\n");
    MUST(bundle_seal(s->path, s->manifest, &e));
}

static size_t open_and_count(const struct scratch *s, enum caveat_kind kind, char *text, size_t bytes)
{
    struct bundle b;
    bundle_init(&b);
    MUST(bundle_open(&b, s->path, &e));
    size_t count = 0;
    for (size_t i = 0; i < b.caveats.count; i++)
        if (b.caveats.items[i].kind == kind) {
            count++;
            snprintf(text, bytes, "%s", b.caveats.items[i].text);
        }
    bundle_release(&b);
    return count;
}

static void an_untouched_bundle_has_no_damage(void **state)
{
    (void)state;
    struct scratch s;
    char text[256] = "";
    make(&s);
    scratch_write(&s, "report.md", "made anew\n"); /* derived files are not sealed */
    assert_int_equal(open_and_count(&s, CAVEAT_TRUNCATED, text, sizeof text), 0);
    assert_int_equal(open_and_count(&s, CAVEAT_WEAKENS, text, sizeof text), 0);
    scratch_remove(&s);
}

static void changed_cut_and_missing_files_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *text; /* NULL: the file is removed */
        const char *caveat;
    } cases[] = {
        {"variant,shape,process,block,order,iteration,cache,batch,sm_clock_hz,duration_ns\nf/a,s,0,0,0,0,hot,1,,900\n",
         "'timing.csv' is not what was sealed: it was changed afterwards"},
        {"variant,shape,process,block,order,iteration,cache,batch,sm_clock_hz,duration_ns\n",
         "'timing.csv' is not what was sealed: 80 bytes where 105 were"}, /* header 80, row 25 */
        {NULL, "'timing.csv' is missing or unreadable: it was sealed with 105 bytes"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct scratch s;
        char text[256] = "", path[160];
        make(&s);
        snprintf(path, sizeof path, "%s/timing.csv", s.path);
        if (cases[i].text)
            scratch_write(&s, "timing.csv", cases[i].text);
        else
            assert_int_equal(remove(path), 0);
        assert_int_equal(open_and_count(&s, CAVEAT_TRUNCATED, text, sizeof text), 1);
        assert_string_equal(text, cases[i].caveat);
        scratch_remove(&s);
    }
}

static void a_list_that_points_outside_is_damage(void **state)
{
    (void)state;
    struct scratch s;
    char text[256] = "";
    make(&s);
    json_object_set_new(json_object_get(s.manifest, "files"), "../secret.csv", json_object());
    struct str file;
    str_init(&file);
    MUST(json_write_file(files_join(&file, s.path, BUNDLE_MANIFEST), s.manifest, &e));
    str_release(&file);
    assert_int_equal(open_and_count(&s, CAVEAT_TRUNCATED, text, sizeof text), 1);
    assert_string_equal(text, "the manifest names a file outside the bundle: '../secret.csv'");
    scratch_remove(&s);
}

/* Commands that read traces alone look at the seal too: a shard that is gone
 * leaves no other sign. */
static void traces_of_a_changed_bundle_are_incomplete(void **state)
{
    (void)state;
    struct scratch s;
    char path[160];
    bool named = false;
    scratch_create(&s);
    scratch_write(&s, "trace-1.bin", "shard");
    MUST(bundle_seal(s.path, s.manifest, &e));
    snprintf(path, sizeof path, "%s/trace-1.bin", s.path);
    assert_int_equal(remove(path), 0);
    struct event_stream *stream;
    MUST(event_stream_open(&stream, s.path, &e));
    const struct caveat_list *caveats = event_stream_caveats(stream);
    for (size_t i = 0; i < caveats->count; i++)
        named |= caveats->items[i].kind == CAVEAT_TRUNCATED &&
                 !strcmp(caveats->items[i].text, "'trace-1.bin' is missing or unreadable: it was sealed with 5 bytes");
    assert_true(named);
    event_stream_free(stream);
    scratch_remove(&s);
}

/* What a process that was killed left between its bytes and its rename goes; nothing else. */
static void leftovers_are_not_sealed(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool stays;
    } cases[] = {{"process-capture-12-0.json.part", false},
                 {"counters-12.json.part", false},
                 {"metrics-12.csv.part", false},
                 {"process-capture-12-0.json.a1B2c3", false},
                 {"trace-12-0.bin.a1B2c3", false},
                 {"manifest.json.a1B2c3", false},
                 {"notes.part", true},
                 {"part", true},
                 {"trace-12-0.bin", true},
                 {"my.json.part", true}};
    struct scratch s;
    scratch_create(&s);
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        scratch_write(&s, cases[i].name, "x");
    MUST(bundle_seal(s.path, s.manifest, &e));
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        if (scratch_has(&s, cases[i].name) != cases[i].stays)
            fail_msg("'%s' should%s be there", cases[i].name, cases[i].stays ? "" : " not");
    scratch_remove(&s);
}

/* ---- packed files ---- */

static void pack(const struct scratch *s, const char *name, size_t cut)
{
    char path[160], packed[170], plain[256];
    snprintf(path, sizeof path, "%s/%s", s->path, name);
    snprintf(packed, sizeof packed, "%s.gz", path);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t bytes = fread(plain, 1, sizeof plain, file);
    fclose(file);
    struct byte_sink *sink;
    MUST(byte_sink_create(&sink, packed, &e));
    byte_sink_write(sink, plain, bytes);
    MUST(byte_sink_finish(sink, &e));
    byte_sink_free(sink);
    struct stat info;
    assert_int_equal(stat(packed, &info), 0);
    assert_int_equal(truncate(packed, info.st_size - (off_t)cut), 0);
    assert_int_equal(remove(path), 0);
}

/* The seal is that of the content, so nothing is sealed anew. */
static void a_packed_file_is_what_was_sealed(void **state)
{
    (void)state;
    struct scratch s;
    struct bundle b;
    make(&s);
    scratch_write(&s, "trace-1.bin", "shard");
    MUST(bundle_seal(s.path, s.manifest, &e));
    pack(&s, "timing.csv", 0);
    pack(&s, "trace-1.bin", 0);
    assert_true(bundle_has_trace(s.path));
    bundle_init(&b);
    MUST(bundle_open(&b, s.path, &e));
    assert_int_equal(b.caveats.count, 0);
    assert_int_equal(table_rows(&b.tables[BUNDLE_TIMING]), 1);
    assert_int_equal(b.shards.count, 1);
    assert_string_equal(b.shards.items[0].name, "trace-1.bin");
    const int fd = bundle_shards_borrow(&b.shards, 0);
    char text[8] = "";
    assert_int_equal(pread(fd, text, sizeof text, 0), 5);
    assert_string_equal(text, "shard");
    assert_false(bundle_shards_has_changed(&b.shards, 0, fd));
    bundle_shards_give_back(&b.shards, 0, fd);
    bundle_release(&b);
    scratch_remove(&s);
}

static void a_packed_file_that_is_cut_or_another_is_damage(void **state)
{
    (void)state;
    static const char other[] =
        "variant,shape,process,block,order,iteration,cache,batch,sm_clock_hz,duration_ns\nf/a,s,0,0,0,0,hot,1,,900\n";
    for (int is_cut = 0; is_cut < 2; is_cut++) {
        struct scratch s;
        char text[512] = "";
        make(&s);
        if (!is_cut)
            scratch_write(&s, "timing.csv", other);
        pack(&s, "timing.csv", is_cut ? 12 : 0); /* its last 8 bytes are checksum and size */
        assert_int_equal(open_and_count(&s, CAVEAT_TRUNCATED, text, sizeof text),
                         is_cut ? 3 : 1); /* the gzip, its last row */
        assert_non_null(strstr(text, "'timing.csv' is not what was sealed: "));
        scratch_remove(&s);
    }
}

/* A file that is there counts; its packed twin is no second trace. */
static void a_plain_file_comes_before_its_packed_twin(void **state)
{
    (void)state;
    struct scratch s;
    struct bundle b;
    make(&s);
    scratch_write(&s, "trace-1.bin", "shard");
    MUST(bundle_seal(s.path, s.manifest, &e));
    scratch_write(&s, "timing.csv.gz", "no gzip");
    scratch_write(&s, "trace-1.bin.gz", "no gzip");
    bundle_init(&b);
    MUST(bundle_open(&b, s.path, &e));
    assert_int_equal(b.caveats.count, 0);
    assert_int_equal(b.shards.count, 1);
    bundle_release(&b);
    scratch_remove(&s);
}

/* Yesterday's table lies where today's run wrote none. */
static void a_table_that_was_not_sealed_is_left_out(void **state)
{
    (void)state;
    struct scratch s;
    struct bundle b;
    make(&s);
    scratch_write(&s, "metrics.csv", "variant,shape,kernel,launch,metric,unit,value\nf/a,s,,0,m,count,1\n");
    bundle_init(&b);
    MUST(bundle_open(&b, s.path, &e));
    assert_false(b.has_table[BUNDLE_METRICS]);
    assert_int_equal(table_rows(&b.tables[BUNDLE_METRICS]), 0);
    assert_int_equal(table_rows(&b.tables[BUNDLE_TIMING]), 1);
    assert_non_null(
        strstr(caveat_first(&b.caveats, CAVEAT_WEAKENS), "metrics.csv' is no part of what was sealed: it is left out"));
    assert_false(caveat_has(&b.caveats, CAVEAT_TRUNCATED));
    bundle_release(&b);
    scratch_remove(&s);
}

/* What is complete was sealed: without a list of files nobody knows what. */
static void complete_without_files_is_damage(void **state)
{
    (void)state;
    static const char *const lists[] = {NULL, "null", "[]", "3"};
    for (size_t i = 0; i < COUNT_OF(lists); i++) {
        struct scratch s;
        struct str file;
        char text[512] = "";
        make(&s);
        scratch_write(&s, "trace-1.bin", "shard");
        if (lists[i])
            json_object_set_new(s.manifest, "files", json_loads(lists[i], JSON_DECODE_ANY, NULL));
        else
            json_object_del(s.manifest, "files");
        str_init(&file);
        MUST(json_write_file(files_join(&file, s.path, BUNDLE_MANIFEST), s.manifest, &e));
        str_release(&file);
        assert_int_equal(open_and_count(&s, CAVEAT_TRUNCATED, text, sizeof text), 1);
        assert_non_null(strstr(text, "is marked 'complete' and has no list of files"));
        struct event_stream *stream;
        MUST(event_stream_open(&stream, s.path, &e));
        assert_non_null(strstr(caveat_first(event_stream_caveats(stream), CAVEAT_TRUNCATED), "has no list of files"));
        event_stream_free(stream);
        scratch_remove(&s);
    }
}

/* A damaged row is no reason to call the file another one than was sealed: its sum is that of all its bytes. */
static void a_table_that_breaks_off_is_still_what_was_sealed(void **state)
{
    (void)state;
    struct scratch s;
    struct str table;
    char text[512] = "";
    scratch_create(&s);
    str_init(&table);
    str_add(&table, "variant,shape,process,block,order,iteration,cache,batch,sm_clock_hz,duration_ns\n"
                    "f/a,s,0,0,0,0,hot,1,,no number\n");
    for (int i = 1; i < 10000; i++) /* more than is read at once */
        str_addf(&table, "f/a,s,0,0,0,%d,hot,1,,100\n", i);
    scratch_write(&s, "timing.csv", str_text(&table));
    str_release(&table);
    MUST(bundle_seal(s.path, s.manifest, &e));
    assert_int_equal(open_and_count(&s, CAVEAT_TRUNCATED, text, sizeof text), 1);
    assert_non_null(strstr(text, "timing.csv:2: column 'duration_ns' is 'no number'"));
    scratch_remove(&s);
}

/* ---- while it is open ---- */

enum { MANY = 40, FEW_DESCRIPTORS = 32 }; /* of which 32 / 4 = 8 are kept for traces */

static void write_trace(const struct scratch *s, int number, int events)
{
    struct shard_writer w;
    struct str path;
    char name[64];
    str_init(&path);
    snprintf(name, sizeof name, "trace-%02d-0.bin", number);
    files_join(&path, s->path, name);
    remove(str_text(&path));
    MUST(shard_writer_open(&w, str_text(&path), -1, 0, &e));
    for (int i = 0; i < events; i++)
        MUST(shard_writer_add(&w, &(struct cpprof_event){.kind = CPPROF_EVENT_KERNEL, .start_ns = i, .end_ns = i + 1},
                              &e));
    MUST(shard_writer_close(&w, &e));
    str_release(&path);
}

/* The file itself, not another one of its name. */
static void overwrite(const struct scratch *s, int number, int events)
{
    struct str bytes;
    char path[160];
    str_init(&bytes);
    write_trace(s, MANY, events);
    snprintf(path, sizeof path, "%s/trace-%02d-0.bin", s->path, MANY);
    MUST(files_read(path, 65536, &bytes, &e));
    snprintf(path, sizeof path, "%s/trace-%02d-0.bin", s->path, number);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes.text, 1, bytes.length, file), bytes.length);
    assert_int_equal(fclose(file), 0);
    str_release(&bytes);
}

enum deed { LEAVE, REPLACE, OVERWRITE };

/* What is there to be read behind the seal's back: `traces` of one event each, and then one of them is another one. */
static void expect_of_open(int traces, int number, enum deed deed, int64_t events, const char *says)
{
    struct scratch s;
    struct bundle b;
    struct event_stream *stream;
    scratch_create(&s);
    for (int i = 0; i < traces; i++)
        write_trace(&s, i, 1);
    MUST(bundle_seal(s.path, s.manifest, &e));
    bundle_init(&b);
    MUST(bundle_open(&b, s.path, &e));
    assert_false(caveat_has(&b.caveats, CAVEAT_TRUNCATED));
    if (deed == REPLACE)
        write_trace(&s, number, 5);
    else if (deed == OVERWRITE)
        overwrite(&s, number, 5);
    MUST(event_stream_open_bundle(&stream, &b, &e));
    const char *said = caveat_first(event_stream_caveats(stream), CAVEAT_TRUNCATED);
    if (says) {
        if (!said || !strstr(said, says))
            fail_msg("'%s' is said, not '%s'", said ? said : "nothing", says);
    } else {
        assert_null(said);
        assert_int_equal(event_stream_count(stream), events);
    }
    event_stream_free(stream);
    bundle_release(&b);
    scratch_remove(&s);
}

static void what_was_compared_is_what_is_read(void **state)
{
    (void)state;
    expect_of_open(2, 0, LEAVE, 2, NULL);
    expect_of_open(2, 1, REPLACE, 2, NULL); /* the sealed one is open, whatever has its name */
    expect_of_open(2, 1, OVERWRITE, 0, "trace-01-0.bin' has changed while it was read");
}

/* More traces than may be kept open: the last ones are opened again, and must be the same. */
static void what_is_opened_again_is_the_same(void **state)
{
    (void)state;
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &(struct rlimit){FEW_DESCRIPTORS, before.rlim_max}), 0);
    expect_of_open(MANY, 0, LEAVE, MANY, NULL);
    expect_of_open(MANY, 0, REPLACE, MANY, NULL);
    expect_of_open(MANY, MANY - 1, REPLACE, 0, "trace-39-0.bin' has changed while it was read");
    expect_of_open(MANY, MANY - 1, OVERWRITE, 0, "trace-39-0.bin' has changed while it was read");
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_untouched_bundle_has_no_damage),
        cmocka_unit_test(changed_cut_and_missing_files_are_named),
        cmocka_unit_test(a_list_that_points_outside_is_damage),
        cmocka_unit_test(traces_of_a_changed_bundle_are_incomplete),
        cmocka_unit_test(leftovers_are_not_sealed),
        cmocka_unit_test(a_packed_file_is_what_was_sealed),
        cmocka_unit_test(a_packed_file_that_is_cut_or_another_is_damage),
        cmocka_unit_test(a_plain_file_comes_before_its_packed_twin),
        cmocka_unit_test(a_table_that_was_not_sealed_is_left_out),
        cmocka_unit_test(complete_without_files_is_damage),
        cmocka_unit_test(a_table_that_breaks_off_is_still_what_was_sealed),
        cmocka_unit_test(what_was_compared_is_what_is_read),
        cmocka_unit_test(what_is_opened_again_is_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
