/* Which traces does a run directory hold, and are they still the ones that were compared with its seal? */
#define _GNU_SOURCE
#include "bundle/bundle_shards.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/files.h"
#include "base/str.h"

/* Most files of one bundle that are open at once, and the share of this process's descriptors that they may take. */
enum { KEPT_MAX = 256, KEPT_PART = 4 };

bool bundle_shard_is(const char *name)
{
    return !fnmatch("trace-*.bin", name, 0);
}

static int is_shard(const struct dirent *entry)
{
    return bundle_shard_is(entry->d_name);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* A bundle may come from a stranger: a pipe in it would block the reader. */
static int open_regular(const char *path)
{
    struct stat info;
    if (stat(path, &info))
        return -1;
    const int fd = S_ISREG(info.st_mode) ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    if (S_ISREG(info.st_mode) && (fd < 0 || (!fstat(fd, &info) && S_ISREG(info.st_mode))))
        return fd;
    if (fd >= 0)
        close(fd);
    errno = EINVAL;
    return -1;
}

static int open_shard(const struct bundle_shards *s, size_t i)
{
    struct str path;
    str_init(&path);
    files_join(&path, s->folder, s->items[i].name);
    errno = ENOMEM;
    const int fd = path.failed ? -1 : open_regular(path.text);
    const int trouble = errno;
    str_release(&path);
    errno = trouble;
    return fd;
}

static size_t how_many_to_keep(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur / KEPT_PART > KEPT_MAX)
        return KEPT_MAX;
    return (size_t)limit.rlim_cur / KEPT_PART;
}

static int fill(struct bundle_shards *out, struct dirent **names, size_t count, struct err *e)
{
    const size_t kept = how_many_to_keep();
    out->items = calloc(count + 1, sizeof *out->items);
    if (!out->items)
        return err_memory(e);
    for (size_t i = 0; i < count; i++) {
        struct bundle_shard *shard = &out->items[out->count++];
        *shard = (struct bundle_shard){.name = strdup(names[i]->d_name), .fd = -1};
        if (!shard->name)
            return err_memory(e);
        if (i < kept && (shard->fd = open_shard(out, i)) < 0)
            shard->trouble = errno;
    }
    return 0;
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
    const int fd = bundle_shards_borrow(s, i);
    shard->is_summed = fd >= 0 && !fstat(fd, &shard->summed) && !files_checksum_open(fd, bytes, crc32);
    bundle_shards_give_back(s, i, fd);
    return shard->is_summed;
}

bool bundle_shards_has_changed(const struct bundle_shards *s, size_t i, int fd)
{
    const struct stat *then = &s->items[i].summed;
    struct stat now;
    return s->items[i].is_summed && (fstat(fd, &now) || now.st_dev != then->st_dev || now.st_ino != then->st_ino ||
                                     now.st_size != then->st_size || now.st_mtim.tv_sec != then->st_mtim.tv_sec ||
                                     now.st_mtim.tv_nsec != then->st_mtim.tv_nsec);
}
