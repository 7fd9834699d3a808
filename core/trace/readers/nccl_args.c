/* Which communicator, operation and size does a kernel of NCCL have, by its arguments in a trace of Kineto? */
#include "core/trace/readers/nccl_args.h"

#include <string.h>

#include "core/base/count_of.h"
#include "core/io/decimal.h"

/* The numbers come first. */
enum nccl_key { NCCL_IN, NCCL_OUT, NCCL_SIZE, NCCL_SEQUENCE, NCCL_OPERATION, NCCL_TYPE, NCCL_NAME, NCCL_RANKS };

/* A word with its length, which is compared first. */
#define WORD(text) (text), sizeof(text) - 1

static const struct {
    const char *text;
    size_t length;
} keys[] = {
    [NCCL_IN] = {WORD("In msg nelems")},          [NCCL_OUT] = {WORD("Out msg nelems")},
    [NCCL_SIZE] = {WORD("Group size")},           [NCCL_SEQUENCE] = {WORD("Seq")},
    [NCCL_OPERATION] = {WORD("Collective name")}, [NCCL_TYPE] = {WORD("dtype")},
    [NCCL_NAME] = {WORD("Process Group Name")},   [NCCL_RANKS] = {WORD("Process Group Ranks")},
};

static const struct {
    const char *name;
    int64_t bytes;
} types[] = {
    {"Byte", 1},         {"Char", 1},           {"Bool", 1}, {"Float8_e4m3fn", 1}, {"Float8_e5m2", 1}, {"Short", 2},
    {"Half", 2},         {"BFloat16", 2},       {"Int", 4},  {"Float", 4},         {"Long", 8},        {"Double", 8},
    {"ComplexFloat", 8}, {"ComplexDouble", 16},
};

enum { NUMBER_BYTES_MAX = 31, TEXT_BYTES_MAX = 4096, SIZE_MAX_OF_TYPE = 16 };

void nccl_args_init(struct nccl_args *a)
{
    *a = (struct nccl_args){.key = -1};
    str_init(&a->name);
    str_init(&a->ranks);
}

void nccl_args_release(struct nccl_args *a)
{
    str_release(&a->name);
    str_release(&a->ranks);
}

void nccl_args_clear(struct nccl_args *a)
{
    a->key = -1;
    if (!a->seen)
        return;
    a->seen = 0;
    a->is_cut = false;
    a->operation[0] = a->type[0] = '\0';
    str_clear(&a->name);
    str_clear(&a->ranks);
}

void nccl_args_key(struct nccl_args *a, const struct json_token *token)
{
    a->key = -1;
    for (size_t i = 0; i < COUNT_OF(keys); i++)
        if (token->length == keys[i].length && !memcmp(token->text, keys[i].text, token->length))
            a->key = (int)i;
}

static bool take_word(char word[NCCL_WORD_BYTES], const struct json_token *token)
{
    if (token->length >= NCCL_WORD_BYTES || memchr(token->text, '\0', token->length))
        return false;
    memcpy(word, token->text, token->length);
    word[token->length] = '\0';
    return token->length > 0;
}

static bool is_text(const struct str *text, const struct json_token *token)
{
    return text->length + token->length <= TEXT_BYTES_MAX && !memchr(token->text, '\0', token->length);
}

/* Two communicators may differ in a blank or a bracket. */
static bool take_name(struct str *text, const struct json_token *token)
{
    if (!is_text(text, token))
        return false;
    str_add_bytes(text, token->text, token->length);
    return text->length > 0;
}

/* "[0, 1]" and "\"[0,1]\"" are the same ranks. */
static bool take_ranks(struct str *text, const struct json_token *token)
{
    if (!is_text(text, token))
        return false;
    for (size_t i = 0; i < token->length; i++)
        if (!memchr(" \"[]", token->text[i], 4))
            str_add_char(text, token->text[i]);
    return text->length > 0;
}

static bool take_number(int64_t *number, const struct json_token *token)
{
    struct decimal value;
    if (token->length > NUMBER_BYTES_MAX || !decimal_read(token->text, token->length, 1, &value) || value.value < 0)
        return false;
    *number = value.value;
    return true;
}

static bool take_string(struct nccl_args *a, const struct json_token *token)
{
    switch (a->key) {
    case NCCL_OPERATION: return take_word(a->operation, token);
    case NCCL_TYPE: return take_word(a->type, token);
    case NCCL_NAME: return take_name(&a->name, token);
    case NCCL_RANKS: return take_ranks(&a->ranks, token);
    default: return false;
    }
}

/* A list of ranks comes number by number. */
static bool take_rank(struct nccl_args *a, const struct json_token *token)
{
    if (!a->is_cut && a->ranks.length)
        str_add_char(&a->ranks, ',');
    if (!a->is_cut && take_ranks(&a->ranks, token))
        return true;
    str_add(&a->ranks, a->is_cut ? "" : "...");
    a->is_cut = true;
    return true;
}

void nccl_args_value(struct nccl_args *a, const struct json_token *token)
{
    bool is_good = false;
    if (a->key < 0)
        return;
    if (token->type == JSON_TOKEN_STRING)
        is_good = take_string(a, token);
    else if (token->type == JSON_TOKEN_NUMBER && a->key <= NCCL_SEQUENCE)
        is_good = take_number(&a->numbers[a->key], token);
    else if (token->type == JSON_TOKEN_NUMBER && a->key == NCCL_RANKS)
        is_good = take_rank(a, token);
    if (is_good)
        a->seen |= 1U << a->key;
}

static bool is_known(const struct nccl_args *a, enum nccl_key key)
{
    return a->seen >> key & 1;
}

/* The larger of what goes in and out; -1 unless both the number of elements and their type are known. */
static int64_t bytes_of(const struct nccl_args *a)
{
    int64_t elements = -1;
    for (int key = NCCL_IN; key <= NCCL_OUT; key++)
        if (is_known(a, (enum nccl_key)key) && a->numbers[key] > elements)
            elements = a->numbers[key];
    for (size_t i = 0; i < COUNT_OF(types) && elements >= 0 && elements <= INT64_MAX / SIZE_MAX_OF_TYPE; i++)
        if (is_known(a, NCCL_TYPE) && !strcmp(types[i].name, a->type))
            return elements * types[i].bytes;
    return -1;
}

int nccl_args_note(const struct nccl_args *a, struct strtab *strings, struct collective_note *out, struct err *e)
{
    struct str group;
    if (!is_known(a, NCCL_NAME) && !is_known(a, NCCL_RANKS))
        return 0;
    str_init(&group);
    str_addf(&group, "%s [%s]", str_text(&a->name), str_text(&a->ranks));
    out->group = a->name.failed || a->ranks.failed || group.failed ? 0 : strtab_add(strings, str_text(&group));
    out->operation = is_known(a, NCCL_OPERATION) ? strtab_add(strings, a->operation) : 0;
    const bool is_full = !out->group || (is_known(a, NCCL_OPERATION) && !out->operation);
    out->bytes = bytes_of(a);
    out->sequence = is_known(a, NCCL_SEQUENCE) ? a->numbers[NCCL_SEQUENCE] : -1;
    out->group_size =
        is_known(a, NCCL_SIZE) && a->numbers[NCCL_SIZE] <= INT32_MAX ? (uint32_t)a->numbers[NCCL_SIZE] : 0;
    str_release(&group);
    return is_full ? err_memory(e) : 1;
}
