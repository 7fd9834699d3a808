/* What does a commit's build measure? */
#define _GNU_SOURCE
#include "cli/record/bisect_looks.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "cli/record/git_commits.h"
#include "cli/record/left_processes.h"
#include "cli/record/messages.h"
#include "cli/record/runner_process.h"
#include "core/base/files.h"
#include "core/bundle/bundle.h"

static const char settings_file[] = "bisect.json", checkout_file[] = "checkout", place_of_bundle[] = "OUT",
                  checkout_name[] = "cpprof-bisect";

/* ---- the folder ---- */

static json_t *settings_of(const char *const *command, const char *run)
{
    json_t *words = json_array();
    for (size_t i = 0; command && command[i]; i++)
        json_array_append_new(words, json_text(command[i]));
    return json_pack("{so so}", "command", words, "run", run ? json_text(run) : json_null());
}

/* Times of two commands are not one series. */
static int check_settings(const struct bisect_looks *l, const char *run, struct err *e)
{
    struct str path;
    json_t *now = settings_of(l->command, run), *before = NULL;
    str_init(&path);
    files_join(&path, str_text(&l->folder), settings_file);
    int rc = 0;
    if (!files_exists(str_text(&path)))
        rc = json_write_file(str_text(&path), now, e);
    else if (!(rc = json_read_file(str_text(&path), &before, e)) && !json_equal(now, before))
        rc = err_set(e, ERR_USAGE, "'%s' was measured by another command: name another --state, or remove it",
                     str_text(&l->folder));
    json_decref(now);
    json_decref(before);
    str_release(&path);
    return rc;
}

static int open_folder(struct bisect_looks *l, const char *folder, struct err *e)
{
    char absolute[PATH_MAX];
    const int rc = files_make_directory(folder, e);
    if (rc)
        return rc;
    if (!realpath(folder, absolute))
        return err_set(e, ERR_ENVIRONMENT, "cannot find the folder '%s': %s", folder, strerror(errno));
    str_add(&l->folder, absolute);
    return l->folder.failed ? err_memory(e) : 0;
}

/* ---- the checkout ---- */

static int note_checkout(const struct bisect_looks *l, const char *path, struct err *e)
{
    const ssize_t length = (ssize_t)strlen(path);
    if (ftruncate(l->checkout_fd, 0) || pwrite(l->checkout_fd, path, (size_t)length, 0) != length)
        return err_set(e, ERR_ENVIRONMENT, "cannot write '%s/%s': %s", str_text(&l->folder), checkout_file,
                       strerror(errno));
    return 0;
}

/* A process that was killed could not remove its own. Nothing but a folder of our name is touched. */
static int remove_forgotten(const struct bisect_looks *l, struct err *e)
{
    char path[PATH_MAX];
    const ssize_t length = pread(l->checkout_fd, path, sizeof path - 1, 0);
    if (length <= 0)
        return 0;
    path[length] = '\0';
    const char *slash = strrchr(path, '/');
    const bool is_ours = slash && !strncmp(slash + 1, checkout_name, strlen(checkout_name));
    int rc = 0;
    if (is_ours && files_exists(path)) {
        message_note("the checkout of a call that was killed is removed: '%s'", path);
        rc = git_checkout_remove(&l->session, path, e);
    }
    return rc ? rc : note_checkout(l, "", e);
}

/* The lock ends with the process, however that ends. */
static int lock_checkout(struct bisect_looks *l, struct err *e)
{
    struct str path;
    str_init(&path);
    files_join(&path, str_text(&l->folder), checkout_file);
    l->checkout_fd = open(str_text(&path), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    int rc = 0;
    if (l->checkout_fd < 0)
        rc = err_set(e, ERR_ENVIRONMENT, "cannot open '%s': %s", str_text(&path), strerror(errno));
    else if (flock(l->checkout_fd, LOCK_EX | LOCK_NB))
        rc = err_set(e, ERR_USAGE, "another 'cpprof bisect' works in '%s': wait for it, or name another --state",
                     str_text(&l->folder));
    str_release(&path);
    return rc ? rc : remove_forgotten(l, e);
}

int bisect_looks_open(struct bisect_looks *l, const char *folder, const char *const *command, const char *run,
                      struct err *e)
{
    *l = (struct bisect_looks){.command = command, .checkout_fd = -1};
    str_init(&l->folder);
    int rc = run ? words_split(&l->run, run, e) : 0;
    if (!rc)
        rc = open_folder(l, folder, e);
    if (!rc)
        rc = check_settings(l, run, e);
    if (!rc)
        rc = held_signals_new(&l->session.signals, e);
    if (!rc)
        rc = left_processes_adopt(e);
    return rc ? rc : lock_checkout(l, e);
}

void bisect_looks_release(struct bisect_looks *l)
{
    if (l->checkout_fd > 0)
        close(l->checkout_fd);
    held_signals_free(l->session.signals);
    words_release(&l->run);
    str_release(&l->folder);
}

void bisect_look_init(struct bisect_look *look)
{
    *look = (struct bisect_look){0};
    str_init(&look->bundle);
}

void bisect_look_release(struct bisect_look *look)
{
    str_release(&look->bundle);
}

/* ---- an earlier look ---- */

static const char *path_of(struct str *out, const struct bisect_looks *l, const char *commit, int number,
                           const char *ending)
{
    str_clear(out);
    str_addf(out, "%s/%s-%d%s", str_text(&l->folder), commit, number, ending);
    return str_text(out);
}

static void take_bundle(const struct bisect_looks *l, const char *commit, int number, struct bisect_look *look)
{
    json_t *manifest = NULL;
    struct err ignored = {0};
    path_of(&look->bundle, l, commit, number, ".cpprof");
    if (!bundle_is(str_text(&look->bundle)) || bundle_read_manifest(str_text(&look->bundle), &manifest, &ignored) ||
        !bundle_is_sealed(manifest))
        str_clear(&look->bundle);
    json_decref(manifest);
}

static int find_earlier(const struct bisect_looks *l, const char *commit, int number, struct bisect_look *look,
                        struct err *e)
{
    struct str path;
    json_t *kept = NULL;
    str_init(&path);
    int rc = 0;
    if (files_exists(path_of(&path, l, commit, number, ".json")))
        rc = json_read_file(str_text(&path), &kept, e);
    const long long limit = json_get_integer(kept, "killed_after_seconds", 0);
    const bool is_enough = !limit || (l->seconds_max && l->seconds_max <= limit); /* more time may bring more */
    if (!rc && kept && is_enough) {
        look->timed_out = limit > 0;
        take_bundle(l, commit, number, look);
        look->exit_status = (int)json_get_integer(kept, "exit_status", 0);
        look->seconds = json_get_number(kept, "seconds", 0);
        look->is_earlier = true;
    }
    json_decref(kept);
    str_release(&path);
    return rc;
}

/* ---- a new look ---- */

struct making {
    struct bisect_looks *looks;
    struct str bundle, folder; /* to be written; where the commit is checked out */
    const char *commit;
    int64_t wall_ns;
    bool timed_out;
};

/* Runs one command line in the checkout; *status is its exit status. */
static int run_command(struct making *m, const char *const *argv, int *status, struct err *e)
{
    struct runner_arguments given = {0};
    struct capture_end end = {0};
    int rc = runner_argument(&given, e, "CPPROF_BISECT_OUT=%s", str_text(&m->bundle));
    if (!rc)
        rc = runner_argument(&given, e, "CPPROF_BISECT_COMMIT=%s", m->commit);
    const struct capture_child child = {.program = {.argv = argv,
                                                    .folder = str_text(&m->folder),
                                                    .environment = (const char *const *)given.items,
                                                    .files = {{STDERR_FILENO, STDOUT_FILENO}}},
                                        .seconds = m->looks->seconds_max};
    if (!rc)
        rc = capture_session_run(&m->looks->session, &child, &end, e);
    if (end.killed || end.asked_to_end)
        left_processes_kill(); /* what the command had started */
    m->wall_ns += end.wall_ns;
    m->timed_out |= end.timed_out;
    *status = capture_end_status(&end);
    if (!rc && end.asked_to_end)
        rc = err_set(e, ERR_ENVIRONMENT, "interrupted by %s: the same command goes on from what was measured",
                     strsignal(end.asked_to_end));
    runner_arguments_release(&given);
    return rc;
}

static int run_measuring(struct making *m, int *status, struct err *e)
{
    const struct word_list *run = &m->looks->run;
    const char **argv = calloc(run->count + 1, sizeof *argv);
    if (!argv)
        return err_memory(e);
    for (size_t i = 0; i < run->count; i++)
        argv[i] = strcmp(run->items[i], place_of_bundle) ? run->items[i] : str_text(&m->bundle);
    const int rc = run_command(m, argv, status, e);
    free(argv);
    return rc;
}

static int run_commands(struct making *m, int *status, struct err *e)
{
    *status = 0;
    int rc = m->looks->command ? run_command(m, m->looks->command, status, e) : 0;
    if (!rc && !*status && m->looks->run.count)
        rc = run_measuring(m, status, e);
    return rc;
}

/* The commit stands in a folder of its own for as long as it is measured. */
static int make_in_checkout(struct making *m, int *status, struct err *e)
{
    const struct capture_session *s = &m->looks->session;
    const char *temporary = getenv("TMPDIR");
    struct err ignored = {0};
    files_join(&m->folder, temporary && *temporary ? temporary : "/tmp", checkout_name);
    if (files_new_temporary(&m->folder, true))
        return err_set(e, ERR_ENVIRONMENT, "cannot make a folder like '%s': %s", str_text(&m->folder), strerror(errno));
    int rc = note_checkout(m->looks, str_text(&m->folder), e);
    if (!rc)
        rc = git_checkout(s, str_text(&m->folder), m->commit, e);
    if (!rc)
        rc = run_commands(m, status, e);
    int removed = git_checkout_remove(s, str_text(&m->folder), rc ? &ignored : e);
    if (!removed)
        removed = note_checkout(m->looks, "", rc ? &ignored : e);
    return rc ? rc : removed;
}

static int keep_look(const struct bisect_looks *l, const char *commit, int number, const struct bisect_look *look,
                     struct err *e)
{
    struct str path;
    str_init(&path);
    json_t *kept = json_pack("{si sf}", "exit_status", look->exit_status, "seconds", look->seconds);
    if (look->timed_out)
        json_object_set_new(kept, "killed_after_seconds", json_integer(l->seconds_max));
    const int rc = json_write_file(path_of(&path, l, commit, number, ".json"), kept, e);
    json_decref(kept);
    str_release(&path);
    return rc;
}

enum { KILLED = 126 }; /* from here on exit statuses say that a command was not run, or ended by a signal */

static int make_look(struct bisect_looks *l, const char *commit, int number, struct bisect_look *look, struct err *e)
{
    struct making m = {.looks = l, .commit = commit};
    str_init(&m.bundle);
    str_init(&m.folder);
    path_of(&m.bundle, l, commit, number, ".cpprof");
    int rc = files_remove_tree(str_text(&m.bundle), e); /* half of one that was interrupted */
    if (!rc)
        rc = make_in_checkout(&m, &look->exit_status, e);
    look->seconds = (double)m.wall_ns / 1e9;
    look->timed_out = m.timed_out;
    l->made++;
    l->seconds += look->seconds;
    if (!rc)
        take_bundle(l, commit, number, look);
    if (!rc && !look->bundle.length && look->exit_status == EXIT_ENVIRONMENT)
        rc = err_set(e, ERR_ENVIRONMENT, "the command ended with 4 at %s: this machine does not allow it", commit);
    /* What others have killed may end well another time. */
    if (!rc && (look->bundle.length || look->exit_status < KILLED || look->timed_out))
        rc = keep_look(l, commit, number, look, e);
    str_release(&m.bundle);
    str_release(&m.folder);
    return rc;
}

int bisect_looks_at(struct bisect_looks *l, const char *commit, int number, struct bisect_look *look, struct err *e)
{
    const int rc = find_earlier(l, commit, number, look, e);
    return rc || look->is_earlier ? rc : make_look(l, commit, number, look, e);
}
