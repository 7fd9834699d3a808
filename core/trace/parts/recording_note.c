/* Which times are those of the profiler, and not of the program? */
#define _GNU_SOURCE
#include "core/trace/parts/recording_note.h"

#include <string.h>

#include "core/base/units.h"

static const int64_t worth_a_note_ns = 1000000;

static bool has_nccl(const struct strtab *strings)
{
    for (uint32_t id = 1; id <= strtab_count(strings); id++)
        if (!strncmp(strtab_text(strings, id), "nccl", 4))
            return true;
    return false;
}

int recording_note(struct event_stream *s, const struct stream_scope *scope, enum recording_question question,
                   struct err *e)
{
    static const char *const advice[] = {
        [RECORDING_OF_KERNELS] = "--skip-first 1 leaves the first kernel of each name out, as cpprof ranks leaves that "
                                 "wait out",
        [RECORDING_OF_TIME] = "cpprof ranks leaves that wait out"};
    const int64_t apart_ns = event_stream_recording_apart_ns(s);
    const bool is_left_out = question == RECORDING_OF_KERNELS && scope->skip_first;
    char text[UNITS_TEXT_BYTES];
    if (apart_ns < worth_a_note_ns || is_left_out || scope->has_window || scope->range ||
        !has_nccl(event_stream_strings(s)))
        return 0;
    return caveat_add(event_stream_own_caveats(s), CAVEAT_NOTE, e,
                      "recording began up to %s apart on the ranks, and the first collectives waited for that: %s%s",
                      unit_format(text, UNIT_NS, (double)apart_ns), advice[question],
                      scope->skip_first ? "; with --skip-first it counts as time without work" : "");
}
