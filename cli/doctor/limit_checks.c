/* What does the system allow this process and those that it starts: memory,
 * threads, shared memory, system calls? */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/doctor/doctor.h"
#include "core/base/count_of.h"
#include "core/base/units.h"

static const uint64_t mib = 1024 * 1024, gib = 1024 * 1024 * 1024;

static const char *bytes_text(char text[static UNITS_TEXT_BYTES], uint64_t bytes)
{
    return unit_format(text, UNIT_BYTES, (double)bytes);
}

/* ---- where are we? ---- */

static const char *container_kind(const struct machine *m)
{
    static const struct {
        const char *file, *kind;
    } files[] = {{"/.dockerenv", "Docker"}, {"/run/.containerenv", "Podman"}};
    static const struct {
        const char *variable, *kind;
    } variables[] = {
        {"KUBERNETES_SERVICE_HOST", "Kubernetes"},
        {"APPTAINER_CONTAINER", "Apptainer"},
        {"SINGULARITY_CONTAINER", "Singularity"},
        {"container", "systemd says so"},
    };
    static const char *const words[] = {"docker", "kubepods", "containerd", "libpod", "lxc"};
    for (size_t i = 0; i < COUNT_OF(variables); i++)
        if (*machine_variable(m, variables[i].variable))
            return variables[i].kind;
    for (size_t i = 0; i < COUNT_OF(files); i++)
        if (machine_has(m, files[i].file))
            return files[i].kind;
    struct str groups;
    str_init(&groups);
    const char *kind = "";
    if (machine_read(m, "/proc/1/cgroup", &groups))
        for (size_t i = 0; i < COUNT_OF(words) && !*kind; i++)
            kind = strstr(str_text(&groups), words[i]) ? words[i] : "";
    str_release(&groups);
    return kind;
}

static bool in_virtual_machine(const struct machine *m)
{
    struct str processors;
    str_init(&processors);
    bool is = machine_read(m, "/proc/cpuinfo", &processors) && strstr(str_text(&processors), " hypervisor");
    str_release(&processors);
    return is;
}

static void check_surroundings(const struct machine *m, struct checkup *c)
{
    const char *kind = container_kind(m), *machine = in_virtual_machine(m) ? "a virtual machine" : "the machine itself";
    if (*kind)
        checkup_ok(c, "surroundings", "a container (%s) on %s: processes and limits outside of it are not seen", kind,
                   machine);
    else
        checkup_ok(c, "surroundings", "%s, no container", machine);
}

/* ---- control groups ---- */

enum { NO_LIMIT_SHIFT = 62 }; /* version 1 says "no limit" as a number near 2^63 */

struct group_files {
    const char *controller;
    const char *limit_v1, *used_v1, *limit_v2, *used_v2;
};

struct group_limit {
    uint64_t limit, used;
    bool is_limited;
};

/* The path of our group in the hierarchy of the controller; false when there is none. Lines are
 * "4:memory,cpu:/path" for version 1 and "0::/path" for version 2. */
static bool group_path(const char *groups, const char *controller, struct str *path)
{
    const size_t length = strlen(controller);
    for (const char *line = groups; *line;) {
        const char *end = line + strcspn(line, "\n"), *names = strchr(line, ':');
        const char *from = names ? strchr(names + 1, ':') : NULL;
        if (!from || from > end)
            break;
        for (const char *name = names + 1; name <= from; name += strcspn(name, ",:") + 1) {
            const size_t word = strcspn(name, ",:");
            if (word != length || strncmp(name, controller, length))
                continue;
            str_clear(path);
            str_add_bytes(path, from + 1, (size_t)(end - from - 1));
            return true;
        }
        line = *end ? end + 1 : end;
    }
    return false;
}

static bool read_number(const struct machine *m, struct str *path, const char *folder, const char *group,
                        const char *file, uint64_t *out)
{
    char line[MACHINE_LINE_BYTES];
    str_clear(path);
    str_addf(path, "%s%s/%s", folder, group, file);
    if (!machine_line(m, str_text(path), line) || !isdigit((unsigned char)*line))
        return false;
    *out = strtoull(line, NULL, 10);
    return true;
}

/* The tightest limit of our group and those above it. In a container the path may be the host's, of which only
 * the end, the mount itself, is there: the walk ends at it. */
static struct group_limit tightest(const struct machine *m, const char *folder, char *group, const char *limit_file,
                                   const char *used_file)
{
    struct group_limit found = {0};
    struct str path;
    str_init(&path);
    for (bool is_last = false; !is_last;) {
        uint64_t limit;
        if (!strcmp(group, "/"))
            *group = '\0';
        if (read_number(m, &path, folder, group, limit_file, &limit) && !(limit >> NO_LIMIT_SHIFT) &&
            (!found.is_limited || limit < found.limit)) {
            found = (struct group_limit){.limit = limit, .is_limited = true};
            read_number(m, &path, folder, group, used_file, &found.used);
        }
        char *slash = strrchr(group, '/');
        is_last = !slash;
        if (slash)
            *slash = '\0';
    }
    str_release(&path);
    return found;
}

static struct group_limit group_limit_of(const struct machine *m, const struct group_files *f)
{
    struct group_limit found = {0};
    struct str groups, path, folder;
    str_init(&groups);
    str_init(&path);
    str_init(&folder);
    if (machine_read(m, "/proc/self/cgroup", &groups)) {
        str_addf(&folder, "/sys/fs/cgroup/%s", f->controller);
        if (group_path(str_text(&groups), f->controller, &path) && path.length)
            found = tightest(m, str_text(&folder), path.text, f->limit_v1, f->used_v1);
        else if (group_path(str_text(&groups), "", &path) && path.length)
            found = tightest(m, "/sys/fs/cgroup", path.text, f->limit_v2, f->used_v2);
    }
    str_release(&groups);
    str_release(&path);
    str_release(&folder);
    return found;
}

static void check_memory(const struct machine *m, struct checkup *c)
{
    static const struct group_files files = {"memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "memory.max",
                                             "memory.current"};
    const struct group_limit memory = group_limit_of(m, &files);
    char limit[UNITS_TEXT_BYTES], used[UNITS_TEXT_BYTES];
    if (!memory.is_limited) {
        checkup_ok(c, "memory limit", "none");
    } else if (memory.limit >= 4 * gib) {
        checkup_ok(c, "memory limit", "%s, %s used", bytes_text(limit, memory.limit), bytes_text(used, memory.used));
    } else {
        checkup_note(c, "memory limit", "%s, %s used", bytes_text(limit, memory.limit), bytes_text(used, memory.used));
        checkup_advise(
            c, "a program that passes it is killed; a capture adds the buffers that wait to be written: raise the "
               "container's or the job's limit, or lower the capture's");
    }
}

enum { THREADS_FEW = 128 };

static void check_threads(const struct machine *m, struct checkup *c)
{
    static const struct group_files files = {"pids", "pids.max", "pids.current", "pids.max", "pids.current"};
    const struct group_limit threads = group_limit_of(m, &files);
    if (!threads.is_limited) {
        checkup_ok(c, "process limit", "none");
    } else if (threads.limit >= threads.used + THREADS_FEW) {
        checkup_ok(c, "process limit", "%" PRIu64 ", %" PRIu64 " used", threads.limit, threads.used);
    } else {
        checkup_note(c, "process limit", "%" PRIu64 ", %" PRIu64 " used", threads.limit, threads.used);
        checkup_advise(c, "CUDA, NCCL and CUPTI start threads, which count: raise the limit (docker run --pids-limit)");
    }
}

/* ---- memory that programs share or pin ---- */

static void check_shared_memory(const struct machine *m, struct checkup *c)
{
    struct machine_space space;
    struct str path;
    char total[UNITS_TEXT_BYTES], left[UNITS_TEXT_BYTES];
    str_init(&path);
    if (!m->space(machine_path(m, &path, "/dev/shm"), &space)) {
        checkup_note(c, "shared memory", "there is no /dev/shm");
        checkup_advise(c, "NCCL between processes of one machine and PyTorch's data loaders need it");
    } else if (space.free_bytes >= 256 * mib) {
        checkup_ok(c, "shared memory", "/dev/shm: %s, %s free", bytes_text(total, space.total_bytes),
                   bytes_text(left, space.free_bytes));
    } else {
        checkup_note(c, "shared memory", "/dev/shm: %s, %s free", bytes_text(total, space.total_bytes),
                     bytes_text(left, space.free_bytes));
        checkup_advise(
            c, "NCCL between processes of one machine and PyTorch's data loaders may fail: give the container more "
               "(docker run --shm-size=1g, or --ipc=host)");
    }
    str_release(&path);
}

static void check_locked_memory(const struct machine *m, struct checkup *c)
{
    struct str limits;
    char value[MACHINE_LINE_BYTES], text[UNITS_TEXT_BYTES];
    str_init(&limits);
    const bool is_known =
        machine_read(m, "/proc/self/limits", &limits) && machine_field(str_text(&limits), "Max locked memory", value);
    str_release(&limits);
    if (!is_known)
        return;
    if (!strncmp(value, "unlimited", strlen("unlimited")))
        checkup_ok(c, "locked memory", "no limit");
    else if (strtoull(value, NULL, 10) >= 64 * 1024)
        checkup_ok(c, "locked memory", "at most %s a process", bytes_text(text, strtoull(value, NULL, 10)));
    else {
        checkup_note(c, "locked memory", "at most %s a process", bytes_text(text, strtoull(value, NULL, 10)));
        checkup_advise(c,
                       "RDMA between machines pins memory under this limit: `ulimit -l unlimited` (docker run --ulimit "
                       "memlock=-1)");
    }
}

/* ---- what may look into what ---- */

static void check_ptrace(const struct machine *m, struct checkup *c)
{
    static const char *const scopes[] = {"a process may trace any other of its user",
                                         "a process may trace those that it started", "only administrators may trace",
                                         "nobody may trace"};
    char line[MACHINE_LINE_BYTES];
    if (!machine_line(m, "/proc/sys/kernel/yama/ptrace_scope", line)) {
        checkup_ok(c, "ptrace", "not restricted by Yama");
        return;
    }
    const long scope = strtol(line, NULL, 10);
    checkup_ok(c, "ptrace", "scope %s: %s; cpprof traces no process that way", line,
               scope >= 0 && scope < (long)COUNT_OF(scopes) ? scopes[scope] : "unknown");
    if (scope > 1)
        checkup_advise(c, "debuggers and some profilers cannot attach; cpprof needs nothing");
}

static void check_system_calls(const struct machine *m, struct checkup *c)
{
    struct str status;
    char mode[MACHINE_LINE_BYTES] = "";
    str_init(&status);
    if (machine_read(m, "/proc/self/status", &status))
        machine_field(str_text(&status), "Seccomp", mode);
    str_release(&status);
    if (!*mode)
        return;
    if (!strcmp(mode, "0"))
        checkup_ok(c, "seccomp", "off");
    else if (!strcmp(mode, "2"))
        checkup_ok(c, "seccomp", "a filter is on, as containers have it; cpprof needs no unusual system call");
    else {
        checkup_note(c, "seccomp", "strict (mode %s)", mode);
        checkup_advise(c, "CUDA programs cannot run in this mode");
    }
}

void check_process_limits(const struct doctor_input *in, struct checkup *c)
{
    check_surroundings(in->machine, c);
    check_memory(in->machine, c);
    check_threads(in->machine, c);
    check_shared_memory(in->machine, c);
    check_locked_memory(in->machine, c);
    check_ptrace(in->machine, c);
    check_system_calls(in->machine, c);
}
