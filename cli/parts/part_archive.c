/* What is in the file of a part? */
#define _POSIX_C_SOURCE 200809L
#include "cli/parts/part_archive.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "build_stamp.h"
#include "core/base/array.h"
#include "core/base/checksum.h"
#include "core/base/str.h"
#include "core/io/scratch_file.h"

static const char magic[8] = {'C', 'P', 'P', 'R', 'O', 'F', 'P', '1'};
static const char end_mark[8] = {'e', 'n', 'd', ' ', 'p', 'a', 'r', 't'};

/* Whether two processes have the same layouts in memory. */
static const char build[] = CPPROF_VERSION " " CPPROF_COMMIT " " CPPROF_BUILD_FLAGS;

enum { TEXT_BYTES_MAX = 1 << 28, COPY_BYTES = 1 << 16 };

struct file_head {
    char magic[8];
    uint32_t part, parts, key, wants_all;
    uint32_t words, operands, omissions;
    uint32_t text_bytes;        /* the build, words, operands and omissions, each with its '\0' */
    uint32_t text_crc32, crc32; /* of the text; of the fields before */
};

struct trace_head {
    int64_t bytes;
    int32_t code; /* 0: the bytes are what was measured; else they are the reason why there is nothing */
    uint32_t crc32;
};

/* ---- heads ---- */

int part_head_add_word(struct part_head *h, const char *word, struct err *e)
{
    char **slot = ARRAY_PUSH(&h->words);
    if (!slot || !(*slot = strdup(word))) {
        h->words.count -= slot != NULL;
        return err_memory(e);
    }
    return 0;
}

void part_head_release(struct part_head *h)
{
    for (size_t i = 0; i < h->words.count; i++)
        free(h->words.items[i]);
    free(h->words.items);
    trace_operands_release(&h->operands);
    *h = (struct part_head){0};
}

size_t part_head_traces(const struct part_head *h)
{
    return (h->operands.count + h->parts - h->part) / h->parts;
}

size_t part_head_trace(const struct part_head *h, size_t i)
{
    return h->part - 1 + i * h->parts;
}

/* ---- writing ---- */

static int write_bytes(FILE *to, const void *bytes, size_t count, struct err *e)
{
    if (!count || fwrite(bytes, count, 1, to) == 1)
        return 0;
    return err_set(e, ERR_ENVIRONMENT, "cannot write the part: %s", strerror(errno));
}

static void add_text(struct str *text, const char *word)
{
    str_add_bytes(text, word, strlen(word) + 1);
}

static void add_marked(struct str *text, char mark, const char *word)
{
    str_add_bytes(text, &mark, 1);
    add_text(text, word);
}

int part_archive_write_head(const struct part_head *h, FILE *to, struct err *e)
{
    struct str text;
    str_init(&text);
    add_text(&text, build);
    for (size_t i = 0; i < h->words.count; i++)
        add_text(&text, h->words.items[i]);
    for (size_t i = 0; i < h->operands.count; i++)
        add_marked(&text, h->operands.items[i].listed ? 'L' : 'N', h->operands.items[i].path);
    for (size_t i = 0; i < h->operands.omissions.count; i++)
        add_marked(&text, (char)('0' + h->operands.omissions.items[i].kind), h->operands.omissions.items[i].text);
    struct file_head head = {.part = h->part,
                             .parts = h->parts,
                             .key = h->key,
                             .wants_all = h->wants_all,
                             .words = (uint32_t)h->words.count,
                             .operands = (uint32_t)h->operands.count,
                             .omissions = (uint32_t)h->operands.omissions.count,
                             .text_bytes = (uint32_t)text.length,
                             .text_crc32 = checksum_crc32(0, str_text(&text), text.length)};
    memcpy(head.magic, magic, sizeof magic);
    head.crc32 = checksum_crc32(0, &head, offsetof(struct file_head, crc32));
    int rc = text.failed ? err_memory(e) : 0;
    if (!rc && text.length > TEXT_BYTES_MAX)
        rc = err_set(e, ERR_INPUT, "the paths of all traces are too long for a part");
    if (!rc)
        rc = write_bytes(to, &head, sizeof head, e);
    if (!rc)
        rc = write_bytes(to, str_text(&text), text.length, e);
    str_release(&text);
    return rc;
}

/* Copies up to `bytes`, and sums what it copies; `to` NULL: sums alone. Returns how many there were. */
static int64_t copy(FILE *from, FILE *to, int64_t bytes, uint32_t *crc32)
{
    char piece[COPY_BYTES];
    int64_t done = 0;
    while (done < bytes) {
        const size_t want = bytes - done < COPY_BYTES ? (size_t)(bytes - done) : COPY_BYTES;
        const size_t got = fread(piece, 1, want, from);
        *crc32 = checksum_crc32(*crc32, piece, got);
        if (to && fwrite(piece, 1, got, to) != got)
            break;
        done += (int64_t)got;
        if (got < want)
            break;
    }
    return done;
}

static int write_measured(FILE *from, FILE *to, struct err *e)
{
    struct trace_head head = {0};
    uint32_t again = 0;
    if (fseeko(from, 0, SEEK_SET))
        return err_set(e, ERR_ENVIRONMENT, "cannot read a temporary file: %s", strerror(errno));
    head.bytes = copy(from, NULL, INT64_MAX, &head.crc32);
    int rc = write_bytes(to, &head, sizeof head, e);
    if (rc)
        return rc;
    rewind(from);
    if (copy(from, to, head.bytes, &again) != head.bytes || again != head.crc32)
        return err_set(e, ERR_ENVIRONMENT, "cannot write the part: %s", strerror(errno));
    return 0;
}

int part_archive_write_trace(FILE *from, const struct err *why, FILE *to, struct err *e)
{
    if (!why->code)
        return write_measured(from, to, e);
    const size_t length = strlen(why->text);
    const struct trace_head head = {(int64_t)length, why->code, checksum_crc32(0, why->text, length)};
    int rc = write_bytes(to, &head, sizeof head, e);
    return rc ? rc : write_bytes(to, why->text, length, e);
}

int part_archive_write_end(FILE *to, struct err *e)
{
    return write_bytes(to, end_mark, sizeof end_mark, e);
}

/* ---- reading ---- */

static int damaged(const struct part_archive *a, const char *what, struct err *e)
{
    return err_set(e, ERR_INPUT, "'%s' is a damaged part: %s; make it again", a->path, what);
}

static int read_head(struct part_archive *a, struct file_head *h, struct err *e)
{
    if (fread(h, sizeof *h, 1, a->file) != 1 || memcmp(h->magic, magic, sizeof magic) != 0)
        return err_set(e, ERR_INPUT, "'%s' is no part that 'cpprof COMMAND --part' wrote", a->path);
    if (h->crc32 != checksum_crc32(0, h, offsetof(struct file_head, crc32)) || h->text_bytes > TEXT_BYTES_MAX)
        return damaged(a, "its beginning is not what was written", e);
    if (!h->parts || h->parts > PARTS_MAX || !h->part || h->part > h->parts || h->operands > TRACE_OPERANDS_MAX)
        return damaged(a, "its numbers make no sense", e);
    a->head.part = h->part;
    a->head.parts = h->parts;
    a->head.key = h->key;
    a->head.wants_all = h->wants_all;
    return 0;
}

/* Returns the next text of a block that ends with a '\0'; NULL at its end. */
static const char *next_text(const char **at, const char *end)
{
    const char *text = *at;
    if (text >= end)
        return NULL;
    *at = text + strlen(text) + 1;
    return text;
}

static int take_texts(struct part_archive *a, const struct file_head *h, const char *at, const char *end, struct err *e)
{
    const char *text = next_text(&at, end);
    if (!text || strcmp(text, build) != 0)
        return err_set(e, ERR_INPUT, "'%s' was written by another build of cpprof (%.100s); merge with that one",
                       a->path, text ? text : "unknown");
    int rc = 0;
    for (uint32_t i = 0; !rc && i < h->words; i++)
        rc = (text = next_text(&at, end)) ? part_head_add_word(&a->head, text, e) : damaged(a, "words are missing", e);
    for (uint32_t i = 0; !rc && i < h->operands; i++)
        rc = (text = next_text(&at, end)) && *text
                 ? trace_operands_add_trace(&a->head.operands, text + 1, *text == 'L', e)
                 : damaged(a, "paths are missing", e);
    for (uint32_t i = 0; !rc && i < h->omissions; i++)
        rc = (text = next_text(&at, end)) && *text >= '0' + CAVEAT_NOTE && *text <= '0' + CAVEAT_TRUNCATED
                 ? trace_operands_omit(&a->head.operands, (enum caveat_kind)(*text - '0'), text + 1, e)
                 : damaged(a, "notes are missing", e);
    return rc;
}

static int read_texts(struct part_archive *a, const struct file_head *h, struct err *e)
{
    char *block = malloc((size_t)h->text_bytes + 1);
    if (!block)
        return err_memory(e);
    block[h->text_bytes] = '\0';
    int rc = fread(block, 1, h->text_bytes, a->file) == h->text_bytes &&
                     h->text_crc32 == checksum_crc32(0, block, h->text_bytes)
                 ? 0
                 : damaged(a, "its beginning is not what was written", e);
    if (!rc)
        rc = take_texts(a, h, block, block + h->text_bytes, e);
    free(block);
    return rc;
}

/* Is everything behind the head as it was written, and nothing behind the end? */
static int check_traces(struct part_archive *a, struct err *e)
{
    struct trace_head head;
    char mark[sizeof end_mark];
    for (size_t i = 0; i < part_head_traces(&a->head); i++) {
        uint32_t crc32 = 0;
        if (fread(&head, sizeof head, 1, a->file) != 1 || head.bytes < 0 || head.code > 0 ||
            copy(a->file, NULL, head.bytes, &crc32) != head.bytes)
            return damaged(a, "it ends early", e);
        if (crc32 != head.crc32)
            return damaged(a, "a checksum is wrong", e);
    }
    if (fread(mark, sizeof mark, 1, a->file) != 1 || memcmp(mark, end_mark, sizeof mark) != 0 || getc(a->file) != EOF)
        return damaged(a, "its end is not what was written", e);
    return 0;
}

int part_archive_open(struct part_archive *out, const char *path, struct err *e)
{
    struct file_head head;
    *out = (struct part_archive){.path = path, .file = fopen(path, "rb")};
    if (!out->file)
        return err_set(e, ERR_INPUT, "cannot open '%s': %s", path, strerror(errno));
    int rc = read_head(out, &head, e);
    if (!rc)
        rc = read_texts(out, &head, e);
    const off_t traces = rc ? 0 : ftello(out->file);
    if (!rc)
        rc = check_traces(out, e);
    if (!rc && fseeko(out->file, traces, SEEK_SET))
        rc = err_set(e, ERR_INPUT, "cannot read '%s': %s", path, strerror(errno));
    return rc;
}

void part_archive_release(struct part_archive *a)
{
    if (a->file)
        fclose(a->file);
    part_head_release(&a->head);
    *a = (struct part_archive){0};
}

static int read_reason(struct part_archive *a, const struct trace_head *head, struct err *e)
{
    char text[sizeof e->text] = "";
    if (head->bytes >= (int64_t)sizeof text || fread(text, 1, (size_t)head->bytes, a->file) != (size_t)head->bytes)
        return damaged(a, "it ends early", e);
    return err_set(e, head->code, "%s", text);
}

int part_archive_next(struct part_archive *a, FILE *to, struct err *e)
{
    struct trace_head head;
    uint32_t crc32 = 0;
    if (fread(&head, sizeof head, 1, a->file) != 1)
        return damaged(a, "it ends early", e);
    if (head.code)
        return read_reason(a, &head, e);
    if (copy(a->file, to, head.bytes, &crc32) == head.bytes && crc32 == head.crc32)
        return 0;
    return ferror(to) ? scratch_file_full(e) : damaged(a, "it has changed", e);
}
