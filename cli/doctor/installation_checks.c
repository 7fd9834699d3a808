/* Are the parts of cpprof itself there: the runner, the library that goes into
 * other programs, and what needs neither? */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/doctor/doctor.h"

#if defined __x86_64__
enum { OUR_MACHINE = EM_X86_64 };
#elif defined __aarch64__
enum { OUR_MACHINE = EM_AARCH64 };
#else
enum { OUR_MACHINE = EM_NONE };
#endif

static void check_runner(const struct doctor_input *in, struct checkup *c)
{
    if (in->probe) {
        checkup_ok(c, "runner", "cpprof-runner answers");
        return;
    }
    checkup_missing(c, "runner", STOPS_RUN, "%s", in->probe_error);
    checkup_advise(c,
                   "build cpprof where there is a CUDA 13 toolkit and install the whole tree; nothing below that needs "
                   "CUDA could be asked for");
}

/* NULL when a program of ours could load it, else why not. */
static const char *cannot_load(const char *path)
{
    unsigned char head[20];
    FILE *file = fopen(path, "rbe");
    if (!file)
        return strerror(errno);
    size_t got = fread(head, 1, sizeof head, file);
    fclose(file);
    if (got < sizeof head || memcmp(head, ELFMAG, SELFMAG) || head[EI_CLASS] != ELFCLASS64)
        return "it is no 64-bit ELF library";
    const int target = head[18] | head[19] << 8;
    return OUR_MACHINE != EM_NONE && target != OUR_MACHINE ? "it is built for another processor" : NULL;
}

/* Only `run --variant` needs it. The injection library loads it from its own folder. */
static void check_counter_library(const char *injection, struct checkup *c)
{
    const char *slash = strrchr(injection, '/');
    struct str path;
    str_init(&path);
    str_add_bytes(&path, injection, slash ? (size_t)(slash + 1 - injection) : 0);
    str_add(&path, "libcpprof_counters.so");
    if (access(str_text(&path), R_OK) == 0) {
        checkup_ok(c, "counters library", "'%s'", str_text(&path));
    } else {
        checkup_note(c, "counters library", "libcpprof_counters.so is not beside the injection library");
        checkup_advise(c, "`run --variant` cannot count without it; captures, and runs of our own kernels, can");
    }
    str_release(&path);
}

static void judge_injection(const char *path, const char *how, struct checkup *c)
{
    const char *why = cannot_load(path);
    if (why) {
        checkup_missing(c, "injection library", STOPS_CAPTURE, "'%s'%s cannot be used: %s", path, how, why);
        checkup_advise(c, "install the whole tree, or let CPPROF_INJECT name libcpprof_inject.so");
        return;
    }
    checkup_ok(c, "injection library", "'%s'%s", path, how);
    check_counter_library(path, c);
}

static void check_injection(const struct doctor_input *in, struct checkup *c)
{
    const char *named = machine_variable(in->machine, "CPPROF_INJECT");
    if (*named) {
        judge_injection(named, " (CPPROF_INJECT)", c);
    } else if (in->injection) {
        judge_injection(in->injection, "", c);
    } else {
        checkup_missing(c, "injection library", STOPS_CAPTURE,
                        "libcpprof_inject.so is not in ../lib/cpprof beside the program");
        checkup_advise(c, "install the whole tree, or let CPPROF_INJECT name the library");
    }
}

void check_installation(const struct doctor_input *in, struct checkup *c)
{
    checkup_ok(c, "recorded input",
               "reports, rules, overlap and classification work without a GPU, on bundles and traces");
    check_runner(in, c);
    check_injection(in, c);
}
