/* What does a trace that has calls of the host, and nothing of the GPU, lack? */
#include <inttypes.h>

#include "core/trace/readers/reader.h"

int reader_note_calls_alone(struct reader_sink *sink, const char *path, int64_t calls, int64_t launches, struct err *e)
{
    static const char shown[] = "'cpprof stats' and 'cpprof launch' show the calls";
    if (launches)
        return caveat_add(sink->caveats, CAVEAT_WEAKENS, e,
                          "%s: it has API calls (%" PRId64 ", of which %" PRId64
                          " launch) and no work on the GPU: what they launched was not recorded; %s",
                          path, calls, launches, shown);
    return caveat_add(sink->caveats, CAVEAT_WEAKENS, e,
                      "%s: it has API calls (%" PRId64
                      ") and no work on the GPU: none ran there while it was captured, or it was not recorded; %s",
                      path, calls, shown);
}
