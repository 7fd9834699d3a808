/* Which solutions of a task pass, and how fast are they: the whole answer in one table. */
#include "analyzers/columns.h"
#include "reports/rows/row_formats.h"
#include "reports/run/run_report.h"

enum { ROWS_ON_A_SCREEN = 20 };

static void add_table(const struct analysis *a, size_t count, struct document *d)
{
    const struct row_table table = {.lists = {&solution_columns}, .formats = {ROW_TABLE}};
    row_table_add(d, &table, a->solutions.items, count);
}

bool run_solutions_screen(const struct analysis *a, struct document *d)
{
    const size_t count = a->solutions.count;
    if (count)
        add_table(a, count < ROWS_ON_A_SCREEN ? count : ROWS_ON_A_SCREEN, d);
    return count > 0;
}

void run_solutions_add(const struct analysis *a, struct document *d)
{
    if (!a->solutions.count)
        return;
    document_heading(d, 2, "Solutions");
    if (a->solutions.count > ROWS_ON_A_SCREEN)
        add_table(a, a->solutions.count, d);
    document_paragraph(d);
    document_span(
        d, SPAN_PLAIN,
        "A solution passes when it launched what was meant, every output was right, nothing else was written, "
        "a counter shows its work, "
        "and its witnesses agree. \"Of light\" is the share of its time that the least work of the task needs "
        "at the highest rate that is known here: of the L2 cache, with cold caches of device memory, or of "
        "its operations.");
}
