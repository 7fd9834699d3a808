/* Does a bundle open, and its analysis end, whatever its manifest says? */
#define _GNU_SOURCE
#include "tests/fuzz/fuzz.h"

#include <string.h>
#include <unistd.h>

#include "core/base/count_of.h"
#include "core/base/files.h"
#include "core/bundle/bundle.h"
#include "core/bundle/bundle_open.h"

static const struct {
    const char *name, *text;
} tables[] = {
    {"variants.csv",
     "variant,shape,baseline,kernel_pattern,summary,shared_bytes,flops,bytes,status\nf/a,s,,,,,,,ready\n"},
    {"timing.csv",
     "variant,shape,process,block,order,iteration,cache,batch,sm_clock_hz,duration_ns\nf/a,s,0,0,0,0,hot,1,,100\n"},
};

static char folder[] = "/tmp/cpprof-fuzz-XXXXXX";

static void write_file(const char *name, const void *bytes, size_t size)
{
    struct str path;
    str_init(&path);
    FILE *file = fopen(files_join(&path, folder, name), "wb");
    REQUIRE(file && (!size || fwrite(bytes, 1, size, file) == size));
    fclose(file);
    str_release(&path);
}

static void remove_folder(void)
{
    files_remove_tree(folder, NULL);
}

static void make_folder(void)
{
    REQUIRE(mkdtemp(folder));
    atexit(remove_folder);
    for (size_t i = 0; i < COUNT_OF(tables); i++)
        write_file(tables[i].name, tables[i].text, strlen(tables[i].text));
}

/* Complete without a list of files is damage, whatever else it says. */
static void check_seal(const struct bundle *b)
{
    const bool has_list = json_is_object(json_object_get(b->manifest, "files"));
    REQUIRE(!b->complete || has_list || caveat_has(&b->caveats, CAVEAT_TRUNCATED));
    for (int i = 0; i < BUNDLE_TABLE_COUNT; i++)
        REQUIRE(b->has_table[i] || !table_rows(&b->tables[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool is_made;
    struct bundle b;
    struct err e = {0};
    if (!is_made)
        make_folder();
    is_made = true;
    write_file(BUNDLE_MANIFEST, data, size);
    bundle_init(&b);
    const int rc = bundle_open(&b, folder, &e);
    REQUIRE(rc == 0 || (rc == ERR_INPUT && *e.text));
    if (!rc)
        check_seal(&b);
    bundle_release(&b);
    return 0;
}
