/* What do the libraries of a task and of a solution export, and is it complete? Only this file reads their tables; all
 * other code sees structs of our full length. */
#define _GNU_SOURCE
#include "collector/runner/judge/task_library.h"

#include <math.h>
#include <string.h>

#include "collector/runner/judge/ranked_task.h"

/* A larger value is not the size of a struct but arbitrary memory. */
enum { STRUCT_BYTES_MAX = 4096 };

/* Both structs start alike. The last member that has always been there is `launch` of a solution, `bytes` of a task. */
static int check_head(uint32_t struct_bytes, size_t least, uint32_t abi, const char *type, struct err *e)
{
    if (struct_bytes < least || struct_bytes > STRUCT_BYTES_MAX)
        return err_set(e, ERR_USAGE, "its struct_bytes is %u: set it to sizeof(struct %s)", struct_bytes, type);
    if (abi != CPPROF_TASK_ABI)
        return err_set(e, ERR_USAGE,
                       "it is of ABI %u, this program of %u: compile it with this program's cpprof/task.h", abi,
                       CPPROF_TASK_ABI);
    return 0;
}

static int check_arrays(const char *what, const struct cpprof_array *arrays, size_t count, struct err *e)
{
    if (!count || count > CPPROF_ARRAYS_MAX || !arrays)
        return err_set(e, ERR_USAGE, "it has %zu %ss%s: from 1 to %d are possible", count, what,
                       arrays ? "" : " and no table of them", CPPROF_ARRAYS_MAX);
    for (size_t i = 0; i < count; i++)
        if (!arrays[i].name || !arrays[i].count || (unsigned)arrays[i].type >= CPPROF_TYPES)
            return err_set(e, ERR_USAGE, "%s %zu has no name, no count or an unknown type", what, i);
    return 0;
}

static int check_tolerance(const struct cpprof_tolerance *t, struct err *e)
{
    if (!(t->absolute >= 0 && t->relative >= 0 && isfinite(t->absolute + t->relative)))
        return err_set(e, ERR_USAGE, "its tolerance is %g and %g of the reference: both are 0 or more", t->absolute,
                       t->relative);
    return t->why && *t->why
               ? 0
               : err_set(e, ERR_USAGE, "its tolerance has no argument: say in `why` what rounding allows");
}

static int check_ranks(const struct cpprof_task *task, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; task->ranks && task->shapes && i < task->shape_count && !rc; i++) {
        struct cpprof_config config = {0};
        memcpy(config.value, task->shapes[i].values, sizeof config.value);
        rc = ranked_task_check(task, &config, e);
        if (rc)
            err_context(e, "shape '%s'", task->shapes[i].name ? task->shapes[i].name : "?");
    }
    return rc;
}

/* NAN: not known at this shape. */
static int check_amount(const struct cpprof_task *task, size_t shape, const char *name,
                        double (*amount)(const struct cpprof_config *config), struct err *e)
{
    struct cpprof_config config = {0};
    memcpy(config.value, task->shapes[shape].values, task->axis_count * sizeof *config.value);
    const double value = amount ? amount(&config) : NAN;
    return isnan(value) || (value >= 0 && isfinite(value))
               ? 0
               : err_set(e, ERR_USAGE,
                         "task '%s': '%s' is %g at shape '%s': it is 0 or more, or NAN where it is not known",
                         task->name, name, value, task->shapes[shape].name);
}

static int check_amounts(const struct cpprof_task *task, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; task->shapes && i < task->shape_count && !rc; i++) {
        rc = check_amount(task, i, "flops", task->flops, e);
        if (!rc)
            rc = check_amount(task, i, "bytes", task->bytes, e);
    }
    return rc;
}

/* Where nothing changes, a result can be kept. */
static int check_constants(const struct cpprof_task *task, struct err *e)
{
    const unsigned all = (1u << task->input_count) - 1;
    if (task->constant_inputs & ~all)
        return err_set(e, ERR_USAGE, "task '%s': 'constant_inputs' is 0x%x, and it has %zu inputs: 1u << i is input i",
                       task->name, task->constant_inputs, task->input_count);
    return task->constant_inputs != all
               ? 0
               : err_set(e, ERR_USAGE, "task '%s': all inputs are constant: leave out those that launches differ in",
                         task->name);
}

int task_copy(struct cpprof_task *out, const struct cpprof_task *from, struct err *e)
{
    if (!from)
        return err_set(e, ERR_USAGE, "cpprof_export_task() returned NULL");
    const size_t least = offsetof(struct cpprof_task, ranks); /* of the first version */
    int rc = check_head(from->struct_bytes, least, from->abi, "cpprof_task", e);
    if (rc)
        return rc;
    *out = (struct cpprof_task){0};
    memcpy(out, from, from->struct_bytes < sizeof *out ? from->struct_bytes : sizeof *out);
    out->struct_bytes = sizeof *out;
    if (!out->reference)
        return err_set(e, ERR_USAGE, "'reference' is NULL: every task has one");
    rc = check_arrays("input", out->inputs, out->input_count, e);
    if (!rc)
        rc = check_arrays("output", out->outputs, out->output_count, e);
    if (!rc)
        rc = check_tolerance(&out->tolerance, e);
    if (!rc)
        rc = check_constants(out, e);
    if (!rc)
        rc = check_ranks(out, e);
    return rc ? rc : check_amounts(out, e);
}

int solution_take(struct cpprof_solution *out, const struct cpprof_solution *from, struct err *e)
{
    if (!from)
        return err_set(e, ERR_USAGE, "cpprof_export_solution() returned NULL");
    const size_t least = offsetof(struct cpprof_solution, set_up); /* of the first version */
    const int rc = check_head(from->struct_bytes, least, from->abi, "cpprof_solution", e);
    if (rc)
        return rc;
    *out = (struct cpprof_solution){0};
    memcpy(out, from, from->struct_bytes < sizeof *out ? from->struct_bytes : sizeof *out);
    out->struct_bytes = sizeof *out;
    return out->launch ? 0 : err_set(e, ERR_USAGE, "'launch' is NULL: every solution has one");
}
