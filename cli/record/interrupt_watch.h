/* interrupt_watch.h - does somebody want us to end, while we are busy with
 * something long that is not the program? */
#ifndef CPPROF_INTERRUPT_WATCH_H
#define CPPROF_INTERRUPT_WATCH_H

#include <stdbool.h>

#include "cli/record/capture_session.h"
#include "core/base/err.h"

struct interrupt_watch;

/* Begins to look for the session's held signals, on a thread of its own, which
 * calls `heard`: `again` when there was a request before, of these or, by
 * `asked_before`, of the program. Until the end no program may be run. */
int interrupt_watch_new(struct interrupt_watch **out, const struct capture_session *session, bool asked_before,
                        void (*heard)(void *context, bool again), void *context, struct err *e);

/* From here on `heard` is called no more. */
void interrupt_watch_free(struct interrupt_watch *w);

#endif
