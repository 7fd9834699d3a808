/* Which rank and which GPUs belong to each process of a capture? */
#define _GNU_SOURCE
#include "core/bundle/capture_map.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/array.h"
#include "core/base/count_of.h"
#include "core/base/count_sum.h"
#include "core/base/files.h"
#include "core/bundle/bundle.h"
#include "cpprof/shard.h"

/* The collector's words */
#define MIGRATIONS       "migrations"
#define EARLY_MIGRATIONS "early migrations"
#define DEVICE_LAUNCHES  "device launches"

void capture_map_release(struct capture_map *m)
{
    for (size_t i = 0; i < m->processes.count; i++)
        free(m->processes.items[i].trace);
    free(m->processes.items);
    free(m->gpus.items);
    *m = (struct capture_map){0};
}

const struct capture_process *capture_map_find(const struct capture_map *m, const char *trace)
{
    for (size_t i = 0; i < m->processes.count; i++)
        if (m->processes.items[i].trace && !strcmp(m->processes.items[i].trace, trace))
            return &m->processes.items[i];
    return NULL;
}

const char *capture_process_program(const struct capture_process *p)
{
    const char *name = json_get_text(p->report, "program", "");
    return *name ? name : "unknown program";
}

/* ---- the shards and their processes ---- */

static struct capture_process *add_process(struct capture_map *m)
{
    struct capture_process *p = m->processes.count < CAPTURE_PROCESSES_MAX ? ARRAY_PUSH(&m->processes) : NULL;
    if (p) {
        p->own_rank = p->rank = -1;
        for (size_t i = 0; i < CAPTURE_ORDINALS_MAX; i++)
            p->devices[i] = (int16_t)i;
    }
    return p;
}

/* A process that only starts others leaves names at most. A length that is damaged ends the search. */
static bool has_events(int fd, uint64_t at, uint64_t file_bytes)
{
    struct cpprof_chunk_header chunk;
    while (files_read_at(fd, &chunk, sizeof chunk, at) == (ssize_t)sizeof chunk) {
        if (chunk.type == CPPROF_CHUNK_EVENTS)
            return true;
        if (chunk.payload_bytes > file_bytes)
            break;
        at += sizeof chunk + chunk.payload_bytes;
    }
    return false;
}

/* An unreadable shard is skipped here; its reader reports why. */
static void read_header(struct capture_process *p, int fd)
{
    struct cpprof_shard_header header;
    struct stat info;
    if (fd < 0 || fstat(fd, &info) || files_read_at(fd, &header, sizeof header, 0) != (ssize_t)sizeof header ||
        memcmp(header.magic, CPPROF_SHARD_MAGIC, sizeof header.magic))
        return;
    p->pid = header.process;
    p->own_rank = header.rank >= 0 && header.rank <= INT16_MAX ? header.rank : -1;
    p->start_unix_ns = header.start_unix_ns;
    p->has_events = has_events(fd, header.header_bytes, (uint64_t)info.st_size);
}

static const json_t *report_of_trace(const json_t *reports, const char *trace)
{
    for (size_t i = 0; i < json_array_size(reports); i++)
        if (!strcmp(json_get_text(json_array_get(reports, i), "trace", ""), trace))
            return json_array_get(reports, i);
    return NULL;
}

/* Compares numbers in names by value: trace-2 comes before trace-10. */
static int by_trace(const void *a, const void *b)
{
    return strverscmp(((const struct capture_process *)a)->trace, ((const struct capture_process *)b)->trace);
}

static int add_shards(struct capture_map *m, const struct bundle *bundle, const json_t *reports, struct err *e)
{
    const struct bundle_shards *shards = &bundle->shards;
    if (shards->trouble)
        return err_set(e, ERR_INPUT, "cannot list '%s': %s", bundle->path, strerror(shards->trouble));
    if (shards->count > CAPTURE_PROCESSES_MAX)
        return err_set(e, ERR_INPUT, "'%s' holds more than %d traces", bundle->path, CAPTURE_PROCESSES_MAX);
    for (size_t i = 0; i < shards->count; i++) {
        struct capture_process *p = add_process(m);
        if (!p || !(p->trace = strdup(shards->items[i].name)))
            return err_memory(e);
        p->report = report_of_trace(reports, p->trace);
        const int fd = bundle_shards_borrow(shards, i);
        read_header(p, fd);
        bundle_shards_give_back(shards, i, fd);
    }
    if (m->processes.count)
        qsort(m->processes.items, m->processes.count, sizeof *m->processes.items, by_trace);
    return 0;
}

static bool is_of_capture(const json_t *report)
{
    return !strcmp(json_get_text(report, "role", ""), CAPTURE_KIND);
}

/* Processes without a shard are listed, too: their reports have the reason. */
static int add_others(struct capture_map *m, const json_t *reports, struct err *e)
{
    for (size_t i = 0; i < json_array_size(reports); i++) {
        const json_t *report = json_array_get(reports, i);
        if (!is_of_capture(report) || capture_map_find(m, json_get_text(report, "trace", "")))
            continue;
        struct capture_process *p = add_process(m);
        if (!p)
            return m->processes.count < CAPTURE_PROCESSES_MAX ? err_memory(e) : 0;
        p->report = report;
        p->pid = json_get_integer(report, "pid", 0);
        p->start_unix_ns = INT64_MAX;
        const long long rank = json_get_integer(report, "rank", -1);
        p->own_rank = rank >= 0 && rank <= INT16_MAX ? (int32_t)rank : -1;
    }
    return 0;
}

static int by_start(const void *a, const void *b)
{
    const struct capture_process *p = a, *q = b;
    if (p->start_unix_ns != q->start_unix_ns)
        return p->start_unix_ns < q->start_unix_ns ? -1 : 1;
    return p->trace && q->trace ? strverscmp(p->trace, q->trace) : (p->pid > q->pid) - (p->pid < q->pid);
}

/* ---- ranks ---- */

static bool rank_is_taken(const struct capture_map *m, size_t before, int32_t rank)
{
    for (size_t i = 0; i < before; i++)
        if (m->processes.items[i].has_events && m->processes.items[i].own_rank == rank)
            return true;
    return false;
}

/* There may be no number above the highest rank. Then some lower ones are free, because there are more ranks than
 * processes. */
static int32_t free_rank(const struct capture_map *m, int32_t from)
{
    int32_t rank = from <= INT16_MAX ? from : 0;
    while (rank_is_taken(m, m->processes.count, rank))
        rank++;
    return rank;
}

static void give_ranks(struct capture_map *m)
{
    size_t with_events = 0;
    int32_t next = 0;
    for (size_t i = 0; i < m->processes.count; i++) {
        const struct capture_process *p = &m->processes.items[i];
        with_events += p->has_events;
        if (p->has_events && p->own_rank >= next)
            next = p->own_rank + 1;
    }
    for (size_t i = 0; i < m->processes.count; i++) {
        struct capture_process *p = &m->processes.items[i];
        const bool keeps = with_events < 2 || !p->has_events || (p->own_rank >= 0 && !rank_is_taken(m, i, p->own_rank));
        if (!keeps)
            next = free_rank(m, next);
        p->rank = (int16_t)(keeps ? p->own_rank : next++);
    }
}

/* ---- GPUs ---- */

static long long ordinal_of(const json_t *gpu)
{
    return json_get_integer(gpu, "ordinal", -1);
}

static bool is_same_gpu(const json_t *a, const json_t *b)
{
    return !strcmp(json_get_text(a, "uuid", ""), json_get_text(b, "uuid", ""));
}

static struct capture_gpu *find_gpu(struct capture_map *m, const json_t *about)
{
    for (size_t i = 0; i < m->gpus.count; i++)
        if (is_same_gpu(m->gpus.items[i].about, about))
            return &m->gpus.items[i];
    return NULL;
}

/* Lists every GPU that has a UUID and that any process saw, once, with the number that the first of these processes
 * uses. *contradicts is set when another process uses a different number for it, or the same number for another GPU. */
static int collect_gpus(struct capture_map *m, const json_t *reports, bool *contradicts, struct err *e)
{
    for (size_t i = 0; i < json_array_size(reports); i++) {
        const json_t *gpus = json_object_get(json_array_get(reports, i), "gpus");
        for (size_t k = 0; k < json_array_size(gpus); k++) {
            const json_t *about = json_array_get(gpus, k);
            const long long ordinal = ordinal_of(about);
            if (ordinal < 0 || ordinal >= CAPTURE_ORDINALS_MAX || m->gpus.count == CAPTURE_GPUS_MAX ||
                !*json_get_text(about, "uuid", "")) /* two GPUs without one would look the same */
                continue;
            const struct capture_gpu *known = find_gpu(m, about);
            *contradicts |= known && known->device != ordinal;
            if (known)
                continue;
            for (size_t g = 0; g < m->gpus.count; g++)
                *contradicts |= m->gpus.items[g].device == ordinal;
            struct capture_gpu *gpu = ARRAY_PUSH(&m->gpus);
            if (!gpu)
                return err_memory(e);
            *gpu = (struct capture_gpu){about, (int16_t)ordinal};
        }
    }
    return 0;
}

static int by_device(const void *a, const void *b)
{
    const struct capture_gpu *p = a, *q = b;
    return (p->device > q->device) - (p->device < q->device);
}

/* PCI addresses have a fixed number of digits. Parts of one GPU (MIG) have different UUIDs. */
static int by_address(const void *a, const void *b)
{
    const struct capture_gpu *p = a, *q = b;
    const int order = strcasecmp(json_get_text(p->about, "pci", ""), json_get_text(q->about, "pci", ""));
    return order ? order : strcmp(json_get_text(p->about, "uuid", ""), json_get_text(q->about, "uuid", ""));
}

static void translate_devices(struct capture_map *m, struct capture_process *p)
{
    const json_t *gpus = json_object_get(p->report, "gpus");
    for (size_t i = 0; i < CAPTURE_ORDINALS_MAX; i++)
        p->devices[i] = -1;
    for (size_t i = 0; i < json_array_size(gpus); i++) {
        const json_t *about = json_array_get(gpus, i);
        const long long ordinal = ordinal_of(about);
        const struct capture_gpu *gpu = find_gpu(m, about);
        if (gpu && ordinal >= 0 && ordinal < CAPTURE_ORDINALS_MAX)
            p->devices[ordinal] = gpu->device;
    }
}

static int give_devices(struct capture_map *m, const json_t *reports, struct err *e)
{
    int rc = collect_gpus(m, reports, &m->renumbered, e);
    if (rc || !m->gpus.count)
        return rc;
    qsort(m->gpus.items, m->gpus.count, sizeof *m->gpus.items, m->renumbered ? by_address : by_device);
    for (size_t i = 0; m->renumbered && i < m->gpus.count; i++)
        m->gpus.items[i].device = (int16_t)i;
    for (size_t i = 0; m->renumbered && i < m->processes.count; i++)
        translate_devices(m, &m->processes.items[i]);
    return 0;
}

int capture_map_make(struct capture_map *out, const struct bundle *bundle, struct err *e)
{
    const json_t *reports = json_object_get(bundle->manifest, "processes");
    *out = (struct capture_map){0};
    int rc = add_shards(out, bundle, reports, e);
    if (!rc)
        rc = add_others(out, reports, e);
    if (!rc && out->processes.count)
        qsort(out->processes.items, out->processes.count, sizeof *out->processes.items, by_start);
    if (!rc)
        give_ranks(out);
    return rc ? rc : give_devices(out, reports, e);
}

/* ---- the caveats ---- */

static int note_rank(const struct capture_process *p, struct caveat_list *caveats, struct err *e)
{
    if (!p->has_events || p->rank == p->own_rank)
        return 0;
    if (p->own_rank < 0)
        return caveat_add(caveats, CAVEAT_NOTE, e, "process %lld (%s) has no rank: it counts as rank %d", p->pid,
                          capture_process_program(p), p->rank);
    return caveat_add(caveats, CAVEAT_NOTE, e,
                      "process %lld (%s) has rank %" PRId32 " as another one has: it counts as rank %d", p->pid,
                      capture_process_program(p), p->own_rank, p->rank);
}

/* A gap that a process reports weakens what is judged on its trace. Some lacks do not: that of migrations weakens only
 * rules about migrations (capture_lacks_migrations), that of samples of the GPU only what is said of its units, and
 * launches without a delay are recorded as they were. Kernels that kernels launch are in no record at all. */
static enum caveat_kind kind_of_lack(const char *what)
{
    static const char *const harmless[] = {MIGRATIONS, EARLY_MIGRATIONS, "samples", "delays"};
    for (size_t i = 0; i < COUNT_OF(harmless); i++)
        if (!strcmp(what, harmless[i]))
            return CAVEAT_NOTE;
    return strcmp(what, DEVICE_LAUNCHES) ? CAVEAT_WEAKENS : CAVEAT_HIDDEN;
}

static bool is_of_migrations(const char *what)
{
    return !strcmp(what, MIGRATIONS) || !strcmp(what, EARLY_MIGRATIONS);
}

static bool is_of_device_launches(const char *what)
{
    return !strcmp(what, DEVICE_LAUNCHES);
}

static bool lacks(const struct capture_process *p, bool (*is_of)(const char *what))
{
    const json_t *missing = json_object_get(p->report, "missing");
    for (size_t i = 0; i < json_array_size(missing); i++)
        if (is_of(json_get_text(json_array_get(missing, i), "what", "")))
            return true;
    return false;
}

bool capture_lacks_migrations(const struct capture_map *m)
{
    for (size_t i = 0; i < m->processes.count; i++)
        if (lacks(&m->processes.items[i], is_of_migrations))
            return true;
    return false;
}

bool capture_process_hides_kernels(const struct capture_process *p)
{
    return lacks(p, is_of_device_launches);
}

bool capture_hides_anywhere(const struct capture_map *m)
{
    for (size_t i = 0; i < m->processes.count; i++)
        if (!m->processes.items[i].has_events && capture_process_hides_kernels(&m->processes.items[i]))
            return true;
    return false;
}

/* How many collectives NCCL told of, and how many of them are not in the trace. */
struct told_collectives {
    int64_t count, lost;
    bool misnumbered;
};

static struct told_collectives told_collectives(const struct capture_process *p)
{
    const json_t *told = json_object_get(p->report, "collectives");
    struct told_collectives c = {.count = json_get_integer(told, "collectives", 0),
                                 .misnumbered = json_get_integer(told, "misnumbered", 0) != 0};
    int64_t found = 0;
    count_add(&found, json_get_integer(told, "from_graphs", 0));
    count_add(&found, json_get_integer(told, "stored", 0));
    c.lost = c.count > found ? c.count - found : 0;
    return c;
}

bool capture_lacks_collectives(const struct capture_map *m)
{
    for (size_t i = 0; i < m->processes.count; i++)
        if (told_collectives(&m->processes.items[i]).lost > 0)
            return true;
    return false;
}

bool capture_process_is_misnumbered(const struct capture_process *p)
{
    return told_collectives(p).misnumbered;
}

/* Their kernels are in the trace: this weakens only what is said of ranks. */
static int note_collectives(const struct capture_process *p, struct caveat_list *caveats, struct err *e)
{
    const struct told_collectives c = told_collectives(p);
    int rc = 0;
    if (c.lost > 0)
        rc = caveat_add(caveats, CAVEAT_NOTE, e,
                        "process %lld (%s): what NCCL said of %" PRId64 " of its %" PRId64
                        " collectives is lost: rules with late, skew or transfer cannot pass",
                        p->pid, capture_process_program(p), c.lost, c.count);
    if (!rc && c.misnumbered)
        rc = caveat_add(caveats, CAVEAT_NOTE, e,
                        "process %lld (%s): graphs disturbed NCCL's numbers of its collectives, so they count by "
                        "their order",
                        p->pid, capture_process_program(p));
    return rc;
}

static int note_missing(const struct capture_process *p, struct caveat_list *caveats, struct err *e)
{
    const json_t *missing = json_object_get(p->report, "missing");
    int rc = 0;
    for (size_t i = 0; i < json_array_size(missing) && !rc; i++) {
        const json_t *one = json_array_get(missing, i);
        const char *what = json_get_text(one, "what", "record");
        rc = caveat_add(caveats, kind_of_lack(what), e, "process %lld (%s) lacks part of its %s: %s", p->pid,
                        capture_process_program(p), what, json_get_text(one, "why", "no reason was recorded"));
    }
    if (!rc && p->report && missing && !json_is_array(missing))
        rc = caveat_add(caveats, CAVEAT_WEAKENS, e, "process %lld (%s) does not say what its trace lacks", p->pid,
                        capture_process_program(p));
    if (!rc && !p->report)
        rc = caveat_add(caveats, CAVEAT_WEAKENS, e,
                        "process %lld left a trace and no report: what it lacks is not known", p->pid);
    if (!rc && p->report && !p->trace && !json_array_size(missing))
        rc = caveat_add(caveats, CAVEAT_WEAKENS, e, "process %lld (%s) left no trace", p->pid,
                        capture_process_program(p));
    return rc;
}

/* Nobody can tell which records the bytes of an incomplete chunk began. */
static int note_cut(const struct capture_process *p, struct caveat_list *caveats, struct err *e)
{
    const long long bytes = json_get_integer(p->report, "cut_bytes", 0);
    return bytes > 0
               ? caveat_add(caveats, CAVEAT_WEAKENS, e,
                            "process %lld (%s) was gone in the middle of a write: the last %lld bytes of its trace, "
                            "part of a chunk, are cut off",
                            p->pid, capture_process_program(p), bytes)
               : 0;
}

/* The capture has only a part of what the program did, because that was asked for. */
static int note_filtered(const struct capture_map *m, struct caveat_list *caveats, struct err *e)
{
    int64_t filtered = 0;
    for (size_t i = 0; i < m->processes.count; i++)
        count_add(&filtered,
                  json_get_integer(json_object_get(m->processes.items[i].report, "collector"), "filtered", 0));
    return filtered > 0
               ? caveat_add(caveats, CAVEAT_NOTE, e,
                            "%" PRId64 " operations are left out because --kernels asked for others: the GPU was "
                            "less idle than it looks",
                            filtered)
               : 0;
}

/* Whoever asks about the program must not take its delayed times for an answer. */
static int note_delays(const json_t *capture, struct caveat_list *caveats, struct err *e)
{
    return json_is_object(json_object_get(capture, "causal"))
               ? caveat_add(
                     caveats, CAVEAT_WEAKENS, e,
                     "kernels were delayed on purpose (profile --causal): times, gaps and counts are not those of the program")
               : 0;
}

/* A report that breaks off: its process is known, but what it lost is not. */
static int note_failures(const json_t *failures, struct caveat_list *caveats, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < json_array_size(failures) && !rc; i++)
        rc = caveat_add(caveats, CAVEAT_WEAKENS, e, "the report of a process is lost: %s",
                        json_get_text(json_array_get(failures, i), "detail", "no reason is recorded"));
    return rc;
}

int capture_caveats(const struct capture_map *m, const json_t *manifest, struct caveat_list *caveats, struct err *e)
{
    const long long outliving = json_get_integer(json_object_get(manifest, "capture"), "outliving", 0);
    int rc = 0;
    if (outliving > 0)
        rc = caveat_add(
            caveats, CAVEAT_WEAKENS, e,
            "processes that still ran when the capture was sealed: %lld; what they did afterwards is not in it",
            outliving);
    for (size_t i = 0; i < m->processes.count && !rc; i++) {
        rc = note_missing(&m->processes.items[i], caveats, e);
        if (!rc)
            rc = note_cut(&m->processes.items[i], caveats, e);
        if (!rc)
            rc = note_collectives(&m->processes.items[i], caveats, e);
        if (!rc)
            rc = note_rank(&m->processes.items[i], caveats, e);
    }
    if (!rc && m->renumbered)
        rc = caveat_add(caveats, CAVEAT_NOTE, e,
                        "the processes number the GPUs differently: devices are numbered by PCI address");
    if (!rc)
        rc = note_failures(json_object_get(manifest, "failures"), caveats, e);
    if (!rc)
        rc = note_delays(json_object_get(manifest, "capture"), caveats, e);
    return rc ? rc : note_filtered(m, caveats, e);
}
