/* Does a harness survive the files that are there? Runs it without a fuzzer.
 *
 *   replay_NAME FILE|FOLDER...      of a folder its files, not its folders */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "core/base/files.h"
#include "tests/fuzz/fuzz.h"

enum { FILE_BYTES_MAX = 64 * 1024 * 1024 };

static int replay_file(const char *path)
{
    struct str bytes;
    struct err e = {0};
    str_init(&bytes);
    int rc = files_read(path, FILE_BYTES_MAX, &bytes, &e);
    if (rc)
        fprintf(stderr, "%s: %s\n", path, e.text);
    else
        LLVMFuzzerTestOneInput((const uint8_t *)str_text(&bytes), bytes.length);
    str_release(&bytes);
    return rc ? -1 : 1;
}

/* How many files were replayed; -1 when one cannot be read. */
static int replay(const char *path)
{
    if (!files_is_directory(path))
        return replay_file(path);
    struct str file;
    str_init(&file);
    int count = 0;
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && count >= 0 && (entry = readdir(folder));) {
        files_join(&file, path, entry->d_name);
        if (files_is_directory(str_text(&file)))
            continue;
        count = replay_file(str_text(&file)) < 0 ? -1 : count + 1;
    }
    if (!folder)
        count = -1;
    else
        closedir(folder);
    str_release(&file);
    return count;
}

int main(int argc, char **argv)
{
    int total = 0;
    for (int i = 1; i < argc; i++) {
        int count = replay(argv[i]);
        if (count < 0) {
            fprintf(stderr, "cannot replay '%s'\n", argv[i]);
            return 1;
        }
        total += count;
    }
    printf("%d inputs\n", total);
    return total ? 0 : 1;
}
