/* cpprof init NAME: the folder of a new task, a naive solution, and the CMake that builds and judges them. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/record/messages.h"
#include "cli/tasks/init_files.h"
#include "core/base/count_of.h"
#include "core/base/files.h"
#include "core/base/str.h"

enum { NAME_BYTES_MAX = 40 };

static int parse_option(int key, char *arg, struct argp_state *state)
{
    const char **name = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        if (*name)
            argp_error(state, "one NAME, not '%s' and '%s'", *name, arg);
        *name = arg;
        return 0;
    case ARGP_KEY_END:
        if (!*name)
            argp_error(state, "which NAME? It becomes a folder, and the family of the solutions");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* It is a folder, a CMake project and the family of variants. */
static int check_name(const char *name, struct err *e)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    const size_t length = strlen(name);
    if (length > NAME_BYTES_MAX || name[strspn(name, letters)] || strchr("0123456789-", *name))
        return err_set(e, ERR_USAGE,
                       "'%.60s' is no name: at most %d letters, digits, '_' and '-', the first one a letter", name,
                       NAME_BYTES_MAX);
    return 0;
}

static const char *path_of(struct str *path, const char *name, const struct init_file *file)
{
    str_clear(path);
    str_addf(path, "%s/%s", name, file->name);
    return str_text(path);
}

/* Nothing is written before it is sure that nothing is in the way. */
static int check_place(struct str *path, const char *name, struct err *e)
{
    for (size_t i = 0; i < init_file_count; i++)
        if (files_exists(path_of(path, name, &init_files[i])))
            return err_set(e, ERR_USAGE, "'%s' exists already: choose another name, or move it away", str_text(path));
    return 0;
}

static void add_text(struct str *out, const char *text, const char *name)
{
    static const char mark[] = "@NAME@";
    for (const char *at = strstr(text, mark); at; at = strstr(text, mark)) {
        str_add_bytes(out, text, (size_t)(at - text));
        str_add(out, name);
        text = at + sizeof mark - 1;
    }
    str_add(out, text);
}

static int write_files(struct str *path, const char *name, struct err *e)
{
    struct str text;
    str_init(&text);
    int rc = mkdir(name, 0777) && errno != EEXIST
                 ? err_set(e, ERR_ENVIRONMENT, "cannot make the folder '%s': %s", name, strerror(errno))
                 : 0;
    for (size_t i = 0; i < init_file_count && !rc; i++) {
        str_clear(&text);
        add_text(&text, init_files[i].text, name);
        rc = output_write(path_of(path, name, &init_files[i]), false, str_text(&text), text.length, e);
    }
    str_release(&text);
    return rc;
}

/* Where the CMake package is that this program was installed with. */
static const char *find_prefix(struct str *path)
{
    static const char *const places[] = {"lib/cmake/cpprof", "lib64/cmake/cpprof"};
    struct err unused = {0};
    struct str package;
    const char *found = NULL;
    if (files_program_directory(path, &unused))
        return "WHERE_CPPROF_IS_INSTALLED";
    char *name = strrchr(path->text, '/'); /* of bin */
    if (name)
        *name = '\0';
    str_init(&package);
    for (size_t i = 0; name && i < COUNT_OF(places) && !found; i++)
        if (files_is_directory(files_join(&package, path->text, places[i])))
            found = path->text;
    str_release(&package);
    return found && !strpbrk(found, " \t'\"$`\\") ? found : "WHERE_CPPROF_IS_INSTALLED";
}

static void print_next(const char *name)
{
    struct str path;
    str_init(&path);
    printf(
        "%s/: a task (task.c), a solution (naive.cu), and CMakeLists.txt, which builds and judges them:\n\n"
        "    cmake -S %s -B %s/build -DCMAKE_PREFIX_PATH=%s && cmake --build %s/build\n"
        "    ctest --test-dir %s/build -V\n\n"
        "Building needs nvcc. The test needs a GPU, prints the verdict, and leaves %s/build/gate.cpprof. Next put your arrays\n"
        "and reference into task.c and your kernel into naive.cu. For a second solution copy naive.cu to fast.cu, change its\n"
        "kernel, add fast to the foreach of CMakeLists.txt, and do both again (docs/tasks.md).\n",
        name, name, name, find_prefix(&path), name, name, name);
    str_release(&path);
}

int cmd_init(int argc, char **argv)
{
    static const struct argp parser = {
        .parser = parse_option,
        .args_doc = "NAME",
        .doc =
            "Writes the folder NAME with a task on plain arrays, a naive solution, and the CMake that builds both and "
            "judges them with CTest.\v"
            "Exit status: 0, 2 when one of the files exists already or NAME is no name, 4 when they cannot be written.",
    };
    const char *name = NULL;
    struct err e = {0};
    struct str path;
    str_init(&path);
    command_parse(&parser, argc, argv, &name);
    int rc = check_name(name, &e);
    if (!rc)
        rc = check_place(&path, name, &e);
    if (!rc)
        rc = write_files(&path, name, &e);
    if (!rc)
        print_next(name);
    str_release(&path);
    return rc ? message_error(&e) : EXIT_PASS;
}
