/* translate.h - translates CUPTI's activity records to our events. It is the only file that knows their structs, so
 * that a new CUPTI changes one file. */
#ifndef CPPROF_TRANSLATE_H
#define CPPROF_TRANSLATE_H

#include <cupti.h>
#include <stdbool.h>

#include "collector/dynload/cupti_api.h"
#include "core/base/shard_writer.h"

/* Returns the enum cpprof_api_kind of a call by its name: ids differ between runtime and driver, and new ones come with
 * every release. */
uint32_t translate_call_kind(const char *name);

/* Does the call with that name allocate managed memory, whose pages may migrate? */
bool translate_is_managed(const char *name);

/* Returns the enum cpprof_event_kind of the event that a record becomes; 0: unknown. */
unsigned translate_event_kind(const CUpti_Activity *record);

/* Returns the symbol in a kernel's record; NULL when it has none. */
const char *translate_kernel_name(const CUpti_Activity *record);

/* Translates a record that is an event by itself (NVTX markers come in pairs: range_pairs.h). Returns false for an
 * unknown kind. Names go to the shard's string table. */
bool translate_record(const struct cupti_api *api, const CUpti_Activity *record, struct shard_writer *shard,
                      struct cpprof_event *event);

#endif
