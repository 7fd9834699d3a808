/* l2_flush.h - removes the data of arms from the L2 cache, by writing or reading a buffer of twice its size. */
#ifndef CPPROF_L2_FLUSH_H
#define CPPROF_L2_FLUSH_H

#include "collector/runner/device.h"

struct l2_flush {
    void *buffer; /* NULL: flushing does nothing */
    size_t bytes;
    size_t persisting_bytes; /* bytes set aside before this was forbidden */
};

/* Twice the size of the cache was measured to leave no line of an arm, except lines that the cache keeps by policy
 * (below). Returns ERR_ENVIRONMENT when a device does not report the size of its cache. */
int l2_flush_open(struct l2_flush *f, const struct device *d, struct err *e);

/* Submits the flush to the stream, as separate work before the launch that is timed. */
int l2_flush_submit(const struct l2_flush *f, cudaStream_t stream, struct err *e);

/* Does the same by reading, with one kernel. It leaves nothing dirty that would be written back, and counted, later. */
int l2_flush_submit_read(const struct l2_flush *f, cudaStream_t stream, struct err *e);
/* Lines that a program asked the cache to keep survive a flush. From this call until l2_flush_let_persist no line is
 * kept, and earlier ones are given up. On a device without such lines it does nothing. */
void l2_flush_forbid_persisting(struct l2_flush *f);

/* Returns how many bytes are set aside for kept lines now, and restores the state before they were forbidden. */
size_t l2_flush_let_persist(struct l2_flush *f);

void l2_flush_release(struct l2_flush *f);

#endif
