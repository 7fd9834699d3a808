/* Which kernels of a cubin can launch work from the GPU? A graph of its symbols says which code can reach which. */
#define _GNU_SOURCE
#include "collector/inject/launching_code.h"

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"

enum {
    SYMBOLS_MAX = 1 << 22,
    EDGES_MAX = 1 << 24,
    PROTOTYPES = 1 << 16, /* each is a node behind the symbols */
    KERNEL = 0x10,        /* in st_other */
    DATA_OF_CUDA = 13,    /* a type of symbols besides STT_OBJECT */
    CALLGRAPH = 0x70000001
};

/* A group of .nv.callgraph begins with a pair whose second half is one of these; pairs of symbols follow, or of a
 * symbol and a prototype. */
enum callgraph_group { CALLS = -1, IS_OF_PROTOTYPE = -2, CALLS_PROTOTYPE = -3, TAKES_ADDRESS = -4 };

struct edge {
    uint32_t from, to;
};

struct code {
    const unsigned char *bytes;
    size_t size;
    Elf64_Ehdr header;
    Elf64_Shdr symbols, names;
    uint32_t count;   /* of symbols */
    uint32_t *placed; /* symbols of code and data, by section and offset */
    uint32_t placed_count;
    struct {
        struct edge *items;
        size_t count, capacity;
    } edges;
    bool *reaches; /* by node */
    bool is_cut;   /* memory or the limit ended the edges */
};

static bool is_inside(const struct code *c, uint64_t offset, uint64_t size)
{
    return offset <= c->size && size <= c->size - offset;
}

static Elf64_Shdr section(const struct code *c, uint32_t i)
{
    Elf64_Shdr s = {0};
    if (i < c->header.e_shnum)
        memcpy(&s, c->bytes + c->header.e_shoff + i * sizeof s, sizeof s);
    if (s.sh_type == SHT_NOBITS || !is_inside(c, s.sh_offset, s.sh_size))
        s.sh_size = 0;
    return s;
}

static Elf64_Sym symbol(const struct code *c, uint32_t i)
{
    Elf64_Sym s = {0};
    if (i < c->count)
        memcpy(&s, c->bytes + c->symbols.sh_offset + i * sizeof s, sizeof s);
    return s;
}

/* "" when it has no name that ends inside its table. */
static const char *name_of(const struct code *c, const Elf64_Sym *s)
{
    const char *names = (const char *)c->bytes + c->names.sh_offset;
    return s->st_name < c->names.sh_size && memchr(names + s->st_name, '\0', c->names.sh_size - s->st_name)
               ? names + s->st_name
               : "";
}

/* The device runtime of CUDA 12 and later, of earlier ones, their calls of the driver, and graphs. */
static bool is_entry(const char *name)
{
    static const char *const beginnings[] = {"__cudaCDP2LaunchDevice",
                                             "cudaLaunchDevice",
                                             "__cudaLaunchDevice",
                                             "__cuda_syscall_cnpv2LaunchDevice",
                                             "__cuda_syscall_cnpLaunchDevice",
                                             "__cuda_syscall_cnprtLaunchDevice",
                                             "__cudaCDP2GraphLaunch"};
    for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++)
        if (!strncmp(name, beginnings[i], strlen(beginnings[i])))
            return true;
    return !strcmp(name, "cudaGraphLaunch");
}

/* Most cubins have no entry, and libraries have many cubins. */
static bool may_have_entry(const struct code *c)
{
    static const char *const parts[] = {"LaunchDevice", "GraphLaunch"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (memmem(c->bytes + c->names.sh_offset, c->names.sh_size, parts[i], strlen(parts[i])))
            return true;
    return false;
}

static bool has_sections(struct code *c)
{
    if (c->size < sizeof c->header)
        return false;
    memcpy(&c->header, c->bytes, sizeof c->header);
    return !memcmp(c->header.e_ident, ELFMAG, SELFMAG) && c->header.e_ident[EI_CLASS] == ELFCLASS64 &&
           c->header.e_shentsize == sizeof(Elf64_Shdr) &&
           is_inside(c, c->header.e_shoff, (uint64_t)c->header.e_shnum * sizeof(Elf64_Shdr));
}

static Elf64_Shdr symbol_table(struct code *c)
{
    Elf64_Shdr s = {0};
    if (!has_sections(c))
        return s;
    for (uint32_t i = 0; i < c->header.e_shnum && s.sh_type != SHT_SYMTAB; i++)
        s = section(c, i);
    return s.sh_type == SHT_SYMTAB ? s : (Elf64_Shdr){0};
}

static int open_code(struct code *c, struct err *e)
{
    c->symbols = symbol_table(c);
    if (!c->symbols.sh_size)
        return err_set(e, ERR_INPUT, "%zu bytes are no cubin with symbols", c->size);
    if (c->symbols.sh_size / sizeof(Elf64_Sym) > SYMBOLS_MAX)
        return err_set(e, ERR_INPUT, "a cubin has more than %d symbols", SYMBOLS_MAX);
    c->count = (uint32_t)(c->symbols.sh_size / sizeof(Elf64_Sym));
    c->names = section(c, c->symbols.sh_link);
    if (!c->names.sh_size)
        return err_set(e, ERR_INPUT, "the symbols of a cubin have no names");
    return 0;
}

static void add_edge(struct code *c, uint32_t from, uint32_t to)
{
    struct edge *e = c->edges.count < EDGES_MAX ? ARRAY_PUSH(&c->edges) : NULL;
    if (e)
        *e = (struct edge){from, to};
    else
        c->is_cut = true;
}

/* ---- where code and data are ---- */

static int compare_places(const void *a, const void *b, void *code)
{
    const Elf64_Sym one = symbol(code, *(const uint32_t *)a), other = symbol(code, *(const uint32_t *)b);
    if (one.st_shndx != other.st_shndx)
        return one.st_shndx < other.st_shndx ? -1 : 1;
    return (one.st_value > other.st_value) - (one.st_value < other.st_value);
}

static bool is_placed(const Elf64_Sym *s)
{
    const unsigned type = ELF64_ST_TYPE(s->st_info);
    return s->st_shndx && s->st_size && (type == STT_FUNC || type == STT_OBJECT || type == DATA_OF_CUDA);
}

static int place_symbols(struct code *c)
{
    c->placed = malloc(((size_t)c->count + 1) * sizeof *c->placed);
    if (!c->placed)
        return -1;
    for (uint32_t i = 0; i < c->count; i++) {
        const Elf64_Sym s = symbol(c, i);
        if (is_placed(&s))
            c->placed[c->placed_count++] = i;
    }
    qsort_r(c->placed, c->placed_count, sizeof *c->placed, compare_places, c);
    return 0;
}

/* Returns the symbol that covers the offset of a section; 0, which is no symbol, when none does. */
static uint32_t symbol_at(const struct code *c, uint32_t in, uint64_t offset)
{
    uint32_t low = 0, high = c->placed_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const Elf64_Sym s = symbol(c, c->placed[middle]);
        if (s.st_shndx < in || (s.st_shndx == in && s.st_value <= offset))
            low = middle + 1;
        else
            high = middle;
    }
    const Elf64_Sym s = symbol(c, low ? c->placed[low - 1] : 0);
    return low && s.st_shndx == in && offset - s.st_value < s.st_size ? c->placed[low - 1] : 0;
}

/* ---- who refers to whom ---- */

/* A symbol of a section stands for what is at that place. */
static uint32_t target_of(const struct code *c, uint32_t to, int64_t addend)
{
    const Elf64_Sym s = symbol(c, to);
    return ELF64_ST_TYPE(s.st_info) == STT_SECTION ? symbol_at(c, s.st_shndx, (uint64_t)addend) : to;
}

static void add_relocations(struct code *c, const Elf64_Shdr *s)
{
    const size_t bytes = s->sh_type == SHT_RELA ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
    for (size_t i = 0; i < s->sh_size / bytes; i++) {
        Elf64_Rela r = {0};
        memcpy(&r, c->bytes + s->sh_offset + i * bytes, bytes);
        const uint32_t from = symbol_at(c, s->sh_info, r.r_offset);
        const uint32_t to = target_of(c, (uint32_t)ELF64_R_SYM(r.r_info), r.r_addend);
        if (from && to && to < c->count && from != to)
            add_edge(c, from, to);
    }
}

static void add_pair(struct code *c, int group, uint32_t from, uint32_t to)
{
    if (from >= c->count)
        return;
    if ((group == CALLS || group == TAKES_ADDRESS) && to < c->count)
        add_edge(c, from, to);
    else if (group == CALLS_PROTOTYPE && to < PROTOTYPES)
        add_edge(c, from, c->count + to);
    else if (group == IS_OF_PROTOTYPE && to < PROTOTYPES)
        add_edge(c, c->count + to, from);
}

static void add_callgraph(struct code *c, const Elf64_Shdr *s)
{
    int group = 0;
    for (size_t i = 0; i < s->sh_size / 8; i++) {
        int32_t pair[2];
        memcpy(pair, c->bytes + s->sh_offset + i * sizeof pair, sizeof pair);
        if (pair[1] < 0)
            group = pair[1];
        else
            add_pair(c, group, (uint32_t)pair[0], (uint32_t)pair[1]);
    }
}

static void add_edges(struct code *c)
{
    for (uint32_t i = 0; i < c->header.e_shnum; i++) {
        const Elf64_Shdr s = section(c, i);
        if (s.sh_type == SHT_RELA || s.sh_type == SHT_REL)
            add_relocations(c, &s);
        else if (s.sh_type == CALLGRAPH)
            add_callgraph(c, &s);
    }
}

/* ---- who reaches an entry ---- */

static bool mark_entries(struct code *c)
{
    bool has_entry = false;
    for (uint32_t i = 1; i < c->count; i++) {
        const Elf64_Sym s = symbol(c, i);
        c->reaches[i] = is_entry(name_of(c, &s));
        has_entry |= c->reaches[i];
    }
    return has_entry;
}

/* As many rounds as the longest chain of calls, and one more. */
static void spread(struct code *c)
{
    for (bool is_new = true; is_new;) {
        is_new = false;
        for (size_t i = 0; i < c->edges.count; i++) {
            const struct edge *e = &c->edges.items[i];
            if (c->reaches[e->to] && !c->reaches[e->from])
                is_new = c->reaches[e->from] = true;
        }
    }
}

static void tell_kernels(const struct code *c, void (*found)(void *context, const char *kernel), void *context)
{
    for (uint32_t i = 1; i < c->count; i++) {
        const Elf64_Sym s = symbol(c, i);
        if (c->reaches[i] && ELF64_ST_TYPE(s.st_info) == STT_FUNC && (s.st_other & KERNEL))
            found(context, name_of(c, &s));
    }
}

int launching_code_find(const void *cubin, size_t bytes, void (*found)(void *context, const char *kernel),
                        void *context, struct err *e)
{
    struct code c = {.bytes = cubin, .size = cubin ? bytes : 0};
    int rc = open_code(&c, e);
    if (rc || !may_have_entry(&c))
        return rc;
    c.reaches = calloc((size_t)c.count + PROTOTYPES, sizeof *c.reaches);
    if (!c.reaches || place_symbols(&c))
        rc = err_memory(e);
    else if (mark_entries(&c)) {
        add_edges(&c);
        spread(&c);
        tell_kernels(&c, found, context);
    }
    if (c.is_cut)
        rc = err_set(e, ERR_INPUT, "memory or the limit of %d calls ended a cubin's", EDGES_MAX);
    free(c.edges.items);
    free(c.placed);
    free(c.reaches);
    return rc;
}
