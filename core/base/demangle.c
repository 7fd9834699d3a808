/* What is this kernel called in its source? */
#include "core/base/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/count_of.h"
#include "core/base/demangle_work.h"

enum {
    SYMBOL_BYTES_MAX = 16 * 1024, /* each character takes 130 bytes for the tree, and up to 100 of stack to read */
    PLAIN_BYTES_MAX = 1024,       /* the demangler's own limit, which keeps its stack small */
};

/* ---- what can be seen in a symbol's text ---- */

static size_t number_length(const char *at)
{
    return strspn(at, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");
}

/* Counts the places where a symbol refers back: "S_", "SA_", "T_", "T3_". */
static size_t back_references(const char *symbol)
{
    size_t count = 0;
    for (const char *at = symbol; (at = strpbrk(at, "ST")); at++)
        count += at[1 + number_length(at + 1)] == '_';
    return count;
}

/* Does it have a parameter such as "TA0_", the 362nd? The demangler searches a list of that length for it. */
static bool has_far_parameter(const char *symbol)
{
    for (const char *at = symbol; (at = strchr(at, 'T')); at++) {
        const size_t length = number_length(at + 1);
        if (length > 1 && at[1 + length] == '_')
            return true;
    }
    return false;
}

/* May it contain a pack or a far parameter, which the demangler walks without printing anything? Also true
 * when a plain name happens to contain such a code; that name takes the longer way. */
static bool may_be_silent(const char *symbol)
{
    static const char *const codes[] = {"Dp", "sp", "sZ", "sP", "fl", "fr", "fL", "fR"};
    for (size_t i = 0; i < COUNT_OF(codes); i++)
        if (strstr(symbol, codes[i]))
            return true;
    return has_far_parameter(symbol);
}

/* In the name of a conversion ("cv") the demangler reads the arguments of each template parameter ("T_I") twice, and
 * those inside them four times. */
static bool is_read_too_often(const char *symbol)
{
    enum { DOUBLINGS_MAX = 12 };
    size_t count = 0;
    for (const char *at = symbol; (at = strchr(at, 'T')); at++)
        count += !strncmp(at + 1 + number_length(at + 1), "_I", 2);
    return count > DOUBLINGS_MAX && strstr(symbol, "cv");
}

/* ---- names ---- */

struct demangled {
    struct str text;
    jmp_buf too_long;
};

/* A symbol's parts refer to one another, so 250 bytes can stand for a name of 500 MB. The demangler cannot be told to
 * stop, but a longjmp leaks nothing: all its memory is on the stack or is ours. */
static void take_piece(const char *piece, size_t length, void *data)
{
    struct demangled *d = data;
    if (length > DEMANGLED_BYTES_MAX - d->text.length)
        longjmp(d->too_long, 1);
    str_add_bytes(&d->text, piece, length);
}

static bool demangles_plain(struct demangled *d, const char *symbol, int options)
{
    if (setjmp(d->too_long))
        return false;
    return cplus_demangle_v3_callback(symbol, options, take_piece, d) && !d->text.failed;
}

static bool prints(struct demangled *d, struct demangle_component *root, int options)
{
    if (setjmp(d->too_long))
        return false;
    return cplus_demangle_print_callback(options, root, take_piece, d) && !d->text.failed;
}

/* Prints the same tree whose steps were counted. "sr1a1x" has two readings. Only the plain way tries them in order:
 * libiberty does not define which of them a tree has. */
static bool demangles_counted(struct demangled *d, const char *symbol, int options)
{
    enum { REFERENCES_MAX = 20 }; /* each doubles the work at most */
    const size_t length = strlen(symbol);
    void *parts = NULL;
    struct demangle_component *root =
        strstr(symbol, "sr") ? NULL : cplus_demangle_v3_components(symbol, options | DMGL_NO_RECURSE_LIMIT, &parts);
    if (!root)
        return length <= PLAIN_BYTES_MAX && back_references(symbol) <= REFERENCES_MAX &&
               demangles_plain(d, symbol, options);
    const bool done = demangle_is_little_work(root, parts, 2 * length) && prints(d, root, options);
    free(parts);
    return done;
}

static bool demangles(struct demangled *d, const char *symbol, int options)
{
    const size_t length = strlen(symbol);
    if (length > SYMBOL_BYTES_MAX || is_read_too_often(symbol))
        return false;
    return length > PLAIN_BYTES_MAX || may_be_silent(symbol) ? demangles_counted(d, symbol, options)
                                                             : demangles_plain(d, symbol, options);
}

static void demangle(struct str *out, const char *symbol, int options)
{
    struct demangled d;
    str_init(&d.text);
    const bool is_mangled = symbol[0] == '_' && demangles(&d, symbol, options);
    str_add(out, is_mangled ? str_text(&d.text) : symbol);
    str_release(&d.text);
}

void demangle_full(struct str *out, const char *symbol)
{
    demangle(out, symbol, DMGL_PARAMS | DMGL_ANSI);
}

enum { BRACKETS_MAX = 256 }; /* the most that may be open at once; a name with more is kept whole */

/* Where the parts of a demangled name lie: "type ns::name<arguments>(parameters)". */
struct parts {
    size_t name;       /* after the last space outside all brackets; before it stands the return type */
    size_t arguments;  /* the '<' of the name's own template arguments; equal to parameters when there are none */
    size_t parameters; /* the '(' of the parameters; the end when there is none */
};

struct scan {
    const char *text;
    size_t opened[BRACKETS_MAX]; /* positions of the brackets that are open */
    size_t depth;
    size_t name;             /* as in struct parts, up to here */
    size_t angle, angle_end; /* the last '<' outside all brackets, and the place after its '>' */
    bool is_operator;        /* from here on spaces belong to the name: "operator float*" */
    size_t operator_end;     /* the place after the last operator's symbol */
    bool has_parameters;
    struct parts parts;
};

static bool is_word(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Returns the length of the "operator<<" that starts here; 0 when none does. Only operators with brackets matter. */
static size_t operator_length(const char *text, size_t at)
{
    static const char *const symbols[] = {"()", "[]", "<=>", "<<=", ">>=", "<<", ">>",
                                          "<=", ">=", "->*", "->",  "<",   ">",  ""};
    enum { WORD = sizeof "operator" - 1 };
    if (text[at] != 'o' || strncmp(text + at, "operator", WORD) || is_word(text[at + WORD]) ||
        (at && is_word(text[at - 1])))
        return 0;
    size_t i = 0;
    while (strncmp(text + at + WORD, symbols[i], strlen(symbols[i])))
        i++;
    return WORD + strlen(symbols[i]);
}

static struct parts parts_until(const struct scan *s, size_t end)
{
    const bool has_arguments = s->angle_end == end && end;
    return (struct parts){s->name, has_arguments ? s->angle : end, end};
}

/* Are the parentheses before this the parameters of an enclosing function, as in "f(int)::{lambda()#1}"? */
static bool is_enclosing(const char *behind)
{
    return !strncmp(behind, "::", 2) || !strncmp(behind, " const::", 8);
}

static bool open_bracket(struct scan *s, size_t at)
{
    if (s->depth == BRACKETS_MAX)
        return false;
    if (!s->depth && s->text[at] == '(') {
        s->parts = parts_until(s, at);
        s->has_parameters = true;
    }
    s->opened[s->depth++] = at;
    return true;
}

/* A '<' that does not open template arguments closes with the bracket around it. */
static void close_bracket(struct scan *s, size_t at, char opening)
{
    size_t depth = s->depth;
    while (depth && s->text[s->opened[depth - 1]] != opening)
        depth = opening == '<' ? 0 : depth - 1;
    if (!depth)
        return;
    s->depth = depth - 1;
    if (s->depth)
        return;
    if (opening == '<') {
        s->angle = s->opened[0];
        s->angle_end = at + 1;
    } else if (opening == '(' && is_enclosing(s->text + at + 1))
        s->has_parameters = false;
}

/* The demangler puts the operands of a comparison in parentheses: "(1)<(2)". */
static bool is_less_than(const struct scan *s, size_t at)
{
    return at && s->text[at - 1] == ')' && at != s->operator_end;
}

static bool step(struct scan *s, size_t at)
{
    switch (s->text[at]) {
    case '<': return is_less_than(s, at) || open_bracket(s, at);
    case '(':
    case '[':
    case '{': return open_bracket(s, at);
    case '>':
        if (at && s->text[at - 1] != '-')
            close_bracket(s, at, '<');
        return true;
    case ')': close_bracket(s, at, '('); return true;
    case ']': close_bracket(s, at, '['); return true;
    case '}': close_bracket(s, at, '{'); return true;
    case ' ':
        if (!s->depth && !s->is_operator && strncmp(s->text + at, " const::", 8) != 0)
            s->name = at + 1;
        return true;
    default: return true;
    }
}

static struct parts find_parts(const char *text)
{
    struct scan s = {.text = text};
    const struct parts whole = {0, strlen(text), strlen(text)};
    for (size_t at = 0; text[at]; at++) {
        const size_t length = operator_length(text, at);
        if (length) {
            s.is_operator |= !s.depth;
            at += length - 1;
            s.operator_end = at + 1;
            if (!s.depth && text[at + 1] == ' ' && text[at + 2] == '<')
                at++; /* "operator< <int>" */
        } else if (!step(&s, at))
            return whole;
    }
    if (s.has_parameters)
        return s.parts;
    if (!s.angle_end && !s.depth)
        return whole;                                                 /* no declaration: "copy h2d" */
    return parts_until(&s, s.depth ? s.opened[0] : whole.parameters); /* a name that was cut has open brackets */
}

static void add_name(struct str *out, const char *symbol, bool with_arguments)
{
    struct str full;
    str_init(&full);
    demangle_full(&full, symbol);
    const char *text = str_text(&full);
    const struct parts parts = find_parts(text);
    size_t end = with_arguments ? parts.parameters : parts.arguments;
    while (end > parts.name && text[end - 1] == ' ')
        end--;
    if (end > parts.name)
        str_add_bytes(out, text + parts.name, end - parts.name);
    else
        str_add(out, text);
    str_release(&full);
}

void demangle_short(struct str *out, const char *symbol)
{
    add_name(out, symbol, false);
}

void demangle_template(struct str *out, const char *symbol)
{
    add_name(out, symbol, true);
}
