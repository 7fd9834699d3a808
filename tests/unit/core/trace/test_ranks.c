/* Do several traces become one stream in which every event knows its rank? */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/test.h"
#include <zlib.h>

#include "core/base/files.h"
#include "core/base/shard_writer.h"
#include "core/trace/event_stream.h"
#include "core/trace/trace_operands.h"
#include "tests/unit/stream_caveats.h"

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/cpprof-test-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return files_remove_tree(folder, NULL);
}

/* Valid for the next 31 calls. */
static const char *in_folder(const char *name)
{
    static char paths[32][256];
    static size_t next;
    char *path = paths[next++ % 32];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

/* A trace of one kernel that starts at `start_ns`. */
static const char *write_csv(const char *name, int start_ns)
{
    char text[256];
    int length =
        snprintf(text, sizeof text, "Start (ns),Duration (ns),Device,Strm,Name\n%d,10,GPU (0),7,kernel\n", start_ns);
    assert_int_equal(files_write_atomic(in_folder(name), text, (size_t)length, NULL), 0);
    return in_folder(name);
}

static const char *write_shard(const char *name, int rank, int start_ns)
{
    struct shard_writer w;
    assert_int_equal(shard_writer_open(&w, in_folder(name), rank, 0, NULL), 0);
    struct cpprof_event event = {.start_ns = start_ns,
                                 .end_ns = start_ns + 10,
                                 .kind = CPPROF_EVENT_KERNEL,
                                 .rank = -1,
                                 .name = shard_writer_string(&w, "kernel")};
    assert_int_equal(shard_writer_add(&w, &event, NULL), 0);
    assert_int_equal(shard_writer_close(&w, NULL), 0);
    return in_folder(name);
}

static struct event_stream *open_ranks(const char *const *paths, size_t count)
{
    struct event_stream *s;
    struct err e = {0};
    if (event_stream_open_ranks(&s, paths, count, &e))
        fail_msg("%s", e.text);
    return s;
}

/* The ranks of the events in the order of their starts, then the stream is freed. */
static void assert_ranks(struct event_stream *s, const int *expected, size_t count)
{
    struct cpprof_event event;
    assert_int_equal(event_stream_count(s), count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(event_stream_next(s, &event, NULL), 1);
        assert_int_equal(event.rank, expected[i]);
    }
    assert_int_equal(event_stream_next(s, &event, NULL), 0);
    event_stream_free(s);
}

TEST(paths_name_ranks)
{
    static const struct {
        const char *path;
        int rank;
    } cases[] = {
        {"rank0.json", 0},
        {"kineto_ddp_rank12.json.gz", 12},
        {"a/b/trace-rank_3.csv", 3},
        {"Rank-4.csv", 4},
        {"rank=5.csv", 5},
        {"rank.6.csv", 6},
        {"rank7/trace.csv", 7},
        {"rank_8/", 8},
        {"trace.9.json", 9},
        {"worker.0.pt.trace.json", 0},
        {"rank2/trace.1.json", 2}, /* the word says more than a number between dots */
        {"rank1/rank2.json", 2},   /* the last part says more than its folder */
        {"crank3.json", -1},       /* another word */
        {"ranking.json", -1},
        {"host_4037.1682725898.json", -1}, /* a time, no rank */
        {"a_4242.1.pt.trace.json", -1},
        {"x/node-7_12.900.pt.trace.json.gz", -1},
        {"a_4242x.1.pt.trace.json", 1}, /* no process id */
        {"trace.csv", -1},
        {"rank.csv", -1},
        {"trace.10000.json", -1},    /* above TRACE_RANK_MAX */
        {"rank0.d/x/trace.csv", -1}, /* too far up */
        {"", -1},
        {"/", -1},
        {"-", -1},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        if (trace_rank_of_path(cases[i].path) != cases[i].rank)
            fail_msg("'%s' is rank %d instead of %d", cases[i].path, trace_rank_of_path(cases[i].path), cases[i].rank);
}

TEST(each_trace_is_a_rank)
{
    const char *plain[] = {write_csv("b.csv", 200), write_csv("a.csv", 100)};
    struct event_stream *s = open_ranks(plain, 2);
    assert_non_null(strstr(event_stream_source(s), "b.csv and 1 more"));
    assert_ranks(s, (int[]){1, 0}, 2); /* the place on the command line; a.csv starts first */

    const char *named[] = {write_csv("rank1.csv", 100), write_csv("rank0.csv", 200), plain[0]};
    assert_ranks(open_ranks(named, 3), (int[]){1, 0, 2}, 3); /* b.csv starts with rank0.csv and is third */

    const char *twice[] = {write_csv("x.4.csv", 100), write_csv("y.4.csv", 200)};
    s = open_ranks(twice, 2);
    char note[512];
    snprintf(note, sizeof note, "'%s' and '%s' both say rank 4: shown as rank 0 and rank 1", twice[0], twice[1]);
    assert_true(has_caveat(s, CAVEAT_NOTE, note));
    assert_ranks(s, (int[]){0, 1}, 2); /* both name 4: places count */

    const char *third[] = {twice[0], twice[1], named[0]}; /* rank1.csv is third */
    s = open_ranks(third, 3);
    assert_true(
        has_caveat(s, CAVEAT_NOTE, "rank1.csv: its name says rank 1, but other names are alike: shown as rank 2"));
    assert_ranks(s, (int[]){0, 2, 1}, 3); /* x.4.csv and rank1.csv start together, ranks break the tie */

    const char *one[] = {named[1]};
    assert_ranks(open_ranks(one, 1), (int[]){-1}, 1); /* one trace is no rank, whatever its name */
}

TEST(what_a_trace_says_of_itself_counts)
{
    const char *shards[] = {write_shard("s1.bin", 5, 100), write_shard("rank9.bin", 3, 200), write_csv("c.csv", 300)};
    assert_ranks(open_ranks(shards, 3), (int[]){5, 3, 2}, 3);
    assert_ranks(open_ranks(shards, 1), (int[]){5}, 1);

    const char *same[] = {shards[0], shards[0]}; /* the same file twice is two ranks */
    struct event_stream *s = open_ranks(same, 2);
    assert_non_null(strstr(first_caveat(s, CAVEAT_NOTE), "s1.bin' both say rank 5: shown as rank 5 and rank 6"));
    assert_ranks(s, (int[]){5, 6}, 2);

    const char *in_place[] = {write_shard("s2.bin", 1, 100), shards[2]}; /* c.csv says nothing and is second */
    s = open_ranks(in_place, 2);
    assert_non_null(strstr(first_caveat(s, CAVEAT_NOTE), "c.csv: rank 1 is that of '"));
    assert_ranks(s, (int[]){1, 2}, 2);
}

TEST(a_folder_is_its_traces)
{
    assert_int_equal(files_make_directory(in_folder("run"), NULL), 0);
    const char *run = in_folder("run");
    struct event_stream *s;
    struct err e = {0};
    assert_int_equal(event_stream_open(&s, run, &e), ERR_INPUT);
    assert_non_null(strstr(e.text, "is a directory, but no bundle, and holds no file"));
    assert_int_equal(files_write_atomic(in_folder("run/README"), "about", 5, NULL), 0);
    assert_int_equal(files_write_atomic(in_folder("run/notes"), "more", 4, NULL), 0);
    assert_int_equal(event_stream_open(&s, run, &e), ERR_INPUT);
    assert_non_null(strstr(e.text, "none of its 2 files is a trace"));
    write_csv("run/t10.csv", 300);
    write_csv("run/t2.csv", 200);
    write_csv("run/.hidden.csv", 100);
    s = open_ranks(&run, 1);
    assert_non_null(strstr(first_caveat(s, CAVEAT_NOTE), "run/README: no trace that can be read; left out"));
    assert_false(caveat_has(event_stream_caveats(s), CAVEAT_WEAKENS));
    assert_ranks(s, (int[]){0, 1}, 2); /* t2 before t10 */
}

/* A file that was meant to be a trace, and is not, is an error alone and in a folder. */
TEST(a_folder_forgets_no_rank)
{
    static const struct {
        const char *name, *text, *error; /* error NULL: left out with a note */
    } cases[] = {
        {"b.csv", "", "b.csv' is empty"},
        {"b.csv", "\x01\x02\xfe random", "b.csv' holds no gpu trace"},
        {"b.json", "{}", "b.json'"},
        {"b.csv.gz", "no gzip", "b.csv.gz'"},
        {"b.sqlite", "nothing", "b.sqlite'"},
        {"b.bin", "nothing", "b.bin'"},
        {"b.nsys-rep", "nothing", "b.nsys-rep' is an nsys report, not read"},
        {"b.qdrep", "nothing", "b.qdrep' is an nsys report, not read"},
        {"b", "\"ID\",\"Process ID\",\"Kernel Name\"\n", "b' is an ncu table"},
        {"b", "==ERROR== failed\n", "b' is output of an ncu run that failed"},
        {"b", "", "b' is empty"},
        {"readme.txt", "about these traces\n", NULL},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        assert_int_equal(files_make_directory(in_folder("job"), NULL), 0);
        const char *job = in_folder("job");
        char name[64];
        snprintf(name, sizeof name, "job/%s", cases[i].name);
        write_csv("job/a.csv", 100);
        assert_int_equal(files_write_atomic(in_folder(name), cases[i].text, strlen(cases[i].text), NULL), 0);
        struct event_stream *s = open_ranks(&job, 1);
        if (caveat_has(event_stream_caveats(s), CAVEAT_TRUNCATED) != (cases[i].error != NULL))
            fail_msg("'%s' with '%s'", cases[i].name, cases[i].text);
        if (cases[i].error)
            assert_true(has_caveat(s, CAVEAT_TRUNCATED, cases[i].error));
        else
            assert_true(has_caveat(s, CAVEAT_NOTE, "readme.txt: no trace that can be read; left out"));
        assert_ranks(s, (int[]){0}, 1);
        assert_int_equal(files_remove_tree(job, NULL), 0);
    }
}

static void make_folders(const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_int_equal(files_make_directory(in_folder(names[i]), NULL), 0);
}

/* A folder for each rank is as usual as a file for each. */
TEST(folders_in_a_folder_are_its_traces)
{
    static const char *const folders[] = {"r2", "r2/rank1", "r2/rank2", "r2/empty", "r2/empty/empty"};
    make_folders(folders, COUNT_OF(folders));
    const char *r2 = in_folder("r2");
    write_csv("r2/rank0.csv", 100);
    write_csv("r2/rank1/x.csv", 200);
    write_csv("r2/rank2/x.csv", 300);
    assert_int_equal(symlink(".", in_folder("r2/self")), 0);
    struct event_stream *s = open_ranks(&r2, 1);
    assert_false(caveat_has(event_stream_caveats(s), CAVEAT_WEAKENS));
    assert_false(caveat_has(event_stream_caveats(s), CAVEAT_TRUNCATED));
    assert_ranks(s, (int[]){0, 1, 2}, 3);
    assert_int_equal(unlink(in_folder("r2/rank0.csv")), 0);
    s = open_ranks(&r2, 1);
    assert_ranks(s, (int[]){1, 2}, 2);
    assert_int_equal(files_remove_tree(r2, NULL), 0);
}

TEST(what_lies_deeper_is_missed_aloud)
{
    static const char *const folders[] = {"deep", "deep/rank1", "deep/rank1/run"};
    make_folders(folders, COUNT_OF(folders));
    const char *deep = in_folder("deep");
    struct event_stream *s;
    struct err e = {0};
    write_csv("deep/rank1/run/x.csv", 200);
    assert_int_equal(event_stream_open(&s, deep, &e), ERR_INPUT);
    assert_non_null(strstr(e.text, "holds no trace that can be read: "));
    assert_non_null(strstr(e.text, "deep/rank1/run: a folder this far down is not read; name it, too"));
    write_csv("deep/rank0.csv", 100);
    s = open_ranks(&deep, 1);
    assert_true(has_caveat(s, CAVEAT_WEAKENS, "deep/rank1/run: a folder this far down is not read; name it, too"));
    assert_ranks(s, (int[]){-1}, 1);
    assert_int_equal(symlink("nowhere", in_folder("deep/rank1/y.csv")), 0);
    s = open_ranks(&deep, 1);
    assert_true(has_caveat(s, CAVEAT_TRUNCATED, "cannot read '"));
    assert_ranks(s, (int[]){0}, 1);
    assert_int_equal(files_remove_tree(deep, NULL), 0);
}

/* A rank that died before it wrote anything must not look like a rank that is not there. */
TEST(empty_folder_of_a_rank_is_a_lost_rank)
{
    static const char *const folders[] = {"died", "died/rank0", "died/rank1", "died/logs"};
    make_folders(folders, COUNT_OF(folders));
    const char *died = in_folder("died");
    write_csv("died/rank0/x.csv", 100);
    struct event_stream *s = open_ranks(&died, 1);
    assert_true(
        has_caveat(s, CAVEAT_TRUNCATED, "died/rank1: nothing is in the folder of this rank: its trace is missing"));
    assert_false(has_caveat(s, CAVEAT_TRUNCATED, "died/logs"));
    event_stream_free(s);
    assert_int_equal(files_remove_tree(died, NULL), 0);
}

static const char *write_json(const char *name, int rank)
{
    char text[256];
    int length = snprintf(text, sizeof text,
                          "{\"schemaVersion\":1,\"distributedInfo\":{\"rank\":%d,\"world_size\":3},\"traceEvents\":[{"
                          "\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"ts\":%d,\"dur\":2,\"args\":{\"device\":0,"
                          "\"stream\":7}}]}",
                          rank, rank);
    assert_int_equal(files_write_atomic(in_folder(name), text, (size_t)length, NULL), 0);
    return in_folder(name);
}

TEST(traces_that_were_not_copied_are_counted)
{
    static const char missing[] = "the job has 3 ranks, and 2 of them have a trace here that can be read";
    const char *paths[] = {write_json("0.json", 0), write_json("1.json", 1), write_json("2.json", 2)};
    struct event_stream *s = open_ranks(paths, 2);
    assert_true(has_caveat(s, CAVEAT_NOTE, missing));
    event_stream_free(s);
    s = open_ranks(paths, 3);
    assert_false(has_caveat(s, CAVEAT_NOTE, missing));
    assert_ranks(s, (int[]){0, 1, 2}, 3);
}

TEST(one_bad_trace_leaves_the_others)
{
    const char *paths[] = {write_csv("good.csv", 100), in_folder("not_there.csv")};
    struct event_stream *s = open_ranks(paths, 2);
    assert_non_null(strstr(first_caveat(s, CAVEAT_TRUNCATED), "not_there.csv': No such file"));
    assert_ranks(s, (int[]){0}, 1);
    struct err e = {0};
    assert_int_equal(event_stream_open_ranks(&s, (const char *[]){paths[1], paths[1]}, 2, &e), ERR_INPUT);
    assert_non_null(strstr(e.text, "not_there.csv': No such file"));
    assert_int_equal(event_stream_open_ranks(&s, NULL, 0, &e), ERR_USAGE);
}

/* The same bytes, compressed; cut somewhere they end in a caveat or an error. */
TEST(compressed_is_the_same)
{
    struct str packed;
    str_init(&packed);
    write_csv("plain.csv", 100);
    gzFile gz = gzopen(in_folder("plain.csv.gz"), "wb");
    const char text[] = "Start (ns),Duration (ns),Device,Strm,Name\n100,10,GPU (0),7,kernel\n";
    assert_int_equal(gzwrite(gz, text, sizeof text - 1), sizeof text - 1);
    assert_int_equal(gzclose(gz), Z_OK);
    assert_int_equal(files_read(in_folder("plain.csv.gz"), 4096, &packed, NULL), 0);
    const char *path = in_folder("plain.csv.gz");
    struct event_stream *s = open_ranks(&path, 1);
    assert_int_equal(event_stream_caveats(s)->count, 0);
    assert_ranks(s, (int[]){-1}, 1);
    for (size_t length = 0; length < packed.length; length++) {
        const char *cut = in_folder("cut.csv.gz");
        assert_int_equal(files_write_atomic(cut, str_text(&packed), length, NULL), 0);
        if (event_stream_open(&s, cut, NULL))
            continue;
        assert_non_null(strstr(first_caveat(s, CAVEAT_TRUNCATED), "cut.csv.gz: the gzip file is cut"));
        event_stream_free(s);
    }
    str_release(&packed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_name_ranks),
        cmocka_unit_test(each_trace_is_a_rank),
        cmocka_unit_test(what_a_trace_says_of_itself_counts),
        cmocka_unit_test(a_folder_is_its_traces),
        cmocka_unit_test(a_folder_forgets_no_rank),
        cmocka_unit_test(folders_in_a_folder_are_its_traces),
        cmocka_unit_test(what_lies_deeper_is_missed_aloud),
        cmocka_unit_test(empty_folder_of_a_rank_is_a_lost_rank),
        cmocka_unit_test(traces_that_were_not_copied_are_counted),
        cmocka_unit_test(one_bad_trace_leaves_the_others),
        cmocka_unit_test(compressed_is_the_same),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
