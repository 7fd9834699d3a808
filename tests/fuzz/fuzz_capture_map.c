/* Do processes stay apart, and GPUs be the same ones, whatever the reports and shards of a capture say?
 *
 * The first byte is the number of shards, six bytes each; a manifest in JSON or, when it is none, reports of six bytes
 * each follow. */
#define _GNU_SOURCE
#include "tests/fuzz/fuzz.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/files.h"
#include "core/base/json.h"
#include "core/bundle/bundle.h"
#include "core/bundle/capture_map.h"
#include "cpprof/shard.h"

enum { SHARDS_MAX = 7, REPORTS_MAX = 12, PART_BYTES = 6 };

/* How often an int16 is one of the values where something changes. */
static const int16_t ranks[] = {-1, 0, 1, 2, 3, INT16_MAX - 1, INT16_MAX, INT16_MIN};

static char folder[] = "/tmp/cpprof-fuzz-XXXXXX";

static void remove_folder(void)
{
    files_remove_tree(folder, NULL);
}

static const char *shard_name(size_t i)
{
    static const char *const names[SHARDS_MAX] = {"trace-1-0.bin", "trace-2-0.bin", "trace-10-0.bin", "trace-10-1.bin",
                                                  "trace-a.bin",   "trace-.bin",    "trace-3-0.bin"};
    return names[i];
}

/* ---- the shards ---- */

static void write_shard(const uint8_t *part, size_t number)
{
    struct {
        struct cpprof_shard_header header;
        struct cpprof_chunk_header end, more;
    } shard = {{CPPROF_SHARD_MAGIC, CPPROF_SHARD_VERSION, sizeof shard.header, 96, part[0], ranks[part[1] % 8], 0, 0,
                part[2] % 4},
               {CPPROF_CHUNK_END, 0, 0},
               {0}};
    if (part[3] & 64)
        shard.header.start_unix_ns = INT64_MAX - part[3] % 2;
    struct str path;
    str_init(&path);
    files_join(&path, folder, shard_name(number));
    if (part[3] % 16 == 1) { /* a link to nowhere */
        REQUIRE(!symlink("nowhere", str_text(&path)));
    } else {
        const size_t cut = part[3] % 16 == 2 ? 20 : part[3] % 2 ? sizeof shard : sizeof shard - sizeof shard.more;
        if (part[3] % 16 == 4)
            shard.header.magic[0] = 'c';
        FILE *file = fopen(str_text(&path), "wb");
        REQUIRE(file && fwrite(&shard, 1, cut, file) == cut && !fclose(file));
    }
    str_release(&path);
}

static size_t write_shards(const uint8_t *data, size_t size)
{
    const size_t count = size ? data[0] % (SHARDS_MAX + 1) : 0;
    size_t i = 0;
    for (; i < count && 1 + (i + 1) * PART_BYTES <= size; i++)
        write_shard(data + 1 + i * PART_BYTES, i);
    return i;
}

static void remove_shards(void)
{
    struct str path;
    str_init(&path);
    for (size_t i = 0; i < SHARDS_MAX; i++)
        unlink(files_join(&path, folder, shard_name(i)));
    str_release(&path);
}

/* ---- the reports ---- */

static json_t *gpu_of(uint8_t byte)
{
    static const char *const uuids[] = {"GPU-a", "GPU-b", "GPU-c", ""};
    static const char *const addresses[] = {"0000:10:00.0", "0000:0A:00.0", "0000:0a:00.0", ""};
    const size_t which = byte >> 3 & 3;
    json_t *gpu = json_pack("{s:i,s:s}", "ordinal", byte & 4 ? 61 + (byte & 3) : byte & 3, "pci", addresses[which]);
    if (*uuids[which])
        json_object_set_new(gpu, "uuid", json_string(uuids[which]));
    return gpu;
}

static json_t *report_of(const uint8_t *part)
{
    json_t *report = json_pack("{s:s,s:i,s:i}", "role", part[0] & 1 ? "capture" : "time", "pid", part[1], "rank",
                               ranks[part[1] % 8]);
    if (part[0] & 2)
        json_object_set_new(report, "trace", json_string(shard_name(part[2] % SHARDS_MAX)));
    json_t *gpus = json_array();
    for (size_t i = 0; i < (part[0] >> 2 & 3u) && i < 2; i++)
        json_array_append_new(gpus, gpu_of(part[3 + i]));
    json_object_set_new(report, "gpus", gpus);
    if (part[0] & 16)
        json_object_set_new(report, "missing",
                            json_pack("[{s:s}]", "what", part[5] & 1 ? "early migrations" : "API records"));
    if (part[0] & 32)
        json_object_set_new(report, "collector",
                            json_pack("{s:I}", "filtered", part[5] & 2 ? (json_int_t)INT64_MAX : (json_int_t)part[5]));
    if (part[0] & 64)
        json_object_set_new(report, "cut_bytes", json_integer(part[5]));
    return report;
}

static json_t *manifest_of(const uint8_t *data, size_t size)
{
    json_t *manifest = json_loadb((const char *)data, size, 0, NULL);
    if (json_is_object(manifest))
        return manifest;
    json_decref(manifest);
    json_t *reports = json_array();
    for (size_t i = 0; i < REPORTS_MAX && (i + 1) * PART_BYTES <= size; i++)
        json_array_append_new(reports, report_of(data + i * PART_BYTES));
    return json_pack("{s:o}", "processes", reports);
}

/* ---- what must hold ---- */

static size_t with_events(const struct capture_map *m)
{
    size_t count = 0;
    for (size_t i = 0; i < m->processes.count; i++)
        count += m->processes.items[i].has_events;
    return count;
}

/* Those that left events are ranks of their own; the first that has one keeps it. */
static void check_ranks(const struct capture_map *m)
{
    const bool are_many = with_events(m) > 1;
    for (size_t i = 0; i < m->processes.count; i++) {
        const struct capture_process *p = &m->processes.items[i];
        bool is_first = true;
        REQUIRE(are_many || p->rank == p->own_rank);
        for (size_t k = 0; k < i && p->has_events && are_many; k++) {
            const struct capture_process *q = &m->processes.items[k];
            REQUIRE(!q->has_events || p->rank != q->rank);
            is_first &= !q->has_events || q->own_rank != p->own_rank;
        }
        if (p->has_events && are_many)
            REQUIRE(p->rank >= 0 && (!is_first || p->own_rank < 0 || p->rank == p->own_rank));
    }
}

/* Every shard once, and every process of a capture that left none; in the order in which they began. */
static void check_processes(const struct capture_map *m, const json_t *reports, size_t shards)
{
    size_t traces = 0, others = 0;
    for (size_t i = 0; i < m->processes.count; i++) {
        const struct capture_process *p = &m->processes.items[i];
        traces += p->trace != NULL;
        REQUIRE(p->trace || (p->report && !p->has_events));
        REQUIRE(!p->trace || capture_map_find(m, p->trace) == p);
        REQUIRE(!p->trace || !p->report || !strcmp(json_get_text(p->report, "trace", ""), p->trace));
        REQUIRE(!i || m->processes.items[i - 1].start_unix_ns <= p->start_unix_ns);
    }
    for (size_t i = 0; i < json_array_size(reports); i++) {
        const json_t *report = json_array_get(reports, i);
        others += !strcmp(json_get_text(report, "role", ""), CAPTURE_KIND) &&
                  !capture_map_find(m, json_get_text(report, "trace", ""));
    }
    REQUIRE(traces == shards && m->processes.count == traces + others);
    REQUIRE(!capture_map_find(m, "") && !capture_map_find(m, "trace-99-0.bin"));
}

static const struct capture_gpu *gpu_with(const struct capture_map *m, const char *uuid)
{
    const struct capture_gpu *found = NULL;
    for (size_t i = 0; i < m->gpus.count; i++)
        if (!strcmp(json_get_text(m->gpus.items[i].about, "uuid", ""), uuid)) {
            REQUIRE(!found);
            found = &m->gpus.items[i];
        }
    return found;
}

/* While nobody contradicts it, each GPU has the number that all processes give it. */
static void check_number(const struct capture_map *m, const json_t *gpu)
{
    const long long ordinal = json_get_integer(gpu, "ordinal", -1);
    const char *uuid = json_get_text(gpu, "uuid", "");
    if (ordinal < 0 || ordinal >= CAPTURE_ORDINALS_MAX || !*uuid || m->gpus.count == CAPTURE_GPUS_MAX)
        return;
    const struct capture_gpu *known = gpu_with(m, uuid);
    REQUIRE(known && (m->renumbered || known->device == ordinal));
}

static void check_gpus(const struct capture_map *m, const json_t *reports)
{
    for (size_t i = 0; i < m->gpus.count; i++) {
        const char *uuid = json_get_text(m->gpus.items[i].about, "uuid", "");
        REQUIRE(*uuid && gpu_with(m, uuid) == &m->gpus.items[i]);
        REQUIRE(!m->renumbered || m->gpus.items[i].device == (int)i);
        REQUIRE(!i || m->gpus.items[i].device > m->gpus.items[i - 1].device);
        REQUIRE(!m->renumbered || !i ||
                strcasecmp(json_get_text(m->gpus.items[i - 1].about, "pci", ""),
                           json_get_text(m->gpus.items[i].about, "pci", "")) <= 0);
    }
    for (size_t i = 0; i < json_array_size(reports); i++) {
        const json_t *gpus = json_object_get(json_array_get(reports, i), "gpus");
        for (size_t k = 0; k < json_array_size(gpus); k++)
            check_number(m, json_array_get(gpus, k));
    }
}

/* A device is one that the process' own report calls so. */
static void check_devices(const struct capture_map *m, const struct capture_process *p)
{
    const json_t *gpus = json_object_get(p->report, "gpus");
    for (int ordinal = 0; ordinal < CAPTURE_ORDINALS_MAX; ordinal++) {
        bool is_named = false;
        for (size_t i = 0; i < json_array_size(gpus); i++) {
            const json_t *gpu = json_array_get(gpus, i);
            const struct capture_gpu *known = gpu_with(m, json_get_text(gpu, "uuid", ""));
            is_named |=
                known && json_get_integer(gpu, "ordinal", -1) == ordinal && known->device == p->devices[ordinal];
        }
        REQUIRE(m->renumbered ? is_named || p->devices[ordinal] == -1 : p->devices[ordinal] == ordinal);
    }
}

/* Each is a line; nothing that is lost goes without saying. */
static void check_caveats(const struct capture_map *m, const json_t *manifest)
{
    struct caveat_list caveats;
    struct err e = {0};
    bool is_lost = json_get_integer(json_object_get(manifest, "capture"), "outliving", 0) > 0;
    caveat_list_init(&caveats);
    REQUIRE(capture_caveats(m, manifest, &caveats, &e) == 0);
    for (size_t i = 0; i < caveats.count; i++)
        REQUIRE(*caveats.items[i].text && !strpbrk(caveats.items[i].text, "\r\n"));
    for (size_t i = 0; i < m->processes.count; i++)
        is_lost |= !m->processes.items[i].report || (!m->processes.items[i].trace && !capture_lacks_migrations(m)) ||
                   json_get_integer(m->processes.items[i].report, "cut_bytes", 0) > 0;
    REQUIRE(!is_lost || caveat_has(&caveats, CAVEAT_WEAKENS));
    REQUIRE(!(m->renumbered || capture_lacks_migrations(m)) || caveat_has(&caveats, CAVEAT_NOTE));
    caveat_list_release(&caveats);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool is_made;
    struct capture_map m;
    struct err e = {0};
    if (!is_made)
        REQUIRE(mkdtemp(folder) && !atexit(remove_folder));
    is_made = true;
    const size_t shards = write_shards(data, size), taken = size ? 1 + shards * PART_BYTES : 0;
    json_t *manifest = manifest_of(data + taken, size - taken);
    const json_t *reports = json_object_get(manifest, "processes");
    struct bundle b = {.path = folder, .manifest = manifest};
    REQUIRE(bundle_shards_open(&b.shards, folder, &e) == 0 && capture_map_make(&m, &b, &e) == 0);
    bundle_shards_release(&b.shards);
    check_processes(&m, reports, shards);
    check_ranks(&m);
    check_gpus(&m, reports);
    for (size_t i = 0; i < m.processes.count; i++)
        check_devices(&m, &m.processes.items[i]);
    check_caveats(&m, manifest);
    capture_map_release(&m);
    json_decref(manifest);
    remove_shards();
    return 0;
}
