/* Is the answer the first line, and is the JSON valid whatever the names hold? */
#include <string.h>

#include "core/trace/class_sets.h"
#include "reports/reports.h"
#include "tests/test.h"
#include "tests/unit/hand_trace.h"

struct shown {
    struct class_sets sets;
    struct timeline_query query;
    struct rule_list *rules;
    struct event_stream *stream;
    struct timeline timeline;
    struct rule_results results;
    struct overlap_report report;
};

static void show(struct shown *s, const char *rule, const struct tiny_event *events, size_t count)
{
    struct err e = {0};
    *s = (struct shown){.stream = tiny_stream(events, count)};
    assert_int_equal(class_sets_init(&s->sets, &s->query, &e), 0);
    assert_int_equal(rule_list_new(&s->rules, &e), 0);
    if (rule)
        assert_int_equal(rule_list_add(s->rules, rule, "r", &e), 0);
    assert_int_equal(rule_list_query(s->rules, &s->query, &e), 0);
    assert_int_equal(timeline_measure(s->stream, &s->query, &s->timeline, &e), 0);
    const struct caveat_list *caveats = event_stream_caveats(s->stream);
    const struct rule_evidence evidence = {.query = &s->query, .timeline = &s->timeline, .caveats = caveats};
    assert_int_equal(rule_list_judge(s->rules, &evidence, &s->results, &e), 0);
    s->report = (struct overlap_report){.source = "t.csv",
                                        .strings = event_stream_strings(s->stream),
                                        .starts = event_stream_starts(s->stream),
                                        .query = &s->query,
                                        .timeline = &s->timeline,
                                        .assertions = &s->results,
                                        .caveats = caveats,
                                        .classes = s->sets.classes,
                                        .class_count = CLASS_SETS};
}

static void shown_release(struct shown *s)
{
    rule_results_release(&s->results);
    timeline_release(&s->timeline);
    event_stream_free(s->stream);
    rule_list_free(s->rules);
    class_sets_release(&s->sets);
}

/* Copies [0,100); kernels [75,175): 25 of 100 hidden. */
static const struct tiny_event quarter[] = {{H2D, 0, 100, 1, "c", 0, 0}, {KERNEL, 75, 175, 2, "k", 0, 0}};
static const struct tiny_event kernels[] = {{KERNEL, 75, 175, 2, "k", 0, 0}};
static const struct tiny_event copies[] = {{H2D, 0, 100, 1, "c", 0, 0}};
static const struct tiny_event hanging[] = {{KERNEL, 0, 10, 2, "k", 0, 0}, {KERNEL, 10, -1, 2, "k", 0, 0}};
static const struct tiny_event host[] = {{OTHER_CALL, 0, 100, 1, "cudaFree", 0, 0}};

TEST(the_first_line_is_the_answer)
{
    static const struct {
        const struct tiny_event *events;
        size_t count;
        const char *rule;
        const char *first_line;
    } cases[] = {
        {quarter, 2, NULL, "**copies: 25.0% hidden under kernels, 75.0% exposed (75 ns)**"},
        {quarter, 2, "serial(kernel)", "**all assertions hold**"},
        {quarter, 2, "overlap(h2d, kernel) >= 80%", "**FAIL** `overlap(h2d, kernel) >= 80%`: 25.0% on device 0"},
        {quarter, 2, "serial(p2p)", "**VACUOUS** `serial(p2p)`: no event is 'p2p'"},
        {hanging, 2, "serial(kernel)", "**INCONCLUSIVE** `serial(kernel)`: some of its events never ended"},
        {kernels, 1, NULL, "**kernels alone: busy 100.0%, no copies or communication to overlap**"},
        {copies, 1, NULL, "**copies: no kernel to hide under, all exposed (100 ns)**"},
        {host, 1, NULL, "**no GPU events: nothing to measure**"},
        {host, 1, "count(kernel) == 0", "**VACUOUS** `count(kernel) == 0`: the input has no GPU events"},
        {NULL, 0, NULL, "**no GPU events: nothing to measure**"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct shown s;
        show(&s, cases[i].rule, cases[i].events, cases[i].count);
        struct document document;
        document_init(&document);
        struct err e = {0};
        assert_int_equal(report_overlap(&s.report, &document, &e), 0);
        struct str text;
        str_init(&text);
        assert_int_equal(document_format_by_name("md")->render(&document, &view_everything, &text), 0);
        text.text[strcspn(text.text, "\n")] = '\0';
        assert_string_equal(str_text(&text), cases[i].first_line);
        str_release(&text);
        document_release(&document);
        shown_release(&s);
    }
}

TEST(json_is_valid_whatever_the_names_hold)
{
    static const struct tiny_event events[] = {{H2D, 0, 100, 1, "\xff\x01\"\\</script>", 0, 0},
                                               {KERNEL, 75, 175, 2, "_Z4tileILi3EEvPKf", 0, 0}};
    struct shown s;
    show(&s, "before(h2d, kernel)", events, 2);
    json_t *json = json_overlap(&s.report);
    char *text = json_to_text(json);
    json_decref(json);
    assert_non_null(text);
    json_t *again = json_loads(text, 0, NULL);
    assert_non_null(again);
    assert_string_equal(json_get_text(again, "schema", ""), "cpprof.overlap/1");
    const json_t *assertion = json_array_get(json_object_get(again, "assertions"), 0);
    assert_string_equal(json_get_text(assertion, "status", ""), "fail");
    assert_int_equal(json_get_integer(assertion, "value", 0), 25); /* 100 - 75 */
    const json_t *example = json_array_get(json_object_get(assertion, "counterexamples"), 0);
    assert_int_equal(json_get_integer(example, "start_ns", 0), 75);
    assert_int_equal(json_get_integer(example, "length_ns", 0), 25);
    assert_string_equal(json_get_text(example, "name", ""), "\xef\xbf\xbd\x01\"\\</script>");
    assert_string_equal(json_get_text(example, "other_name", ""), "void tile<3>(float const*)");
    const json_t *device = json_array_get(json_object_get(again, "devices"), 0);
    assert_true(json_is_null(json_object_get(device, "rank")));
    assert_int_equal(json_get_integer(device, "span_ns", 0), 175);
    json_decref(again);
    free(text);
    shown_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_line_is_the_answer),
        cmocka_unit_test(json_is_valid_whatever_the_names_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
