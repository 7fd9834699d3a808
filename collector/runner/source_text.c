/* What does a line of a source file say? */
#define _GNU_SOURCE
#include "collector/runner/source_text.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/files.h"
#include "core/base/utf8.h"

enum { SOURCE_BYTES_MAX = 16 << 20, FOLDERS_TRIED_MAX = 32 };

void source_texts_release(struct source_texts *s)
{
    for (size_t i = 0; i < s->count; i++) {
        free((char *)s->items[i].compiled.folder);
        free((char *)s->items[i].compiled.name);
        str_release(&s->items[i].content);
    }
    free(s->items);
    *s = (struct source_texts){0};
}

/* ---- which file ---- */

static bool has_size(const struct compiled_source *c, const struct stat *about)
{
    for (size_t i = 0; i < c->size_count; i++)
        if (c->sizes[i] == (uint64_t)about->st_size)
            return true;
    return !c->size_count;
}

static bool is_older(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

static enum source_state read_open(int fd, size_t bytes, struct str *content)
{
    char *text = malloc(bytes + 1);
    const bool is_whole = text && files_read_at(fd, text, bytes, 0) == (ssize_t)bytes;
    if (is_whole && !memchr(text, 0, bytes))
        str_add_bytes(content, text, bytes);
    else
        bytes = SIZE_MAX;
    free(text);
    return content->length == bytes ? SOURCE_READ : SOURCE_ABSENT;
}

/* Opening must not block on a pipe that has no writer. */
static enum source_state read_file(const char *path, const struct compiled_source *c, struct str *content)
{
    struct stat about;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return SOURCE_ABSENT;
    enum source_state state = SOURCE_ABSENT;
    if (!fstat(fd, &about) && S_ISREG(about.st_mode) && about.st_size <= SOURCE_BYTES_MAX)
        state = has_size(c, &about) && !is_older(&c->built, &about.st_mtim)
                    ? read_open(fd, (size_t)about.st_size, content)
                    : SOURCE_CHANGED;
    close(fd);
    return state;
}

/* "/a/project/src/k.cu" -> "a/project/src/k.cu", "project/src/k.cu", "src/k.cu". Never the name alone, which many files
 * have. */
static enum source_state read_moved(const char *path, const struct compiled_source *c, struct str *content)
{
    enum source_state state = SOURCE_ABSENT;
    const char *rest = *path == '/' && !strstr(path, "/../") ? path + 1 : "";
    for (int tried = 0; tried < FOLDERS_TRIED_MAX && strchr(rest, '/') && state != SOURCE_READ; tried++) {
        struct stat about;
        if (!stat(rest, &about) && has_size(c, &about))
            state = read_file(rest, c, content);
        rest = strchr(rest, '/') + 1;
    }
    return state;
}

static enum source_state read_source(const struct compiled_source *c, struct str *content)
{
    struct str path;
    str_init(&path);
    const char *whole = *c->name == '/' || !*c->folder ? c->name : files_join(&path, c->folder, c->name);
    enum source_state state = path.failed ? SOURCE_ABSENT : read_file(whole, c, content);
    if (state == SOURCE_ABSENT && !path.failed && c->size_count && !files_exists(whole))
        state = read_moved(whole, c, content);
    str_release(&path);
    return state;
}

static bool is_same(const struct compiled_source *a, const struct compiled_source *b)
{
    return !strcmp(a->folder, b->folder) && !strcmp(a->name, b->name) && a->size_count == b->size_count &&
           !memcmp(a->sizes, b->sizes, a->size_count * sizeof *a->sizes) && a->built.tv_sec == b->built.tv_sec &&
           a->built.tv_nsec == b->built.tv_nsec;
}

const struct source_text *source_texts_find(struct source_texts *s, const struct compiled_source *asked)
{
    for (size_t i = 0; i < s->count; i++)
        if (is_same(&s->items[i].compiled, asked))
            return &s->items[i];
    struct source_text *t = ARRAY_PUSH(s);
    if (!t)
        return NULL;
    t->compiled = *asked;
    t->compiled.folder = strdup(asked->folder);
    t->compiled.name = strdup(asked->name);
    str_init(&t->content);
    if (!t->compiled.folder || !t->compiled.name) {
        free((char *)t->compiled.folder);
        free((char *)t->compiled.name);
        s->count--;
        return NULL;
    }
    t->state = read_source(asked, &t->content);
    return t;
}

/* ---- which line ---- */

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static size_t find_line(const struct source_text *t, uint32_t line, const char **begin)
{
    const char *at = str_text(&t->content), *end = at + t->content.length;
    for (uint32_t i = 1; i < line && at; i++) {
        at = memchr(at, '\n', (size_t)(end - at));
        at = at ? at + 1 : NULL;
    }
    if (!line || !at)
        return 0;
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    *begin = at;
    return (size_t)((newline ? newline : end) - at);
}

/* Cuts between two characters. */
static void add_cut(struct str *out, const char *text, size_t length)
{
    static const char more[] = "\xe2\x80\xa6";
    size_t end = length;
    if (length > SOURCE_LINE_BYTES_MAX)
        for (end = SOURCE_LINE_BYTES_MAX - (sizeof more - 1); end && ((unsigned char)text[end] & 0xc0) == 0x80;)
            end--;
    str_add_bytes(out, text, end);
    if (end < length)
        str_add(out, more);
}

void source_text_line(const struct source_text *t, uint32_t line, struct str *out)
{
    enum { LOOKED_AT = SOURCE_LINE_BYTES_MAX + 4 }; /* one character more than is shown */
    const char *begin = "";
    size_t length = find_line(t, line, &begin);
    for (; length && is_blank(*begin); length--)
        begin++;
    while (length && is_blank(begin[length - 1]))
        length--;
    char some[LOOKED_AT];
    length = length < LOOKED_AT ? length : LOOKED_AT;
    for (size_t i = 0; i < length; i++)
        some[i] = begin[i] == '\t' ? ' ' : begin[i];
    struct str visible;
    str_init(&visible);
    utf8_add_visible(&visible, some, length);
    add_cut(out, str_text(&visible), visible.length);
    out->failed |= visible.failed;
    str_release(&visible);
}
