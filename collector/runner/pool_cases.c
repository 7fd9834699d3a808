/* Which arms does a pool have? */
#include "collector/runner/pool_cases.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/bundle/bundle_tables.h"

struct plant {
    const char *text;    /* as given */
    size_t shape_length; /* length of the shape at its beginning */
    const char *values;  /* millionths, separated by commas */
};

/* Splits at the last '=', because a shape may be dimensions: "S=512,H=8=20000". */
static int read_plant(const char *text, struct plant *out, struct err *e)
{
    const char *equals = strrchr(text, '=');
    if (!equals || equals == text || !equals[1])
        return err_set(e, ERR_USAGE, "'--plant %s': expected SHAPE=PPM[,PPM...]", text);
    *out = (struct plant){text, (size_t)(equals - text), equals + 1};
    return 0;
}

static bool is_at(const struct plant *plant, const struct run_case *c)
{
    const char behind = strncmp(c->key, plant->text, plant->shape_length) ? 'x' : c->key[plant->shape_length];
    return behind == ' ' || behind == '\0';
}

static int planted_axis(const struct cpprof_variant *variant)
{
    for (size_t i = 0; i < variant->axis_count; i++)
        if (variant->axes[i].role == CPPROF_AXIS_PARAMETER && !strcmp(variant->axes[i].name, POOL_PLANTED))
            return (int)i;
    return -1;
}

static bool has_case(const struct case_list *list, const struct run_case *c)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].variant == c->variant && !strcmp(list->items[i].key, c->key))
            return true;
    return false;
}

static int push(struct case_list *list, const struct run_case *c, struct err *e)
{
    if (list->count == CASES_MAX)
        return err_set(e, ERR_USAGE, "more than %d arms: fewer variants, shapes or plants", CASES_MAX);
    struct run_case *slot = ARRAY_PUSH(list);
    if (!slot)
        return err_memory(e);
    *slot = *c;
    slot->order = list->count;
    return 0;
}

static int push_second(struct case_list *list, const struct run_case *c, struct err *e)
{
    struct run_case second = *c;
    const size_t length = strlen(second.name);
    if (length + sizeof POOL_SECOND_ARM > sizeof second.name)
        return err_set(e, ERR_USAGE, "the name '%.40s...' of a variant is too long", second.name);
    memcpy(second.name + length, POOL_SECOND_ARM, sizeof POOL_SECOND_ARM);
    return push(list, &second, e);
}

static int push_planted(struct case_list *list, const struct case_list *from, const struct run_case *c,
                        const struct plant *plant, struct err *e)
{
    const int axis = planted_axis(c->variant);
    if (axis < 0)
        return err_set(e, ERR_USAGE, "'--plant %s': variant '%s' has no parameter '" POOL_PLANTED "'", plant->text,
                       c->variant->name);
    char shape[CASE_KEY_BYTES];
    snprintf(shape, sizeof shape, "%.*s", (int)plant->shape_length, plant->text);
    const char *text = plant->values;
    int rc = 0;
    while (*text && !rc) {
        char *end;
        errno = 0;
        const long long ppm = strtoll(text, &end, 10);
        struct run_case planted = *c;
        const int64_t least = planted.config.value[axis], most = c->variant->axes[axis].max;
        if (end == text || (*end && *end != ',') || errno || ppm <= 0 || ppm > most - least)
            return err_set(e, ERR_USAGE, "'--plant %s': expected whole numbers from 1 to %" PRId64, plant->text,
                           most - least);
        planted.config.value[axis] += ppm;
        if (!run_case_write_key(&planted, shape))
            return err_set(e, ERR_USAGE, "'--plant %.40s...' is too long", plant->text);
        if (has_case(from, &planted) || has_case(list, &planted))
            return err_set(e, ERR_USAGE, "'--plant %s': '%s' at '%s' is an arm already", plant->text, planted.name,
                           planted.key);
        rc = push(list, &planted, e);
        text = *end ? end + 1 : end;
    }
    return rc;
}

/* Adds a case and all arms that belong to it, the second arm last. Blocks run in this order and back, and in every
 * other process all of it is reversed, so that the first and the second arm swap places. Marks the plants whose shape
 * the case has. */
static int push_arms(struct case_list *list, const struct case_list *from, const struct run_case *c,
                     const struct plant_request *plants, bool *used, struct err *e)
{
    int rc = push(list, c, e);
    for (size_t i = 0; i < plants->count && !rc; i++) {
        struct plant plant;
        rc = read_plant(plants->texts[i], &plant, e);
        if (rc || !is_at(&plant, c))
            continue;
        used[i] = true;
        rc = push_planted(list, from, c, &plant, e);
    }
    return rc ? rc : push_second(list, c, e);
}

int case_list_make_pool(struct case_list *list, const struct plant_request *plants, struct err *e)
{
    struct case_list pool = {.group_count = list->group_count};
    bool *used = calloc(plants->count + 1, sizeof *used);
    int rc = used ? 0 : err_memory(e);
    for (size_t i = 0; i < list->count && !rc; i++)
        rc = push_arms(&pool, list, &list->items[i], plants, used, e);
    for (size_t i = 0; i < plants->count && !rc; i++)
        if (!used[i])
            rc = err_set(e, ERR_USAGE, "'--plant %s': no arm has that shape", plants->texts[i]);
    free(used);
    struct case_list *gone = rc ? &pool : list;
    case_list_release(gone);
    if (!rc)
        *list = pool;
    return rc;
}
