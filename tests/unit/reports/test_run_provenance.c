/* Does the provenance of a run say what it leaves out? */
#include "tests/unit/scratch_bundle.h"

#include "core/base/count_of.h"
#include "core/base/json.h"
#include "reports/document/document.h"
#include "reports/run/run_report.h"

/* What `add` writes of a run with this manifest, which is taken; the caller's. */
static char *written_of(json_t *manifest, void (*add)(const struct analysis *a, struct document *d))
{
    struct bundle bundle;
    struct analysis a;
    struct document d;
    struct str text;
    bundle_init(&bundle);
    bundle.manifest = manifest;
    analysis_init(&a, &bundle);
    document_init(&d);
    str_init(&text);
    add(&a, &d);
    assert_int_equal(document_format_by_name("md")->render(&d, &view_everything, &text), 0);
    document_release(&d);
    analysis_release(&a);
    bundle_release(&bundle);
    return str_take(&text);
}

static char *processes_of(int count)
{
    json_t *processes = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(processes, json_pack("{ss si}", "role", "timing", "index", i));
    return written_of(json_pack("{so}", "processes", processes), run_provenance_add);
}

static void processes_that_are_left_out_are_counted(void **state)
{
    (void)state;
    static const struct {
        int count;
        const char *last, *says; /* NULL: nothing */
    } cases[] = {
        {64, "| timing 63 |", NULL},
        {65, "| timing 63 |", "1 more are left out."},
        {180, "| timing 63 |", "116 more are left out."},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char *text = processes_of(cases[i].count);
        assert_non_null(strstr(text, cases[i].last));
        assert_null(strstr(text, "| timing 64 |"));
        assert_true(cases[i].says ? strstr(text, cases[i].says) != NULL : !strstr(text, "left out"));
        free(text);
    }
}

/* Of the run and of two processes, which repeat it: `count` different ones. */
static json_t *missing_of(int count)
{
    json_t *missing = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(missing, json_pack("{so ss}", "what", json_sprintf("counter %d", i), "why", "none"));
    json_t *manifest =
        json_pack("{so s[{sO}{sO}]}", "missing", missing, "processes", "missing", missing, "missing", missing);
    assert_non_null(manifest);
    return manifest;
}

static void what_is_missing_and_left_out_is_counted(void **state)
{
    (void)state;
    static const struct {
        int count;
        bool says;
    } cases[] = {{64, false}, {65, true}, {80, true}};
    void (*const writers[])(const struct analysis *, struct document *) = {run_provenance_add, run_notes_add};
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        for (size_t k = 0; k < COUNT_OF(writers); k++) {
            char *text = written_of(missing_of(cases[i].count), writers[k]);
            assert_non_null(strstr(text, "counter 63: missing because none"));
            assert_null(strstr(text, "counter 64:"));
            assert_int_equal(strstr(text, "more are left out.") != NULL, cases[i].says);
            free(text);
        }
}

static void code_by_the_driver_is_told(void **state)
{
    (void)state;
    static const struct {
        const char *code; /* NULL: a run of before */
        const char *says; /* NULL: nothing */
    } cases[] = {
        {"{\"source\": 80, \"made_by_jit\": true}",
         "driver supports 13.1; the driver made the code of cpprof's kernels, from PTX for 8.0\n"},
        {"{\"source\": 90, \"made_by_jit\": false}", NULL},
        {NULL, NULL},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        json_t *cuda = json_pack("{si si}", "runtime", 13000, "driver_api", 13010);
        if (cases[i].code)
            json_object_set_new(cuda, "code", json_loads(cases[i].code, 0, NULL));
        char *text = written_of(json_pack("{so}", "cuda", cuda), run_provenance_add);
        assert_non_null(strstr(text, "driver supports 13.1"));
        assert_true(cases[i].says ? strstr(text, cases[i].says) != NULL : !strstr(text, "the driver made"));
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processes_that_are_left_out_are_counted),
        cmocka_unit_test(what_is_missing_and_left_out_is_counted),
        cmocka_unit_test(code_by_the_driver_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
