/* Which traces do the operands of a command line name, and which ranks do they have? */
#define _GNU_SOURCE
#include "core/trace/trace_operands.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/array.h"
#include "core/base/files.h"
#include "core/base/str.h"
#include "core/bundle/bundle.h"

int trace_operands_add_trace(struct trace_operand_list *list, const char *path, bool listed, struct err *e)
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

/* Numbers in names are compared by value: rank2 comes before rank10. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strverscmp((*a)->d_name, (*b)->d_name);
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

int trace_operands_omit(struct trace_operand_list *list, enum caveat_kind kind, const char *text, struct err *e)
{
    char *copy = strdup(text);
    struct trace_omission *slot = copy ? ARRAY_PUSH(&list->omissions) : NULL;
    if (!slot) {
        free(copy);
        return err_memory(e);
    }
    *slot = (struct trace_omission){copy, kind};
    return 0;
}

static int omit(struct trace_operand_list *list, enum caveat_kind kind, const char *path, const char *why,
                struct err *e)
{
    struct str text;
    str_init(&text);
    str_addf(&text, "%s: %s", path, why);
    const int rc = text.failed ? err_memory(e) : trace_operands_omit(list, kind, str_text(&text), e);
    str_release(&text);
    return rc;
}

/* The folder that was named, and how deep folders in it are read. */
enum { FOLDER_NAMED, FOLDER_IN_IT, FOLDER_TOO_DEEP };

static int add_folder(struct trace_operand_list *list, const char *folder, int depth, struct err *e);
static int rank_after_word(const char *part, const char *limit);

static bool is_of_a_rank(const char *folder)
{
    const char *name = files_name(folder);
    return rank_after_word(name, name + strlen(name)) >= 0;
}

static bool is_same_folder(const char *a, const char *b)
{
    struct stat one, other;
    return !stat(a, &one) && !stat(b, &other) && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/* nsys leaves its export beside the report, and both are one trace. */
static bool has_export_beside(const char *path)
{
    struct str export;
    str_init(&export);
    const char *dot = strrchr(files_name(path), '.');
    if (!dot || (strcmp(dot, ".nsys-rep") != 0 && strcmp(dot, ".qdrep") != 0))
        return false;
    str_add_bytes(&export, path, (size_t)(dot - path));
    str_add(&export, ".sqlite");
    const bool is_there = !export.failed && files_is_regular(str_text(&export));
    str_release(&export);
    return is_there;
}

/* A folder may come from outside: a pipe in it would block the reader, and a link to the folder itself would repeat
 * it. */
static int add_entry(struct trace_operand_list *list, const char *folder, const char *path, int depth, struct err *e)
{
    struct stat info;
    if (has_export_beside(path))
        return omit(list, CAVEAT_NOTE, path, "its export is read, which is beside it (.sqlite)", e);
    if (stat(path, &info) || S_ISREG(info.st_mode) || (S_ISDIR(info.st_mode) && bundle_is(path)))
        return trace_operands_add_trace(list, path, true, e); /* a failure to open it is reported as for a file */
    if (!S_ISDIR(info.st_mode))
        return omit(list, CAVEAT_NOTE, path, "no file; left out", e);
    return is_same_folder(folder, path) ? 0 : add_folder(list, path, depth + 1, e);
}

static int add_entries(struct trace_operand_list *list, const char *folder, struct dirent **names, int count, int depth,
                       struct err *e)
{
    struct str path;
    str_init(&path);
    int rc = 0;
    for (int i = 0; !rc && i < count; i++) {
        files_join(&path, folder, names[i]->d_name);
        rc = path.failed ? err_memory(e) : add_entry(list, folder, path.text, depth, e);
    }
    str_release(&path);
    return rc;
}

static int add_folder(struct trace_operand_list *list, const char *folder, int depth, struct err *e)
{
    struct dirent **names = NULL;
    int count = scandir(folder, &names, is_visible, by_name), rc = 0;
    if (count < 0 && depth == FOLDER_NAMED)
        return err_set(e, ERR_INPUT, "cannot list '%s': %s", folder, strerror(errno));
    if (count < 0)
        return omit(list, CAVEAT_TRUNCATED, folder, "cannot list this folder: traces in it are not read", e);
    if (depth == FOLDER_TOO_DEEP && count)
        rc = omit(list, CAVEAT_WEAKENS, folder, "a folder this far down is not read; name it, too", e);
    else if (depth == FOLDER_IN_IT && !count && is_of_a_rank(folder))
        rc = omit(list, CAVEAT_TRUNCATED, folder, "nothing is in the folder of this rank: its trace is missing", e);
    else if (depth != FOLDER_TOO_DEEP)
        rc = add_entries(list, folder, names, count, depth, e);
    for (int i = 0; i < count; i++)
        free(names[i]);
    free(names);
    return rc;
}

static int add_named_folder(struct trace_operand_list *list, const char *folder, struct err *e)
{
    const size_t before = list->count;
    int rc = add_folder(list, folder, FOLDER_NAMED, e);
    if (rc || list->count > before)
        return rc;
    if (list->omissions.count)
        return err_set(e, ERR_INPUT, "'%s' is a directory, but no bundle, and holds no trace that can be read: %s",
                       folder, list->omissions.items[list->omissions.count - 1].text);
    return err_set(e, ERR_INPUT, "'%s' is a directory, but no bundle, and holds no file, nor do the folders in it",
                   folder);
}

int trace_operands_add(struct trace_operand_list *list, const char *path, struct err *e)
{
    if (strcmp(path, "-") && files_is_directory(path) && !bundle_is(path))
        return add_named_folder(list, path, e);
    return trace_operands_add_trace(list, path, false, e);
}

int trace_operands_add_all(struct trace_operand_list *list, const char *const *paths, size_t count, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < count; i++)
        rc = trace_operands_add(list, paths[i], e);
    return rc;
}

void trace_operands_release(struct trace_operand_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i].path);
    free(list->items);
    for (size_t i = 0; i < list->omissions.count; i++)
        free(list->omissions.items[i].text);
    free(list->omissions.items);
    *list = (struct trace_operand_list){0};
}

/* Returns the number at `digits`, or -1; *end is the place after it. */
static int read_rank(const char *digits, const char *limit, const char **end)
{
    int rank = 0;
    const char *at = digits;
    for (; at < limit && isdigit((unsigned char)*at) && rank <= TRACE_RANK_MAX; at++)
        rank = 10 * rank + (*at - '0');
    *end = at;
    return at == digits || rank > TRACE_RANK_MAX ? -1 : rank;
}

/* Matches "rank" as a word of its own, an optional separator, and digits. */
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

/* PyTorch names files "HOST_PID.TIME.pt.trace.json": a number behind "_PID." is a time. */
static bool is_time_of_torch(const char *part, const char *dot, const char *end)
{
    static const char rest[] = ".pt.trace.json";
    const char *pid = dot;
    while (pid > part && isdigit((unsigned char)pid[-1]))
        pid--;
    return pid < dot && pid > part && pid[-1] == '_' && !strncmp(end, rest, strlen(rest));
}

static int rank_between_dots(const char *part, const char *limit)
{
    const char *end;
    for (const char *dot = part; (dot = memchr(dot, '.', (size_t)(limit - dot))); dot++) {
        int rank = read_rank(dot + 1, limit, &end);
        if (rank >= 0 && end < limit && *end == '.' && !is_time_of_torch(part, dot, end))
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
