/* How much is there to be timed? */
#include "cli/record/run_plan.h"

#include <stdio.h>
#include <string.h>

#include "core/base/files.h"
#include "core/base/str.h"
#include "core/bundle/bundle_tables.h"

/* In a pool "dose/chain#2", compared with "dose/chain". */
static bool is_second_arm(const struct table *variants, size_t row)
{
    const char *first = table_text(variants, row, VARIANTS_BASELINE),
               *variant = table_text(variants, row, VARIANTS_VARIANT);
    const size_t length = strlen(first);
    return length && !strncmp(variant, first, length) && !strcmp(variant + length, POOL_SECOND_ARM);
}

static bool is_pool(const struct table *variants)
{
    for (size_t row = 0; row < table_rows(variants); row++)
        if (is_second_arm(variants, row))
            return true;
    return false;
}

/* Planted arms have configs of their own in the group that they belong to: of a pool the second arms say which groups
 * there are. */
static bool names_group(const struct table *variants, size_t row, bool pool)
{
    return !pool || is_second_arm(variants, row);
}

/* Rows of a group follow each other, and groups come in the order of their numbers. */
static void count_groups(struct run_plan *out, const struct table *variants, enum schedule schedule)
{
    long in_group = 0;
    const char *config = NULL;
    const bool pool = is_pool(variants);
    for (size_t row = 0; row < table_rows(variants); row++) {
        if (!names_group(variants, row, pool))
            continue;
        const char *own = table_text(variants, row, VARIANTS_SHAPE);
        const bool is_new = !config || strcmp(config, own);
        in_group = is_new ? 1 : in_group + 1;
        out->groups += is_new;
        if (schedule == SCHEDULE_PROCESS && in_group > out->arms)
            out->arms = in_group;
        config = own;
    }
}

/* The shape of a config, without its parameters. */
static void copy_size(char *out, const char *config)
{
    snprintf(out, PLAN_SIZE_BYTES, "%.*s", (int)strcspn(config, " "), config);
}

static void name_shares(struct run_plan *out, const struct table *variants)
{
    long group = -1;
    const char *config = NULL;
    const bool pool = is_pool(variants);
    for (size_t row = 0; row < table_rows(variants); row++) {
        const char *own = table_text(variants, row, VARIANTS_SHAPE);
        if (!names_group(variants, row, pool) || (config && !strcmp(config, own)))
            continue;
        const long share = ++group % out->shares;
        if (group < out->shares)
            copy_size(out->first[share], own);
        copy_size(out->last[share], own);
        config = own;
    }
}

int run_plan_read(struct run_plan *out, const char *directory, enum schedule schedule, struct err *e)
{
    struct table variants;
    struct str path;
    str_init(&path);
    bundle_table_init(&variants, BUNDLE_VARIANTS);
    *out = (struct run_plan){.arms = 1};
    int rc = table_read_csv(&variants, files_join(&path, directory, bundle_table_file(BUNDLE_VARIANTS)), e);
    if (!rc) {
        count_groups(out, &variants, schedule);
        out->shares = out->groups ? (out->groups + GROUPS_PER_PROCESS - 1) / GROUPS_PER_PROCESS : 1;
        if (out->shares > PLAN_SHARES_MAX)
            rc = err_set(e, ERR_ENVIRONMENT, "cpprof-runner planned %ld shapes, more than %d", out->groups,
                         PLAN_SHARES_MAX * GROUPS_PER_PROCESS);
    }
    if (!rc)
        name_shares(out, &variants);
    table_release(&variants);
    str_release(&path);
    return rc;
}

long run_plan_groups(const struct run_plan *plan, long share)
{
    return (plan->groups - share + plan->shares - 1) / plan->shares;
}
