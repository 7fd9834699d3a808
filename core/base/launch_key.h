/* launch_key.h - the text by which launches of one kernel with the same grid and block are known: "24x48x1 256x1x1
 * KERNEL", with the kernel's symbol. */
#ifndef CPPROF_LAUNCH_KEY_H
#define CPPROF_LAUNCH_KEY_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/str.h"

struct launch_key {
    uint32_t grid[3], block[3];
    const char *kernel; /* into the text */
};

void launch_key_add(struct str *out, const uint32_t grid[3], const uint32_t block[3], const char *kernel);

/* Takes such a text apart; false when it is none. */
bool launch_key_read(struct launch_key *out, const char *text);

#endif
