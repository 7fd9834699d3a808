/* work_names.h - what do other tools' names for GPU work and CUDA calls mean? */
#ifndef CPPROF_WORK_NAMES_H
#define CPPROF_WORK_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "cpprof/event.h"

/* nsys puts what is not a kernel in brackets: "[CUDA memcpy Host-to-Device]",
 * "[CUDA memset]", "[CUDA memcpy Unified Host-to-Device]". The event kind, or 0
 * for brackets that are not known. */
uint16_t work_kind_of_name(const char *name);

/* The first word of a name that is a direction, in nsys's spellings, CUPTI's,
 * Kineto's: "[CUDA memcpy HtoD]", "Memcpy DtoH (Device -> Pageable)". */
enum cpprof_copy_kind work_copy_direction(const char *name);

/* By name, because the ids of runtime and driver calls differ and grow. */
enum cpprof_api_kind work_api_kind(const char *name);
bool work_is_driver_call(const char *name);

/* Kineto's names of waits: "Stream Sync". */
const char *work_sync_name(uint32_t kind);
enum cpprof_sync_kind work_sync_kind(const char *name);

#endif
