/* Which commits are there, and what is in them? */
#define _GNU_SOURCE
#include "cli/record/git_commits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/count_of.h"
#include "core/base/files.h"

enum { WORDS_OF_GIT_MAX = 12, GIT_BYTES_MAX = 64 * 1024 * 1024, COMMITS_MAX = 100000 };

/* Runs git with its standard output in `to`, or in ours for errors when that is NULL. Returns its exit status, or an
 * error when it cannot be started. */
static int run_git(const struct capture_session *s, FILE *to, const char *const *words, struct err *e)
{
    const char *argv[WORDS_OF_GIT_MAX] = {"git"};
    struct capture_end end;
    for (size_t i = 0; words[i] && i + 2 < WORDS_OF_GIT_MAX; i++)
        argv[i + 1] = words[i];
    const struct capture_child child = {
        .program = {.argv = argv, .files = {{to ? fileno(to) : STDERR_FILENO, STDOUT_FILENO}}}};
    const int rc = capture_session_run(s, &child, &end, e);
    return rc ? rc : capture_end_status(&end);
}

/* Appends what git says. Returns its exit status, or an error. */
static int ask_git(struct str *out, const struct capture_session *s, const char *const *words, struct err *e)
{
    FILE *said = tmpfile();
    if (!said)
        return err_set(e, ERR_ENVIRONMENT, "cannot make a temporary file");
    int rc = run_git(s, said, words, e);
    char part[4096];
    rewind(said);
    for (size_t got; rc >= 0 && out->length < GIT_BYTES_MAX && (got = fread(part, 1, sizeof part, said));)
        str_add_bytes(out, part, got);
    fclose(said);
    return out->failed ? err_memory(e) : rc;
}

/* The first line of what git says, which has one. */
static int ask_line(struct str *out, const struct capture_session *s, const char *const *words, struct err *e)
{
    struct str said;
    str_init(&said);
    const int rc = ask_git(&said, s, words, e);
    str_clear(out);
    str_add_bytes(out, str_text(&said), strcspn(str_text(&said), "\n"));
    str_release(&said);
    return rc;
}

/* The full name of a commit. */
static int find_commit(struct str *out, const struct capture_session *s, const char *name, struct err *e)
{
    struct str asked;
    str_init(&asked);
    str_addf(&asked, "%s^{commit}", name);
    const char *const words[] = {"rev-parse", "--verify", "--quiet", str_text(&asked), NULL};
    int rc = *name == '-' ? 1 : ask_line(out, s, words, e);
    if (rc > 0)
        rc = err_set(e, ERR_INPUT, "'%s' is no commit of the git repository that we are in", name);
    str_release(&asked);
    return rc;
}

static int push(struct git_commits *out, const char *name, size_t length, struct err *e)
{
    char **slot = out->list.count < COMMITS_MAX ? ARRAY_PUSH(&out->list) : NULL;
    if (!slot)
        return out->list.count < COMMITS_MAX ? err_memory(e)
                                             : err_set(e, ERR_INPUT, "more than %d commits in between", COMMITS_MAX);
    *slot = strndup(name, length);
    return *slot ? 0 : err_memory(e);
}

static int split_lines(struct git_commits *out, const char *text, struct err *e)
{
    int rc = 0;
    for (size_t length; *text && !rc; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        rc = push(out, text, length, e);
    }
    return rc;
}

/* rev-list lists commits of any line that `good` does not reach: the parent of the first one tells. */
static int check_line(const struct git_commits *c, const struct capture_session *s, const char *good, const char *bad,
                      struct err *e)
{
    struct str parent, asked;
    str_init(&parent);
    str_init(&asked);
    if (c->list.count > 1)
        str_addf(&asked, "%s^1", c->list.items[1]);
    int rc = c->list.count > 1 ? find_commit(&parent, s, str_text(&asked), e) : 0;
    if (rc == ERR_INPUT || (!rc && strcmp(str_text(&parent), c->list.items[0]) != 0))
        rc = err_set(e, ERR_INPUT, "'%s' is not before '%s' on its line of first parents", good, bad);
    str_release(&parent);
    str_release(&asked);
    return rc;
}

static int list_after(struct git_commits *out, const struct capture_session *s, const char *good, const char *bad,
                      struct err *e)
{
    struct str range, lines;
    str_init(&range);
    str_init(&lines);
    str_addf(&range, "%s..%s", good, bad);
    const char *const words[] = {"rev-list", "--first-parent", "--reverse", str_text(&range), "--", NULL};
    int rc = ask_git(&lines, s, words, e);
    if (rc > 0)
        rc = err_set(e, ERR_INPUT, "git cannot list the commits from %s to %s", good, bad);
    if (!rc)
        rc = split_lines(out, str_text(&lines), e);
    str_release(&range);
    str_release(&lines);
    return rc;
}

int git_commits_between(struct git_commits *out, const struct capture_session *s, const char *good, const char *bad,
                        struct err *e)
{
    struct str first, last;
    str_init(&first);
    str_init(&last);
    int rc = find_commit(&first, s, good, e);
    if (!rc)
        rc = find_commit(&last, s, bad, e);
    if (!rc)
        rc = push(out, str_text(&first), first.length, e);
    if (!rc)
        rc = list_after(out, s, str_text(&first), str_text(&last), e);
    if (!rc && out->list.count < 2)
        rc = err_set(e, ERR_INPUT, "there is no commit after '%s' up to '%s'", good, bad);
    if (!rc)
        rc = check_line(out, s, good, bad, e);
    str_release(&first);
    str_release(&last);
    return rc;
}

void git_commits_release(struct git_commits *c)
{
    for (size_t i = 0; i < c->list.count; i++)
        free(c->list.items[i]);
    free(c->list.items);
    *c = (struct git_commits){0};
}

void git_subject(struct str *out, const struct capture_session *s, const char *commit)
{
    const char *const words[] = {"-c", "log.showSignature=false", "show", "--no-patch", "--format=%s", commit, NULL};
    struct err e = {0};
    if (ask_line(out, s, words, &e))
        str_clear(out);
}

int git_checkout(const struct capture_session *s, const char *folder, const char *commit, struct err *e)
{
    const char *const words[] = {"worktree", "add", "--quiet", "--detach", "--force", folder, commit, NULL};
    const int rc = run_git(s, NULL, words, e);
    return rc > 0 ? err_set(e, ERR_ENVIRONMENT, "git cannot check out %s in '%s'", commit, folder) : rc;
}

/* git refuses to remove a checkout that was not made whole. What it knows of one whose folder is gone it removes then;
 * "prune" would also forget those of the user whose disk is away. */
int git_checkout_remove(const struct capture_session *s, const char *folder, struct err *e)
{
    const char *const words[] = {"worktree", "remove", "--force", folder, NULL};
    struct err ignored = {0};
    if (!run_git(s, NULL, words, &ignored) && !files_exists(folder))
        return 0;
    const int rc = files_remove_tree(folder, e);
    if (!rc)
        run_git(s, NULL, words, &ignored);
    return rc;
}

int git_refuse_elsewhere(struct err *e)
{
    static const char *const names[] = {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY",
                                        "GIT_COMMON_DIR"};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (getenv(names[i]))
            return err_set(e, ERR_USAGE,
                           "%s is set, as in a hook of git: git and the command would work on your checkout; unset it",
                           names[i]);
    return 0;
}
