/* Which kernels of a cubin launch others, and does no image bring the reader down? */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "collector/inject/device_runtime.h"
#include "collector/inject/launching_code.h"
#include "core/base/files.h"
#include "tests/collector/code/played_cubin.h"
#include "tests/test.h"

enum { CUBIN_BYTES_MAX = 16 << 20, STRIDE = 97 };

static struct str read_cubin(const char *name)
{
    struct str image, path;
    struct err e = {0};
    str_init(&image);
    str_init(&path);
    str_addf(&path, "%s/%s", CUBIN_FOLDER, name);
    if (files_read(str_text(&path), CUBIN_BYTES_MAX, &image, &e))
        fail_msg("%s", e.text);
    str_release(&path);
    return image;
}

static void add_name(void *names, const char *kernel)
{
    str_addf(names, " %s", kernel);
}

/* Every kernel of device_launches.cu but `leaf` and `plain`, which is all that its mode "linked" launches. */
TEST(launches_are_found)
{
    static const char *const can[] = {"direct", "by_function", "by_pointer", "deep", "tail", "by_graph", "by_copy"};
    struct str image = read_cubin("device_launches.cubin"), names;
    str_init(&names);
    assert_int_equal(launching_code_find(image.text, image.length, add_name, &names, NULL), 0);
    size_t count = 0;
    for (const char *at = str_text(&names); (at = strchr(at, ' ')); at++)
        count++;
    assert_int_equal(count, COUNT_OF(can));
    for (size_t i = 0; i < count; i++)
        assert_non_null(strstr(str_text(&names), can[i]));
    str_release(&names);
    str_release(&image);
}

TEST(other_code_has_none)
{
    struct str image = read_cubin("factor_two.cubin"), names;
    str_init(&names);
    assert_int_equal(launching_code_find(image.text, image.length, add_name, &names, NULL), 0);
    assert_int_equal(names.length, 0);
    str_release(&names);
    str_release(&image);
}

static void ignore(void *unused, const char *kernel)
{
    (void)unused;
    assert_true(strlen(kernel) < CUBIN_BYTES_MAX);
}

/* A table of 2^22 symbols is read, and a larger one is not. */
TEST(code_that_cannot_be_read)
{
    static const struct {
        const char *code;
        size_t bytes;
        const char *why;
    } rows[] = {{"PTX", 3, "3 bytes are no cubin with symbols"}, {NULL, 9, "0 bytes are no cubin with symbols"}};
    enum { SYMBOLS_MAX = 1 << 22 };
    struct err e;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_int_equal(launching_code_find(rows[i].code, rows[i].bytes, ignore, NULL, &e), ERR_INPUT);
        assert_string_equal(e.text, rows[i].why);
    }
    size_t bytes;
    unsigned char *image = played_cubin(3, &bytes);
    unsigned char *large = calloc(SYMBOLS_MAX + 1, sizeof(Elf64_Sym));
    assert_true(image && large);
    memcpy(large, image, bytes);
    Elf64_Shdr *symbols = (Elf64_Shdr *)(void *)(large + sizeof(Elf64_Ehdr)) + 1;
    symbols->sh_offset = 0;
    symbols->sh_size = SYMBOLS_MAX * sizeof(Elf64_Sym);
    assert_int_equal(launching_code_find(large, (SYMBOLS_MAX + 1) * sizeof(Elf64_Sym), ignore, NULL, &e), 0);
    symbols->sh_size += sizeof(Elf64_Sym);
    assert_int_equal(launching_code_find(large, (SYMBOLS_MAX + 1) * sizeof(Elf64_Sym), ignore, NULL, &e), ERR_INPUT);
    assert_string_equal(e.text, "a cubin has more than 4194304 symbols");
    free(large);
    free(image);
}

TEST(files_with_linked_device_code)
{
    static const struct {
        const char *file;
        bool is_program, has;
    } rows[] = {
        {FAKE_RUNTIME, false, true}, {FAKE_RUNTIME, true, true},      {FAKE_NCCL, false, false},
        {FAKE_NCCL, true, true},     {"/proc/self/exe", true, false}, {"/none", true, false},
        {"/", true, false},          {"/dev/null", true, false},      {CUBIN_FOLDER "/factor_two.cubin", true, false}};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_int_equal(device_runtime_is_in(rows[i].file, rows[i].is_program), rows[i].has);
}

/* Of an image from elsewhere each length and each byte may be wrong. The copy is as long as what is read of it. */
TEST(damage_is_survived)
{
    struct str image = read_cubin("device_launches.cubin");
    for (size_t length = 0; length < image.length; length += image.length / STRIDE) {
        char *part = malloc(length + 1);
        assert_non_null(part);
        memcpy(part, image.text, length);
        launching_code_find(part, length, ignore, NULL, NULL);
        free(part);
    }
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)(const void *)image.text;
    const size_t sections = header->e_shoff, end = sections + header->e_shnum * sizeof(Elf64_Shdr);
    for (size_t at = 0; at < image.length; at += at < sizeof *header || (at >= sections && at < end) ? 13 : 1999) {
        const char before = image.text[at];
        image.text[at] = (char)~before;
        launching_code_find(image.text, image.length, ignore, NULL, NULL);
        image.text[at] = before;
    }
    str_release(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launches_are_found),       cmocka_unit_test(other_code_has_none),
        cmocka_unit_test(code_that_cannot_be_read), cmocka_unit_test(files_with_linked_device_code),
        cmocka_unit_test(damage_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
