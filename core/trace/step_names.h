/* step_names.h - occurrences of which NVTX range are the steps of a program, where nobody says it? */
#ifndef CPPROF_STEP_NAMES_H
#define CPPROF_STEP_NAMES_H

#include "core/base/err.h"
#include "core/base/str.h"
#include "core/trace/event_stream.h"

/* A name with fewer occurrences is none of steps, unless it is ProfilerStep# of PyTorch. */
enum { STEP_NAMES_MIN = 5 };
#define STEP_NAMES_PYTORCH "ProfilerStep#"

/* Appends its name without a trailing number: ProfilerStep# or else, of the names without a domain whose ranges fill
 * half of the time from the first to the last, the one that is open for most of the time; nothing where there is none.
 * Names that differ in a trailing number are one. Reads the stream, which it rewinds before. */
int step_names_choose(struct str *stem, struct event_stream *stream, struct err *e);

/* Returns how many bytes of a name are left without its trailing number and the blanks in front of it; all of a name
 * that is a number. */
size_t step_names_stem(const char *name);

#endif
