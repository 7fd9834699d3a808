/* perfetto_gaps.h - the gaps of each device as a track of their own, named by their causes. */
#ifndef CPPROF_PERFETTO_GAPS_H
#define CPPROF_PERFETTO_GAPS_H

#include "core/base/caveat.h"
#include "core/base/err.h"
#include "core/trace/event_stream.h"
#include "reports/export/export_names.h"
#include "reports/export/perfetto_tracks.h"

/* Reads the stream from its start. What `cpprof gaps` refuses has no gaps from there on: a loss says so. */
int perfetto_gaps_write(struct event_stream *stream, const struct perfetto_tracks *tracks, struct export_names *names,
                        struct caveat_list *losses, struct err *e);

#endif
