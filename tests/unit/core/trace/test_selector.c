/* Does a selector mean the events that its text says? */
#include <string.h>

#include "core/trace/event_spool.h"
#include "core/trace/event_stream.h"
#include "core/trace/selector.h"
#include "core/trace/stream_scope.h"
#include "tests/test.h"

enum { NAME_GEMM = 1, NAME_MANGLED, NAME_NCCL, NAME_COPY, NAMES };

static void add_names(struct strtab *strings)
{
    strtab_init(strings);
    assert_int_equal(strtab_add(strings, "void ns::gemm<3>(float const*)"), NAME_GEMM);
    assert_int_equal(strtab_add(strings, "_Z4tileILi3EEvPKf"), NAME_MANGLED);
    assert_int_equal(strtab_add(strings, "ncclDevKernel_AllReduce_Sum_f32"), NAME_NCCL);
    assert_int_equal(strtab_add(strings, "[CUDA memcpy Host-to-Device]"), NAME_COPY);
}

static struct event_stream *stream_of_names(const char *comm)
{
    struct event_stream *stream;
    struct strtab strings;
    add_names(&strings);
    assert_int_equal(event_stream_from_events(&stream, NULL, 0, &strings, NULL), 0);
    assert_int_equal(event_stream_scope(stream, &(struct stream_scope){.comm = comm}, NULL), 0);
    strtab_release(&strings);
    return stream;
}

static const struct cpprof_event kernel = {
    .kind = CPPROF_EVENT_KERNEL, .name = NAME_GEMM, .stream = 7, .device = 1, .rank = 2};
static const struct cpprof_event mangled = {.kind = CPPROF_EVENT_KERNEL, .name = NAME_MANGLED, .stream = 8, .rank = -1};
static const struct cpprof_event nccl = {.kind = CPPROF_EVENT_KERNEL, .name = NAME_NCCL, .stream = 9, .rank = -1};
static const struct cpprof_event h2d = {
    .kind = CPPROF_EVENT_COPY, .detail = CPPROF_COPY_H2D, .name = NAME_COPY, .rank = -1};
static const struct cpprof_event p2p = {
    .kind = CPPROF_EVENT_COPY, .detail = CPPROF_COPY_P2P, .name = NAME_COPY, .rank = -1};
/* Part of a collective, whatever its name says. */
static const struct cpprof_event exchange = {
    .kind = CPPROF_EVENT_COPY, .detail = CPPROF_COPY_P2P, .flags = EVENT_COMMUNICATES, .name = NAME_COPY, .rank = -1};
static const struct cpprof_event clear = {.kind = CPPROF_EVENT_MEMSET, .rank = -1};
static const struct cpprof_event page = {.kind = CPPROF_EVENT_MIGRATION, .detail = CPPROF_COPY_H2D, .rank = -1};
static const struct cpprof_event api = {.kind = CPPROF_EVENT_API, .device = -1, .rank = -1};
static const struct cpprof_event wait = {.kind = CPPROF_EVENT_SYNC, .device = -1, .rank = -1};
static const struct cpprof_event range = {.kind = CPPROF_EVENT_RANGE, .device = -1, .rank = -1};

/* In the order of the letters below. */
static const struct cpprof_event *const events[] = {&kernel, &mangled, &nccl, &h2d,   &p2p,     &clear,
                                                    &page,   &api,     &wait, &range, &exchange};
static const char letters[] = "kmnhpcgawrx";

TEST(selectors_take_what_they_say)
{
    static const struct {
        const char *text, *taken, *canonical;
    } cases[] = {
        {"kernel", "kmn", "kernel"},
        {"copy", "hpx", "copy"},
        {"h2d", "h", "h2d"},
        {"d2h", "", "d2h"},
        {"p2p", "px", "p2p"},
        {"memset", "c", "memset"},
        {"migration", "g", "migration"},
        {"comm", "nx", "comm"},
        {"comm[name=~nccl]", "n", "comm[name=~nccl]"},
        {"comm[name=~memcpy]", "x", "comm[name=~memcpy]"},
        {"compute", "km", "compute"},
        {"api", "a", "api"},
        {"sync", "w", "sync"},
        {"nvtx", "r", "nvtx"},
        {"any", "kmnhpcgx", "any"},
        {"kernel[name=~gemm]", "k", "kernel[name=~gemm]"},
        {"kernel [ name =~ \"gemm|tile<\" ]", "km", "kernel[name=~gemm|tile<]"}, /* the demangled name, too */
        {"kernel[name=~\"tile<3>[(]\"]", "m", "kernel[name=~\"tile<3>[(]\"]"},
        {"kernel[name=tile]", "m", "kernel[name=tile]"}, /* the short name */
        {"kernel[name=ns::gemm]", "k", "kernel[name=ns::gemm]"},
        {"kernel[name=*AllReduce*]", "n", "kernel[name=*AllReduce*]"},
        {"kernel[name=gem?]", "", "kernel[name=gem?]"}, /* a glob means the whole name */
        {"kernel[stream=7]", "k", "kernel[stream=7]"},
        {"kernel[stream=7,device=1,rank=2]", "k", "kernel[stream=7, device=1, rank=2]"},
        {"kernel[stream=7, device=0]", "", "kernel[stream=7, device=0]"},
        {"any[name=~\"say \\\"hi\\\"\"]", "", "any[name=~\"say \\\"hi\\\"\"]"},
        {"copy[name=\"* Host-to-Device?\"]", "hpx", "copy[name=\"* Host-to-Device?\"]"},
    };
    struct event_stream *stream = stream_of_names(NULL);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct selector *s;
        const char *text = cases[i].text;
        struct err e = {0};
        assert_int_equal(selector_parse(&s, &text, NULL, &e), 0);
        assert_string_equal(text, "");
        assert_string_equal(selector_text(s), cases[i].canonical);
        assert_int_equal(selector_bind(s, stream, &e), 0);
        char taken[sizeof letters];
        size_t count = 0;
        for (size_t k = 0; k < COUNT_OF(events); k++)
            if (selector_match(s, events[k]))
                taken[count++] = letters[k];
        taken[count] = '\0';
        assert_string_equal(taken, cases[i].taken);
        selector_free(s);
    }
    event_stream_free(stream);
}

TEST(bad_selectors_say_where)
{
    static const struct {
        const char *text;
        int offset; /* of the offending place */
        const char *message;
    } cases[] = {
        {"", 0,
         "expected a class of events: kernel copy h2d d2h d2d p2p memset migration comm compute api sync nvtx any"},
        {"kernels", 0,
         "unknown class 'kernels'; known: kernel copy h2d d2h d2d p2p memset migration comm compute api sync nvtx any"},
        {"kernel[]", 7, "unknown filter key ''; known: name stream device nvtx rank"},
        {"kernel[range=a]", 7, "unknown filter key 'range'; known: name stream device nvtx rank"},
        {"kernel[name]", 11, "expected '=' or '=~' after 'name'"},
        {"kernel[name=]", 12, "expected a pattern"},
        {"kernel[name=\"a]", 12, "the quote is never closed"},
        {"kernel[name=\"\"]", 12, "the pattern is empty"},
        {"kernel[name=~\"(\"]", 13, "name pattern '(' is no extended regular expression: Unmatched ( or \\("},
        {"kernel[stream=~7]", 15, "'stream' takes '=' and a number"},
        {"kernel[stream=x]", 14, "'stream' takes '=' and a number"},
        {"kernel[stream=-1]", 14, "'stream' takes '=' and a number"},
        {"kernel[stream=99999999999999999999]", 14, "'stream' takes '=' and a number"},
        {"kernel[stream=7 device=1]", 16, "expected ',' or ']'"},
        {"kernel[stream=7", 15, "expected ',' or ']'"},
        {"any[rank=0,rank=0,rank=0,rank=0,rank=0,rank=0,rank=0,rank=0,rank=0]", 60, "more than 8 filters"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct selector *s;
        const char *text = cases[i].text;
        struct err e = {0};
        assert_int_equal(selector_parse(&s, &text, NULL, &e), ERR_USAGE);
        assert_string_equal(e.text, cases[i].message);
        assert_int_equal(text - cases[i].text, cases[i].offset);
    }
    struct selector *s;
    struct err e = {0};
    const char *text = "gpu";
    assert_int_equal(selector_parse(&s, &text, "gates:3", &e), ERR_USAGE);
    assert_memory_equal(e.text, "gates:3: unknown class 'gpu'", 28);
}

TEST(the_communication_pattern_can_be_set)
{
    struct event_stream *stream = stream_of_names("gemm");
    struct selector *comm, *compute;
    struct err e = {0};
    assert_int_equal(selector_new(&comm, CLASS_COMM, &e), 0);
    assert_int_equal(selector_new(&compute, CLASS_COMPUTE, &e), 0);
    assert_int_equal(selector_bind(comm, stream, &e), 0);
    assert_int_equal(selector_bind(compute, stream, &e), 0);
    assert_true(selector_match(comm, &kernel) && selector_match(comm, &nccl)); /* it adds to the names that are known */
    assert_true(!selector_match(compute, &kernel) && !selector_match(compute, &nccl));
    selector_free(comm);
    selector_free(compute);
    event_stream_free(stream);
    assert_int_equal(comm_regex_check("[", &e), ERR_USAGE);
    assert_memory_equal(e.text, "communication pattern '['", 25);
}

TEST(ids_beyond_the_bound_table_match_no_pattern)
{
    struct strtab strings;
    strtab_init(&strings);
    struct event_stream *stream;
    struct selector *s;
    struct err e = {0};
    const char *text = "kernel[name=~.*]";
    assert_int_equal(selector_parse(&s, &text, NULL, &e), 0);
    assert_int_equal(event_stream_from_events(&stream, NULL, 0, &strings, &e), 0);
    assert_int_equal(selector_bind(s, stream, &e), 0);
    assert_false(selector_match(s, &kernel)); /* id 1 of an empty table */
    selector_free(s);
    event_stream_free(stream);
    strtab_release(&strings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(selectors_take_what_they_say),
        cmocka_unit_test(bad_selectors_say_where),
        cmocka_unit_test(the_communication_pattern_can_be_set),
        cmocka_unit_test(ids_beyond_the_bound_table_match_no_pattern),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
