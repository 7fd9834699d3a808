/* How much work is it to print a mangled name?
 *
 * libiberty's printer refers only to parts in one array, and walks each as often as it is referred to. The steps of
 * each part are counted once, from the top down. */
#include "core/base/demangle_work.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    DEPTH_MAX = 1024,              /* the demangler gives up on deeper ones */
    SCOPES_MAX = 16,               /* nested functions whose parameters are visible */
    SCOPE_BYTES_MAX = 1024 * 1024, /* stack that the demangler uses for templates in references */
};
#define STEPS_MAX ((uint64_t)16 * 1024 * 1024) /* some 0.1 s; a kernel of CUTLASS with a name of 1.6 KB takes 4,000 */

typedef const struct demangle_component part;

struct counted {
    uint64_t steps, search; /* steps to print it, and to look for a pack in it; 0: not counted yet */
    uint64_t list;          /* its length as a list */
    unsigned scopes;        /* functions nested in it */
};

struct tree {
    part *parts;
    size_t count;
    struct counted *counted; /* one for each part */
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

/* Finds the children of a part. A pointer that is not into the array is not a part, but a text or the like. */
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

/* Returns the template in "f<int>", whose arguments stand for the function's parameters. */
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

/* Returns the steps of a parameter, which stands for the argument of that number. */
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
                          .search = STEPS_MAX}; /* the value during counting: a part that contains itself never ends */
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
    case DEMANGLE_COMPONENT_TYPED_NAME: /* its arguments are visible in its type, not in its name */
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

/* Counts with one more scope: a parameter may stand for an argument that was counted with one scope less. */
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

/* Finds the longest pack, and how much stack the demangler reserves. */
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

static bool is_bounded(struct tree *t, part *root)
{
    const unsigned scopes = count(t, root, 0)->scopes;
    look_at_templates(t);
    /* The demangler counts each up to twice, and reserves 16 bytes for each template in each reference. */
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

bool demangle_is_little_work(const struct demangle_component *root, const void *parts, size_t count)
{
    struct tree t = {.parts = parts, .count = count};
    t.counted = calloc(count, sizeof *t.counted);
    const bool is_little = t.counted && is_bounded(&t, root);
    free(t.counted);
    return is_little;
}
