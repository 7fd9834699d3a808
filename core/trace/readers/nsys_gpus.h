/* nsys_gpus.h - which devices of the processes of an nsys export are one GPU?
 *
 * Each process numbers its devices by itself. TARGET_INFO_CUDA_DEVICE says which GPU each of them is. Without it, the
 * only GPU of TARGET_INFO_GPU is that of all. */
#ifndef CPPROF_NSYS_GPUS_H
#define CPPROF_NSYS_GPUS_H

#include "core/trace/readers/nsys_export.h"

/* Notes that a process has work on a device. */
int nsys_gpus_note(struct nsys_export *x, int64_t global_pid, int64_t device, struct err *e);

/* Tells the sink, when all processes are known. */
int nsys_gpus_tell(struct nsys_export *x, struct err *e);

#endif
