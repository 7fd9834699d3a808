/* How does a row of a Chrome trace become JSON? */
#include "reports/export/chrome_rows.h"

#include "core/base/json.h"
#include "reports/export/export_text.h"

void chrome_begin_row(struct chrome_rows *r, const char *phase)
{
    str_clear(&r->row);
    str_add(&r->row, r->has_rows ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
    str_add(&r->row, phase);
    str_add_char(&r->row, '"');
    r->has_rows = true;
}

int chrome_end_row(struct chrome_rows *r, struct err *e)
{
    str_add_char(&r->row, '}');
    if (r->row.failed)
        return err_memory(e);
    byte_sink_write(r->sink, r->row.text, r->row.length);
    return 0;
}

/* The first member of an object has no comma before it. */
void chrome_add_key(struct str *row, const char *key)
{
    str_add(row, row->text[row->length - 1] == '{' ? "\"" : ",\"");
    str_add(row, key);
    str_add(row, "\":");
}

void chrome_add_whole(struct str *row, const char *key, int64_t value)
{
    chrome_add_key(row, key);
    export_add_whole(row, value);
}

void chrome_add_us(struct str *row, const char *key, int64_t ns)
{
    chrome_add_key(row, key);
    export_add_us(row, ns);
}

void chrome_add_word(struct str *row, const char *key, const char *word)
{
    chrome_add_key(row, key);
    str_add_char(row, '"');
    str_add(row, word);
    str_add_char(row, '"');
}

void chrome_add_text(struct str *row, const char *key, const char *text, size_t length)
{
    chrome_add_key(row, key);
    json_add_quoted(row, text, length);
}

void chrome_add_line(struct str *row, int64_t process, int64_t thread)
{
    chrome_add_whole(row, "pid", process);
    chrome_add_whole(row, "tid", thread);
}

void chrome_begin_args(struct str *row)
{
    chrome_add_key(row, "args");
    str_add_char(row, '{');
}
