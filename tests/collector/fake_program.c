/* Plays a CUDA program with the collector in it for fake_variants.sh: no GPU, but
 * the shard, the report, the array and the counters that such a process leaves.
 *
 * usage: fake_program WORD...
 *     NAME:NS           a kernel of each iteration       copy:BYTES   a copy of each iteration
 *     NAME/GRID/BLOCK:NS  of these sizes (264 and 256)   then         what follows has iterations of its own, behind
 * these
 *     --flat            all iterations take equally long: processes with many like times are taken for copies
 *     --modes=NS        by how much longer kernels of the second half of the iterations take
 *     --iterations=N    (20)      --range=NAME (none)    --every=N    only each Nth iteration has work
 *     --threads         a second thread launches a kernel beside each range
 *     --output=A,B,...  writes the numbers as an array of f4, to $CPPROF_OUTPUT
 *     --shape=(2, 2)    of that array    --garbage  writes no array there   --fifo  makes a pipe there
 *     --insist          fails when there is no $CPPROF_OUTPUT, or something is there already
 *     --interrupt       leaves a process behind that sends cpprof SIGINT when this one has ended
 *     --say=TEXT        on standard error   --exit=N   --signal=N   --untraced   --unfinished   --dropped=N
 *     --torn            ends in the middle of a write
 *     --refused         counters are refused */
#define _GNU_SOURCE
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/shard_writer.h"
#include "core/base/str.h"

enum { PARTS_MAX = 16, THREAD = 1, OTHER_THREAD = 2, GAP_NS = 5000, CALL_NS = 1000, VALUES_MAX = 64 };

struct part {
    const char *name;
    long amount; /* ns of a kernel, bytes of a copy */
    unsigned grid, block;
    size_t phase;
};

struct plan {
    struct part parts[PARTS_MAX];
    size_t count, phases;
    long iterations, modes, every, exit_status, signal_number, dropped;
    const char *range, *output, *shape, *say;
    bool flat, threads, garbage, fifo, insist, interrupt, untraced, unfinished, torn, refused;
};

static void die(const char *what)
{
    perror(what);
    exit(99);
}

static const char *value_of(const char *word, const char *option)
{
    const size_t length = strlen(option);
    return !strncmp(word, option, length) && word[length] == '=' ? word + length + 1 : NULL;
}

/* "NAME/GRID/BLOCK" */
static void add_part(struct plan *p, char *name, long amount)
{
    unsigned sizes[2] = {264, 256};
    char *rest = NULL, *own = strtok_r(name, "/", &rest);
    for (int i = 0; i < 2; i++) {
        const char *size = strtok_r(NULL, "/", &rest);
        sizes[i] = size ? (unsigned)atoi(size) : sizes[i];
    }
    p->parts[p->count++] = (struct part){own, amount, sizes[0], sizes[1], p->phases};
}

static void read_word(struct plan *p, char *word)
{
    const char *v;
    char *colon = strrchr(word, ':');
    if ((v = value_of(word, "--iterations")))
        p->iterations = atol(v);
    else if ((v = value_of(word, "--modes")))
        p->modes = atol(v);
    else if (!strcmp(word, "--flat"))
        p->flat = true;
    else if (!strcmp(word, "then"))
        p->phases++;
    else if ((v = value_of(word, "--every")))
        p->every = atol(v);
    else if ((v = value_of(word, "--exit")))
        p->exit_status = atol(v);
    else if ((v = value_of(word, "--signal")))
        p->signal_number = atol(v);
    else if ((v = value_of(word, "--dropped")))
        p->dropped = atol(v);
    else if ((v = value_of(word, "--range")))
        p->range = v;
    else if ((v = value_of(word, "--output")))
        p->output = v;
    else if ((v = value_of(word, "--shape")))
        p->shape = v;
    else if ((v = value_of(word, "--say")))
        p->say = v;
    else if (!strcmp(word, "--threads"))
        p->threads = true;
    else if (!strcmp(word, "--garbage"))
        p->garbage = true;
    else if (!strcmp(word, "--fifo"))
        p->fifo = true;
    else if (!strcmp(word, "--insist"))
        p->insist = true;
    else if (!strcmp(word, "--interrupt"))
        p->interrupt = true;
    else if (!strcmp(word, "--untraced"))
        p->untraced = true;
    else if (!strcmp(word, "--unfinished"))
        p->unfinished = true;
    else if (!strcmp(word, "--torn"))
        p->unfinished = p->torn = true;
    else if (!strcmp(word, "--refused"))
        p->refused = true;
    else if (colon && p->count < PARTS_MAX) {
        *colon = '\0';
        add_part(p, word, atol(colon + 1));
    } else {
        fprintf(stderr, "what is '%s'?\n", word);
        exit(98);
    }
}

/* ---- the trace ---- */

struct trace {
    struct shard_writer shard;
    int64_t now_ns;
    uint32_t correlation;
};

static void add(struct trace *t, struct cpprof_event event)
{
    if (shard_writer_add(&t->shard, &event, NULL))
        die("shard_writer_add");
}

static void add_call(struct trace *t, uint32_t thread, uint32_t detail)
{
    add(t, (struct cpprof_event){.kind = CPPROF_EVENT_API,
                                 .detail = detail,
                                 .start_ns = t->now_ns,
                                 .end_ns = t->now_ns + CALL_NS,
                                 .thread = thread,
                                 .correlation = ++t->correlation,
                                 .name = shard_writer_string(&t->shard, "cuLaunchKernel"),
                                 .device = -1,
                                 .rank = -1});
}

static void add_kernel(struct trace *t, uint32_t thread, const struct part *kernel, int64_t length_ns)
{
    add_call(t, thread, CPPROF_API_LAUNCH);
    add(t, (struct cpprof_event){.kind = CPPROF_EVENT_KERNEL,
                                 .start_ns = t->now_ns + CALL_NS,
                                 .end_ns = t->now_ns + CALL_NS + length_ns,
                                 .correlation = t->correlation,
                                 .name = shard_writer_string(&t->shard, kernel->name),
                                 .rank = -1,
                                 .stream = 7,
                                 .grid = {kernel->grid, 1, 1},
                                 .block = {(uint16_t)kernel->block, 1, 1},
                                 .registers = 64,
                                 .shared_dynamic_bytes = 49152});
    t->now_ns += CALL_NS + length_ns;
}

static void add_copy(struct trace *t, long bytes)
{
    add_call(t, THREAD, CPPROF_API_COPY);
    add(t, (struct cpprof_event){.kind = CPPROF_EVENT_COPY,
                                 .detail = CPPROF_COPY_H2D,
                                 .start_ns = t->now_ns + CALL_NS,
                                 .end_ns = t->now_ns + CALL_NS + bytes,
                                 .correlation = t->correlation,
                                 .size_bytes = (uint64_t)bytes,
                                 .rank = -1,
                                 .stream = 7});
    t->now_ns += CALL_NS + bytes;
}

static const struct part fill_random = {"fill_random", 2000, 264, 256, 0}, beside = {"beside", 100, 264, 256, 0};

/* Iterations differ by a few ns, as real ones do. */
static void add_iteration(struct trace *t, const struct plan *p, size_t phase, long i)
{
    const int64_t start_ns = t->now_ns;
    for (size_t k = 0; k < p->count && i % p->every == 0; k++) {
        if (p->parts[k].phase != phase)
            continue;
        t->now_ns += 10;
        if (!strcmp(p->parts[k].name, "copy"))
            add_copy(t, p->parts[k].amount);
        else
            add_kernel(t, THREAD, &p->parts[k],
                       p->parts[k].amount + (p->flat ? 0 : i % 3) + (2 * i >= p->iterations ? p->modes : 0));
    }
    if (p->threads)
        add_kernel(t, OTHER_THREAD, &beside, 100);
    if (p->range)
        add(t, (struct cpprof_event){.kind = CPPROF_EVENT_RANGE,
                                     .start_ns = start_ns,
                                     .end_ns = t->now_ns + 10,
                                     .thread = THREAD,
                                     .name = shard_writer_string(&t->shard, p->range),
                                     .device = -1,
                                     .rank = -1});
    t->now_ns += GAP_NS;
}

/* One more chunk of events, without its end. */
static void tear(struct trace *t)
{
    add_kernel(t, THREAD, &fill_random, 2000);
    if (shard_writer_flush(&t->shard, NULL) || ftruncate(t->shard.fd, (off_t)t->shard.written_bytes - 12))
        die("tear");
}

static void write_trace(const struct plan *p, const char *directory)
{
    struct trace t = {.now_ns = 1000000};
    struct str path;
    struct err e = {0};
    str_init(&path);
    str_addf(&path, "%s/trace-%ld-0.bin", directory, (long)getpid());
    if (shard_writer_open(&t.shard, str_text(&path), -1, t.now_ns, &e))
        die(e.text);
    add_kernel(&t, THREAD, &fill_random, 2000);
    t.now_ns += GAP_NS;
    for (size_t phase = 0; phase <= p->phases; phase++)
        for (long i = 0; i < p->iterations; i++)
            add_iteration(&t, p, phase, i);
    if (p->dropped)
        shard_writer_dropped(&t.shard, CPPROF_EVENT_KERNEL, (uint64_t)p->dropped);
    if (p->unfinished ? shard_writer_flush(&t.shard, &e) : shard_writer_close(&t.shard, &e))
        die(e.text);
    if (p->torn)
        tear(&t);
    str_release(&path);
}

static void write_report(const struct plan *p, const char *directory)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/process-capture-%ld-0.json", directory, (long)getpid());
    FILE *file = fopen(path, "w");
    if (!file)
        die(path);
    fprintf(file, "{\"role\":\"capture\",\"pid\":%ld,\"program\":\"fake_program\",\"state\":\"%s\",", (long)getpid(),
            p->torn ? "running" : "ended");
    if (p->untraced)
        fprintf(file, "\"missing\":[{\"what\":\"trace\",\"why\":\"another profiler is attached to the program\"}],");
    else
        fprintf(file, "\"trace\":\"trace-%ld-0.bin\",", (long)getpid());
    fprintf(file,
            "\"gpus\":[{\"ordinal\":0,\"name\":\"NVIDIA Test\",\"uuid\":\"GPU-1\",\"compute_capability\":\"9.0\"}],"
            "\"cupti\":{\"version\":130001,\"library\":\"loaded already\"},"
            "\"collector\":{\"records\":123,\"callbacks_ns\":45},\"dropped\":{\"kernel\":%ld}}\n",
            p->dropped);
    fclose(file);
}

/* ---- the counters ---- */

/* Device memory is busy, all else is not. */
static double counter(const char *name)
{
    return strstr(name, "dram__throughput") || strstr(name, "memory_throughput") ? 90 : strstr(name, "pct") ? 10 : 5;
}

static void write_metrics(FILE *file, const char *kernel, size_t launch, const char *metrics)
{
    char *names = strdup(metrics), *rest = NULL;
    for (char *name = strtok_r(names, ",", &rest); name; name = strtok_r(NULL, ",", &rest))
        fprintf(file, "%s,%zu,%s,%g\n", kernel, launch, name, counter(name));
    free(names);
}

/* The first launches, or those of the list: "1,2,3 24x1x1 256x1x1 KERNEL" (collector/counters/chosen_launches.h). */
static void write_listed(FILE *file, const char *list, const char *metrics)
{
    char line[1024];
    FILE *in = fopen(list, "r");
    if (!in)
        die(list);
    while (fgets(line, sizeof line, in)) {
        char *key = strchr(line, ' ') + 1, *rest = NULL;
        key[strcspn(key, "\n")] = '\0';
        key[-1] = '\0';
        for (char *number = strtok_r(line, ",", &rest); number; number = strtok_r(NULL, ",", &rest))
            write_metrics(file, key, (size_t)atoi(number), metrics);
    }
    fclose(in);
}

static void write_counters(const struct plan *p, const char *directory, const char *metrics)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/counters-%ld.json", directory, (long)getpid());
    FILE *file = fopen(path, "w");
    if (!file)
        die(path);
    if (p->refused) {
        fprintf(file, "{\"missing\":[{\"what\":\"counters\",\"why\":\"they need the right to profile\"}]}\n");
        fclose(file);
        return;
    }
    fprintf(file,
            "{\"gpu\":{\"name\":\"NVIDIA Test\",\"uuid\":\"GPU-1\",\"compute_capability\":\"9.0\",\"sm_count\":132},"
            "\"counters\":{\"metrics\":40,\"passes\":12},\"kernels\":[");
    const char *comma = "";
    for (size_t k = 0; k < p->count; k++)
        if (strcmp(p->parts[k].name, "copy")) {
            fprintf(file, "%s{\"kernel\":\"%s\",\"blocks_per_sm\":2,\"occupancy\":0.25,\"waves\":1.0}", comma,
                    p->parts[k].name);
            comma = ",";
        }
    fprintf(file, "]}\n");
    fclose(file);
    snprintf(path, sizeof path, "%s/metrics-%ld.csv", directory, (long)getpid());
    file = fopen(path, "w");
    if (!file)
        die(path);
    fprintf(file, "kernel,launch,metric,value\n");
    const char *list = getenv("CPPROF_CAPTURE_LAUNCHES");
    if (list)
        write_listed(file, list, metrics);
    for (size_t k = 0; k < p->count && !list; k++)
        if (strcmp(p->parts[k].name, "copy"))
            write_metrics(file, p->parts[k].name, k, metrics);
    fclose(file);
}

/* ---- the array ---- */

static void write_array(const struct plan *p, const char *path)
{
    float values[VALUES_MAX];
    size_t count = 0;
    char *text = strdup(p->output), *rest = NULL;
    for (char *one = strtok_r(text, ",", &rest); one && count < VALUES_MAX; one = strtok_r(NULL, ",", &rest))
        values[count++] = strtof(one, NULL);
    free(text);
    char header[256];
    const int length =
        p->shape
            ? snprintf(header, sizeof header, "{'descr': '<f4', 'fortran_order': False, 'shape': %s, }\n", p->shape)
            : snprintf(header, sizeof header, "{'descr': '<f4', 'fortran_order': False, 'shape': (%zu,), }\n", count);
    FILE *file = fopen(path, "wb");
    if (!file)
        die(path);
    if (p->garbage)
        fputs("no array", file);
    else {
        fwrite("\x93NUMPY\x01\0", 1, 8, file);
        fputc(length & 255, file);
        fputc(length >> 8, file);
        fwrite(header, 1, (size_t)length, file);
        fwrite(values, sizeof values[0], count, file);
    }
    fclose(file);
}

/* What opens a pipe that nobody writes to waits for ever. */
static void write_output(const struct plan *p, const char *path)
{
    if (!p->fifo)
        write_array(p, path);
    else if (mkfifo(path, 0600))
        die(path);
}

static void insist_on_output(const char *path)
{
    if (!path || access(path, F_OK) == 0) {
        fprintf(stderr, path ? "an array is there already\n" : "no CPPROF_OUTPUT\n");
        exit(97);
    }
}

/* While this one says that it runs, cpprof waits for it between two programs. */
static void leave_interrupter(const char *directory)
{
    const pid_t cpprof = getppid(), program = getpid();
    int says[2];
    char word;
    if (pipe(says))
        exit(98);
    if (fork()) { /* it says so before this one ends */
        close(says[1]);
        (void)!read(says[0], &word, 1);
        close(says[0]);
        return;
    }
    setsid();
    char path[4096];
    snprintf(path, sizeof path, "%s/process-capture-%ld-0.json", directory, (long)getpid());
    FILE *file = fopen(path, "w");
    if (!file)
        _exit(99);
    fprintf(file, "{\"role\":\"capture\",\"pid\":%ld,\"program\":\"%s\",\"state\":\"running\"}\n", (long)getpid(),
            "interrupter");
    fclose(file);
    close(says[0]);
    close(says[1]);
    while (getppid() == program)
        usleep(1000);
    usleep(100000);
    kill(cpprof, SIGINT);
    usleep(100000);
    _exit(0);
}

int main(int argc, char **argv)
{
    struct plan p = {.iterations = 20, .every = 1};
    for (int i = 1; i < argc; i++)
        read_word(&p, argv[i]);
    const char *directory = getenv("CPPROF_CAPTURE_DIR"), *metrics = getenv("CPPROF_METRICS"),
               *output = getenv("CPPROF_OUTPUT");
    printf("this is the program's own output\n");
    if (p.insist)
        insist_on_output(output);
    if (directory && p.interrupt)
        leave_interrupter(directory);
    if (directory && metrics)
        write_counters(&p, directory, metrics);
    else if (directory && !p.untraced)
        write_trace(&p, directory);
    if (directory)
        write_report(&p, directory);
    if (output && (p.output || p.fifo))
        write_output(&p, output);
    if (p.say)
        fprintf(stderr, "%s\n", p.say);
    fflush(NULL);
    if (p.unfinished) /* a writer that was never closed holds memory: nobody is to look for leaks */
        _exit((int)p.exit_status);
    if (p.signal_number)
        raise((int)p.signal_number);
    return (int)p.exit_status;
}
