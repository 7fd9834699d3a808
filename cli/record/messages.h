/* messages.h - errors and notes, on standard error: the only place that prints them. */
#ifndef CPPROF_MESSAGES_H
#define CPPROF_MESSAGES_H

#include "core/base/err.h"

/* "cpprof: MESSAGE" on standard error, with control characters made visible.
 * message_error returns the exit status of the error. */
int message_error(const struct err *e);
void message_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
