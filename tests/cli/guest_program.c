/* A program with the collector in it, as `cpprof capture` sees one: no GPU, no
 * CUDA, but the shards and reports that a real one leaves (docs/formats.md).
 * usage: guest_program WORD...    what it does, one word after the other:
 *
 *   gpu ORDINAL UUID PCI   has this GPU           rank N        is this rank
 *   start                  opens shard, report    end           closes both
 *   kernels N NAME         N launches of 100 us, one each 250 us, on the last GPU, on disk
 *   samples PERCENT        every 10 us of the kernels since the last samples, in which tensor cores were so busy
 *   delays N PERCENT NAME  N rounds of launches with delays of 0, 20 and 60 us, so much of which the program waits for
 *   range NAME             an open NVTX range     drop N        N kernel records are lost
 *   when CONDITION N       it waits for that, N occurrences were seen
 *   piece FIRST LAST       recording is on from here, for these
 *   skip MS                so much time goes by
 *   call N CONTEXT NAME    stream N has a name    labels N      N moments with texts of 64 KiB
 *   missing WHAT WHY       the report says so     half          a report that breaks off
 *   say TEXT, complain TEXT, cat, env NAME        stdout, stderr, stdin to stdout, a variable to stdout
 *   exit N, raise N, sleep MS, ignore N, on N STATUS
 *   count N MS             for so long: then says how often the signal N came
 *   tell N                 sends the signal N to its parent's process group, its own too
 *   touch FILE             made, so that a test knows where we are
 *   group                  says whether we are in our parent's process group
 *   run WORDS, daemon WORDS   another one of us, with the words of one argument; waited for, or not
 *   become WORD...         another program, the rest of the words
 *   thread WORD...         another thread goes on with the rest; this one, the first, ends
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/count_of.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/shard_writer.h"
#include "core/base/str.h"

#define US ((int64_t)1000)

enum { WORDS_MAX = 256, KERNEL_US = 100, STEP_US = 250, CALL_US = 5, THREAD = 1 };

struct guest {
    const char *folder, *self;
    char **words; /* what is left of them */
    struct shard_writer shard;
    bool is_open;
    json_t *report;
    struct str report_path, shard_path;
    long ordinal, rank;
    uint32_t correlation;
    int64_t now_ns;
    int64_t sampled_ns; /* until then */
    uint64_t trace_bytes;
    long long records, dropped;
};

static volatile sig_atomic_t status_of_signal[65];

static volatile sig_atomic_t signals_counted;

static void count_signal(int signal)
{
    (void)signal;
    signals_counted++;
}

static void on_signal(int signal)
{
    _exit(status_of_signal[signal]);
}

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "guest_program: %s\n", what);
    exit(99);
}

static void check(int code, const struct err *e)
{
    if (code)
        fail(e->text);
}

static char *next_word(struct guest *g)
{
    if (!*g->words)
        fail("a word is missing");
    return *g->words++;
}

static long next_number(struct guest *g)
{
    return strtol(next_word(g), NULL, 10);
}

/* ---- what a guest writes ---- */

static void write_report(struct guest *g, const char *state)
{
    struct err e = {0};
    json_object_set_new(g->report, "state", json_string(state));
    json_object_set_new(g->report, "rank", g->rank < 0 ? json_null() : json_integer(g->rank));
    json_object_set_new(g->report, "collector",
                        json_pack("{sI sI si si sI sI sI si sI}", "records", (json_int_t)g->records, "record_bytes",
                                  (json_int_t)sizeof(struct cpprof_event), "unknown_records", 0, "filtered", 0,
                                  "decode_ns", (json_int_t)(500 * g->records), "trace_bytes",
                                  (json_int_t)g->trace_bytes, "cpu_ns", (json_int_t)(1000 * g->records), "buffers", 1,
                                  "callbacks_ns", (json_int_t)(200 * g->records)));
    json_object_set_new(g->report, "dropped",
                        g->dropped ? json_pack("{sI}", "kernel", (json_int_t)g->dropped) : json_object());
    check(json_write_file(str_text(&g->report_path), g->report, &e), &e);
}

/* A process may become another program: the same pid, the next number. */
static void choose_names(struct guest *g)
{
    for (int n = 0; !n || files_exists(str_text(&g->shard_path)); n++) {
        str_clear(&g->shard_path);
        str_clear(&g->report_path);
        str_addf(&g->shard_path, "%s/trace-%ld-%d.bin", g->folder, (long)getpid(), n);
        str_addf(&g->report_path, "%s/process-capture-%ld-%d.json", g->folder, (long)getpid(), n);
    }
}

static void do_start(struct guest *g)
{
    struct err e = {0};
    if (!g->folder)
        return; /* not under cpprof */
    choose_names(g);
    check(shard_writer_open(&g->shard, str_text(&g->shard_path), (int32_t)g->rank, g->now_ns, &e), &e);
    g->is_open = true;
    json_object_set_new(g->report, "trace", json_string(strrchr(str_text(&g->shard_path), '/') + 1));
    write_report(g, "running");
}

static void add(struct guest *g, struct cpprof_event event, const char *name)
{
    struct err e = {0};
    event.rank = -1;
    event.thread = THREAD;
    event.name = shard_writer_string(&g->shard, name);
    check(shard_writer_add(&g->shard, &event, &e), &e);
    g->records++;
}

static void do_kernels(struct guest *g)
{
    struct err e = {0};
    const long count = next_number(g);
    const char *name = next_word(g);
    for (long i = 0; i < count && g->is_open; i++, g->now_ns += STEP_US * US) {
        g->correlation++;
        add(g,
            (struct cpprof_event){.kind = CPPROF_EVENT_API,
                                  .detail = CPPROF_API_LAUNCH,
                                  .start_ns = g->now_ns,
                                  .end_ns = g->now_ns + CALL_US * US,
                                  .correlation = g->correlation,
                                  .device = -1},
            "cudaLaunchKernel_v7000");
        add(g,
            (struct cpprof_event){.kind = CPPROF_EVENT_KERNEL,
                                  .start_ns = g->now_ns + CALL_US * US,
                                  .end_ns = g->now_ns + (CALL_US + KERNEL_US) * US,
                                  .correlation = g->correlation,
                                  .device = (int16_t)g->ordinal,
                                  .context = 1,
                                  .stream = 7,
                                  .grid = {1, 1, 1},
                                  .block = {32, 1, 1}},
            name);
    }
    if (g->is_open)
        check(shard_writer_flush(&g->shard, &e), &e);
}

static void add_work(struct guest *g, const char *name, int64_t start_ns, int64_t length_ns, uint16_t x)
{
    g->correlation++;
    add(g,
        (struct cpprof_event){.kind = CPPROF_EVENT_KERNEL,
                              .start_ns = start_ns,
                              .end_ns = start_ns + length_ns,
                              .correlation = g->correlation,
                              .device = (int16_t)g->ordinal,
                              .context = 1,
                              .stream = 7,
                              .grid = {1, 1, 1},
                              .block = {x, 1, 1}},
        name);
}

/* Each dose has a block of 20 launches in a round. */
static void do_delays(struct guest *g)
{
    enum { DOSES = 3, LAUNCHES = 20, NO_DELAY_US = 2 };
    static const int doses_us[DOSES] = {0, 20, 60};
    struct err e = {0};
    const long rounds = next_number(g), percent = next_number(g);
    const char *name = next_word(g);
    for (long i = 0; i < rounds * DOSES * LAUNCHES && g->is_open; i++) {
        const long dose = i / LAUNCHES % DOSES;
        const int64_t delay_ns = doses_us[dose] * US;
        add_work(g, "cpprof_delay", g->now_ns, NO_DELAY_US * US + delay_ns, (uint16_t)(dose + 1));
        add_work(g, name, g->now_ns + NO_DELAY_US * US + delay_ns, KERNEL_US * US, 32);
        g->now_ns += STEP_US * US + delay_ns * percent / 100;
    }
    if (g->is_open)
        check(shard_writer_flush(&g->shard, &e), &e);
}

/* The part of a step in which its kernel runs. */
static double kernel_part(int64_t begin_us, int64_t end_us)
{
    const int64_t from = begin_us > CALL_US ? begin_us : CALL_US,
                  to = end_us < CALL_US + KERNEL_US ? end_us : CALL_US + KERNEL_US;
    return to > from ? (double)(to - from) / (double)(end_us - begin_us) : 0;
}

/* A chunk for each step. */
static void do_samples(struct guest *g)
{
    enum { SAMPLE_US = 10, SAMPLES = STEP_US / SAMPLE_US, UNITS = 2 };
    const double share = (double)next_number(g) / 100;
    struct {
        struct cpprof_samples head;
        char units[UNITS][CPPROF_UNIT_BYTES];
        struct {
            uint32_t begin_ns, taken_ns;
            uint16_t shares[UNITS];
        } rows[SAMPLES];
    } chunk = {.head = {.count = SAMPLES, .device = (int16_t)g->ordinal, .units = UNITS},
               .units = {"active", "tensor"}};
    struct err e = {0};
    for (; g->is_open && g->sampled_ns < g->now_ns; g->sampled_ns += STEP_US * US) {
        chunk.head.begin_ns = g->sampled_ns;
        for (uint32_t i = 0; i < SAMPLES; i++) {
            const double part = kernel_part(i * SAMPLE_US, (i + 1) * SAMPLE_US);
            chunk.rows[i].begin_ns = (uint32_t)(i * SAMPLE_US * US);
            chunk.rows[i].taken_ns = SAMPLE_US * US;
            chunk.rows[i].shares[0] = (uint16_t)(part * CPPROF_SHARE_UNIT);
            chunk.rows[i].shares[1] = (uint16_t)(part * share * CPPROF_SHARE_UNIT);
        }
        check(shard_writer_samples(&g->shard, &chunk, sizeof chunk.head + sizeof chunk.units + sizeof chunk.rows, &e),
              &e);
    }
}

/* "METRIC=VALUE,...": of each launch that is to be counted, as its counters are. */
static void do_replay(struct guest *g)
{
    const char *values = next_word(g), *path = getenv("CPPROF_CAPTURE_LAUNCHES");
    FILE *list = path ? fopen(path, "r") : NULL;
    char line[512], metrics[256];
    if (!list)
        return;
    snprintf(metrics, sizeof metrics, "%s/metrics-%ld.csv", getenv("CPPROF_CAPTURE_DIR"), (long)getpid());
    FILE *rows = fopen(metrics, "w");
    fputs("kernel,launch,metric,value\n", rows);
    while (fgets(line, sizeof line, list)) {
        char *rest = NULL, *key = strchr(line, ' ');
        key[strcspn(key, "\n")] = '\0';
        *key = '\0';
        for (char *number = strtok_r(line, ",?", &rest); number; number = strtok_r(NULL, ",?", &rest))
            for (const char *one = values; *one; one += strcspn(one, ",") + (one[strcspn(one, ",")] == ','))
                fprintf(rows, "%s,%s,%.*s,%.*s\n", key + 1, number, (int)strcspn(one, "="), one,
                        (int)(strcspn(one, ",") - strcspn(one, "=") - 1), one + strcspn(one, "=") + 1);
    }
    fclose(rows);
    fclose(list);
}

/* A link in the bundle. */
static void do_link(struct guest *g)
{
    char target[PATH_MAX];
    struct str path;
    str_init(&path);
    if (!realpath(next_word(g), target))
        fail("no such folder");
    files_join(&path, g->folder ? g->folder : ".", next_word(g));
    if (g->folder && symlink(target, str_text(&path)))
        fail("no link");
    str_release(&path);
}

static void do_range(struct guest *g)
{
    const char *name = next_word(g);
    if (g->is_open)
        add(g,
            (struct cpprof_event){
                .kind = CPPROF_EVENT_RANGE, .start_ns = g->now_ns, .end_ns = g->now_ns + US, .device = -1},
            name);
}

static void do_when(struct guest *g)
{
    const char *condition = next_word(g);
    json_object_set_new(
        g->report, "when",
        json_pack("{ss sI s[]}", "condition", condition, "seen", (json_int_t)next_number(g), "recorded"));
}

static void do_piece(struct guest *g)
{
    const long first = next_number(g), last = next_number(g);
    json_array_append_new(json_object_get(json_object_get(g->report, "when"), "recorded"),
                          json_pack("{sI sI sI sI}", "first", (json_int_t)first, "last", (json_int_t)last, "start_ns",
                                    (json_int_t)g->now_ns, "end_ns", (json_int_t)(g->now_ns + US)));
}

static void do_skip(struct guest *g)
{
    g->now_ns += next_number(g) * 1000 * US;
    g->sampled_ns = g->now_ns;
}

static void do_call(struct guest *g)
{
    struct err e = {0};
    struct cpprof_name_row row = {.object = CPPROF_NAMED_STREAM, .id = (uint32_t)next_number(g)};
    row.context = (uint32_t)next_number(g);
    row.name = shard_writer_label(&g->shard, next_word(g));
    if (g->is_open)
        check(shard_writer_name(&g->shard, &row, &e), &e);
}

static void do_labels(struct guest *g)
{
    static char text[64 * 1024 + 1];
    struct err e = {0};
    struct cpprof_event moment = {.kind = CPPROF_EVENT_RANGE, .rank = -1, .device = -1, .thread = THREAD};
    memset(text, 'x', sizeof text - 1);
    for (long i = next_number(g); i > 0 && g->is_open; i--) {
        text[snprintf(text, sizeof text, "%ld", i)] = 'x';
        moment.start_ns = moment.end_ns = g->now_ns;
        moment.name = shard_writer_label(&g->shard, text);
        check(shard_writer_add(&g->shard, &moment, &e), &e);
    }
}

static void do_drop(struct guest *g)
{
    const long count = next_number(g);
    g->dropped += count;
    if (g->is_open)
        shard_writer_dropped(&g->shard, CPPROF_EVENT_KERNEL, (uint64_t)count);
}

static void do_end(struct guest *g)
{
    struct err e = {0};
    if (!g->is_open)
        return;
    check(shard_writer_flush(&g->shard, &e), &e);
    g->trace_bytes = g->shard.written_bytes;
    check(shard_writer_close(&g->shard, &e), &e);
    g->is_open = false;
    json_object_set_new(g->report, "ended_by", json_string("exit"));
    write_report(g, "ended");
}

static void do_gpu(struct guest *g)
{
    g->ordinal = next_number(g);
    const char *uuid = next_word(g), *pci = next_word(g);
    json_array_append_new(json_object_get(g->report, "gpus"),
                          json_pack("{sI ss ss ss ss}", "ordinal", (json_int_t)g->ordinal, "name", "Test GPU", "uuid",
                                    uuid, "compute_capability", "9.0", "pci", pci));
}

static void do_rank(struct guest *g)
{
    g->rank = next_number(g);
    json_object_set_new(g->report, "rank_source", json_string("RANK"));
}

static void do_missing(struct guest *g)
{
    const char *what = next_word(g), *why = next_word(g);
    json_array_append_new(json_object_get(g->report, "missing"), json_pack("{ss ss}", "what", what, "why", why));
    if (!g->folder || g->is_open)
        return;
    choose_names(g);
    write_report(g, "running");
}

static void do_half(struct guest *g)
{
    choose_names(g);
    FILE *file = fopen(str_text(&g->report_path), "w");
    if (!file || fputs("{ \"role\": \"capt", file) < 0 || fclose(file))
        fail("cannot write half a report");
}

/* ---- what a program does ---- */

static void do_say(struct guest *g)
{
    puts(next_word(g));
    fflush(stdout);
}

static void do_complain(struct guest *g)
{
    fprintf(stderr, "%s\n", next_word(g));
}

static void do_cat(struct guest *g)
{
    (void)g;
    for (int c; (c = getchar()) != EOF;)
        putchar(c);
    fflush(stdout);
}

static void do_env(struct guest *g)
{
    const char *value = getenv(next_word(g));
    puts(value ? value : "(unset)");
    fflush(stdout);
}

static void do_exit(struct guest *g)
{
    _exit((int)next_number(g));
}

static void do_raise(struct guest *g)
{
    const int number = (int)next_number(g);
    signal(number, SIG_DFL); /* sanitizers have handlers of their own */
    raise(number);
}

static void do_sleep(struct guest *g)
{
    const long ms = next_number(g);
    struct timespec left = {ms / 1000, ms % 1000 * 1000000};
    while (nanosleep(&left, &left) && errno == EINTR)
        ;
}

/* It is counted from the moment in which this word is read: say so by touching the file `ready`. */
static void do_count(struct guest *g)
{
    const int number = (int)next_number(g);
    signals_counted = 0;
    signal(number, count_signal);
    close(open("ready", O_WRONLY | O_CREAT, 0666));
    do_sleep(g);
    printf("%d times\n", (int)signals_counted);
    fflush(stdout);
}

static void do_ignore(struct guest *g)
{
    signal((int)next_number(g), SIG_IGN);
}

static void do_on(struct guest *g)
{
    const int number = (int)next_number(g);
    if (number < 1 || number > 64)
        fail("no such signal");
    status_of_signal[number] = (sig_atomic_t)next_number(g);
    signal(number, on_signal);
}

static void do_tell(struct guest *g)
{
    kill(0, (int)next_number(g));
}

static void do_touch(struct guest *g)
{
    const int fd = open(next_word(g), O_WRONLY | O_CREAT, 0666);
    if (fd < 0)
        fail("cannot touch a file");
    close(fd);
}

static void do_group(struct guest *g)
{
    (void)g;
    puts(getpgrp() == getpgid(getppid()) ? "one group" : "two groups");
    fflush(stdout);
}

static pid_t begin(struct guest *g, bool is_daemon)
{
    char *words[WORDS_MAX] = {(char *)(intptr_t)g->self}, *rest = NULL;
    size_t count = 1;
    for (char *word = strtok_r(next_word(g), " ", &rest); word && count < WORDS_MAX - 1;
         word = strtok_r(NULL, " ", &rest))
        words[count++] = word;
    const pid_t child = fork();
    if (child == 0) {
        if (is_daemon)
            setsid();
        execv("/proc/self/exe", words);
        _exit(98);
    }
    return child;
}

static void do_run(struct guest *g)
{
    waitpid(begin(g, false), NULL, 0);
}

static void do_daemon(struct guest *g)
{
    begin(g, true);
}

static void do_become(struct guest *g)
{
    execvp(*g->words, g->words);
    fail("cannot become another program");
}

static void act(struct guest *g, const char *word);

static void *go_on(void *guest)
{
    struct guest *g = guest;
    while (*g->words)
        act(g, next_word(g));
    _exit(0); /* what the first thread held is nobody's any more: no leaks are to be looked for */
}

static void do_thread(struct guest *g)
{
    static struct guest kept; /* longer than the first thread's stack */
    pthread_t thread;
    kept = *g;
    if (pthread_create(&thread, NULL, go_on, &kept))
        fail("cannot start a thread");
    pthread_exit(NULL);
}

static const struct {
    const char *word;
    void (*act)(struct guest *g);
} acts[] = {
    {"gpu", do_gpu},           {"rank", do_rank},       {"start", do_start},   {"end", do_end},
    {"samples", do_samples},   {"kernels", do_kernels}, {"range", do_range},   {"drop", do_drop},
    {"half", do_half},         {"missing", do_missing}, {"say", do_say},       {"cat", do_cat},
    {"complain", do_complain}, {"env", do_env},         {"exit", do_exit},     {"raise", do_raise},
    {"sleep", do_sleep},       {"ignore", do_ignore},   {"on", do_on},         {"touch", do_touch},
    {"group", do_group},       {"run", do_run},         {"daemon", do_daemon}, {"call", do_call},
    {"labels", do_labels},     {"count", do_count},     {"tell", do_tell},     {"become", do_become},
    {"delays", do_delays},     {"thread", do_thread},   {"when", do_when},     {"piece", do_piece},
    {"skip", do_skip},         {"replay", do_replay},   {"link", do_link},
};

static void act(struct guest *g, const char *word)
{
    for (size_t i = 0; i < COUNT_OF(acts); i++)
        if (!strcmp(acts[i].word, word)) {
            acts[i].act(g);
            return;
        }
    fail(word);
}

int main(int argc, char **argv)
{
    struct guest g = {.folder = getenv("CPPROF_CAPTURE_DIR"),
                      .self = argv[0],
                      .words = argv + 1,
                      .rank = -1,
                      .now_ns = 1000000,
                      .sampled_ns = 1000000};
    const char *slash = strrchr(argv[0], '/');
    (void)argc;
    str_init(&g.report_path);
    str_init(&g.shard_path);
    g.report = json_pack("{ss sI sI so s[] s{si} s[]}", "role", "capture", "pid", (json_int_t)getpid(), "parent_pid",
                         (json_int_t)getppid(), "program", json_text(slash ? slash + 1 : argv[0]), "gpus", "cuda",
                         "driver_api", 13000, "missing");
    while (*g.words)
        act(&g, next_word(&g));
    if (g.is_open) { /* dies without a word, as a program that calls _exit */
        strtab_release(&g.shard.strings);
        free(g.shard.items);
    }
    json_decref(g.report);
    str_release(&g.report_path);
    str_release(&g.shard_path);
    return 0;
}
