/* Does a run directory come back as it was left, whatever happened to it? */
#include "tests/unit/scratch_bundle.h"

#include <limits.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/base/count_of.h"
#include "core/bundle/bundle_open.h"
#include "core/bundle/bundle_text.h"
#include "core/bundle/bundle_write.h"

static void open_scratch(const struct scratch *s, struct bundle *b)
{
    bundle_init(b);
    MUST(bundle_open(b, s->path, &e));
}

static void assert_caveat(const struct bundle *b, enum caveat_kind kind, const char *part)
{
    for (size_t i = 0; i < b->caveats.count; i++)
        if (b->caveats.items[i].kind == kind && strstr(b->caveats.items[i].text, part))
            return;
    fail_msg("no caveat of kind %d says '%s'", (int)kind, part);
}

static void a_run_is_sealed(void **state)
{
    (void)state;
    struct scratch s;
    scratch_create(&s);
    assert_true(bundle_is(s.path));
    assert_false(bundle_has_trace(s.path));
    scratch_row(&s, BUNDLE_EXPECT, "p/async|ldgsts|1|");
    scratch_write(&s, "process-time-10.json", "{\"role\": \"time\", \"index\": 10, \"gpu\": {\"name\": \"second\"}}");
    scratch_write(&s, "process-time-2.json",
                  "{\"role\": \"time\", \"index\": 2, \"gpu\": {\"name\": \"first\"}, \"dropped\": {\"kernel\": 0}}");
    MUST(bundle_seal(s.path, s.manifest, &e));
    assert_false(scratch_has(&s, "process-time-2.json"));
    assert_false(scratch_has(&s, "process-time-10.json"));

    struct bundle b;
    open_scratch(&s, &b);
    assert_true(b.complete);
    assert_int_equal(b.caveats.count, 0);
    assert_int_equal(json_array_size(json_object_get(b.manifest, "processes")), 2);
    assert_string_equal(json_get_text(json_object_get(b.manifest, "gpu"), "name", ""), "first");
    assert_true(b.has_table[BUNDLE_EXPECT]);
    assert_false(b.has_table[BUNDLE_TIMING]);
    assert_int_equal(table_rows(&b.tables[BUNDLE_TIMING]), 0);
    assert_string_equal(table_text(&b.tables[BUNDLE_EXPECT], 0, EXPECT_METRIC), "ldgsts");
    assert_true(table_number(&b.tables[BUNDLE_EXPECT], 0, EXPECT_MIN) == 1);
    assert_int_equal(table_at(&b.tables[BUNDLE_EXPECT], 0, EXPECT_MAX)->type, CELL_MISSING);
    bundle_release(&b);
    scratch_remove(&s);
}

static void what_is_missing_is_said(void **state)
{
    (void)state;
    struct scratch s;
    struct bundle b;
    scratch_create(&s);
    open_scratch(&s, &b); /* never sealed */
    assert_false(b.complete);
    assert_caveat(&b, CAVEAT_WEAKENS, "did not finish");
    bundle_release(&b);

    json_object_set_new(s.manifest, "failures",
                        json_pack("[{s:s, s:i, s:s}, {s:s, s:s}]", "role", "time", "index", 3, "detail",
                                  "died of signal 11", "role", "verify", "detail",
                                  "\na library\x1b is missing\r\n\n  it was libx.so\n"));
    scratch_write(&s, "process-trace-0.json", "{\"dropped\": {\"kernel\": 40, \"api\": 0}}");
    scratch_write(&s, "process-trace-1.json", "{\"dropped\": {\"kernel\": 2}}");
    scratch_write(&s, "process-count-0.json", "{\"role\": \"cou"); /* it died while it wrote */
    MUST(bundle_seal(s.path, s.manifest, &e));
    open_scratch(&s, &b);
    assert_true(b.complete);
    assert_int_equal(b.caveats.count, 4);
    assert_caveat(&b, CAVEAT_WEAKENS, "the time process 3 failed: died of signal 11");
    assert_caveat(&b, CAVEAT_WEAKENS, "the verify process 0 failed: a library\\x1b is missing |   it was libx.so");
    assert_caveat(&b, CAVEAT_WEAKENS, "the count process 0 failed: process-count-0.json:1:");
    assert_caveat(&b, CAVEAT_WEAKENS, "42 kernel records were dropped");
    bundle_release(&b);
    scratch_remove(&s);
}

/* What two processes lost adds up; a number that makes no sense is not 0, and takes nothing off another one. */
static void what_was_dropped_adds_up(void **state)
{
    (void)state;
    static const struct {
        const char *first, *second;
        const char *says; /* "": nothing */
    } cases[] = {
        {"{\"kernel\": 0}", "{\"kernel\": 0}", ""},
        {"null", "{}", ""},
        {"{\"kernel\": 5}", "{\"kernel\": 2}", "7 kernel records were dropped"},
        {"{\"records\": 5}", "{}", "5 records were dropped"},
        {"{\"kernel\": 9223372036854775807}", "{\"kernel\": 5}", "9223372036854775807 kernel records were dropped"},
        {"{\"kernel\": 5}", "{\"kernel\": -5}", "'dropped' in the manifest makes no sense"},
        {"{\"kernel\": -5}", "{\"kernel\": 5}", "'dropped' in the manifest makes no sense"},
        {"{\"kernel\": \"many\"}", "{}", "'dropped' in the manifest makes no sense"},
        {"{\"kernel\": 1.5}", "{}", "'dropped' in the manifest makes no sense"},
        {"[5]", "{}", "'dropped' in the manifest makes no sense"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct scratch s;
        struct bundle b;
        char report[128];
        scratch_create(&s);
        snprintf(report, sizeof report, "{\"role\": \"trace\", \"dropped\": %s}", cases[i].first);
        scratch_write(&s, "process-trace-0.json", report);
        scratch_write(&s, "trace-1-0.bin", "");
        snprintf(report, sizeof report, "{\"role\": \"trace\", \"dropped\": %s}", cases[i].second);
        scratch_write(&s, "process-trace-1.json", report);
        MUST(bundle_seal(s.path, s.manifest, &e));
        open_scratch(&s, &b);
        if (*cases[i].says)
            assert_caveat(&b, CAVEAT_WEAKENS, cases[i].says);
        else
            assert_int_equal(b.caveats.count, 0);
        bundle_release(&b);
        scratch_remove(&s);
    }
}

static void a_table_that_breaks_off_keeps_its_good_part(void **state)
{
    (void)state;
    struct scratch s;
    struct bundle b;
    scratch_create(&s);
    scratch_write(&s, "expect.csv", "variant,metric,min,max\np/a,m,1,\np/b,m,0");
    open_scratch(&s, &b);
    assert_int_equal(table_rows(&b.tables[BUNDLE_EXPECT]), 1);
    assert_caveat(&b, CAVEAT_TRUNCATED, "expect.csv:3:");
    bundle_release(&b);
    scratch_remove(&s);
}

static void paths_stay_at_home(void **state)
{
    (void)state;
    static const struct {
        const char *in, *out;
    } cases[] = {
        {"/usr/local/cuda/lib64/libcupti.so.13", "libcupti.so.13"},
        {"cannot open '/tmp/run.x/trace.bin': no", "cannot open 'trace.bin': no"},
        {"--load=/srv/me/lib.so /opt/a/b", "--load=lib.so b"},
        {"pipeline/sync 1/2 a / b", "pipeline/sync 1/2 a / b"},
        {"https://example.org/x", "https://example.org/x"},
        {"/opt/cuda/", "cuda/"},
        {"out/run.cpprof", "out/run.cpprof"},
        {"-I/home/me/x -L/home/me/lib", "-Ix -Llib"},
        {"-isystem/usr/include -Iinclude/cpprof -Wl,-rpath,/home/me/lib",
         "-isysteminclude -Iinclude/cpprof -Wl,-rpath,lib"},
        {"--opt=/home/me/x --opt=/home/me/y=/home/me/z", "--opt=x --opt=y=z"},
        {"a:/home/me/b:/home/me/c", "a:b:c"},
        {"node:/home/me/b", "node:b"},
        {"file:///home/me/x and FILE://box/home/me/y", "file:x and FILE:y"},
        {"sqlite:////home/me/a.db unix:///run/me/a.sock", "sqlite:a.db unix:a.sock"},
        {"//home/me/x ///home/me//y", "x y"},
        {"@/home/me/list >/home/me/log 2>&1|/usr/bin/tee", "@list >log 2>&1|tee"},
        {"{\"data\":\"\\/home\\/me\\/x\"}", "{\"data\":\"\\x\"}"},
        {"/home/\303\274ser/x /\303\274/y /~me/z /+/z /$me/z", "x y z z z"},
        {"-5/3 -0.5/3 and/or c++/v1 ${HOME}/src (a)/b ~/x ../y",
         "-5/3 -0.5/3 and/or c++/v1 ${HOME}/src (a)/b ~/x ../y"},
        {"http://example.org:8080/a/b?c=d", "http://example.org:8080/a/b?c=d"},
        {"/* a comment */ // another one", "/* a comment */ // another one"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct scratch s;
        struct bundle b;
        scratch_create(&s);
        json_object_set_new(s.manifest, "arguments", json_pack("[s]", cases[i].in));
        MUST(bundle_seal(s.path, s.manifest, &e));
        open_scratch(&s, &b);
        assert_string_equal(json_string_value(json_array_get(json_object_get(b.manifest, "arguments"), 0)),
                            cases[i].out);
        bundle_release(&b);
        scratch_remove(&s);
    }
}

/* The machine is called "node1.example.org". */
static void the_machine_has_no_name(void **state)
{
    (void)state;
    static const struct {
        const char *in, *out;
    } cases[] = {
        {"--rdzv-endpoint=node1.example.org:29500", "--rdzv-endpoint=HOST:29500"},
        {"--host node1 -H NODE1:8,node2:8", "--host HOST -H HOST:8,node2:8"},
        {"node10 my-node1 node1-ib node1_a", "node10 my-node1 node1-ib node1_a"},
        {"ssh://me@node1/srv/me/x", "ssh://me@HOST/srv/me/x"},
        {"/srv/node1/x", "x"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct str text;
        str_init(&text);
        bundle_add_text_of(&text, cases[i].in, "node1.example.org");
        assert_string_equal(str_text(&text), cases[i].out);
        str_release(&text);
    }
}

/* In what people and programs say; "kind" is ours, whatever the machine is called. */
static void the_name_is_taken_out_of_free_texts(void **state)
{
    (void)state;
    char host[256] = "";
    assert_int_equal(gethostname(host, sizeof host - 1), 0);
    if (!*host || !strncmp(host, "localhost", 9))
        skip();
    struct err e = {0};
    json_t *manifest =
        json_pack("{s:s,s:[s,s],s:[{s:s}]}", "kind", host, "command", "cpprof", host, "failures", "detail", host);
    assert_int_equal(bundle_clean_manifest(manifest, &e), 0);
    assert_string_equal(json_get_text(manifest, "kind", ""), host);
    assert_string_equal(json_string_value(json_array_get(json_object_get(manifest, "command"), 1)), "HOST");
    assert_string_equal(json_get_text(json_array_get(json_object_get(manifest, "failures"), 0), "detail", ""), "HOST");
    json_decref(manifest);
}

/* A text of a program, as it goes into a row: without paths, and without the name of this machine. */
static void a_text_may_be_handed_on(void **state)
{
    (void)state;
    char host[256] = "";
    struct str in, text;
    assert_int_equal(gethostname(host, sizeof host - 1), 0);
    if (!*host || !strncmp(host, "localhost", 9))
        skip();
    str_init(&in);
    str_init(&text);
    str_addf(&in, "%s: cannot open /home/me/%s/x", host, host);
    str_add(&text, "as it was /a/b, ");
    bundle_add_text(&text, str_text(&in));
    assert_string_equal(str_text(&text), "as it was /a/b, HOST: cannot open x"); /* what stood there is the caller's */
    str_clear(&in);
    str_clear(&text);
    str_addf(&in, "-isystem/%0300d/x", 0); /* longer than any name in the root folder: no path of this machine */
    bundle_add_text(&text, str_text(&in));
    assert_string_equal(str_text(&text), str_text(&in));
    str_release(&in);
    str_release(&text);
}

static void what_is_no_bundle_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *manifest, *message;
    } cases[] = {
        {"{\"format\": 2, \"status\": \"complete\"}", "made by a newer cpprof"},
        {"{\"status\": \"complete\"}", "no format version"},
        {"{\"format\": \"1\"}", "no format version"},
        {"[]", "no format version"},
        {"{\"format\": 1", "not valid JSON"},
        {"", "not valid JSON"},
    };
    struct scratch s;
    scratch_create(&s);
    struct err e = {0};
    struct bundle b;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        scratch_write(&s, BUNDLE_MANIFEST, cases[i].manifest);
        bundle_init(&b);
        assert_int_equal(bundle_open(&b, s.path, &e), ERR_INPUT);
        assert_non_null(strstr(e.text, cases[i].message));
        bundle_release(&b);
    }
    bundle_init(&b);
    assert_int_equal(bundle_open(&b, s.folder, &e), ERR_INPUT);
    assert_non_null(strstr(e.text, "is not a bundle"));
    bundle_release(&b);
    scratch_remove(&s);
}

/* Also while reports of processes lie beside what is no manifest. */
static void what_is_no_object_is_no_manifest(void **state)
{
    (void)state;
    static const char *const manifests[] = {"[]", "[{\"format\": 1}]"};
    static const char *const reports[] = {"{\"role\": \"time\"}", "{\"role\": \"ti"};
    for (size_t i = 0; i < 4; i++) {
        struct scratch s;
        struct bundle b;
        struct err why = {0};
        scratch_create(&s);
        scratch_write(&s, BUNDLE_MANIFEST, manifests[i / 2]);
        scratch_write(&s, "process-time-0.json", reports[i % 2]);
        bundle_init(&b);
        assert_int_equal(bundle_open(&b, s.path, &why), ERR_INPUT);
        assert_non_null(strstr(why.text, "has no format version"));
        bundle_release(&b);
        scratch_remove(&s);
    }
}

/* A report names its process by its file; one that does not is the runner's. */
static void a_lost_report_is_a_failure_of_its_process(void **state)
{
    (void)state;
    static const struct {
        const char *file, *says;
    } cases[] = {{"process-count-7.json", "the count process 7 failed: process-count-7.json:1:"},
                 {"process-count.json", "the count process 0 failed: "},
                 {"process-.json", "the runner process 0 failed: "},
                 {"process--3.json", "the runner process 0 failed: "}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct scratch s;
        struct bundle b;
        scratch_create(&s);
        scratch_write(&s, cases[i].file, "{");
        MUST(bundle_seal(s.path, s.manifest, &e));
        open_scratch(&s, &b);
        assert_caveat(&b, CAVEAT_WEAKENS, cases[i].says);
        bundle_release(&b);
        scratch_remove(&s);
    }
}

/* "NAME.replaced-PID" has no room: nothing happens to it. */
static void a_bundle_that_cannot_be_set_aside_stays(void **state)
{
    (void)state;
    struct scratch s;
    struct str aside, path;
    struct err why = {0};
    scratch_create(&s);
    str_init(&aside);
    str_init(&path);
    str_addf(&path, "%s/%0*d.cpprof", s.folder, NAME_MAX - 8, 0);
    MUST(bundle_create(str_text(&path), s.manifest, &e));
    assert_int_equal(bundle_set_aside(str_text(&path), &aside, &why), ERR_ENVIRONMENT);
    assert_non_null(strstr(why.text, "cannot set '"));
    assert_int_equal(aside.length, 0);
    assert_true(bundle_is(str_text(&path)));
    str_release(&path);
    str_release(&aside);
    scratch_remove(&s);
}

static void limit_files(struct rlimit *before, rlim_t bytes)
{
    assert_int_equal(getrlimit(RLIMIT_FSIZE, before), 0);
    const struct rlimit limit = {bytes, before->rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* As on a full disk. */
static void a_bundle_that_cannot_be_begun_leaves_nothing(void **state)
{
    (void)state;
    struct scratch s;
    struct str path;
    struct err why = {0};
    struct rlimit before;
    scratch_create(&s);
    str_init(&path);
    files_join(&path, s.folder, "other.cpprof");
    limit_files(&before, 8);
    const int rc = bundle_create(str_text(&path), s.manifest, &why);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(rc, ERR_ENVIRONMENT);
    assert_non_null(strstr(why.text, "File too large"));
    assert_false(files_exists(str_text(&path)));
    str_release(&path);
    scratch_remove(&s);
}

/* What is not sealed to its end is not complete, whatever of it failed, and can be sealed again. */
static void a_seal_that_fails_leaves_the_bundle_incomplete(void **state)
{
    (void)state;
    static const char *const folders[] = {"timing.csv", "trace-1-0.bin", "trace-1-0.bin.a1B2c3"};
    for (size_t i = 0; i < COUNT_OF(folders); i++) {
        struct scratch s;
        struct bundle b;
        struct str folder;
        struct err why = {0};
        scratch_create(&s);
        scratch_row(&s, BUNDLE_VARIANTS, "f/a|s|||x|1024|||ready");
        scratch_write(&s, "process-time-0.json", "{\"role\": \"time\"}");
        str_init(&folder);
        MUST(
            files_make_directory(files_join(&folder, s.path, folders[i]), &e)); /* neither a table, nor one to remove */
        assert_true(bundle_seal(s.path, s.manifest, &why) < 0);
        assert_non_null(strstr(why.text, folders[i]));
        open_scratch(&s, &b);
        assert_false(b.complete);
        assert_int_equal(json_array_size(json_object_get(b.manifest, "processes")), 1); /* its report is there still */
        bundle_release(&b);
        assert_int_equal(rmdir(str_text(&folder)), 0);
        json_object_del(s.manifest, "processes");
        MUST(bundle_seal(s.path, s.manifest, &e));
        open_scratch(&s, &b);
        assert_true(b.complete);
        assert_int_equal(b.caveats.count, 0);
        bundle_release(&b);
        str_release(&folder);
        scratch_remove(&s);
    }
}

/* A report that stays would be read a second time: whoever seals hears of it. */
static void a_report_that_cannot_be_removed_is_an_error(void **state)
{
    (void)state;
    struct scratch s;
    struct str folder;
    struct err why = {0};
    scratch_create(&s);
    str_init(&folder);
    MUST(files_make_directory(files_join(&folder, s.path, "process-time-0.json"), &e));
    assert_int_equal(bundle_seal(s.path, s.manifest, &why), ERR_ENVIRONMENT);
    assert_non_null(strstr(why.text, "cannot remove '"));
    str_release(&folder);
    scratch_remove(&s);
}

static void a_path_that_exists_is_refused(void **state)
{
    (void)state;
    struct scratch s;
    scratch_create(&s);
    scratch_write(&s, "timing.csv", "old");
    struct err e = {0};
    assert_int_equal(bundle_create(s.path, s.manifest, &e), ERR_USAGE);
    assert_non_null(strstr(e.text, "exists already"));
    assert_true(scratch_has(&s, "timing.csv"));
    scratch_remove(&s);
}

static void a_bundle_is_set_aside_whole(void **state)
{
    (void)state;
    struct scratch s;
    struct str aside;
    scratch_create(&s);
    scratch_write(&s, "timing.csv", "old");
    str_init(&aside);
    MUST(bundle_set_aside(s.path, &aside, &e));
    assert_false(files_exists(s.path));
    assert_true(bundle_is(str_text(&aside)));
    MUST(bundle_set_aside(s.path, &aside, &e)); /* nothing there: nothing to do */
    assert_int_equal(aside.length, 0);
    str_release(&aside);
    scratch_remove(&s);
}

/* As a shell completes it; with what a process that died left half written. */
static void a_bundle_with_leftovers_is_set_aside_and_comes_back(void **state)
{
    (void)state;
    struct scratch s;
    struct str aside, slashed;
    scratch_create(&s);
    scratch_write(&s, "process-capture-12-0.json.part", "{");
    scratch_write(&s, "trace-12-0.bin.a1B2c3", "half");
    str_init(&aside);
    str_init(&slashed);
    str_addf(&slashed, "%s//", s.path);
    MUST(bundle_set_aside(str_text(&slashed), &aside, &e));
    assert_false(files_exists(s.path));
    MUST(files_make_directory(s.path, &e)); /* what came of the new one */
    bundle_undo(str_text(&slashed), &aside);
    assert_true(bundle_is(s.path));
    assert_true(scratch_has(&s, "process-capture-12-0.json.part"));
    assert_false(files_exists(str_text(&aside)));
    str_release(&slashed);
    str_release(&aside);
    scratch_remove(&s);
}

static void parents_are_not_made(void **state)
{
    (void)state;
    struct scratch s;
    struct str path;
    struct err e = {0};
    scratch_create(&s);
    str_init(&path);
    assert_int_equal(bundle_create(files_join(&path, s.folder, "nope/x.cpprof"), s.manifest, &e), ERR_ENVIRONMENT);
    assert_non_null(strstr(e.text, "No such file or directory"));
    assert_false(files_exists(files_join(&path, s.folder, "nope")));
    str_release(&path);
    scratch_remove(&s);
}

/* What only looks like a bundle is somebody's work. */
static void what_is_no_bundle_is_not_set_aside(void **state)
{
    (void)state;
    static const struct {
        const char *file, *text, *message;
    } cases[] = {
        {BUNDLE_MANIFEST, "{\"name\": \"my site\"}", "is not a bundle"},
        {BUNDLE_MANIFEST, "no JSON", "is not a bundle"},
        {"thesis.tex", "precious", "holds 'thesis.tex'"},
        {"notes.csv", "precious", "holds 'notes.csv'"},
        {"weights.bin", "precious", "holds 'weights.bin'"},
        {"trace-of-me.bin", "precious", "holds 'trace-of-me.bin'"},
        {"config.json", "{}", "holds 'config.json'"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct scratch s;
        struct str aside;
        struct err e = {0};
        scratch_create(&s);
        scratch_write(&s, cases[i].file, cases[i].text);
        str_init(&aside);
        assert_int_equal(bundle_set_aside(s.path, &aside, &e), ERR_USAGE);
        assert_non_null(strstr(e.text, cases[i].message));
        assert_true(scratch_has(&s, cases[i].file));
        str_release(&aside);
        scratch_remove(&s);
    }
}

/* Only what the manifest lists may go, and what we derive from it. */
static void a_sealed_bundle_goes_without_the_users_files(void **state)
{
    (void)state;
    static const struct {
        const char *folder, *file; /* NULL: none is made */
        bool goes;
    } cases[] = {{NULL, "report.md", true},
                 {NULL, "verdict.json", true},
                 {NULL, "process-capture-12-0.json", true}, /* of one that outlives it */
                 {"charts", "charts/roofline.svg", true},
                 {"charts", "charts/lost-time.svg", true},
                 {"charts", "charts/inside-3.svg", true},
                 {"charts", "charts/mine.svg", false},
                 {"inner.cpprof", "inner.cpprof/data.csv", false},
                 {NULL, "resources.csv", false}, /* a table, but none of this run */
                 {NULL, "mine.csv", false}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct scratch s;
        struct str aside, folder;
        struct err why = {0};
        scratch_create(&s);
        scratch_write(&s, "timing.csv", "listed");
        MUST(bundle_seal(s.path, s.manifest, &e));
        str_init(&aside);
        str_init(&folder);
        if (cases[i].folder)
            MUST(files_make_directory(files_join(&folder, s.path, cases[i].folder), &e));
        scratch_write(&s, cases[i].file, "beside");
        const int rc = bundle_set_aside(s.path, &aside, &why);
        if (rc != (cases[i].goes ? 0 : ERR_USAGE))
            fail_msg("%s: %d %s", cases[i].file, rc, why.text);
        assert_int_equal(scratch_has(&s, cases[i].file), !cases[i].goes);
        str_release(&folder);
        str_release(&aside);
        scratch_remove(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_is_sealed),
        cmocka_unit_test(what_is_missing_is_said),
        cmocka_unit_test(what_was_dropped_adds_up),
        cmocka_unit_test(a_table_that_breaks_off_keeps_its_good_part),
        cmocka_unit_test(paths_stay_at_home),
        cmocka_unit_test(a_text_may_be_handed_on),
        cmocka_unit_test(what_is_no_bundle_is_refused),
        cmocka_unit_test(what_is_no_object_is_no_manifest),
        cmocka_unit_test(a_lost_report_is_a_failure_of_its_process),
        cmocka_unit_test(a_bundle_that_cannot_be_set_aside_stays),
        cmocka_unit_test(a_bundle_that_cannot_be_begun_leaves_nothing),
        cmocka_unit_test(a_seal_that_fails_leaves_the_bundle_incomplete),
        cmocka_unit_test(a_report_that_cannot_be_removed_is_an_error),
        cmocka_unit_test(a_path_that_exists_is_refused),
        cmocka_unit_test(the_machine_has_no_name),
        cmocka_unit_test(the_name_is_taken_out_of_free_texts),
        cmocka_unit_test(a_bundle_is_set_aside_whole),
        cmocka_unit_test(a_bundle_with_leftovers_is_set_aside_and_comes_back),
        cmocka_unit_test(parents_are_not_made),
        cmocka_unit_test(what_is_no_bundle_is_not_set_aside),
        cmocka_unit_test(a_sealed_bundle_goes_without_the_users_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
