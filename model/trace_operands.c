/* Which traces do the operands of a command line name, and whose are they? */
#define _GNU_SOURCE
#include "model/trace_operands.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/files.h"
#include "base/str.h"
#include "model/bundle.h"

static int add(struct trace_operand_list *list, const char *path, bool listed, struct err *e)
{
    if (list->count == TRACE_OPERANDS_MAX)
        return err_set(e, ERR_INPUT, "more than %d traces; '%s' is one too many", TRACE_OPERANDS_MAX, path);
    struct trace_operand *slot = ARRAY_PUSH(list);
    if (!slot || !(slot->path = strdup(path))) {
        list->count -= slot != NULL;
        return err_memory(e);
    }
    slot->listed = listed;
    return 0;
}

/* Names that hold digits ascend by number: rank2 before rank10. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strverscmp((*a)->d_name, (*b)->d_name);
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* A folder may come from a stranger: a pipe in it would block the reader. */
static bool may_be_trace(const char *path)
{
    struct stat info;
    if (stat(path, &info))
        return false;
    return S_ISREG(info.st_mode) || (S_ISDIR(info.st_mode) && bundle_is(path));
}

static int add_folder(struct trace_operand_list *list, const char *folder, struct err *e)
{
    struct dirent **names = NULL;
    int count = scandir(folder, &names, is_visible, by_name);
    if (count < 0)
        return err_set(e, ERR_INPUT, "cannot list '%s': %s", folder, strerror(errno));
    const size_t before = list->count;
    struct str path;
    str_init(&path);
    int rc = 0;
    for (int i = 0; i < count; i++) {
        files_join(&path, folder, names[i]->d_name);
        if (!rc && path.failed)
            rc = err_memory(e);
        if (!rc && may_be_trace(path.text))
            rc = add(list, path.text, true, e);
        free(names[i]);
    }
    if (!rc && list->count == before)
        rc = err_set(e, ERR_INPUT, "'%s' is a directory, but no bundle, and holds no file", folder);
    str_release(&path);
    free(names);
    return rc;
}

int trace_operands_add(struct trace_operand_list *list, const char *path, struct err *e)
{
    if (strcmp(path, "-") && files_is_directory(path) && !bundle_is(path))
        return add_folder(list, path, e);
    return add(list, path, false, e);
}

void trace_operands_release(struct trace_operand_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i].path);
    free(list->items);
    *list = (struct trace_operand_list){0};
}

/* The number at `digits`, or -1; *end is behind it. */
static int read_rank(const char *digits, const char *limit, const char **end)
{
    int rank = 0;
    const char *at = digits;
    for (; at < limit && isdigit((unsigned char)*at) && rank <= TRACE_RANK_MAX; at++)
        rank = 10 * rank + (*at - '0');
    *end = at;
    return at == digits || rank > TRACE_RANK_MAX ? -1 : rank;
}

/* "rank" that is a word of its own, perhaps a separator, digits. */
static int rank_after_word(const char *part, const char *limit)
{
    const char *end;
    for (const char *at = part; limit - at > 4; at++) {
        if (strncasecmp(at, "rank", 4) || (at > part && isalpha((unsigned char)at[-1])))
            continue;
        const char *digits = at + 4;
        digits += *digits == '_' || *digits == '-' || *digits == '=' || *digits == '.';
        int rank = read_rank(digits, limit, &end);
        if (rank >= 0)
            return rank;
    }
    return -1;
}

static int rank_between_dots(const char *part, const char *limit)
{
    const char *end;
    for (const char *dot = part; (dot = memchr(dot, '.', (size_t)(limit - dot))); dot++) {
        int rank = read_rank(dot + 1, limit, &end);
        if (rank >= 0 && end < limit && *end == '.')
            return rank;
    }
    return -1;
}

int trace_rank_of_path(const char *path)
{
    const char *limit = path + strlen(path);
    while (limit > path + 1 && limit[-1] == '/')
        limit--;
    const char *part = limit;
    while (part > path && part[-1] != '/')
        part--;
    int rank = rank_after_word(part, limit);
    if (rank < 0 && part > path) {
        const char *folder_end = part - 1, *folder = folder_end;
        while (folder > path && folder[-1] != '/')
            folder--;
        rank = rank_after_word(folder, folder_end);
    }
    return rank < 0 ? rank_between_dots(part, limit) : rank;
}
