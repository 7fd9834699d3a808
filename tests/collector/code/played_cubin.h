/* played_cubin.h - a cubin whose kernels all call an entry of CUDA's device runtime. */
#ifndef CPPROF_PLAYED_CUBIN_H
#define CPPROF_PLAYED_CUBIN_H

#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLAYED_NAME_BYTES = 16, PLAYED_SECTIONS = 4 };

/* Kernels are called k1, k2 and so on. The caller frees the image; NULL without memory. */
static inline unsigned char *played_cubin(uint32_t kernels, size_t *bytes)
{
    enum { CUBIN_KERNEL = 0x10, CALLGRAPH = 0x70000001, CALLS = -1 };
    const uint32_t symbols = kernels + 2; /* the first is no symbol, the second the entry */
    const size_t symbols_at = sizeof(Elf64_Ehdr) + PLAYED_SECTIONS * sizeof(Elf64_Shdr);
    const size_t names_at = symbols_at + symbols * sizeof(Elf64_Sym);
    const size_t calls_at = names_at + (size_t)symbols * PLAYED_NAME_BYTES;
    const Elf64_Ehdr header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64},
                               .e_shoff = sizeof header,
                               .e_shentsize = sizeof(Elf64_Shdr),
                               .e_shnum = PLAYED_SECTIONS};
    const Elf64_Shdr sections[PLAYED_SECTIONS] = {
        {0},
        {.sh_type = SHT_SYMTAB, .sh_offset = symbols_at, .sh_size = names_at - symbols_at, .sh_link = 2},
        {.sh_type = SHT_STRTAB, .sh_offset = names_at, .sh_size = calls_at - names_at},
        {.sh_type = CALLGRAPH, .sh_offset = calls_at, .sh_size = symbols * sizeof(int32_t[2])}};
    *bytes = calls_at + sections[3].sh_size;
    unsigned char *image = calloc(1, *bytes);
    if (!image)
        return NULL;
    memcpy(image, &header, sizeof header);
    memcpy(image + sizeof header, sections, sizeof sections);
    for (uint32_t i = 1; i < symbols; i++) {
        const Elf64_Sym symbol = {.st_name = i * PLAYED_NAME_BYTES,
                                  .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                                  .st_other = i > 1 ? CUBIN_KERNEL : 0};
        const int32_t pair[2] = {i > 1 ? (int32_t)i : 0, i > 1 ? 1 : CALLS};
        char *name = (char *)image + names_at + symbol.st_name;
        memcpy(image + symbols_at + i * sizeof symbol, &symbol, sizeof symbol);
        memcpy(image + calls_at + (i - 1) * sizeof pair, pair, sizeof pair);
        if (i > 1)
            snprintf(name, PLAYED_NAME_BYTES, "k%u", i - 1);
        else
            memcpy(name, "cudaGraphLaunch", PLAYED_NAME_BYTES);
    }
    return image;
}

#endif
