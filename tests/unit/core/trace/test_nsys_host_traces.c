/* What do nsys's tables of calls and launches give, and who finds the gpu trace among other reports? */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/trace/readers/reader.h"
#include "tests/test.h"
#include "tests/unit/sample.h"

#define CALL(start, end, tid, id, what)                                                                                \
    {                                                                                                                  \
        .start_ns = start, .end_ns = end, .kind = CPPROF_EVENT_API, .device = -1, .rank = -1, .correlation = id,       \
        .thread = tid, .detail = what                                                                                  \
    }

TEST(calls)
{
    static const struct sample_event expected[] = {
        {{.start_ns = 100,
          .end_ns = 120,
          .kind = CPPROF_EVENT_API,
          .flags = CPPROF_EVENT_DRIVER_API,
          .device = -1,
          .rank = -1,
          .correlation = 1,
          .thread = 99},
         "cuModuleLoadData",
         NULL},
        {CALL(200, 230, 99, 2, CPPROF_API_LAUNCH), "cudaLaunchKernel", NULL},
        {CALL(250, 260, 98, 3, CPPROF_API_COPY), "cudaMemcpyAsync", NULL},
        {CALL(300, 350, 99, 4, CPPROF_API_SYNC), "cudaDeviceSynchronize", NULL},
    };
    struct event_stream *s = sample_open("nsys_api_trace.csv");
    assert_false(event_stream_is_launches_only(s)); /* it has no kernels at all */
    assert_non_null(strstr(first_caveat(s, CAVEAT_NOTE), "has calls on the host and no work on the GPU"));
    sample_assert(s, expected, COUNT_OF(expected));
}

/* The second call launched a graph of two kernels. */
TEST(launches)
{
    static const struct sample_event expected[] = {
        {CALL(100, 120, 99, 1, CPPROF_API_LAUNCH), "cudaLaunchKernel", NULL},
        {{.start_ns = 110,
          .end_ns = 160,
          .kind = CPPROF_EVENT_KERNEL,
          .rank = -1,
          .correlation = 1,
          .grid = {195313, 1, 1},
          .block = {256, 1, 1}},
         "add(float *, int)",
         NULL},
        {CALL(200, 210, 99, 2, CPPROF_API_LAUNCH), "cudaGraphLaunch_v10000", NULL},
        {{.start_ns = 300,
          .end_ns = 340,
          .kind = CPPROF_EVENT_KERNEL,
          .device = 1,
          .rank = -1,
          .correlation = 2,
          .grid = {2, 3, 4},
          .block = {32, 2, 1}},
         "first",
         NULL},
        {{.start_ns = 340,
          .end_ns = 350,
          .kind = CPPROF_EVENT_KERNEL,
          .device = 1,
          .rank = -1,
          .correlation = 2,
          .grid = {1, 1, 1},
          .block = {32, 1, 1}},
         "second",
         NULL},
    };
    struct event_stream *s = sample_open("nsys_kern_exec_trace.csv");
    assert_true(event_stream_is_launches_only(s));
    assert_non_null(strstr(first_caveat(s, CAVEAT_NOTE), "no copies and no streams"));
    sample_assert(s, expected, COUNT_OF(expected));
}

/* Opens a table that is written here. */
static struct event_stream *open_text(const char *text)
{
    char path[] = "/tmp/cpprof-test-XXXXXX";
    struct event_stream *s;
    struct err e = {0};
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    if (event_stream_open(&s, path, &e))
        fail_msg("%s", e.text);
    remove(path);
    return s;
}

/* Both processes have a call 7; the same thread id, name and times would be one
 * launch of two kernels if the process did not count. */
TEST(processes_are_ranks)
{
    static const struct {
        const char *table;
        int16_t ranks[4];
    } cases[] = {
        {"Start (ns),Duration (ns),Name,Result,CorrID,Pid,Tid,T-Pri,Thread Name\n"
         "10,2,cudaLaunchKernel,0,7,500,99,20,a\n"
         "20,2,cudaLaunchKernel,0,7,400,99,20,b\n"
         "30,2,cudaLaunchKernel,0,8,500,99,20,a\n"
         "40,2,cudaLaunchKernel,0,8,400,99,20,b\n",
         {0, 1, 0, 1}},
        {"API Start (ns),API Dur (ns),Queue Start (ns),Queue Dur (ns),Kernel Start (ns),Kernel Dur (ns),Total Dur (ns),"
         "PID,TID,DevId,API Function,GridXYZ,BlockXYZ,Kernel Name\n"
         "10,2,12,8,20,5,15,500,99,0,cudaLaunchKernel,1 1 1,32 1 1,k\n"
         "10,2,12,18,30,5,25,400,99,0,cudaLaunchKernel,1 1 1,32 1 1,k\n",
         {0, 1, 0, 1}}, /* two calls at 10, then a kernel of each */
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct event_stream *s = open_text(cases[i].table);
        struct cpprof_event event;
        assert_int_equal(event_stream_count(s), 4);
        for (size_t k = 0; k < 4; k++) {
            assert_int_equal(event_stream_next(s, &event, NULL), 1);
            assert_int_equal(event.rank, cases[i].ranks[k]);
        }
        bool said = false;
        const struct caveat_list *caveats = event_stream_caveats(s);
        for (size_t k = 0; k < caveats->count; k++)
            said |= strstr(caveats->items[k].text, "several processes made calls; they are shown as ranks") != NULL;
        assert_true(said);
        event_stream_free(s);
    }
}

TEST(the_gpu_trace_among_other_reports)
{
    struct event_stream *s = sample_open("nsys_several_reports.csv");
    struct cpprof_event event;
    assert_int_equal(event_stream_count(s), 2);
    assert_int_equal(event_stream_next(s, &event, NULL), 1);
    assert_int_equal(event.kind, CPPROF_EVENT_API);
    assert_int_equal(event_stream_next(s, &event, NULL), 1);
    assert_int_equal(event.kind, CPPROF_EVENT_KERNEL);
    assert_true(has_caveat(s, CAVEAT_NOTE, "the gpu trace and the cuda_api_trace of 'a.sqlite' are read as one"));
    assert_true(has_caveat(s, CAVEAT_NOTE, "not read: nvtx_sum, cuda_api_sum"));
    event_stream_free(s);
}

#define NAMED(capture, report) "Processing [" capture "] with [/opt/reports/" report ".py]... \n"
#define GPU_TABLE              "Start (ns),Duration (ns),CorrId,Device,Strm,Name\n20,10,7,GPU (0),7,k\n"
#define API_TABLE(processes)                                                                                           \
    "Start (ns),Duration (ns),Name,Result,CorrID,Pid,Tid,T-Pri,Thread Name\n10,2,cudaLaunchKernel,0,7,500,99,20,a\n" processes
#define EXEC_TABLE                                                                                                     \
    "API Start (ns),API Dur (ns),Queue Start (ns),Queue Dur (ns),Kernel Start (ns),Kernel Dur (ns),Total Dur (ns),"    \
    "PID,TID,DevId,API Function,GridXYZ,BlockXYZ,Kernel Name\n"                                                        \
    "10,2,12,8,20,10,20,500,99,0,cudaLaunchKernel,1 1 1,32 1 1,k\n"

/* Calls and work of one capture are one trace; of what nobody says that it is of
 * the same one, the gpu trace alone is read, and the rest is named. */
TEST(calls_join_the_work_of_their_capture)
{
    static const struct {
        const char *text;
        int64_t events;
        const char *note;
    } cases[] = {
        {NAMED("a", "cuda_api_trace") API_TABLE("") "\n" NAMED("a", "cuda_gpu_trace") GPU_TABLE
         "\n" NAMED("a", "cuda_kern_exec_trace") EXEC_TABLE,
         2, "not read: cuda_kern_exec_trace; to use it, put into a file of its own: cuda_kern_exec_trace"},
        {NAMED("a", "cuda_gpu_trace") GPU_TABLE NAMED("a", "cuda_api_trace") API_TABLE(""), 2,
         "the gpu trace and the cuda_api_trace of 'a' are read as one, joined by correlation ids"},
        {NAMED("b", "cuda_gpu_trace") GPU_TABLE NAMED("a", "cuda_api_trace") API_TABLE(""), 1,
         "only the gpu trace is read, not: cuda_api_trace; to use it, put into a file of its own: cuda_api_trace"},
        {GPU_TABLE API_TABLE("") EXEC_TABLE, 1,
         "not: cuda_api_trace, cuda_kern_exec_trace; to use it, put into a file of its own: cuda_api_trace, "
         "cuda_kern_exec_trace"},
        {NAMED("a", "cuda_gpu_trace") GPU_TABLE NAMED("a", "cuda_api_trace")
             API_TABLE("11,2,cudaLaunchKernel,0,7,501,99,20,b\n"),
         1, "to use it, put into a file of its own: cuda_api_trace"},
        {API_TABLE("") EXEC_TABLE, 1, "to use it, put into a file of its own: cuda_kern_exec_trace"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct event_stream *s = open_text(cases[i].text);
        if (event_stream_count(s) != cases[i].events)
            fail_msg("case %zu: %lld events", i, (long long)event_stream_count(s));
        if (!has_caveat(s, CAVEAT_NOTE, cases[i].note))
            fail_msg("case %zu: no note says '%s'", i, cases[i].note);
        assert_false(caveat_has(event_stream_caveats(s), CAVEAT_TRUNCATED));
        event_stream_free(s);
    }
}

/* A table of calls longer than what readers look at first stands before the gpu trace. */
TEST(a_gpu_trace_far_behind)
{
    enum { CALLS = 80000 };
    char path[] = "/tmp/cpprof-test-XXXXXX";
    int fd = mkstemp(path);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    assert_non_null(file);
    fputs("Processing [a.sqlite] with [/opt/reports/cuda_api_trace.py]... \n"
          "Start (ns),Duration (ns),Name,Result,CorrID,Pid,Tid,T-Pri,Thread Name\n",
          file);
    for (int i = 0; i < CALLS; i++)
        fprintf(file, "%d,2,cudaFree,0,1,2,3,20,app\n", i);
    assert_true(ftell(file) > INPUT_HEAD_BYTES);
    fputs("\nProcessing [a.sqlite] with [/opt/reports/cuda_gpu_trace.py]... \n"
          "Start (ns),Duration (ns),Device,Strm,Name\n5,10,GPU (0),7,k\n",
          file);
    assert_int_equal(fclose(file), 0);
    struct event_stream *s;
    assert_int_equal(event_stream_open(&s, path, NULL), 0);
    assert_int_equal(event_stream_count(s), 1);
    assert_non_null(strstr(first_caveat(s, CAVEAT_NOTE), "not: cuda_api_trace"));
    event_stream_free(s);
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls),
        cmocka_unit_test(launches),
        cmocka_unit_test(processes_are_ranks),
        cmocka_unit_test(the_gpu_trace_among_other_reports),
        cmocka_unit_test(calls_join_the_work_of_their_capture),
        cmocka_unit_test(a_gpu_trace_far_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
