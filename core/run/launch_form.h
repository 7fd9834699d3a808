/* launch_form.h - the text by which launches of one kernel, grid, block and shared memory are known:
 * "4096 24x48x1 256x1x1 KERNEL" with the bytes of shared memory of a block and the kernel's symbol. */
#ifndef CPPROF_LAUNCH_FORM_H
#define CPPROF_LAUNCH_FORM_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/launch_key.h"
#include "core/base/str.h"
#include "cpprof/event.h"

struct launch_form {
    uint64_t shared_bytes;
    struct launch_key key;
};

void launch_form_add(struct str *out, const struct cpprof_event *kernel, const char *symbol);

/* Takes such a text apart; false when it is none. */
bool launch_form_read(struct launch_form *out, const char *text);

#endif
