/* Is there a driver, does CUDA start, and do the two fit each other? */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/doctor/doctor.h"
#include "core/base/count_of.h"
#include "core/gpu/oldest_driver.h"

/* "580.159.03" out of "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.03  Release Build ...":
 * the first word that begins with a digit and holds a point. */
static bool kernel_module_version(const struct machine *m, char version[static MACHINE_LINE_BYTES])
{
    char line[MACHINE_LINE_BYTES];
    if (!machine_line(m, "/proc/driver/nvidia/version", line))
        return false;
    char *rest = NULL;
    for (char *word = strtok_r(line, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest))
        if (*word >= '0' && *word <= '9' && strchr(word, '.')) {
            snprintf(version, MACHINE_LINE_BYTES, "%s", word);
            return true;
        }
    return false;
}

/* The runtime in the runner decides. Without a runner the newest one that we know is taken. */
static const char *driver_needed(const struct doctor_input *in)
{
    return oldest_driver(json_get_integer(json_object_get(in->probe, "cuda"), "runtime", 0));
}

static void advise_newer_driver(const char *needed, struct checkup *c)
{
    checkup_advise(c, "install driver %s or newer, or NVIDIA's cuda-compat package on a data-centre GPU", needed);
}

/* CUDA may start all the same, with a compatibility package: what stops a command is said below. */
static void report_version(const char *version, const char *flavour, const char *needed, struct checkup *c)
{
    if (atoi(version) >= atoi(needed)) {
        checkup_ok(c, "driver", "%s%s; cpprof needs %s or newer", version, flavour, needed);
        return;
    }
    checkup_note(c, "driver", "%s%s, older than the %s that cpprof needs", version, flavour, needed);
    advise_newer_driver(needed, c);
}

static void check_kernel_module(const struct doctor_input *in, const char *module, struct checkup *c)
{
    const char *said = json_get_text(json_object_get(in->probe, "nvml"), "driver_version", "");
    if (*module || *said) {
        const char *flavour = "";
        char line[MACHINE_LINE_BYTES];
        if (machine_line(in->machine, "/proc/driver/nvidia/version", line) && strstr(line, "Open Kernel Module"))
            flavour = ", open kernel module";
        report_version(*module ? module : said, flavour, driver_needed(in), c);
        return;
    }
    if (json_get_integer(json_object_get(in->probe, "cuda"), "devices", 0) > 0)
        return; /* as in some sandboxes, where CUDA works all the same */
    checkup_missing(c, "driver", STOPS_BOTH, "no NVIDIA driver is loaded (no /proc/driver/nvidia/version)");
    checkup_advise(c, "install driver %s or newer; in a container, start it with the GPUs (docker run --gpus all)",
                   driver_needed(in));
}

/* What a person can do when CUDA does not start, other than install a newer driver. */
static const char *advice_for(const char *error)
{
    static const struct {
        const char *error, *advice;
    } table[] = {
        {"cudaErrorNoDevice", "look at `nvidia-smi`, at CUDA_VISIBLE_DEVICES, and in a container at its --gpus option"},
        {"cudaErrorSystemNotReady", "start nvidia-fabricmanager: GPUs behind NVSwitch wait for it"},
        {"cudaErrorSystemDriverMismatch",
         "libcuda and the kernel module differ: reboot after a driver update, or remove the "
         "other libcuda from the loader's path"},
        {"cudaErrorCompatNotSupportedOnDevice",
         "this GPU has no forward compatibility: remove cuda-compat from the loader's "
         "path and install a newer driver"},
        {"cudaErrorDevicesUnavailable", "another process holds the GPU exclusively: see its compute mode below"},
        {"cudaErrorOperatingSystem",
         "the device files cannot be opened: look at /dev/nvidia* and the container's devices"},
    };
    for (size_t i = 0; i < COUNT_OF(table); i++)
        if (!strcmp(table[i].error, error))
            return table[i].advice;
    return "look at `nvidia-smi` and the kernel's log (dmesg) for lines with NVRM or Xid";
}

static void check_cuda_starts(const json_t *cuda, const char *needed, struct checkup *c)
{
    const char *error = json_get_text(cuda, "error", "");
    const long long devices = json_get_integer(cuda, "devices", 0);
    if (!*error && devices > 0) {
        checkup_ok(c, "CUDA", "starts; %lld GPU%s", devices, devices == 1 ? "" : "s");
        return;
    }
    checkup_missing(c, "CUDA", STOPS_BOTH, "CUDA does not start: %s (%s)", json_get_text(cuda, "words", "no GPU"),
                    *error ? error : "cudaErrorNoDevice");
    if (!strcmp(error, "cudaErrorInsufficientDriver"))
        advise_newer_driver(needed, c);
    else
        checkup_advise(c, "%s", advice_for(*error ? error : "cudaErrorNoDevice"));
}

static void version_text(char text[static 48], long long version)
{
    snprintf(text, 48, "%lld.%lld", version / 1000, version % 1000 / 10);
}

/* The runtime is in the runner; the driver must know at least its major version. */
static void check_versions(const json_t *cuda, const char *needed, struct checkup *c)
{
    const long long runtime = json_get_integer(cuda, "runtime", 0), driver = json_get_integer(cuda, "driver_api", 0);
    char runtime_text[48], driver_text[48];
    version_text(runtime_text, runtime);
    version_text(driver_text, driver);
    if (!driver)
        return; /* said above */
    if (driver >= runtime) {
        checkup_ok(c, "CUDA versions", "runtime %s, the driver knows %s", runtime_text, driver_text);
    } else if (driver / 1000 == runtime / 1000) {
        checkup_note(c, "CUDA versions", "runtime %s, the driver knows only %s", runtime_text, driver_text);
        checkup_advise(
            c, "within one major version programs run, but PTX of the newer one does not; update the driver if a "
               "kernel has no machine code for this GPU");
    } else {
        checkup_missing(c, "CUDA versions", STOPS_BOTH, "runtime %s, but the driver knows only %s", runtime_text,
                        driver_text);
        advise_newer_driver(needed, c);
    }
}

/* Where is a libcuda whose version is in its file name: libcuda.so.580.159.03? */
static void check_forward_compatibility(const json_t *cuda, const char *module, struct checkup *c)
{
    const char *path = json_get_text(cuda, "library", ""), *name = strstr(path, "libcuda.so.");
    const char *version = name ? name + strlen("libcuda.so.") : "";
    if (!*path)
        return;
    if (!strchr(version, '.') || !*module || !strcmp(version, module)) {
        checkup_ok(c, "forward compatibility", "not in use: libcuda is '%s'", path);
        return;
    }
    checkup_note(c, "forward compatibility",
                 "libcuda is '%s', the kernel module is %s: a compatibility package is in use", path, module);
    checkup_advise(c,
                   "programs run; if CUPTI or counters fail, take the package out of the loader's path (or update the "
                   "driver) and try again");
}

void check_driver(const struct doctor_input *in, struct checkup *c)
{
    char module[MACHINE_LINE_BYTES] = "";
    const json_t *cuda = json_object_get(in->probe, "cuda");
    kernel_module_version(in->machine, module);
    check_kernel_module(in, module, c);
    if (!cuda)
        return;
    check_cuda_starts(cuda, driver_needed(in), c);
    check_versions(cuda, driver_needed(in), c);
    check_forward_compatibility(cuda, module, c);
}
