/* guest_scene.h - one program (guest_host.c) that runs with the library in it and
 * ends in its own way; judged are its status, what it printed, its report and its
 * trace. Each test has a folder of its own. */
#ifndef CPPROF_GUEST_SCENE_H
#define CPPROF_GUEST_SCENE_H

#include <stdbool.h>

#include "core/base/json.h"
#include "core/trace/event_stream.h"
#include "tests/test.h"

/* The program's, as the command line of the test names them: HOST LIBRARY FAKE_CUPTI LINKED_HOST NEW_DRIVER OLD_DRIVER.
 */
extern const char *host, *library, *fake_cupti, *linked_host, *new_driver, *old_driver;
/* Takes them; false, said on standard error, when that is not what the command line has. */
bool scene_take(int count, char **arguments);

struct dirent;

struct scene {
    char folder[64];
    char printed[256]; /* by the host: stdout and stderr */
    int status;
    json_t *report;
    struct event_stream *stream;
};

/* Runs the host in its own folder. `settings`: "NAME=value" texts, NULL at the end. */
void run(struct scene *s, const char *name, const char *const *settings);
double now_s(void);
/* For scandir: reports of processes, in the order of their names. */
int by_name(const struct dirent **a, const struct dirent **b);
int is_report(const struct dirent *entry);
/* The report of the host, the first of `count`. */
void read_report(struct scene *s, int count);
void open_trace(struct scene *s);
/* A host that ends with `status` (minus: a signal), prints nothing and leaves one report and one trace. */
void expect_run(struct scene *s, const char *name, int status, const char *const *settings);
int open_scene(void **state);
int close_scene(void **state);
void expect_state(const struct scene *s, const char *state);
/* All events are kernels, each number from 1 on once. */
void expect_kernels(struct scene *s, uint32_t count);
long long member(const struct scene *s, const char *object, const char *key);
void expect_missing(const struct scene *s, const char *why);
bool has_caveat(const struct scene *s, enum caveat_kind kind, const char *part);
/* The program runs, and its report says why there is no trace. */
void expect_no_trace(struct scene *s, const char *name, int status, const char *const *settings, const char *why);

#define SCENE_TEST(name) cmocka_unit_test_setup_teardown(name, open_scene, close_scene)

#endif
