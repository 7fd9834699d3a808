/* Where are the parts of cpprof that are not this program? */
#define _POSIX_C_SOURCE 200809L
#include "cli/record/installed_part.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/files.h"

/* What CUDA cannot load it passes over without a word. */
static bool is_elf(const char *path)
{
    char magic[4] = "";
    FILE *file = fopen(path, "rb");
    const bool is =
        file && fread(magic, 1, sizeof magic, file) == sizeof magic && !memcmp(magic, "\177ELF", sizeof magic);
    if (file)
        fclose(file);
    return is;
}

static int find_named(const struct installed_part *c, const char *named, struct str *path, struct err *e)
{
    str_clear(path);
    str_add(path, named);
    if (access(named, c->access) == 0 && (c->access == X_OK || is_elf(named)))
        return path->failed ? err_memory(e) : 0;
    if (access(named, c->access) == 0)
        return err_set(e, ERR_ENVIRONMENT, "%s names '%s', which is no library", c->variable, named);
    return err_set(e, ERR_ENVIRONMENT, "%s names '%s', which cannot be %s: %s", c->variable, named,
                   c->access == X_OK ? "run" : "read", strerror(errno));
}

int installed_part_find(const struct installed_part *c, struct str *path, struct err *e)
{
    const char *named = getenv(c->variable);
    if (named && *named)
        return find_named(c, named, path, e);
    struct str here;
    str_init(&here);
    int rc = files_program_directory(&here, e);
    bool found = false;
    for (size_t i = 0; !rc && !found && c->places[i]; i++)
        found = access(files_join(path, str_text(&here), c->places[i]), c->access) == 0;
    if (!found)
        str_clear(path);
    if (!rc && path->failed)
        rc = err_memory(e);
    str_release(&here);
    return rc;
}
