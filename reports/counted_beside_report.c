/* What do several tables of Nsight Compute say of the same kernels?
 *
 * A kernel is its name: launches of other grids and blocks are the same one, since a new version of a kernel has them.
 */
#include "reports/counted_beside_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/units.h"
#include "core/run/imported_launches.h"
#include "reports/run/run_report.h"
#include "reports/trace_words.h"

enum { LABEL_COLUMNS = 40, KERNELS_SHOWN = 30 };

void counted_beside_init(struct counted_beside *b)
{
    *b = (struct counted_beside){0};
    strtab_init(&b->names);
}

void counted_beside_release(struct counted_beside *b)
{
    strtab_release(&b->names);
    free(b->kernels.items);
    *b = (struct counted_beside){0};
}

/* ---- what the files say ---- */

static struct beside_kernel *kernel_of(struct counted_beside *b, const char *name)
{
    const uint32_t id = strtab_add(&b->names, *name ? name : "?");
    if (!id || id <= b->kernels.count)
        return id ? &b->kernels.items[id - 1] : NULL;
    struct beside_kernel *kernel = ARRAY_PUSH(&b->kernels);
    if (kernel)
        *kernel = (struct beside_kernel){.name = id};
    return kernel;
}

/* What limits it: of a latency bound a stall or a small grid, whose unit says little. */
static void write_bound(char *out, size_t bytes, const struct bound *bound)
{
    char share[UNITS_TEXT_BYTES];
    const char *class = bound_class_name(bound->class_);
    if (bound->class_ == BOUND_INCONCLUSIVE || !*bound->bound_by)
        snprintf(out, bytes, "%s", class);
    else if (!strcmp(bound->bound_by, bound->unit) && bound->unit_share >= 0)
        snprintf(out, bytes, "%s %s %s", class, bound->unit, unit_format(share, UNIT_RATIO, bound->unit_share));
    else
        snprintf(out, bytes, "%s %s", class, bound->bound_by);
}

/* Launches of one class differ by a little in the share of their unit: the first one's is shown. */
static bool is_of_another_class(const char *text, const struct bound *bound)
{
    const char *class = bound_class_name(bound->class_);
    return strncmp(text, class, strlen(class)) != 0;
}

static void add_launch(struct beside_cell *cell, const struct bound *bound)
{
    cell->duration_ns += counters_value(&bound->counted->counters, METRIC_DURATION);
    if (!cell->launches++)
        write_bound(cell->bound, sizeof cell->bound, bound);
    else
        cell->differs |= is_of_another_class(cell->bound, bound);
}

int counted_beside_add(struct counted_beside *b, const char *path, const struct analysis *a, struct err *e)
{
    if (b->file_count == BESIDE_FILES_MAX) {
        b->left_out++;
        return 0;
    }
    const size_t file = b->file_count++;
    b->paths[file] = path;
    for (size_t i = 0; i < a->bounds.count; i++) {
        struct beside_kernel *kernel = kernel_of(b, a->bounds.items[i].kernel);
        if (!kernel)
            return err_memory(e);
        add_launch(&kernel->files[file], &a->bounds.items[i]);
    }
    return 0;
}

/* ---- the section ---- */

/* The longest time in any file: what is gone in the second one should be seen, too. */
static double most_ns(const struct beside_kernel *kernel)
{
    double most = -1;
    for (size_t i = 0; i < BESIDE_FILES_MAX; i++)
        most = kernel->files[i].launches ? fmax(most, kernel->files[i].duration_ns) : most;
    return most;
}

static int by_most(const void *left, const void *right)
{
    const struct beside_kernel *a = left, *b = right;
    const double a_ns = most_ns(a), b_ns = most_ns(b);
    if (a_ns != b_ns)
        return a_ns > b_ns ? -1 : 1;
    return (a->name > b->name) - (a->name < b->name);
}

/* From where on the path differs from all others: as few of its last parts as tell it apart. */
static const char *own_end(const struct counted_beside *b, size_t file)
{
    const char *path = b->paths[file], *from = path + strlen(path);
    for (bool is_own = false; from > path && !is_own;) {
        while (from > path && *--from == '/') {
        }
        while (from > path && from[-1] != '/')
            from--;
        is_own = true;
        for (size_t i = 0; i < b->file_count; i++) {
            const size_t length = strlen(b->paths[i]), end = strlen(from);
            if (i != file && strcmp(b->paths[i], path) != 0 && length >= end &&
                !strcmp(b->paths[i] + length - end, from))
                is_own = false;
        }
    }
    return from;
}

static void begin_table(const struct counted_beside *b, struct document *d)
{
    struct document_column columns[1 + 3 * BESIDE_FILES_MAX] = {{"kernel", false}};
    size_t count = 1;
    for (size_t i = 0; i < b->file_count; i++) {
        columns[count++] = (struct document_column){words_end(d, own_end(b, i), LABEL_COLUMNS), true};
        columns[count++] = (struct document_column){"bound", false};
        if (i)
            columns[count++] = (struct document_column){"x the first", true};
    }
    document_table(d, columns, count);
}

static void add_time(const struct beside_cell *cell, struct document *d)
{
    char time[UNITS_TEXT_BYTES];
    if (!cell->launches)
        document_cell(d, "-");
    else if (cell->launches == 1)
        document_cell_unit(d, UNIT_NS, cell->duration_ns);
    else
        document_cell(d, "%s in %zu", unit_format(time, UNIT_NS, cell->duration_ns), cell->launches);
}

static void add_row(const struct counted_beside *b, struct short_names *names, const struct beside_kernel *kernel,
                    struct document *d)
{
    const struct beside_cell *first = &kernel->files[0];
    cell_kernel(d, names, strtab_text(&b->names, kernel->name));
    for (size_t i = 0; i < b->file_count; i++) {
        const struct beside_cell *cell = &kernel->files[i];
        const double ratio = words_ratio(cell->duration_ns, first->duration_ns);
        add_time(cell, d);
        document_cell(d, "%s", !cell->launches ? "-" : cell->differs ? "several" : cell->bound);
        if (i && first->launches == cell->launches && isfinite(ratio))
            document_cell(d, "%.2fx", ratio);
        else if (i && first->launches && cell->launches && first->launches != cell->launches)
            document_cell(d, "other launches");
        else if (i)
            document_cell(d, "-");
    }
}

static void write_notes(const struct counted_beside *b, size_t shown, struct document *d)
{
    document_paragraph(d);
    document_span(d, SPAN_PLAIN,
                  "Times are those of all launches of a kernel in a file, whatever their grids and blocks. One reading "
                  "of each is no comparison: times under counters vary, and so do clocks.");
    if (b->kernels.count > shown)
        document_span(d, SPAN_PLAIN, " %zu more kernels take less time each.", b->kernels.count - shown);
    if (b->left_out)
        document_span(d, SPAN_PLAIN, " %zu more files are not in this table.", b->left_out);
}

int report_counted_beside(const struct counted_beside *b, struct document *d, struct err *e)
{
    if (b->file_count < 2 || !b->kernels.count)
        return 0;
    struct beside_kernel *sorted = malloc(b->kernels.count * sizeof *sorted);
    struct short_names names;
    if (!sorted)
        return err_memory(e);
    memcpy(sorted, b->kernels.items, b->kernels.count * sizeof *sorted);
    qsort(sorted, b->kernels.count, sizeof *sorted, by_most);
    const size_t shown = b->kernels.count < KERNELS_SHOWN ? b->kernels.count : KERNELS_SHOWN;
    short_names_init(&names);
    for (size_t i = 0; i < shown; i++) /* all of them before any is shown: short names are told apart */
        kernel_names_add(d, &names, strtab_text(&b->names, sorted[i].name));
    document_tier(d, TIER_SCREEN);
    document_heading(d, 1, "Side by side");
    begin_table(b, d);
    for (size_t i = 0; i < shown; i++)
        add_row(b, &names, &sorted[i], d);
    write_notes(b, shown, d);
    short_names_release(&names);
    free(sorted);
    return d->failed ? err_memory(e) : 0;
}
