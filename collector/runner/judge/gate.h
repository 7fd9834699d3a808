/* gate.h - a word in the memory of the judge that opens a stream of the runner. */
#ifndef CPPROF_GATE_H
#define CPPROF_GATE_H

#include <stdint.h>

struct CUstream_st;

/* What follows in the stream waits until the word at `at` has reached `value`. Returns a cudaError_t;
 * cudaErrorNotSupported: the driver has no such wait. */
int gate_wait(struct CUstream_st *stream, void *at, uint32_t value);

#endif
