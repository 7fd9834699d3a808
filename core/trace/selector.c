/* Which events does a selector select? A class, and filters that must all hold. Name patterns are matched once for each
 * distinct name, not for each event. */
#define _POSIX_C_SOURCE 200809L
#include "core/trace/selector.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/demangle.h"
#include "core/base/pattern.h"
#include "core/base/str.h"
#include "core/base/stream_edge.h"
#include "core/trace/communication/comm_names.h"
#include "core/trace/event_spool.h"
#include "core/trace/event_stream.h"
#include "core/trace/range_name.h"
#include "core/trace/readers/work_names.h"

enum { FILTERS_MAX = 8 };

enum { ANY_DETAIL = -1 };

/* What each class takes; event_is_gpu_work decides for CLASS_ANY. */
static const struct {
    const char *name;
    int kind;
    int detail;
} classes[CLASS_COUNT] = {
    [CLASS_KERNEL] = {"kernel", CPPROF_EVENT_KERNEL, ANY_DETAIL},
    [CLASS_COPY] = {"copy", CPPROF_EVENT_COPY, ANY_DETAIL},
    [CLASS_H2D] = {"h2d", CPPROF_EVENT_COPY, CPPROF_COPY_H2D},
    [CLASS_D2H] = {"d2h", CPPROF_EVENT_COPY, CPPROF_COPY_D2H},
    [CLASS_D2D] = {"d2d", CPPROF_EVENT_COPY, CPPROF_COPY_D2D},
    [CLASS_P2P] = {"p2p", CPPROF_EVENT_COPY, CPPROF_COPY_P2P},
    [CLASS_MEMSET] = {"memset", CPPROF_EVENT_MEMSET, ANY_DETAIL},
    [CLASS_MIGRATION] = {"migration", CPPROF_EVENT_MIGRATION, ANY_DETAIL},
    [CLASS_COMM] = {"comm", CPPROF_EVENT_KERNEL, ANY_DETAIL},
    [CLASS_COMPUTE] = {"compute", CPPROF_EVENT_KERNEL, ANY_DETAIL},
    [CLASS_API] = {"api", CPPROF_EVENT_API, ANY_DETAIL},
    [CLASS_SYNC] = {"sync", CPPROF_EVENT_SYNC, ANY_DETAIL},
    [CLASS_NVTX] = {"nvtx", CPPROF_EVENT_RANGE, ANY_DETAIL},
    [CLASS_ANY] = {"any", 0, ANY_DETAIL},
};

enum filter_key { KEY_NAME, KEY_STREAM, KEY_DEVICE, KEY_NVTX, KEY_RANK, KEY_COUNT };

static const char *const key_names[KEY_COUNT] = {
    [KEY_NAME] = "name", [KEY_STREAM] = "stream", [KEY_DEVICE] = "device", [KEY_NVTX] = "nvtx", [KEY_RANK] = "rank"};

struct filter {
    enum filter_key key;
    char *glob;    /* name= nvtx= */
    regex_t regex; /* name=~ nvtx=~ */
    bool has_regex;
    bool only_work;   /* all names that it takes have a word of calls that launch, copy, set or wait */
    long long number; /* the other keys */
};

/* What holds for events of a name. */
enum name_fact { NAME_TAKEN = 1, NAME_COMMUNICATES = 2 };

struct selector {
    enum event_class class_;
    struct filter filters[FILTERS_MAX];
    size_t filter_count;
    bool by_name;              /* some condition depends on the name */
    struct comm_matcher *comm; /* of CLASS_COMM and CLASS_COMPUTE, while it is bound */
    char *text;
    uint8_t *names; /* for each string id, including 0: enum name_fact */
    size_t name_count;
    const struct filter *range; /* the nvtx filter among the filters; NULL: none */
    bool own_thread;            /* of the range filter */
    bool *range_ok;             /* for each string id */
    size_t range_count;
};

const char *event_class_name(enum event_class c)
{
    return classes[c].name;
}

int event_class_from_name(const char *name, size_t length)
{
    for (int c = 0; c < CLASS_COUNT; c++)
        if (strlen(classes[c].name) == length && !memcmp(classes[c].name, name, length))
            return c;
    return -1;
}

static void skip_spaces(const char **text)
{
    while (isspace((unsigned char)**text))
        (*text)++;
}

static size_t word_length(const char *text)
{
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '_')
        length++;
    return length;
}

static void list_names(struct str *out, const char *name)
{
    if (out->length)
        str_add_char(out, ' ');
    str_add(out, name);
}

static int unknown_class(const char *word, size_t length, struct err *e)
{
    struct str known;
    str_init(&known);
    for (int c = 0; c < CLASS_COUNT; c++)
        list_names(&known, classes[c].name);
    int code = length ? err_set(e, ERR_USAGE, "unknown class '%.*s'; known: %s", (int)(length > 80 ? 80 : length), word,
                                str_text(&known))
                      : err_set(e, ERR_USAGE, "expected a class of events: %s", str_text(&known));
    str_release(&known);
    return code;
}

static int unknown_key(const char *word, size_t length, struct err *e)
{
    struct str known;
    str_init(&known);
    for (int k = 0; k < KEY_COUNT; k++)
        list_names(&known, key_names[k]);
    int code = err_set(e, ERR_USAGE, "unknown filter key '%.*s'; known: %s", (int)(length > 80 ? 80 : length), word,
                       str_text(&known));
    str_release(&known);
    return code;
}

/* Parses a pattern: either "quoted" (\" is a quote, any other backslash stays), or up to a space, a comma or a closing
 * bracket. */
static int parse_pattern(const char **text, struct str *out, struct err *e)
{
    const char *at = *text;
    if (*at != '"') {
        size_t length = strcspn(at, " \t,]\"");
        if (!length)
            return err_set(e, ERR_USAGE, "expected a pattern");
        str_add_bytes(out, at, length);
        *text = at + length;
        return 0;
    }
    for (at++; *at != '"'; at++) {
        if (!*at)
            return err_set(e, ERR_USAGE, "the quote is never closed");
        if (at[0] == '\\' && at[1] == '"')
            at++;
        str_add_char(out, *at);
    }
    if (!out->length)
        return err_set(e, ERR_USAGE, "the pattern is empty");
    *text = at + 1;
    return 0;
}

static int set_number(struct filter *f, const char *pattern, bool is_regex, struct err *e)
{
    char *end;
    errno = 0;
    f->number = strtoll(pattern, &end, 10);
    if (is_regex || errno || *end || !isdigit((unsigned char)pattern[0]))
        return err_set(e, ERR_USAGE, "'%s' takes '=' and a number", key_names[f->key]);
    return 0;
}

static int set_text(struct filter *f, const char *pattern, bool is_regex, const char *what, struct err *e)
{
    f->only_work = f->key == KEY_NAME && work_is_required(pattern, is_regex);
    if (is_regex) {
        const int code = pattern_compile(&f->regex, pattern, what, e);
        f->has_regex = !code;
        return code;
    }
    f->glob = strdup(pattern);
    return f->glob ? 0 : err_memory(e);
}

static int set_pattern(struct selector *s, struct filter *f, const char *pattern, bool is_regex, struct err *e)
{
    if (f->key != KEY_NAME && f->key != KEY_NVTX)
        return set_number(f, pattern, is_regex, e);
    if (f->key == KEY_NVTX && s->range)
        return err_set(e, ERR_USAGE, "a selector takes one nvtx filter");
    if (f->key == KEY_NAME) {
        s->by_name = true;
        return set_text(f, pattern, is_regex, "name pattern", e);
    }
    s->range = f;
    char *name = strndup(pattern, range_words_length(pattern, &s->own_thread));
    const int code = name ? set_text(f, name, is_regex, "range pattern", e) : err_memory(e);
    free(name);
    return code;
}

/* Appends the filter to the selector's text, quoted where necessary. */
static void describe_filter(struct str *text, const struct filter *f, const char *pattern, bool is_regex, bool first)
{
    str_addf(text, "%s%s%s", first ? "[" : ", ", key_names[f->key], is_regex ? "=~" : "=");
    if (!pattern[strcspn(pattern, " \t,]\"")]) {
        str_add(text, pattern);
        return;
    }
    str_add_char(text, '"');
    for (; *pattern; pattern++) {
        if (*pattern == '"')
            str_add_char(text, '\\');
        str_add_char(text, *pattern);
    }
    str_add_char(text, '"');
}

static int parse_filter(struct selector *s, const char **text, struct str *canonical, struct err *e)
{
    size_t length = word_length(*text);
    enum filter_key key = KEY_NAME;
    while (key < KEY_COUNT && (strlen(key_names[key]) != length || memcmp(key_names[key], *text, length)))
        key++;
    if (key == KEY_COUNT)
        return unknown_key(*text, length, e);
    if (s->filter_count == FILTERS_MAX)
        return err_set(e, ERR_USAGE, "more than %d filters", FILTERS_MAX);
    const char *at = *text + length;
    skip_spaces(&at);
    *text = at;
    if (*at != '=')
        return err_set(e, ERR_USAGE, "expected '=' or '=~' after '%s'", key_names[key]);
    const bool is_regex = at[1] == '~';
    at += is_regex ? 2 : 1;
    skip_spaces(&at);
    *text = at;

    struct str pattern;
    str_init(&pattern);
    struct filter *f = &s->filters[s->filter_count];
    f->key = key;
    int code = parse_pattern(&at, &pattern, e);
    if (!code && pattern.failed)
        code = err_memory(e);
    if (!code)
        code = set_pattern(s, f, str_text(&pattern), is_regex, e);
    if (!code) {
        describe_filter(canonical, f, str_text(&pattern), is_regex, s->filter_count == 0);
        s->filter_count++;
        *text = at;
    }
    str_release(&pattern);
    return code;
}

/* Parses the filters after '[', up to and including ']'. */
static int parse_filters(struct selector *s, const char **text, struct str *canonical, struct err *e)
{
    for (;;) {
        skip_spaces(text);
        int code = parse_filter(s, text, canonical, e);
        if (code)
            return code;
        skip_spaces(text);
        if (**text == ']')
            break;
        if (**text != ',')
            return err_set(e, ERR_USAGE, "expected ',' or ']'");
        (*text)++;
    }
    (*text)++;
    str_add_char(canonical, ']');
    return 0;
}

static bool is_by_communication(const struct selector *s)
{
    return s->class_ == CLASS_COMM || s->class_ == CLASS_COMPUTE;
}

int selector_new(struct selector **out, enum event_class c, struct err *e)
{
    struct selector *s = calloc(1, sizeof *s);
    if (!s)
        return err_memory(e);
    s->class_ = c;
    s->text = strdup(classes[c].name);
    s->by_name = is_by_communication(s);
    if (!s->text) {
        selector_free(s);
        return err_memory(e);
    }
    *out = s;
    return 0;
}

static int parse_selector(struct selector **out, const char **text, struct err *e)
{
    const size_t length = word_length(*text);
    const int c = event_class_from_name(*text, length);
    if (c < 0)
        return unknown_class(*text, length, e);
    struct selector *s;
    int code = selector_new(&s, (enum event_class)c, e);
    if (code)
        return code;
    *text += length;
    const char *after = *text;
    skip_spaces(&after);
    if (*after == '[') {
        struct str canonical;
        str_init(&canonical);
        str_add(&canonical, s->text);
        *text = after + 1;
        code = parse_filters(s, text, &canonical, e);
        free(s->text);
        s->text = str_take(&canonical);
        if (!code && !s->text)
            code = err_memory(e);
    }
    if (code) {
        selector_free(s);
        return code;
    }
    *out = s;
    return 0;
}

int selector_parse(struct selector **out, const char **text, const char *where, struct err *e)
{
    skip_spaces(text);
    int code = parse_selector(out, text, e);
    if (code && where)
        err_context(e, "%s", where);
    return code;
}

void selector_free(struct selector *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < FILTERS_MAX; i++) {
        free(s->filters[i].glob);
        if (s->filters[i].has_regex)
            regfree(&s->filters[i].regex);
    }
    comm_matcher_free(s->comm);
    free(s->text);
    free(s->names);
    free(s->range_ok);
    free(s);
}

const char *selector_text(const struct selector *s)
{
    return s->text;
}

/* A name as it was recorded, in full and in short. */
struct spellings {
    const char *recorded;
    struct str full;
    struct str brief;
};

static bool filter_takes_name(const struct filter *f, const struct spellings *name)
{
    if (f->has_regex)
        return !regexec(&f->regex, name->recorded, 0, NULL, 0) ||
               !regexec(&f->regex, str_text(&name->full), 0, NULL, 0);
    return !fnmatch(f->glob, name->recorded, 0) || !fnmatch(f->glob, str_text(&name->full), 0) ||
           !fnmatch(f->glob, str_text(&name->brief), 0);
}

static uint8_t facts_of(const struct selector *s, const struct spellings *name)
{
    for (size_t i = 0; i < s->filter_count; i++)
        if (s->filters[i].key == KEY_NAME && !filter_takes_name(&s->filters[i], name))
            return 0;
    const bool communicates =
        s->comm && (comm_matcher_takes(s->comm, name->recorded) || comm_matcher_takes(s->comm, str_text(&name->full)));
    return NAME_TAKEN | (communicates ? NAME_COMMUNICATES : 0);
}

/* Names of ranges are not symbols, so they are matched as they are. */
static int bind_range(struct selector *s, const struct strtab *strings, struct err *e)
{
    const size_t count = strtab_count(strings) + 1;
    bool *range_ok = realloc(s->range_ok, count * sizeof *range_ok);
    if (!range_ok)
        return err_memory(e);
    s->range_ok = range_ok;
    s->range_count = count;
    for (size_t id = 0; id < count; id++) {
        const char *name = strtab_text(strings, (uint32_t)id);
        range_ok[id] =
            s->range->has_regex ? !regexec(&s->range->regex, name, 0, NULL, 0) : !fnmatch(s->range->glob, name, 0);
    }
    return 0;
}

/* From id `first` on. */
static int bind_name(struct selector *s, const struct strtab *strings, size_t first, struct err *e)
{
    const size_t count = strtab_count(strings) + 1;
    uint8_t *names = realloc(s->names, count * sizeof *names);
    if (!names)
        return err_memory(e);
    s->names = names;
    s->name_count = count;
    struct spellings name;
    str_init(&name.full);
    str_init(&name.brief);
    bool failed = false;
    for (size_t id = first; id < count; id++) {
        str_clear(&name.full);
        str_clear(&name.brief);
        name.recorded = strtab_text(strings, (uint32_t)id);
        demangle_full(&name.full, name.recorded);
        demangle_short(&name.brief, name.recorded);
        names[id] = facts_of(s, &name);
        failed |= name.full.failed || name.brief.failed;
    }
    str_release(&name.full);
    str_release(&name.brief);
    return failed ? err_memory(e) : 0;
}

static int bind_communication(struct selector *s, const struct event_stream *stream, struct err *e)
{
    comm_matcher_free(s->comm);
    s->comm = NULL;
    return comm_matcher_new(&s->comm, event_stream_comm(stream), e);
}

int selector_bind(struct selector *s, const struct event_stream *stream, struct err *e)
{
    const struct strtab *strings = event_stream_strings(stream);
    int code = is_by_communication(s) ? bind_communication(s, stream, e) : 0;
    if (!code && s->by_name)
        code = bind_name(s, strings, 0, e);
    return !code && s->range ? bind_range(s, strings, e) : code;
}

int selector_bind_new(struct selector *s, const struct strtab *strings, struct err *e)
{
    return s->by_name ? bind_name(s, strings, s->name_count, e) : 0;
}

bool selector_allows(const struct selector *s, int rank, int device)
{
    for (size_t i = 0; i < s->filter_count; i++) {
        const struct filter *f = &s->filters[i];
        if ((f->key == KEY_RANK && f->number != rank) || (f->key == KEY_DEVICE && f->number != device))
            return false;
    }
    return true;
}

bool selector_allows_rank(const struct selector *s, int rank)
{
    for (size_t i = 0; i < s->filter_count; i++)
        if (s->filters[i].key == KEY_RANK && s->filters[i].number != rank)
            return false;
    return true;
}

bool selector_is_by_place(const struct selector *s)
{
    for (size_t i = 0; i < s->filter_count; i++)
        if (s->filters[i].key != KEY_NAME && s->filters[i].key != KEY_NVTX)
            return true;
    return false;
}

bool selector_is_by_rank(const struct selector *s)
{
    for (size_t i = 0; i < s->filter_count; i++)
        if (s->filters[i].key == KEY_RANK)
            return true;
    return false;
}

static bool takes_call(const struct selector *s, const char *name)
{
    for (size_t i = 0; i < s->filter_count; i++) {
        const struct filter *f = &s->filters[i];
        if (f->key == KEY_NAME && (f->has_regex ? regexec(&f->regex, name, 0, NULL, 0) : fnmatch(f->glob, name, 0)))
            return false;
    }
    return true;
}

bool selector_takes_other_calls(const struct selector *s)
{
    bool only_work = false;
    for (size_t i = 0; i < s->filter_count; i++)
        only_work |= s->filters[i].only_work;
    for (size_t i = 0; only_work && work_idle_calls[i]; i++)
        only_work = !takes_call(s, work_idle_calls[i]);
    return !only_work;
}

bool selector_is_of_host(const struct selector *s)
{
    return s->class_ == CLASS_API || s->class_ == CLASS_SYNC || s->class_ == CLASS_NVTX;
}

enum event_class selector_class(const struct selector *s)
{
    return s->class_;
}

bool selector_is_bare(const struct selector *s)
{
    return !s->filter_count && !s->by_name;
}

bool selector_is_by_range(const struct selector *s)
{
    return s->range != NULL;
}

bool selector_is_by_own_thread(const struct selector *s)
{
    return s->own_thread;
}

const bool *selector_ranges(const struct selector *s, size_t *count)
{
    *count = s->range_count;
    return s->range ? s->range_ok : NULL;
}

static bool class_takes(enum event_class c, const struct cpprof_event *event)
{
    if (c == CLASS_ANY)
        return event_is_gpu_work(event);
    if (c == CLASS_COMM && event->kind == CPPROF_EVENT_COPY)
        return event->flags & EVENT_COMMUNICATES;
    return event->kind == classes[c].kind && !stream_edge_is(event) &&
           (classes[c].detail == ANY_DETAIL || (int)event->detail == classes[c].detail);
}

static bool takes_name(const struct selector *s, const struct cpprof_event *event)
{
    const uint8_t facts = event->name < s->name_count ? s->names[event->name] : 0;
    if (!is_by_communication(s) || event->kind != CPPROF_EVENT_KERNEL)
        return facts & NAME_TAKEN;
    return facts & NAME_TAKEN && !(facts & NAME_COMMUNICATES) == (s->class_ == CLASS_COMPUTE);
}

bool selector_match(const struct selector *s, const struct cpprof_event *event)
{
    if (!class_takes(s->class_, event) || (s->by_name && !takes_name(s, event)))
        return false;
    for (size_t i = 0; i < s->filter_count; i++) {
        const struct filter *f = &s->filters[i];
        const long long has[KEY_COUNT] = {
            [KEY_STREAM] = event->stream, [KEY_DEVICE] = event->device, [KEY_RANK] = event->rank};
        if (f->key != KEY_NAME && f->key != KEY_NVTX && has[f->key] != f->number)
            return false;
    }
    return true;
}
