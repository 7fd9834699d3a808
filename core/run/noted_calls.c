/* What did the runner note of the calls of an arm? */
#include "core/run/noted_calls.h"

#include <math.h>
#include <string.h>

static double sum_of(const struct run *run, const struct arm *arm, const char *place, const char *what)
{
    const struct arm_table *notes = &run->tables[BUNDLE_WITNESS];
    const struct arm_places rows = arm_table_rows(notes, arm);
    double sum = NAN;
    for (size_t i = 0; i < rows.count; i++) {
        const size_t row = rows.items[i];
        const double value = table_number(notes->table, row, WITNESS_VALUE);
        if (!strcmp(table_text(notes->table, row, WITNESS_PLACE), place) &&
            !strcmp(table_text(notes->table, row, WITNESS_WHAT), what))
            sum = isnan(sum) ? value : sum + value;
    }
    return sum;
}

double noted_calls(const struct run *run, const struct arm *arm, const char *place)
{
    return sum_of(run, arm, place, WITNESS_CALLS);
}

double noted_graph_kernels(const struct run *run, const struct arm *arm)
{
    return sum_of(run, arm, WITNESS_GRAPH, WITNESS_KERNELS) / sum_of(run, arm, WITNESS_GRAPH, WITNESS_CALLS);
}
