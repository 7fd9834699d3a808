/* fake_launches.h - what the driver that is played (fake_driver.c) was asked to launch: its object `fake_launches`. */
#ifndef CPPROF_FAKE_LAUNCHES_H
#define CPPROF_FAKE_LAUNCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A stream that records a graph, and one of which the driver does not say it. */
#define FAKE_CAPTURING ((void *)0x70)
#define FAKE_UNKNOWN   ((void *)0x80)

/* A stream of another context. */
#define FAKE_FOREIGN ((void *)0x90)

/* Memory on the device; the driver does not know any other. */
#define FAKE_ON_DEVICE 0x1000

enum { FAKE_LAUNCHES_MAX = 4096, FAKE_RELAXED = 2 };

struct fake_launch {
    void *stream;
    unsigned x, y; /* of its block */
    uint64_t wait_ns;
};

struct fake_launches {
    struct fake_launch items[FAKE_LAUNCHES_MAX];
    size_t count;
    int loads, mode;
    bool loaded_relaxed;
    void (*during)(void); /* called inside each launch */
};

#endif
