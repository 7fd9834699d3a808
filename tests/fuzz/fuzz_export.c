/* Can whatever was read be exported, and read again? */
#define _GNU_SOURCE
#include <stdbool.h>
#include <string.h>

#include "core/trace/event_stream.h"
#include "core/trace/readers/event_member.h"
#include "reports/export/trace_export.h"
#include "tests/fuzz/fuzz.h"

/* Opens a file that has no name. NULL when it is no trace. */
static struct event_stream *open_file(FILE *file)
{
    char path[64];
    struct event_stream *stream;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(file));
    return event_stream_open(&stream, path, NULL) ? NULL : stream;
}

/* Times of more than 70 years are written, but no reader takes them. No stream gives a row that ends before it begins.
 */
static bool has_sane_times(struct event_stream *stream, const struct trace_survey *survey)
{
    struct cpprof_event event;
    bool sane = true;
    while (event_stream_next(stream, &event, NULL) == 1) {
        REQUIRE(event.end_ns >= event.start_ns || (event.flags & CPPROF_EVENT_UNFINISHED));
        sane &= event.start_ns - survey->first_ns <= EVENT_TIME_NS_MAX && event.end_ns <= EVENT_TIME_NS_MAX &&
                (event.end_ns <= event.start_ns || event.end_ns - event.start_ns <= EVENT_TIME_NS_MAX);
    }
    REQUIRE(event_stream_rewind(stream, NULL) == 0);
    return sane;
}

static void check_copy(const struct trace_survey *survey, FILE *copy)
{
    struct trace_survey again;
    struct event_stream *back = open_file(copy);
    REQUIRE(back);
    REQUIRE(trace_survey_take(back, &again, NULL) == 0);
    REQUIRE(again.events == survey->events && again.gpu_work == survey->gpu_work);
    REQUIRE(again.first_ns == survey->first_ns && again.rank == survey->rank);
    REQUIRE(again.is_incomplete == survey->is_incomplete && again.launches_only == survey->launches_only);
    for (size_t kind = 0; kind < TRACE_SURVEY_KINDS; kind++)
        REQUIRE(again.kinds[kind] == survey->kinds[kind] && again.unfinished[kind] == survey->unfinished[kind]);
    event_stream_free(back);
}

static void export_to(struct event_stream *stream, const struct trace_survey *survey, const char *to,
                      const char *report)
{
    const struct export_format *format;
    struct caveat_list losses;
    caveat_list_init(&losses);
    REQUIRE(export_format_find(to, report, &format, NULL) == 0);
    const bool comes_back = !strcmp(to, "chrome") && survey->gpu_work && has_sane_times(stream, survey);
    if (!format->check(survey, &losses, NULL)) {
        const struct trace_export whole = {.stream = stream, .survey = survey};
        FILE *copy = fuzz_file(NULL, 0);
        struct byte_sink *sink;
        REQUIRE(byte_sink_on(&sink, fileno(copy), "copy", NULL) == 0);
        REQUIRE(format->write(&whole, sink, NULL) == 0);
        REQUIRE(byte_sink_finish(sink, NULL) == 0);
        byte_sink_free(sink);
        if (comes_back)
            check_copy(survey, copy);
        fclose(copy);
        REQUIRE(event_stream_rewind(stream, NULL) == 0);
    }
    caveat_list_release(&losses);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct trace_survey survey;
    FILE *file = fuzz_file(data, size);
    struct event_stream *stream = open_file(file);
    if (stream) {
        REQUIRE(trace_survey_take(stream, &survey, NULL) == 0);
        export_to(stream, &survey, "chrome", NULL);
        export_to(stream, &survey, "pftrace", NULL);
        export_to(stream, &survey, "csv", "gpu");
        export_to(stream, &survey, "csv", "api");
    }
    event_stream_free(stream);
    fclose(file);
    return 0;
}
