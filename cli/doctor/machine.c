/* What does the machine say of itself, in files, variables and free space? */
#define _GNU_SOURCE
#include "cli/doctor/machine.h"

#include <ctype.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "core/base/count_of.h"
#include "core/base/files.h"

static const char *kind_of(const char *path)
{
    static const struct {
        unsigned long magic;
        const char *kind;
    } kinds[] = {
        {TMPFS_MAGIC, "tmpfs"}, {RAMFS_MAGIC, "ramfs"}, {NFS_SUPER_MAGIC, "nfs"},   {0xff534d42, "cifs"},
        {0x0bd00bd0, "lustre"}, {0x47504653, "gpfs"},   {FUSE_SUPER_MAGIC, "fuse"}, {OVERLAYFS_SUPER_MAGIC, "overlay"},
    };
    struct statfs about;
    if (statfs(path, &about))
        return "";
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (((unsigned long)about.f_type & 0xffffffffUL) == kinds[i].magic)
            return kinds[i].kind;
    return "";
}

static bool space_of(const char *path, struct machine_space *out)
{
    struct statvfs about;
    if (statvfs(path, &about))
        return false;
    out->total_bytes = (uint64_t)about.f_blocks * about.f_frsize;
    out->free_bytes = (uint64_t)about.f_bavail * about.f_frsize;
    out->free_files = about.f_files ? (uint64_t)about.f_favail : UINT64_MAX;
    out->kind = kind_of(path);
    return true;
}

struct machine machine_here(const char *root)
{
    return (struct machine){.root = root && strcmp(root, "/") ? root : "", .variable = getenv, .space = space_of};
}

const char *machine_path(const struct machine *m, struct str *out, const char *path)
{
    str_clear(out);
    str_addf(out, "%s%s", m->root, path);
    return str_text(out);
}

bool machine_read(const struct machine *m, const char *path, struct str *out)
{
    struct str full;
    str_init(&full);
    str_clear(out);
    bool is_read = !files_read(machine_path(m, &full, path), MACHINE_FILE_BYTES_MAX, out, NULL);
    str_release(&full);
    return is_read;
}

/* Copies [from, to) without the space around it. */
static void copy_trimmed(char line[static MACHINE_LINE_BYTES], const char *from, const char *to)
{
    while (from < to && isspace((unsigned char)*from))
        from++;
    while (to > from && isspace((unsigned char)to[-1]))
        to--;
    size_t length = (size_t)(to - from);
    if (length >= MACHINE_LINE_BYTES)
        length = MACHINE_LINE_BYTES - 1;
    memcpy(line, from, length);
    line[length] = '\0';
}

bool machine_line(const struct machine *m, const char *path, char line[static MACHINE_LINE_BYTES])
{
    struct str text;
    str_init(&text);
    bool is_read = machine_read(m, path, &text) && text.length;
    const char *from = str_text(&text);
    if (is_read)
        copy_trimmed(line, from, from + strcspn(from, "\n"));
    str_release(&text);
    return is_read;
}

bool machine_has(const struct machine *m, const char *path)
{
    struct str full;
    str_init(&full);
    bool is_there = access(machine_path(m, &full, path), F_OK) == 0;
    str_release(&full);
    return is_there;
}

const char *machine_variable(const struct machine *m, const char *name)
{
    const char *value = m->variable(name);
    return value ? value : "";
}

bool machine_field(const char *text, const char *key, char value[static MACHINE_LINE_BYTES])
{
    const size_t length = strlen(key);
    for (const char *line = text; *line;) {
        const char *end = line + strcspn(line, "\n");
        if (!strncmp(line, key, length) && (line[length] == ':' || isspace((unsigned char)line[length]))) {
            copy_trimmed(value, line + length + 1, end);
            return true;
        }
        line = *end ? end + 1 : end;
    }
    return false;
}
