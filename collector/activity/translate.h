/* translate.h - CUPTI's activity records become our events: the only file that
 * knows their structs, so that a new CUPTI changes one file. */
#ifndef CPPROF_TRANSLATE_H
#define CPPROF_TRANSLATE_H

#include <cupti.h>
#include <stdbool.h>

#include "base/shard_writer.h"
#include "collector/dynload/cupti_api.h"

/* enum cpprof_api_kind of a call: by name, because runtime and driver ids
 * differ and grow with every release. */
uint32_t translate_call_kind(const char *name);

/* Whether the call of that name allocates memory that pages may leave and enter. */
bool translate_is_managed(const char *name);

/* enum cpprof_event_kind of the event that a record becomes; 0 when not known. */
unsigned translate_event_kind(const CUpti_Activity *record);

/* The symbol of a kernel's record; NULL when it has none. */
const char *translate_kernel_name(const CUpti_Activity *record);

/* A record that is an event by itself (NVTX markers come in pairs: range_pairs.h).
 * False for a kind that we do not know; names go to the shard's string table. */
bool translate_record(const struct cupti_api *api, const CUpti_Activity *record, struct shard_writer *shard,
                      struct cpprof_event *event);

#endif
