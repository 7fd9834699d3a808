/* Where do results, notes and errors go? */
#define _DEFAULT_SOURCE
#include "cli/output.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/record/messages.h"
#include "core/base/count_of.h"
#include "core/base/files.h"
#include "core/base/utf8.h"
#include "reports/document/fit.h"

/* A longer one is a part of the name: mktemp makes "tmp.G5OeXMoHdt". */
enum { ENDING_BYTES_MAX = 8 };

static bool is_silent;

static bool is_stdout(const char *path)
{
    return is_silent || !path || !strcmp(path, "-");
}

int output_silence(struct err *e)
{
    is_silent = true;
    if (freopen("/dev/null", "w", stdout) && freopen("/dev/null", "w", stderr))
        return 0;
    return err_set(e, ERR_ENVIRONMENT, "cannot open /dev/null");
}

static int write_to(FILE *file, const char *path, const char *text, size_t length, struct err *e)
{
    if (fwrite(text, 1, length, file) != length || fflush(file))
        return err_set(e, ERR_ENVIRONMENT, "cannot write to '%s': %s", path, strerror(errno));
    return 0;
}

/* A device or a pipe: to be opened, never replaced by a new file. */
static bool is_special(const char *path)
{
    struct stat about;
    return !stat(path, &about) && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode);
}

static int write_special(const char *path, const char *text, size_t length, struct err *e)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return err_set(e, ERR_ENVIRONMENT, "cannot open '%s': %s", path, strerror(errno));
    int rc = write_to(file, path, text, length, e);
    if (fclose(file) && !rc)
        rc = err_set(e, ERR_ENVIRONMENT, "cannot write to '%s': %s", path, strerror(errno));
    return rc;
}

int output_check(const char *path, bool force, struct err *e)
{
    if (is_stdout(path) || is_special(path))
        return 0;
    if (files_is_directory(path))
        return err_set(e, ERR_USAGE, "'%s' is a directory; name a file in it", path);
    if (!force && files_exists(path))
        return err_set(e, ERR_USAGE, "'%s' exists already; choose another name or add --force", path);
    return 0;
}

int output_write(const char *path, bool force, const char *text, size_t length, struct err *e)
{
    if (is_stdout(path))
        return write_to(stdout, "standard output", text, length, e);
    int rc = output_check(path, force, e);
    if (rc)
        return rc;
    if (is_special(path))
        return write_special(path, text, length, e);
    return files_write_atomic(path, text, length, e);
}

static int open_special(const char *path, struct byte_sink **out, struct err *e)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return err_set(e, ERR_ENVIRONMENT, "cannot open '%s': %s", path, strerror(errno));
    int rc = byte_sink_on(out, fd, path, e);
    close(fd);
    return rc;
}

int output_open(const char *path, bool force, struct byte_sink **out, struct err *e)
{
    if (is_stdout(path))
        return byte_sink_on(out, STDOUT_FILENO, "standard output", e);
    int rc = output_check(path, force, e);
    if (rc)
        return rc;
    return is_special(path) ? open_special(path, out, e) : byte_sink_create(out, path, e);
}

/* ---- the terminal ---- */

/* Open MPI's mpirun hands on what looks like a terminal, wherever its own output goes. */
static bool under_mpirun(void)
{
    return getenv("OMPI_COMM_WORLD_SIZE") != NULL;
}

static bool is_terminal(const char *path)
{
    return is_stdout(path) && isatty(STDOUT_FILENO) && !under_mpirun();
}

int output_check_binary(const char *path, const char *format, struct err *e)
{
    if (!is_terminal(path))
        return 0;
    return err_set(e, ERR_USAGE, "a %s is no text for a terminal; name a file with -o, or write to a pipe", format);
}

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value ? value : "";
}

/* Nobody's wish against colours is overruled; one for them reaches pipes, but no file. */
static bool wants_colours(const char *path)
{
    const char *forced = variable("CLICOLOR_FORCE");
    if (*variable("NO_COLOR") || !is_stdout(path))
        return false;
    if (*forced && strcmp(forced, "0") != 0)
        return true;
    return is_terminal(path) && strcmp(variable("TERM"), "dumb") != 0;
}

/* The width of a terminal, or what COLUMNS says. 0 elsewhere: lines are not broken, so that grep finds a verdict. */
static size_t columns_of_stream(int fd)
{
    enum { COLUMNS_MAX = 100000 };
    struct winsize size = {0};
    char *end;
    const unsigned long columns = strtoul(variable("COLUMNS"), &end, 10);
    if (isdigit((unsigned char)*variable("COLUMNS")) && !*end && columns && columns <= COLUMNS_MAX)
        return columns;
    return isatty(fd) && !under_mpirun() && !ioctl(fd, TIOCGWINSZ, &size) ? size.ws_col : 0;
}

static size_t columns_of(const char *path)
{
    return is_stdout(path) ? columns_of_stream(STDOUT_FILENO) : 0;
}

const char *output_page_format(const char *path)
{
    return is_terminal(path) ? "text" : "md";
}

/* ---- formats ---- */

static const struct other_format json_format = {"json", ".json"}, none = {0};

/* Every format that a command can be asked for, in the order of help: documents, JSON, the command's own. A name NULL
 * is the end. */
static struct other_format format_at(size_t at, const struct other_format *others)
{
    for (size_t i = 0; document_formats[i]; i++)
        if (!at--)
            return (struct other_format){document_formats[i]->name, document_formats[i]->ending};
    if (!at--)
        return json_format;
    for (; others && others->name; others++)
        if (!at--)
            return *others;
    return none;
}

/* "a, b or c": the names, or the endings of those that have one. */
static void add_words(struct str *out, const struct other_format *others, bool endings)
{
    const char *last = NULL, *between = "";
    for (size_t i = 0; format_at(i, others).name; i++) {
        const struct other_format format = format_at(i, others);
        if (endings && !format.ending)
            continue;
        if (last) {
            str_addf(out, "%s%s", between, last);
            between = ", ";
        }
        last = endings ? format.ending : format.name;
    }
    str_addf(out, " or %s", last);
}

const char *output_format_of(const char *path, const struct other_format *others, const char *otherwise)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    const char *name = slash ? slash + 1 : path, *dot = name ? strrchr(name, '.') : NULL;
    if (!dot || dot == name || strlen(dot) > ENDING_BYTES_MAX || is_special(path)) /* ".hidden" has no ending */
        return otherwise;
    for (size_t i = 0; format_at(i, others).name; i++) {
        const struct other_format format = format_at(i, others);
        if (format.ending && !strcmp(dot, format.ending))
            return format.name;
    }
    return dot;
}

int output_check_format(const char *format, const struct other_format *others, struct err *e)
{
    for (size_t i = 0; format_at(i, others).name; i++)
        if (!strcmp(format, format_at(i, others).name))
            return 0;
    const bool is_ending = *format == '.';
    struct str words;
    str_init(&words);
    add_words(&words, others, is_ending);
    if (is_ending)
        err_set(e, ERR_USAGE,
                "no format is known by the ending '%s': call the file %s, or name its format with --format", format,
                str_text(&words));
    else
        err_set(e, ERR_USAGE, "unknown format '%s'; use %s", format, str_text(&words));
    str_release(&words);
    return ERR_USAGE;
}

char *output_help_formats(const char *text, const struct other_format *others)
{
    const char *mark = text ? strstr(text, FORMATS) : NULL;
    if (!mark)
        return (char *)text;
    struct str help;
    str_init(&help);
    str_add_bytes(&help, text, (size_t)(mark - text));
    add_words(&help, others, false);
    str_add(&help, mark + strlen(FORMATS));
    return str_take(&help);
}

char *output_help(int key, const char *text, void *input)
{
    (void)key;
    (void)input;
    return output_help_formats(text, NULL);
}

/* ---- documents ---- */

int output_document(const struct document *d, const char *format, const char *path, bool force, struct err *e)
{
    return output_view(d, &view_everything, format, path, force, e);
}

/* Renders for where it goes. */
static int render(const struct document *d, struct document_view view, const char *format, const char *path,
                  struct str *text, struct err *e)
{
    const struct document_format *renderer = document_format_by_name(format);
    if (!renderer)
        return err_set(e, ERR_USAGE, "a document cannot be written as '%s'", format);
    view.colours = wants_colours(path);
    view.columns = columns_of(path);
    str_clear(text);
    return renderer->render(d, &view, text) ? err_memory(e) : 0;
}

int output_view(const struct document *d, const struct document_view *view, const char *format, const char *path,
                bool force, struct err *e)
{
    struct str text;
    str_init(&text);
    int rc = render(d, *view, format, path, &text, e);
    if (!rc)
        rc = output_write(path, force, str_text(&text), text.length, e);
    str_release(&text);
    return rc;
}

int output_summary(const struct document *d, struct err *e)
{
    const struct document_view view = {.last = TIER_SCREEN, .columns = columns_of_stream(STDERR_FILENO)};
    struct str text;
    str_init(&text);
    const int rc = document_format_by_name("text")->render(d, &view, &text) ? err_memory(e) : 0;
    if (!rc)
        fputs(str_text(&text), stderr);
    str_release(&text);
    return rc;
}

static size_t count_lines(const char *text)
{
    size_t lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

typedef bool fits_reader(const struct document *d, const struct str *text);

/* More than it has tables and lists. */
static size_t tables_at_most(const struct document *d)
{
    size_t count = 0;
    for (size_t i = 0; i < d->count; i++)
        count += d->items[i].kind == BLOCK_TABLE || d->items[i].kind == BLOCK_BULLET;
    return count;
}

/* Renders a view that fits with `longer_rows` in as many of the first tables as fit: later ones give theirs. */
static int render_longer(const struct document *d, struct document_view view, size_t longer_rows, const char *format,
                         const char *path, fits_reader *fits, struct str *text, struct err *e)
{
    size_t fitting = 0, most = tables_at_most(d);
    int rc = 0;
    view.longer_rows = longer_rows;
    while (!rc && fitting < most) {
        view.longer_tables = (fitting + most + 1) / 2;
        rc = render(d, view, format, path, text, e);
        if (fits(d, text))
            fitting = view.longer_tables;
        else
            most = view.longer_tables - 1;
    }
    view.longer_tables = fitting;
    return rc ? rc : render(d, view, format, path, text, e);
}

/* Renders with ever shorter tables, until it fits; behind three rows all of them shrink to one, the last first. *rows
 * is what the shortest were cut to, 0 for not at all. */
static int render_to_fit(const struct document *d, struct document_view view, const char *format, const char *path,
                         fits_reader *fits, size_t *rows, struct str *text, struct err *e)
{
    static const size_t tries[] = {0, 1000, 100, 60, 40, 25, 16, 12, 10, 8, 7, 6, 5, 4, 3, 1};
    int rc = 0;
    for (size_t i = 0; i < COUNT_OF(tries) && !rc; i++) {
        *rows = view.rows_max = tries[i];
        rc = render(d, view, format, path, text, e);
        if (!rc && fits(d, text))
            return i ? render_longer(d, view, tries[i - 1], format, path, fits, text, e) : 0;
    }
    return rc;
}

static bool fits_readers(const struct document *d, const struct str *text)
{
    return !d->lines_max || count_lines(str_text(text)) <= d->lines_max;
}

/* A page folds what others must scroll. */
static bool fits_page(const struct document *d, const struct str *text)
{
    (void)d;
    return text->length <= (size_t)300 * 1000;
}

/* What GitHub takes as the summary of a job. */
static bool fits_summary(const struct document *d, const struct str *text)
{
    (void)d;
    return text->length <= (size_t)1024 * 1024;
}

int output_sections(const struct document *d, const char *format, const char *path, bool force, struct err *e)
{
    const bool is_page = !strcmp(format, "html");
    const struct document_view view = {.last = is_page ? TIER_ALL : TIER_SECTIONS};
    struct str text;
    size_t rows;
    str_init(&text);
    int rc = render_to_fit(d, view, format, path, is_page ? fits_page : fits_readers, &rows, &text, e);
    if (!rc)
        rc = output_write(path, force, str_text(&text), text.length, e);
    str_release(&text);
    return rc;
}

int output_everything(const struct document *d, const char *format, const char *path, bool force, struct err *e)
{
    struct str text;
    size_t rows;
    if (strcmp(format, "md") != 0)
        return output_document(d, format, path, force, e);
    str_init(&text);
    int rc = render_to_fit(d, view_everything, format, path, fits_summary, &rows, &text, e);
    if (!rc && rows)
        message_note(
            "the report would have more than 1 MiB, which GitHub refuses: its tables are cut, the last to %zu rows; "
            "--format html or text has all",
            rows);
    if (!rc)
        rc = output_write(path, force, str_text(&text), text.length, e);
    str_release(&text);
    return rc;
}

/* The first screen may show what a section has, too. */
static bool is_shown_before(const struct document *d, size_t index)
{
    const struct picture *picture = document_picture_at(d, index), *other;
    for (size_t i = 0; i < index; i++) {
        other = document_picture_at(d, i);
        if (other->svg && !strcmp(other->name, picture->name) && !strcmp(other->svg, picture->svg))
            return true;
    }
    return false;
}

typedef int picture_taker(const char *path, bool force, const struct picture *picture, struct err *e);

static int check_picture(const char *path, bool force, const struct picture *picture, struct err *e)
{
    (void)picture;
    return output_check(path, force, e);
}

static int write_picture(const char *path, bool force, const struct picture *picture, struct err *e)
{
    return output_write(path, force, picture->svg, strlen(picture->svg), e);
}

static int pictures_each(const struct document *d, const char *folder, bool force, picture_taker *take, struct err *e)
{
    struct str name, file;
    const struct picture *picture;
    int rc = 0;
    str_init(&name);
    str_init(&file);
    for (size_t i = 0; !rc && (picture = document_picture_at(d, i)); i++) {
        if (!picture->svg || is_shown_before(d, i))
            continue;
        str_clear(&name);
        str_addf(&name, "%s.svg", picture->name);
        rc = take(files_join(&file, folder, str_text(&name)), force, picture, e);
    }
    str_release(&name);
    str_release(&file);
    return rc;
}

int output_check_pictures(const struct document *d, const char *folder, bool force, struct err *e)
{
    if (files_exists(folder) && !files_is_directory(folder))
        return err_set(e, ERR_USAGE, "'%s' is no directory; name another for the pictures", folder);
    return pictures_each(d, folder, force, check_picture, e);
}

int output_pictures(const struct document *d, const char *folder, bool force, struct err *e)
{
    if (!document_picture_at(d, 0))
        return 0;
    const int rc = files_make_directory(folder, e);
    return rc ? rc : pictures_each(d, folder, force, write_picture, e);
}

int output_json(json_t *value, const char *path, bool force, struct err *e)
{
    char *text = value ? json_to_text(value) : NULL;
    int rc = text ? output_write(path, force, text, strlen(text), e) : err_memory(e);
    free(text);
    json_decref(value);
    return rc;
}
