/* How was an export of nsys recorded, by its own words? Asked where it has no work on the GPU. */
#include "core/trace/readers/nsys_recording.h"

#include <string.h>
#include <strings.h>

#include "core/base/count_of.h"
#include "core/base/utf8.h"

enum { WARNINGS_SHOWN_MAX = 4, WARNING_BYTES_MAX = 160, SEVERITY_INFORMATION = 1 };

struct recording {
    bool is_traced, is_untraced, is_wsl;
    struct str *warnings; /* "'...', '...'" */
    size_t warning_count;
};

static bool ends_in(const char *text, const char *ending)
{
    const size_t length = strlen(text), need = strlen(ending);
    return length >= need && !strcmp(text + length - need, ending);
}

/* "PROCESS_0:COLLECT_CUDA_TRACE" */
static void take_setting(struct recording *r, const struct sqlite_rows *row)
{
    size_t length;
    if (!ends_in(sqlite_rows_text(row, 0, &length), "COLLECT_CUDA_TRACE"))
        return;
    const char *value = sqlite_rows_text(row, 1, &length);
    r->is_traced |= !strcasecmp(value, "true") || !strcmp(value, "1");
    r->is_untraced |= !strcasecmp(value, "false") || !strcmp(value, "0");
}

/* The release of its kernel: "5.15.146.1-microsoft-standard-WSL2" */
static void take_system(struct recording *r, const struct sqlite_rows *row)
{
    size_t length;
    r->is_wsl |= strstr(sqlite_rows_text(row, 1, &length), "microsoft-standard") != NULL;
}

static void take_warning(struct recording *r, const struct sqlite_rows *row)
{
    size_t length;
    const char *text = sqlite_rows_text(row, 0, &length);
    const size_t shown = strcspn(text, "\n");
    if (sqlite_rows_type(row, 1) != SQLITE_CELL_INTEGER || sqlite_rows_integer(row, 1) <= SEVERITY_INFORMATION ||
        !shown || r->warning_count == WARNINGS_SHOWN_MAX)
        return;
    str_add(r->warnings, r->warning_count++ ? ", '" : "'");
    utf8_add_visible(r->warnings, text, shown < WARNING_BYTES_MAX ? shown : WARNING_BYTES_MAX);
    str_add(r->warnings, "'");
}

static const struct {
    const char *table, *columns[2];
    void (*take)(struct recording *, const struct sqlite_rows *);
} tables[] = {
    {"META_DATA_CAPTURE", {"name", "value"}, take_setting},
    {"TARGET_INFO_SYSTEM_ENV", {"name", "value"}, take_system},
    {"DIAGNOSTIC_EVENT", {"text", "severity"}, take_warning},
};

/* A table that cannot be read gives no reason. */
static int read_rows(struct recording *r, struct sqlite_file *file, size_t i, struct err *e)
{
    struct sqlite_rows *rows = NULL;
    struct err bad = {0};
    const int has = sqlite_file_has(file, tables[i].table, &bad);
    int rc = has < 0 ? has : 0;
    if (has == SQLITE_TABLE_USABLE)
        rc = sqlite_rows_open(&rows, file, tables[i].table, tables[i].columns, COUNT_OF(tables[i].columns), &bad);
    while (rows && !rc && (rc = sqlite_rows_next(rows, &bad)) == 1) {
        tables[i].take(r, rows);
        rc = 0;
    }
    sqlite_rows_close(rows);
    return rc && rc != ERR_INPUT ? err_set(e, rc, "%s", bad.text) : 0;
}

int nsys_recording_describe(struct sqlite_file *file, struct str *out, struct err *e)
{
    struct str warnings;
    str_init(&warnings);
    struct recording r = {.warnings = &warnings};
    int rc = 0;
    for (size_t i = 0; i < COUNT_OF(tables) && !rc; i++)
        rc = read_rows(&r, file, i, e);
    if (r.is_traced)
        str_addf(out, "CUDA was traced (COLLECT_CUDA_TRACE is true)%s, and nsys recorded none of its work",
                 r.is_wsl ? ", on WSL2" : "");
    else
        str_addf(out, "%s%s",
                 r.is_untraced ? "CUDA was not traced (COLLECT_CUDA_TRACE is false; nsys profile -t cuda)"
                               : "nothing ran there while it was captured, or CUDA was not traced (nsys "
                                 "profile -t cuda)",
                 r.is_wsl ? ", on WSL2" : "");
    if (warnings.length)
        str_addf(out, "; nsys says: %s", str_text(&warnings));
    if (r.is_traced)
        str_add(out, "; 'nsys status --environment' says what it can trace there");
    if (!rc && (out->failed || warnings.failed))
        rc = err_memory(e);
    str_release(&warnings);
    return rc;
}
