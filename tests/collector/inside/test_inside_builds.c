/* Are the instrumented builds of a library found beside it, named after their variants, and refused in words when they
 * contradict their names? */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/runner/cases.h"
#include "collector/runner/inside/inside_builds.h"
#include "collector/runner/runner.h"
#include "core/base/files.h"
#include "kernels/registry.h"
#include "tests/test.h"

#define LIBRARY MARKED_FOLDER "/libmarked.so"
#define RECORD  MARKED_FOLDER "/libmarked-record.so"
#define DELAY   MARKED_FOLDER "/libmarked-delay-0.1.so"

/* A built-in variant of a name that the marked library has, too, instead of kernels/registry.c. */
static const struct cpprof_variant built_in_variant = {.struct_bytes = sizeof built_in_variant, .name = "mine/v1"};
static const struct variant_family family = {"mine", &built_in_variant, 1};

const struct variant_family *variant_families(size_t *count)
{
    *count = 1;
    return &family;
}

const struct cpprof_variant *variant_by_name(const char *name)
{
    return strcmp(name, built_in_variant.name) ? NULL : &built_in_variant;
}

static const struct inside_request only_records = {.records = true};
static const struct inside_request only_progress = {.progress = true};
static const struct inside_request only_delays = {.doses = {400}, .dose_count = 1};
static const struct inside_request both = {.records = true, .doses = {0, 400}, .dose_count = 2};

/* The library at `path` and its builds, which do what the variable MARKED says. */
static int load(struct catalogue *c, const char *path, const char *way, const struct inside_request *request,
                struct err *e)
{
    *c = (struct catalogue){0};
    setenv("MARKED", way, 1);
    if (catalogue_load(c, path, e))
        fail_msg("%s", e->text);
    return inside_builds_of_library(c, path, request, e);
}

/* The names of builds, with a space behind each. */
static const char *arms_of(const struct catalogue *c)
{
    static char names[512];
    names[0] = '\0';
    for (size_t i = 0; i < c->count; i++)
        if (c->items[i].build) {
            strncat(names, c->items[i].variant->name, sizeof names - strlen(names) - 2);
            strcat(names, " ");
        }
    return names;
}

static void expect_arms(const char *path, const char *way, const struct inside_request *request, const char *arms)
{
    struct catalogue c;
    struct err e = {0};
    if (load(&c, path, way, request, &e))
        fail_msg("%s: %s", way, e.text);
    assert_string_equal(arms_of(&c), arms);
    catalogue_release(&c);
}

/* Delay builds come behind record builds. A variant that the library itself does not have, mine/new, has no arm. */
TEST(builds_are_arms_of_their_variants)
{
    expect_arms(LIBRARY, "", &only_records, "mine/v1+record mine/v2+record ");
    expect_arms(LIBRARY, "", &only_progress, "mine/v1+progress mine/v2+progress ");
    expect_arms(LIBRARY, "", &only_delays,
                "mine/v1+delay-0.1-none mine/v1+delay-0.1-400 mine/v2+delay-0.1-none mine/v2+delay-0.1-400 ");
    expect_arms(LIBRARY, "", &both,
                "mine/v1+record mine/v2+record "
                "mine/v1+delay-0.1-none mine/v1+delay-0.1-0 mine/v1+delay-0.1-400 "
                "mine/v2+delay-0.1-none mine/v2+delay-0.1-0 mine/v2+delay-0.1-400 ");
    expect_arms(LIBRARY, "", &(struct inside_request){.doses = {400, 0, 400}, .dose_count = 3},
                "mine/v1+delay-0.1-none mine/v1+delay-0.1-400 mine/v1+delay-0.1-0 "
                "mine/v2+delay-0.1-none mine/v2+delay-0.1-400 mine/v2+delay-0.1-0 ");
    expect_arms(LIBRARY, "", &(struct inside_request){0}, "");
    expect_arms(LIBRARY, "last_rows", &only_records, "mine/v1+record mine/v2+record ");
}

/* What is said of the variant holds for its arms, but the counters of one that waits are not read, and none is compared
 * with another variant. */
TEST(an_arm_keeps_what_holds_for_it)
{
    struct catalogue c;
    struct err e = {0};
    if (load(&c, LIBRARY, "", &both, &e))
        fail_msg("%s", e.text);
    static const struct {
        const char *name;
        size_t expectations;
        int32_t cycles;
    } arms[] = {{"mine/v2+record", 1, -1},
                {"mine/v2+delay-0.1-none", 0, -1},
                {"mine/v2+delay-0.1-0", 0, 0},
                {"mine/v2+delay-0.1-400", 0, 400}};
    const struct cpprof_variant *of = catalogue_find(&c, "mine/v2")->variant;
    assert_string_equal(cpprof_variant_signals(of), "instructions down"); /* the library's own keeps it all */
    assert_int_equal(of->expect_count, 1);
    for (size_t i = 0; i < COUNT_OF(arms); i++) {
        const struct catalogue_entry *entry = catalogue_find(&c, arms[i].name);
        assert_non_null(entry);
        const struct cpprof_variant *v = entry->variant;
        assert_string_equal(entry->library, "libmarked.so");
        assert_ptr_equal(entry->build->of, of);
        assert_int_equal(entry->build->delay_cycles, arms[i].cycles);
        assert_int_equal(inside_build_records(entry->build), i == 0);
        assert_int_equal(inside_build_waits(entry->build), i > 0);
        const struct run_case arm = {.variant = v, .build = entry->build};
        struct cpprof_declaration declared;
        assert_int_equal(runner_declaration(&arm, &declared, &e), 0);
        assert_int_equal(declared.expect_count, arms[i].expectations);
        assert_true(cpprof_variant_declares(v));
        assert_string_equal(cpprof_variant_signals(v), "");
        assert_string_equal(cpprof_variant_bound(v), "");
        assert_string_equal(cpprof_variant_improves_on(v), "");
        assert_string_equal(v->kernel_pattern, "^mine\\(");
        assert_string_not_equal(v->summary, of->summary);
        assert_ptr_not_equal(v->launch, of->launch); /* that of the other library */
    }
    catalogue_release(&c);
}

/* The mark that waits is 1 of role 0: "math" of "multiplies". */
TEST(only_phases_that_are_asked_for_wait)
{
    static const char all[] =
        "mine/v1+delay-0.1-none mine/v1+delay-0.1-400 mine/v2+delay-0.1-none mine/v2+delay-0.1-400 ";
    static const struct {
        const char *way, *phases[2], *arms;
    } rows[] = {
        {"", {"math"}, all},
        {"", {"multiplies"}, all},
        {"", {"issue", "math"}, all},
        {"", {"wait"}, ""},  /* of the same role, but another mark */
        {"", {"loads"}, ""}, /* of another role */
        {"", {"mat"}, ""},
        {"only_v1", {NULL}, "mine/v1+delay-0.1-none mine/v1+delay-0.1-400 "},
        {"only_v1", {"math"}, "mine/v1+delay-0.1-none mine/v1+delay-0.1-400 "},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct inside_request request = only_delays;
        request.phases = rows[i].phases;
        request.phase_count = !!rows[i].phases[0] + !!rows[i].phases[1];
        expect_arms(LIBRARY, rows[i].way, &request, rows[i].arms);
    }
    struct inside_request request = only_records; /* phases choose among delays alone */
    request.phases = rows[3].phases;
    request.phase_count = 1;
    expect_arms(LIBRARY, "only_v1", &request, "mine/v1+record mine/v2+record ");
}

TEST(faults_are_said_with_the_file)
{
    static const struct {
        const char *way, *record, *delay; /* what is said of these builds; NULL: nothing, it is no fault of theirs */
    } faults[] = {
#define EITHER(WAY, SAYS) {WAY, SAYS, SAYS}
        EITHER("no_inside", "it was compiled with another cpprof/inside.h: compile it with this program's"),
        EITHER("few_bytes", "it was compiled with another cpprof/inside.h: compile it with this program's"),
        EITHER("one_byte_less", "it was compiled with another cpprof/inside.h"),
        EITHER("other_layout", "it was compiled with another cpprof/inside.h"),
        EITHER("no_set", "it was compiled with another cpprof/inside.h"),
        EITHER("build_7", "it neither records nor waits nor tells of progress"),
        {"no_measure", NULL, "it neither records nor waits nor tells of progress"},
        {"no_mark", NULL, "it neither records nor waits nor tells of progress"},
        {"mark_2", NULL, "it was compiled as ...-delay-0.2.so: call it so, or compile it with other values"},
        EITHER("no_rows", "its table has 0 phases: expected 1 to 256"),
        EITHER("null_rows", "its table has 3 phases: expected 1 to 256"),
        EITHER("many_rows", "its table has 257 phases: expected 1 to 256"),
        EITHER("role_8", "row 1 of its table of phases: roles and marks go from 0 to 7"),
        EITHER("role_below_0", "row 1 of its table of phases: roles and marks go from 0 to 7"),
        EITHER("mark_9", "row 1 of its table of phases: roles and marks go from 0 to 7"),
        EITHER("until_8", "row 1 of its table of phases: it ends at no mark, or belongs to a tile too far ahead"),
        EITHER("ahead_1000", "row 1 of its table of phases: it ends at no mark, or belongs to a tile too far ahead"),
        EITHER("no_name", "row 1 of its table of phases: a name is missing"),
        EITHER("empty_role_name", "row 1 of its table of phases: a name is missing"),
        EITHER("long_name", "row 1 of its table of phases: a name is too long"),
        EITHER("null_launch", "variant 'mine/v2': 'launch' is NULL"),
        EITHER("no_shapes", "variant 'mine/v2': it has no shapes"),
        {"name_twice", "variant 'mine/v1': another build is called 'mine/v1+record'",
         "variant 'mine/v1': another build is called 'mine/v1+delay-0.1-none'"},
        EITHER("kind_6", "row 1 of its table of phases: its kind is not known"),
    };
    for (size_t i = 0; i < 2 * COUNT_OF(faults); i++) {
        struct catalogue c;
        struct err e = {0};
        char expected[400];
        const bool waits = i % 2;
        const char *says = waits ? faults[i / 2].delay : faults[i / 2].record, *way = faults[i / 2].way;
        const int rc = load(&c, LIBRARY, way, waits ? &only_delays : &only_records, &e);
        snprintf(expected, sizeof expected, "cannot use '%s': %s", waits ? DELAY : RECORD, says ? says : "");
        if (says ? rc != ERR_USAGE || strncmp(e.text, expected, strlen(expected)) != 0 : rc)
            fail_msg("%s, waits %d: code %d, '%s', expected '%s'", way, waits, rc, e.text, expected);
        catalogue_release(&c);
    }
}

/* ---- folders ---- */

struct folder {
    char path[64];
};

static void copy(const struct folder *f, const char *from, const char *to)
{
    char path[256];
    struct err e = {0};
    snprintf(path, sizeof path, "%s/%s", f->path, to);
    char *slash = strrchr(path, '/');
    *slash = '\0';
    assert_int_equal(files_make_directory(path, &e), 0);
    *slash = '/';
    if (files_copy(from, path, &e))
        fail_msg("%s", e.text);
}

static const char *in(const struct folder *f, const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", f->path, name);
    return path;
}

static struct folder new_folder(void)
{
    struct folder f = {"inside-builds-XXXXXX"};
    assert_non_null(mkdtemp(f.path));
    return f;
}

static void remove_folder(const struct folder *f)
{
    struct err e = {0};
    assert_int_equal(files_remove_tree(f->path, &e), 0);
}

/* "a[b]*" as a pattern is the folder "abc" instead. There the library lies as its own builds, which it is not. */
TEST(letters_of_patterns_are_a_name)
{
    const struct folder f = new_folder();
    copy(&f, LIBRARY, "a[b]*/lib?.so");
    copy(&f, RECORD, "a[b]*/lib?-record.so");
    copy(&f, LIBRARY, "a[b]*/libx-record.so");
    copy(&f, LIBRARY, "abc/lib?-record.so");
    copy(&f, LIBRARY, "a\\b/lib.so");
    copy(&f, DELAY, "a\\b/lib-delay-0.1.so");
    expect_arms(in(&f, "a[b]*/lib?.so"), "", &only_records, "mine/v1+record mine/v2+record ");
    expect_arms(in(&f, "a\\b/lib.so"), "", &only_delays,
                "mine/v1+delay-0.1-none mine/v1+delay-0.1-400 mine/v2+delay-0.1-none mine/v2+delay-0.1-400 ");
    remove_folder(&f);
}

/* Only what a request needs is opened: a library in a process that times has cost something already. */
TEST(what_is_not_asked_for_is_not_opened)
{
    static const struct {
        const char *name;
        const struct inside_request *request;
        const char *says; /* NULL: it was not looked at */
    } rows[] = {
        {"libm-record.so", &only_records, "it does not export cpprof_phases()"},
        {"libm-record.so", &only_delays, NULL}, /* opened for delays it would be refused */
        {"libm-delay-0.1.so", &only_delays, "its source needs a CPPROF_PHASE_TABLE (docs/inside.md)"},
        {"libm-delay-0.1.so", &only_records, NULL},
        {"libm-delay-8.1.so", &only_delays, NULL}, /* no name of a build */
        {"libm-delay-0.1.so.old", &only_delays, NULL},
        {"libm-without-copy.so", &only_records, NULL}, /* an earlier version left it there */
        {"libmm-record.so", &only_records, NULL},      /* of another library */
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct folder f = new_folder();
        struct catalogue c;
        struct err e = {0};
        copy(&f, LIBRARY, "libm.so");
        copy(&f, LIBRARY, rows[i].name);
        const int rc = load(&c, in(&f, "libm.so"), "", rows[i].request, &e);
        if (rows[i].says ? rc != ERR_USAGE || !strstr(e.text, rows[i].says) || !strstr(e.text, rows[i].name) : rc)
            fail_msg("row %zu: code %d, '%s'", i, rc, e.text);
        assert_string_equal(arms_of(&c), "");
        catalogue_release(&c);
        remove_folder(&f);
    }
}

TEST(a_build_has_the_mark_of_its_name)
{
    static const struct {
        const char *from, *name;
        const struct inside_request *request;
        const char *says;
    } rows[] = {
        {DELAY, "libm-delay-0.2.so", &only_delays, "libm-delay-0.2.so': it was compiled as ...-delay-0.1.so"},
        {DELAY, "libm-record.so", &only_records, "libm-record.so': it was compiled as ...-delay-0.1.so"},
        {RECORD, "libm-delay-0.1.so", &only_delays, "libm-delay-0.1.so': it was compiled as ...-record.so"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct folder f = new_folder();
        struct catalogue c;
        struct err e = {0};
        copy(&f, LIBRARY, "libm.so");
        copy(&f, rows[i].from, rows[i].name);
        assert_int_equal(load(&c, in(&f, "libm.so"), "", rows[i].request, &e), ERR_USAGE);
        assert_non_null(strstr(e.text, rows[i].says));
        catalogue_release(&c);
        remove_folder(&f);
    }
}

/* The marked builds lie in the folder "inside" beside this program, as those of built-in variants do. */
TEST(built_in_variants_have_builds_of_their_own)
{
    struct catalogue c = {0};
    struct err e = {0};
    setenv("MARKED", "", 1);
    assert_int_equal(catalogue_add_built_in(&c, &e), 0);
    if (inside_builds_of_built_in(&c, &both, &e))
        fail_msg("%s", e.text);
    assert_string_equal(arms_of(&c),
                        "mine/v1+record mine/v1+delay-0.1-none mine/v1+delay-0.1-0 mine/v1+delay-0.1-400 ");
    assert_string_equal(catalogue_find(&c, "mine/v1+record")->library, "");
    assert_ptr_equal(catalogue_find(&c, "mine/v1+record")->build->of, &built_in_variant);
    catalogue_release(&c);

    assert_int_equal(catalogue_add_built_in(&c, &e), 0); /* that of a library is not taken for it */
    assert_int_equal(inside_builds_of_library(&c, LIBRARY, &both, &e), 0);
    assert_string_equal(arms_of(&c), "");
    catalogue_release(&c);

    if (catalogue_load(&c, LIBRARY, &e)) /* nor are those of built-in variants taken for a library's */
        fail_msg("%s", e.text);
    assert_int_equal(inside_builds_of_built_in(&c, &both, &e), 0);
    assert_string_equal(arms_of(&c), "");
    catalogue_release(&c);
}

/* ---- cases ---- */

/* Arms stand behind the variant that they are of, in the order of the catalogue; a baseline has builds when it is also
 * among the variants. */
TEST(builds_run_beside_their_variants)
{
    static const struct {
        bool with_builds;
        const char *variant, *baseline, *cases;
    } rows[] = {
        {true, "mine/*", NULL, "mine/v1 mine/v1+record mine/v2 mine/v2+record "},
        {true, "mine/v2", "mine/v1", "mine/v1 mine/v2 mine/v2+record "},
        {true, "mine/*", "mine/v2", "mine/v2 mine/v1 mine/v1+record mine/v2+record "},
        {false, "mine/*", NULL, "mine/v1 mine/v2 "}, /* an arm is no variant that a pattern finds */
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct catalogue c;
        struct case_list list = {0};
        struct err e = {0};
        char names[256] = "";
        if (load(&c, LIBRARY, "", &only_records, &e))
            fail_msg("%s", e.text);
        const struct case_request request = {.catalogue = &c,
                                             .variants = &rows[i].variant,
                                             .variant_count = 1,
                                             .baseline = rows[i].baseline,
                                             .with_builds = rows[i].with_builds};
        if (case_list_expand(&list, &request, &e))
            fail_msg("%s", e.text);
        for (size_t k = 0; k < list.count; k++) {
            const struct run_case *one = &list.items[k];
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s ", one->name);
            assert_int_equal(one->group, 0); /* one comparison */
            assert_ptr_equal(one->build, catalogue_find(&c, one->name)->build);
        }
        assert_string_equal(names, rows[i].cases);
        case_list_release(&list);
        catalogue_release(&c);
    }
}

TEST(a_variant_without_builds_is_refused)
{
    static const char *const phase = "loads", *const variant = "mine/v1";
    struct catalogue c;
    struct case_list list = {0};
    struct err e = {0};
    struct inside_request request = only_delays;
    request.phases = &phase;
    request.phase_count = 1;
    assert_int_equal(load(&c, LIBRARY, "", &request, &e), 0);
    const struct case_request cases = {.catalogue = &c, .variants = &variant, .variant_count = 1, .with_builds = true};
    assert_int_equal(case_list_expand(&list, &cases, &e), ERR_USAGE);
    assert_string_equal(
        e.text,
        "'mine/v1' has no build that records, waits or tells of progress: docs/inside.md says how to mark a kernel");
    case_list_release(&list);
    catalogue_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(builds_are_arms_of_their_variants),
        cmocka_unit_test(an_arm_keeps_what_holds_for_it),
        cmocka_unit_test(only_phases_that_are_asked_for_wait),
        cmocka_unit_test(faults_are_said_with_the_file),
        cmocka_unit_test(letters_of_patterns_are_a_name),
        cmocka_unit_test(what_is_not_asked_for_is_not_opened),
        cmocka_unit_test(a_build_has_the_mark_of_its_name),
        cmocka_unit_test(built_in_variants_have_builds_of_their_own),
        cmocka_unit_test(builds_run_beside_their_variants),
        cmocka_unit_test(a_variant_without_builds_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
