/* Which part of a kernel's name says what it does? */
#define _GNU_SOURCE
#include "core/trace/kernel_names.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <string.h>

#include "core/base/count_of.h"
#include "core/base/demangle.h"

enum { DEPTH_MAX = 16, WORD_BYTES_MAX = 256, BASE_LEAST = 8 };

/* Names that say nothing. */
static const char *const empty_names[] = {
    "kernel",        "Kernel",        "Kernel[0-9]", "kernel[0-9]", "device_kernel",
    "_kernel_agent", "static_kernel", "kernel_impl", "functor",     "run"};

/* Names of which a library has many kernels, each with a functor. */
static const char *const general_names[] = {"*elementwise_kernel*",      "*elementwise_grid_stride*", "reduce_kernel*",
                                            "multi_tensor_apply_kernel", "transform_kernel",          "*parallel_for*"};

/* Template arguments that are a type, or hold the one that matters. */
static const char *const wrappers[] = {
    "void",
    "bool",
    "char",
    "short",
    "int",
    "long",
    "float",
    "double",
    "signed",
    "unsigned",
    "const",
    "size_t",
    "*int[0-9]*_t",
    "half*",
    "__half*",
    "__nv_*",
    "nv_*",
    "Half",
    "BFloat16",
    "*bfloat16*",
    "Float8*",
    "float_*",
    "complex",
    "array",
    "Array",
    "tuple",
    "pair",
    "integral_constant",
    "*olicy*",
    "*Calculator*",
    "*WithoutCast",
    "*WithCast",
    "*Metadata*",
    "*Params*",
    "*params*",
    "*Tensor*",
    "*iterator*",
    "*Iterator*",
    "device_ptr",
    "gpu_kernel_impl*",
    "gpu_index_kernel",
    "ReduceOp",
    "func_wrapper_t",
    "BinaryFunctor",
    "AUnaryFunctor",
    "BUnaryFunctor",
    "ParallelForAgent",
    "enable_*",
    "Sm[0-9][0-9]",
    "Sm[0-9][0-9][0-9]",
    "C",
    "T[0-9]*",
    "type",
    "operator",
    "lambda",
    "true",
    "false",
    "Config*",
    "config*",
};

#define IS_ONE_OF(list, word) is_one_of(list, COUNT_OF(list), word)

static bool is_one_of(const char *const *patterns, size_t count, const char *word)
{
    for (size_t i = 0; i < count; i++)
        if (!fnmatch(patterns[i], word, 0))
            return true;
    return false;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* ---- paths ---- */

/* "a::b::c": its last word, and the one before it. Bytes of the text. */
struct path {
    const char *word, *before; /* NULL: there is none */
    size_t word_bytes, before_bytes;
    const char *end;
};

static const char *skip_unnamed(const char *at, const char *end)
{
    static const char *const unnamed[] = {"(anonymous namespace)::", "<unnamed>::", "_NV_ANON_NAMESPACE::"};
    for (size_t i = 0; i < COUNT_OF(unnamed); i++)
        if ((size_t)(end - at) >= strlen(unnamed[i]) && !strncmp(at, unnamed[i], strlen(unnamed[i])))
            return at + strlen(unnamed[i]);
    return at;
}

static struct path read_path(const char *at, const char *end)
{
    struct path p = {.end = at};
    for (;;) {
        at = skip_unnamed(at, end);
        const char *const begin = at;
        while (at < end && is_word(*at))
            at++;
        if (at > begin) {
            p.before = p.word;
            p.before_bytes = p.word_bytes;
            p.word = begin;
            p.word_bytes = (size_t)(at - begin);
            p.end = at;
        }
        if (end - at < 2 || at[0] != ':' || at[1] != ':')
            return p;
        at += 2;
        if (at == end || (!is_word(*at) && skip_unnamed(at, end) == at))
            return p;
    }
}

static bool path_is(const struct path *p, const char *const *patterns, size_t count)
{
    char word[WORD_BYTES_MAX];
    if (!p->word || p->word_bytes >= sizeof word)
        return false;
    memcpy(word, p->word, p->word_bytes);
    word[p->word_bytes] = '\0';
    return is_one_of(patterns, count, word);
}

static void add_path(struct str *out, const struct path *p)
{
    if (p->before && path_is(p, empty_names, COUNT_OF(empty_names))) {
        str_add_bytes(out, p->before, p->before_bytes);
        str_add(out, "::");
    }
    str_add_bytes(out, p->word, p->word_bytes);
}

/* The end of what begins with a bracket at `at`, or `end`. */
static const char *behind_brackets(const char *at, const char *end)
{
    int depth = 0;
    for (; at < end; at++) {
        if (strchr("<([{", *at))
            depth++;
        else if (strchr(">)]}", *at) && !(*at == '>' && at[-1] == '-') && !--depth)
            return at + 1;
    }
    return end;
}

/* ---- the argument that says what a kernel does ---- */

static const char *end_of_argument(const char *at, const char *end)
{
    while (at < end && *at != ',')
        at = strchr("<([{", *at) ? behind_brackets(at, end) : at + 1;
    return at;
}

/* The first word in [at, end) that is neither a plain type nor a wrapper, those inside of wrappers included. */
static bool find_fact(struct path *fact, const char *at, const char *end, int depth)
{
    while (at < end && depth < DEPTH_MAX) {
        while (at < end && (*at == ' ' || *at == ',' || *at == ':' || *at == '&'))
            at++;
        const char *const next = end_of_argument(at, end);
        const struct path p = read_path(at, next);
        if (p.word && !isdigit((unsigned char)*p.word) && !path_is(&p, wrappers, COUNT_OF(wrappers))) {
            *fact = p;
            return true;
        }
        if (p.word && p.end < next && *p.end == '<') {
            const char *const inner = behind_brackets(p.end, next);
            if (inner > p.end + 1 && find_fact(fact, p.end + 1, inner - 1, depth + 1))
                return true;
        }
        at = next < end ? next + 1 : end;
    }
    return false;
}

/* ---- names ---- */

/* A name and its arguments: "ns::base", "<...>". Release both. */
struct parts {
    struct str base, whole;
    const char *arguments; /* in `whole`; empty without any */
};

static void parts_init(struct parts *p, const char *full)
{
    str_init(&p->base);
    str_init(&p->whole);
    demangle_short(&p->base, full);
    demangle_template(&p->whole, full);
    const size_t length = p->base.length;
    const bool has_both = p->whole.length > length && !strncmp(str_text(&p->whole), str_text(&p->base), length);
    p->arguments = has_both && str_text(&p->whole)[length] == '<' ? str_text(&p->whole) + length : "";
}

static void parts_release(struct parts *p, struct str *out)
{
    out->failed |= p->base.failed || p->whole.failed;
    str_release(&p->base);
    str_release(&p->whole);
}

static const char *last_word(const char *base)
{
    const char *word = base;
    for (const char *at = base; *at; at++)
        if (at[0] == ':' && at[1] == ':')
            word = at + 2;
    return word;
}

/* Copies one piece of the arguments and returns what follows it. */
static const char *add_piece(struct str *out, const char *at, const char *end)
{
    const struct path p = read_path(at, end);
    if (p.word) {
        add_path(out, &p);
        /* The parameters of a function, and the lambda in it. */
        return p.end < end && *p.end == '(' ? end_of_argument(p.end, end) : p.end;
    }
    if (*at == '(' && (at[-1] == '<' || at[-1] == ' ')) /* ncu writes "(int)4" */
        return behind_brackets(at, end);
    if (*at == ' ' && at + 1 < end && strchr(">&*", at[1]))
        return at + 1;
    if (at[0] == ':' && at + 1 < end && at[1] == ':')
        return at + 2;
    str_add_char(out, *at);
    return at + 1;
}

static void add_arguments(struct str *out, const char *at)
{
    const char *const end = at + strlen(at);
    if (at < end)
        str_add_char(out, *at++);
    while (at < end)
        at = add_piece(out, at, end);
}

void kernel_name_short(struct str *out, const char *full)
{
    struct parts p;
    struct path fact;
    parts_init(&p, full);
    str_add(out, str_text(&p.base));
    const char *const word = last_word(str_text(&p.base)), *const end = p.arguments + strlen(p.arguments);
    const bool is_empty = IS_ONE_OF(empty_names, word);
    if (*p.arguments && (is_empty || IS_ONE_OF(general_names, word)) && find_fact(&fact, p.arguments + 1, end - 1, 0)) {
        str_add(out, "<");
        add_path(out, &fact);
        str_add(out, ">");
    } else if (is_empty && word == str_text(&p.base)) {
        add_arguments(out, p.arguments); /* nothing else tells it apart */
    }
    parts_release(&p, out);
}

void kernel_name_compact(struct str *out, const char *full)
{
    struct parts p;
    parts_init(&p, full);
    str_add(out, str_text(&p.base));
    add_arguments(out, p.arguments);
    parts_release(&p, out);
}

void kernel_name_alone(struct str *out, const char *full)
{
    struct str name;
    str_init(&name);
    kernel_name_short(&name, full);
    if (!strchr(str_text(&name), '<')) {
        str_clear(&name);
        kernel_name_compact(&name, full);
    }
    str_add(out, str_text(&name));
    out->failed |= name.failed;
    str_release(&name);
}

/* ---- fits ---- */

/* Behind the namespaces of the name itself; an empty name keeps the last of them. */
static const char *without_namespaces(const char *name)
{
    const char *const end = name + strcspn(name, "<");
    const char *at = name, *begin = name;
    while (at < end) {
        const struct path p = read_path(at, end);
        if (!p.word)
            break;
        begin = p.before && path_is(&p, empty_names, COUNT_OF(empty_names)) ? p.before : p.word;
        at = p.end + (p.end < end);
    }
    return *begin ? begin : name;
}

static size_t begin_of_character(const char *text, size_t at)
{
    while (((unsigned char)text[at] & 0xc0) == 0x80)
        at++;
    return at;
}

/* A name that is too long loses its middle: its end tells instances apart. */
static void cut_middle(struct str *out, const char *text, size_t length, size_t columns)
{
    const size_t back = columns / 3;
    size_t end = columns - back - 1;
    while (end && ((unsigned char)text[end] & 0xc0) == 0x80)
        end--;
    const size_t from = begin_of_character(text, length - back);
    str_addf(out, "%.*s\xe2\x80\xa6%.*s", (int)end, text, (int)(length - from), text + from);
}

void kernel_name_fit(struct str *out, const char *name, size_t columns)
{
    name = without_namespaces(name);
    const size_t length = strlen(name), base = strcspn(name, "<");
    const bool has_fact = base < length && name[length - 1] == '>' && !strpbrk(name + base + 1, "<,");
    struct path p = read_path(name, name + base);
    if (length <= columns)
        str_add(out, name);
    else if (has_fact && path_is(&p, empty_names, COUNT_OF(empty_names))) {
        struct str fact;
        str_init(&fact);
        str_add_bytes(&fact, name + base + 1, length - base - 2);
        if (fact.length <= columns)
            str_add(out, str_text(&fact));
        else
            cut_middle(out, str_text(&fact), fact.length, columns);
        str_release(&fact);
    } else if (has_fact && length - base + BASE_LEAST <= columns) {
        cut_middle(out, name, base, columns - (length - base));
        str_add(out, name + base);
    } else
        cut_middle(out, name, length, columns);
}
