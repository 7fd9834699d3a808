/* bounded_cells.h - numbers with an interval, as the columns of a row: null in JSON and empty in a table where they are
 * not known. For the files that list columns. */
#ifndef CPPROF_BOUNDED_CELLS_H
#define CPPROF_BOUNDED_CELLS_H

#include <math.h>
#include <stddef.h>

#include "analyzers/columns.h"
#include "analyzers/compare/sweep_rows.h"
#include "core/base/str.h"
#include "core/base/units.h"

/* A number with its interval in JSON, null where it is not known. */
#define BOUNDED_OF(name, type, field)                                                                                  \
    static size_t name(const void *row, const void *context, const void **items)                                       \
    {                                                                                                                  \
        const struct bounded *b = &((const type *)row)->field;                                                         \
        (void)context;                                                                                                 \
        *items = b;                                                                                                    \
        return isfinite(b->value) ? 1 : 0;                                                                             \
    }
#define BOUNDED(one) ROW_OBJECT_OF(one, &bounded_columns)

static inline void add_percent(struct str *out, struct bounded b)
{
    if (!isfinite(b.value))
        return;
    str_addf(out, "%.1f%%", 100 * b.value);
    if (isfinite(b.low) && isfinite(b.high))
        str_addf(out, " (%.1f to %.1f%%)", 100 * b.low, 100 * b.high);
}

static inline void add_amount(struct str *out, struct bounded b)
{
    if (!isfinite(b.value))
        return;
    str_addf(out, "%.0f", b.value);
    if (isfinite(b.low) && isfinite(b.high))
        str_addf(out, " (%.0f to %.0f)", b.low, b.high);
}

static inline void add_shares(struct str *out, struct bounded first, struct bounded second)
{
    char one[UNITS_TEXT_BYTES], other[UNITS_TEXT_BYTES];
    if (isfinite(first.value))
        str_addf(out, "%s (%s)", unit_format(one, UNIT_RATIO, first.value),
                 unit_format(other, UNIT_RATIO, second.value));
}

/* The same in a cell of a table. */
#define SHOWN(name, type, field, add)                                                                                  \
    static struct row_value name(const void *row, const void *context, struct str *scratch)                            \
    {                                                                                                                  \
        (void)context;                                                                                                 \
        add(scratch, ((const type *)row)->field);                                                                      \
        return row_text_or_unknown(str_text(scratch));                                                                 \
    }
#define SHOWN_BOTH(name, type, first, second, add)                                                                     \
    static struct row_value name(const void *row, const void *context, struct str *scratch)                            \
    {                                                                                                                  \
        (void)context;                                                                                                 \
        add(scratch, ((const type *)row)->first, ((const type *)row)->second);                                         \
        return row_text_or_unknown(str_text(scratch));                                                                 \
    }

#endif
