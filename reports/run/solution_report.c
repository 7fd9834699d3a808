/* Which solutions of a task pass, and how fast are they: the whole answer in one table. */
#include "analyzers/columns.h"
#include "reports/rows/row_formats.h"
#include "reports/run/run_report.h"

#include <string.h>

/* A narrow screen goes without the speedup, which is in the chart, what is of light, and reasons, which are told below.
 */
enum { ROWS_ON_A_SCREEN = 20, SPARE_ON_A_SCREEN = 3, REASONS_ON_A_SCREEN = 3 };

static void add_table(const struct analysis *a, size_t count, size_t spare, struct document *d)
{
    const struct row_table table = {.lists = {&solution_columns}, .formats = {ROW_TABLE}};
    row_table_begin(d, &table);
    document_table_spare(d, spare);
    for (size_t i = 0; i < count; i++)
        row_table_row(d, &table, &a->solutions.items[i], NULL);
}

/* Once for each solution, however often it stands in these rows. */
static void add_reasons(const struct analysis *a, size_t count, struct document *d)
{
    size_t told = 0, left = 0;
    for (size_t i = 0; i < count; i++) {
        const struct solution *s = &a->solutions.items[i];
        size_t before = 0;
        while (before < i &&
               (strcmp(a->solutions.items[before].variant, s->variant) != 0 || !*a->solutions.items[before].why))
            before++;
        if (!*s->why || before < i)
            continue;
        if (told++ >= REASONS_ON_A_SCREEN) {
            left++;
            continue;
        }
        document_fact(d, "Not passed");
        document_span(d, SPAN_CODE, "%s", s->variant);
        document_span(d, SPAN_PLAIN, ": %s", s->why);
    }
    if (left)
        document_span(d, SPAN_PLAIN, " (and %zu more in the table)", left);
}

bool run_solutions_screen(const struct analysis *a, struct document *d)
{
    const size_t count = a->solutions.count < ROWS_ON_A_SCREEN ? a->solutions.count : ROWS_ON_A_SCREEN;
    if (!count)
        return false;
    add_table(a, count, SPARE_ON_A_SCREEN, d);
    add_reasons(a, count, d);
    return true;
}

void run_solutions_add(const struct analysis *a, struct document *d)
{
    if (!a->solutions.count)
        return;
    document_heading(d, 2, "Solutions");
    add_table(a, a->solutions.count, 0, d);
    document_paragraph(d);
    document_span(
        d, SPAN_PLAIN,
        "A solution passes when it launched what was meant, every output was right, nothing else was written, "
        "a counter shows its work, "
        "and its witnesses agree. \"Of light\" is the share of its time that the least work of the task needs "
        "at the highest rate that is known here: of the L2 cache, with cold caches of device memory, or of "
        "its operations.");
}
