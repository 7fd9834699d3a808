/* l2_flush.h - empties the L2 cache of what the arms left in it, by writing or
 * reading a buffer of twice its size. */
#ifndef CPPROF_L2_FLUSH_H
#define CPPROF_L2_FLUSH_H

#include "collector/runner/device.h"

struct l2_flush {
    void *buffer; /* NULL: nothing is ever flushed */
    size_t bytes;
    size_t persisting_bytes; /* that were set aside before they were forbidden */
};

/* Twice what the cache holds: measured to leave no line of an arm but those that it keeps by policy (below).
 * A device that does not say how large its cache is has 0: then ERR_ENVIRONMENT. */
int l2_flush_open(struct l2_flush *f, const struct device *d, struct err *e);

/* Goes to the stream, as work of its own before the launch that is timed. */
int l2_flush_submit(const struct l2_flush *f, cudaStream_t stream, struct err *e);

/* The same by reading: nothing dirty stays behind that would be written back, and counted, later. One kernel. */
int l2_flush_submit_read(const struct l2_flush *f, cudaStream_t stream, struct err *e);
/* Lines that a program asked the cache to keep survive a flush. Until l2_flush_let_persist none are kept, and those of
 * before are given up; a device that knows no such lines has none to forbid. */
void l2_flush_forbid_persisting(struct l2_flush *f);

/* How much of the cache is set aside for such lines now; then as it was before they were forbidden. */
size_t l2_flush_let_persist(struct l2_flush *f);

void l2_flush_release(struct l2_flush *f);

#endif
