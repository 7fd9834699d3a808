/* Does each check of `doctor` find what is there, and judge it? Machines are made
 * of a few files in a folder of their own, variables and a free space. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/doctor/doctor.h"
#include "core/base/files.h"
#include "tests/test.h"

/* ---- a machine ---- */

struct pair {
    const char *name, *value;
};

static const struct pair *variables; /* of the machine of the test that runs; ends with NULL */
static struct machine_space free_space;
static bool space_is_known;

static char *variable(const char *name)
{
    for (const struct pair *p = variables; p && p->name; p++)
        if (!strcmp(p->name, name))
            return (char *)p->value;
    return NULL;
}

static bool space(const char *path, struct machine_space *out)
{
    (void)path;
    *out = free_space;
    return space_is_known;
}

static void write_file(const char *root, const char *path, const char *text)
{
    struct err e = {0};
    struct str full, folder;
    str_init(&full);
    str_init(&folder);
    str_addf(&full, "%s%s", root, path);
    str_add_bytes(&folder, full.text, (size_t)(strrchr(full.text, '/') - full.text));
    if (files_make_directory(str_text(&folder), &e) || files_write_atomic(full.text, text, strlen(text), &e))
        fail_msg("%s", e.text);
    str_release(&full);
    str_release(&folder);
}

/* Makes all checks on the files (ends with NULL), with the probe as JSON text or NULL. */
static void examine(struct checkup *c, json_t **probe, const struct pair *files, const char *probe_text)
{
    char root[] = "/tmp/cpprof-test-XXXXXX";
    assert_non_null(mkdtemp(root));
    for (const struct pair *p = files; p && p->name; p++)
        write_file(root, p->name, p->value);
    *probe = probe_text ? json_loads(probe_text, 0, NULL) : NULL;
    assert_true(!probe_text || *probe);
    const struct machine machine = {.root = root, .variable = variable, .space = space};
    checkup_init(c, *probe);
    doctor_examine(&(struct doctor_input){&machine, *probe, "no runner", NULL, root}, c);
    assert_false(c->failed);
    files_remove_tree(root, NULL);
}

static const struct checkup_item *find(const struct checkup *c, const char *name)
{
    for (size_t i = 0; i < c->count; i++)
        if (!strcmp(c->items[i].name, name))
            return &c->items[i];
    return NULL;
}

struct expectation {
    const char *check;
    enum check_level level;
    const char *found; /* a part of what is said */
};

static void must_say(const struct checkup *c, const struct expectation *x)
{
    const struct checkup_item *item = find(c, x->check);
    if (!item)
        fail_msg("no check '%s'", x->check);
    if (item->level != x->level || !strstr(item->found, x->found))
        fail_msg("%s: %s, '%s' instead of %s, '%s'", x->check, check_level_name(item->level), item->found,
                 check_level_name(x->level), x->found);
    assert_int_equal(item->level == CHECK_MISSING, item->stops != 0);
    assert_true(item->level == CHECK_OK || *item->advice);
}

/* One check on one machine. */
struct machine_case {
    struct pair files[5]; /* ends with NULL */
    struct pair variables[3];
    struct expectation expected;
};

static void run_cases(const struct machine_case *cases, size_t count)
{
    free_space = (struct machine_space){UINT64_C(1) << 40, UINT64_C(1) << 40, 1000000, ""};
    space_is_known = true;
    for (size_t i = 0; i < count; i++) {
        struct checkup c;
        json_t *probe;
        variables = cases[i].variables;
        examine(&c, &probe, cases[i].files, NULL);
        must_say(&c, &cases[i].expected);
        checkup_release(&c);
        json_decref(probe);
    }
}

#define RUN(cases) run_cases(cases, COUNT_OF(cases))

/* ---- files ---- */

TEST(test_driver_version)
{
    static const struct machine_case cases[] = {
        {{{"/proc/driver/nvidia/version",
           "NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.86.15  Release Build\n"}},
         {{0}},
         {"driver", CHECK_NOTE, "570.86.15, older than the 580 that cpprof needs"}},
        {{{"/proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.03  "
                                          "Release Build  (b)  Tue Jan  6 12:00:00\n"}},
         {{0}},
         {"driver", CHECK_OK, "580.159.03, open kernel module; cpprof needs 580 or newer"}},
        {{{"/proc/driver/nvidia/version", "\n"}}, {{0}}, {"driver", CHECK_MISSING, "no NVIDIA driver"}},
        {{{0}}, {{0}}, {"driver", CHECK_MISSING, "no NVIDIA driver"}},
    };
    RUN(cases);
}

TEST(test_counter_permission)
{
    /* CAP_SYS_ADMIN is bit 21 = 0x200000, CAP_PERFMON bit 38 = 0x4000000000; 0xa80425fb is Docker's default set */
    static const char restricted[] = "Other: 1\nRmProfilingAdminOnly: 1\n";
    static const struct machine_case cases[] = {
        {{{"/proc/driver/nvidia/params", "RmProfilingAdminOnly: 0\n"}},
         {{0}},
         {"counter permission", CHECK_OK, "everybody"}},
        {{{"/proc/driver/nvidia/params", restricted}, {"/proc/self/status", "CapEff:\t0000000000200000\n"}},
         {{0}},
         {"counter permission", CHECK_OK, "this process is one"}},
        {{{"/proc/driver/nvidia/params", restricted}, {"/proc/self/status", "CapEff:\t0000004000000000\n"}},
         {{0}},
         {"counter permission", CHECK_OK, "this process is one"}},
        {{{"/proc/driver/nvidia/params", restricted}, {"/proc/self/status", "CapEff:\t00000000a80425fb\n"}},
         {{0}},
         {"counter permission", CHECK_NOTE, "this process is none"}},
        {{{"/proc/driver/nvidia/params", "RestrictProfilingToAdminUsers: 1\n"}},
         {{0}},
         {"counter permission", CHECK_NOTE, "administrators only"}},
        {{{"/proc/driver/nvidia/params", "RmProfilingAdminOnlyToo: 1\n"}},
         {{0}},
         {"counter permission", CHECK_OK, "the driver does not say"}},
    };
    RUN(cases);
}

TEST(test_control_groups)
{
    static const struct machine_case cases[] = {
        {{{"/proc/self/cgroup", "0::/a/b\n"}, {"/sys/fs/cgroup/a/b/memory.max", "max\n"}},
         {{0}},
         {"memory limit", CHECK_OK, "none"}},
        /* the limit of a group above counts: 8 GiB */
        {{{"/proc/self/cgroup", "0::/a/b\n"},
          {"/sys/fs/cgroup/a/b/memory.max", "max\n"},
          {"/sys/fs/cgroup/a/memory.max", "8589934592\n"},
          {"/sys/fs/cgroup/a/memory.current", "1073741824\n"}},
         {{0}},
         {"memory limit", CHECK_OK, "8.00 GiB, 1.00 GiB used"}},
        /* the tightest counts: 1 GiB below 8 GiB */
        {{{"/proc/self/cgroup", "0::/a/b\n"},
          {"/sys/fs/cgroup/a/b/memory.max", "1073741824\n"},
          {"/sys/fs/cgroup/a/memory.max", "8589934592\n"}},
         {{0}},
         {"memory limit", CHECK_NOTE, "1.00 GiB"}},
        /* in a container: the host's path, of which only the mount is there */
        {{{"/proc/self/cgroup", "0::/docker/4f2c\n"}, {"/sys/fs/cgroup/memory.max", "2147483648\n"}},
         {{0}},
         {"memory limit", CHECK_NOTE, "2.00 GiB"}},
        {{{"/proc/self/cgroup", "0::/\n"}, {"/sys/fs/cgroup/memory.max", "2147483648\n"}},
         {{0}},
         {"memory limit", CHECK_NOTE, "2.00 GiB"}},
        /* version 1 beside version 2, several controllers in a line; near 2^63 is no limit */
        {{{"/proc/self/cgroup", "9:cpu,memory:/j\n0::/x\n"},
          {"/sys/fs/cgroup/memory/j/memory.limit_in_bytes", "2147483648\n"},
          {"/sys/fs/cgroup/x/memory.max", "1\n"}},
         {{0}},
         {"memory limit", CHECK_NOTE, "2.00 GiB"}},
        {{{"/proc/self/cgroup", "4:memory:/\n"},
          {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"}},
         {{0}},
         {"memory limit", CHECK_OK, "none"}},
        {{{"/proc/self/cgroup", "nonsense\n::\n"}}, {{0}}, {"memory limit", CHECK_OK, "none"}},
        {{{0}}, {{0}}, {"memory limit", CHECK_OK, "none"}},
        /* 100 - 37 = 63 left; 1000 - 37 = 963 left */
        {{{"/proc/self/cgroup", "8:pids:/\n"},
          {"/sys/fs/cgroup/pids/pids.max", "100\n"},
          {"/sys/fs/cgroup/pids/pids.current", "37\n"}},
         {{0}},
         {"process limit", CHECK_NOTE, "100, 37 used"}},
        {{{"/proc/self/cgroup", "0::/\n"},
          {"/sys/fs/cgroup/pids.max", "1000\n"},
          {"/sys/fs/cgroup/pids.current", "37\n"}},
         {{0}},
         {"process limit", CHECK_OK, "1000, 37 used"}},
    };
    RUN(cases);
}

TEST(test_limits)
{
    static const struct machine_case cases[] = {
        {{{"/proc/self/limits", "Max locked memory         unlimited            unlimited            bytes\n"}},
         {{0}},
         {"locked memory", CHECK_OK, "no limit"}},
        {{{"/proc/self/limits", "Max processes  1  1\nMax locked memory         8388608   8388608   bytes\n"}},
         {{0}},
         {"locked memory", CHECK_OK, "8.00 MiB"}},
        {{{"/proc/self/limits", "Max locked memory         8192      8192      bytes\n"}},
         {{0}},
         {"locked memory", CHECK_NOTE, "8.00 KiB"}},
        {{{"/proc/sys/kernel/yama/ptrace_scope", "1\n"}}, {{0}}, {"ptrace", CHECK_OK, "scope 1"}},
        {{{"/proc/sys/kernel/yama/ptrace_scope", "7\n"}}, {{0}}, {"ptrace", CHECK_OK, "scope 7: unknown"}},
        {{{0}}, {{0}}, {"ptrace", CHECK_OK, "not restricted"}},
        {{{"/proc/self/status", "Seccomp_filters:\t3\nSeccomp:\t0\n"}}, {{0}}, {"seccomp", CHECK_OK, "off"}},
        {{{"/proc/self/status", "Seccomp:\t2\nSeccomp_filters:\t3\n"}}, {{0}}, {"seccomp", CHECK_OK, "a filter is on"}},
        {{{"/proc/self/status", "Seccomp:\t1\n"}}, {{0}}, {"seccomp", CHECK_NOTE, "strict"}},
    };
    RUN(cases);
}

TEST(test_surroundings)
{
    static const struct machine_case cases[] = {
        {{{"/proc/1/cgroup", "0::/init.scope\n"}},
         {{0}},
         {"surroundings", CHECK_OK, "the machine itself, no container"}},
        {{{"/proc/cpuinfo", "flags : fpu hypervisor lm\n"}},
         {{0}},
         {"surroundings", CHECK_OK, "a virtual machine, no container"}},
        {{{"/.dockerenv", ""}}, {{0}}, {"surroundings", CHECK_OK, "a container (Docker)"}},
        {{{"/run/.containerenv", ""}}, {{0}}, {"surroundings", CHECK_OK, "a container (Podman)"}},
        {{{"/proc/1/cgroup", "4:memory:/kubepods/x\n"}}, {{0}}, {"surroundings", CHECK_OK, "a container (kubepods)"}},
        {{{"/.dockerenv", ""}},
         {{"KUBERNETES_SERVICE_HOST", "10.0.0.1"}},
         {"surroundings", CHECK_OK, "a container (Kubernetes)"}},
    };
    RUN(cases);
}

TEST(test_profilers)
{
    static const struct machine_case cases[] = {
        {{{"/proc/42/comm", "python3\n"}, {"/proc/nsys/comm", "nsys\n"}},
         {{0}},
         {"profiler at work", CHECK_OK, "none"}},
        {{{"/proc/42/comm", "nsys\n"}}, {{0}}, {"profiler at work", CHECK_NOTE, "Nsight Systems (nsys, pid 42)"}},
        /* the lowest pid, not the first in the folder's order */
        {{{"/proc/142/comm", "ncu\n"}, {"/proc/42/comm", "ncu\n"}, {"/proc/43/comm", "ncu\n"}},
         {{0}},
         {"profiler at work", CHECK_NOTE, "Nsight Compute (ncu, pid 42 and more)"}},
        /* the kernel cuts names to 15 characters; a longer one that begins alike is another program */
        {{{"/proc/42/comm", "compute-sanitiz\n"}}, {{0}}, {"profiler at work", CHECK_NOTE, "Compute Sanitizer"}},
        {{{"/proc/42/comm", "nsysx\n"}}, {{0}}, {"profiler at work", CHECK_OK, "none"}},
        {{{0}},
         {{"CUDA_INJECTION64_PATH", "/x.so"}},
         {"environment", CHECK_MISSING, "CUDA_INJECTION64_PATH is '/x.so'"}},
        {{{0}}, {{"NVTX_INJECTION64_PATH", "/x.so"}}, {"environment", CHECK_MISSING, "NVTX_INJECTION64_PATH"}},
        {{{0}}, {{"CUDA_INJECTION64_PATH", ""}}, {"environment", CHECK_OK, "no variable"}},
        {{{0}}, {{"CUDA_LAUNCH_BLOCKING", "0"}}, {"environment", CHECK_OK, "no variable"}},
        {{{0}}, {{"CUDA_LAUNCH_BLOCKING", "1"}}, {"environment", CHECK_NOTE, "is '1'"}},
    };
    RUN(cases);
}

/* ---- free space ---- */

TEST(test_space)
{
    const uint64_t mib = 1024 * 1024, gib = 1024 * mib;
    const struct {
        bool is_known;
        struct machine_space space;
        struct expectation expected;
    } cases[] = {
        {true, {100 * gib, 50 * gib, 1000000, ""}, {"room for bundles", CHECK_OK, "50.0 GiB free"}},
        {true, {100 * gib, 50 * gib, UINT64_MAX, "overlay"}, {"room for bundles", CHECK_OK, "(overlay)"}},
        {true, {100 * gib, gib, 1000000, ""}, {"room for bundles", CHECK_NOTE, "1.00 GiB free"}},
        {true, {100 * gib, 8 * mib, 1000000, ""}, {"room for bundles", CHECK_MISSING, "8.00 MiB free"}},
        {true, {100 * gib, 50 * gib, 0, ""}, {"room for bundles", CHECK_MISSING, "no more files"}},
        {true, {100 * gib, 50 * gib, 10, ""}, {"room for bundles", CHECK_NOTE, "50.0 GiB"}},
        {true, {100 * gib, 50 * gib, 1000000, "nfs"}, {"room for bundles", CHECK_NOTE, "(nfs)"}},
        {true, {100 * gib, 50 * gib, 1000000, "tmpfs"}, {"room for bundles", CHECK_NOTE, "(tmpfs)"}},
        {false, {0, 0, 0, ""}, {"room for bundles", CHECK_NOTE, "not known"}},
        {true, {64 * mib, 64 * mib, 1000000, "tmpfs"}, {"shared memory", CHECK_NOTE, "64.0 MiB, 64.0 MiB free"}},
        {true, {gib, gib, 1000000, "tmpfs"}, {"shared memory", CHECK_OK, "1.00 GiB free"}},
        {false, {0, 0, 0, ""}, {"shared memory", CHECK_NOTE, "no /dev/shm"}},
    };
    variables = NULL;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct checkup c;
        json_t *probe;
        free_space = cases[i].space;
        space_is_known = cases[i].is_known;
        examine(&c, &probe, NULL, NULL);
        must_say(&c, &cases[i].expected);
        checkup_release(&c);
    }
}

/* ---- the injection library ---- */

TEST(test_injection)
{
    static const struct {
        const char *name, *bytes;
        size_t length;
        enum check_level level;
        const char *found;
    } cases[] = {
        {"/lib/x.so", NULL, 0, CHECK_MISSING, "No such file"},
        {"/x.so", "#!/bin/sh\nexit 0 # long enough\n", 30, CHECK_MISSING, "no 64-bit ELF"},
        {"/x.so",
         "\x7f"
         "ELF\x02",
         5, CHECK_MISSING, "no 64-bit ELF"},
        {"/x.so",
         "\x7f"
         "ELF\x01\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\x3e\0",
         20, CHECK_MISSING, "no 64-bit ELF"},
        /* machine 0xf3 = 243 is RISC-V */
        {"/x.so",
         "\x7f"
         "ELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\xf3\0",
         20, CHECK_MISSING, "another processor"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char folder[] = "/tmp/cpprof-test-XXXXXX", path[64];
        struct checkup c;
        json_t *probe;
        assert_non_null(mkdtemp(folder));
        snprintf(path, sizeof path, "%s%s", folder, cases[i].name);
        if (cases[i].bytes)
            assert_int_equal(files_write_atomic(path, cases[i].bytes, cases[i].length, NULL), 0);
        const struct pair named[] = {{"CPPROF_INJECT", path}, {NULL, NULL}};
        variables = named;
        examine(&c, &probe, NULL, NULL);
        must_say(&c, &(struct expectation){"injection library", cases[i].level, cases[i].found});
        assert_int_equal(find(&c, "injection library")->stops, STOPS_CAPTURE);
        checkup_release(&c);
        files_remove_tree(folder, NULL);
        variables = NULL;
    }
    const struct pair ourselves[] = {{"CPPROF_INJECT", "/proc/self/exe"}, {NULL, NULL}};
    struct checkup c;
    json_t *probe;
    variables = ourselves;
    examine(&c, &probe, NULL, NULL);
    must_say(&c, &(struct expectation){"injection library", CHECK_OK, "'/proc/self/exe' (CPPROF_INJECT)"});
    checkup_release(&c);
    variables = NULL;
}

/* ---- what the runner left ---- */

#define DEVICES(members) "{\"devices\":[{\"ordinal\":0,\"name\":\"G\"," members "}]}"
/* 580 serves all of CUDA 13, 525 all of CUDA 12; without a runner it is that of the newest. */
TEST(the_oldest_driver_is_that_of_the_runtime)
{
    static const struct {
        const char *probe, *check, *advice;
    } cases[] = {
        {"{\"cuda\":{\"driver_api\":12080,\"runtime\":13000}}", "CUDA versions", "install driver 580 or newer"},
        {"{\"cuda\":{\"driver_api\":11080,\"runtime\":12040}}", "CUDA versions", "install driver 525 or newer"},
        {"{\"cuda\":{\"devices\":0,\"error\":\"cudaErrorInsufficientDriver\",\"runtime\":12090}}", "CUDA",
         "install driver 525 or newer"},
        {"{\"cuda\":{\"devices\":0,\"runtime\":12090}}", "driver", "install driver 525 or newer"},
        {"{}", "driver", "install driver 580 or newer"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        static const struct pair nothing[1], no_variables[3];
        struct checkup c;
        json_t *probe;
        variables = no_variables;
        examine(&c, &probe, nothing, cases[i].probe);
        const struct checkup_item *item = find(&c, cases[i].check);
        assert_non_null(item);
        if (!strstr(item->advice, cases[i].advice))
            fail_msg("%s: '%s' instead of '%s'", cases[i].check, item->advice, cases[i].advice);
        checkup_release(&c);
        json_decref(probe);
    }
}

#define CUDA(members)  "{\"cuda\":{" members "}}"
#define LINKS(members) "{\"devices\":[{},{},{}],\"links\":[" members "]}"

TEST(test_probe)
{
    static const struct {
        const char *probe;
        struct expectation expected;
    } cases[] = {
        {CUDA("\"driver_api\":13000,\"runtime\":13000,\"devices\":8"), {"CUDA", CHECK_OK, "8 GPUs"}},
        {CUDA("\"driver_api\":13000,\"runtime\":13000,\"devices\":1"), {"CUDA versions", CHECK_OK, "13.0"}},
        {CUDA("\"driver_api\":13010,\"runtime\":13020"),
         {"CUDA versions", CHECK_NOTE, "runtime 13.2, the driver knows only 13.1"}},
        {CUDA("\"driver_api\":12080,\"runtime\":13000"), {"CUDA versions", CHECK_MISSING, "12.8"}},
        {CUDA("\"driver_api\":12010,\"runtime\":12040"), {"CUDA versions", CHECK_NOTE, "knows only 12.1"}},
        {CUDA("\"devices\":0,\"error\":\"cudaErrorSystemNotReady\",\"words\":\"w\""),
         {"CUDA", CHECK_MISSING, "w (cudaErrorSystemNotReady)"}},
        {CUDA("\"devices\":0"), {"CUDA", CHECK_MISSING, "cudaErrorNoDevice"}},
        {DEVICES("\"compute_capability\":\"9.0\""), {"GPU", CHECK_OK, "G, compute capability 9.0"}},
        {DEVICES("\"compute_capability\":\"7.5\""), {"GPU", CHECK_MISSING, "7.5"}},
        {DEVICES("\"compute_capability\":\"10.0\""), {"GPU", CHECK_OK, "10.0"}},
        {DEVICES("\"sm_clock_max_mhz\":1980,\"memory_clock_max_mhz\":3201"), {"clocks", CHECK_OK, "SM 1980 MHz"}},
        {DEVICES("\"sm_clock_max_mhz\":1980,\"application_clock_mhz\":1200,\"application_clock_default_mhz\":1980"),
         {"clocks", CHECK_NOTE, "1200 MHz instead of 1980"}},
        {DEVICES("\"throttle_reasons\":\"idle\""), {"clock reductions", CHECK_OK, "idle"}},
        {DEVICES("\"throttle_reasons\":\"none\""), {"clock reductions", CHECK_OK, "none"}},
        {DEVICES("\"throttle_reasons\":\"idle, hardware thermal slowdown\""),
         {"clock reductions", CHECK_NOTE, "hardware thermal slowdown"}},
        {DEVICES("\"temperature_c\":76,\"slowdown_c\":87"), {"temperature", CHECK_OK, "87"}},
        {DEVICES("\"temperature_c\":77,\"slowdown_c\":87"), {"temperature", CHECK_NOTE, "77 C, close to the 87 C"}},
        {DEVICES("\"temperature_c\":77,\"slowdown_c\":null"), {"temperature", CHECK_OK, "77 C"}},
        {DEVICES("\"power_limit_mw\":700000,\"power_limit_default_mw\":700000"), {"power", CHECK_OK, "700 W"}},
        {DEVICES("\"power_limit_mw\":500000,\"power_limit_default_mw\":700000"),
         {"power", CHECK_NOTE, "500 W, by default 700 W"}},
        {DEVICES("\"persistence\":true"), {"persistence mode", CHECK_OK, "on"}},
        {DEVICES("\"persistence\":false"), {"persistence mode", CHECK_NOTE, "off"}},
        {DEVICES("\"ecc\":true,\"ecc_pending\":true,\"ecc_uncorrected\":0"), {"ECC", CHECK_OK, "on"}},
        {DEVICES("\"ecc\":true,\"ecc_pending\":false"), {"ECC", CHECK_NOTE, "on now, off after the next reset"}},
        {DEVICES("\"ecc\":true,\"ecc_pending\":true,\"ecc_uncorrected\":2"),
         {"ECC", CHECK_NOTE, "2 uncorrected errors"}},
        {DEVICES("\"compute_mode\":\"default\""), {"compute mode", CHECK_OK, "default"}},
        {DEVICES("\"compute_mode\":\"exclusive process\""), {"compute mode", CHECK_NOTE, "one program at a time"}},
        {DEVICES("\"compute_mode\":\"prohibited\""), {"compute mode", CHECK_MISSING, "prohibited"}},
        {DEVICES("\"mig\":true,\"mig_pending\":true"), {"MIG", CHECK_NOTE, "on"}},
        {DEVICES("\"mig\":false,\"mig_pending\":true"), {"MIG", CHECK_NOTE, "off now, on after"}},
        {DEVICES("\"virtualization\":\"vgpu\""), {"virtual GPU", CHECK_NOTE, "vGPU"}},
        {DEVICES("\"virtualization\":\"passthrough\""), {"virtual GPU", CHECK_OK, "passed through"}},
        {DEVICES("\"pcie_width\":16,\"pcie_width_max\":16,\"pcie_generation_max\":5"),
         {"PCIe", CHECK_OK, "x16, generation 5"}},
        {DEVICES("\"pcie_width\":8,\"pcie_width_max\":16"), {"PCIe", CHECK_NOTE, "x8 of x16"}},
        {DEVICES("\"processes\":[]"), {"other processes", CHECK_OK, "none"}},
        {DEVICES("\"processes\":[{\"pid\":7,\"memory_bytes\":1073741824}]"),
         {"other processes", CHECK_NOTE, "1 on the GPU: one (pid 7, 1.00 GiB)"}},
        {"{\"nvml\":{\"error\":\"no NVML\"},\"devices\":[{\"ordinal\":0}]}", {"NVML", CHECK_NOTE, "no NVML"}},
        {LINKS("{\"access\":true,\"nvlinks\":18},{\"access\":true,\"nvlinks\":18}"),
         {"NVLink", CHECK_OK, "every pair, 18 links each"}},
        {LINKS("{\"access\":true,\"nvlinks\":18},{\"access\":true,\"nvlinks\":17}"),
         {"NVLink", CHECK_NOTE, "17 to 18 links"}},
        {LINKS("{\"access\":true,\"nvlinks\":4},{\"access\":true,\"nvlinks\":0}"),
         {"NVLink", CHECK_OK, "1 of 2 pairs, 4 links each"}},
        {LINKS("{\"access\":true},{\"access\":true}"), {"NVLink", CHECK_OK, "none between"}},
        {LINKS("{\"access\":true},{\"access\":true}"), {"peer access", CHECK_OK, "2 of 2 pairs"}},
        {LINKS("{\"access\":true},{\"access\":false,\"p2p_read\":\"not supported\"}"),
         {"peer access", CHECK_NOTE, "1 of 2 pairs; refused: not supported"}},
        {LINKS("{\"access\":true},{\"access\":null}"), {"peer access", CHECK_NOTE, "1 of 2 pairs"}},
        {"{\"devices\":[{}]}", {"peer access", CHECK_OK, "one GPU"}},
        {"{\"cupti\":{\"version\":130001,\"library\":\"/c\",\"found\":\"f\"}}",
         {"CUPTI", CHECK_OK, "'/c', API version 130001, found through: f"}},
        {"{\"cupti\":{\"error\":\"gone\"}}", {"CUPTI", CHECK_MISSING, "gone"}},
        {"{\"cupti\":{\"subscribe_error\":null}}", {"CUPTI's subscriber", CHECK_OK, "free"}},
        {"{\"cupti\":{\"subscribe_error\":\"MULTIPLE\",\"subscriber\":\"Nsight\"}}",
         {"CUPTI's subscriber", CHECK_MISSING, "MULTIPLE: 'Nsight'"}},
        {"{\"cupti\":{\"version\":130001,\"copies\":[{\"path\":\"/a\",\"found\":\"loader path\",\"why\":null}]}}",
         {"other copy of CUPTI", CHECK_OK, "none in"}},
        {"{\"cupti\":{\"copies\":[{\"path\":\"/a\",\"found\":\"f\",\"cuda\":\"12.4\",\"why\":\"it is older than the one that is taken\"},"
         "{\"path\":\"/b\",\"found\":\"g\",\"cuda\":null,\"why\":\"it does not load\"},{\"path\":\"/c\"}]}}",
         {"other copy of CUPTI", CHECK_OK, "'/a' (f, CUDA 12.4): it is older than the one that is taken"}},
        {"{\"cupti\":{\"version\":23}}", {"CUPTI's faults", CHECK_NOTE, "12.5 trace no kernels"}},
        {"{\"cupti\":{\"version\":130000}}", {"CUPTI's faults", CHECK_NOTE, "cudaDeviceSynchronize"}},
        {"{\"cupti\":{\"version\":130400}}", {"CUPTI's faults", CHECK_NOTE, "ever more CPU time"}},
        {"{\"cupti\":{},\"records\":{\"kernels\":1,\"error\":null}}", {"CUPTI's records", CHECK_OK, "has one"}},
        {"{\"cupti\":{},\"records\":{\"kernels\":0,\"error\":null}}",
         {"CUPTI's records", CHECK_MISSING, "ran and has none"}},
        {"{\"cupti\":{},\"records\":{\"kernels\":0,\"error\":\"refused\"}}",
         {"CUPTI's records", CHECK_MISSING, "refused"}},
        {"{\"counters\":{\"works\":true,\"device\":0}}", {"counters", CHECK_OK, "GPU 0"}},
        {"{\"code\":{\"device\":0,\"built\":\"sm_90a\",\"source\":90,\"made_by_jit\":false,\"error\":null}}",
         {"code of kernels", CHECK_OK, "sm_90a: GPU 0 runs code compiled for 9.0"}},
        {"{\"code\":{\"device\":0,\"built\":\"sm_90a, PTX\",\"source\":80,\"made_by_jit\":true,\"error\":null}}",
         {"code of kernels", CHECK_NOTE, "sm_90a, PTX: GPU 0 runs code that the driver makes from PTX of 8.0"}},
        {"{\"code\":{\"device\":0,\"built\":\"sm_90a\",\"source\":null,\"made_by_jit\":null,\"error\":\"this build has "
         "code for sm_90a\"}}",
         {"code of kernels", CHECK_MISSING, "this build has code for sm_90a"}},
        {"{\"counters\":{\"works\":false,\"error\":\"refused\"}}", {"counters", CHECK_MISSING, "refused"}},
        {"{}", {"runner", CHECK_OK, "answers"}},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct checkup c;
        json_t *probe;
        examine(&c, &probe, NULL, cases[i].probe);
        must_say(&c, &cases[i].expected);
        checkup_release(&c);
        json_decref(probe);
    }
}

/* A compatibility package is in use when libcuda's version is not the kernel module's. */
TEST(test_forward_compatibility)
{
    static const struct {
        const char *library;
        enum check_level level;
    } cases[] = {
        {"/usr/lib/libcuda.so.570.86.15", CHECK_OK},
        {"/usr/local/cuda/compat/libcuda.so.580.65.06", CHECK_NOTE},
        {"/usr/lib/libcuda.so.1", CHECK_OK}, /* says no version */
    };
    static const struct pair module[] = {
        {"/proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.86.15  Release\n"},
        {NULL, NULL}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[160];
        struct checkup c;
        json_t *probe;
        snprintf(text, sizeof text, "{\"cuda\":{\"library\":\"%s\"}}", cases[i].library);
        examine(&c, &probe, module, text);
        must_say(&c, &(struct expectation){"forward compatibility", cases[i].level, cases[i].library});
        checkup_release(&c);
        json_decref(probe);
    }
}

/* A probe is a file: members of any type, any length. */
/* The advice names the code of the GPU that was asked, not of its neighbour. */
TEST(test_code_to_build)
{
    static const struct {
        const char *devices, *advice;
    } cases[] = {
        {"[{\"ordinal\":0,\"compute_capability\":\"8.0\"},{\"ordinal\":1,\"compute_capability\":\"10.0\"}]",
         "with 100a"},
        {"[{\"ordinal\":1,\"compute_capability\":\"8.9\"}]", "with 89"},
        {"[{\"ordinal\":1,\"compute_capability\":\"x\"}]", "with its own"},
        {"[]", "with its own"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct checkup c;
        json_t *probe;
        char text[512];
        snprintf(text, sizeof text, "{\"devices\":%s,\"code\":{\"device\":1,\"error\":\"no code\"}}", cases[i].devices);
        examine(&c, &probe, NULL, text);
        const struct checkup_item *item = find(&c, "code of kernels");
        assert_non_null(item);
        if (!strstr(item->advice, cases[i].advice))
            fail_msg("'%s' does not say '%s'", item->advice, cases[i].advice);
        assert_int_equal(item->stops, STOPS_RUN);
        checkup_release(&c);
        json_decref(probe);
    }
}

TEST(test_hostile_probe)
{
    static const char *const probes[] = {
        "{\"devices\":7,\"links\":{},\"cuda\":[],\"cupti\":\"x\",\"counters\":[],\"nvml\":null,\"code\":[]}",
        "{\"devices\":[null,3,\"x\",{\"name\":5,\"processes\":{},\"pcie_width\":-1}],\"links\":[null,{\"a\":\"b\"}]}",
        ("{\"devices\":[{\"ordinal\":9223372036854775807,\"compute_capability\":\"\",\"memory_bytes\":-5,"
         "\"temperature_c\":1e300}]}"),
        "{\"cuda\":{\"driver_api\":-9223372036854775807,\"runtime\":9223372036854775807,\"library\":\"libcuda.so.\"}}",
    };
    for (size_t i = 0; i < COUNT_OF(probes); i++) {
        struct checkup c;
        json_t *probe;
        examine(&c, &probe, NULL, probes[i]);
        assert_non_null(find(&c, "room for bundles"));
        checkup_release(&c);
        json_decref(probe);
    }
}

/* Without a runner and a driver `run` is stopped, recorded input is not. */
TEST(test_stops)
{
    struct checkup c;
    json_t *probe;
    examine(&c, &probe, NULL, NULL);
    assert_int_equal(checkup_stops(&c), STOPS_BOTH);
    must_say(&c, &(struct expectation){"recorded input", CHECK_OK, "work without a GPU"});
    must_say(&c, &(struct expectation){"runner", CHECK_MISSING, "no runner"});
    assert_int_equal(checkup_level_count(&c, CHECK_OK) + checkup_level_count(&c, CHECK_NOTE) +
                         checkup_level_count(&c, CHECK_MISSING),
                     c.count);
    checkup_release(&c);
}

/* What is said of all GPUs alike is one line, else the lines name them. */
TEST(test_alike)
{
    static const char text[] = "{\"devices\":[{\"persistence\":true},{\"persistence\":false},{\"persistence\":true},"
                               "{\"persistence\":true},{\"persistence\":null}]}";
    struct checkup c;
    json_t *probe;
    examine(&c, &probe, NULL, text);
    size_t lines = 0;
    for (size_t i = 0; i < c.count; i++)
        lines += !strcmp(c.items[i].name, "persistence mode");
    assert_int_equal(lines, 2);
    assert_string_equal(find(&c, "persistence mode")->found, "GPU 0, 2-3: on");
    assert_true(!strncmp((find(&c, "persistence mode") + 1)->found, "GPU 1: off", 10));
    checkup_release(&c);
    json_decref(probe);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_driver_version),
        cmocka_unit_test(test_counter_permission),
        cmocka_unit_test(test_control_groups),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_surroundings),
        cmocka_unit_test(test_profilers),
        cmocka_unit_test(test_space),
        cmocka_unit_test(test_injection),
        cmocka_unit_test(test_probe),
        cmocka_unit_test(the_oldest_driver_is_that_of_the_runtime),
        cmocka_unit_test(test_forward_compatibility),
        cmocka_unit_test(test_code_to_build),
        cmocka_unit_test(test_hostile_probe),
        cmocka_unit_test(test_stops),
        cmocka_unit_test(test_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
