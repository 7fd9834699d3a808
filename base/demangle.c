/* What is this kernel called in its source? */
#include "base/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- how much work a name is ----
 * The demangler first reads a symbol into a tree whose parts are shared, then walks that tree as often as it is
 * referred to. All that is bounded is what it prints, and it can walk for years without a word: a pack that may be
 * empty is looked for in a whole pattern ("Dp", "sp", "sizeof..."), and a parameter stands for an argument. So the
 * steps are counted before, from above, with each part counted once. */

enum {
    SYMBOL_BYTES_MAX = 16 * 1024,  /* the tree takes 130 bytes of memory for each, reading it up to 100 of the stack */
    PLAIN_BYTES_MAX = 1024,        /* the demangler's own limit, which keeps its stack small */
    DEPTH_MAX = 1024,              /* the demangler gives up deeper ones */
    SCOPES_MAX = 16,               /* functions within functions' names whose parameters are in sight */
    SCOPE_BYTES_MAX = 1024 * 1024, /* of the stack, for what the demangler keeps of templates in references */
};
#define STEPS_MAX ((uint64_t)16 * 1024 * 1024) /* some 0.1 s; a kernel of CUTLASS with a name of 1.6 KB takes 4,000 */

typedef const struct demangle_component part;

struct counted {
    uint64_t steps, search; /* to print it; to look for a pack in it. 0: not counted yet */
    uint64_t list;          /* as a list: how long */
    unsigned scopes;        /* nested in it */
};

struct tree {
    part *parts;
    size_t count;
    struct counted *counted; /* a place for each part */
    uint64_t argument;       /* steps of the longest list of arguments that a parameter may stand for */
    uint64_t pack;           /* elements of the longest pack */
    uint64_t templates, references;
    bool converts; /* the parameters of a conversion may be those of any template */
    bool too_deep;
};

static uint64_t add(uint64_t a, uint64_t b)
{
    return a + b < STEPS_MAX ? a + b : STEPS_MAX;
}

static uint64_t multiply(uint64_t a, uint64_t b)
{
    return b && a >= STEPS_MAX / b ? STEPS_MAX : a * b;
}

static bool is_part(const struct tree *t, part *p)
{
    return (uintptr_t)p >= (uintptr_t)t->parts && (uintptr_t)p < (uintptr_t)(t->parts + t->count);
}

/* Its parts; what is none of the tree's is no part of it, but a text or the like. */
static void children_of(const struct tree *t, part *p, part *children[2])
{
    children[0] = children[1] = NULL;
    switch (p->type) {
    case DEMANGLE_COMPONENT_NAME:
    case DEMANGLE_COMPONENT_TEMPLATE_PARAM:
    case DEMANGLE_COMPONENT_FUNCTION_PARAM:
    case DEMANGLE_COMPONENT_SUB_STD:
    case DEMANGLE_COMPONENT_BUILTIN_TYPE:
    case DEMANGLE_COMPONENT_OPERATOR:
    case DEMANGLE_COMPONENT_CHARACTER:
    case DEMANGLE_COMPONENT_NUMBER:
    case DEMANGLE_COMPONENT_UNNAMED_TYPE: return;
    case DEMANGLE_COMPONENT_CTOR: children[0] = p->u.s_ctor.name; break;
    case DEMANGLE_COMPONENT_DTOR: children[0] = p->u.s_dtor.name; break;
    case DEMANGLE_COMPONENT_EXTENDED_OPERATOR: children[0] = p->u.s_extended_operator.name; break;
    case DEMANGLE_COMPONENT_FIXED_TYPE: children[0] = p->u.s_fixed.length; break;
    case DEMANGLE_COMPONENT_LAMBDA:
    case DEMANGLE_COMPONENT_DEFAULT_ARG: children[0] = p->u.s_unary_num.sub; break;
    default: children[0] = p->u.s_binary.left; children[1] = p->u.s_binary.right;
    }
    for (int i = 0; i < 2; i++)
        if (!is_part(t, children[i]))
            children[i] = NULL;
}

/* Of "f<int>" the template, whose arguments are those of the function's parameters. */
static part *template_of(const struct tree *t, part *function)
{
    part *children[2];
    for (int depth = 0; function && depth < DEPTH_MAX; depth++) {
        if (function->type == DEMANGLE_COMPONENT_TEMPLATE)
            return function;
        children_of(t, function, children);
        function = function->type == DEMANGLE_COMPONENT_LOCAL_NAME ? children[1] : children[0];
    }
    return NULL;
}

static struct counted *counted_of(struct tree *t, part *p)
{
    return &t->counted[p - t->parts];
}

/* What a parameter costs that stands for an argument, the one of that number. */
static uint64_t parameter_steps(const struct tree *t, part *p)
{
    const uint64_t number = p->u.s_number.number > 0 ? (uint64_t)p->u.s_number.number : 0;
    return add(number, add(1, t->argument));
}

static const struct counted *count(struct tree *t, part *p, unsigned depth)
{
    struct counted *c = counted_of(t, p);
    if (c->steps)
        return c;
    *c = (struct counted){.steps = STEPS_MAX,
                          .search = STEPS_MAX}; /* while it is counted: a part of itself never ends */
    if (depth == DEPTH_MAX) {
        t->too_deep = true;
        return c;
    }
    part *children[2];
    children_of(t, p, children);
    struct counted sum = {.steps = 1, .search = 1};
    for (int i = 0; i < 2; i++) {
        const struct counted *child = children[i] ? count(t, children[i], depth + 1) : NULL;
        if (!child)
            continue;
        sum.steps = add(sum.steps, child->steps);
        sum.search = add(sum.search, child->search);
        sum.scopes = sum.scopes > child->scopes ? sum.scopes : child->scopes;
    }
    switch (p->type) {
    case DEMANGLE_COMPONENT_TEMPLATE_PARAM: sum.steps = sum.search = parameter_steps(t, p); break;
    case DEMANGLE_COMPONENT_TEMPLATE_ARGLIST:
        sum.list = 1 + (children[1] ? counted_of(t, children[1])->list : 0);
        break;
    case DEMANGLE_COMPONENT_PACK_EXPANSION: sum.steps = add(sum.search, multiply(add(sum.steps, 1), t->pack)); break;
    case DEMANGLE_COMPONENT_UNARY: sum.steps = add(sum.steps, add(sum.search, t->pack)); break; /* sizeof... */
    case DEMANGLE_COMPONENT_TYPED_NAME: /* its arguments are in sight in its type, not in its name */
        if (children[1] && counted_of(t, children[1])->scopes == sum.scopes)
            sum.scopes++;
        break;
    case DEMANGLE_COMPONENT_LAMBDA:
    case DEMANGLE_COMPONENT_CAST:
    case DEMANGLE_COMPONENT_CONVERSION: sum.scopes++; break;
    default: break;
    }
    *c = sum;
    return c;
}

/* One more scope: a parameter may stand for an argument that was counted with one less. */
static uint64_t longest_argument(struct tree *t)
{
    uint64_t most = 0;
    for (size_t i = 0; i < t->count; i++) {
        part *p = &t->parts[i], *children[2];
        if (!t->counted[i].steps)
            continue;
        children_of(t, p, children);
        if (p->type == DEMANGLE_COMPONENT_TYPED_NAME && children[0])
            p = template_of(t, children[0]);
        else if (p->type != DEMANGLE_COMPONENT_TEMPLATE || !t->converts)
            p = NULL;
        if (!p)
            continue;
        children_of(t, p, children);
        const uint64_t steps = children[1] ? counted_of(t, children[1])->steps : 0;
        most = most > steps ? most : steps;
    }
    return most;
}

static bool is_reference(part *p)
{
    return p->type == DEMANGLE_COMPONENT_REFERENCE || p->type == DEMANGLE_COMPONENT_RVALUE_REFERENCE;
}

/* How long packs are, and what the demangler sets room aside for. */
static void look_at_templates(struct tree *t)
{
    for (size_t i = 0; i < t->count; i++) {
        part *p = &t->parts[i], *children[2];
        if (!t->counted[i].steps)
            continue;
        children_of(t, p, children);
        t->converts |= p->type == DEMANGLE_COMPONENT_CAST || p->type == DEMANGLE_COMPONENT_CONVERSION;
        t->templates += p->type == DEMANGLE_COMPONENT_TEMPLATE;
        t->references += is_reference(p) && children[0] && children[0]->type == DEMANGLE_COMPONENT_TEMPLATE_PARAM;
        const uint64_t list =
            p->type == DEMANGLE_COMPONENT_TEMPLATE_ARGLIST && children[0] ? counted_of(t, children[0])->list : 0;
        t->pack = t->pack > list ? t->pack : list;
    }
}

static bool is_little_work(struct tree *t, part *root)
{
    const unsigned scopes = count(t, root, 0)->scopes;
    look_at_templates(t);
    /* It counts each up to twice, and has 16 bytes for each template in each reference. */
    if (t->too_deep || scopes > SCOPES_MAX || 4 * t->templates * t->references * 16 > SCOPE_BYTES_MAX)
        return false;
    uint64_t steps = 0;
    for (unsigned scope = 0; scope <= scopes && steps < STEPS_MAX; scope++) {
        memset(t->counted, 0, t->count * sizeof *t->counted);
        steps = count(t, root, 0)->steps;
        t->argument = longest_argument(t);
    }
    return steps < STEPS_MAX;
}

/* ---- what a symbol's text tells ---- */

static size_t number_length(const char *at)
{
    return strspn(at, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");
}

/* Places where a symbol refers back: "S_", "SA_", "T_", "T3_". */
static size_t back_references(const char *symbol)
{
    size_t count = 0;
    for (const char *at = symbol; (at = strpbrk(at, "ST")); at++)
        count += at[1 + number_length(at + 1)] == '_';
    return count;
}

/* "TA0_", the 362nd parameter, is looked for in a list that is as long. */
static bool has_far_parameter(const char *symbol)
{
    for (const char *at = symbol; (at = strchr(at, 'T')); at++) {
        const size_t length = number_length(at + 1);
        if (length > 1 && at[1 + length] == '_')
            return true;
    }
    return false;
}

/* May it have what is walked without being printed? A part of a plain name can be called so, too: it takes the longer
 * way. */
static bool may_be_silent(const char *symbol)
{
    static const char *const codes[] = {"Dp", "sp", "sZ", "sP", "fl", "fr", "fL", "fR"};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        if (strstr(symbol, codes[i]))
            return true;
    return has_far_parameter(symbol);
}

/* In the name of a conversion ("cv") the arguments of each template parameter ("T_I") are read twice, those within them
 * four times. */
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

/* A symbol's parts refer to one another: 250 bytes can stand for a name of 500 MB. The demangler cannot be told to
 * stop, but all that it has is on the stack, or ours. */
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

/* The tree that was counted is the one that is printed. */
static bool demangles_counted(struct demangled *d, const char *symbol, int options)
{
    enum { REFERENCES_MAX = 20 }; /* each doubles the work at most */
    const size_t length = strlen(symbol);
    void *parts = NULL;
    struct demangle_component *root = cplus_demangle_v3_components(symbol, options | DMGL_NO_RECURSE_LIMIT, &parts);
    if (!root) /* "sr1a1x" has an old meaning, too, which only the plain way tries */
        return length <= PLAIN_BYTES_MAX && back_references(symbol) <= REFERENCES_MAX &&
               demangles_plain(d, symbol, options);
    struct tree t = {.parts = parts, .count = 2 * length};
    t.counted = calloc(t.count, sizeof *t.counted);
    const bool done = t.counted && is_little_work(&t, root) && prints(d, root, options);
    free(t.counted);
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

enum { BRACKETS_MAX = 256 }; /* open at once; a name with more is kept whole */

/* Where the parts of a demangled name lie: "type ns::name<arguments>(parameters)". */
struct parts {
    size_t name;       /* behind the last space that stands in no bracket: what comes before is the return type */
    size_t arguments;  /* the '<' of the name's own template arguments, else as parameters */
    size_t parameters; /* the '(' of the parameters, else the end */
};

struct scan {
    const char *text;
    size_t opened[BRACKETS_MAX]; /* positions of the brackets that are open */
    size_t depth;
    size_t name;             /* as in struct parts, up to here */
    size_t angle, angle_end; /* the last '<' outside of all brackets, and behind its '>' */
    bool is_operator;        /* spaces belong to the name from here on: "operator float*" */
    size_t operator_end;     /* behind the last operator's symbol */
    bool has_parameters;
    struct parts parts;
};

static bool is_word(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* How long is the "operator<<" that starts here? 0: none does. Only its brackets
 * matter, the other symbols confuse nobody. */
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

/* What stands in these parentheses are the parameters of a function that
 * encloses the name: "f(int)::{lambda()#1}". */
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

/* A '<' that is none of a template's closes with the bracket around it. */
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

/* The demangler puts what is compared in parentheses: "(1)<(2)". */
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
    return parts_until(&s, s.depth ? s.opened[0] : whole.parameters); /* a name that is cut has brackets left open */
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
