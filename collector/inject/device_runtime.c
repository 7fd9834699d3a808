/* Does the program have code that may launch kernels from the GPU? */
#define _GNU_SOURCE
#include "collector/inject/device_runtime.h"

#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/array.h"

enum { PART_BYTES_MAX = 4 << 20 }; /* of a file: its headers, names, ids of modules */

static const char device_code[] = "__nv_relfatbin", module_ids[] = "__nv_module_id", runtime[] = "cuda_device_runtime";

static struct {
    ARRAY_OF(uintptr_t) seen; /* where the objects are loaded that were looked at */
    unsigned long long adds;  /* how many the loader had loaded by then */
    char found[256];
} objects;

/* Returns the part, with a 0 behind it, for the caller to free; NULL when it is empty, too large or not there. */
static char *read_part(int fd, uint64_t offset, uint64_t bytes)
{
    char *part = bytes && bytes <= PART_BYTES_MAX ? malloc(bytes + 1) : NULL;
    if (part && pread(fd, part, bytes, (off_t)offset) != (ssize_t)bytes) {
        free(part);
        return NULL;
    }
    if (part)
        part[bytes] = '\0';
    return part;
}

static bool has_runtime(int fd, const ElfW(Shdr) * ids)
{
    char *text = read_part(fd, ids->sh_offset, ids->sh_size);
    const bool has = text && memmem(text, ids->sh_size, runtime, strlen(runtime));
    free(text);
    return has;
}

static bool look_at_sections(int fd, const ElfW(Shdr) * sections, unsigned count, unsigned names_at, bool is_program)
{
    const uint64_t names_bytes = names_at < count ? sections[names_at].sh_size : 0;
    char *names = names_bytes ? read_part(fd, sections[names_at].sh_offset, names_bytes) : NULL;
    bool has = false;
    for (unsigned i = 0; i < count && names && !has; i++) {
        const char *name = sections[i].sh_name < names_bytes ? names + sections[i].sh_name : "";
        has =
            (is_program && !strcmp(name, device_code)) || (!strcmp(name, module_ids) && has_runtime(fd, &sections[i]));
    }
    free(names);
    return has;
}

bool device_runtime_is_in(const char *path, bool is_program)
{
    ElfW(Ehdr) header;
    bool has = false;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && pread(fd, &header, sizeof header, 0) == sizeof header && !memcmp(header.e_ident, ELFMAG, SELFMAG) &&
        header.e_shentsize == sizeof(ElfW(Shdr))) {
        char *sections = read_part(fd, header.e_shoff, (uint64_t)header.e_shnum * sizeof(ElfW(Shdr)));
        has = sections &&
              look_at_sections(fd, (const ElfW(Shdr) *)(void *)sections, header.e_shnum, header.e_shstrndx, is_program);
        free(sections);
    }
    if (fd >= 0)
        close(fd);
    return has;
}

/* True also when there is no memory to remember it. */
static bool was_seen(uintptr_t at)
{
    for (size_t i = 0; i < objects.seen.count; i++)
        if (objects.seen.items[i] == at)
            return true;
    uintptr_t *slot = ARRAY_PUSH(&objects.seen);
    if (slot)
        *slot = at;
    return !slot;
}

/* The program comes first, and has no name. */
static int look_at_object(struct dl_phdr_info *info, size_t bytes, void *found)
{
    const bool is_program = !*info->dlpi_name && !objects.seen.count;
    (void)bytes;
    if (info->dlpi_adds == objects.adds)
        return 1;
    if (was_seen((uintptr_t)info->dlpi_phdr) || (!is_program && !*info->dlpi_name))
        return 0;
    const char *path = is_program ? "/proc/self/exe" : info->dlpi_name;
    if (!*objects.found && device_runtime_is_in(path, is_program)) {
        const char *name = is_program ? "the program" : strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
        strncpy(objects.found, name, sizeof objects.found - 1);
        *(const char **)found = objects.found;
    }
    return 0;
}

static int note_adds(struct dl_phdr_info *info, size_t bytes, void *adds)
{
    (void)bytes;
    *(unsigned long long *)adds = info->dlpi_adds;
    return 1;
}

const char *device_runtime_look(void)
{
    const char *found = NULL;
    unsigned long long adds = 0;
    dl_iterate_phdr(note_adds, &adds);
    if (adds != objects.adds && !*objects.found)
        dl_iterate_phdr(look_at_object, (void *)&found);
    objects.adds = adds;
    return found;
}
