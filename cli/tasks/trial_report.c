/* What came out under stress, and under a sanitizer? */
#include "cli/tasks/trial_report.h"

#include <string.h>

#include "cli/output.h"
#include "cli/record/trial_runs.h"
#include "core/base/count_of.h"
#include "reports/document/document.h"

static void take_worse(enum exit_status *status, enum exit_status one)
{
    if (*status != EXIT_CHECK_FAILED && one != EXIT_PASS)
        *status = one;
}

/* ---- stress ---- */

/* Fewer launches than were asked for show less, and are said. */
static enum exit_status status_of(const json_t *row)
{
    if (json_get_integer(row, "wrong", 0) || *json_get_text(row, "crashed", ""))
        return EXIT_CHECK_FAILED;
    return json_is_true(json_object_get(row, "is_whole")) && json_get_integer(row, "checks", 0) ? EXIT_PASS
                                                                                                : EXIT_INCONCLUSIVE;
}

static void add_result(struct document *d, const json_t *row)
{
    const char *refused = json_get_text(row, "refused", ""), *crashed = json_get_text(row, "crashed", "");
    const long long wrong = json_get_integer(row, "wrong", 0), other = json_get_integer(row, "other_bits", 0);
    if (*crashed)
        document_cell(d, "CRASHED: %s", crashed);
    else if (*refused)
        document_cell(d, "not run: %s", refused);
    else if (wrong)
        document_cell(d, "WRONG in %lld: %s", wrong, json_get_text(row, "first", ""));
    else if (status_of(row) != EXIT_PASS)
        document_cell(d, "right, but time was over before %d launches", STRESS_LAUNCHES);
    else if (other)
        document_cell(d, "right; of the same inputs other bits in %lld", other);
    else
        document_cell(d, "right");
}

static void add_rows(struct document *d, const json_t *rows, enum exit_status *status)
{
    static const struct document_column columns[] = {
        {"variant", false}, {"shape", false}, {"launches", true}, {"checks", true}, {"result", false}};
    document_table(d, columns, COUNT_OF(columns));
    if (!json_array_size(rows))
        take_worse(status, EXIT_INCONCLUSIVE);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        take_worse(status, status_of(row));
        document_cell_code(d, json_get_text(row, "variant", ""));
        document_cell(d, "%s", json_get_text(row, "shape", ""));
        document_cell_unit(d, UNIT_COUNT, (double)json_get_integer(row, "launches", 0));
        document_cell_unit(d, UNIT_COUNT, (double)json_get_integer(row, "checks", 0));
        add_result(d, row);
    }
}

int trial_report_stress(const struct run_request *request, enum exit_status *status, struct err *e)
{
    json_t *rows = NULL;
    struct document d;
    document_init(&d);
    *status = EXIT_PASS;
    int rc = trial_stress(request, STRESS_LAUNCHES, &rows, e);
    if (!rc) {
        add_rows(&d, rows, status);
        rc = output_document(&d, "text", NULL, false, e);
    }
    json_decref(rows);
    document_release(&d);
    return rc;
}

/* ---- a sanitizer ---- */

/* Nothing is clean that was not verified. */
static enum exit_status status_of_tool(const struct sanitizer_end *end)
{
    if (!end->is_clean)
        return EXIT_CHECK_FAILED;
    return end->is_verified ? EXIT_PASS : EXIT_INCONCLUSIVE;
}

static int add_tool(struct document *d, const struct run_request *request, const char *tool, enum exit_status *status,
                    struct err *e)
{
    struct sanitizer_end end;
    sanitizer_end_init(&end);
    const int rc = trial_sanitize(request, tool, &end, e);
    if (!rc) {
        take_worse(status, status_of_tool(&end));
        document_cell(d, "%s", tool);
        document_cell(d, "%s", !end.is_clean ? "FOUND" : end.is_verified ? "clean" : "nothing was verified");
        document_cell(d, "%s", str_text(&end.summary));
        document_cell(d, "%s", str_text(&end.first));
    }
    sanitizer_end_release(&end);
    return rc;
}

int trial_report_sanitize(const struct run_request *request, enum exit_status *status, struct err *e)
{
    static const struct document_column columns[] = {
        {"tool", false}, {"result", false}, {"summary", false}, {"first", false}};
    struct document d;
    int rc = 0;
    document_init(&d);
    *status = EXIT_PASS;
    document_table(&d, columns, COUNT_OF(columns));
    for (size_t i = 0; i < sanitizer_tool_count && !rc; i++)
        rc = add_tool(&d, request, sanitizer_tools[i], status, e);
    if (!rc)
        rc = output_document(&d, "text", NULL, false, e);
    document_release(&d);
    return rc;
}
