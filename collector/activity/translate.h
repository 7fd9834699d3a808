/* translate.h - CUPTI's activity records become our events: the only file that
 * knows their structs, so that a new CUPTI changes one file. */
#ifndef CPPROF_TRANSLATE_H
#define CPPROF_TRANSLATE_H

#include <cupti.h>
#include <stdbool.h>

#include "base/shard_writer.h"
#include "collector/dynload/cupti_api.h"

/* The record kinds that translate_record understands, for cuptiActivityEnable. */
extern const CUpti_ActivityKind translate_kinds[];
extern const size_t translate_kind_count;

/* False for a kind that we do not know; names go to the shard's string table. */
bool translate_record(const struct cupti_api *api, const CUpti_Activity *record, struct shard_writer *shard,
                      struct cpprof_event *event);

#endif
