/* How does a run become a bundle? */
#define _GNU_SOURCE
#include "cli/record/run_bundle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "build_stamp.h"
#include "cli/record/ceiling_source.h"
#include "cli/record/isolation.h"
#include "cli/record/messages.h"
#include "cli/record/program_origin.h"
#include "cli/record/python_runner.h"
#include "cli/record/run_measure.h"
#include "cli/record/run_rounds.h"
#include "cli/record/stop_signal.h"
#include "cli/record/variant_words.h"
#include "core/base/count_of.h"
#include "core/base/files.h"
#include "core/base/words.h"
#include "core/bundle/bundle_tables.h"
#include "core/bundle/bundle_write.h"

const char *run_bundle_path(struct str *out, const char *asked, const char *variant)
{
    if (asked) { /* "old.cpprof/", as a shell completes it, is that folder and no place inside it */
        size_t length = strlen(asked);
        while (length > 1 && asked[length - 1] == '/')
            length--;
        str_add_bytes(out, asked, length);
        return str_text(out);
    }
    struct str name;
    str_init(&name);
    for (const char *c = variant; *c; c++)
        str_add_char(&name, strchr("/*?[]", *c) ? '-' : *c);
    for (int n = 1; n == 1 || files_exists(str_text(out)); n++) {
        str_clear(out);
        str_addf(out, n == 1 ? "%s.cpprof" : "%s-%d.cpprof", str_text(&name), n);
    }
    str_release(&name);
    return str_text(out);
}

/* The files of the family that a variant is of: all kernels where a glob may name several. */
static json_t *kernel_sources(const char *variant)
{
    const size_t length = strcspn(variant, "/*?[");
    return variant[length] == '/' ? json_sprintf("kernels/%.*s", (int)length, variant) : json_string("kernels");
}

/* The sources of a family that is made of others' kernels. */
static const struct {
    const char *family, *sources;
} borrowed[] = {{"streams/", "kernels/allreduce/allreduce"}, {"streams/", "kernels/truth/truth"}};

static void add_borrowed(json_t *list, const char *variant)
{
    for (size_t i = 0; i < COUNT_OF(borrowed); i++)
        if (!strncmp(variant, borrowed[i].family, strlen(borrowed[i].family)))
            json_array_append_new(list, json_string(borrowed[i].sources));
}

static bool is_solution(const struct run_request *q, const char *variant)
{
    for (size_t i = 0; i < q->loads.count; i++) {
        const size_t length = words_name_length(q->loads.items[i]);
        if (length && length == strlen(variant) && !strncmp(q->loads.items[i], variant, length))
            return true;
    }
    return false;
}

/* What a recorded bundle depends on, as git's pathspecs: tests/gpu/stale.sh compares
 * their last change with the bundle's. */
static json_t *sources(const struct run_request *q)
{
    static const char *const paths[] = {"kernels/verify*",
                                        "kernels/ptxas*",
                                        "kernels/cache_read*",
                                        "collector/runner",
                                        "collector/activity",
                                        "collector/profiler",
                                        "collector/dynload",
                                        "include/cpprof",
                                        "core/base/shard_writer.c",
                                        "core/base/json.c",
                                        "core/bundle/seal.c",
                                        "core/gpu/metrics.c",
                                        "core/bundle/bundle_tables.c",
                                        "core/io/table_csv.c",
                                        "core/stats/schedule.c",
                                        "core/stats/batch_method.c",
                                        "cli/record/run_session.c",
                                        "cli/record/run_rounds.c"};
    json_t *list = json_array();
    for (size_t i = 0; i < q->variants.count; i++) {
        if (is_solution(q, q->variants.items[i]))
            continue;
        json_array_append_new(list, kernel_sources(q->variants.items[i]));
        add_borrowed(list, q->variants.items[i]);
    }
    for (size_t i = 0; i < COUNT_OF(paths); i++)
        json_array_append_new(list, json_string(paths[i]));
    return list;
}

json_t *run_bundle_manifest(const char *kind, int word_count, const char *const *words, const struct run_texts *seeds)
{
    json_t *command = json_array(), *texts = json_array();
    json_array_append_new(command, json_string("cpprof"));
    for (int i = 0; i < word_count; i++)
        json_array_append_new(command, json_text(words[i]));
    for (size_t i = 0; i < seeds->count; i++)
        json_array_append_new(texts, json_text(seeds->items[i]));
    return json_pack("{s:s,s:o,s:I,s:{s:s,s:s,s:s},s:o}", "kind", kind, "command", command, "created_unix_s",
                     (json_int_t)time(NULL), "cpprof", "version", CPPROF_VERSION, "commit", CPPROF_COMMIT,
                     "build_flags", CPPROF_BUILD_FLAGS, "seeds", texts);
}

/* Which GPU it is the plan has found out. */
static int add_ceilings(const struct run_session *s, const char *plan_folder, struct err *e)
{
    struct str path;
    json_t *plan = NULL;
    str_init(&path);
    int rc = json_read_file(files_join(&path, plan_folder, "process-plan-0.json"), &plan, e);
    if (!rc)
        rc = ceilings_enter(s->request->ceilings, s->request->device, plan, s->manifest, e);
    json_decref(plan);
    str_release(&path);
    return rc;
}

/* The plan is made in a folder of its own, so that a refusal leaves nothing
 * behind and replaces nothing; then it moves into the new bundle. */
static int start_bundle(struct run_session *s, const char *path, struct str *aside, struct err *e)
{
    static const char *const files[] = {"variants.csv", "expect.csv", "process-plan-0.json"};
    struct str plan, from, to;
    str_init(&plan);
    str_init(&from);
    str_init(&to);
    str_addf(&plan, "%s.plan-XXXXXX", path);
    int rc = plan.failed ? err_memory(e) : 0;
    if (!rc && !mkdtemp(plan.text))
        rc = err_set(e, ERR_ENVIRONMENT, "cannot write beside '%s': choose another place with -o", path);
    if (!rc)
        rc = run_session_plan(s, str_text(&plan), e);
    if (rc == ERR_USAGE)
        variant_words_suggest(s->request, e);
    if (!rc && !files_exists(files_join(&from, str_text(&plan), files[0]))) /* without it nothing would be judged */
        rc = err_set(e, ERR_ENVIRONMENT, "cpprof-runner planned nothing: it left no %s", files[0]);
    if (!rc && s->request->ceilings)
        rc = add_ceilings(s, str_text(&plan), e);
    if (!rc)
        rc = bundle_set_aside(path, aside, e);
    if (!rc && (rc = bundle_create(path, s->manifest, e)))
        bundle_put_back(path, aside);
    for (size_t i = 0; i < COUNT_OF(files) && !rc; i++) {
        const char *source = files_join(&from, str_text(&plan), files[i]);
        const bool optional = !strcmp(files[i], "expect.csv"); /* variants may expect nothing */
        if ((!optional || files_exists(source)) && rename(source, files_join(&to, path, files[i])))
            rc = err_set(e, ERR_ENVIRONMENT, "the plan's '%s' cannot be moved into '%s'", files[i], path);
    }
    files_remove_tree(str_text(&plan), NULL);
    str_release(&plan);
    str_release(&from);
    str_release(&to);
    return rc;
}

/* Of a task and its solutions, what each is. */
static json_t *libraries_described(const struct run_request *q)
{
    json_t *all = json_array();
    for (size_t i = 0; i < q->loads.count; i++) {
        const char *text = q->loads.items[i];
        const size_t name = words_name_length(text);
        const char *thing = name ? text + name + 1 : text;
        const size_t python = name ? words_python_length(thing) : 0;
        char *path = strndup(thing, python ? python : strlen(thing));
        json_t *files = files_described((const char *const *)&path, path ? 1 : 0), *file = json_array_get(files, 0);
        free(path);
        if (file && name)
            json_object_set_new(file, "as",
                                json_sprintf("solution %.*s%s", (int)name, text, python ? thing + python : ""));
        else if (file && text == q->task)
            json_object_set_new(file, "as", json_string("task"));
        json_array_extend(all, files);
        json_decref(files);
    }
    return all;
}

static bool has_python(const struct run_request *q)
{
    for (size_t i = 0; i < q->loads.count; i++)
        if (python_runner_takes(q->loads.items[i]))
            return true;
    return false;
}

/* Those that ended a process were not there when others were timed. */
static bool had_python(const struct run_session *s)
{
    for (size_t i = 0; i < s->request->loads.count; i++)
        if (python_runner_takes(s->request->loads.items[i]) &&
            !solution_loads_have(&s->left_out, s->request->loads.items[i]))
            return true;
    return false;
}

/* With functions of Python files all launches are in graphs, in all arms: those alone between two events, too
 * (collector/runner/role_time.c). */
static void expect_graphs(json_t *manifest, const struct run_request *q)
{
    if (has_python(q))
        json_object_set_new(manifest, "timing_source",
                            json_string("CUDA events around graphs, of one launch where the batch is 1"));
}

/* Which launches were alone is known when all are timed. Graphs of many launches are timed so in other runs, too. */
static void describe_graphs(const struct run_session *s)
{
    struct table timing;
    struct str path;
    size_t single = 0;
    if (!has_python(s->request))
        return;
    if (!had_python(s)) {
        json_object_del(s->manifest, "timing_source");
        return;
    }
    str_init(&path);
    bundle_table_init(&timing, BUNDLE_TIMING);
    const bool is_read =
        !table_read_csv(&timing, files_join(&path, s->directory, bundle_table_file(BUNDLE_TIMING)), NULL);
    for (size_t row = 0; is_read && row < table_rows(&timing); row++)
        single += table_number(&timing, row, TIMING_BATCH) == 1;
    if (is_read && !single)
        json_object_del(s->manifest, "timing_source");
    else if (is_read && single == table_rows(&timing))
        json_object_set_new(s->manifest, "timing_source", json_string("CUDA events around graphs of one launch"));
    table_release(&timing);
    str_release(&path);
}

/* For users' own variants we know their file and the repository that the user stands in. */
static void describe_libraries(json_t *manifest, const struct run_request *q)
{
    if (!q->loads.count)
        return;
    json_object_set_new(manifest, "libraries", libraries_described(q));
    json_object_set_new(manifest, "repository", program_repository());
    expect_graphs(manifest, q);
}

/* Each process loads the libraries anew: one that was built again meanwhile was not one thing in all of them. */
static int check_libraries(struct run_session *s, struct err *e)
{
    const struct run_texts *loads = &s->request->loads;
    json_t *now = libraries_described(s->request);
    const bool same = !loads->count || json_equal(now, json_object_get(s->manifest, "libraries"));
    json_decref(now);
    return same ? 0
                : run_session_failure(s, "run", 0,
                                      "a library changed while it ran: its processes did not all measure the same code",
                                      NULL, e);
}

static int isolate(const struct run_session *s, struct err *e)
{
    const struct run_request *q = s->request;
    const struct isolation_request request = {str_text(&s->runner), q->task, q->loads.items, q->loads.count, q->device};
    const int rc = isolation_demand(&request, e);
    if (!rc)
        json_object_set_new(s->manifest, "isolation", isolation_described(isolation_demanded()));
    return rc;
}

/* Builds with marks of built-in kernels are made when they are asked for, as most runs need none. */
static int check_marked(const struct run_request *request, const struct str *runner, struct err *e)
{
    const char *slash = strrchr(str_text(runner), '/');
    const int folder = slash ? (int)(slash - str_text(runner)) + 1 : 0;
    struct str inside;
    if ((!request->inside && !request->progress_seconds) || request->loads.count)
        return 0;
    str_init(&inside);
    str_addf(&inside, "%.*sinside", folder, str_text(runner));
    const bool is_there = files_is_directory(str_text(&inside));
    str_release(&inside);
    return is_there ? 0
                    : err_set(e, ERR_ENVIRONMENT,
                              "the builds with marks of built-in kernels are not here (inside/ beside cpprof-runner): "
                              "'cmake --build BUILD --target inside', and 'cmake --install BUILD' again");
}

/* Half a run is kept where there is something in it, and so is the bundle that it was to replace. */
static int note_stop(struct run_session *s, const char *path, const struct str *aside, struct err *e)
{
    const int signal = stop_signal_first();
    char why[200];
    if (!signal)
        return 0;
    snprintf(why, sizeof why, "it was interrupted by signal %d (%s) after %zu of %zu processes", signal,
             strsignal(signal), s->ended, s->steps);
    if (!s->ended) {
        bundle_undo(path, aside);
        return err_set(e, ERR_ENVIRONMENT, "%s: nothing was kept", why);
    }
    message_note("%s: what these have left is kept, in '%s'", why, path);
    if (aside->length)
        message_note("the bundle that it was to replace is now '%s'", str_text(aside));
    return run_session_failure(s, "run", 0, why, NULL, e);
}

int run_bundle_record(const struct run_request *request, const char *path, json_t *manifest, struct err *e)
{
    struct run_session s;
    struct str aside; /* the bundle that this one replaces */
    str_init(&aside);
    json_object_set_new(manifest, "sources", sources(request));
    describe_libraries(manifest, request);
    stop_signal_begin();
    int rc = run_session_init(&s, request, manifest, e);
    if (!rc)
        rc = check_marked(request, &s.runner, e);
    if (!rc && request->isolate)
        rc = isolate(&s, e);
    if (!rc)
        rc = run_rounds_announce(request, manifest, e);
    if (!rc)
        rc = start_bundle(&s, path, &aside, e);
    if (rc && stop_signal_first())
        rc = err_set(e, ERR_ENVIRONMENT, "interrupted by signal %d (%s) before anything was measured: nothing was kept",
                     stop_signal_first(), strsignal(stop_signal_first()));
    s.directory = path;
    if (!rc)
        rc = run_measure(&s, e);
    if (!rc)
        rc = note_stop(&s, path, &aside, e);
    if (!rc)
        describe_graphs(&s);
    if (!rc)
        rc = check_libraries(&s, e);
    if (!rc)
        rc = bundle_seal(path, manifest, e);
    if (!rc && aside.length && !stop_signal_first())
        rc = files_remove_tree(str_text(&aside), e);
    stop_signal_end();
    str_release(&aside);
    run_session_release(&s);
    return rc;
}
