/* Does the provenance of a run say what it leaves out? */
#include "tests/unit/scratch_bundle.h"

#include "base/json.h"
#include "reports/document/document.h"
#include "reports/run/run_report.h"

/* The processes of a run as they are shown; the caller's. */
static char *processes_of(int count)
{
    struct bundle bundle;
    struct analysis a;
    struct document d;
    struct str text;
    bundle_init(&bundle);
    json_t *processes = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(processes, json_pack("{ss si}", "role", "timing", "index", i));
    bundle.manifest = json_pack("{so}", "processes", processes);
    analysis_init(&a, &bundle);
    document_init(&d);
    str_init(&text);
    run_provenance_add(&a, &d);
    assert_int_equal(document_format_by_name("md")->render(&d, &view_everything, &text), 0);
    document_release(&d);
    analysis_release(&a);
    bundle_release(&bundle);
    return str_take(&text);
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
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *text = processes_of(cases[i].count);
        assert_non_null(strstr(text, cases[i].last));
        assert_null(strstr(text, "| timing 64 |"));
        assert_true(cases[i].says ? strstr(text, cases[i].says) != NULL : !strstr(text, "left out"));
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processes_that_are_left_out_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
