/* Is another profiler at work: as a process, or by the environment, in every
 * program that starts from here? */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "cli/doctor/doctor.h"
#include "core/base/count_of.h"

enum { COMM_BYTES = 15 }; /* the kernel cuts a process's name */

static const char *const holds_counters = "it may hold the GPU's counters";
static const char *const holds_cupti = "it takes CUPTI's place in the programs that it starts";

static const struct {
    const char *name, *what, *effect;
} profilers[] = {
    {"nsys", "Nsight Systems", holds_cupti},
    {"nsys-launcher", "Nsight Systems", holds_cupti},
    {"nsys-ui", "Nsight Systems", "it may profile from afar"},
    {"ncu", "Nsight Compute", holds_counters},
    {"ncu-ui", "Nsight Compute", "it may profile from afar"},
    {"nv-hostengine", "DCGM",
     "while it watches profiling fields it holds the GPU's counters; `dcgmi profile --pause` frees "
     "them, `--resume` ends the pause"},
    {"dcgm-exporter", "DCGM", "while it watches profiling fields it holds the GPU's counters"},
    {"dcgmi", "DCGM", holds_counters},
    {"compute-sanitizer", "Compute Sanitizer", "programs that it starts run many times slower"},
    {"cuda-gdb", "CUDA-GDB", "programs under it cannot be profiled"},
    {"cuda-gdbserver", "CUDA-GDB", "programs under it cannot be profiled"},
    {"nvprof", "nvprof", holds_cupti},
    {"hpcrun", "HPCToolkit", holds_cupti},
    {"tau_exec", "TAU", holds_cupti},
    {"nvidia-cuda-mps", "MPS", "programs share one context on the GPU; counters then are those of all of them"},
};

enum { PROFILER_COUNT = COUNT_OF(profilers) };

static bool is_number(const char *text)
{
    while (isdigit((unsigned char)*text))
        text++;
    return !*text;
}

/* Its place in the table, or -1. */
static int known_profiler(const char *comm)
{
    for (int i = 0; i < PROFILER_COUNT; i++)
        if (!strncmp(comm, profilers[i].name, COMM_BYTES))
            return i;
    return -1;
}

/* Where there are several of one kind, names the first. */
static void list_processes(const struct machine *m, size_t seen[static PROFILER_COUNT],
                           long pids[static PROFILER_COUNT])
{
    struct str path;
    str_init(&path);
    DIR *folder = opendir(machine_path(m, &path, "/proc"));
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char comm[MACHINE_LINE_BYTES];
        if (!is_number(entry->d_name))
            continue;
        str_clear(&path);
        str_addf(&path, "/proc/%s/comm", entry->d_name);
        const int which = machine_line(m, str_text(&path), comm) ? known_profiler(comm) : -1;
        const long pid = strtol(entry->d_name, NULL, 10);
        if (which >= 0 && (!seen[which]++ || pid < pids[which]))
            pids[which] = pid;
    }
    if (folder)
        closedir(folder);
    str_release(&path);
}

static void check_processes(const struct doctor_input *in, struct checkup *c)
{
    size_t seen[PROFILER_COUNT] = {0}, all = 0;
    long pids[PROFILER_COUNT] = {0};
    list_processes(in->machine, seen, pids);
    for (size_t i = 0; i < PROFILER_COUNT; i++) {
        all += seen[i];
        if (!seen[i])
            continue;
        checkup_note(c, "profiler at work", "%s (%s, pid %ld%s)", profilers[i].what, profilers[i].name, pids[i],
                     seen[i] > 1 ? " and more" : "");
        checkup_advise(c, "%s; end it if cpprof is refused or figures vary", profilers[i].effect);
    }
    if (!all)
        checkup_ok(c, "profiler at work", "none among the processes seen from here");
}

/* A variable that changes what every CUDA program from this shell does. */
static const struct {
    const char *name;
    unsigned stops;       /* 0: a note */
    const char *harmless; /* a value that changes nothing; "" when there is none */
    const char *effect;
} variables[] = {
    {"CUDA_INJECTION64_PATH", STOPS_BOTH, "",
     "CUDA loads that library into every program: `capture` refuses to take its place, "
     "and what `run` times would be profiled; unset it"},
    {"NVTX_INJECTION64_PATH", STOPS_CAPTURE, "",
     "NVTX ranges go to that library: `capture` refuses to take its place; unset it"},
    {"CUDA_LAUNCH_BLOCKING", 0, "0", "every launch waits for its kernel: nothing overlaps; unset it"},
    {"CUDA_DEVICE_MAX_CONNECTIONS", 0, "", "it sets how many streams can really run at once"},
    {"CUDA_VISIBLE_DEVICES", 0, "", "programs see only these GPUs, and number them anew"},
    {"CUDA_MPS_PIPE_DIRECTORY", 0, "", "programs share the GPU through an MPS server"},
    {"LD_PRELOAD", 0, "", "these libraries are in every program from this shell, the measured ones too"},
};

static void check_variables(const struct doctor_input *in, struct checkup *c)
{
    size_t set = 0;
    for (size_t i = 0; i < COUNT_OF(variables); i++) {
        const char *value = machine_variable(in->machine, variables[i].name);
        if (!*value || !strcmp(value, variables[i].harmless))
            continue;
        set++;
        if (variables[i].stops)
            checkup_missing(c, "environment", variables[i].stops, "%s is '%s'", variables[i].name, value);
        else
            checkup_note(c, "environment", "%s is '%s'", variables[i].name, value);
        checkup_advise(c, "%s", variables[i].effect);
    }
    const char *visible = in->machine->variable("CUDA_VISIBLE_DEVICES");
    if (visible && !*visible) {
        set++;
        checkup_note(c, "environment", "CUDA_VISIBLE_DEVICES is set to nothing");
        checkup_advise(c, "it hides every GPU from programs; unset it");
    }
    if (!set)
        checkup_ok(c, "environment", "no variable is set that changes what CUDA programs do");
}

void check_profilers(const struct doctor_input *in, struct checkup *c)
{
    check_processes(in, c);
    check_variables(in, c);
}
