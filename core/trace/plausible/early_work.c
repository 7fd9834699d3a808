/* Which work begins before the call that started it? */
#include "core/trace/plausible/early_work.h"

#include <stdlib.h>

#include "core/trace/event_work.h"

void early_work_release(struct early_work *w)
{
    key_table_release(&w->page_numbers);
    free(w->pages.items);
    free(w->ids.items);
    free(w->rows.items);
    *w = (struct early_work){0};
}

static uint64_t key_of(const struct cpprof_event *event)
{
    return (uint64_t)(uint16_t)event->rank << 32 | event->correlation;
}

static bool starts_work(const struct cpprof_event *event)
{
    return event->kind == CPPROF_EVENT_API && event->correlation &&
           (event->detail == CPPROF_API_LAUNCH || event->detail == CPPROF_API_COPY);
}

/* Sets *out to the page of the event's id; NULL: there are too many. */
static int find_page(struct early_work *w, const struct cpprof_event *event, struct early_page **out, struct err *e)
{
    const uint32_t number = event->correlation / EARLY_IDS_PER_PAGE;
    uint32_t page = key_table_find(&w->page_numbers, event->rank, number);
    *out = NULL;
    w->is_full |= !page && w->pages.count == EARLY_PAGES_MAX;
    if (!page && w->pages.count < EARLY_PAGES_MAX) {
        page = key_table_add(&w->page_numbers, event->rank, number);
        if (!page || !ARRAY_PUSH(&w->pages))
            return err_memory(e);
    }
    *out = page ? &w->pages.items[page - 1] : NULL;
    return 0;
}

static int note_id(struct early_work *w, const struct cpprof_event *call, struct err *e)
{
    w->is_full |= w->ids.count == EARLY_IDS_MAX;
    if (w->ids.count == EARLY_IDS_MAX)
        return 0;
    struct early_id *id = ARRAY_PUSH(&w->ids);
    if (!id)
        return err_memory(e);
    *id = (struct early_id){key_of(call), call->start_ns};
    return 0;
}

int early_work_add(struct early_work *w, const struct cpprof_event *event, struct err *e)
{
    struct early_page *page;
    const bool is_call = starts_work(event);
    if (!is_call && !(event_is_gpu_work(event) && event->correlation))
        return 0;
    const int rc = find_page(w, event, &page, e);
    if (rc || !page)
        return rc;
    const uint32_t at = event->correlation % EARLY_IDS_PER_PAGE;
    const uint64_t bit = UINT64_C(1) << at % 64;
    if (page->called[at / 64] & bit)
        return 0;
    if (!is_call) {
        page->worked[at / 64] |= bit;
        return 0;
    }
    page->called[at / 64] |= bit;
    return page->worked[at / 64] & bit ? note_id(w, event, e) : 0;
}

static int id_order(const void *a, const void *b)
{
    const struct early_id *left = a, *right = b;
    return left->key < right->key ? -1 : left->key > right->key;
}

static const struct early_id *find_id(const struct early_work *w, uint64_t key)
{
    const struct early_id wanted = {.key = key};
    return w->ids.count ? bsearch(&wanted, w->ids.items, w->ids.count, sizeof wanted, id_order) : NULL;
}

void early_work_begin_again(struct early_work *w)
{
    if (w->ids.count)
        qsort(w->ids.items, w->ids.count, sizeof *w->ids.items, id_order);
}

int early_work_look(struct early_work *w, const struct cpprof_event *event, int64_t place, struct err *e)
{
    if (!event_is_gpu_work(event) || !event->correlation || !find_id(w, key_of(event)))
        return 0;
    w->is_full |= w->rows.count == EARLY_IDS_MAX;
    if (w->rows.count == EARLY_IDS_MAX)
        return 0;
    struct early_row *row = ARRAY_PUSH(&w->rows);
    if (!row)
        return err_memory(e);
    *row = (struct early_row){*event, place};
    return 0;
}

int64_t early_work_call_ns(const struct early_work *w, const struct cpprof_event *work)
{
    const struct early_id *id = find_id(w, key_of(work));
    return id ? id->call_ns : INT64_MIN;
}

void early_work_decide(struct early_work *w, int64_t time_error_ns)
{
    size_t kept = 0;
    for (size_t i = 0; i < w->rows.count; i++) {
        const struct early_row *row = &w->rows.items[i];
        if (early_work_call_ns(w, &row->event) > row->event.start_ns + 2 * time_error_ns)
            w->rows.items[kept++] = *row;
    }
    w->rows.count = kept;
}
