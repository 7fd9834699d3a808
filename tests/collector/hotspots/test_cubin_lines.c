/* Does the installed CUPTI name the source lines of a cubin so that their text is found? No GPU is needed: a module is
 * seen as if CUDA had loaded it. Exit 77 where there is no CUPTI. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "collector/runner/cubin_lines.h"
#include "collector/runner/module_watch.h"
#include "collector/runner/source_text.h"
#include "core/base/files.h"
#include "tests/test.h"

enum { SKIPPED = 77, CUBIN_BYTES_MAX = 1 << 20, INSTRUCTION_BYTES = 16, CODE_BYTES_MAX = 4096 };

static struct cupti_api api;
static module_seen seen;

/* In place of module_watch.c. */
int module_watch_start(const struct cupti_api *from, module_seen call, struct err *e)
{
    (void)from, (void)e;
    seen = call;
    return 0;
}

static uint64_t load(const char *name)
{
    struct err e = {0};
    struct str path, image;
    str_init(&path);
    str_init(&image);
    assert_int_equal(files_read(files_join(&path, CUBIN_FOLDER, name), CUBIN_BYTES_MAX, &image, &e), 0);
    CUpti_GetCubinCrcParams crc = {.size = CUpti_GetCubinCrcParamsSize, .cubinSize = image.length, .cubin = image.text};
    assert_int_equal(api.cuptiGetCubinCrc(&crc), CUPTI_SUCCESS);
    seen(image.text, image.length);
    str_release(&path);
    str_release(&image);
    return crc.cubinCrc;
}

/* What its line says, as role_sample.c asks for it. */
static void add_text(uint64_t crc, const struct cubin_source *source, struct str *out)
{
    struct source_texts texts = {0};
    struct compiled_source asked = {
        .folder = str_text(&source->folder), .name = str_text(&source->name), .built = {.tv_sec = INT32_MAX}};
    asked.size_count = cubin_lines_sizes(crc, files_name(asked.name), asked.sizes, SOURCE_SIZES_MAX);
    assert_true(asked.size_count >= 1);
    const struct source_text *t = source_texts_find(&texts, &asked);
    assert_non_null(t);
    assert_int_equal(t->state, SOURCE_READ);
    source_text_line(t, source->line, out);
    source_texts_release(&texts);
}

TEST(lines_have_their_text)
{
    size_t scaled = 0, found = 0;
    const uint64_t crc = load("with_lines.cubin");
    for (uint64_t offset = 0; offset < CODE_BYTES_MAX; offset += INSTRUCTION_BYTES) {
        struct cubin_source source;
        struct str text;
        cubin_source_init(&source);
        str_init(&text);
        if (cubin_lines_source(crc, "scale", offset, &source)) {
            add_text(crc, &source, &text);
            found += text.length > 0;
            scaled += !strcmp(str_text(&text), "values[threadIdx.x] *= FACTOR;");
        }
        cubin_source_release(&source);
        str_release(&text);
    }
    assert_true(found > 0 && scaled > 0);
}

TEST(without_line_information_there_is_no_line)
{
    struct cubin_source source;
    const uint64_t crc = load("without_lines.cubin");
    uint64_t size;
    cubin_source_init(&source);
    assert_false(cubin_lines_source(crc, "scale", 0, &source));
    assert_false(cubin_lines_source(crc + 1, "scale", 0, &source)); /* a module that was not seen */
    assert_int_equal(cubin_lines_sizes(crc + 1, "two_kernels.cu", &size, 1), 0);
    cubin_source_release(&source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_have_their_text),
        cmocka_unit_test(without_line_information_there_is_no_line),
    };
    struct err e = {0};
    if (cupti_api_load_pc(&api, &e)) {
        printf("%s\n", e.text);
        return SKIPPED;
    }
    if (cubin_lines_start(&api, &e))
        return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    cubin_lines_clear();
    return failed;
}
