/* Where does a program that is measured come from? */
#define _GNU_SOURCE
#include "cli/record/program_origin.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/child.h"
#include "core/base/files.h"
#include "core/base/str.h"

enum { COMMIT_BYTES_MAX = 128 };

/* As execvp looks for it; "" when it is nowhere. */
static const char *find_program(struct str *path, const char *word)
{
    const char *folders = getenv("PATH");
    str_clear(path);
    if (strchr(word, '/') || !folders) {
        str_add(path, word);
        return str_text(path);
    }
    while (*folders) {
        const size_t length = strcspn(folders, ":");
        str_clear(path);
        str_add_bytes(path, length ? folders : ".", length ? length : 1);
        str_addf(path, "/%s", word);
        if (!access(str_text(path), X_OK) && !files_is_directory(str_text(path)))
            return str_text(path);
        folders += length + (folders[length] == ':');
    }
    str_clear(path);
    return str_text(path);
}

bool program_find(struct str *path, const char *word)
{
    const char *found = find_program(path, word);
    return *found && !access(found, X_OK) && !files_is_directory(found);
}

bool program_is_there(const char *word)
{
    struct str path;
    str_init(&path);
    const bool is_there = program_find(&path, word);
    str_release(&path);
    return is_there;
}

static void add_file(json_t *files, const char *path)
{
    struct stat info;
    uint64_t bytes;
    uint32_t crc32;
    const char *slash = strrchr(path, '/');
    if (!*path || stat(path, &info) || !S_ISREG(info.st_mode) || info.st_size > PROGRAM_FILE_BYTES_MAX ||
        files_checksum(path, &bytes, &crc32, NULL))
        return;
    json_t *file = json_pack("{s:I,s:I}", "bytes", (json_int_t)bytes, "crc32", (json_int_t)crc32);
    json_object_set_new(file, "name", json_text(slash ? slash + 1 : path));
    json_array_append_new(files, file);
}

json_t *program_files(char *const *words, size_t count)
{
    json_t *files = json_array();
    struct str path;
    str_init(&path);
    if (count)
        add_file(files, find_program(&path, words[0]));
    for (size_t i = 1; i < count; i++)
        add_file(files, words[i]);
    str_release(&path);
    return files;
}

json_t *files_described(const char *const *paths, size_t count)
{
    json_t *files = json_array();
    for (size_t i = 0; i < count; i++)
        add_file(files, paths[i]);
    return files;
}

json_t *program_repository(void)
{
    static const char *const git[] = {"git",     "--no-optional-locks", "describe",    "--always",
                                      "--dirty", "--abbrev=40",         "--exclude=*", NULL};
    char commit[COMMIT_BYTES_MAX] = "";
    int heard;
    const pid_t child = child_start(
        &(struct child_request){
            .argv = git, .files = {{CHILD_PIPE, STDOUT_FILENO}, {CHILD_NULL, STDERR_FILENO}}, .heard = &heard},
        NULL);
    FILE *file = child < 0 ? NULL : fdopen(heard, "r");
    const bool said = file && fgets(commit, sizeof commit, file);
    if (file)
        fclose(file);
    if (child > 0)
        child_wait(child);
    commit[strcspn(commit, "\n")] = '\0';
    return said && isxdigit((unsigned char)commit[0]) ? json_pack("{s:o}", "commit", json_text(commit)) : json_null();
}
