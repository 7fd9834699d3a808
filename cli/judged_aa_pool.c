/* What does a recorded pool say of its machine? */
#include "cli/judged_aa_pool.h"

#include <string.h>

#include "core/base/json.h"
#include "core/bundle/bundle_open.h"
#include "core/stats/ratio_decision.h"

/* Whoever times what is wrong times something else. */
static bool is_wrong_somewhere(const struct bundle *b)
{
    const struct table *verify = &b->tables[BUNDLE_VERIFY];
    for (size_t row = 0; row < table_rows(verify); row++)
        if (strcmp(table_text(verify, row, VERIFY_PASS), "yes") != 0)
            return true;
    return false;
}

static const char *name_of(const char *path, struct str *out)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    size_t start = length;
    while (start > 0 && path[start - 1] != '/')
        start--;
    str_add_bytes(out, path + start, length - start);
    return str_text(out);
}

int judged_aa_pool_open_begun(struct judged_aa_pool *out, struct bundle *begun, size_t processes, struct err *e)
{
    *out = (struct judged_aa_pool){0};
    str_init(&out->name);
    bundle_move(&out->bundle, begun);
    const char *path = out->bundle.path;
    int rc = bundle_open_begun(&out->bundle, e);
    if (!rc)
        rc = aa_comparisons_read(&out->pool, &out->bundle, e);
    if (!rc && is_wrong_somewhere(&out->bundle))
        rc = err_set(e, ERR_INPUT, "'%s': an arm computed wrong results (verify.csv); its times say nothing", path);
    if (!rc)
        rc = aa_comparisons_judge(&out->pool, processes, RATIO_MARGIN, &out->result, e);
    out->report = (struct aa_report){name_of(path, &out->name),
                                     json_get_text(json_object_get(out->bundle.manifest, "gpu"), "name", ""),
                                     &out->result, &out->bundle.caveats};
    if (rc)
        judged_aa_pool_release(out);
    return rc;
}

void judged_aa_pool_release(struct judged_aa_pool *p)
{
    aa_result_release(&p->result);
    aa_comparisons_release(&p->pool);
    bundle_release(&p->bundle);
    str_release(&p->name);
}
