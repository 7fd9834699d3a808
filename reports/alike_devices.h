/* alike_devices.h - which of many devices are alike, so that a page shows one of them for all?
 *
 * A page of up to ALIKE_WHOLE devices shows each. Of more, devices whose shares differ by no more than a twentieth are
 * one group, and the first of it stands for all. */
#ifndef CPPROF_ALIKE_DEVICES_H
#define CPPROF_ALIKE_DEVICES_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/err.h"

enum { ALIKE_WHOLE = 16, ALIKE_SHARES = 8, ALIKE_SHOWN = 3 /* groups of which one device is shown in full */ };

struct alike_device {
    int32_t rank, device;
    double shares[ALIKE_SHARES]; /* 0 to 1; NAN: none */
    size_t index;                /* the caller's, of the device */
};

struct alike_group {
    size_t first, count; /* devices of the group: devices[first] */
    const char *others;  /* "2, 4-8, and 499 more": the ranks behind the first; "" of one device */
};

/* Sorts the devices into groups, the largest first; `groups` has room for as many. Returns their number. */
size_t alike_devices_group(struct arena *arena, struct alike_device *devices, size_t count, struct alike_group *groups);

#endif
