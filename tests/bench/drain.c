/* How long does it take to get the events out of a trace, and nothing more?
 *
 *   drain TRACE        prints how many there are
 *
 * What every analysis does first, whatever the format is: open, then pull. */
#include <inttypes.h>
#include <stdio.h>

#include "core/trace/event_stream.h"

int main(int argc, char **argv)
{
    struct event_stream *stream = NULL;
    struct cpprof_event event;
    struct err e = {0};
    if (argc != 2) {
        fputs("usage: drain TRACE\n", stderr);
        return 2;
    }
    int64_t count = 0;
    int rc = event_stream_open(&stream, argv[1], &e);
    if (!rc)
        while ((rc = event_stream_next(stream, &event, &e)) == 1)
            count++;
    if (rc)
        fprintf(stderr, "drain: %s\n", e.text);
    else
        printf("%" PRId64 " events\n", count);
    event_stream_free(stream);
    return rc ? 1 : 0;
}
