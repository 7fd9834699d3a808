/* What is in the tables of an SQLite file? */
#define _GNU_SOURCE
#include "core/io/sqlite_rows.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "core/base/count_of.h"
#include "core/base/str.h"

#define MAGIC "SQLite format 3"

/* Offsets in the header. The page count is valid only if the program that last changed the file also updated it: then
 * the other two fields are equal. */
enum {
    HEADER_BYTES = 100,
    PAGE_BYTES = 16,
    WRITE_VERSION = 18,
    READ_VERSION = 19,
    CHANGES = 24,
    PAGE_COUNT = 28,
    COUNTED_AT_CHANGE = 92,
    ROLLBACK_JOURNAL = 1,
    LARGEST_PAGE_BYTES = 65536
};

/* A row takes about 50 bytes and as many steps of SQLite's machine. A file that needs more steps than this is damaged,
 * or was made to keep us busy. */
enum { OF_SOME_SIZE_BYTES = 64 * 1024 * 1024, STEPS_PER_BYTE = 64, STEPS_FREE = 1000000, STEPS_PER_CALL = 1000 };

struct sqlite_file {
    sqlite3 *db;
    const char *path;
    unsigned char *bytes; /* the mapped file */
    size_t size;          /* of the file */
    size_t used;          /* bytes that SQLite may read */
    int64_t own_bytes;
    int64_t steps_left;
};

struct sqlite_rows {
    struct sqlite_file *file;
    sqlite3_stmt *statement;
    uint64_t present; /* one bit for each column that the table has */
    int64_t number;
};

bool sqlite_file_is(const char *head, size_t bytes)
{
    return bytes >= HEADER_BYTES && !memcmp(head, MAGIC, sizeof MAGIC);
}

static int cannot_use(const struct sqlite_file *f, struct err *e)
{
    int code = sqlite3_errcode(f->db);
    if (code == SQLITE_NOMEM && f->size >= OF_SOME_SIZE_BYTES)
        return err_memory(e);
    if (code == SQLITE_NOMEM)
        return err_set(e, ERR_INPUT,
                       "'%s' cannot be read as an SQLite database: it asks for memory that its size does not "
                       "explain; it is damaged",
                       f->path);
    if (code == SQLITE_INTERRUPT)
        return err_set(e, ERR_INPUT, "'%s' takes longer to read than its size explains; it is damaged", f->path);
    return err_set(e, ERR_INPUT, "'%s' cannot be read as an SQLite database: %s", f->path, sqlite3_errmsg(f->db));
}

static int give_up(void *context)
{
    struct sqlite_file *f = context;
    f->steps_left -= STEPS_PER_CALL;
    return f->steps_left < 0;
}

static int only_reading(void *context, int action, const char *a, const char *b, const char *c, const char *d)
{
    (void)context, (void)a, (void)b, (void)c, (void)d;
    return action == SQLITE_SELECT || action == SQLITE_READ ? SQLITE_OK : SQLITE_DENY;
}

static uint32_t big_endian(const unsigned char *bytes, size_t count)
{
    uint32_t value = 0;
    for (size_t i = 0; i < count; i++)
        value = value << 8 | bytes[i];
    return value;
}

/* SQLite reads an incomplete page as if zeros followed, and refuses a file that lacks whole pages. So an incomplete
 * page is left out, and the page count in the header is set to the pages that exist. Rows before the missing pages can
 * be read; reaching a missing page is an error. */
static void see_whole_pages(struct sqlite_file *f)
{
    const uint32_t written = big_endian(f->bytes + PAGE_BYTES, 2);
    const size_t page_bytes = written == 1 ? LARGEST_PAGE_BYTES : written;
    f->used = f->size;
    f->own_bytes = (int64_t)f->size;
    if (page_bytes < 512 || page_bytes & (page_bytes - 1))
        return; /* SQLite reports the error */
    const bool counted = !memcmp(f->bytes + CHANGES, f->bytes + COUNTED_AT_CHANGE, 4);
    const size_t there = f->size / page_bytes, by_size = there + (f->size % page_bytes != 0);
    const uint32_t in_header = big_endian(f->bytes + PAGE_COUNT, 4);
    const size_t own = counted && in_header ? in_header : by_size;
    f->own_bytes = (int64_t)(own * page_bytes);
    if (own <= there || !there)
        return;
    f->used = there * page_bytes;
    memset(f->bytes + PAGE_COUNT, 0, 4); /* no count: SQLite uses the file size */
}

static int map(struct sqlite_file *f, FILE *file, struct err *e)
{
    struct stat info;
    if (fstat(fileno(file), &info) || info.st_size < HEADER_BYTES)
        return err_set(e, ERR_INPUT, "'%s' is shorter than the header of an SQLite database", f->path);
    f->size = (size_t)info.st_size;
    /* The mapping is private: SQLite does not write, but we change a few bytes of the header. */
    void *bytes = mmap(NULL, f->size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fileno(file), 0);
    if (bytes == MAP_FAILED)
        return err_set(e, errno == ENOMEM ? ERR_ENVIRONMENT : ERR_INPUT, "cannot map '%s': %s", f->path,
                       strerror(errno));
    f->bytes = bytes;
    /* A file in memory has no write-ahead log; SQLite reads only the file itself. */
    f->bytes[WRITE_VERSION] = ROLLBACK_JOURNAL;
    f->bytes[READ_VERSION] = ROLLBACK_JOURNAL;
    see_whole_pages(f);
    f->steps_left = STEPS_FREE + (int64_t)f->size * STEPS_PER_BYTE;
    return 0;
}

static int harden(struct sqlite_file *f, struct err *e)
{
    static const int switches[][2] = {
        {SQLITE_DBCONFIG_DEFENSIVE, 1},
        {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
        {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
        {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
    };
    static const int limits[][2] = {
        {SQLITE_LIMIT_LENGTH, SQLITE_TEXT_BYTES_MAX},
        {SQLITE_LIMIT_SQL_LENGTH, 65536},
        {SQLITE_LIMIT_COLUMN, 256},
        {SQLITE_LIMIT_EXPR_DEPTH, 16},
        {SQLITE_LIMIT_ATTACHED, 0},
        {SQLITE_LIMIT_WORKER_THREADS, 0},
    };
    for (size_t i = 0; i < COUNT_OF(switches); i++)
        if (sqlite3_db_config(f->db, switches[i][0], switches[i][1], NULL) != SQLITE_OK)
            return cannot_use(f, e);
    for (size_t i = 0; i < COUNT_OF(limits); i++)
        sqlite3_limit(f->db, limits[i][0], limits[i][1]);
    sqlite3_progress_handler(f->db, STEPS_PER_CALL, give_up, f);
    sqlite3_set_authorizer(f->db, only_reading, NULL);
    return 0;
}

static int open_mapped(struct sqlite_file *f, struct err *e)
{
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(":memory:", &f->db, flags, NULL) != SQLITE_OK)
        return f->db ? cannot_use(f, e) : err_memory(e);
    int status = sqlite3_deserialize(f->db, "main", f->bytes, (sqlite3_int64)f->used, (sqlite3_int64)f->used,
                                     SQLITE_DESERIALIZE_READONLY);
    if (status != SQLITE_OK)
        return cannot_use(f, e);
    return harden(f, e);
}

int sqlite_file_open(struct sqlite_file **out, FILE *file, const char *path, struct err *e)
{
    struct sqlite_file *f = calloc(1, sizeof *f);
    *out = NULL;
    if (!f)
        return err_memory(e);
    f->path = path;
    int rc = map(f, file, e);
    if (!rc)
        rc = open_mapped(f, e);
    if (rc)
        sqlite_file_close(f);
    else
        *out = f;
    return rc;
}

void sqlite_file_close(struct sqlite_file *f)
{
    if (!f)
        return;
    sqlite3_close(f->db);
    if (f->bytes)
        munmap(f->bytes, f->size);
    free(f);
}

int64_t sqlite_file_own_bytes(const struct sqlite_file *f)
{
    return f->own_bytes;
}

int64_t sqlite_file_bytes(const struct sqlite_file *f)
{
    return (int64_t)f->size;
}

static int prepare(struct sqlite_file *f, const char *sql, sqlite3_stmt **out, struct err *e)
{
    return sqlite3_prepare_v2(f->db, sql, -1, out, NULL) == SQLITE_OK ? 0 : cannot_use(f, e);
}

/* Views and virtual tables have no root page. Hidden columns are computed when they are read, by code that the file
 * defines. */
int sqlite_file_has(struct sqlite_file *f, const char *table, struct err *e)
{
    sqlite3_stmt *s = NULL;
    sqlite3_set_authorizer(f->db, NULL, NULL); /* SQLite declares a table of its own to list columns */
    int rc = prepare(f,
                     "SELECT type = 'table' AND rootpage > 0 "
                     "AND NOT EXISTS (SELECT 1 FROM pragma_table_xinfo(?1) WHERE hidden <> 0) "
                     "FROM sqlite_schema WHERE type IN ('table', 'view') AND name = ?1",
                     &s, e);
    if (!rc) {
        sqlite3_bind_text(s, 1, table, -1, SQLITE_STATIC);
        int status = sqlite3_step(s);
        if (status == SQLITE_ROW)
            rc = sqlite3_column_int(s, 0) ? SQLITE_TABLE_USABLE : SQLITE_TABLE_UNUSABLE;
        else
            rc = status == SQLITE_DONE ? SQLITE_TABLE_ABSENT : cannot_use(f, e);
    }
    sqlite3_finalize(s);
    sqlite3_set_authorizer(f->db, only_reading, NULL);
    return rc;
}

static bool has_column(sqlite3_stmt *all, const char *name)
{
    for (int i = 0; i < sqlite3_column_count(all); i++)
        if (!strcasecmp(sqlite3_column_name(all, i), name))
            return true;
    return false;
}

/* Finds out which columns the table has, and writes the statement that selects them. */
static int compose(struct sqlite_rows *r, const char *table, const char *key, const char *const *columns,
                   size_t column_count, struct str *sql, struct err *e)
{
    sqlite3_stmt *all = NULL;
    str_addf(sql, "SELECT * FROM \"%s\"", table);
    int rc = sql->failed ? err_memory(e) : prepare(r->file, sql->text, &all, e);
    if (rc)
        return rc;
    str_clear(sql);
    for (size_t i = 0; i < column_count; i++) {
        bool present = has_column(all, columns[i]);
        r->present |= (uint64_t)present << i;
        str_addf(sql, "%s%s%s%s", i ? ", " : "SELECT ", present ? "\"" : "", present ? columns[i] : "NULL",
                 present ? "\"" : "");
    }
    str_addf(sql, " FROM \"%s\"", table);
    if (key && has_column(all, key))
        str_addf(sql, " WHERE \"%s\" = ?1", key);
    else if (key)
        rc = err_set(e, ERR_INPUT, "'%s': table %s lacks column '%s'", r->file->path, table, key);
    sqlite3_finalize(all);
    return rc ? rc : sql->failed ? err_memory(e) : 0;
}

int sqlite_rows_open_by(struct sqlite_rows **out, struct sqlite_file *f, const char *table, const char *key,
                        const char *const *columns, size_t column_count, struct err *e)
{
    *out = NULL;
    if (column_count > SQLITE_COLUMNS_MAX)
        return err_set(e, ERR_INTERNAL, "%zu columns of %s are too many", column_count, table);
    struct sqlite_rows *r = calloc(1, sizeof *r);
    if (!r)
        return err_memory(e);
    r->file = f;
    struct str sql;
    str_init(&sql);
    int rc = compose(r, table, key, columns, column_count, &sql, e);
    if (!rc)
        rc = prepare(f, str_text(&sql), &r->statement, e);
    str_release(&sql);
    if (rc)
        sqlite_rows_close(r);
    else
        *out = r;
    return rc;
}

int sqlite_rows_open(struct sqlite_rows **out, struct sqlite_file *f, const char *table, const char *const *columns,
                     size_t column_count, struct err *e)
{
    return sqlite_rows_open_by(out, f, table, NULL, columns, column_count, e);
}

void sqlite_rows_seek(struct sqlite_rows *r, int64_t key)
{
    sqlite3_reset(r->statement);
    sqlite3_bind_int64(r->statement, 1, key);
    r->number = 0;
}

void sqlite_rows_close(struct sqlite_rows *r)
{
    if (!r)
        return;
    sqlite3_finalize(r->statement);
    free(r);
}

bool sqlite_rows_has(const struct sqlite_rows *r, size_t column)
{
    return r->present >> column & 1;
}

int sqlite_rows_next(struct sqlite_rows *r, struct err *e)
{
    int status = sqlite3_step(r->statement);
    if (status == SQLITE_DONE)
        return 0;
    if (status != SQLITE_ROW)
        return cannot_use(r->file, e);
    r->number++;
    return 1;
}

int64_t sqlite_rows_number(const struct sqlite_rows *r)
{
    return r->number;
}

enum sqlite_cell sqlite_rows_type(const struct sqlite_rows *r, size_t column)
{
    switch (sqlite3_column_type(r->statement, (int)column)) {
    case SQLITE_NULL: return SQLITE_CELL_NONE;
    case SQLITE_INTEGER: return SQLITE_CELL_INTEGER;
    case SQLITE_TEXT: return SQLITE_CELL_TEXT;
    default: return SQLITE_CELL_OTHER;
    }
}

int64_t sqlite_rows_integer(const struct sqlite_rows *r, size_t column)
{
    return sqlite_rows_type(r, column) == SQLITE_CELL_INTEGER ? sqlite3_column_int64(r->statement, (int)column) : 0;
}

const char *sqlite_rows_text(const struct sqlite_rows *r, size_t column, size_t *length)
{
    const unsigned char *text =
        sqlite_rows_type(r, column) == SQLITE_CELL_TEXT ? sqlite3_column_text(r->statement, (int)column) : NULL;
    *length = text ? (size_t)sqlite3_column_bytes(r->statement, (int)column) : 0;
    return text ? (const char *)text : "";
}
