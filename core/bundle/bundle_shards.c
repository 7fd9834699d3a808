/* Which traces does a run directory hold, and are they still the files that were compared with its seal? */
#define _GNU_SOURCE
#include "core/bundle/bundle_shards.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/base/files.h"
#include "core/base/str.h"
#include "core/io/packed_file.h"

/* The most files of one bundle that are open at once, and the part of this process's descriptors that they may take. */
enum { KEPT_MAX = 256, KEPT_PART = 4 };

bool bundle_shard_is(const char *name)
{
    return !fnmatch("trace-*.bin", name, 0);
}

bool bundle_shard_is_file(const char *name)
{
    return bundle_shard_is(name) || !fnmatch("trace-*.bin" PACKED_FILE_ENDING, name, 0);
}

static int is_shard(const struct dirent *entry)
{
    return bundle_shard_is_file(entry->d_name);
}

/* Shards are found by their name without the ending of a packed one. */
static size_t name_length(const char *file)
{
    return strlen(file) - (bundle_shard_is(file) ? 0 : strlen(PACKED_FILE_ENDING));
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    const size_t one = name_length((*a)->d_name), other = name_length((*b)->d_name);
    const int order = strncmp((*a)->d_name, (*b)->d_name, one < other ? one : other);
    return order ? order : (one > other) - (one < other);
}

/* The seal's comparison shows what a damaged gzip lacks, so its caveats are not kept. */
static int open_shard(const struct bundle_shards *s, size_t i)
{
    struct str path;
    struct caveat_list damage;
    str_init(&path);
    caveat_list_init(&damage);
    files_join(&path, s->folder, s->items[i].name);
    errno = ENOMEM;
    const int fd = path.failed ? -1 : packed_file_open(path.text, &damage, NULL);
    const int trouble = errno;
    caveat_list_release(&damage);
    str_release(&path);
    errno = trouble;
    return fd < 0 ? -1 : fd;
}

/* A packed file is unpacked anew for each use, so its own state tells whether it was replaced. */
static bool look_at_packed(const struct bundle_shards *s, size_t i, struct stat *state)
{
    struct str path;
    str_init(&path);
    files_join(&path, s->folder, s->items[i].name);
    str_add(&path, PACKED_FILE_ENDING);
    const bool is_known = !path.failed && !stat(path.text, state);
    str_release(&path);
    return is_known;
}

static size_t how_many_to_keep(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur / KEPT_PART > KEPT_MAX)
        return KEPT_MAX;
    return (size_t)limit.rlim_cur / KEPT_PART;
}

/* Is it the packed twin of the shard before it? That one is read. */
static bool is_twin(const struct bundle_shards *s, const char *file)
{
    const char *before = s->count ? s->items[s->count - 1].name : "";
    return strlen(before) == name_length(file) && !strncmp(before, file, strlen(before));
}

static int add_shard(struct bundle_shards *out, const char *file, bool is_kept, struct err *e)
{
    struct bundle_shard *shard = &out->items[out->count++];
    *shard =
        (struct bundle_shard){.name = strndup(file, name_length(file)), .fd = -1, .is_packed = !bundle_shard_is(file)};
    if (!shard->name)
        return err_memory(e);
    if (is_kept && (shard->fd = open_shard(out, out->count - 1)) < 0)
        shard->trouble = errno;
    return 0;
}

static int fill(struct bundle_shards *out, struct dirent **names, size_t count, struct err *e)
{
    const size_t kept = how_many_to_keep();
    out->items = calloc(count + 1, sizeof *out->items);
    if (!out->items)
        return err_memory(e);
    int rc = 0;
    for (size_t i = 0; i < count && !rc; i++)
        if (!is_twin(out, names[i]->d_name))
            rc = add_shard(out, names[i]->d_name, out->count < kept, e);
    return rc;
}

int bundle_shards_open(struct bundle_shards *out, const char *folder, struct err *e)
{
    struct dirent **names = NULL;
    const int count = scandir(folder, &names, is_shard, by_name);
    *out = (struct bundle_shards){.trouble = count < 0 ? errno : 0, .folder = strdup(folder)};
    int rc = out->folder ? 0 : err_memory(e);
    if (!rc && count > 0)
        rc = fill(out, names, (size_t)count, e);
    for (int i = 0; i < count; i++)
        free(names[i]);
    free(names);
    return rc;
}

void bundle_shards_close(struct bundle_shards *s, size_t i)
{
    if (s->items[i].fd >= 0)
        close(s->items[i].fd);
    s->items[i].fd = -1;
}

void bundle_shards_release(struct bundle_shards *s)
{
    for (size_t i = 0; i < s->count; i++) {
        bundle_shards_close(s, i);
        free(s->items[i].name);
    }
    free(s->items);
    free(s->folder);
    *s = (struct bundle_shards){0};
}

static int compare_name(const void *name, const void *shard)
{
    return strcmp(name, ((const struct bundle_shard *)shard)->name);
}

size_t bundle_shards_find(const struct bundle_shards *s, const char *name)
{
    const struct bundle_shard *found =
        s->count ? bsearch(name, s->items, s->count, sizeof *s->items, compare_name) : NULL;
    return found ? (size_t)(found - s->items) : s->count;
}

int bundle_shards_borrow(const struct bundle_shards *s, size_t i)
{
    const struct bundle_shard *shard = &s->items[i];
    if (shard->fd >= 0 || !shard->trouble)
        return shard->fd >= 0 ? shard->fd : open_shard(s, i);
    errno = shard->trouble;
    return -1;
}

void bundle_shards_give_back(const struct bundle_shards *s, size_t i, int fd)
{
    if (fd >= 0 && fd != s->items[i].fd)
        close(fd);
}

bool bundle_shards_sum(struct bundle_shards *s, size_t i, uint64_t *bytes, uint32_t *crc32)
{
    struct bundle_shard *shard = &s->items[i];
    const bool is_known = shard->is_packed && look_at_packed(s, i, &shard->summed);
    const int fd = bundle_shards_borrow(s, i);
    shard->is_summed =
        fd >= 0 && (shard->is_packed ? is_known : !fstat(fd, &shard->summed)) && !files_checksum_open(fd, bytes, crc32);
    bundle_shards_give_back(s, i, fd);
    return shard->is_summed;
}

bool bundle_shards_has_changed(const struct bundle_shards *s, size_t i, int fd)
{
    const struct bundle_shard *shard = &s->items[i];
    const struct stat *then = &shard->summed;
    struct stat now;
    if (!shard->is_summed || (shard->is_packed && fd == shard->fd)) /* nobody else has what was unpacked and kept */
        return false;
    return (shard->is_packed ? !look_at_packed(s, i, &now) : fstat(fd, &now)) || now.st_dev != then->st_dev ||
           now.st_ino != then->st_ino || now.st_size != then->st_size || now.st_mtim.tv_sec != then->st_mtim.tv_sec ||
           now.st_mtim.tv_nsec != then->st_mtim.tv_nsec;
}
