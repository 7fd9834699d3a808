/* Do names become shorter without becoming others, whatever a trace says that its kernels are called? */
#define _POSIX_C_SOURCE 200809L
#include "tests/fuzz/fuzz.h"

#include <string.h>
#include <time.h>

#include "core/base/count_of.h"
#include "core/base/demangle.h"

enum { DEPTH_MAX = 3, SECONDS_MAX = 5 };

struct bytes {
    const uint8_t *data;
    size_t size;
};

static size_t choose(struct bytes *b, size_t choices)
{
    return fuzz_take(&b->data, &b->size) % choices;
}

typedef void demangler(struct str *out, const char *symbol);

/* Each appends, to what is there. */
static void check_appends(demangler *by, const char *symbol, struct str *out)
{
    static const char before[] = "before ";
    str_add(out, before);
    by(out, symbol);
    REQUIRE(!strncmp(str_text(out), before, sizeof before - 1));
    memmove(out->text, out->text + sizeof before - 1, out->length - (sizeof before - 1) + 1);
    out->length -= sizeof before - 1;
    REQUIRE(strlen(str_text(out)) == out->length && !out->failed);
}

/* Short names are parts of longer ones, and no name becomes none. */
static void check_any(const char *symbol)
{
    struct str full, template, brief;
    const clock_t began = clock();
    str_init(&full);
    str_init(&template);
    str_init(&brief);
    check_appends(demangle_full, symbol, &full);
    check_appends(demangle_template, symbol, &template);
    check_appends(demangle_short, symbol, &brief);
    REQUIRE(full.length <= (strlen(symbol) > DEMANGLED_BYTES_MAX ? strlen(symbol) : DEMANGLED_BYTES_MAX));
    REQUIRE((clock() - began) / CLOCKS_PER_SEC < SECONDS_MAX);
    REQUIRE(!full.length == !*symbol && !template.length == !*symbol && !brief.length == !*symbol);
    REQUIRE(strstr(str_text(&full), str_text(&template)) && strstr(str_text(&full), str_text(&brief)));
    REQUIRE(!strncmp(str_text(&template), str_text(&brief), brief.length) || brief.length == full.length);
    if (strncmp(symbol, "_Z", 2) != 0 && strncmp(symbol, "_GLOBAL_", 8) != 0 && symbol[0] != '_')
        REQUIRE(!strcmp(str_text(&full), symbol)); /* nothing mangled about it */
    str_release(&full);
    str_release(&template);
    str_release(&brief);
}

static void add_choice(struct str *out, struct bytes *b, const char *const *words, size_t count)
{
    str_add(out, words[choose(b, count)]);
}

#define ADD_CHOICE(out, b, words) add_choice(out, b, words, COUNT_OF(words))

static void add_type(struct str *out, struct bytes *b, int depth);

static void add_arguments(struct str *out, struct bytes *b, int depth)
{
    static const char *const values[] = {"3", "(3)", "true", "(1)<(2)", "((1)>(2))", "&ns::f", "(ns::kind)1"};
    str_add_char(out, '<');
    for (size_t i = 0, count = choose(b, 4); i < count; i++) {
        str_add(out, i ? ", " : "");
        if (choose(b, 2))
            add_type(out, b, depth + 1);
        else
            ADD_CHOICE(out, b, values);
    }
    if (out->text[out->length - 1] == '>')
        str_add_char(out, ' ');
    str_add_char(out, '>');
}

static void add_type(struct str *out, struct bytes *b, int depth)
{
    static const char *const plain[] = {"int",
                                        "unsigned long",
                                        "float const*",
                                        "ns::half&",
                                        "void (*)(int, float)",
                                        "int (&) [3]",
                                        "main::{lambda(int)#1}",
                                        "a::(anonymous namespace)::t"};
    if (depth >= DEPTH_MAX || choose(b, 3)) {
        ADD_CHOICE(out, b, plain);
        return;
    }
    str_add(out, "std::box");
    add_arguments(out, b, depth);
    str_add(out, choose(b, 2) ? "*" : "");
}

static void add_parameters(struct str *out, struct bytes *b)
{
    str_add_char(out, '(');
    for (size_t i = 0, count = choose(b, 4); i < count; i++) {
        str_add(out, i ? ", " : "");
        add_type(out, b, 0);
    }
    str_add_char(out, ')');
}

static void add_scope(struct str *out, struct bytes *b)
{
    switch (choose(b, 6)) {
    case 0: str_add(out, "(anonymous namespace)::"); break;
    case 1: str_add(out, "main::{lambda(int, a<int>)#1}::"); break;
    case 2:
        str_add(out, "box");
        add_arguments(out, b, 1);
        str_add(out, "::");
        break;
    case 3:
        str_add_char(out, 'f');
        add_parameters(out, b);
        str_add(out, choose(b, 2) ? " const::{lambda()#2}::" : "::{lambda()#2}::");
        break;
    default: str_add(out, "ns::");
    }
}

/* Writes a name as the demangler would, of parts that are known: they must be found again. */
static void check_made(struct bytes *b)
{
    static const char *const names[] = {"k",          "my_operator", "operator()",      "operator+", "operator[]",
                                        "operator->", "operator==",  "{lambda(int)#1}", "tile_3",    "operator-"};
    struct str text, brief, template, found;
    str_init(&text);
    str_init(&brief);
    str_init(&template);
    str_init(&found);
    for (size_t i = 0, scopes = choose(b, 3); i < scopes; i++)
        add_scope(&brief, b);
    ADD_CHOICE(&brief, b, names);
    str_add(&template, str_text(&brief));
    const bool is_template = choose(b, 2);
    if (is_template) {
        add_arguments(&template, b, 0);
        add_type(&text, b, 0); /* only templates tell what they return */
        str_add_char(&text, ' ');
    }
    str_add(&text, str_text(&template));
    add_parameters(&text, b);
    str_add(&text, choose(b, 4) ? "" : " const");
    demangle_short(&found, str_text(&text));
    if (strcmp(str_text(&found), str_text(&brief)) != 0)
        fprintf(stderr, "'%s' became '%s', not '%s'\n", str_text(&text), str_text(&found), str_text(&brief));
    REQUIRE(!strcmp(str_text(&found), str_text(&brief)));
    str_clear(&found);
    demangle_template(&found, str_text(&text));
    if (strcmp(str_text(&found), str_text(&template)) != 0)
        fprintf(stderr, "'%s' became '%s', not '%s'\n", str_text(&text), str_text(&found), str_text(&template));
    REQUIRE(!strcmp(str_text(&found), str_text(&template)));
    str_release(&text);
    str_release(&brief);
    str_release(&template);
    str_release(&found);
}

/* The first byte says whether the others are a name or choices that make one. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes b = {data, size};
    if (fuzz_take(&b.data, &b.size) % 4 == 0) {
        check_made(&b);
        return 0;
    }
    char *symbol = strndup((const char *)b.data, b.size);
    REQUIRE(symbol);
    check_any(symbol);
    free(symbol);
    return 0;
}
