/* Are the instructions of a cubin found by kernel and offset? */
#define _DEFAULT_SOURCE
#include <stdlib.h>
#include <string.h>

#include "collector/runner/sass_text.h"
#include "core/base/files.h"
#include "tests/test.h"

TEST(lines_of_the_tool_are_understood)
{
    static const char *const lines[] = {
        "        /*0000*/                   NOP ;   /* before any function */\n",
        "\t\tFunction : _Z5scalePf\n",
        "\t.headerflags\t@\"EF_CUDA_TEXMODE_UNIFIED\"\n",
        "        /*0000*/                   LDC R1, c[0x0][0x28] ;    /* 0x00000a00ff017b82 */\n",
        "                                                              /* 0x000fe20000000800 */\n",
        "        /*0010*/              @!P0 BRA 0x100 ;                /* 0x0 */\n",
        "        /*12340*/                  EXIT ;\n",
        "\t\tFunction : shift\n",
        "        /*0010*/                   S2R R0, SR_TID.X\n",
        "\t\t..........\n",
        "",
    };
    struct sass_text t;
    struct err e = {0};
    const char *symbol = NULL;
    sass_text_init(&t);
    for (size_t i = 0; i < COUNT_OF(lines); i++)
        assert_int_equal(sass_text_add_line(&t, &symbol, lines[i], &e), 0);
    assert_int_equal(t.count, 4);
    assert_string_equal(sass_text_find(&t, "_Z5scalePf", 0), "LDC R1, c[0x0][0x28]");
    assert_string_equal(sass_text_find(&t, "_Z5scalePf", 0x10), "@!P0 BRA 0x100");
    assert_string_equal(sass_text_find(&t, "_Z5scalePf", 0x12340), "EXIT");
    assert_string_equal(sass_text_find(&t, "shift", 0x10), "S2R R0, SR_TID.X");
    assert_string_equal(sass_text_find(&t, "shift", 0), "");
    assert_string_equal(sass_text_find(&t, "nobody", 0), "");
    sass_text_release(&t);
}

/* Where there is no room, the error names the folder and the cure. */
TEST(the_folder_for_temporary_files_is_obeyed)
{
    struct err e = {0};
    struct sass_text t;
    sass_text_init(&t);
    setenv("TMPDIR", "/no/such/folder", 1);
    assert_int_equal(sass_text_read(&t, "", 1, &e), ERR_ENVIRONMENT);
    unsetenv("TMPDIR");
    assert_non_null(strstr(e.text, "'/no/such/folder'"));
    assert_non_null(strstr(e.text, "TMPDIR"));
    sass_text_release(&t);
}

/* A real cubin through the real tool, where the machine has it. */
TEST(a_real_cubin_is_disassembled)
{
    struct str image;
    struct err e = {0};
    struct sass_text t;
    str_init(&image);
    assert_int_equal(files_read(CUBIN_FOLDER "/factor_two.cubin", 1 << 20, &image, &e), 0);
    sass_text_init(&t);
    const int rc = sass_text_read(&t, image.text, image.length, &e);
    if (rc && strstr(e.text, "there is no cuobjdump")) {
        str_release(&image);
        skip();
    }
    assert_int_equal(rc, 0);
    bool multiplies = false;
    for (size_t i = 0; i < t.count; i++)
        multiplies |= !strcmp(t.items[i].symbol, "scale") && strstr(t.items[i].text, "FMUL");
    bool adds = false;
    for (size_t i = 0; i < t.count; i++)
        adds |= !strcmp(t.items[i].symbol, "scale") && strstr(t.items[i].text, "FADD");
    assert_true(multiplies || adds); /* 2 x may be written as x + x */
    assert_true(t.items[0].offset == 0 && t.items[1].offset == 16);
    sass_text_release(&t);

    sass_text_init(&t);
    assert_int_equal(sass_text_read(&t, "no cubin", 8, &e), ERR_ENVIRONMENT);
    sass_text_release(&t);
    str_release(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_of_the_tool_are_understood),
        cmocka_unit_test(the_folder_for_temporary_files_is_obeyed),
        cmocka_unit_test(a_real_cubin_is_disassembled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
