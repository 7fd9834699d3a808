/* export_args.h - what is written of an event beside its name, place and times? Formats that have room for it write the
 * same. */
#ifndef CPPROF_EXPORT_ARGS_H
#define CPPROF_EXPORT_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/strtab.h"
#include "cpprof/event.h"

enum { EXPORT_ARGS_MAX = 20 };

enum export_arg_type { EXPORT_ARG_WHOLE, EXPORT_ARG_AXES, EXPORT_ARG_TEXT };

struct export_arg {
    const char *key; /* in ASCII, without characters that need an escape */
    enum export_arg_type type;
    int64_t numbers[3]; /* EXPORT_ARG_WHOLE has one */
    const char *text;   /* of `strings`, or fixed */
    size_t length;
};

/* Fills `args` with what is known of the event, under the names of Kineto, PyTorch's collector, where it has one, and
 * returns their number. `is_elsewhere`: it stands on a line that is not its thread's. */
size_t export_args_of(struct export_arg args[static EXPORT_ARGS_MAX], const struct cpprof_event *event,
                      bool is_elsewhere, bool several_ranks, const struct strtab *strings);

/* Kineto's category of its kind; "gpu_migration" is ours. */
const char *export_category_of(const struct cpprof_event *event);

/* A call and all work that it started have the same number; 0 for other events. */
int64_t export_arrow_of(const struct cpprof_event *event);

#endif
