/* Which instruction is this, and from which source line was it compiled? */
#include "collector/runner/cubin_lines.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "collector/runner/line_table.h"
#include "collector/runner/module_watch.h"
#include "collector/runner/sass_text.h"
#include "core/base/array.h"

struct cubin {
    void *image;
    size_t bytes;
    uint64_t crc;
    bool is_read; /* reading `text` was tried */
    struct sass_text text;
};

/* CUPTI's callback runs on the thread that loads the module. */
static struct {
    pthread_mutex_t lock;
    const struct cupti_api *api;
    struct cubin *items;
    size_t count, capacity;
} seen = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void keep(const void *image, size_t bytes)
{
    CUpti_GetCubinCrcParams crc = {.size = CUpti_GetCubinCrcParamsSize, .cubinSize = bytes, .cubin = image};
    if (!bytes || seen.api->cuptiGetCubinCrc(&crc))
        return;
    void *copy = malloc(bytes);
    pthread_mutex_lock(&seen.lock);
    struct cubin *slot = copy ? ARRAY_PUSH(&seen) : NULL;
    if (slot) {
        memcpy(copy, image, bytes);
        *slot = (struct cubin){.image = copy, .bytes = bytes, .crc = crc.cubinCrc};
        sass_text_init(&slot->text);
    }
    pthread_mutex_unlock(&seen.lock);
    if (!slot)
        free(copy);
}

int cubin_lines_start(const struct cupti_api *api, struct err *e)
{
    seen.api = api;
    return module_watch_start(api, keep, e);
}

void cubin_lines_clear(void)
{
    for (size_t i = 0; i < seen.count; i++) {
        free(seen.items[i].image);
        sass_text_release(&seen.items[i].text);
    }
    free(seen.items);
    seen.items = NULL;
    seen.count = seen.capacity = 0;
}

static struct cubin *find(uint64_t crc)
{
    for (size_t i = 0; i < seen.count; i++)
        if (seen.items[i].crc == crc)
            return &seen.items[i];
    return NULL;
}

void cubin_source_init(struct cubin_source *s)
{
    str_init(&s->folder);
    str_init(&s->name);
    s->line = 0;
}

void cubin_source_release(struct cubin_source *s)
{
    str_release(&s->folder);
    str_release(&s->name);
}

bool cubin_lines_source(uint64_t cubin_crc, const char *symbol, uint64_t offset, struct cubin_source *out)
{
    const struct cubin *cubin = find(cubin_crc);
    if (!cubin)
        return false;
    CUpti_GetSassToSourceCorrelationParams ask = {.size = CUpti_GetSassToSourceCorrelationParamsSize};
    ask.cubin = cubin->image;
    ask.cubinSize = cubin->bytes;
    ask.functionName = symbol;
    ask.pcOffset = offset;
    const bool found = !seen.api->cuptiGetSassToSourceCorrelation(&ask) && ask.fileName && ask.lineNumber;
    if (found) {
        str_add(&out->folder, ask.dirName ? ask.dirName : "");
        str_add(&out->name, ask.fileName);
        out->line = ask.lineNumber;
    }
    free(ask.fileName);
    free(ask.dirName);
    return found;
}

size_t cubin_lines_sizes(uint64_t cubin_crc, const char *name, uint64_t *out, size_t max)
{
    const struct cubin *cubin = find(cubin_crc);
    return cubin ? line_table_sizes(cubin->image, cubin->bytes, name, out, max) : 0;
}

const char *cubin_lines_instruction(uint64_t cubin_crc, const char *symbol, uint64_t offset, struct err *e)
{
    struct cubin *cubin = find(cubin_crc);
    if (!cubin)
        return "";
    if (!cubin->is_read) {
        cubin->is_read = true;
        sass_text_read(&cubin->text, cubin->image, cubin->bytes, e);
    }
    return sass_text_find(&cubin->text, symbol, offset);
}
