/* Do equal hashes mean equal machine code, and does no image bring the reader down? */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "collector/runner/code_hash.h"
#include "core/base/files.h"
#include "tests/collector/fake_cupti.h"
#include "tests/test.h"

enum { CUBIN_BYTES_MAX = 1024 * 1024 };

static struct str read_cubin(const char *path)
{
    struct str image;
    struct err e = {0};
    str_init(&image);
    if (files_read(path, CUBIN_BYTES_MAX, &image, &e))
        fail_msg("%s", e.text);
    return image;
}

struct hashes {
    uint64_t scale, shift;
};

static struct hashes hashes_of(const char *path)
{
    struct str image = read_cubin(path);
    code_hash_clear();
    code_hash_add_cubin(image.text, image.length);
    const struct kernel_code *scale = code_hash_find("scale"), *shift = code_hash_find("shift");
    assert_true(scale && shift && scale->bytes > 0 && shift->bytes > 0);
    const struct hashes found = {scale->hash, shift->hash};
    assert_null(code_hash_find("scal"));
    assert_null(code_hash_find(""));
    code_hash_clear();
    assert_null(code_hash_find("scale"));
    str_release(&image);
    return found;
}

TEST(equal_code_has_equal_hashes)
{
    const struct hashes two = hashes_of(CUBIN_FOLDER "/factor_two.cubin"),
                        again = hashes_of(CUBIN_FOLDER "/factor_two_again.cubin"),
                        three = hashes_of(CUBIN_FOLDER "/factor_three.cubin");
    assert_true(two.scale == again.scale && two.shift == again.shift);
    assert_true(two.scale != three.scale);
    assert_true(two.shift == three.shift); /* its neighbour's constant is not its own */
    assert_true(two.scale != two.shift);
}

/* A symbol alone does not say which of two modules ran. */
TEST(a_name_with_two_codes_is_unknown)
{
    struct str two = read_cubin(CUBIN_FOLDER "/factor_two.cubin"),
               three = read_cubin(CUBIN_FOLDER "/factor_three.cubin");
    code_hash_clear();
    code_hash_add_cubin(two.text, two.length);
    assert_non_null(code_hash_find("scale"));
    code_hash_add_cubin(three.text, three.length);
    assert_null(code_hash_find("scale"));
    assert_non_null(code_hash_find("shift")); /* the same in both */
    code_hash_clear();
    str_release(&two);
    str_release(&three);
}

/* Each image lies in a block of its own size, so that a read behind its end is
 * seen; what is still found must be whole. */
static void add_copy(const char *image, size_t bytes, const struct hashes *right)
{
    char *copy = malloc(bytes ? bytes : 1);
    assert_non_null(copy);
    memcpy(copy, image, bytes);
    code_hash_add_cubin(copy, bytes);
    const struct kernel_code *scale = code_hash_find("scale");
    if (scale && right)
        assert_true(scale->hash == right->scale);
    code_hash_clear();
    free(copy);
}

TEST(truncated_images_are_harmless)
{
    const struct hashes right = hashes_of(CUBIN_FOLDER "/factor_two.cubin");
    struct str image = read_cubin(CUBIN_FOLDER "/factor_two.cubin");
    for (size_t bytes = 0; bytes < image.length; bytes += 64)
        add_copy(image.text, bytes, &right);
    add_copy(image.text, image.length - 1, &right);
    str_release(&image);
}

static const uint64_t extremes[] = {0,          1,          0x7fff,    0xffff,     0x7fffffff,
                                    0xffffffff, 0x80000000, INT64_MAX, UINT64_MAX, UINT64_MAX - 63};

static void replace(char *image, size_t at, size_t bytes, uint64_t value)
{
    memcpy(image + at, &value, bytes); /* little-endian, as the image */
}

TEST(hostile_headers_are_harmless)
{
    static const struct {
        size_t at, bytes;
    } fields[] = {
        {offsetof(Elf64_Ehdr, e_shoff), 8},    {offsetof(Elf64_Ehdr, e_shnum), 2},
        {offsetof(Elf64_Ehdr, e_shstrndx), 2}, {offsetof(Elf64_Ehdr, e_shentsize), 2},
        {offsetof(Elf64_Ehdr, e_ident), 4},    {EI_CLASS, 1},
    };
    struct str image = read_cubin(CUBIN_FOLDER "/factor_two.cubin");
    for (size_t f = 0; f < COUNT_OF(fields); f++)
        for (size_t i = 0; i < COUNT_OF(extremes); i++) {
            struct str changed;
            str_init(&changed);
            str_add_bytes(&changed, image.text, image.length);
            replace(changed.text, fields[f].at, fields[f].bytes, extremes[i]);
            add_copy(changed.text, changed.length, NULL);
            str_release(&changed);
        }
    str_release(&image);
}

TEST(hostile_sections_are_harmless)
{
    static const struct {
        size_t at, bytes;
    } fields[] = {{offsetof(Elf64_Shdr, sh_name), 4},
                  {offsetof(Elf64_Shdr, sh_offset), 8},
                  {offsetof(Elf64_Shdr, sh_size), 8},
                  {offsetof(Elf64_Shdr, sh_type), 4}};
    struct str image = read_cubin(CUBIN_FOLDER "/factor_two.cubin");
    Elf64_Ehdr header;
    memcpy(&header, image.text, sizeof header);
    assert_true(header.e_shnum > 4);
    for (size_t section = 0; section < header.e_shnum; section++)
        for (size_t f = 0; f < COUNT_OF(fields); f++)
            for (size_t i = 0; i < COUNT_OF(extremes); i++) {
                char *changed = malloc(image.length);
                assert_non_null(changed);
                memcpy(changed, image.text, image.length);
                replace(changed, header.e_shoff + section * sizeof(Elf64_Shdr) + fields[f].at, fields[f].bytes,
                        extremes[i]);
                code_hash_add_cubin(changed, image.length);
                code_hash_clear();
                free(changed);
            }
    str_release(&image);
}

/* The last name of the table runs to its end without a terminator. */
TEST(a_name_without_end_is_harmless)
{
    static const char name[] = ".text.k";
    struct {
        Elf64_Ehdr header;
        Elf64_Shdr sections[2];
        char names[sizeof name - 1]; /* last in the image, and unterminated */
    } *image = calloc(1, sizeof *image);
    const size_t bytes = offsetof(__typeof__(*image), names) + sizeof image->names;
    memcpy(image->header.e_ident, ELFMAG, SELFMAG);
    image->header.e_ident[EI_CLASS] = ELFCLASS64;
    image->header.e_shentsize = sizeof(Elf64_Shdr);
    image->header.e_shnum = 2;
    image->header.e_shoff = offsetof(__typeof__(*image), sections);
    image->sections[0] = (Elf64_Shdr){
        .sh_type = SHT_STRTAB, .sh_offset = offsetof(__typeof__(*image), names), .sh_size = sizeof image->names};
    image->sections[1] = (Elf64_Shdr){.sh_type = SHT_PROGBITS, .sh_name = 0, .sh_offset = 0, .sh_size = 16};
    memcpy(image->names, name, sizeof image->names);
    char *exact = malloc(bytes);
    memcpy(exact, image, bytes);
    code_hash_add_cubin(exact, bytes);
    assert_null(code_hash_find("k"));
    free(exact);
    free(image);
    code_hash_clear();
}

/* The code is that of the modules that CUDA loads, as CUPTI shows them. */
TEST(loaded_modules_are_seen)
{
    const struct hashes right = hashes_of(CUBIN_FOLDER "/factor_two.cubin");
    struct str image = read_cubin(CUBIN_FOLDER "/factor_two.cubin");
    struct err e = {0};
    const struct cupti_api *api = fake_cupti_reset();
    assert_false(fake_cupti_load_module(image.text, image.length)); /* nobody watches yet */
    assert_int_equal(code_hash_start(api, &e), 0);
    assert_true(fake_cupti_load_module(NULL, 0)); /* PTX that the driver has not compiled */
    assert_null(code_hash_find("scale"));
    assert_true(fake_cupti_load_module(image.text, image.length));
    assert_non_null(code_hash_find("scale"));
    assert_true(code_hash_find("scale")->hash == right.scale);
    code_hash_clear();
    str_release(&image);
}

TEST(a_refused_watch_is_an_error)
{
    static const char *const functions[] = {"cuptiSubscribe", "cuptiEnableCallback"};
    for (size_t i = 0; i < 2; i++) {
        struct err e = {0};
        const struct cupti_api *api = fake_cupti_reset();
        fake_cupti_refuse(functions[i], CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
        assert_int_equal(code_hash_start(api, &e), ERR_ENVIRONMENT);
        assert_non_null(strstr(e.text, "CUPTI failed to watch module loads: "));
        assert_non_null(strstr(e.text, "another profiler is attached to this process"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_code_has_equal_hashes),   cmocka_unit_test(a_name_with_two_codes_is_unknown),
        cmocka_unit_test(truncated_images_are_harmless), cmocka_unit_test(hostile_headers_are_harmless),
        cmocka_unit_test(hostile_sections_are_harmless), cmocka_unit_test(a_name_without_end_is_harmless),
        cmocka_unit_test(loaded_modules_are_seen),       cmocka_unit_test(a_refused_watch_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
