/* Does what a bundle says that it lost weaken the rules on its trace? */
#include "tests/unit/scratch_bundle.h"

#include "core/base/count_of.h"
#include "core/bundle/bundle_write.h"
#include "core/trace/event_stream.h"

#define REPORT                                                                                                         \
    "\"role\": \"capture\", \"pid\": 5, \"program\": \"p\", \"state\": \"ended\", \"trace\": \"trace-5-0.bin\""

static void write_trace(const struct scratch *s, const char *name, uint64_t dropped, bool has_work)
{
    const struct cpprof_event event = {.kind = has_work ? CPPROF_EVENT_KERNEL : CPPROF_EVENT_API, .end_ns = 5};
    struct shard_writer w;
    struct str path;
    str_init(&path);
    MUST(shard_writer_open(&w, files_join(&path, s->path, name), -1, 0, &e));
    MUST(shard_writer_add(&w, &event, &e));
    shard_writer_dropped(&w, CPPROF_EVENT_KERNEL, dropped);
    MUST(shard_writer_close(&w, &e));
    str_release(&path);
}

static struct event_stream *open_with(struct scratch *s, const char *members, uint64_t dropped)
{
    struct event_stream *stream;
    scratch_create(s);
    json_t *more = json_loads(members, 0, NULL);
    assert_non_null(more);
    json_object_update(s->manifest, more);
    json_decref(more);
    write_trace(s, "trace-5-0.bin", dropped, true);
    MUST(bundle_seal(s->path, s->manifest, &e));
    MUST(event_stream_open(&stream, s->path, &e));
    return stream;
}

/* What says nothing is lost leaves a trace alone; what says something, or nonsense, weakens it. */
static void what_a_manifest_lost_weakens_its_trace(void **state)
{
    (void)state;
    static const struct {
        const char *members, *weakens; /* NULL: nothing */
    } cases[] = {
        {"{\"kind\": \"run\"}", NULL},
        {"{}", NULL},
        {"{\"kind\": \"run\", \"failures\": [], \"dropped\": {\"records\": 0}}", NULL},
        {"{\"kind\": \"run\", \"failures\": [{\"role\": \"trace\", \"index\": 1, \"detail\": \"killed\"}]}",
         "the trace process 1 failed: killed"},
        {"{\"kind\": \"run\", \"failures\": [{\"role\": \"time\", \"index\": 4, \"detail\": \"killed\"}]}",
         "the time process 4 failed: killed"},
        {"{\"kind\": \"run\", \"failures\": 3}", "'failures' in the manifest makes no sense"},
        {"{\"kind\": \"run\", \"dropped\": {\"records\": 7}}", "7 records were dropped while recording"},
        {"{\"kind\": \"run\", \"dropped\": {\"kernel\": 7}}", "7 kernel records were dropped while recording"},
        {"{\"kind\": \"run\", \"dropped\": {\"records\": -7}}", "'dropped' in the manifest makes no sense"},
        {"{\"kind\": \"run\", \"dropped\": {\"records\": \"7\"}}", "'dropped' in the manifest makes no sense"},
        {"{\"kind\": \"run\", \"dropped\": null}", "'dropped' in the manifest makes no sense"},
        {"{\"kind\": \"dream\"}", "no kind that is known: 'dream'"},
        {"{\"kind\": 5}", "no kind that is known"},
        {"{\"capture\": {}, \"processes\": [{" REPORT "}]}", "no kind that is known"},
        {"{\"kind\": \"capture\"}", "the manifest says nothing of the captured processes"},
        {"{\"kind\": \"capture\", \"processes\": {}}", "the manifest says nothing of the captured processes"},
        {"{\"kind\": \"capture\", \"processes\": []}", "left a trace and no report"},
        {"{\"kind\": \"capture\", \"processes\": [{" REPORT "}]}", NULL},
        {"{\"kind\": \"capture\", \"processes\": [{" REPORT ", \"missing\": []}]}", NULL},
        {"{\"kind\": \"capture\", \"processes\": [{" REPORT ", \"missing\": 1}]}", "does not say what its trace lacks"},
        {"{\"kind\": \"capture\", \"processes\": [{" REPORT ", \"dropped\": {\"copy\": 2}}]}",
         "2 copy records were dropped while recording"},
        {"{\"kind\": \"capture\", \"dropped\": {\"copy\": 3}, \"processes\": [{" REPORT "}]}",
         "3 copy records were dropped while recording"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct scratch s;
        struct event_stream *stream = open_with(&s, cases[i].members, 0);
        const char *said = caveat_first(event_stream_caveats(stream), CAVEAT_WEAKENS);
        if (!said != !cases[i].weakens || (said && !strstr(said, cases[i].weakens)))
            fail_msg("%s: '%s'", cases[i].members, said ? said : "");
        event_stream_free(stream);
        scratch_remove(&s);
    }
}

/* A shard tells more exactly what it lost: once is enough. */
static void a_loss_is_said_once(void **state)
{
    (void)state;
    struct scratch s;
    struct event_stream *stream =
        open_with(&s, "{\"kind\": \"capture\", \"processes\": [{" REPORT ", \"dropped\": {\"kernel\": 2}}]}", 2);
    assert_int_equal(event_stream_caveats(stream)->count, 1);
    assert_non_null(strstr(event_stream_caveats(stream)->items[0].text, "2 kernel records were dropped while tracing"));
    event_stream_free(stream);
    scratch_remove(&s);
}

/* A process that was no witness of the launches leaves the trace itself as it is. */
static void only_who_traced_harms_the_trace(void **state)
{
    (void)state;
    static const struct {
        const char *role;
        bool elsewhere;
    } cases[] = {{"trace", false}, {"runner", false}, {"", false}, {"time", true}, {"count", true}, {"verify", true}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct scratch s;
        char members[256];
        snprintf(members, sizeof members, "{\"kind\": \"run\", \"failures\": [{\"role\": \"%s\"}]}", cases[i].role);
        struct event_stream *stream = open_with(&s, members, 0);
        assert_int_equal(event_stream_caveats(stream)->items[0].elsewhere, cases[i].elsewhere);
        event_stream_free(stream);
        scratch_remove(&s);
    }
}

/* A rank that ran nothing is no rank that keeps every rule; traces of calls alone are no ranks of the GPU. */
static void a_rank_without_work_is_no_rank(void **state)
{
    (void)state;
    static const struct {
        bool work[2];
        const char *said; /* NULL: nothing */
    } cases[] = {{{true, true}, NULL},
                 {{true, false}, "trace-2-0.bin: no work on the GPU is in it"},
                 {{false, true}, "trace-1-0.bin: no work on the GPU is in it"},
                 {{false, false}, NULL}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct scratch s;
        struct event_stream *stream;
        struct str first, second;
        str_init(&first);
        str_init(&second);
        scratch_create(&s);
        write_trace(&s, "trace-1-0.bin", 0, cases[i].work[0]);
        write_trace(&s, "trace-2-0.bin", 0, cases[i].work[1]);
        files_join(&first, s.path, "trace-1-0.bin");
        files_join(&second, s.path, "trace-2-0.bin");
        const char *const paths[] = {str_text(&first), str_text(&second)};
        MUST(event_stream_open_ranks(&stream, paths, 2, &e));
        const char *said = caveat_first(event_stream_caveats(stream), CAVEAT_TRUNCATED);
        if (!said != !cases[i].said || (said && !strstr(said, cases[i].said)))
            fail_msg("case %zu: '%s'", i, said ? said : "");
        event_stream_free(stream);
        str_release(&first);
        str_release(&second);
        scratch_remove(&s);
    }
}

static void migrations_are_known_to_lack(void **state)
{
    (void)state;
    static const struct {
        const char *missing;
        bool lacks;
    } cases[] = {{"[]", false},
                 {"[{\"what\": \"early migrations\", \"why\": \"late\"}]", true},
                 {"[{\"what\": \"migrations\", \"why\": \"not asked for\"}]", true},
                 {"[{\"what\": \"counters\"}, {\"what\": \"early migrations\"}]", true}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct scratch s;
        char members[512];
        snprintf(members, sizeof members, "{\"kind\": \"capture\", \"processes\": [{" REPORT ", \"missing\": %s}]}",
                 cases[i].missing);
        struct event_stream *stream = open_with(&s, members, 0);
        assert_int_equal(event_stream_lacks_migrations(stream), cases[i].lacks);
        event_stream_free(stream);
        scratch_remove(&s);
    }
}

/* What NCCL told of is stored, or ran from a graph, or is lost. Older captures do not count what was misnumbered. */
static void lost_notes_of_collectives_are_known(void **state)
{
    (void)state;
    static const struct {
        const char *told;
        bool lacks;
        const char *said; /* NULL: nothing */
    } cases[] = {{"{\"collectives\": 7, \"from_graphs\": 1, \"stored\": 6}", false, NULL},
                 {"{\"collectives\": 7, \"from_graphs\": 1, \"stored\": 5, \"misnumbered\": 0}", true, "1 of its 7"},
                 {"{\"collectives\": 7, \"from_graphs\": 0, \"stored\": 7, \"misnumbered\": 2}", false, "graphs"},
                 {"{\"collectives\": 7, \"from_graphs\": 9223372036854775807, \"stored\": 7}", false, NULL},
                 {"\"none\"", false, NULL}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct scratch s;
        char members[512];
        snprintf(members, sizeof members, "{\"kind\": \"capture\", \"processes\": [{" REPORT ", \"collectives\": %s}]}",
                 cases[i].told);
        struct event_stream *stream = open_with(&s, members, 0);
        const char *said = caveat_first(event_stream_caveats(stream), CAVEAT_NOTE);
        assert_int_equal(event_stream_lacks_collectives(stream), cases[i].lacks);
        if (cases[i].said ? !said || !strstr(said, cases[i].said) : said && strstr(said, "NCCL"))
            fail_msg("case %zu: '%s'", i, said ? said : "");
        event_stream_free(stream);
        scratch_remove(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_manifest_lost_weakens_its_trace), cmocka_unit_test(a_loss_is_said_once),
        cmocka_unit_test(only_who_traced_harms_the_trace),        cmocka_unit_test(a_rank_without_work_is_no_rank),
        cmocka_unit_test(migrations_are_known_to_lack),           cmocka_unit_test(lost_notes_of_collectives_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
