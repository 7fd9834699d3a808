/* How does a reader meet the bytes of a fuzzer, and what must hold afterwards? */
#define _GNU_SOURCE
#include "tests/fuzz/fuzz.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/trace/host_scopes.h"

FILE *fuzz_file(const uint8_t *data, size_t size)
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w+b");
    REQUIRE(file && (!size || fwrite(data, 1, size, file) == size) && !fflush(file) && !fseek(file, 0, SEEK_SET));
    return file;
}

static void check_events(const struct reader_sink *sink)
{
    struct cpprof_event event, before = {.start_ns = INT64_MIN};
    int64_t count = 0;
    REQUIRE(event_spool_rewind(sink->events, NULL) == 0);
    while (event_spool_next(sink->events, &event, NULL) == 1) {
        REQUIRE(event.start_ns >= before.start_ns);
        REQUIRE(event.kind >= CPPROF_EVENT_KERNEL && event.kind <= CPPROF_EVENT_OVERHEAD);
        REQUIRE(event.name <= strtab_count(sink->strings));
        REQUIRE(event.device >= -1 && event.rank >= -1);
        before = event;
        count++;
    }
    REQUIRE(count == event_spool_count(sink->events));
}

/* A refusal has a message of one line; what is accepted has events or says why not. */
static void check_outcome(int rc, const struct err *e)
{
    REQUIRE(rc <= 0);
    REQUIRE(rc == 0 || (rc == e->code && *e->text));
    REQUIRE(rc != ERR_INTERNAL);
}

static void check_scopes(const struct reader_sink *sink)
{
    struct host_scope scope, before = {.start_ns = INT64_MIN};
    REQUIRE(record_spool_rewind(sink->scopes, NULL) == 0);
    while (record_spool_next(sink->scopes, &scope, NULL) == 1) {
        REQUIRE(scope.start_ns >= before.start_ns && scope.end_ns >= scope.start_ns);
        REQUIRE(scope.kind >= HOST_SCOPE_OPERATOR && scope.kind <= HOST_SCOPE_FRAME);
        REQUIRE(scope.name && scope.name <= strtab_count(sink->strings));
        REQUIRE(scope.sequence >= -1 && scope.sequence <= UINT32_MAX && scope.rank >= -1);
        before = scope;
    }
}

/* Returns how many events there are. */
static int64_t read_one(const struct reader *reader, const struct open_input *input, bool with_scopes)
{
    struct strtab strings;
    struct caveat_list caveats;
    struct reader_sink sink = {.strings = &strings, .caveats = &caveats, .rank = -1};
    struct err e = {0};
    strtab_init(&strings);
    caveat_list_init(&caveats);
    REQUIRE(event_spool_new(&sink.events, NULL) == 0);
    REQUIRE(!with_scopes || host_scope_spool_new(&sink.scopes, NULL) == 0);
    int rc = reader->read(input, &sink, &e);
    check_outcome(rc, &e);
    check_events(&sink);
    if (with_scopes)
        check_scopes(&sink);
    const int64_t count = event_spool_count(sink.events);
    event_spool_free(sink.events);
    record_spool_free(sink.scopes);
    caveat_list_release(&caveats);
    strtab_release(&strings);
    return count;
}

void fuzz_reader(const struct reader *reader, const uint8_t *data, size_t size)
{
    size_t head_bytes = size < INPUT_HEAD_BYTES ? size : INPUT_HEAD_BYTES;
    char *head = malloc(head_bytes + 1);
    REQUIRE(head);
    memcpy(head, data, head_bytes);
    head[head_bytes] = '\0';
    struct open_input input = {"fuzz", fuzz_file(data, size), head, head_bytes, false};
    if (reader->recognise(&input)) {
        REQUIRE(ftell(input.file) == 0);
        const int64_t count = read_one(reader, &input, false);
        rewind(input.file);
        REQUIRE(read_one(reader, &input, true) == count);
    }
    fclose(input.file);
    free(head);
}
