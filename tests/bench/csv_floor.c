/* How long does libcsv alone need to tokenise a file?
 *
 *   csv_floor FILE        prints the numbers of rows and fields
 *
 * The floor to which reading a CSV trace is compared: the same library,
 * options and block size as core/io/csv.c, callbacks that only count. */
#include <csv.h>
#include <stdio.h>
#include <stdlib.h>

enum { READ_BYTES = 64 * 1024 };

struct counts {
    unsigned long long rows, fields, bytes;
};

static void count_field(void *text, size_t length, void *context)
{
    struct counts *counts = context;
    (void)text;
    counts->fields++;
    counts->bytes += length;
}

static void count_row(int terminator, void *context)
{
    struct counts *counts = context;
    (void)terminator;
    counts->rows++;
}

static int tokenise(FILE *file, struct counts *counts)
{
    static char block[READ_BYTES];
    struct csv_parser parser;
    if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL))
        return -1;
    csv_set_blk_size(&parser, READ_BYTES);
    int rc = 0;
    size_t got;
    while (!rc && (got = fread(block, 1, sizeof block, file)) > 0)
        if (csv_parse(&parser, block, got, count_field, count_row, counts) != got)
            rc = -1;
    if (!rc && (ferror(file) || csv_fini(&parser, count_field, count_row, counts)))
        rc = -1;
    csv_free(&parser);
    return rc;
}

int main(int argc, char **argv)
{
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (!file) {
        fputs("usage: csv_floor FILE (one that can be read)\n", stderr);
        return 2;
    }
    struct counts counts = {0};
    int rc = tokenise(file, &counts);
    fclose(file);
    if (rc)
        fprintf(stderr, "csv_floor: '%s' is no CSV file\n", argv[1]);
    else
        printf("%llu rows, %llu fields, %llu bytes of text\n", counts.rows, counts.fields, counts.bytes);
    return rc ? 1 : 0;
}
