/* Did the programs compute the same? */
#define _GNU_SOURCE
#include "cli/record/program_outputs.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/record/program_counters.h"
#include "core/base/files.h"
#include "core/base/str.h"
#include "core/bundle/bundle_tables.h"
#include "core/bundle/bundle_text.h"

enum { PLACE_BYTES = 256 };

/* A candidate is held against the reference, the reference against itself. */
#define PHASE_OUTPUT "output"
#define PHASE_REPEAT "repeat"

void program_outputs_init(struct program_outputs *o, const struct program_request *request, const char *folder)
{
    *o = (struct program_outputs){.request = request, .folder = folder};
    for (size_t i = 0; request->baseline && i < request->count; i++)
        if (!strcmp(request->arms[i].name, request->baseline))
            o->reference = i;
    bundle_table_init(&o->verify, BUNDLE_VERIFY);
    bundle_table_init(&o->mismatches, BUNDLE_MISMATCHES);
}

void program_outputs_release(struct program_outputs *o)
{
    table_release(&o->verify);
    table_release(&o->mismatches);
}

const char *program_output_path(struct str *path, const struct program_outputs *o, size_t arm, long process)
{
    str_clear(path);
    str_addf(path, "%s/%s-%ld.npy", o->folder, o->request->arms[arm].name, process);
    return str_text(path);
}

/* One line of verify.csv, its verdict open. */
static struct cell *add_row(struct program_outputs *o, size_t arm, long process)
{
    struct table *t = &o->verify;
    struct cell *row = table_add_row(t);
    if (row) {
        row[VERIFY_VARIANT] = cell_text(t, o->request->arms[arm].name);
        row[VERIFY_SHAPE] = cell_text(t, PROGRAM_SHAPE);
        row[VERIFY_PROCESS] = cell_integer(process);
        row[VERIFY_PHASE] = cell_text(t, arm == o->reference ? PHASE_REPEAT : PHASE_OUTPUT);
    }
    return row;
}

static void set_hash(struct table *t, struct cell *row, const char *path)
{
    uint64_t bytes;
    uint32_t crc32;
    char text[16];
    if (files_checksum(path, &bytes, &crc32, NULL))
        return;
    snprintf(text, sizeof text, "%08" PRIx32, crc32);
    row[VERIFY_OUTPUT_HASH] = cell_text(t, text);
}

static void set_difference(struct table *t, struct cell *row, const struct array_difference *d)
{
    const bool passes = d->comparable && !d->wrong;
    row[VERIFY_VALUES] = cell_integer((int64_t)d->values);
    if (d->comparable) {
        row[VERIFY_MAX_ABS_ERR] = cell_number(d->max_abs_err);
        row[VERIFY_BAD_RATIO] = cell_number(d->values ? (double)d->wrong / (double)d->values : 0);
        row[VERIFY_BITWISE] = cell_text(t, d->equal ? "yes" : "no");
    }
    row[VERIFY_PASS] = cell_text(t, passes ? "yes" : "no");
    row[VERIFY_HINT] = cell_text(t, d->hint);
}

static int add_mismatches(struct program_outputs *o, size_t arm, const struct array_difference *d, struct err *e)
{
    struct table *t = &o->mismatches;
    char place[PLACE_BYTES];
    for (size_t i = 0; i < d->first_count; i++) {
        struct cell *row = table_add_row(t);
        if (!row)
            return err_memory(e);
        array_place(place, sizeof place, d, d->first[i].index);
        row[MISMATCHES_VARIANT] = cell_text(t, o->request->arms[arm].name);
        row[MISMATCHES_SHAPE] = cell_text(t, PROGRAM_SHAPE);
        row[MISMATCHES_PHASE] = cell_text(t, arm == o->reference ? PHASE_REPEAT : PHASE_OUTPUT);
        row[MISMATCHES_INDEX] = cell_integer((int64_t)d->first[i].index);
        row[MISMATCHES_WHERE] = cell_text(t, place);
        row[MISMATCHES_EXPECTED] = cell_number(d->first[i].expected);
        row[MISMATCHES_GOT] = cell_number(d->first[i].got);
    }
    return 0;
}

/* A reference without a usable array says nothing about the candidate: an open
 * check. One of the candidate that cannot be read is its failure. */
static int compare_one(struct program_outputs *o, size_t arm, long process, const char *expected, const char *got,
                       struct err *e)
{
    struct array_difference d;
    struct err why = {0};
    int rc = arrays_compare(&d, expected, got, o->request->tolerance, &why);
    if (rc && rc != ERR_INPUT)
        return err_set(e, rc, "%s", why.text);
    struct table *t = &o->verify;
    struct cell *row = add_row(o, arm, process);
    if (!row)
        return err_memory(e);
    set_hash(t, row, got);
    if (!rc) {
        set_difference(t, row, &d);
        return add_mismatches(o, arm, &d, e);
    }
    struct array_difference itself;
    const bool readable = arm != o->reference && !arrays_compare(&itself, got, got, o->request->tolerance, NULL);
    if (!readable)
        row[VERIFY_PASS] = cell_text(t, "no");
    struct str hint;
    str_init(&hint);
    bundle_add_text(&hint, why.text);
    row[VERIFY_HINT] = cell_text(t, str_text(&hint));
    str_release(&hint);
    return 0;
}

static int compare_arm(struct program_outputs *o, size_t arm, long process, struct err *e)
{
    struct str got, expected;
    str_init(&got);
    str_init(&expected);
    program_output_path(&got, o, arm, process);
    program_output_path(&expected, o, o->reference, arm == o->reference ? 0 : process);
    o->asked[arm]++;
    int rc = got.failed || expected.failed ? err_memory(e) : 0;
    if (!rc && files_exists(str_text(&got))) {
        o->written[arm]++;
        if (files_exists(str_text(&expected)) && o->request->count > 1)
            rc = compare_one(o, arm, process, str_text(&expected), str_text(&got), e);
    }
    str_release(&got);
    str_release(&expected);
    return rc;
}

static void remove_files(struct program_outputs *o, long process)
{
    struct str path;
    str_init(&path);
    for (size_t arm = 0; arm < o->request->count; arm++)
        if (arm != o->reference || process > 0)
            unlink(program_output_path(&path, o, arm, process));
    str_release(&path);
}

int program_outputs_compare(struct program_outputs *o, long process, const bool *ran, struct err *e)
{
    int rc = 0;
    for (size_t arm = 0; arm < o->request->count && !rc; arm++)
        if (ran[arm])
            rc = compare_arm(o, arm, process, e);
    remove_files(o, process);
    return rc;
}

static const char *why_not_shown(const struct program_outputs *o, size_t arm)
{
    if (!o->written[arm])
        return "the program wrote no array to the file that CPPROF_OUTPUT names";
    if (o->request->count == 1)
        return "there is no other variant to compare its array with";
    if (!o->written[o->reference])
        return "the variant that it is compared with wrote no array to the file that CPPROF_OUTPUT names";
    return o->written[arm] < o->asked[arm] ? "not every process of the program wrote its array" : NULL;
}

/* Some of its processes wrote an array: those that did not are checks that are open. */
static int add_open_checks(struct program_outputs *o, size_t arm, struct err *e)
{
    for (long i = o->written[arm]; o->written[arm] && i < o->asked[arm]; i++) {
        struct cell *row = add_row(o, arm, i);
        if (!row)
            return err_memory(e);
        row[VERIFY_PROCESS] = cell_missing(&o->verify, "one of those that wrote no array");
        row[VERIFY_HINT] = cell_text(&o->verify, "no array was written");
    }
    return 0;
}

static int write_table(const struct table *t, enum bundle_table which, const char *directory, struct err *e)
{
    struct str path;
    str_init(&path);
    const int rc = table_rows(t) ? table_append_csv(t, files_join(&path, directory, bundle_table_file(which)), e) : 0;
    str_release(&path);
    return rc;
}

int program_outputs_finish(struct program_outputs *o, const char *directory, json_t *manifest, struct err *e)
{
    int rc = 0;
    for (size_t arm = 0; arm < o->request->count && !rc; arm++) {
        const char *why = o->asked[arm] ? why_not_shown(o, arm) : NULL; /* one that failed has said so */
        rc = add_open_checks(o, arm, e);
        if (!rc && why)
            rc = program_missing(manifest, "correctness", o->request->arms[arm].name, why, e);
    }
    if (!rc)
        rc = write_table(&o->verify, BUNDLE_VERIFY, directory, e);
    return rc ? rc : write_table(&o->mismatches, BUNDLE_MISMATCHES, directory, e);
}
