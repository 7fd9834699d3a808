/* Does a table of a bundle hold only what its columns allow, whatever its file says? The first byte chooses the table.
 */
#define _GNU_SOURCE
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "core/bundle/bundle_tables.h"

static void check(struct table *t, enum bundle_table which)
{
    struct str why;
    struct err e = {0};
    size_t good, again;
    str_init(&why);
    REQUIRE(bundle_table_check(t, which, &good, &why, &e) == 0);
    REQUIRE(good <= table_rows(t) && (good == table_rows(t)) == !why.length);
    table_truncate(t, good);
    str_clear(&why);
    REQUIRE(bundle_table_check(t, which, &again, &why, &e) == 0);
    REQUIRE(again == good && !why.length);
    str_release(&why);
}

/* What is good comes back as it is. */
static void check_round_trip(const struct table *t, enum bundle_table which)
{
    struct table back;
    struct str text, second;
    struct err e = {0};
    char path[64];
    str_init(&text);
    str_init(&second);
    table_add_csv(t, &text);
    FILE *file = fuzz_file((const uint8_t *)str_text(&text), text.length);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(file));
    bundle_table_init(&back, which);
    REQUIRE(table_read_csv(&back, path, &e) == 0);
    REQUIRE(table_rows(&back) == table_rows(t));
    table_add_csv(&back, &second);
    REQUIRE(text.length == second.length && !memcmp(str_text(&text), str_text(&second), text.length));
    table_release(&back);
    str_release(&text);
    str_release(&second);
    fclose(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    const enum bundle_table which = (enum bundle_table)(data[0] % BUNDLE_TABLE_COUNT);
    FILE *file = fuzz_file(data + 1, size - 1);
    struct table t;
    struct err e = {0};
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(file));
    bundle_table_init(&t, which);
    const int rc = table_read_csv(&t, path, &e);
    REQUIRE(rc == 0 || (rc == ERR_INPUT && *e.text));
    check(&t, which);
    check_round_trip(&t, which);
    table_release(&t);
    fclose(file);
    return 0;
}
