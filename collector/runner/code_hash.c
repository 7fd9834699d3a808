/* Which machine code does a kernel consist of? */
#define _GNU_SOURCE
#include "collector/runner/code_hash.h"

#include <elf.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "collector/runner/module_watch.h"
#include "core/base/array.h"

/* CUPTI's callback runs on the thread that loads the module. */
static struct {
    pthread_mutex_t lock;
    struct kernel_code *items;
    size_t count, capacity;
} seen = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t hash_bytes(const unsigned char *bytes, size_t count)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ bytes[i]) * 1099511628211u;
    return hash;
}

static void add_kernel(const char *symbol, const unsigned char *code, size_t bytes)
{
    pthread_mutex_lock(&seen.lock);
    struct kernel_code *slot = ARRAY_PUSH(&seen);
    if (slot)
        *slot = (struct kernel_code){strdup(symbol), hash_bytes(code, bytes), bytes};
    pthread_mutex_unlock(&seen.lock);
}

static bool inside(uint64_t offset, uint64_t size, size_t bytes)
{
    return offset <= bytes && size <= bytes - offset;
}

void code_hash_add_cubin(const void *image, size_t bytes)
{
    static const char prefix[] = ".text.";
    const unsigned char *base = image;
    Elf64_Ehdr header;
    if (bytes < sizeof header)
        return;
    memcpy(&header, base, sizeof header);
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_shentsize != sizeof(Elf64_Shdr) ||
        !inside(header.e_shoff, (uint64_t)header.e_shnum * sizeof(Elf64_Shdr), bytes) ||
        header.e_shstrndx >= header.e_shnum)
        return;
    Elf64_Shdr names;
    memcpy(&names, base + header.e_shoff + header.e_shstrndx * sizeof names, sizeof names);
    if (!inside(names.sh_offset, names.sh_size, bytes))
        return;
    for (unsigned i = 0; i < header.e_shnum; i++) {
        Elf64_Shdr section;
        memcpy(&section, base + header.e_shoff + i * sizeof section, sizeof section);
        if (section.sh_type != SHT_PROGBITS || section.sh_name >= names.sh_size ||
            !inside(section.sh_offset, section.sh_size, bytes))
            continue;
        const char *name = (const char *)base + names.sh_offset + section.sh_name;
        size_t room = names.sh_size - section.sh_name;
        if (strnlen(name, room) < room && !strncmp(name, prefix, sizeof prefix - 1))
            add_kernel(name + sizeof prefix - 1, base + section.sh_offset, section.sh_size);
    }
}

int code_hash_start(const struct cupti_api *api, struct err *e)
{
    return module_watch_start(api, code_hash_add_cubin, e);
}

const struct kernel_code *code_hash_find(const char *symbol)
{
    const struct kernel_code *found = NULL;
    for (size_t i = 0; i < seen.count; i++) {
        const struct kernel_code *code = &seen.items[i];
        if (!code->symbol || strcmp(code->symbol, symbol))
            continue;
        if (found && (found->hash != code->hash || found->bytes != code->bytes))
            return NULL;
        found = code;
    }
    return found;
}

void code_hash_clear(void)
{
    for (size_t i = 0; i < seen.count; i++)
        free(seen.items[i].symbol);
    free(seen.items);
    seen.items = NULL;
    seen.count = seen.capacity = 0;
}
