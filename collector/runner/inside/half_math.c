/* Which kernels do half-precision math on data? */
#define _GNU_SOURCE
#include "collector/runner/inside/half_math.h"

#include <elf.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "collector/runner/module_watch.h"
#include "collector/runner/runner.h"
#include "core/base/array.h"

/* An instruction has 16 bytes: the opcode is in bits 0 to 11 (its form in 9 to 11), registers in 24 to 31 (Ra), 32 to
 * 39 (Rb) and 64 to 71 (Rc). Seen in code that ptxas 13.0 made for 8.0 to 12.0. */
enum { INSTRUCTION_BYTES = 16, HFMA2 = 0x31, HFMA2_MMA = 0x35, FORM_REGISTERS = 1, RZ = 255, SM_WITHOUT_MMA = 100 };

static bool is_on_data(uint64_t low, uint64_t high, unsigned sm)
{
    const unsigned operation = low & 0x1ff, form = (low >> 9) & 7;
    if (operation != HFMA2 && (operation != HFMA2_MMA || sm >= SM_WITHOUT_MMA))
        return false;
    const unsigned a = (low >> 24) & 0xff, b = (low >> 32) & 0xff, c = high & 0xff;
    return a != RZ || c != RZ || (form == FORM_REGISTERS ? b != RZ : form != 2 && form != 4);
}

size_t half_math_count(const unsigned char *code, size_t bytes, unsigned sm)
{
    size_t count = 0;
    for (size_t at = 0; at + INSTRUCTION_BYTES <= bytes; at += INSTRUCTION_BYTES) {
        uint64_t words[2];
        memcpy(words, code + at, sizeof words);
        count += is_on_data(words[0], words[1], sm);
    }
    return count;
}

/* ---- the code that was loaded ---- */

struct half_kernel {
    char *symbol;
    size_t on_data;
};

/* CUPTI's callback runs on the thread that loads the module. */
static struct {
    pthread_mutex_t lock;
    struct half_kernel *items;
    size_t count, capacity;
} seen = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void add_kernel(const char *symbol, size_t on_data)
{
    pthread_mutex_lock(&seen.lock);
    struct half_kernel *slot = ARRAY_PUSH(&seen);
    if (slot)
        *slot = (struct half_kernel){strdup(symbol), on_data};
    pthread_mutex_unlock(&seen.lock);
}

static bool fits(uint64_t offset, uint64_t size, size_t bytes)
{
    return offset <= bytes && size <= bytes - offset;
}

static bool read_header(Elf64_Ehdr *header, Elf64_Shdr *names, const unsigned char *base, size_t bytes)
{
    if (bytes < sizeof *header)
        return false;
    memcpy(header, base, sizeof *header);
    if (memcmp(header->e_ident, ELFMAG, SELFMAG) || header->e_ident[EI_CLASS] != ELFCLASS64 ||
        header->e_shentsize != sizeof(Elf64_Shdr) ||
        !fits(header->e_shoff, (uint64_t)header->e_shnum * sizeof(Elf64_Shdr), bytes) ||
        header->e_shstrndx >= header->e_shnum)
        return false;
    memcpy(names, base + header->e_shoff + header->e_shstrndx * sizeof *names, sizeof *names);
    return fits(names->sh_offset, names->sh_size, bytes);
}

/* Images of CUDA 13 (ABI 8) have the compute capability one byte higher. */
static unsigned capability_of(const Elf64_Ehdr *header)
{
    return header->e_ident[EI_ABIVERSION] >= 8 ? (header->e_flags >> 8) & 0xff : header->e_flags & 0xff;
}

void half_math_add_cubin(const void *image, size_t bytes)
{
    static const char prefix[] = ".text.";
    const unsigned char *base = image;
    Elf64_Ehdr header;
    Elf64_Shdr names;
    if (!read_header(&header, &names, base, bytes))
        return;
    for (unsigned i = 0; i < header.e_shnum; i++) {
        Elf64_Shdr section;
        memcpy(&section, base + header.e_shoff + i * sizeof section, sizeof section);
        if (section.sh_type != SHT_PROGBITS || section.sh_name >= names.sh_size ||
            !fits(section.sh_offset, section.sh_size, bytes))
            continue;
        const char *name = (const char *)base + names.sh_offset + section.sh_name;
        const size_t room = names.sh_size - section.sh_name;
        if (strnlen(name, room) < room && !strncmp(name, prefix, sizeof prefix - 1))
            add_kernel(name + sizeof prefix - 1,
                       half_math_count(base + section.sh_offset, section.sh_size, capability_of(&header)));
    }
}

void half_math_start(void)
{
    static struct cupti_api api;
    if (!cupti_api_load(&api, NULL))
        module_watch_start(&api, half_math_add_cubin, NULL);
}

/* ---- the report ---- */

int half_math_load(struct runner *r, const struct run_case *c, struct err *e)
{
    struct arm arm;
    int rc = arm_setup(r, &arm, c, runner_seed(r, 0), e);
    if (rc)
        return rc;
    rc = arm_launch(r, &arm, e);
    if (!rc)
        rc = arm_synchronize(r, &arm, e);
    arm_teardown(&arm);
    return rc;
}

/* Builds have kernels of the same name: one of them on data is enough. */
void half_math_report(json_t *report)
{
    json_t *kernels = json_object();
    pthread_mutex_lock(&seen.lock);
    for (size_t i = 0; i < seen.count; i++) {
        const struct half_kernel *k = &seen.items[i];
        if (k->symbol)
            json_object_set_new(kernels, k->symbol,
                                json_integer(json_get_integer(kernels, k->symbol, 0) + (json_int_t)k->on_data));
    }
    pthread_mutex_unlock(&seen.lock);
    json_object_set_new(report, "half_math", kernels);
}
