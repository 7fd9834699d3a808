/* How do processes of one machine share traces? */
#include "core/trace/parts/local_parts.h"

#include <stdlib.h>

#include "core/trace/parts/trace_workers.h"

struct local_parts {
    struct part_source base;
    struct trace_workers *workers;
};

static int list(struct part_source *s, const char *const *paths, size_t count, struct trace_operand_list *operands,
                struct err *e)
{
    (void)s;
    return trace_operands_add_all(operands, paths, count, e);
}

static void end(struct part_source *s)
{
    struct local_parts *local = (struct local_parts *)s;
    trace_workers_free(local->workers);
    local->workers = NULL;
}

static int begin(struct part_source *s, struct trace_operand_list *operands, trace_work work, void *context,
                 struct err *e)
{
    struct local_parts *local = (struct local_parts *)s;
    end(s);
    return trace_workers_new(&local->workers, s->jobs, s->jobs > 1 ? s->jobs : 0, operands->count, work, context, e);
}

static int take(struct part_source *s, FILE **from, struct err *e)
{
    return trace_workers_take(((struct local_parts *)s)->workers, from, e);
}

int local_parts_new(struct part_source **out, size_t jobs, struct err *e)
{
    struct local_parts *local = calloc(1, sizeof *local);
    *out = local ? &local->base : NULL;
    if (!local)
        return err_memory(e);
    *local = (struct local_parts){
        {.is_alone = jobs == 1, .jobs = jobs, .list = list, .begin = begin, .take = take, .end = end}, NULL};
    return 0;
}

void local_parts_free(struct part_source *s)
{
    if (!s)
        return;
    end(s);
    free(s);
}
