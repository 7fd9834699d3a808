/* page_touch.h - lets a GPU know again where memory lies. When another process has had the GPU, it has forgotten that,
 * and the first accesses to each page take longer: on an H200 0.3 us of a launch of 2.2 us. A kernel in a pipeline does
 * not wait for this. */
#ifndef CPPROF_PAGE_TOUCH_H
#define CPPROF_PAGE_TOUCH_H

#include <stddef.h>

struct CUstream_st;

#ifdef __cplusplus
extern "C" {
#endif

/* Puts one kernel into the stream: every multiprocessor reads some words of each page. Returns a cudaError_t. */
int page_touch(const void *memory, size_t bytes, struct CUstream_st *stream);

#ifdef __cplusplus
}
#endif

#endif
