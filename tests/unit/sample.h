/* sample.h - opens a file of tests/data and compares every event with what is expected. */
#ifndef CPPROF_SAMPLE_H
#define CPPROF_SAMPLE_H

#include <string.h>

#include "core/base/files.h"
#include "core/base/str.h"
#include "tests/unit/stream_caveats.h"

struct sample_event {
    struct cpprof_event event; /* without name and detail of a range */
    const char *name;
    const char *domain; /* of a range */
};

static inline struct event_stream *sample_open(const char *name)
{
    struct str path;
    struct event_stream *s;
    struct err e = {0};
    str_init(&path);
    if (event_stream_open(&s, files_join(&path, TEST_DATA_DIRECTORY, name), &e))
        fail_msg("%s: %s", name, e.text);
    str_release(&path);
    return s;
}

/* In the order of the stream; then the stream is freed. */
static inline void sample_assert(struct event_stream *s, const struct sample_event *expected, size_t count)
{
    const struct strtab *strings = event_stream_strings(s);
    struct cpprof_event got;
    for (size_t i = 0; i < count; i++) {
        struct cpprof_event wanted = expected[i].event;
        assert_int_equal(event_stream_next(s, &got, NULL), 1);
        if (strcmp(strtab_text(strings, got.name), expected[i].name))
            fail_msg("event %zu is '%s' instead of '%s'", i, strtab_text(strings, got.name), expected[i].name);
        wanted.name = got.name;
        if (expected[i].domain) {
            assert_string_equal(strtab_text(strings, got.detail), expected[i].domain);
            wanted.detail = got.detail;
        }
        if (memcmp(&got, &wanted, sizeof got))
            fail_msg(
                "event %zu, '%s', differs: start %lld end %lld kind %u device %d rank %d stream %u detail %u flags %u "
                "correlation %u thread %u",
                i, expected[i].name, (long long)got.start_ns, (long long)got.end_ns, got.kind, got.device, got.rank,
                got.stream, got.detail, got.flags, got.correlation, got.thread);
    }
    assert_int_equal(event_stream_next(s, &got, NULL), 0);
    event_stream_free(s);
}

#endif
