/* How are solutions timed that each have processes of their own? */
#define _GNU_SOURCE
#include "cli/record/solution_method.h"

#include <string.h>

#include "cli/record/python_runner.h"
#include "core/base/files.h"
#include "core/base/words.h"
#include "core/bundle/bundle_tables.h"
#include "core/io/scratch_file.h"

enum { TRIAL_ITERATIONS = 4 }; /* one for each block */

bool solution_method_is_open(const struct run_request *q)
{
    if (!q->task || q->sampling.schedule != SCHEDULE_PROCESS || q->sampling.method != BATCH_AUTO)
        return false;
    for (size_t i = 0; i < q->loads.count; i++)
        if (q->loads.items[i] != q->task &&
            (!words_name_length(q->loads.items[i]) || python_runner_takes(q->loads.items[i])))
            return false;
    return q->variants.count + 1 == q->loads.count;
}

static int keep_reasons(const json_t *report, json_t *manifest, bool *refused, struct err *e)
{
    const json_t *missing = json_object_get(report, "missing");
    for (size_t i = 0; i < json_array_size(missing); i++) {
        json_t *one = json_array_get(missing, i), *all = json_object_get(manifest, "missing");
        if (strcmp(json_get_text(one, "what", ""), "launches in graphs") != 0)
            continue;
        *refused = true;
        if (!all && json_object_set_new(manifest, "missing", all = json_array()))
            return err_memory(e);
        if (json_array_append(all, one))
            return err_memory(e);
    }
    return 0;
}

/* A process that failed has left neither, and is a failure of the run already. */
static int look(const struct run_session *s, bool *refused, bool *in_graphs, struct err *e)
{
    struct table timing;
    struct str path;
    json_t *report = NULL;
    int rc = 0;
    str_init(&path);
    bundle_table_init(&timing, BUNDLE_TIMING);
    if (!json_read_file(files_join(&path, s->directory, "process-time-0.json"), &report, NULL))
        rc = keep_reasons(report, s->manifest, refused, e);
    else
        *refused = true;
    if (!rc && !table_read_csv(&timing, files_join(&path, s->directory, bundle_table_file(BUNDLE_TIMING)), NULL))
        for (size_t row = 0; row < table_rows(&timing); row++)
            *in_graphs |= table_number(&timing, row, TIMING_BATCH) > 1;
    json_decref(report);
    table_release(&timing);
    str_release(&path);
    return rc;
}

/* Without a method a process tries all solutions before it times its own. */
static int try_share(struct run_session *s, long share, bool *refused, bool *in_graphs, struct err *e)
{
    const char *directory = s->directory;
    struct str folder;
    str_init(&folder);
    int rc = scratch_folder_make(&folder, e);
    if (rc) {
        str_release(&folder);
        return rc;
    }
    s->directory = str_text(&folder);
    rc = run_session_process(s, &(struct run_part){.role = "time", .share = share}, "choosing how launches are timed",
                             e);
    if (!rc)
        rc = look(s, refused, in_graphs, e);
    s->directory = directory;
    files_remove_tree(str_text(&folder), NULL);
    str_release(&folder);
    return rc;
}

int solution_method_choose(struct run_session *s, struct run_request *chosen, struct err *e)
{
    const struct run_request *asked = s->request;
    const bool is_hot = !asked->sampling.cache || strcmp(asked->sampling.cache, "cold") != 0;
    struct run_request trial = *asked;
    bool refused = false, in_graphs = false;
    int rc = 0;
    trial.iterations = TRIAL_ITERATIONS;
    trial.sampling.cache = NULL;
    s->request = &trial;
    for (long share = 0; is_hot && share < s->plan.shares && !refused && !rc; share++)
        rc = try_share(s, share, &refused, &in_graphs, e);
    s->request = asked;
    *chosen = *asked;
    chosen->sampling.method = in_graphs && !refused ? BATCH_GRAPHS : BATCH_SINGLE;
    if (!rc && json_object_set_new(s->manifest, "method", json_string(batch_method_name(chosen->sampling.method))))
        rc = err_memory(e);
    return rc;
}
