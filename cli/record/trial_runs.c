/* How does a variant do under stress, and under a sanitizer? */
#define _GNU_SOURCE
#include "cli/record/trial_runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/record/program_origin.h"
#include "cli/record/runner_process.h"
#include "core/base/count_of.h"
#include "core/base/files.h"
#include "core/bundle/bundle_tables.h"
#include "core/io/scratch_file.h"

enum { STRESS_SECONDS = 240, SANITIZER_SECONDS = 900, LOG_BYTES_MAX = 64 << 20, FINDING_BYTES_MAX = 300, FOUND = 86 };

const char *const sanitizer_tools[] = {"memcheck", "racecheck", "initcheck", "synccheck"};
const size_t sanitizer_tool_count = COUNT_OF(sanitizer_tools);

static int add_each(struct runner_arguments *a, const char *option, const struct run_texts *texts, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < texts->count && !rc; i++)
        rc = runner_argument(a, e, "--%s=%s", option, texts->items[i]);
    return rc;
}

/* The last seed is the fresh one. */
static int add_request(struct runner_arguments *a, const struct run_request *q, const char *role, const char *folder,
                       struct err *e)
{
    int rc = runner_argument(a, e, "%s", role);
    if (!rc)
        rc = runner_argument(a, e, "--dir=%s", folder);
    if (!rc)
        rc = runner_argument(a, e, "--device=%ld", q->device);
    if (!rc && q->baseline)
        rc = runner_argument(a, e, "--baseline=%s", q->baseline);
    if (!rc)
        rc = add_each(a, "load", &q->loads, e);
    if (!rc)
        rc = add_each(a, "variant", &q->variants, e);
    if (!rc)
        rc = add_each(a, "shape", &q->shapes, e);
    if (!rc)
        rc = add_each(a, "set", &q->sets, e);
    if (!rc && q->seeds.count)
        rc = runner_argument(a, e, "--seed=%s", q->seeds.items[q->seeds.count - 1]);
    return rc;
}

/* ---- stress ---- */

static int say_end_alone(const struct runner_end *end, int seconds, struct err *e)
{
    if (end->timed_out)
        return err_set(e, ERR_ENVIRONMENT,
                       "cpprof-runner did not end in %d s and was stopped: a launch may hang; "
                       "'cpprof run --progress' says where",
                       seconds);
    if (end->signal)
        return err_set(e, ERR_ENVIRONMENT, "cpprof-runner was ended by signal %d (%s)", end->signal,
                       strsignal(end->signal));
    return err_set(e, end->exit_status == EXIT_USAGE ? ERR_USAGE : ERR_ENVIRONMENT, "%s",
                   end->said.length ? str_text(&end->said) : "cpprof-runner gave no reason");
}

enum { NAMED_MAX = 3 };

/* With the libraries that it was to load. */
static int say_end(const struct runner_end *end, const struct run_texts *loads, int seconds, struct err *e)
{
    const int rc = say_end_alone(end, seconds, e);
    struct str names;
    str_init(&names);
    for (size_t i = 0; i < loads->count && i < NAMED_MAX; i++)
        str_addf(&names, "%s'%.200s'", i ? ", " : "", loads->items[i]);
    if (loads->count > NAMED_MAX)
        str_addf(&names, " and %zu more", loads->count - NAMED_MAX);
    if (loads->count)
        err_context(e, "with %s", str_text(&names));
    str_release(&names);
    return rc;
}

/* A process that a signal ended, one that hangs, or a launch that CUDA says failed. What the runner says then begins
 * with the variant; all else is a refusal or the fault of the machine. */
static bool is_crash(const struct runner_end *end)
{
    static const char *const doing[] = {"launch", "run", "verify"};
    const char *said = str_text(&end->said), *variant = strstr(said, "variant '");
    for (size_t i = 0; i < COUNT_OF(doing) && variant; i++) {
        char words[64];
        snprintf(words, sizeof words, "': CUDA failed to %s: ", doing[i]);
        if (strstr(variant, words))
            return true;
    }
    return end->signal || end->timed_out;
}

/* In the place of all rows. The runner knows which variant it was, if any one does. */
static int crashed_rows(const struct run_request *q, const struct runner_end *end, json_t **rows, struct err *e)
{
    struct err why = {0};
    say_end(end, &q->loads, STRESS_SECONDS, &why);
    const char *variant = q->variants.count == 1 ? q->variants.items[0] : "";
    *rows = json_pack("[{s:o,s:o}]", "variant", json_text(variant), "crashed", json_text(why.text));
    return *rows ? 0 : err_memory(e);
}

static int stress_in(const char *folder, const struct run_request *q, long launches, json_t **rows, struct err *e)
{
    struct runner_arguments arguments = {0};
    struct runner_end end = {0};
    struct str path, file;
    str_init(&path);
    str_init(&file);
    int rc = runner_find(&path, e);
    if (!rc)
        rc = runner_argument(&arguments, e, "cpprof-runner");
    if (!rc)
        rc = add_request(&arguments, q, "stress", folder, e);
    if (!rc)
        rc = runner_argument(&arguments, e, "--iters=%ld", launches);
    if (!rc)
        rc = runner_run(str_text(&path), &arguments, STRESS_SECONDS, &end, e);
    if (!rc && is_crash(&end))
        rc = crashed_rows(q, &end, rows, e);
    else if (!rc && (end.exit_status || json_read_file(files_join(&file, folder, "stress.json"), rows, NULL)))
        rc = say_end(&end, &q->loads, STRESS_SECONDS, e);
    runner_arguments_release(&arguments);
    str_release(&end.said);
    str_release(&path);
    str_release(&file);
    return rc;
}

int trial_stress(const struct run_request *request, long launches, json_t **rows, struct err *e)
{
    struct str folder;
    str_init(&folder);
    *rows = NULL;
    int rc = scratch_folder_make(&folder, e);
    if (!rc) {
        rc = stress_in(str_text(&folder), request, launches, rows, e);
        files_remove_tree(str_text(&folder), NULL);
    }
    str_release(&folder);
    return rc;
}

/* ---- a sanitizer ---- */

void sanitizer_end_init(struct sanitizer_end *end)
{
    end->is_clean = end->is_verified = false;
    str_init(&end->summary);
    str_init(&end->first);
}

void sanitizer_end_release(struct sanitizer_end *end)
{
    str_release(&end->summary);
    str_release(&end->first);
}

/* Kernels may have more mbarriers a block than the tools reckon with. */
static int add_tool(struct runner_arguments *a, const char *tool, const char *log, struct err *e)
{
    int rc = runner_argument(a, e, "compute-sanitizer");
    if (!rc)
        rc = runner_argument(a, e, "--tool=%s", tool);
    if (!rc)
        rc = runner_argument(a, e, "--error-exitcode=%d", FOUND);
    if (!rc)
        rc = runner_argument(a, e, "--log-file=%s", log);
    if (!rc && (!strcmp(tool, "racecheck") || !strcmp(tool, "synccheck")))
        rc = runner_argument(a, e, "--num-cuda-barriers=4096");
    return rc;
}

/* A line of the tool is behind "========= ". */
static void read_log(const char *text, struct sanitizer_end *end)
{
    static const char mark[] = "========= ";
    for (const char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        const size_t length = strcspn(line, "\n");
        if (strncmp(line, mark, sizeof mark - 1))
            continue;
        const char *words = line + sizeof mark - 1;
        const size_t count = length - (sizeof mark - 1);
        if (memmem(words, count, " SUMMARY: ", strlen(" SUMMARY: "))) {
            str_clear(&end->summary);
            str_add_bytes(&end->summary, words, count);
        } else if (!end->first.length && *words != ' ' && strncmp(words, "COMPUTE-SANITIZER", 17)) {
            str_add_bytes(&end->first, words, count < FINDING_BYTES_MAX ? count : FINDING_BYTES_MAX);
        }
    }
}

/* Nothing is clean without a summary that says so. */
static int take_end(const struct runner_end *ran, const struct run_texts *loads, const char *log,
                    struct sanitizer_end *end, struct err *e)
{
    struct str text;
    str_init(&text);
    if (!files_read(log, LOG_BYTES_MAX, &text, NULL))
        read_log(str_text(&text), end);
    str_release(&text);
    if (!end->summary.length)
        return say_end(ran, loads, SANITIZER_SECONDS, e);
    end->is_clean = ran->exit_status == 0 && strstr(str_text(&end->summary), " SUMMARY: 0 ");
    if (ran->exit_status != 0 && ran->exit_status != FOUND && !end->first.length)
        str_add(&end->first, ran->said.length ? str_text(&ran->said) : "the runner failed under it");
    return 0;
}

static void take_wrong(struct sanitizer_end *end, const struct table *verify, size_t row)
{
    const char *hint = table_text(verify, row, VERIFY_HINT);
    end->is_clean = false;
    if (!end->first.length)
        str_addf(&end->first, "wrong result: %s at %s%s%s", table_text(verify, row, VERIFY_VARIANT),
                 table_text(verify, row, VERIFY_SHAPE), *hint ? ": " : "", hint);
}

/* A tool looks at accesses, not at values. */
static int take_checks(const char *folder, struct sanitizer_end *end, struct err *e)
{
    struct table verify;
    struct str path;
    str_init(&path);
    bundle_table_init(&verify, BUNDLE_VERIFY);
    files_join(&path, folder, bundle_table_file(BUNDLE_VERIFY));
    const int rc = files_exists(str_text(&path)) ? table_read_csv(&verify, str_text(&path), e) : 0;
    for (size_t row = 0; row < table_rows(&verify) && !rc; row++)
        if (strcmp(table_text(&verify, row, VERIFY_PASS), "yes") != 0)
            take_wrong(end, &verify, row);
    end->is_verified = !rc && table_rows(&verify) > 0;
    table_release(&verify);
    str_release(&path);
    return rc;
}

/* The tools know only what their own process writes: buffers that another one filled would never be initialised. */
static int run_under_tool(const char *program, const struct runner_arguments *a, struct runner_end *ran, struct err *e)
{
    setenv("CPPROF_JUDGE", "inside", 1);
    const int rc = runner_run(program, a, SANITIZER_SECONDS, ran, e);
    unsetenv("CPPROF_JUDGE");
    return rc;
}

static int sanitize_in(const char *folder, const struct run_request *q, const char *tool, const char *program,
                       struct sanitizer_end *end, struct err *e)
{
    struct runner_arguments arguments = {0};
    struct runner_end ran = {0};
    struct str path, log;
    str_init(&path);
    str_init(&log);
    files_join(&log, folder, "sanitizer.log");
    int rc = runner_find(&path, e);
    if (!rc)
        rc = add_tool(&arguments, tool, str_text(&log), e);
    if (!rc)
        rc = runner_argument(&arguments, e, "%s", str_text(&path));
    if (!rc)
        rc = add_request(&arguments, q, "verify", folder, e);
    if (!rc)
        rc = run_under_tool(program, &arguments, &ran, e);
    if (!rc)
        rc = take_end(&ran, &q->loads, str_text(&log), end, e);
    if (!rc)
        rc = take_checks(folder, end, e);
    runner_arguments_release(&arguments);
    str_release(&ran.said);
    str_release(&path);
    str_release(&log);
    return rc;
}

int trial_sanitize(const struct run_request *request, const char *tool, struct sanitizer_end *end, struct err *e)
{
    struct str folder, program;
    str_init(&folder);
    str_init(&program);
    int rc = program_find(&program, "compute-sanitizer")
                 ? scratch_folder_make(&folder, e)
                 : err_set(e, ERR_ENVIRONMENT,
                           "no compute-sanitizer on the PATH: it comes with the CUDA toolkit (package "
                           "cuda-sanitizer-13-0, folder bin of the toolkit)");
    if (!rc) {
        rc = sanitize_in(str_text(&folder), request, tool, str_text(&program), end, e);
        files_remove_tree(str_text(&folder), NULL);
    }
    str_release(&program);
    str_release(&folder);
    return rc;
}
