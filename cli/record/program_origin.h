/* program_origin.h - where a program that is measured comes from: its files and
 * the repository that the user stands in. */
#ifndef CPPROF_PROGRAM_ORIGIN_H
#define CPPROF_PROGRAM_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/json.h"
#include "core/base/str.h"

/* A new array of {"name", "bytes", "crc32"}: the program itself and each word
 * that names a file, up to PROGRAM_FILE_BYTES_MAX. No paths. */
enum { PROGRAM_FILE_BYTES_MAX = 256 * 1024 * 1024 };
json_t *program_files(char *const *words, size_t count);

/* The same of files by their paths. One that cannot be read, or is larger, is left out. */
json_t *files_described(const char *const *paths, size_t count);

/* Gives the path of the program that this first word of a command line starts; false when it starts none. */
bool program_find(struct str *path, const char *word);

/* Can this first word of a command line be started? */
bool program_is_there(const char *word);

/* The commit of the git repository in the current folder as {"commit": "..."},
 * "-dirty" behind it when tracked files differ; null without one. */
json_t *program_repository(void);

#endif
