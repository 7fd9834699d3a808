/* Which benchmarks did a file, or a folder of files, time? */
#define _GNU_SOURCE
#include "core/run/benchmarks/benchmark_results.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/count_of.h"
#include "core/base/files.h"
#include "core/io/known_input.h"

enum { FILES_MAX = 1024 };

static const struct benchmark_format *const formats[] = {&google_benchmark_format, &nvbench_format};

/* ---- which format ---- */

static bool has_all(const struct open_input *input, const char *const words[3])
{
    for (size_t i = 0; i < 3; i++)
        if (!input_find(input, words[i]))
            return false;
    return true;
}

const struct benchmark_format *benchmark_format_of(const struct open_input *input)
{
    if (!input->file || input->head[strspn(input->head, " \t\r\n")] != '{')
        return NULL;
    for (size_t i = 0; i < COUNT_OF(formats); i++)
        if (has_all(input, formats[i]->words))
            return formats[i];
    return NULL;
}

/* The folders of samples and hidden files are no results. */
static int is_a_file(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);
    return entry->d_name[0] != '.' && entry->d_type != DT_DIR &&
           !(length > 4 && !strcmp(entry->d_name + length - 4, "-bin"));
}

static void free_names(struct dirent **names, int count)
{
    for (int i = 0; i < count; i++)
        free(names[i]);
    free(names);
}

static const struct benchmark_format *format_of_file(const char *path)
{
    struct input_file in;
    if (!files_is_regular(path) || input_file_open_packed(&in, path, NULL))
        return NULL;
    const struct benchmark_format *format = benchmark_format_of(&in.input);
    input_file_close(&in);
    return format;
}

const struct benchmark_format *benchmark_format_at(const char *path)
{
    struct dirent **names = NULL;
    struct str first;
    if (!files_is_directory(path))
        return format_of_file(path);
    const int count = scandir(path, &names, is_a_file, versionsort);
    str_init(&first);
    const struct benchmark_format *format =
        count > 0 ? format_of_file(files_join(&first, path, names[0]->d_name)) : NULL;
    str_release(&first);
    free_names(names, count);
    return format;
}

/* ---- reading ---- */

static size_t *latest_of(struct benchmark_results *r, const char *name)
{
    const uint32_t id = strtab_add(&r->names, name);
    while (id && r->latest.count <= id)
        if (!ARRAY_PUSH(&r->latest))
            return NULL;
    return id ? &r->latest.items[id] : NULL;
}

struct benchmark_times *benchmark_results_row(struct benchmark_results *r, const char *name, bool *is_new)
{
    size_t *latest = latest_of(r, name);
    if (!latest)
        return NULL;
    struct benchmark_times *row = *latest ? &r->items.items[*latest - 1] : NULL;
    *is_new = !row || row->process != r->processes;
    if (!*is_new)
        return row;
    row = ARRAY_PUSH(&r->items);
    if (!row)
        return NULL;
    *row = (struct benchmark_times){.name = arena_copy(&r->arena, name), .process = r->processes, .mean_ns = NAN};
    *latest = r->items.count;
    return row;
}

static int read_text(FILE *file, struct str *out, const char *path, struct err *e)
{
    char block[65536];
    size_t got;
    while ((got = fread(block, 1, sizeof block, file)) > 0 && out->length <= JSON_FILE_BYTES_MAX)
        str_add_bytes(out, block, got);
    if (out->length > JSON_FILE_BYTES_MAX)
        return err_set(e, ERR_INPUT, "'%s' has more than %d MiB", path, JSON_FILE_BYTES_MAX >> 20);
    return out->failed ? err_memory(e) : 0;
}

static int parse(FILE *file, const char *path, json_t **out, struct err *e)
{
    struct str text;
    json_error_t error;
    str_init(&text);
    int rc = read_text(file, &text, path, e);
    *out = rc ? NULL : json_loadb(str_text(&text), text.length, JSON_REJECT_DUPLICATES, &error);
    if (!rc && !*out)
        rc = err_set(e, ERR_INPUT, "%s:%d:%d: not valid JSON: %s", path, error.line, error.column, error.text);
    str_release(&text);
    return rc;
}

static int read_json(struct benchmark_results *out, const json_t *root, const char *path, struct err *e)
{
    const char *machine = "";
    const size_t before = out->items.count;
    const int rc = out->format->read(root, path, out, &machine, e);
    if (rc)
        return rc;
    if (out->items.count == before)
        return err_set(e, ERR_INPUT, "'%s' has no benchmark (%s)", path, out->format->tool);
    if (out->processes && strcmp(machine, out->machine) != 0)
        out->machines_differ = true;
    out->machine = machine;
    out->processes++;
    return 0;
}

int benchmark_results_add(struct benchmark_results *out, const struct open_input *input, struct err *e)
{
    const struct benchmark_format *format = benchmark_format_of(input);
    const char *path = input->path;
    json_t *root;
    if (!format)
        return err_set(e, ERR_INPUT, "'%s' holds no results of Google Benchmark or nvbench", path);
    if (out->format && out->format != format)
        return err_set(e, ERR_INPUT, "'%s' is of %s, and others are of %s", path, format->tool, out->format->tool);
    out->format = format;
    int rc = parse(input->file, path, &root, e);
    if (!rc)
        rc = read_json(out, root, path, e);
    json_decref(root);
    return rc;
}

static bool is_copy(const struct benchmark_file *a, const struct benchmark_file *b)
{
    return a->bytes == b->bytes && a->crc32 == b->crc32;
}

static int note_file(struct benchmark_results *out, const char *path, struct err *e)
{
    struct benchmark_file *file = ARRAY_PUSH(&out->files);
    return file ? files_checksum(path, &file->bytes, &file->crc32, e) : err_memory(e);
}

static int read_file(struct benchmark_results *out, const char *path, struct err *e)
{
    struct input_file in;
    int rc = note_file(out, path, e);
    if (!rc)
        rc = input_file_open(&in, path, &out->caveats, e);
    if (rc)
        return rc;
    rc = benchmark_results_add(out, &in.input, e);
    input_file_close(&in);
    return rc;
}

/* ---- folders ---- */

/* A copy of a file is no second process. */
static int check_copies(const struct benchmark_results *r, const struct dirent *const *names, struct err *e)
{
    for (size_t i = 1; i < r->files.count; i++)
        for (size_t k = 0; k < i; k++)
            if (is_copy(&r->files.items[i], &r->files.items[k]))
                return err_set(e, ERR_INPUT, "'%s' and '%s' are the same file: a copy is no second process",
                               names[k]->d_name, names[i]->d_name);
    return 0;
}

static int read_files(struct benchmark_results *out, const char *folder, struct dirent **names, int count,
                      struct err *e)
{
    struct str path;
    int rc = 0;
    str_init(&path);
    for (int i = 0; i < count && !rc; i++) {
        files_join(&path, folder, names[i]->d_name);
        rc = path.failed ? err_memory(e) : read_file(out, str_text(&path), e);
    }
    if (!rc)
        rc = check_copies(out, (const struct dirent *const *)names, e);
    str_release(&path);
    return rc;
}

static int read_folder(struct benchmark_results *out, const char *folder, struct err *e)
{
    struct dirent **names = NULL;
    const int count = scandir(folder, &names, is_a_file, versionsort);
    int rc = 0;
    if (count < 0)
        return err_set(e, ERR_INPUT, "cannot list '%s': %s", folder, strerror(errno));
    if (count > FILES_MAX)
        rc = err_set(e, ERR_INPUT, "'%s' has more than %d files", folder, FILES_MAX);
    else
        rc = read_files(out, folder, names, count, e);
    free_names(names, count);
    return rc;
}

void benchmark_results_init(struct benchmark_results *r)
{
    *r = (struct benchmark_results){.machine = ""};
    caveat_list_init(&r->caveats);
    arena_init(&r->arena);
    strtab_init(&r->names);
}

int benchmark_results_read(struct benchmark_results *out, const char *path, struct err *e)
{
    return files_is_directory(path) ? read_folder(out, path, e) : read_file(out, path, e);
}

bool benchmark_results_share_a_file(const struct benchmark_results *a, const struct benchmark_results *b)
{
    for (size_t i = 0; i < a->files.count; i++)
        for (size_t k = 0; k < b->files.count; k++)
            if (is_copy(&a->files.items[i], &b->files.items[k]))
                return true;
    return false;
}

void benchmark_results_release(struct benchmark_results *r)
{
    free(r->files.items);
    for (size_t i = 0; i < r->items.count; i++)
        free(r->items.items[i].times.items);
    free(r->items.items);
    free(r->latest.items);
    strtab_release(&r->names);
    caveat_list_release(&r->caveats);
    arena_release(&r->arena);
}
