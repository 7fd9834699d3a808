/* Which rows of a run of programs are of which kind of work? */
#include "core/run/program_groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/count_of.h"
#include "core/base/count_sum.h"
#include "core/base/units.h"
#include "core/run/group_names.h"
#include "core/run/kernel_choice.h"
#include "core/run/launch_form.h"
#include "core/run/launch_groups.h"
#include "core/run/sample_groups.h"
#include "core/stats/two_modes.h"

enum { ARMS_MAX = 1024 };

struct grouping {
    struct bundle *bundle;
    struct arena arena;
    struct arm_groups *arms;
    size_t count;
};

static struct arm_groups *find_arm(struct grouping *g, const char *variant)
{
    for (size_t i = 0; i < g->count; i++)
        if (!strcmp(g->arms[i].variant, variant))
            return &g->arms[i];
    return NULL;
}

/* Their number is judged before their samples are read, which takes long. */
static int name_arms(struct grouping *g, struct err *e)
{
    const struct table *t = &g->bundle->tables[BUNDLE_VARIANTS];
    const size_t room = table_rows(t) < ARMS_MAX ? table_rows(t) : ARMS_MAX;
    g->arms = calloc(room + 1, sizeof *g->arms);
    if (!g->arms)
        return err_memory(e);
    for (size_t row = 0; row < table_rows(t); row++) {
        const char *variant = table_text(t, row, VARIANTS_VARIANT);
        if (find_arm(g, variant))
            continue;
        if (g->count == ARMS_MAX)
            return err_set(e, ERR_INPUT, "more than %d variants are in it: compare fewer at once", ARMS_MAX);
        g->arms[g->count++].variant = variant;
    }
    return 0;
}

static int read_arms(struct grouping *g, struct err *e)
{
    int rc = name_arms(g, e);
    for (size_t i = 0; i < g->count && !rc; i++)
        rc = sample_groups_read(&g->arms[i], g->bundle, g->arms[i].variant, &g->arena, e);
    return rc;
}

/* The baseline of the run; without one the first arm. */
static size_t reference_of(struct grouping *g)
{
    const struct table *t = &g->bundle->tables[BUNDLE_VARIANTS];
    for (size_t row = 0; row < table_rows(t); row++) {
        const struct arm_groups *arm = find_arm(g, table_text(t, row, VARIANTS_BASELINE));
        if (arm && arm->groups.count)
            return (size_t)(arm - g->arms);
    }
    return 0;
}

/* ---- two modes ---- */

/* The durations of a group in one process, from a table whose rows are in the order of their processes. */
static size_t gather(double *out, const struct table *t, const struct arm_groups *arm, size_t group, size_t *row)
{
    size_t count = 0;
    const double process = table_number(t, *row, TIMING_PROCESS);
    for (; *row < table_rows(t) && !strcmp(table_text(t, *row, TIMING_VARIANT), arm->variant) &&
           table_number(t, *row, TIMING_PROCESS) == process;
         ++*row)
        if (sample_groups_of(arm, process, table_number(t, *row, TIMING_ITERATION)) == group)
            out[count++] = table_number(t, *row, TIMING_DURATION);
    return count;
}

static void tell_modes(struct grouping *g, struct sample_group *group, const struct two_modes *modes)
{
    char low[UNITS_TEXT_BYTES], high[UNITS_TEXT_BYTES], share[UNITS_TEXT_BYTES];
    group->problem = arena_printf(&g->arena,
                                  "its samples have two modes of time, %s and %s (%s of them): launches that a trace "
                                  "cannot tell apart do different work",
                                  unit_format(low, UNIT_NS, modes->low), unit_format(high, UNIT_NS, modes->high),
                                  unit_format(share, UNIT_RATIO, modes->high_share));
}

static int look_for_modes(struct grouping *g, struct arm_groups *arm, struct err *e)
{
    const struct table *t = &g->bundle->tables[BUNDLE_TIMING];
    double *values = malloc((table_rows(t) + 1) * sizeof *values);
    if (!values)
        return err_memory(e);
    for (size_t i = 0; i < arm->groups.count; i++)
        for (size_t row = 0; row < table_rows(t);) {
            struct two_modes modes;
            if (strcmp(table_text(t, row, TIMING_VARIANT), arm->variant) != 0) {
                row++;
                continue;
            }
            const size_t count = gather(values, t, arm, i, &row);
            if (two_modes(&modes, values, count) && !*arm->groups.items[i].problem)
                tell_modes(g, &arm->groups.items[i], &modes);
        }
    free(values);
    return 0;
}

/* ---- rows ---- */

/* Writes the configs of a row, and returns how many: the row is there once for each. */
typedef size_t row_configs(const struct arm_groups *arm, const struct table *t, size_t row,
                           const struct sample_group **out);

static size_t all_groups(const struct arm_groups *arm, const struct table *t, size_t row,
                         const struct sample_group **out)
{
    (void)t;
    (void)row;
    for (size_t i = 0; i < arm->groups.count; i++)
        out[i] = &arm->groups.items[i];
    return arm->groups.count;
}

static size_t one_group(const struct arm_groups *arm, size_t group, const struct sample_group **out)
{
    if (group < arm->groups.count)
        *out = &arm->groups.items[group];
    return group < arm->groups.count;
}

static size_t group_of_timing(const struct arm_groups *arm, const struct table *t, size_t row,
                              const struct sample_group **out)
{
    return one_group(
        arm, sample_groups_of(arm, table_number(t, row, TIMING_PROCESS), table_number(t, row, TIMING_ITERATION)), out);
}

static size_t group_of_iteration(const struct arm_groups *arm, const struct table *t, size_t row,
                                 const struct sample_group **out)
{
    return one_group(
        arm,
        sample_groups_of(arm, table_number(t, row, ITERATIONS_PROCESS), table_number(t, row, ITERATIONS_ITERATION)),
        out);
}

/* All work of a program stays in one place. */
static size_t first_group(const struct arm_groups *arm, const struct table *t, size_t row,
                          const struct sample_group **out)
{
    (void)t;
    (void)row;
    return one_group(arm, 0, out);
}

/* Counters are those of the launch that was counted, which the trace has in its place. */
static size_t group_of_counted(const struct arm_groups *arm, const struct table *t, size_t row,
                               const struct sample_group **out)
{
    if (arm->groups.count == 1)
        return one_group(arm, 0, out);
    const double launch = table_number(t, row, METRICS_LAUNCH);
    if (launch >= 0 && launch < GROUP_LAUNCHES * (double)arm->counted_count)
        return one_group(arm, arm->counted[(size_t)launch / GROUP_LAUNCHES], out);
    for (size_t i = 0; i < arm->launches.count; i++)
        if ((double)arm->launches.items[i].launch == launch &&
            !strcmp(arm->launches.items[i].kernel, table_text(t, row, METRICS_KERNEL)))
            return one_group(arm, arm->launches.items[i].group, out);
    return 0;
}

static bool launches_kernel(const struct sample_group *group, const char *kernel, struct launch_form *form)
{
    for (size_t i = 0; i < group->form_count; i++)
        if (launch_form_read(form, group->forms[i]) && !strcmp(form->key.kernel, kernel))
            return true;
    return false;
}

static size_t groups_of_kernel(const struct arm_groups *arm, const struct table *t, size_t row,
                               const struct sample_group **out)
{
    struct launch_form form;
    size_t count = 0;
    for (size_t i = 0; i < arm->groups.count; i++)
        if (launches_kernel(&arm->groups.items[i], table_text(t, row, RESOURCES_KERNEL), &form))
            out[count++] = &arm->groups.items[i];
    return count;
}

static const struct {
    enum bundle_table table;
    size_t variant, config;
    row_configs *configs;
} split_tables[] = {
    {BUNDLE_VARIANTS, VARIANTS_VARIANT, VARIANTS_SHAPE, all_groups},
    {BUNDLE_TIMING, TIMING_VARIANT, TIMING_SHAPE, group_of_timing},
    {BUNDLE_ITERATIONS, ITERATIONS_VARIANT, ITERATIONS_SHAPE, group_of_iteration},
    {BUNDLE_RESOURCES, RESOURCES_VARIANT, RESOURCES_SHAPE, groups_of_kernel},
    {BUNDLE_METRICS, METRICS_VARIANT, METRICS_SHAPE, group_of_counted},
    {BUNDLE_VERIFY, VERIFY_VARIANT, VERIFY_SHAPE, all_groups},
    {BUNDLE_MISMATCHES, MISMATCHES_VARIANT, MISMATCHES_SHAPE, all_groups},
    {BUNDLE_WORK, WORK_VARIANT, WORK_SHAPE, first_group},
};

/* Where the launches of a kernel differed, those of one group do not. */
static void set_sizes(struct cell *row, const struct sample_group *group, const char *kernel)
{
    struct launch_form form;
    if (!launches_kernel(group, kernel, &form))
        return;
    const double blocks = (double)form.key.grid[0] * form.key.grid[1] * form.key.grid[2];
    const double threads = (double)form.key.block[0] * form.key.block[1] * form.key.block[2];
    if (row[RESOURCES_GRID].type == CELL_MISSING)
        row[RESOURCES_GRID] = cell_number(blocks);
    if (row[RESOURCES_BLOCK].type == CELL_MISSING)
        row[RESOURCES_BLOCK] = cell_number(threads);
    if (row[RESOURCES_SHARED].type == CELL_MISSING)
        row[RESOURCES_SHARED] = cell_number((double)form.shared_bytes);
}

/* One row for each of its groups, named after it. */
static int add_rows(struct table *t, size_t which, const struct cell *old, const struct sample_group *const *groups,
                    size_t count, struct err *e)
{
    for (size_t i = 0; i < count; i++) {
        struct cell *row = table_add_row(t);
        if (!row)
            return err_memory(e);
        memcpy(row, old, t->column_count * sizeof *row);
        row[split_tables[which].config] = cell_text(t, groups[i]->config);
        if (split_tables[which].table == BUNDLE_RESOURCES)
            set_sizes(row, groups[i], old[RESOURCES_KERNEL].type == CELL_TEXT ? old[RESOURCES_KERNEL].text : "");
        if (split_tables[which].table == BUNDLE_VARIANTS && *groups[i]->problem)
            row[VARIANTS_NO_VERDICT] = cell_text(t, groups[i]->problem);
    }
    return 0;
}

/* Takes the table's rows, and puts back those of each group. */
static int split(struct grouping *g, size_t which, struct err *e)
{
    struct table *t = &g->bundle->tables[split_tables[which].table];
    struct table before = *t; /* its texts stay where they are */
    const struct sample_group *groups[LAUNCH_GROUPS_MAX];
    int rc = 0;
    t->items = NULL;
    t->count = t->capacity = 0;
    for (size_t row = 0; row < table_rows(&before) && !rc; row++) {
        const struct arm_groups *arm = find_arm(g, table_text(&before, row, split_tables[which].variant));
        const struct cell *old = &before.items[row * before.column_count];
        if (arm && arm->groups.count)
            rc = add_rows(t, which, old, groups, split_tables[which].configs(arm, &before, row, groups), e);
        else {
            struct cell *same = table_add_row(t);
            rc = same ? 0 : err_memory(e);
            if (same)
                memcpy(same, old, t->column_count * sizeof *same);
        }
    }
    free(before.items);
    return rc;
}

/* ---- what is said ---- */

/* Launches that match, but are in no sample. */
static int64_t outside_of(const struct arm_groups *arm)
{
    int64_t count = arm->left_out;
    count_add(&count, arm->set_up);
    return count;
}

/* The time of launches in no sample, and in samples. */
struct outside {
    double left_out_ns, kept_ns;
};

/* Launches that were left out when it was recorded are among all that match. */
static void add_work_time(struct outside *out, const struct table *t, const char *variant,
                          const struct kernel_choice *choice)
{
    for (size_t row = 0; row < table_rows(t); row++) {
        if (strcmp(table_text(t, row, WORK_VARIANT), variant) != 0 ||
            strcmp(table_text(t, row, WORK_KIND), "kernel") != 0 ||
            !kernel_choice_takes_name(choice, table_text(t, row, WORK_NAME)))
            continue;
        const double chosen_ns = table_number(t, row, WORK_CHOSEN_SUM);
        out->left_out_ns += table_number(t, row, WORK_SUM) - chosen_ns;
        out->kept_ns += chosen_ns;
    }
}

/* Those that are left out now are samples of the tables. */
static void move_iterations(struct outside *out, const struct table *t, const struct arm_groups *arm)
{
    for (size_t row = 0; row < table_rows(t) && arm->set_up; row++) {
        const double process = table_number(t, row, TIMING_PROCESS);
        if (strcmp(table_text(t, row, TIMING_VARIANT), arm->variant) != 0 ||
            sample_groups_of(arm, process, table_number(t, row, TIMING_ITERATION)) != SIZE_MAX)
            continue;
        out->left_out_ns += table_number(t, row, TIMING_DURATION);
        out->kept_ns -= table_number(t, row, TIMING_DURATION);
    }
}

/* NAN where launches are chosen by their sizes, which no table of work has. */
static struct outside time_outside(const struct grouping *g, const struct arm_groups *arm)
{
    struct outside out = {0, 0};
    struct kernel_choice choice;
    const char *pattern = sample_groups_kernels(g->bundle, arm->variant);
    if (kernel_choice_pattern_length(pattern) != strlen(pattern) || kernel_choice_compile(&choice, pattern, NULL))
        return (struct outside){NAN, NAN};
    add_work_time(&out, &g->bundle->tables[BUNDLE_WORK], arm->variant, &choice);
    move_iterations(&out, &g->bundle->tables[BUNDLE_TIMING], arm);
    kernel_choice_free(&choice);
    return out;
}

static int note_outside(struct grouping *g, const struct arm_groups *arm, struct err *e)
{
    const struct outside outside = time_outside(g, arm);
    char left_out[UNITS_TEXT_BYTES], share[UNITS_TEXT_BYTES];
    const char *times = "";
    if (outside.left_out_ns > 0 && outside.kept_ns > 0)
        times = arena_printf(&g->arena, ", %s, %s of the time in samples",
                             unit_format(left_out, UNIT_NS, outside.left_out_ns),
                             unit_format(share, UNIT_RATIO, outside.left_out_ns / outside.kept_ns));
    return caveat_add(&g->bundle->caveats, CAVEAT_NOTE, e,
                      "%s: launches that match but are no part of what repeats, such as set-up, are in no sample: "
                      "%lld of them%s",
                      arm->variant, (long long)outside_of(arm), times);
}

static int note_set_up(struct grouping *g, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < g->count && !rc; i++)
        if (outside_of(&g->arms[i]))
            rc = note_outside(g, &g->arms[i], e);
    return rc;
}

static void note_unknown(struct grouping *g)
{
    struct table *t = &g->bundle->tables[BUNDLE_VARIANTS];
    for (size_t row = 0; row < table_rows(t); row++) {
        const struct arm_groups *arm = find_arm(g, table_text(t, row, VARIANTS_VARIANT));
        if (arm && *arm->unknown)
            t->items[row * t->column_count + VARIANTS_NO_VERDICT] = cell_text(t, arm->unknown);
    }
}

static bool has_groups(const struct grouping *g)
{
    for (size_t i = 0; i < g->count; i++)
        if (g->arms[i].groups.count)
            return true;
    return false;
}

static int group_all(struct grouping *g, struct err *e)
{
    int rc = read_arms(g, e);
    if (!rc && g->count)
        rc = group_names_set(g->arms, g->count, reference_of(g), "program", &g->arena, e);
    for (size_t i = 0; i < g->count && !rc; i++)
        rc = look_for_modes(g, &g->arms[i], e);
    if (!rc)
        rc = note_set_up(g, e);
    for (size_t i = 0; i < COUNT_OF(split_tables) && !rc && has_groups(g); i++)
        rc = split(g, i, e);
    if (!rc)
        note_unknown(g);
    return rc;
}

int program_groups_apply(struct bundle *b, struct err *e)
{
    if (!bundle_programs(b))
        return 0;
    struct grouping *g = calloc(1, sizeof *g);
    if (!g)
        return err_memory(e);
    g->bundle = b;
    arena_init(&g->arena);
    const int rc = group_all(g, e);
    for (size_t i = 0; i < g->count; i++)
        sample_groups_release(&g->arms[i]);
    arena_release(&g->arena);
    free(g->arms);
    free(g);
    return rc;
}
