/* Which text does a string id of an nsys export stand for?
 *
 * An export has many more strings than the events that we read use, so each is looked up when it is first needed. */
#include "core/trace/readers/nsys_strings.h"

#include <stdlib.h>

#include "core/base/hash.h"

enum { SLOTS_FIRST = 1024 };

struct nsys_strings {
    struct sqlite_rows *rows;
    struct strtab *strings;
    struct slot {
        int64_t id;
        uint32_t text;
        uint32_t used;
    } * slots; /* open addressing, at most half full */
    size_t slot_count, used;
};

int nsys_strings_new(struct nsys_strings **out, struct sqlite_file *file, struct strtab *strings, struct err *e)
{
    static const char *const columns[] = {"value"};
    struct nsys_strings *s = calloc(1, sizeof *s);
    *out = NULL;
    if (!s)
        return err_memory(e);
    s->strings = strings;
    s->slot_count = SLOTS_FIRST;
    s->slots = calloc(s->slot_count, sizeof *s->slots);
    int rc = s->slots ? sqlite_rows_open_by(&s->rows, file, "StringIds", "id", columns, 1, e) : err_memory(e);
    if (rc)
        nsys_strings_free(s);
    else
        *out = s;
    return rc;
}

void nsys_strings_free(struct nsys_strings *s)
{
    if (!s)
        return;
    sqlite_rows_close(s->rows);
    free(s->slots);
    free(s);
}

static struct slot *slot_of(struct slot *slots, size_t count, int64_t id)
{
    size_t at = (size_t)hash_mix((uint64_t)id) & (count - 1);
    while (slots[at].used && slots[at].id != id)
        at = (at + 1) & (count - 1);
    return &slots[at];
}

static int grow(struct nsys_strings *s, struct err *e)
{
    size_t count = s->slot_count * 2;
    struct slot *slots = calloc(count, sizeof *slots);
    if (!slots)
        return err_memory(e);
    for (size_t i = 0; i < s->slot_count; i++)
        if (s->slots[i].used)
            *slot_of(slots, count, s->slots[i].id) = s->slots[i];
    free(s->slots);
    s->slots = slots;
    s->slot_count = count;
    return 0;
}

static int look_up(struct nsys_strings *s, int64_t id, uint32_t *out, struct err *e)
{
    *out = 0;
    sqlite_rows_seek(s->rows, id);
    int got = sqlite_rows_next(s->rows, e);
    if (got != 1 || sqlite_rows_type(s->rows, 0) != SQLITE_CELL_TEXT)
        return got < 0 ? got : 0;
    size_t length;
    const char *text = sqlite_rows_text(s->rows, 0, &length);
    *out = strtab_add_bytes(s->strings, text, length);
    return *out ? 0 : err_memory(e);
}

int nsys_strings_find(struct nsys_strings *s, int64_t id, uint32_t *out, struct err *e)
{
    struct slot *slot = slot_of(s->slots, s->slot_count, id);
    *out = slot->text;
    if (slot->used)
        return 0;
    int rc = look_up(s, id, out, e);
    if (rc)
        return rc;
    *slot = (struct slot){id, *out, 1};
    return ++s->used * 2 > s->slot_count ? grow(s, e) : 0;
}
