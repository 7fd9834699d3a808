/* How does a run directory begin, get sealed, and come back? */
#define _GNU_SOURCE
#include "model/bundle.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/str.h"
#include "cpprof/shard.h"
#include "model/bundle_check.h"
#include "model/bundle_complete.h"
#include "model/bundle_text.h"
#include "model/count_sum.h"
#include "model/seal.h"

#define PROCESS_REPORT "process-*.json"
#define TRACE_SHARD "trace-*.bin"
#define STATUS_COMPLETE "complete"
#define STATUS_INCOMPLETE "incomplete"

void bundle_init(struct bundle *b)
{
    *b = (struct bundle){0};
    caveat_list_init(&b->caveats);
    for (int i = 0; i < BUNDLE_TABLE_COUNT; i++)
        bundle_table_init(&b->tables[i], (enum bundle_table)i);
}

void bundle_release(struct bundle *b)
{
    free(b->path);
    json_decref(b->manifest);
    for (int i = 0; i < BUNDLE_TABLE_COUNT; i++)
        table_release(&b->tables[i]);
    caveat_list_release(&b->caveats);
    *b = (struct bundle){0};
}

bool bundle_is(const char *path)
{
    struct str file;
    str_init(&file);
    const bool is = files_is_directory(path) && files_exists(files_join(&file, path, BUNDLE_MANIFEST));
    str_release(&file);
    return is;
}

const json_t *bundle_programs(const struct bundle *b)
{
    const json_t *programs = json_object_get(b->manifest, "programs");
    return json_is_array(programs) ? programs : NULL;
}

bool bundle_has_trace(const char *path)
{
    DIR *directory = opendir(path);
    bool found = false;
    for (const struct dirent *entry; directory && !found && (entry = readdir(directory));)
        found = !fnmatch(TRACE_SHARD, entry->d_name, 0);
    if (directory)
        closedir(directory);
    return found;
}

/* A shard of a process that did nothing is a header and a chunk that says the end. */
static bool holds_more_than_its_end(const char *folder, const char *name)
{
    struct stat info;
    struct str path;
    str_init(&path);
    const bool is_more = !stat(files_join(&path, folder, name), &info) &&
                         (size_t)info.st_size > sizeof(struct cpprof_shard_header) + sizeof(struct cpprof_chunk_header);
    str_release(&path);
    return is_more;
}

bool bundle_has_events(const char *path)
{
    DIR *directory = opendir(path);
    bool found = false;
    for (const struct dirent *entry; directory && !found && (entry = readdir(directory));)
        found = !fnmatch(TRACE_SHARD, entry->d_name, 0) && holds_more_than_its_end(path, entry->d_name);
    if (directory)
        closedir(directory);
    return found;
}

/* ---- opening ---- */

static int check_format(const json_t *manifest, const char *path, struct err *e)
{
    const long long format = json_get_integer(manifest, "format", 0);
    if (format < 1)
        return err_set(e, ERR_INPUT, "'%s/" BUNDLE_MANIFEST "' is not the manifest of a cpprof bundle: it has no format version",
                       path);
    if (format > BUNDLE_FORMAT)
        return err_set(e, ERR_INPUT,
                       "'%s/" BUNDLE_MANIFEST "' was made by a newer cpprof (format %lld, this one reads up to %d): update "
                       "cpprof",
                       path, format, BUNDLE_FORMAT);
    return 0;
}

/* A bundle may come from a stranger: a pipe in it would block the reader. */
static int read_json(const char *file, json_t **out, struct err *e)
{
    return files_is_regular(file) ? json_read_file(file, out, e)
                                  : err_set(e, ERR_INPUT, "cannot read '%s': it is no regular file", file);
}

static int read_manifest(const char *path, json_t **out, struct err *e)
{
    struct str file;
    str_init(&file);
    int rc = 0;
    if (!bundle_is(path))
        rc = err_set(e, ERR_INPUT, "'%s' is not a bundle: it holds no " BUNDLE_MANIFEST, path);
    else
        rc = read_json(files_join(&file, path, BUNDLE_MANIFEST), out, e);
    str_release(&file);
    return rc;
}

static bool is_sealed(const json_t *manifest)
{
    return !strcmp(json_get_text(manifest, "status", ""), STATUS_COMPLETE);
}

/* NULL: there is no list, or none that can be read. */
static const json_t *sealed_files(const struct bundle *b)
{
    const json_t *files = b->complete ? json_object_get(b->manifest, "files") : NULL;
    return json_is_object(files) ? files : NULL;
}

/* What was not there when the bundle was sealed is not what was recorded. */
static int leave_out(struct bundle *b, const char *file, struct err *e)
{
    return caveat_add(&b->caveats, CAVEAT_WEAKENS, e, "'%s' is no part of what was sealed: it is left out", file);
}

/* A table that breaks off or turns to nonsense: its rows up to there are kept,
 * and the caveat says that the bundle as a whole is not to be trusted. */
static int read_table(struct bundle *b, enum bundle_table which, const char *file, struct err *e)
{
    struct table *table = &b->tables[which];
    struct err cut = {0};
    struct str bad;
    str_init(&bad);
    const int read = files_is_regular(file) ? table_read_csv(table, file, &cut)
                                            : err_set(&cut, ERR_INPUT, "cannot read '%s': it is no regular file", file);
    const size_t rows = table_rows(table);
    size_t good_rows = rows;
    int rc = read && read != ERR_INPUT ? err_set(e, read, "%s", cut.text) : 0;
    if (!rc)
        rc = bundle_table_check(table, which, &good_rows, &bad, e);
    if (!rc && good_rows < rows) {
        table_truncate(table, good_rows);
        rc = caveat_add(&b->caveats, CAVEAT_TRUNCATED, e, "%s: %s", file, str_text(&bad));
    } else if (!rc && read) {
        rc = caveat_add(&b->caveats, CAVEAT_TRUNCATED, e, "%s", cut.text);
    }
    if (which == BUNDLE_VERIFY && (read || good_rows < rows))
        b->lacks_checks = true;
    str_release(&bad);
    return rc;
}

static int read_tables(struct bundle *b, struct err *e)
{
    struct str file;
    str_init(&file);
    int rc = 0;
    for (int i = 0; i < BUNDLE_TABLE_COUNT && !rc; i++) {
        const char *name = bundle_table_file((enum bundle_table)i);
        files_join(&file, b->path, name);
        const bool is_there = files_exists(str_text(&file)), is_left_over = sealed_files(b) && !json_object_get(sealed_files(b), name);
        b->has_table[i] = is_there && !is_left_over;
        if (is_there && is_left_over)
            rc = leave_out(b, str_text(&file), e);
        else if (is_there)
            rc = read_table(b, (enum bundle_table)i, str_text(&file), e);
    }
    str_release(&file);
    return rc;
}

static void add_lines(struct str *out, const char *text)
{
    const char *between = "";
    while (*(text += strspn(text, "\r\n"))) {
        const size_t length = strcspn(text, "\r\n");
        str_add(out, between);
        str_add_bytes(out, text, length);
        text += length;
        between = " | ";
    }
}

static bool add_failure(const json_t *manifest, size_t at, struct str *out)
{
    const json_t *failure = json_array_get(json_object_get(manifest, "failures"), at);
    if (!failure)
        return false;
    str_addf(out, "the %s process %lld failed: ", json_get_text(failure, "role", "runner"),
             json_get_integer(failure, "index", 0));
    add_lines(out, json_get_text(failure, "detail", "no reason is recorded"));
    return true;
}

bool bundle_failure(const struct bundle *b, size_t at, struct str *out)
{
    return add_failure(b->manifest, at, out);
}

/* A member of another type than what is written there tells nothing. */
static int check_member(const json_t *manifest, const char *key, bool is_good, struct caveat_list *caveats, struct err *e)
{
    const json_t *member = json_object_get(manifest, key);
    return !member || is_good ? 0
                              : caveat_add(caveats, CAVEAT_WEAKENS, e,
                                           "'%s' in the manifest makes no sense: what is missing is not known", key);
}

/* Each process of a run has one role; what a report that broke off was about nobody knows. */
static bool may_have_traced(const json_t *failure)
{
    static const char *const others[] = {"plan", "verify", "time", "count", "sample"};
    const char *role = json_get_text(failure, "role", "");
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (!strcmp(role, others[i]))
            return false;
    return true;
}

static int add_failures(const json_t *manifest, struct caveat_list *caveats, struct err *e)
{
    struct str text;
    str_init(&text);
    int rc = check_member(manifest, "failures", json_is_array(json_object_get(manifest, "failures")), caveats, e);
    for (size_t i = 0; !rc && add_failure(manifest, i, &text); i++) {
        const size_t before = caveats->count;
        rc = text.failed ? err_memory(e) : caveat_add(caveats, CAVEAT_WEAKENS, e, "%s", str_text(&text));
        if (!rc && caveats->count > before)
            caveats->items[before].elsewhere = !may_have_traced(json_array_get(json_object_get(manifest, "failures"), i));
        str_clear(&text);
    }
    str_release(&text);
    return rc;
}

int bundle_dropped(const json_t *manifest, struct caveat_list *caveats, struct err *e)
{
    const char *kind;
    json_t *count, *dropped = json_object_get(manifest, "dropped");
    bool is_good = json_is_object(dropped);
    json_object_foreach (dropped, kind, count) {
        const long long records = json_integer_value(count);
        is_good &= json_is_integer(count) && records >= 0;
        const bool is_any = !strcmp(kind, "records"); /* a run does not tell of which kind */
        if (records > 0 && caveat_add(caveats, CAVEAT_WEAKENS, e, "%lld %s%srecords were dropped while recording", records,
                                      is_any ? "" : kind, is_any ? "" : " "))
            return ERR_MEMORY;
    }
    return check_member(manifest, "dropped", is_good, caveats, e);
}

int bundle_losses(const json_t *manifest, struct caveat_list *caveats, struct err *e)
{
    int rc = add_failures(manifest, caveats, e);
    return rc ? rc : bundle_dropped(manifest, caveats, e);
}

/* What weakens the trace of a program weakens the run; the trace itself may be gone. */
static int caveats_of_programs(struct bundle *b, struct err *e)
{
    size_t i, k, n;
    json_t *program, *process, *caveat;
    json_array_foreach (json_object_get(b->manifest, "programs"), i, program)
        json_array_foreach (json_object_get(program, "processes"), k, process)
            json_array_foreach (json_object_get(process, "caveats"), n, caveat)
                if (json_is_string(caveat) &&
                    caveat_add(&b->caveats, CAVEAT_WEAKENS, e, "'%s', process %lld: %s",
                               json_get_text(program, "variant", ""), json_get_integer(process, "process", 0),
                               json_string_value(caveat)))
                    return ERR_MEMORY;
    return 0;
}

static int add_caveats(struct bundle *b, struct err *e)
{
    if (!b->complete) {
        int rc = caveat_add(&b->caveats, CAVEAT_WEAKENS, e, "the run did not finish: its bundle is marked '%s'",
                            json_get_text(b->manifest, "status", "nothing"));
        if (rc)
            return rc;
    }
    int rc = bundle_losses(b->manifest, &b->caveats, e);
    return rc ? rc : caveats_of_programs(b, e);
}

int bundle_check_seal(const char *path, const json_t *manifest, struct caveat_list *caveats, struct err *e)
{
    const json_t *files = json_object_get(manifest, "files");
    if (is_sealed(manifest) && !json_is_object(files))
        return caveat_add(caveats, CAVEAT_TRUNCATED, e,
                          "'%s/" BUNDLE_MANIFEST "' is marked '" STATUS_COMPLETE "' and has no list of files: nothing can be compared "
                          "with what was sealed", path);
    return seal_check(path, files, caveats, e);
}

int bundle_open(struct bundle *b, const char *path, struct err *e)
{
    b->path = strdup(path);
    if (!b->path)
        return err_memory(e);
    int rc = bundle_manifest(b->path, &b->manifest, e);
    if (!rc)
        rc = check_format(b->manifest, b->path, e);
    if (rc)
        return rc;
    b->complete = is_sealed(b->manifest);
    rc = read_tables(b, e);
    if (!rc)
        rc = bundle_check_seal(b->path, b->manifest, &b->caveats, e);
    if (!rc)
        rc = bundle_check_tables(b, e);
    if (!rc)
        rc = bundle_check_complete(b, e);
    return rc ? rc : add_caveats(b, e);
}

/* ---- writing ---- */

static int write_manifest(const char *path, const json_t *manifest, struct err *e)
{
    struct str file;
    str_init(&file);
    int rc = json_write_file(files_join(&file, path, BUNDLE_MANIFEST), manifest, e);
    str_release(&file);
    return rc;
}

/* ---- what a bundle may be replaced for ---- */

static int check_replaceable(const char *path, int depth, struct err *e);

/* What our programs write and the seal does not list: what they derive, and what processes leave that outlive it. */
static bool is_beside_seal(const char *name)
{
    static const char *const ours[] = {BUNDLE_MANIFEST, "report.md", "report.html", "verdict.json", BUNDLE_ASIDE,
                                       "trace-[0-9]*-[0-9]*.bin", "process-[a-z]*-[0-9]*.json"};
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++)
        if (!fnmatch(ours[i], name, 0))
            return true;
    return seal_is_leftover(name);
}

/* A bundle that was never sealed lists no files. */
static bool is_unlisted_table(const char *name)
{
    for (int i = 0; i < BUNDLE_TABLE_COUNT; i++)
        if (!strcmp(bundle_table_file((enum bundle_table)i), name))
            return true;
    return !fnmatch("metrics-[0-9]*.csv", name, 0) || !fnmatch("counters-[0-9]*.json", name, 0);
}

static int is_no_chart(const struct dirent *entry)
{
    static const char *const ours[] = {".", "..", "comparisons.svg", "roofline.svg"};
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++)
        if (!strcmp(ours[i], entry->d_name))
            return 0;
    return 1;
}

static bool holds_charts_alone(const char *folder)
{
    struct dirent **others = NULL;
    const int count = scandir(folder, &others, is_no_chart, NULL);
    for (int i = 0; i < count; i++)
        free(others[i]);
    free(others);
    return count == 0;
}

static bool is_ours(const char *path, const json_t *manifest, const char *name, int depth)
{
    struct str inner;
    if (!strcmp(name, ".") || !strcmp(name, "..") || json_object_get(json_object_get(manifest, "files"), name))
        return true;
    if (is_beside_seal(name) || (!is_sealed(manifest) && is_unlisted_table(name)))
        return true;
    str_init(&inner);
    files_join(&inner, path, name);
    const bool ours = (!strcmp(name, "charts") && holds_charts_alone(str_text(&inner))) ||
                      (!fnmatch("*.cpprof", name, 0) && !depth && !check_replaceable(str_text(&inner), depth + 1, NULL));
    str_release(&inner);
    return ours;
}

/* Anything else in a folder is somebody's work. */
static int check_entries(const char *path, const json_t *manifest, int depth, struct err *e)
{
    DIR *folder = opendir(path);
    int rc = folder ? 0 : err_set(e, ERR_USAGE, "cannot list '%s': %s", path, strerror(errno));
    for (const struct dirent *entry; !rc && (entry = readdir(folder));)
        if (!is_ours(path, manifest, entry->d_name, depth))
            rc = err_set(e, ERR_USAGE, "'%s' holds '%s', which is no part of a bundle: --force replaces only bundles", path,
                         entry->d_name);
    if (folder)
        closedir(folder);
    return rc;
}

/* May this folder be replaced? Many programs have a manifest.json: ours has a
 * format version and a status, and nothing foreign beside it. */
static int check_replaceable(const char *path, int depth, struct err *e)
{
    json_t *manifest = NULL;
    int rc = read_manifest(path, &manifest, NULL);
    if (rc || check_format(manifest, path, NULL) || !json_is_string(json_object_get(manifest, "status")))
        rc = err_set(e, ERR_USAGE, "'%s' exists and is not a bundle: --force replaces only bundles", path);
    else
        rc = check_entries(path, manifest, depth, e);
    json_decref(manifest);
    return rc;
}

int bundle_set_aside(const char *path, struct str *aside, struct err *e)
{
    str_clear(aside);
    if (!files_exists(path))
        return 0;
    int rc = check_replaceable(path, 0, e);
    if (rc)
        return rc;
    size_t length = strlen(path); /* "old.cpprof/", as a shell completes it, is that folder and no place inside it */
    while (length > 1 && path[length - 1] == '/')
        length--;
    str_addf(aside, "%.*s.replaced-%ld", (int)length, path, (long)getpid());
    if (aside->failed)
        return err_memory(e);
    if (!rename(path, aside->text))
        return 0;
    str_clear(aside);
    return err_set(e, ERR_ENVIRONMENT, "cannot set '%s' aside: %s", path, strerror(errno));
}

/* Of two that choose the same name at once, only one gets it. */
static int make_new_directory(const char *path, struct err *e)
{
    if (!mkdir(path, 0777))
        return 0;
    return errno == EEXIST ? err_set(e, ERR_USAGE, "'%s' exists already: choose another name, or --force to replace it", path)
                           : err_set(e, ERR_ENVIRONMENT, "cannot make folder '%s': %s", path, strerror(errno));
}

static int fill_new_directory(const char *path, json_t *manifest, struct err *e)
{
    if (json_object_set_new(manifest, "format", json_integer(BUNDLE_FORMAT)) ||
        json_object_set_new(manifest, "status", json_string(STATUS_INCOMPLETE)))
        return err_memory(e);
    int rc = bundle_clean_manifest(manifest, e);
    return rc ? rc : write_manifest(path, manifest, e);
}

int bundle_create(const char *path, json_t *manifest, struct err *e)
{
    int rc = make_new_directory(path, e);
    if (rc)
        return rc;
    rc = fill_new_directory(path, manifest, e);
    if (rc)
        rmdir(path);
    return rc;
}

void bundle_put_back(const char *path, const struct str *aside)
{
    if (aside->length)
        rename(aside->text, path);
}

void bundle_undo(const char *path, const struct str *aside)
{
    files_remove_tree(path, NULL);
    bundle_put_back(path, aside);
}

/* ---- sealing ---- */

static int is_process_report(const struct dirent *entry)
{
    return !fnmatch(PROCESS_REPORT, entry->d_name, 0);
}

/* By name, with numbers in them as numbers: time-2 before time-10. */
static int report_order(const struct dirent **a, const struct dirent **b)
{
    return strverscmp((*a)->d_name, (*b)->d_name);
}

/* The member of that name, made if it is not there or of another type. */
static json_t *member_of(json_t *object, const char *key, json_type type)
{
    json_t *member = json_object_get(object, key);
    if (member && json_typeof(member) == type)
        return member;
    return json_object_set_new(object, key, type == JSON_ARRAY ? json_array() : json_object())
               ? NULL
               : json_object_get(object, key);
}

/* What is the same for all processes stands once, at the top. */
static int lift_facts(json_t *manifest, const json_t *process, struct err *e)
{
    static const char *const facts[] = {"gpu", "other_gpus", "cuda", "cupti", "driver"};
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        json_t *fact = json_object_get(process, facts[i]);
        const json_t *have = json_object_get(manifest, facts[i]);
        if (!fact || json_is_null(fact) || (have && !json_is_null(have)))
            continue;
        if (json_object_set_new(manifest, facts[i], json_deep_copy(fact)))
            return err_memory(e);
    }
    return 0;
}

static bool is_count(const json_t *value)
{
    return json_is_integer(value) && json_integer_value(value) >= 0;
}

/* A sum with a number in it that makes no sense makes none, -1: bundle_dropped says so. */
static json_t *dropped_sum(const json_t *have, const json_t *count)
{
    if ((have && !is_count(have)) || !is_count(count))
        return json_integer(-1);
    int64_t sum = json_integer_value(have);
    count_add(&sum, json_integer_value(count));
    return json_integer(sum);
}

static int sum_dropped(json_t *manifest, const json_t *process, struct err *e)
{
    json_t *sums = member_of(manifest, "dropped", JSON_OBJECT);
    json_t *dropped = json_object_get(process, "dropped"), *count;
    const char *kind;
    if (!sums)
        return err_memory(e);
    json_object_foreach (dropped, kind, count)
        if (json_object_set_new(sums, kind, dropped_sum(json_object_get(sums, kind), count)))
            return err_memory(e);
    const bool is_telling = !dropped || json_is_null(dropped) || json_is_object(dropped);
    return is_telling || !json_object_set_new(sums, "records", json_integer(-1)) ? 0 : err_memory(e);
}

/* A process that died while it wrote leaves half a report: that is a failure of
 * the process and no reason to lose the run. */
static int note_unreadable(json_t *manifest, const char *name, const char *why, struct err *e)
{
    char role[64] = "runner";
    long long index = 0;
    if (sscanf(name, "process-%63[^-.]-%lld", role, &index) < 1)
        snprintf(role, sizeof role, "runner");
    json_t *failure = json_object();
    json_object_set_new(failure, "role", json_text(role));
    json_object_set_new(failure, "index", json_integer(index));
    json_object_set_new(failure, "detail", json_text(why));
    json_t *failures = member_of(manifest, "failures", JSON_ARRAY);
    return json_array_append_new(failures, failure) ? err_memory(e) : 0;
}

static int merge_report(const char *path, const char *name, json_t *manifest, struct err *e)
{
    struct str file;
    str_init(&file);
    json_t *process = NULL;
    struct err unreadable = {0};
    int rc = read_json(files_join(&file, path, name), &process, &unreadable);
    str_release(&file);
    if (rc == ERR_INPUT)
        return note_unreadable(manifest, name, unreadable.text, e);
    if (rc)
        return err_set(e, rc, "%s", unreadable.text);
    json_t *processes = member_of(manifest, "processes", JSON_ARRAY);
    if (processes && json_is_object(process) && !json_object_get(process, "index"))
        json_object_set_new(process, "index", json_integer((json_int_t)json_array_size(processes)));
    if (!processes || json_array_append(processes, process))
        rc = err_memory(e);
    if (!rc)
        rc = lift_facts(manifest, process, e);
    if (!rc)
        rc = sum_dropped(manifest, process, e);
    json_decref(process);
    return rc;
}

static int remove_reports(const char *path, struct dirent **reports, int count, struct err *e)
{
    struct str file;
    str_init(&file);
    int rc = 0;
    for (int i = 0; i < count && !rc; i++)
        if (unlink(files_join(&file, path, reports[i]->d_name)))
            rc = err_set(e, ERR_ENVIRONMENT, "cannot remove '%s': %s", str_text(&file), strerror(errno));
    str_release(&file);
    return rc;
}

static int list_reports(const char *path, struct dirent ***reports, struct err *e)
{
    const int count = scandir(path, reports, is_process_report, report_order);
    return count < 0 ? err_set(e, ERR_ENVIRONMENT, "cannot read the run directory '%s': %s", path, strerror(errno))
                     : count;
}

static int merge_reports(const char *path, struct dirent **reports, int count, json_t *manifest, struct err *e)
{
    int rc = 0;
    for (int i = 0; i < count && !rc; i++)
        rc = merge_report(path, reports[i]->d_name, manifest, e);
    return rc;
}

static void free_reports(struct dirent **reports, int count)
{
    for (int i = 0; i < count; i++)
        free(reports[i]);
    free(reports);
}

int bundle_manifest(const char *path, json_t **out, struct err *e)
{
    *out = NULL;
    struct dirent **reports = NULL;
    int rc = read_manifest(path, out, e);
    if (!rc && !is_sealed(*out) && json_is_object(*out)) {
        const int count = list_reports(path, &reports, e);
        rc = count < 0 ? count : merge_reports(path, reports, count, *out, e);
        free_reports(reports, count);
    }
    if (rc) {
        json_decref(*out);
        *out = NULL;
    }
    return rc;
}

int bundle_seal(const char *path, json_t *manifest, struct err *e)
{
    struct dirent **reports = NULL;
    const int count = list_reports(path, &reports, e);
    if (count < 0)
        return count;
    int rc = merge_reports(path, reports, count, manifest, e);
    json_t *files = NULL;
    if (!rc)
        rc = bundle_clean_manifest(manifest, e);
    if (!rc)
        rc = seal_tidy(path, e);
    if (!rc)
        rc = seal_make(path, &files, e);
    if (!rc && (json_object_set_new(manifest, "files", files) ||
                json_object_set_new(manifest, "format", json_integer(BUNDLE_FORMAT)) ||
                json_object_set_new(manifest, "status", json_string(STATUS_COMPLETE))))
        rc = err_memory(e);
    if (!rc)
        rc = write_manifest(path, manifest, e);
    if (!rc)
        rc = remove_reports(path, reports, count, e);
    free_reports(reports, count);
    return rc;
}
