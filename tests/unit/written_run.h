/* written_run.h - a run in memory whose rows a test writes by hand, and the analysis of it. */
#ifndef CPPROF_WRITTEN_RUN_H
#define CPPROF_WRITTEN_RUN_H

#include "tests/unit/scratch_bundle.h"

#include <stdarg.h>

#include "analyzers/analysis.h"

struct written_run {
    struct bundle bundle;
    struct analysis analysis;
};

static inline void written_begin(struct written_run *r, int sm_count)
{
    bundle_init(&r->bundle);
    r->bundle.manifest = json_pack("{s:{s:i}}", "gpu", "sm_count", sm_count);
    analysis_init(&r->analysis, &r->bundle);
}

static inline void written_end(struct written_run *r)
{
    analysis_release(&r->analysis);
    bundle_release(&r->bundle);
}

/* One row of a table from "a|b||1.5": an empty cell is missing, and so are those behind the last. */
static inline void add_row(struct written_run *r, enum bundle_table which, const char *format, ...)
{
    char line[256], *cells = line;
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    struct table *t = &r->bundle.tables[which];
    struct cell *row = table_add_row(t);
    assert_non_null(row);
    for (size_t column = 0; column < t->column_count && *cells; column++) {
        const size_t length = strcspn(cells, "|");
        const bool is_last = !cells[length];
        cells[length] = '\0';
        if (length)
            row[column] = t->columns[column].unit == UNIT_TEXT ? cell_text(t, cells) : cell_number(strtod(cells, NULL));
        cells += length + !is_last;
    }
}

/* The right kernel ran, and its results are right. */
static inline void add_proof(struct written_run *r, const char *variant)
{
    const char *name = arena_copy(&r->analysis.arena, variant);
    struct selection_check *check = ARRAY_PUSH(&r->analysis.selection);
    struct correctness *right = ARRAY_PUSH(&r->analysis.correctness);
    assert_true(name && check && right);
    *check = (struct selection_check){.variant = name, .config = "m", .status = VERDICT_PASS};
    *right = (struct correctness){.variant = name, .config = "m", .status = VERDICT_PASS};
}

#endif
