/* page_tables.h - the tables of a page of docs/, row by row, for tests that compare them with the code. */
#ifndef PAGE_TABLES_H
#define PAGE_TABLES_H

#include "core/base/files.h"
#include "core/base/str.h"

enum { PAGE_BYTES_MAX = 256 * 1024 };

struct page {
    const char *path; /* from the root of the tree */
    struct str text;
};

static inline void page_load(struct page *page, const char *path)
{
    char full[512];
    struct err e = {0};
    snprintf(full, sizeof full, "%s/%s", SOURCE_DIRECTORY, path);
    page->path = path;
    str_init(&page->text);
    if (files_read(full, PAGE_BYTES_MAX, &page->text, &e))
        fail_msg("%s", e.text);
}

static inline void page_release(struct page *page)
{
    str_release(&page->text);
}

/* Where the text of the section begins that has this heading line; fails when there is none. */
static inline const char *page_section(const struct page *page, const char *heading)
{
    const char *at = strstr(str_text(&page->text), heading);
    if (!at)
        fail_msg("%s has no section '%s'", page->path, heading);
    return at + strlen(heading);
}

/* The next line that begins with `| ` behind the table's head, or NULL at the end of the table. */
static inline const char *page_row(const char *line)
{
    line = strchr(line, '\n');
    return line && !strncmp(line + 1, "| ", 2) ? line + 1 : NULL;
}

/* The head of the first table of a section. */
static inline const char *page_table(const struct page *page, const char *heading)
{
    const char *rule = strstr(page_section(page, heading), "\n|---|");
    if (!rule)
        fail_msg("%s: no table behind '%s'", page->path, heading);
    return rule + 1;
}

static inline void page_expect_row(const struct page *page, const char *row, const char *begins)
{
    if (!row)
        fail_msg("%s: the row '%s' is missing", page->path, begins);
    else if (strncmp(row, begins, strlen(begins)))
        fail_msg("%s: expected '%s', found '%.60s'", page->path, begins, row);
}

struct page_field {
    const char *name;
    size_t offset, bytes;
};

#define PAGE_FIELD(type, member)                                                                                       \
    {                                                                                                                  \
#member, offsetof(struct type, member), sizeof((struct type *)0)->member                                       \
    }

/* The table has these fields, with their offsets and sizes, and no more. */
static inline void page_expect_layout(const struct page *page, const char *heading, const struct page_field *fields,
                                      size_t count)
{
    const char *row = page_table(page, heading);
    for (size_t i = 0; i < count; i++) {
        char text[128];
        snprintf(text, sizeof text, "| %zu | %zu | `%s` |", fields[i].offset, fields[i].bytes, fields[i].name);
        row = page_row(row);
        page_expect_row(page, row, text);
    }
    assert_null(page_row(row));
}

#endif
