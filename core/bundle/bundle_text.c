/* Which parts of a text must not leave this machine? */
#define _GNU_SOURCE
#include "core/bundle/bundle_text.h"

#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "core/base/count_of.h"

#define HOST_WORD "HOST"

enum { HOST_BYTES = 256 };

/* ---- paths ---- */

static bool is_one_of(char c, const char *set)
{
    return c && strchr(set, c);
}

static bool ends_path(char c)
{
    return !c || isspace((unsigned char)c) || is_one_of(c, "\"'`,;:()[]{}<>=|&");
}

/* An absolute path begins after this character. Before the slash of a relative path stands a character of a file name,
 * or one that a shell expands. */
static bool is_before_path(char c)
{
    return !c || isspace((unsigned char)c) || is_one_of(c, "\"'`,;:=([{<>|&@\\!^#");
}

static size_t slashes(const char *text)
{
    return strspn(text, "/");
}

/* Does something with that name exist at the root: "usr" for "/usr/include"? */
static bool is_at_root(const char *path)
{
    char first[NAME_MAX + 2] = "/";
    const char *name = path + slashes(path);
    size_t length = 0;
    while (!ends_path(name[length]) && name[length] != '/')
        length++;
    if (length > NAME_MAX)
        return false;
    memcpy(first + 1, name, length);
    first[1 + length] = '\0';
    return access(first, F_OK) == 0;
}

/* True for "-I/usr/include" and "-isystem/usr/include", but not for "-Iinclude/cpprof"; "-5/3" is a number. */
static bool is_behind_option(const char *text, size_t at)
{
    size_t start = at;
    while (start && (isalnum((unsigned char)text[start - 1]) || is_one_of(text[start - 1], "-_+.")))
        start--;
    if (start == at || text[start] != '-' || (start && !is_before_path(text[start - 1])))
        return false;
    const bool is_one_letter = at - start == 2 && isalpha((unsigned char)text[start + 1]);
    return is_one_letter || is_at_root(text + at);
}

/* "https://host/path" is not a path on this machine; "file://host/path" and "sqlite:///path" are. */
static bool is_remote_url(const char *text, size_t at)
{
    static const char file[] = "file:";
    const size_t length = sizeof file - 1;
    if (!at || text[at - 1] != ':' || slashes(text + at) != 2)
        return false;
    return at < length || strncasecmp(text + at - length, file, length) != 0;
}

static bool starts_path(const char *text, size_t at)
{
    if (text[at] != '/' || (at && text[at - 1] == '/'))
        return false;
    const char next = text[at + slashes(text + at)];
    if (ends_path(next) || next == '*' || next == '?')
        return false;
    return at == 0 || is_before_path(text[at - 1]) || is_behind_option(text, at);
}

static size_t path_end(const char *text, size_t at)
{
    while (!ends_path(text[at]))
        at++;
    return at;
}

/* Returns where the last part of the path in [at, end) begins. */
static size_t last_part(const char *text, size_t at, size_t end)
{
    size_t last = end;
    while (last > at && text[last - 1] == '/') /* "/usr/lib/" */
        last--;
    while (last > at && text[last - 1] != '/')
        last--;
    return last;
}

static void add_without_paths(struct str *out, const char *text)
{
    for (size_t i = 0; text[i];) {
        if (!starts_path(text, i)) {
            str_add_char(out, text[i++]);
            continue;
        }
        const size_t end = path_end(text, i + slashes(text + i));
        const size_t from = is_remote_url(text, i) ? i : last_part(text, i, end);
        str_add_bytes(out, text + from, end - from);
        i = end;
    }
}

/* ---- the machine's name ---- */

static bool is_in_name(char c)
{
    return isalnum((unsigned char)c) || c == '-' || c == '_';
}

static void add_without(struct str *out, const char *text, const char *name)
{
    const size_t length = strlen(name);
    for (size_t i = 0; text[i];) {
        const bool is_it = length && !strncasecmp(text + i, name, length) && (i == 0 || !is_in_name(text[i - 1])) &&
                           !is_in_name(text[i + length]);
        if (is_it)
            str_add(out, HOST_WORD);
        else
            str_add_char(out, text[i]);
        i += is_it ? length : 1;
    }
}

void bundle_add_text_of(struct str *out, const char *text, const char *host)
{
    char first[HOST_BYTES]; /* the first part of "node1.example.org" */
    struct str paths, whole;
    str_init(&paths);
    str_init(&whole);
    add_without_paths(&paths, text);
    add_without(&whole, str_text(&paths), host);
    const size_t length = strcspn(host, ".");
    memcpy(first, host, length);
    first[length] = '\0';
    add_without(out, str_text(&whole), first);
    out->failed |= paths.failed || whole.failed;
    str_release(&paths);
    str_release(&whole);
}

/* Gives "" when the machine has no name of its own. */
static void find_host(char host[HOST_BYTES])
{
    host[HOST_BYTES - 1] = '\0';
    if (gethostname(host, HOST_BYTES - 1) || !strncasecmp(host, "localhost", strlen("localhost")))
        *host = '\0';
}

void bundle_add_text(struct str *out, const char *text)
{
    char host[HOST_BYTES];
    find_host(host);
    bundle_add_text_of(out, text, host);
}

/* ---- the manifest ---- */

/* All other texts are ours, and a machine may be called "capture". */
static bool is_free_text(const char *key)
{
    static const char *const keys[] = {"command", "detail", "failure", "said", "why", "caveats", "untraced"};
    for (size_t i = 0; i < COUNT_OF(keys); i++)
        if (!strcmp(keys[i], key))
            return true;
    return false;
}

static int clean_text(json_t *value, const char *host, struct err *e)
{
    struct str text;
    str_init(&text);
    bundle_add_text_of(&text, json_string_value(value), host);
    int rc = text.failed || json_string_setn_nocheck(value, str_text(&text), text.length) ? err_memory(e) : 0;
    str_release(&text);
    return rc;
}

/* `here` is the name to look for in this value, `host` the name for free texts inside it. */
static int clean(json_t *value, const char *here, const char *host, struct err *e)
{
    size_t i;
    const char *key;
    json_t *member;
    void *next;
    int rc = 0;
    json_array_foreach (value, i, member)
        if ((rc = clean(member, here, host, e)))
            return rc;
    json_object_foreach_safe(value, next, key,
                             member) if ((rc = clean(member, is_free_text(key) ? host : here, host, e))) return rc;
    return json_is_string(value) ? clean_text(value, here, e) : 0;
}

int bundle_clean_manifest(json_t *manifest, struct err *e)
{
    char host[HOST_BYTES];
    find_host(host);
    return clean(manifest, "", host, e);
}
