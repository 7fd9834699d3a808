/* Is this kernel one of those that the user asked for? */
#include "collector/activity/kernel_filter.h"

#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/demangle.h"
#include "core/base/pattern.h"

struct kernel_pattern {
    regex_t regex;
};

enum { NOT_JUDGED = 0, WANTED, UNWANTED };

int kernel_filter_init(struct kernel_filter *f, const char *pattern, struct err *e)
{
    *f = (struct kernel_filter){0};
    strtab_init(&f->names);
    f->names.size_bytes_max = KERNEL_FILTER_NAME_BYTES_MAX;
    if (!pattern)
        return 0;
    struct kernel_pattern *compiled = malloc(sizeof *compiled);
    if (!compiled)
        return err_memory(e);
    int rc = pattern_compile(&compiled->regex, pattern, "kernel pattern", e);
    if (rc)
        free(compiled);
    else
        f->pattern = compiled;
    return rc;
}

void kernel_filter_release(struct kernel_filter *f)
{
    if (f->pattern)
        regfree(&f->pattern->regex);
    free(f->pattern);
    free(f->verdicts);
    strtab_release(&f->names);
    *f = (struct kernel_filter){0};
}

static bool matches(const struct kernel_filter *f, const char *symbol)
{
    struct str name;
    str_init(&name);
    demangle_full(&name, symbol);
    const bool found = !regexec(&f->pattern->regex, str_text(&name), 0, NULL, 0);
    str_release(&name);
    return found;
}

bool kernel_filter_wants(struct kernel_filter *f, const char *symbol)
{
    if (!f->pattern)
        return true;
    if (!symbol)
        return false;
    const uint32_t id = strtab_add(&f->names, symbol);
    const size_t judged = f->verdict_capacity;
    if (!id || array_reserve((void **)&f->verdicts, &f->verdict_capacity, id + 1, 1))
        return matches(f, symbol); /* no room to remember it, so it is matched each time */
    for (size_t i = judged; i < f->verdict_capacity; i++)
        f->verdicts[i] = NOT_JUDGED;
    if (f->verdicts[id] == NOT_JUDGED)
        f->verdicts[id] = matches(f, symbol) ? WANTED : UNWANTED;
    return f->verdicts[id] == WANTED;
}
