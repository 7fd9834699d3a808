/* Which arguments does a described call have, and what is passed in one launch? */
#include "collector/runner/described/described_call.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- names ---- */

static long array_of(const struct cpprof_array *arrays, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(arrays[i].name, name))
            return (long)i;
    return -1;
}

static long axis_of(const struct cpprof_task *task, const char *name)
{
    for (size_t i = 0; i < task->axis_count; i++)
        if (!strcmp(task->axes[i].name, name))
            return (long)i;
    return -1;
}

static int no_axis(const char *name, const struct cpprof_task *task, struct err *e)
{
    return err_set(e, ERR_USAGE, "'%s' is no axis of task '%s'", name, task->name);
}

/* ---- arguments ---- */

static int read_name(struct described_argument *a, const char *name, const struct cpprof_task *task, struct err *e)
{
    const struct {
        enum described_source source;
        long number;
    } found[] = {{FROM_INPUT, array_of(task->inputs, task->input_count, name)},
                 {FROM_OUTPUT, array_of(task->outputs, task->output_count, name)},
                 {FROM_AXIS, axis_of(task, name)},
                 {FROM_STREAM, strcmp(name, "stream") ? -1 : 0}};
    size_t meanings = 0;
    for (size_t i = 0; i < sizeof found / sizeof found[0]; i++)
        if (found[i].number >= 0) {
            *a = (struct described_argument){.source = found[i].source, .number = (size_t)found[i].number};
            meanings++;
        }
    if (meanings > 1)
        return err_set(e, ERR_USAGE, "'%s' names two things of task '%s': rename one of them there", name, task->name);
    return meanings ? 0
                    : err_set(e, ERR_USAGE, "'%s' is no input, output or axis of task '%s', nor \"stream\"", name,
                              task->name);
}

/* A kernel may take the 32 bits with a sign or without. */
static bool fits_32_bits(int64_t value)
{
    return value >= INT32_MIN && value <= UINT32_MAX;
}

static int too_large(const char *type, struct err *e)
{
    return err_set(e, ERR_USAGE, "its number does not fit in %s", type);
}

/* {"i32": "columns"}, {"f32": 0.5} */
static int read_typed(struct described_argument *a, const json_t *object, const struct cpprof_task *task, struct err *e)
{
    static const struct {
        const char *name;
        enum described_type type;
    } types[] = {{"i64", AS_WORD}, {"i32", AS_I32}, {"f32", AS_F32}, {"f64", AS_F64}};
    for (size_t i = 0; i < sizeof types / sizeof types[0] && json_object_size(object) == 1; i++) {
        const json_t *value = json_object_get(object, types[i].name);
        const bool is_whole = types[i].type == AS_WORD || types[i].type == AS_I32;
        *a = (struct described_argument){.source = FROM_VALUE, .type = types[i].type};
        if (json_is_string(value) && is_whole) {
            const long axis = axis_of(task, json_string_value(value));
            *a = (struct described_argument){FROM_AXIS, types[i].type, axis < 0 ? 0 : (size_t)axis, {0}};
            return axis >= 0 ? 0 : no_axis(json_string_value(value), task, e);
        }
        if (json_is_integer(value) && is_whole) {
            a->value.word = (uint64_t)json_integer_value(value);
            return a->type == AS_I32 && !fits_32_bits(json_integer_value(value)) ? too_large("i32", e) : 0;
        }
        if (json_is_number(value) && types[i].type == AS_F32) {
            if (fabs(json_number_value(value)) > (double)FLT_MAX)
                return too_large("f32", e);
            a->value.f32 = (float)json_number_value(value);
            return 0;
        }
        if (json_is_number(value) && types[i].type == AS_F64) {
            a->value.f64 = json_number_value(value);
            return 0;
        }
    }
    return err_set(e, ERR_USAGE,
                   "an argument is a name, null, or one of {\"i32\": AXIS or NUMBER}, i64, {\"f32\": NUMBER}, f64");
}

static int read_argument(struct described_argument *a, const json_t *item, const struct cpprof_task *task,
                         struct err *e)
{
    if (json_is_string(item))
        return read_name(a, json_string_value(item), task, e);
    if (json_is_object(item))
        return read_typed(a, item, task, e);
    *a = (struct described_argument){.source = FROM_VALUE};
    return json_is_null(item) ? 0
                              : err_set(e, ERR_USAGE, "a number as an argument needs its type: {\"i32\": 4}, not 4");
}

int described_arguments_add_null(struct described_arguments *out, struct err *e)
{
    if (out->count == DESCRIBED_ARGUMENTS_MAX)
        return err_set(e, ERR_USAGE, "it has more than %d arguments", DESCRIBED_ARGUMENTS_MAX);
    out->items[out->count++] = (struct described_argument){.source = FROM_VALUE};
    return 0;
}

int described_arguments_read(struct described_arguments *out, const json_t *list, const struct cpprof_task *task,
                             struct err *e)
{
    int rc = json_is_array(list) ? 0 : err_set(e, ERR_USAGE, "\"arguments\" is a list, in the order of the call");
    for (size_t i = 0; !rc && i < json_array_size(list); i++) {
        rc = described_arguments_add_null(out, e);
        if (!rc)
            rc = read_argument(&out->items[i], json_array_get(list, i), task, e);
        if (rc)
            err_context(e, "argument %zu", i);
    }
    return rc;
}

union described_word described_argument_value(const struct described_argument *a, const struct cpprof_call *call)
{
    union described_word w = a->value;
    switch (a->source) {
    case FROM_INPUT: w.word = (uint64_t)(uintptr_t)call->inputs[a->number]; break;
    case FROM_OUTPUT: w.word = (uint64_t)(uintptr_t)call->outputs[a->number]; break;
    case FROM_STREAM: w.word = (uint64_t)(uintptr_t)call->stream; break;
    case FROM_AXIS: w.word = (uint64_t)call->config->value[a->number]; break;
    default: break;
    }
    if (a->type == AS_I32)
        w.i32 = (int32_t)w.word;
    return w;
}

size_t described_argument_bytes(const struct described_argument *a)
{
    return a->type == AS_I32 || a->type == AS_F32 ? 4 : 8;
}

/* The first bytes of a whole number are a shorter one. */
bool described_argument_is_of(const struct described_argument *a, size_t bytes)
{
    return bytes == described_argument_bytes(a) || (a->type == AS_I32 && bytes < 4);
}

bool described_argument_fits(const struct described_argument *a, const struct cpprof_config *config)
{
    return a->source != FROM_AXIS || a->type != AS_I32 || fits_32_bits(config->value[a->number]);
}

/* ---- extents ---- */

static int read_extent(struct described_extent *x, const json_t *item, const struct cpprof_task *task, struct err *e)
{
    const json_t *ceil = json_object_get(item, "ceil"), *axis = ceil ? json_array_get(ceil, 0) : item;
    *x = (struct described_extent){-1, json_integer_value(item), 1};
    if (json_is_integer(item) && x->value > 0)
        return 0;
    if (json_is_string(axis) && (x->axis = axis_of(task, json_string_value(axis))) < 0)
        return no_axis(json_string_value(axis), task, e);
    if (ceil && json_object_size(item) == 1 && json_array_size(ceil) == 2)
        x->per = json_integer_value(json_array_get(ceil, 1));
    else if (!json_is_string(item))
        x->per = 0;
    if (x->axis >= 0 && x->per > 0)
        return 0;
    return err_set(e, ERR_USAGE, "an extent is a number above 0, an axis, or {\"ceil\": [AXIS, NUMBER]}");
}

int described_extents_read(struct described_extent out[3], const json_t *list, const char *what,
                           const struct cpprof_task *task, struct err *e)
{
    const size_t count = json_array_size(list);
    int rc = count && count <= 3 ? 0 : err_set(e, ERR_USAGE, "it is a list of one to three extents");
    for (size_t i = 0; i < 3; i++)
        out[i] = (struct described_extent){-1, 1, 1};
    for (size_t i = 0; !rc && i < count; i++)
        rc = read_extent(&out[i], json_array_get(list, i), task, e);
    return rc ? err_context(e, "\"%s\"", what) : 0;
}

uint64_t described_extent_value(const struct described_extent *x, const struct cpprof_config *config)
{
    if (x->axis < 0)
        return (uint64_t)x->value;
    return ((uint64_t)config->value[x->axis] + (uint64_t)x->per - 1) / (uint64_t)x->per;
}
