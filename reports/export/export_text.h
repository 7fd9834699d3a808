/* export_text.h - the pieces of text that every exported event is made of. */
#ifndef CPPROF_EXPORT_TEXT_H
#define CPPROF_EXPORT_TEXT_H

#include <stdint.h>

#include "core/base/str.h"
#include "cpprof/event.h"

/* An event stream has millions of numbers: these are several times as fast as printf. */
void export_add_whole(struct str *out, int64_t value);
void export_add_us(struct str *out, int64_t ns); /* "-12.345": nanoseconds as decimal microseconds, all three digits */

/* The end of an event; its start when it has none. */
int64_t export_end_ns(const struct cpprof_event *event);

#endif
