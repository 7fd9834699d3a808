/* Which process of a capture is which rank, and which GPU does each mean? And what is kept of one that goes on? */
#include "tests/unit/scratch_bundle.h"

#include <unistd.h>

#include "core/base/count_of.h"
#include "core/base/shard_copy.h"
#include "core/bundle/bundle_write.h"
#include "core/bundle/capture_map.h"
#include "core/trace/event_stream.h"

enum { PROCESSES_MAX = 4, UNNAMED = -1 };

/* One process: the rank of its launcher, how many kernels it ran on its device
 * 0, and the GPUs that it calls 0 and 1 ("" for none). */
struct process {
    int rank, kernels;
    const char *gpus[2];
};

struct expected {
    int rank;
    int devices[2];
};

static void write_shard(const struct scratch *s, const char *trace, const struct process *p, bool is_closed)
{
    struct shard_writer w;
    struct str path;
    str_init(&path);
    MUST(shard_writer_open(&w, files_join(&path, s->path, trace), p->rank, 0, &e));
    (void)shard_writer_label(&w, "the range that switches recording on");
    for (int i = 0; i < p->kernels; i++) {
        const struct cpprof_event event = {.kind = CPPROF_EVENT_KERNEL,
                                           .start_ns = 1000 * i,
                                           .end_ns = 1000 * i + 500,
                                           .name = shard_writer_string(&w, "k")};
        MUST(shard_writer_add(&w, &event, &e));
    }
    if (is_closed) {
        MUST(shard_writer_close(&w, &e));
    } else {
        MUST(shard_writer_flush(&w, &e));
        strtab_release(&w.strings);
        free(w.items);
    }
    str_release(&path);
}

/* A UUID's GPU has the PCI address that its last letter says: "GPU-a" is first. */
static json_t *gpu(int ordinal, const char *uuid)
{
    char pci[32];
    snprintf(pci, sizeof pci, "0000:%c0:00.0", uuid[strlen(uuid) - 1]);
    return json_pack("{si ss ss}", "ordinal", ordinal, "uuid", uuid, "pci", pci);
}

static void write_process(struct scratch *s, int number, const struct process *p)
{
    char trace[64];
    snprintf(trace, sizeof trace, "trace-%d-0.bin", 100 + number);
    write_shard(s, trace, p, true);
    json_t *gpus = json_array();
    for (int i = 0; i < 2; i++)
        if (*p->gpus[i])
            json_array_append_new(gpus, gpu(i, p->gpus[i]));
    json_t *report = json_pack("{ss si ss ss ss so}", "role", "capture", "pid", 100 + number, "program", "p", "state",
                               "ended", "trace", trace, "gpus", gpus);
    json_array_append_new(json_object_get(s->manifest, "processes"), report);
}

static void make(struct scratch *s, const struct process *processes, size_t count)
{
    scratch_create(s);
    json_object_set_new(s->manifest, "kind", json_string(CAPTURE_KIND));
    json_object_set_new(s->manifest, "processes", json_array());
    for (size_t i = 0; i < count; i++)
        write_process(s, (int)i, &processes[i]);
    MUST(bundle_seal(s->path, s->manifest, &e));
}

static int make_map(struct capture_map *map, const char *folder, const json_t *manifest, struct err *e)
{
    struct bundle b = {.path = (char *)folder, .manifest = (json_t *)manifest};
    int rc = bundle_shards_open(&b.shards, folder, e);
    if (!rc)
        rc = capture_map_make(map, &b, e);
    bundle_shards_release(&b.shards);
    return rc;
}

static void ranks_and_devices(void **state)
{
    (void)state;
    static const struct {
        size_t count;
        struct process processes[PROCESSES_MAX];
        struct expected expected[PROCESSES_MAX];
        bool renumbered;
    } cases[] = {
        /* one process keeps what it says, or has no rank */
        {1, {{UNNAMED, 1, {"GPU-a", ""}}}, {{UNNAMED, {0, -2}}}, false},
        {1, {{7, 1, {"GPU-b", "GPU-a"}}}, {{7, {0, 1}}}, false},
        /* one with events and one without: still one */
        {2,
         {{UNNAMED, 1, {"GPU-a", ""}}, {UNNAMED, 0, {"GPU-a", ""}}},
         {{UNNAMED, {0, -2}}, {UNNAMED, {0, -2}}},
         false},
        /* what starts others leaves a name at most, and is no rank beside them */
        {3,
         {{UNNAMED, 0, {"", ""}}, {0, 1, {"GPU-a", ""}}, {1, 1, {"GPU-a", ""}}},
         {{UNNAMED, {0, 1}}, {0, {0, -2}}, {1, {0, -2}}},
         false},
        /* a launcher's ranks stay */
        {2, {{3, 1, {"GPU-a", "GPU-b"}}, {1, 1, {"GPU-a", "GPU-b"}}}, {{3, {0, 1}}, {1, {0, 1}}}, false},
        /* without ranks they are counted in the order in which they began */
        {2, {{UNNAMED, 1, {"GPU-a", ""}}, {UNNAMED, 1, {"GPU-a", ""}}}, {{0, {0, -2}}, {1, {0, -2}}}, false},
        /* behind all that there are: 2 is taken twice, so 3; the one without gets 4 */
        {3,
         {{2, 1, {"", ""}}, {2, 1, {"", ""}}, {UNNAMED, 1, {"", ""}}},
         {{2, {-2, -2}}, {3, {-2, -2}}, {4, {-2, -2}}},
         false},
        /* nothing is behind the highest rank that there is: the lowest that nobody has */
        {3,
         {{INT16_MAX, 1, {"", ""}}, {UNNAMED, 1, {"", ""}}, {0, 1, {"", ""}}},
         {{INT16_MAX, {-2, -2}}, {1, {-2, -2}}, {0, {-2, -2}}},
         false},
        /* each calls its own GPU 0: by PCI address, b is 1 and a is 0 */
        {2, {{0, 1, {"GPU-b", ""}}, {1, 1, {"GPU-a", ""}}}, {{0, {1, -2}}, {1, {0, -2}}}, true},
        /* the same two in another order: c is 1 and a is 0, for both */
        {2, {{0, 1, {"GPU-c", "GPU-a"}}, {1, 1, {"GPU-a", "GPU-c"}}}, {{0, {1, 0}}, {1, {0, 1}}}, true},
        /* one GPU that is 0 for one and 1 for the other; nobody else is 0 of the second */
        {2, {{0, 1, {"GPU-a", ""}}, {1, 1, {"", "GPU-a"}}}, {{0, {0, -1}}, {1, {-1, 0}}}, true},
    };
    for (size_t c = 0; c < COUNT_OF(cases); c++) {
        struct scratch s;
        struct capture_map map;
        make(&s, cases[c].processes, cases[c].count);
        MUST(make_map(&map, s.path, s.manifest, &e));
        assert_int_equal(map.processes.count, cases[c].count);
        assert_int_equal(map.renumbered, cases[c].renumbered);
        for (size_t i = 0; i < cases[c].count; i++) {
            const struct capture_process *p = &map.processes.items[i];
            assert_int_equal(p->rank, cases[c].expected[i].rank);
            for (int k = 0; k < 2; k++)
                if (cases[c].expected[i].devices[k] != -2) /* -2: not asked */
                    assert_int_equal(p->devices[k], cases[c].expected[i].devices[k]);
        }
        capture_map_release(&map);
        scratch_remove(&s);
    }
}

/* Two GPUs that do not say which they are need not be one. */
static void gpus_without_a_name_stay_apart(void **state)
{
    (void)state;
    struct scratch s;
    struct capture_map map;
    scratch_create(&s);
    json_t *manifest =
        json_loads("{\"processes\": [{\"role\": \"capture\", \"gpus\": [{\"ordinal\": 0}, {\"ordinal\": 1},"
                   " {\"ordinal\": 2, \"uuid\": \"GPU-a\"}]}]}",
                   0, NULL);
    MUST(make_map(&map, s.path, manifest, &e));
    assert_false(map.renumbered);
    assert_int_equal(map.gpus.count, 1); /* that is known */
    assert_int_equal(map.gpus.items[0].device, 2);
    for (int i = 0; i < 3; i++)
        assert_int_equal(map.processes.items[0].devices[i], i);
    capture_map_release(&map);
    json_decref(manifest);
    scratch_remove(&s);
}

/* Begun at the same moment (no header says when): trace-2 is before trace-10. */
static void shards_that_say_nothing_are_processes_too(void **state)
{
    (void)state;
    struct scratch s;
    struct str path;
    struct capture_map map;
    struct caveat_list caveats;
    scratch_create(&s);
    str_init(&path);
    scratch_write(&s, "trace-10-0.bin", "no shard");
    scratch_write(&s, "trace-2-0.bin", "");
    assert_int_equal(symlink("nowhere", files_join(&path, s.path, "trace-3-0.bin")), 0);
    MUST(make_map(&map, s.path, s.manifest, &e));
    assert_int_equal(map.processes.count, 3);
    assert_string_equal(map.processes.items[0].trace, "trace-2-0.bin");
    assert_string_equal(map.processes.items[1].trace, "trace-3-0.bin");
    assert_string_equal(map.processes.items[2].trace, "trace-10-0.bin");
    assert_ptr_equal(capture_map_find(&map, "trace-10-0.bin"), &map.processes.items[2]);
    assert_null(capture_map_find(&map, "trace-4-0.bin"));
    assert_false(map.processes.items[0].has_events || map.processes.items[1].has_events ||
                 map.processes.items[2].has_events);
    caveat_list_init(&caveats);
    MUST(capture_caveats(&map, s.manifest, &caveats, &e));
    assert_non_null(
        strstr(caveat_first(&caveats, CAVEAT_WEAKENS), "left a trace and no report: what it lacks is not known"));
    caveat_list_release(&caveats);
    capture_map_release(&map);
    str_release(&path);
    scratch_remove(&s);
}

/* One more than the maximum is refused, not left out; of a folder that is gone nothing is said. */
static void a_folder_that_cannot_be_mapped_is_an_error(void **state)
{
    (void)state;
    struct scratch s;
    struct str path;
    struct capture_map map;
    struct err why = {0};
    scratch_create(&s);
    str_init(&path);
    for (int i = 0; i <= CAPTURE_PROCESSES_MAX; i++) {
        char name[64];
        snprintf(name, sizeof name, "trace-%d-0.bin", i);
        FILE *file = fopen(files_join(&path, s.path, name), "wb");
        assert_non_null(file);
        fclose(file);
    }
    assert_int_equal(make_map(&map, s.path, s.manifest, &why), ERR_INPUT);
    assert_non_null(strstr(why.text, "holds more than 4096 traces"));
    capture_map_release(&map);
    assert_int_equal(make_map(&map, files_join(&path, s.folder, "gone"), s.manifest, &why), ERR_INPUT);
    assert_non_null(strstr(why.text, "cannot list '"));
    capture_map_release(&map);
    str_release(&path);
    scratch_remove(&s);
}

/* Of all processes together; a sum that has no room for more stays. */
static void what_was_left_out_on_request_is_counted(void **state)
{
    (void)state;
    static const struct {
        long long filtered[2];
        const char *says; /* NULL: nothing */
    } cases[] = {{{0, 0}, NULL},
                 {{40, 2}, "42 operations are left out because --kernels asked for others"},
                 {{-40, 2}, "2 operations are left out"},
                 {{INT64_MAX, 1}, "9223372036854775807 operations are left out"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct scratch s;
        struct capture_map map;
        struct caveat_list caveats;
        scratch_create(&s);
        caveat_list_init(&caveats);
        json_t *reports = json_array();
        for (int k = 0; k < 2; k++)
            json_array_append_new(reports, json_pack("{s:s,s:{s:I}}", "role", "capture", "collector", "filtered",
                                                     (json_int_t)cases[i].filtered[k]));
        json_object_set_new(s.manifest, "processes", reports);
        MUST(make_map(&map, s.path, s.manifest, &e));
        MUST(capture_caveats(&map, s.manifest, &caveats, &e));
        const char *note = caveat_first(&caveats, CAVEAT_NOTE);
        if (!note != !cases[i].says || (note && !strstr(note, cases[i].says)))
            fail_msg("case %zu: %s", i, note);
        caveat_list_release(&caveats);
        capture_map_release(&map);
        scratch_remove(&s);
    }
}

/* Two processes with the same times, streams and device number stay two. */
static void events_carry_them(void **state)
{
    (void)state;
    static const struct process processes[] = {{UNNAMED, 2, {"GPU-b", ""}}, {UNNAMED, 1, {"GPU-a", ""}}};
    static const int expected[][2] = {{0, 1}, {1, 0}, {0, 1}}; /* rank, device; by start, then rank */
    struct scratch s;
    struct event_stream *stream;
    struct cpprof_event event;
    make(&s, processes, 2);
    MUST(event_stream_open(&stream, s.path, &e));
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(event_stream_next(stream, &event, NULL), 1);
        assert_int_equal(event.rank, expected[i][0]);
        assert_int_equal(event.device, expected[i][1]);
    }
    assert_int_equal(event_stream_next(stream, &event, NULL), 0);
    event_stream_free(stream);
    scratch_remove(&s);
}

static void a_trace_from_after_the_seal_is_left_out(void **state)
{
    (void)state;
    static const struct process one = {UNNAMED, 2, {"GPU-a", ""}};
    struct scratch s;
    struct event_stream *stream;
    make(&s, &one, 1);
    write_shard(&s, "trace-9-0.bin", &one, true);
    MUST(event_stream_open(&stream, s.path, &e));
    assert_int_equal(event_stream_count(stream), 2);
    assert_true(caveat_has(event_stream_caveats(stream), CAVEAT_WEAKENS));
    event_stream_free(stream);
    scratch_remove(&s);
}

/* The writer goes on in the file that it has open; the copy stays as it is, also
 * when the last chunk is there in part. */
static void a_copy_does_not_grow(void **state)
{
    (void)state;
    static const struct process one = {UNNAMED, 2, {"", ""}};
    struct scratch s;
    struct str path;
    uint64_t whole, after;
    uint32_t crc;
    str_init(&path);
    scratch_create(&s);
    write_shard(&s, "trace-1-0.bin", &one, false);
    MUST(files_checksum(files_join(&path, s.path, "trace-1-0.bin"), &whole, &crc, &e));
    FILE *writer = fopen(str_text(&path), "ab");
    assert_non_null(writer);
    assert_int_equal(fwrite("half a chunk header", 1, 12, writer), 12);
    fflush(writer);
    MUST(shard_copy_in_place(str_text(&path), &e));
    assert_int_equal(fwrite("more", 1, 4, writer), 4);
    fclose(writer);
    MUST(files_checksum(str_text(&path), &after, &crc, &e));
    assert_int_equal(after, whole);

    scratch_write(&s, "trace-2-0.bin", "no shard");
    MUST(shard_copy_in_place(files_join(&path, s.path, "trace-2-0.bin"), &e));
    MUST(files_checksum(str_text(&path), &after, &crc, &e));
    assert_int_equal(after, 8);
    str_release(&path);
    scratch_remove(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_and_devices),
        cmocka_unit_test(gpus_without_a_name_stay_apart),
        cmocka_unit_test(shards_that_say_nothing_are_processes_too),
        cmocka_unit_test(a_folder_that_cannot_be_mapped_is_an_error),
        cmocka_unit_test(what_was_left_out_on_request_is_counted),
        cmocka_unit_test(events_carry_them),
        cmocka_unit_test(a_trace_from_after_the_seal_is_left_out),
        cmocka_unit_test(a_copy_does_not_grow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
