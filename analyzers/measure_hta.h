/* measure_hta.h - what would HTA say of this trace (model/hta.h)? */
#ifndef CPPROF_MEASURE_HTA_H
#define CPPROF_MEASURE_HTA_H

#include "base/err.h"
#include "model/event_stream.h"
#include "model/hta.h"

/* Times as timeline_measure takes them. Three passes over the stream, which is rewound before and not after. Keeps 16
 * bytes a stretch of busy time. Fills a zeroed list; release it in any case. */
int hta_measure(struct event_stream *stream, struct hta_list *out, struct err *e);
void hta_release(struct hta_list *list);

#endif
