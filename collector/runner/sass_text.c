/* What is the text of each instruction of a cubin? */
#define _GNU_SOURCE
#include "collector/runner/sass_text.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/files.h"
#include "core/base/str.h"
#include "core/base/write_all.h"
#include "core/io/scratch_file.h"

extern char **environ;

void sass_text_init(struct sass_text *t)
{
    *t = (struct sass_text){.items = NULL};
    arena_init(&t->arena);
}

void sass_text_release(struct sass_text *t)
{
    arena_release(&t->arena);
    free(t->items);
}

/* Takes the text after the offset, up to its semicolon. A line without an instruction has only the encoding, as a
 * comment. */
static int add_instruction(struct sass_text *t, const char *symbol, uint64_t offset, const char *text, struct err *e)
{
    text += strspn(text, " \t");
    const char *end = strchr(text, ';');
    size_t length = end ? (size_t)(end - text) : strlen(text);
    while (length && strchr(" \t\r\n", text[length - 1]))
        length--;
    if (!length || text[0] == '/')
        return 0;
    struct sass_instruction *slot = ARRAY_PUSH(t);
    if (!slot)
        return err_memory(e);
    *slot = (struct sass_instruction){symbol, offset, arena_printf(&t->arena, "%.*s", (int)length, text)};
    return 0;
}

int sass_text_add_line(struct sass_text *t, const char **symbol, const char *line, struct err *e)
{
    static const char function[] = "Function : ";
    const char *name = strstr(line, function);
    if (name) {
        name += sizeof function - 1;
        *symbol = arena_printf(&t->arena, "%.*s", (int)strcspn(name, " \t\r\n"), name);
        return 0;
    }
    line += strspn(line, " \t");
    if (!*symbol || strncmp(line, "/*", 2))
        return 0;
    char *end;
    errno = 0;
    const unsigned long long offset = strtoull(line + 2, &end, 16);
    if (errno || end - (line + 2) < 4 || strncmp(end, "*/", 2))
        return 0;
    return add_instruction(t, *symbol, offset, end + 2, e);
}

static int spawn(const char *program, const char *file, int output, pid_t *child)
{
    char *const arguments[] = {"cuobjdump", "-sass", (char *)file, NULL};
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions))
        return ENOMEM;
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    const int failed = posix_spawnp(child, program, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

/* Returns its output in a file without a name; NULL with the reason in `e`. */
static FILE *disassemble(const char *file, struct err *e)
{
    FILE *output;
    if (scratch_file_stream(&output, e))
        return NULL;
    pid_t child;
    int status = -1; /* of a child that was never seen to end */
    if (spawn("cuobjdump", file, fileno(output), &child) &&
        spawn("/usr/local/cuda/bin/cuobjdump", file, fileno(output), &child))
        err_set(e, ERR_ENVIRONMENT, "there is no cuobjdump in PATH: install the CUDA toolkit's to see instructions");
    else {
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            continue;
        if (status)
            err_set(e, ERR_ENVIRONMENT, "cuobjdump could not disassemble the kernels");
    }
    if (status) {
        fclose(output);
        return NULL;
    }
    rewind(output);
    return output;
}

static int read_lines(struct sass_text *t, FILE *output, struct err *e)
{
    char *line = NULL;
    size_t room = 0;
    const char *symbol = NULL;
    int rc = 0;
    while (!rc && getline(&line, &room, output) > 0)
        rc = sass_text_add_line(t, &symbol, line, e);
    free(line);
    if (!rc && ferror(output))
        rc = err_set(e, ERR_ENVIRONMENT, "cannot read what cuobjdump printed: %s", strerror(errno));
    return rc;
}

static int write_cubin(const char *file, const void *cubin, size_t bytes, struct err *e)
{
    const int fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0 || write_all(fd, cubin, bytes)) {
        err_set(e, ERR_ENVIRONMENT, "cannot write '%s' for the disassembly: %s", file, strerror(errno));
        if (fd >= 0)
            close(fd);
        return e->code;
    }
    close(fd);
    return 0;
}

/* cuobjdump recognises a cubin by its file name. */
int sass_text_read(struct sass_text *t, const void *cubin, size_t bytes, struct err *e)
{
    struct str folder, file;
    str_init(&folder);
    str_init(&file);
    int rc = scratch_folder_make(&folder, e);
    if (!rc) {
        files_join(&file, folder.text, "kernels.cubin");
        FILE *output = NULL;
        rc = file.failed ? err_memory(e) : write_cubin(file.text, cubin, bytes, e);
        if (!rc && !(output = disassemble(file.text, e)))
            rc = e->code;
        if (!rc)
            rc = read_lines(t, output, e);
        if (output)
            fclose(output);
        if (!file.failed)
            unlink(file.text);
        rmdir(folder.text);
    }
    str_release(&file);
    str_release(&folder);
    return rc;
}

const char *sass_text_find(const struct sass_text *t, const char *symbol, uint64_t offset)
{
    for (size_t i = 0; i < t->count; i++)
        if (t->items[i].offset == offset && !strcmp(t->items[i].symbol, symbol))
            return t->items[i].text;
    return "";
}
