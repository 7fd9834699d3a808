/* How does what one process has measured of a trace reach another one? */
#include "core/trace/parts/part_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 16 << 20 };

int part_write(FILE *to, const void *bytes, size_t count, struct err *e)
{
    if (!count || fwrite(bytes, count, 1, to) == 1)
        return 0;
    return err_set(e, ERR_ENVIRONMENT, "cannot write a temporary file: %s", strerror(errno));
}

int part_write_text(FILE *to, const char *text, size_t length, struct err *e)
{
    const uint32_t bytes = (uint32_t)length;
    int rc = part_write(to, &bytes, sizeof bytes, e);
    return rc ? rc : part_write(to, text, length, e);
}

void part_reader_release(struct part_reader *r)
{
    free(r->ids);
    free(r->ranks);
    *r = (struct part_reader){0};
}

int part_makes_no_sense(struct err *e)
{
    return err_set(e, ERR_INPUT, "what the process that read it wrote makes no sense");
}

int part_read(struct part_reader *r, void *bytes, size_t count, struct err *e)
{
    if (!count || fread(bytes, count, 1, r->from) == 1)
        return 0;
    return err_set(e, ERR_INPUT, "what the process that read it wrote is not whole");
}

int part_read_count(struct part_reader *r, int64_t max, int64_t *count, struct err *e)
{
    *count = 0;
    int rc = part_read(r, count, sizeof *count, e);
    return rc || (*count >= 0 && *count <= max) ? rc : part_makes_no_sense(e);
}

int part_read_text(struct part_reader *r, char **text, size_t *length, struct err *e)
{
    uint32_t bytes = 0;
    *text = NULL;
    int rc = part_read(r, &bytes, sizeof bytes, e);
    if (rc)
        return rc;
    if (bytes > TEXT_MAX)
        return part_makes_no_sense(e);
    *length = bytes;
    *text = malloc((size_t)bytes + 1);
    if (!*text)
        return err_memory(e);
    (*text)[bytes] = '\0';
    return part_read(r, *text, bytes, e);
}

int part_read_end(struct part_reader *r, struct err *e)
{
    return getc(r->from) == EOF ? 0 : part_makes_no_sense(e);
}

int part_flags_are_good(struct err *e, int count, ...)
{
    va_list flags;
    bool good = true;
    va_start(flags, count);
    for (int i = 0; i < count; i++)
        good &= *(const unsigned char *)va_arg(flags, const bool *) <= 1;
    va_end(flags);
    return good ? 0 : part_makes_no_sense(e);
}

uint32_t part_string(const struct part_reader *r, uint32_t id)
{
    return id <= r->strings ? r->ids[id] : 0;
}

int part_rank_of(const struct part_reader *r, int32_t *rank, struct err *e)
{
    for (size_t i = 0; i < r->rank_count; i++)
        if (r->ranks[i].own == *rank) {
            *rank = r->ranks[i].here;
            return 0;
        }
    return part_makes_no_sense(e);
}
