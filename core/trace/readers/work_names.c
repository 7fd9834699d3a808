/* What do the names that other tools give GPU work and CUDA calls mean? */
#define _GNU_SOURCE
#include "core/trace/readers/work_names.h"

#include <stddef.h>
#include <string.h>

#include "core/base/count_of.h"

static const struct {
    const char *word;
    enum cpprof_copy_kind kind;
} copy_directions[] = {
    {"HtoD", CPPROF_COPY_H2D},
    {"Host-to-Device", CPPROF_COPY_H2D},
    {"H2D", CPPROF_COPY_H2D},
    {"DtoH", CPPROF_COPY_D2H},
    {"Device-to-Host", CPPROF_COPY_D2H},
    {"D2H", CPPROF_COPY_D2H},
    {"DtoD", CPPROF_COPY_D2D},
    {"Device-to-Device", CPPROF_COPY_D2D},
    {"D2D", CPPROF_COPY_D2D},
    {"PtoP", CPPROF_COPY_P2P},
    {"Peer-to-Peer", CPPROF_COPY_P2P},
    {"P2P", CPPROF_COPY_P2P},
    {"HtoH", CPPROF_COPY_H2H},
    {"Host-to-Host", CPPROF_COPY_H2H},
    {"H2H", CPPROF_COPY_H2H},
    {"HtoA", CPPROF_COPY_H2D},
    {"Host-to-Array", CPPROF_COPY_H2D},
    {"AtoH", CPPROF_COPY_D2H},
    {"Array-to-Host", CPPROF_COPY_D2H},
    {"AtoA", CPPROF_COPY_D2D},
    {"Array-to-Array", CPPROF_COPY_D2D},
    {"AtoD", CPPROF_COPY_D2D},
    {"Array-to-Device", CPPROF_COPY_D2D},
    {"DtoA", CPPROF_COPY_D2D},
    {"Device-to-Array", CPPROF_COPY_D2D},
};

static const struct {
    const char *part;
    enum cpprof_api_kind kind;
} api_parts[] = {
    /* the first part that the name holds decides */
    {"LaunchHostFunc", CPPROF_API_OTHER}, /* runs on the host */
    {"Node", CPPROF_API_OTHER},           /* describes a part of a graph; cudaGraphLaunch starts it */
    {"Launch", CPPROF_API_LAUNCH},        {"Memcpy", CPPROF_API_COPY},
    {"Memset", CPPROF_API_COPY},          {"Synchronize", CPPROF_API_SYNC},
    {"MemoryCopy", CPPROF_API_COPY},      {"MemoryFill", CPPROF_API_COPY}, /* of Level Zero, as the next ones */
    {"USMFill", CPPROF_API_COPY},         {"QueueFinish", CPPROF_API_SYNC},
    {"EventWait", CPPROF_API_SYNC},
};

static const char *const sync_names[] = {
    [CPPROF_SYNC_UNKNOWN] = "Unknown Sync",           [CPPROF_SYNC_EVENT] = "Event Sync",
    [CPPROF_SYNC_STREAM_EVENT] = "Stream Wait Event", [CPPROF_SYNC_STREAM] = "Stream Sync",
    [CPPROF_SYNC_CONTEXT] = "Context Sync",
};

uint16_t work_kind_of_name(const char *name)
{
    if (strncmp(name, "[CUDA ", 6))
        return CPPROF_EVENT_KERNEL;
    if (strstr(name, "memset") || strstr(name, "Memset"))
        return CPPROF_EVENT_MEMSET;
    if (!strstr(name, "memcpy"))
        return 0;
    return strstr(name, "Unified") ? CPPROF_EVENT_MIGRATION : CPPROF_EVENT_COPY;
}

enum cpprof_copy_kind work_copy_direction(const char *name)
{
    for (const char *word = name + strspn(name, " []()"); *word;) {
        size_t length = strcspn(word, " []()");
        for (size_t i = 0; i < COUNT_OF(copy_directions); i++)
            if (strlen(copy_directions[i].word) == length && !memcmp(word, copy_directions[i].word, length))
                return copy_directions[i].kind;
        word += length;
        word += strspn(word, " []()");
    }
    return CPPROF_COPY_UNKNOWN;
}

enum cpprof_api_kind work_api_kind(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(api_parts); i++)
        if (strstr(name, api_parts[i].part))
            return api_parts[i].kind;
    return CPPROF_API_OTHER;
}

const char *const work_idle_calls[] = {
    "cudaLaunchHostFunc",
    "cuLaunchHostFunc",
    "cudaGraphAddMemcpyNode",
    "cuGraphAddMemcpyNode",
    "cudaGraphAddMemsetNode",
    "cuGraphAddMemsetNode",
    "cudaGraphMemcpyNodeSetParams",
    "cudaGraphMemsetNodeSetParams",
    NULL,
};

/* Is what ends here repeated or left out, or a group around it? */
static bool may_be_left_out(const char *behind)
{
    static const char *const groups[] = {")?", ")*", "){"};
    for (size_t i = 0; i < COUNT_OF(groups); i++)
        if (strstr(behind, groups[i]))
            return true;
    return *behind && strchr("?*{", *behind);
}

bool work_is_required(const char *pattern, bool is_regex)
{
    if (strpbrk(pattern, "[\\"))
        return false;
    for (const char *part = pattern;; part++) {
        const char *end = part + strcspn(part, "|");
        bool is_required = false;
        for (size_t i = 0; i < COUNT_OF(api_parts); i++) {
            const char *word = api_parts[i].kind == CPPROF_API_OTHER ? NULL : strstr(part, api_parts[i].part);
            if (word && word < end)
                is_required |= !is_regex || !may_be_left_out(word + strlen(api_parts[i].part));
        }
        if (!is_required || !*end)
            return is_required;
        part = end;
    }
}

const char *work_sync_name(uint32_t kind)
{
    return sync_names[kind < COUNT_OF(sync_names) ? kind : CPPROF_SYNC_UNKNOWN];
}

enum cpprof_sync_kind work_sync_kind(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(sync_names); i++)
        if (!strcmp(sync_names[i], name))
            return (enum cpprof_sync_kind)i;
    return CPPROF_SYNC_UNKNOWN;
}

/* "cuLaunchKernel" is the driver's, "cudaLaunchKernel" the runtime's. */
bool work_is_driver_call(const char *name)
{
    return !strncmp(name, "cu", 2) && strncmp(name, "cuda", 4) != 0;
}
