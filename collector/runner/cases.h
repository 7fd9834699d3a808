/* cases.h - which variants run with which shapes and parameters? Every process of a run expands the command line in the
 * same way. */
#ifndef CPPROF_CASES_H
#define CPPROF_CASES_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/runner/catalogue.h"
#include "core/base/err.h"
#include "cpprof/variant.h"

enum { CASE_KEY_BYTES = 192, CASE_NAME_BYTES = 128, CASES_MAX = 4096, CASE_DEVICES_MAX = 64 };

struct case_request {
    const struct catalogue *catalogue; /* all known variants */
    const char *const *variants;       /* names or globs */
    size_t variant_count;
    const char *baseline;      /* NULL: none */
    const char *const *shapes; /* "mission", "mission,small" or "n=1048576"; none given: each variant's first */
    size_t shape_count;
    const char *const *sets; /* "ctas_per_sm=1,2,4"; none given: defaults */
    size_t set_count;
    bool with_builds; /* with each variant those of its instrumented builds that the catalogue has */
};

/* A variant with one shape and one set of parameters. */
struct run_case {
    const struct cpprof_variant *variant;
    const struct inside_build *build; /* NULL, or what the instrumented build is (inside_build.h) */
    struct cpprof_config config;      /* seed unset */
    char name[CASE_NAME_BYTES];       /* name of the arm: the variant's; in a pool "dose/chain#2" for its second arm */
    char key[CASE_KEY_BYTES];         /* "mission ctas_per_sm=4 work=400"; names the row in all tables */
    size_t order;                     /* its place on the command line */
    /* Cases with the same key share a group: the arms of one comparison. In a pool, planted arms have their own keys in
     * the group of their case. */
    size_t group;
};

/* Writes c->key: the shape, then all parameters sorted by name. Returns false when it does not fit, because a shortened
 * key could name two cases. */
bool run_case_write_key(struct run_case *c, const char *shape);

/* Does a launch run on several devices? Is this one of them? */
bool run_case_is_on_several(const struct run_case *c);
bool run_case_shares(const struct run_case *c, int device);

/* Sorted by group; within a group the baseline comes first, then the order of the command line. */
struct case_list {
    struct run_case *items;
    size_t count, capacity;
    size_t group_count;
};

/* Keeps the groups whose number modulo `shares` is `share`. Group numbers stay. */
void case_list_keep_share(struct case_list *list, size_t share, size_t shares);

int case_list_expand(struct case_list *list, const struct case_request *request, struct err *e);
void case_list_release(struct case_list *list);

/* Makes a list of the cases of `from` and each variant's ragged shapes with the same parameters, as groups of their
 * own. */
int case_list_with_ragged(struct case_list *out, const struct case_list *from, struct err *e);

#endif
