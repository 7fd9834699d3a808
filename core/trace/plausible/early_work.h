/* early_work.h - which work begins before the call that started it?
 *
 * Calls and work meet by (rank, correlation id), as in core/trace/launch_index.h. While events come in the order of
 * their starts, a bit for each id tells whether its call came, and another whether work came before. Only ids of which
 * both are true are looked at again, with all their times. */
#ifndef CPPROF_EARLY_WORK_H
#define CPPROF_EARLY_WORK_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/array.h"
#include "core/base/err.h"
#include "core/base/key_table.h"
#include "cpprof/event.h"

enum { EARLY_IDS_PER_PAGE = 512, EARLY_PAGES_MAX = 1 << 20, EARLY_IDS_MAX = 1 << 20 };

struct early_page {
    uint64_t called[EARLY_IDS_PER_PAGE / 64], worked[EARLY_IDS_PER_PAGE / 64];
};

struct early_id {
    uint64_t key;
    int64_t call_ns; /* of its first call */
};

struct early_row {
    struct cpprof_event event;
    int64_t place; /* among all events */
};

struct early_work { /* starts zeroed */
    struct key_table page_numbers;
    ARRAY_OF(struct early_page) pages;
    ARRAY_OF(struct early_id) ids; /* which may have work before their call */
    ARRAY_OF(struct early_row) rows;
    bool is_full; /* of some ids nothing is known */
};

void early_work_release(struct early_work *w);

/* Takes an event of the first pass, in the order of their starts. */
int early_work_add(struct early_work *w, const struct cpprof_event *event, struct err *e);

/* Behind the first pass, where there are ids: takes the events once more, without false ones, and then leaves in `rows`
 * those that begin before their call by more than twice `time_error_ns`. */
void early_work_begin_again(struct early_work *w);
int early_work_look(struct early_work *w, const struct cpprof_event *event, int64_t place, struct err *e);
void early_work_decide(struct early_work *w, int64_t time_error_ns);

int64_t early_work_call_ns(const struct early_work *w, const struct cpprof_event *work);

#endif
