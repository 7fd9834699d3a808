/* Does docs/json.md say of each member of JSON what the list of columns says?
 * usage: json_page [--refresh] PAGE      --refresh writes the tables of the page anew
 *
 * A table stands between the lines `<!-- columns: NAME -->` and `<!-- end of columns -->`. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "analyzers/columns.h"
#include "core/base/files.h"
#include "reports/rows/row_formats.h"
#include "tests/docs/page_difference.h"

enum { PAGE_BYTES_MAX = 1024 * 1024 };

static const char begin_mark[] = "<!-- columns: ", begin_end[] = " -->\n", end_mark[] = "<!-- end of columns -->\n";

static bool has_json(const struct row_columns *list)
{
    struct row_choice chosen;
    row_choose(&chosen, list, ROW_ALL_JSON);
    return chosen.count > 0;
}

/* The first of a name: where several questions write the same members, their lists say the same (test_row_columns). */
static const struct row_columns *find(const char *name, size_t length)
{
    for (size_t i = 0; i < column_list_count; i++)
        if (strlen(column_lists[i]->name) == length && !memcmp(column_lists[i]->name, name, length) &&
            has_json(column_lists[i]))
            return column_lists[i];
    return NULL;
}

/* Appends the page with its tables as the lists have them. Returns 0, or 1 with a message. */
static int write_page(const char *page, struct str *out)
{
    for (const char *at; (at = strstr(page, begin_mark));) {
        const char *name = at + strlen(begin_mark), *table = strstr(name, begin_end),
                   *end = table ? strstr(table, end_mark) : NULL;
        if (!end) {
            fprintf(stderr, "json_page: no end of the columns behind '%.60s'\n", at);
            return 1;
        }
        const struct row_columns *list = find(name, (size_t)(table - name));
        if (!list) {
            fprintf(stderr, "json_page: there is no list of columns '%.*s'\n", (int)(table - name), name);
            return 1;
        }
        str_add_bytes(out, page, (size_t)(table - page) + strlen(begin_end));
        row_page_add(list, out);
        str_add(out, end_mark);
        page = end + strlen(end_mark);
    }
    str_add(out, page);
    return out->failed;
}

static int find_missing(const char *page)
{
    int missing = 0;
    for (size_t i = 0; i < column_list_count; i++) {
        char mark[128];
        snprintf(mark, sizeof mark, "%s%s%s", begin_mark, column_lists[i]->name, begin_end);
        if (!has_json(column_lists[i]) || strstr(page, mark))
            continue;
        fprintf(stderr, "json_page: the page has no '<!-- columns: %s -->'\n", column_lists[i]->name);
        missing = 1;
    }
    return missing;
}

int main(int argc, char **argv)
{
    const bool refresh = argc == 3 && !strcmp(argv[1], "--refresh");
    if (argc != 2 && !refresh) {
        fprintf(stderr, "usage: json_page [--refresh] PAGE\n");
        return 2;
    }
    const char *path = argv[argc - 1];
    struct str page, made;
    struct err e = {0};
    str_init(&page);
    str_init(&made);
    int status = files_read(path, PAGE_BYTES_MAX, &page, &e) ? 1 : 0;
    if (!status)
        status = write_page(str_text(&page), &made) | find_missing(str_text(&page));
    if (!status && refresh)
        status = files_write_atomic(path, str_text(&made), made.length, &e) ? 1 : 0;
    else if (!status)
        status = page_difference(path, str_text(&page), str_text(&made), "refresh_docs");
    if (e.code)
        fprintf(stderr, "json_page: %s\n", e.text);
    str_release(&page);
    str_release(&made);
    return status;
}
