/* How large were the source files when a cubin was compiled? */
#include "collector/runner/line_table.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>

#include "core/base/files.h"

/* Bytes that are left to read. Behind the end, everything reads as zeros. */
struct part {
    const unsigned char *at, *end;
    bool ended;
};

struct sizes {
    const char *name;
    uint64_t *items;
    size_t count, max;
};

static struct part part_of(const void *image, size_t bytes, uint64_t offset, uint64_t length)
{
    const unsigned char *begin = image;
    if (offset > bytes || length > bytes - offset)
        return (struct part){.ended = true};
    return (struct part){begin + offset, begin + offset + length, false};
}

static void take(struct part *p, void *to, size_t bytes)
{
    memset(to, 0, bytes);
    p->ended |= (size_t)(p->end - p->at) < bytes;
    if (p->ended)
        return;
    memcpy(to, p->at, bytes);
    p->at += bytes;
}

static uint8_t take_byte(struct part *p)
{
    uint8_t value;
    take(p, &value, sizeof value);
    return value;
}

static uint32_t take_word(struct part *p)
{
    uint32_t value;
    take(p, &value, sizeof value);
    return value;
}

static uint64_t take_uleb(struct part *p)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const uint8_t byte = take_byte(p);
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            break;
    }
    return value;
}

/* "" ends a list, and so does the end of the part. */
static const char *take_text(struct part *p)
{
    const unsigned char *zero = p->ended || p->at == p->end ? NULL : memchr(p->at, 0, (size_t)(p->end - p->at));
    const char *text = (const char *)p->at;
    p->ended |= !zero;
    if (!zero)
        return "";
    p->at = zero + 1;
    return text;
}

/* The files of one unit: DWARF 2 to 4, which list them alike. */
static void add_unit(struct part unit, struct sizes *out)
{
    uint16_t version;
    take(&unit, &version, sizeof version);
    if (version < 2 || version > 4)
        return;
    take_word(&unit);                         /* length of this head */
    for (int i = version < 4 ? 4 : 5; i; i--) /* instructions, statements and lines */
        take_byte(&unit);
    for (int opcodes = take_byte(&unit); opcodes > 1; opcodes--)
        take_byte(&unit);
    while (*take_text(&unit))
        continue;
    for (const char *file = take_text(&unit); *file; file = take_text(&unit)) {
        take_uleb(&unit); /* its folder */
        take_uleb(&unit); /* when it was changed */
        const uint64_t size = take_uleb(&unit);
        if (size && !unit.ended && out->count < out->max && !strcmp(files_name(file), out->name))
            out->items[out->count++] = size;
    }
}

static void add_units(struct part table, struct sizes *out)
{
    while (!table.ended && table.at < table.end) {
        const uint32_t length = take_word(&table);
        if (!length || length > (size_t)(table.end - table.at))
            return;
        add_unit((struct part){table.at, table.at + length, false}, out);
        table.at += length;
    }
}

static bool read_section(const void *image, size_t bytes, const Elf64_Ehdr *head, size_t index, Elf64_Shdr *out)
{
    const uint64_t at = (uint64_t)index * sizeof *out;
    if (head->e_shoff > bytes || index >= head->e_shnum)
        return false;
    struct part p = part_of(image, bytes, head->e_shoff + at, sizeof *out);
    take(&p, out, sizeof *out);
    return !p.ended;
}

static bool is_line_table(const void *image, size_t bytes, const Elf64_Shdr *names, const Elf64_Shdr *section)
{
    if (section->sh_name > names->sh_size)
        return false;
    struct part all = part_of(image, bytes, names->sh_offset, names->sh_size);
    if (all.ended)
        return false;
    all.at += section->sh_name;
    return !strcmp(take_text(&all), ".debug_line");
}

size_t line_table_sizes(const void *image, size_t bytes, const char *name, uint64_t *out, size_t max)
{
    struct sizes sizes = {name, out, 0, max};
    struct part file = part_of(image, bytes, 0, bytes);
    Elf64_Ehdr head;
    Elf64_Shdr names, section;
    take(&file, &head, sizeof head);
    if (file.ended || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
        head.e_shentsize != sizeof section || !read_section(image, bytes, &head, head.e_shstrndx, &names))
        return 0;
    for (size_t i = 0; i < head.e_shnum && read_section(image, bytes, &head, i, &section); i++)
        if (section.sh_type != SHT_NOBITS && is_line_table(image, bytes, &names, &section))
            add_units(part_of(image, bytes, section.sh_offset, section.sh_size), &sizes);
    return sizes.count;
}
