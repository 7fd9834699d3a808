/* Is the program itself a profiler, according to its executable? */
#define _GNU_SOURCE
#include "collector/inject/guest_stand_aside.h"

#include <link.h>
#include <stdbool.h>
#include <string.h>

static const char *strings_of(const struct dl_phdr_info *info, const ElfW(Dyn) * dynamic)
{
    for (; dynamic->d_tag != DT_NULL; dynamic++)
        if (dynamic->d_tag == DT_STRTAB) { /* this loader stores an address in memory; others leave the offset */
            const ElfW(Addr) at = dynamic->d_un.d_ptr;
            return (const char *)(at < info->dlpi_addr ? at + info->dlpi_addr : at);
        }
    return NULL;
}

/* Looks only at the first object, which is the executable. */
static int look_at_executable(struct dl_phdr_info *info, size_t bytes, void *needs_cupti)
{
    static const char cupti[] = "libcupti.so";
    (void)bytes;
    for (ElfW(Half) i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_DYNAMIC)
            continue;
        const ElfW(Dyn) *dynamic = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
        const char *strings = strings_of(info, dynamic);
        for (; strings && dynamic->d_tag != DT_NULL; dynamic++)
            if (dynamic->d_tag == DT_NEEDED && !strncmp(strings + dynamic->d_un.d_val, cupti, sizeof cupti - 1))
                *(bool *)needs_cupti = true;
    }
    return 1;
}

int guest_stand_aside(struct err *e)
{
    bool needs_cupti = false;
    dl_iterate_phdr(look_at_executable, &needs_cupti);
    return needs_cupti
               ? err_set(e, ERR_ENVIRONMENT,
                         "the program is linked with CUPTI: it may profile itself, and its records would come to "
                         "cpprof instead")
               : 0;
}
