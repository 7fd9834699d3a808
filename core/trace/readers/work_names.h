/* work_names.h - what do the names that other tools give GPU work and CUDA calls mean? */
#ifndef CPPROF_WORK_NAMES_H
#define CPPROF_WORK_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "cpprof/event.h"

/* Returns the event kind; 0 for an unknown name in brackets. nsys puts brackets around everything that is not a kernel:
 * "[CUDA memcpy Host-to-Device]", "[CUDA memset]", "[CUDA memcpy Unified Host-to-Device]". */
uint16_t work_kind_of_name(const char *name);

/* Returns the direction that the first such word of a name has, in the spellings of nsys, CUPTI and Kineto: "[CUDA
 * memcpy HtoD]", "Memcpy DtoH (Device -> Pageable)". */
enum cpprof_copy_kind work_copy_direction(const char *name);

/* Returns what a call does, by its name: ids differ between runtime and driver, and new ones are added. */
enum cpprof_api_kind work_api_kind(const char *name);
bool work_is_driver_call(const char *name);

/* True when all names of calls that a pattern takes have a word of calls that launch, copy, set or wait: each of its
 * alternatives requires one. False when in doubt. A pattern is a glob or an extended regular expression. */
bool work_is_required(const char *pattern, bool is_regex);

/* Calls that have such a word all the same, but only describe work or run on the host; ends with NULL. */
extern const char *const work_idle_calls[];

/* Kineto's names of waits: "Stream Sync". */
const char *work_sync_name(uint32_t kind);
enum cpprof_sync_kind work_sync_kind(const char *name);

#endif
