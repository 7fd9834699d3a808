/* What did the collector write into a shard, and how much of it can be trusted?
 *
 * The size and checksum of a chunk are checked before any of it is used. The first bad one ends the good part
 * (include/cpprof/shard.h). */
#define _GNU_SOURCE
#include "core/trace/readers/shard_reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/array.h"
#include "core/base/checksum.h"
#include "core/base/collective_row.h"
#include "core/base/count_of.h"
#include "core/base/files.h"
#include "core/base/shard_writer.h"
#include "core/trace/readers/shard_collectives.h"
#include "core/trace/readers/shard_events.h"
#include "core/trace/readers/shard_slices.h"
#include "cpprof/shard.h"

enum { CHUNK_BYTES_MAX = 256 * 1024 * 1024, HEADER_BYTES_MAX = 4096, RECORD_BYTES_MAX = 4096 };

static const char *const kind_names[] = {
    "", "kernel", "copy", "memset", "migration", "API", "synchronisation", "range", "overhead",
};

struct shard {
    int fd;
    const char *path;
    struct reader_sink *sink;
    struct cpprof_shard_header header;
    uint64_t file_bytes;
    uint64_t offset; /* where the next chunk begins */
    char *payload;
    size_t payload_capacity;
    struct shard_slices slices;
    struct shard_collectives collectives;   /* only if notes are asked for */
    uint64_t dropped[COUNT_OF(kind_names)]; /* 0: of unknown kind */
    uint64_t names_left_out;                /* by its writer */
    uint64_t strings_left_out;              /* here */
    uint64_t unknown_chunks, unknown_objects;
    bool closed;
};

static int find_size(struct shard *s, struct err *e)
{
    struct stat info;
    if (fstat(s->fd, &info))
        return err_set(e, ERR_INPUT, "cannot read '%s': %s", s->path, strerror(errno));
    s->file_bytes = (uint64_t)info.st_size;
    return 0;
}

static int read_bytes(const struct shard *s, void *to, size_t bytes, uint64_t offset, struct err *e)
{
    ssize_t got = files_read_at(s->fd, to, bytes, offset);
    if (got == (ssize_t)bytes)
        return 0;
    return err_set(e, ERR_INPUT, "cannot read '%s': %s", s->path, got < 0 ? strerror(errno) : "it has become shorter");
}

static int read_header(struct shard *s, struct err *e)
{
    struct cpprof_shard_header *h = &s->header;
    if (s->file_bytes < sizeof *h)
        return err_set(e, ERR_INPUT, "'%s' is shorter than the header of a trace shard (%zu bytes)", s->path,
                       sizeof *h);
    int rc = read_bytes(s, h, sizeof *h, 0, e);
    if (rc)
        return rc;
    if (memcmp(h->magic, CPPROF_SHARD_MAGIC, sizeof h->magic))
        return err_set(e, ERR_INPUT, "'%s' is no trace shard", s->path);
    if (h->version != CPPROF_SHARD_VERSION)
        return err_set(e, ERR_INPUT,
                       "'%s' has shard version %" PRIu32 ", this cpprof reads version %u; use the cpprof that wrote it",
                       s->path, h->version, CPPROF_SHARD_VERSION);
    if (h->header_bytes < sizeof *h || h->header_bytes > HEADER_BYTES_MAX || h->header_bytes > s->file_bytes)
        return err_set(e, ERR_INPUT, "'%s' has a bad header: %" PRIu32 " header bytes", s->path, h->header_bytes);
    if (h->record_bytes < sizeof(struct cpprof_event) || h->record_bytes > RECORD_BYTES_MAX)
        return err_set(e, ERR_INPUT, "'%s' has a bad header: %" PRIu32 " bytes a record", s->path, h->record_bytes);
    s->offset = h->header_bytes;
    return 0;
}

static int bad_chunk(const struct shard *s, struct err *e, const char *what)
{
    return err_set(e, ERR_INPUT, "%s: byte %" PRIu64 ": %s", s->path, s->offset, what);
}

/* Reads the header of the chunk at the offset; all of it is there. Returns 1, or 0 at the end of the file. */
static int read_chunk_header(struct shard *s, struct cpprof_chunk_header *chunk, struct err *e)
{
    uint64_t left = s->file_bytes - s->offset;
    if (!left)
        return 0;
    if (left < sizeof *chunk)
        return bad_chunk(s, e, "the file ends in the middle of a chunk header");
    int rc = read_bytes(s, chunk, sizeof *chunk, s->offset, e);
    if (rc)
        return rc;
    if (chunk->payload_bytes > left - sizeof *chunk)
        return bad_chunk(s, e, "the file ends in the middle of a chunk");
    if (chunk->payload_bytes > CHUNK_BYTES_MAX)
        return bad_chunk(s, e, "a chunk is larger than 256 MiB");
    return 1;
}

static int load_payload(struct shard *s, const struct cpprof_chunk_header *chunk, struct err *e)
{
    size_t bytes = (size_t)chunk->payload_bytes;
    if (array_reserve((void **)&s->payload, &s->payload_capacity, bytes + 1, 1))
        return err_memory(e);
    int rc = read_bytes(s, s->payload, bytes, s->offset + sizeof *chunk, e);
    if (!rc && checksum_crc32(0, s->payload, bytes) != chunk->checksum)
        rc = bad_chunk(s, e, "a chunk does not match its checksum");
    return rc;
}

/* When the stream has no room for more names, one name replaces all others. */
static uint32_t keep_string(struct shard *s, const char *text, size_t length)
{
    struct strtab *strings = s->sink->strings;
    const uint32_t id = strtab_add_bytes(strings, text, length);
    if (id || !strings->is_full)
        return id;
    s->strings_left_out++;
    return strtab_add_beyond(strings, SHARD_NAME_LEFT_OUT);
}

static int take_strings(struct shard *s, size_t bytes, struct err *e)
{
    for (size_t at = 0; at < bytes;) {
        uint32_t id, length;
        if (bytes - at < sizeof id + sizeof length)
            return bad_chunk(s, e, "a string record is cut");
        memcpy(&id, s->payload + at, sizeof id);
        memcpy(&length, s->payload + at + sizeof id, sizeof length);
        at += sizeof id + sizeof length;
        if (length > bytes - at)
            return bad_chunk(s, e, "a string is longer than its chunk");
        if (id != s->slices.strings.count + 1)
            return bad_chunk(s, e, "string ids do not count up from 1");
        uint32_t known = keep_string(s, s->payload + at, length);
        uint32_t *slot = known ? ARRAY_PUSH(&s->slices.strings) : NULL;
        if (!slot)
            return err_memory(e);
        *slot = known;
        at += length;
    }
    return 0;
}

/* Surveys the chunks of events that were found since the last time. */
static int survey_events(struct shard *s, struct err *e)
{
    const char *fault;
    uint64_t payload;
    int rc = shard_slices_survey(&s->slices, &fault, &payload, e);
    if (rc || !fault)
        return rc;
    s->offset = payload - sizeof(struct cpprof_chunk_header);
    return bad_chunk(s, e, fault);
}

/* A sum that wraps around would hide a loss. */
static void add_count(uint64_t *sum, uint64_t count)
{
    if (__builtin_add_overflow(*sum, count, sum))
        *sum = UINT64_MAX;
}

static int take_dropped(struct shard *s, size_t bytes, struct err *e)
{
    struct {
        uint32_t kind, zero;
        uint64_t count;
    } row;
    if (bytes % sizeof row)
        return bad_chunk(s, e, "a chunk of dropped counts holds part of a row");
    for (size_t at = 0; at < bytes; at += sizeof row) {
        memcpy(&row, s->payload + at, sizeof row);
        add_count(&s->dropped[row.kind < COUNT_OF(s->dropped) ? row.kind : 0], row.count);
    }
    return 0;
}

static int take_names(struct shard *s, size_t bytes, struct err *e)
{
    struct cpprof_name_row row;
    if (bytes % sizeof row)
        return bad_chunk(s, e, "a chunk of names holds part of a row");
    for (size_t at = 0; at < bytes; at += sizeof row) {
        memcpy(&row, s->payload + at, sizeof row);
        struct object_name name = {.object = row.object, .context = row.context, .id = row.id, .name = row.name};
        if (!shard_slices_adopt_name(&s->slices, &name))
            return bad_chunk(s, e, "a name has a string that is not there");
        s->unknown_objects += row.object < CPPROF_NAMED_THREAD || row.object > CPPROF_NAMED_STREAM;
        if (s->sink->names && object_names_add(s->sink->names, &name))
            return err_memory(e);
    }
    return 0;
}

static int take_names_left_out(struct shard *s, size_t bytes, struct err *e)
{
    uint64_t count;
    if (bytes != sizeof count)
        return bad_chunk(s, e, "a count of left out names is no count");
    memcpy(&count, s->payload, sizeof count);
    add_count(&s->names_left_out, count);
    return 0;
}

/* Those of a device that the bundle does not know are left out. */
static int take_samples(struct shard *s, size_t bytes, struct err *e)
{
    const char *fault = gpu_samples_fault(s->payload, bytes);
    if (fault)
        return bad_chunk(s, e, fault);
    const int device = shard_slices_device(&s->slices, gpu_samples_device(s->payload));
    return s->sink->samples && device >= 0 ? gpu_samples_add(s->sink->samples, s->payload, bytes, device, e) : 0;
}

static int take_collectives(struct shard *s, size_t bytes, struct err *e)
{
    const char *fault = shard_collectives_fault(&s->slices, s->payload, bytes);
    if (fault)
        return bad_chunk(s, e, fault);
    return shard_collectives_add(&s->collectives, &s->slices, s->payload, bytes, e);
}

/* The checksum of a chunk does not cover its type. An end chunk with content was a chunk of another type. */
static int take_end(struct shard *s, size_t bytes, struct err *e)
{
    if (bytes)
        return bad_chunk(s, e, "a chunk that says the end is not empty");
    s->closed = true;
    return 0;
}

/* An unknown type comes from a newer writer, or from damage, since the checksum does not cover the type. It is skipped
 * and counted. */
static int take_chunk(struct shard *s, const struct cpprof_chunk_header *chunk, struct err *e)
{
    static int (*const take[])(struct shard *, size_t, struct err *) = {
        [CPPROF_CHUNK_STRINGS] = take_strings,
        [CPPROF_CHUNK_DROPPED] = take_dropped,
        [CPPROF_CHUNK_END] = take_end,
        [CPPROF_CHUNK_NAMES] = take_names,
        [CPPROF_CHUNK_NAMES_LEFT_OUT] = take_names_left_out,
        [CPPROF_CHUNK_SAMPLES] = take_samples,
        [SHARD_CHUNK_COLLECTIVES] = take_collectives,
    };
    int rc = load_payload(s, chunk, e);
    if (rc)
        return rc;
    if (chunk->type < COUNT_OF(take) && take[chunk->type])
        return take[chunk->type](s, (size_t)chunk->payload_bytes, e);
    s->unknown_chunks++;
    return 0;
}

/* Chunks of events are surveyed together when a chunk of another type comes: its strings are for later events, and
 * nothing after a bad chunk counts. */
static int read_chunks(struct shard *s, struct err *e)
{
    for (;;) {
        struct cpprof_chunk_header chunk;
        struct err bad = {0};
        int got = read_chunk_header(s, &chunk, &bad);
        const bool has_events = got == 1 && chunk.type == CPPROF_CHUNK_EVENTS;
        int rc = !has_events || shard_slices_list_is_full(&s->slices) ? survey_events(s, e) : 0;
        if (rc || !got)
            return rc;
        if (got < 0)
            return err_set(e, got, "%s", bad.text);
        if (s->closed)
            return bad_chunk(s, e, "a chunk stands behind the end");
        rc = has_events ? shard_slices_add_chunk(&s->slices, &chunk, s->offset + sizeof chunk, e)
                        : take_chunk(s, &chunk, e);
        if (rc)
            return rc;
        s->offset += sizeof chunk + chunk.payload_bytes;
    }
}

static int add_dropped(struct shard *s, struct err *e)
{
    int rc = 0;
    for (size_t kind = 0; kind < COUNT_OF(s->dropped) && !rc; kind++)
        if (s->dropped[kind])
            rc = caveat_add(s->sink->caveats, CAVEAT_WEAKENS, e,
                            "%s: %" PRIu64 " %s%srecords were dropped while tracing", s->path, s->dropped[kind],
                            kind_names[kind], kind ? " " : "");
    return rc;
}

static int add_caveats(struct shard *s, const struct err *bad, struct err *e)
{
    struct caveat_list *caveats = s->sink->caveats;
    int rc = add_dropped(s, e);
    if (rc)
        return rc;
    if (bad->code)
        rc = caveat_add(caveats, CAVEAT_TRUNCATED, e, "%s; only what stands before it is used", bad->text);
    else if (!s->closed)
        rc = caveat_add(caveats, CAVEAT_WEAKENS, e,
                        "%s: the process ended before its trace was closed; the last events may be missing", s->path);
    if (!rc && s->names_left_out)
        rc = caveat_add(caveats, CAVEAT_WEAKENS, e,
                        "%s: the process used more names than the collector keeps: %" PRIu64
                        " times '%s' stands for one of them",
                        s->path, s->names_left_out, SHARD_NAME_LEFT_OUT);
    if (!rc && s->strings_left_out)
        rc = caveat_add(caveats, CAVEAT_WEAKENS, e, "%s: too many distinct names: for %" PRIu64 " of them stands '%s'",
                        s->path, s->strings_left_out, SHARD_NAME_LEFT_OUT);
    uint64_t unknown_kinds = shard_slices_unknown(&s->slices);
    if (!rc && unknown_kinds)
        rc = caveat_add(caveats, CAVEAT_WEAKENS, e,
                        "%s: %" PRIu64 " events of a kind that this cpprof does not know were left out", s->path,
                        unknown_kinds);
    const uint64_t lone_ends = shard_slices_lone_ends(&s->slices);
    if (!rc && lone_ends)
        rc = caveat_add(caveats, CAVEAT_NOTE, e,
                        "%s: %" PRIu64 " NVTX ranges had begun before recording did; they are left out", s->path,
                        lone_ends);
    if (!rc && s->unknown_objects)
        rc = caveat_add(caveats, CAVEAT_WEAKENS, e,
                        "%s: %" PRIu64 " names are of no kind of object that this cpprof knows", s->path,
                        s->unknown_objects);
    if (!rc && s->unknown_chunks)
        rc = caveat_add(caveats, CAVEAT_WEAKENS, e,
                        "%s: %" PRIu64 " chunks of a type that this cpprof does not know were left out", s->path,
                        s->unknown_chunks);
    return rc;
}

/* Devices of a bundle are GPUs, by UUID (core/bundle/capture_map.h). */
static int add_gpus(int16_t rank, uint64_t devices, struct gpu_places *gpus, struct err *e)
{
    int rc = 0;
    for (int16_t device = 0; !rc && device < SHARD_DEVICES_MAX; device++)
        if (devices >> device & 1)
            rc = gpu_places_add(gpus, rank, device, device, e);
    return rc;
}

int shard_read(const struct shard_file *file, const struct shard_identity *identity, struct reader_sink *sink,
               struct err *e)
{
    struct shard shard = {.fd = file->fd, .path = file->path, .sink = sink, .slices.fd = -1};
    struct err bad = {0};
    int rc = find_size(&shard, e);
    if (!rc)
        rc = read_header(&shard, e);
    if (!rc)
        rc = shard_slices_init(&shard.slices, file, shard.header.record_bytes, shard.header.rank, e);
    if (!rc) {
        if (identity)
            shard_slices_identify(&shard.slices, identity);
        rc = read_chunks(&shard, &bad);
        if (rc && rc != ERR_INPUT)
            err_set(e, rc, "%s", bad.text);
        else
            rc = add_caveats(&shard, &bad, e);
    }
    if (!rc && identity && sink->gpus)
        rc = add_gpus(identity->rank, shard_slices_devices(&shard.slices), sink->gpus, e);
    if (!rc)
        rc = shard_collectives_join(&shard.collectives, &shard.slices, identity && identity->is_misnumbered,
                                    sink->strings, sink->notes, e);
    shard_collectives_release(&shard.collectives);
    free(shard.payload);
    if (!rc)
        return shard_events_give(&shard.slices, sink->events, e);
    shard_slices_release(&shard.slices);
    return rc;
}

static bool recognise(const struct open_input *input)
{
    size_t bytes = sizeof((struct cpprof_shard_header *)0)->magic;
    return input->file && input->head_bytes >= bytes && !memcmp(input->head, CPPROF_SHARD_MAGIC, bytes);
}

static int read_shard(const struct open_input *input, struct reader_sink *sink, struct err *e)
{
    const struct shard_file file = {fileno(input->file), input->path, false};
    return shard_read(&file, NULL, sink, e);
}

const struct reader shard_reader = {"cpprof trace shard", recognise, read_shard};
