/* Which launches of a trace does --kernels choose? */
#include "core/run/matched_launches.h"

#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/str.h"
#include "core/run/kernel_choice.h"
#include "core/run/launch_form.h"
#include "core/trace/event_stream.h"

enum name_matches { MATCHES_UNKNOWN, MATCHES_NOT, MATCHES };

static int add_launch(struct matched_launches *out, const struct cpprof_event *event, const char *symbol,
                      struct str *form, struct err *e)
{
    if (out->count == MATCHED_LAUNCHES_MAX)
        return err_set(e, ERR_INPUT, "more than %d launches match", MATCHED_LAUNCHES_MAX);
    str_clear(form);
    launch_form_add(form, event, symbol);
    struct matched_launch *launch = ARRAY_PUSH(out);
    if (!launch)
        return err_memory(e);
    *launch = (struct matched_launch){event->start_ns, strtab_add(&out->forms, str_text(form)),
                                      strtab_add(&out->kernels, symbol), event->rank};
    return launch->form && launch->kernel ? 0 : err_memory(e);
}

static int take_events(struct matched_launches *out, struct event_stream *stream, const struct kernel_choice *choice,
                       struct err *e)
{
    const struct strtab *names = event_stream_strings(stream);
    unsigned char *matches = calloc(strtab_count(names) + 1, 1);
    struct str form;
    struct cpprof_event event;
    str_init(&form);
    int rc = matches ? 0 : err_memory(e);
    while (!rc && (rc = event_stream_next(stream, &event, e)) == 1) {
        rc = 0;
        if (event.kind != CPPROF_EVENT_KERNEL || (event.flags & CPPROF_EVENT_UNFINISHED) || !event.name ||
            event.name > strtab_count(names))
            continue;
        const char *symbol = strtab_text(names, event.name);
        if (matches[event.name] == MATCHES_UNKNOWN)
            matches[event.name] = kernel_choice_takes_name(choice, symbol) ? MATCHES : MATCHES_NOT;
        if (matches[event.name] == MATCHES && kernel_choice_takes_size(choice, &event))
            rc = add_launch(out, &event, symbol, &form, e);
    }
    str_release(&form);
    free(matches);
    return rc;
}

static int by_rank_and_start(const void *left, const void *right)
{
    const struct matched_launch *a = left, *b = right;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

int matched_launches_read(struct matched_launches *out, const char *path, const char *kernels, struct err *e)
{
    struct event_stream *stream = NULL;
    struct kernel_choice choice;
    *out = (struct matched_launches){0};
    strtab_init(&out->forms);
    strtab_init(&out->kernels);
    int rc = kernel_choice_compile(&choice, kernels, e);
    if (rc)
        return rc;
    rc = event_stream_open(&stream, path, e);
    if (!rc)
        rc = take_events(out, stream, &choice, e);
    if (!rc && out->count)
        qsort(out->items, out->count, sizeof *out->items, by_rank_and_start);
    kernel_choice_free(&choice);
    event_stream_free(stream);
    return rc;
}

void matched_launches_release(struct matched_launches *launches)
{
    free(launches->items);
    strtab_release(&launches->forms);
    strtab_release(&launches->kernels);
    *launches = (struct matched_launches){0};
}
