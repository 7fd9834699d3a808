/* May hardware counters be read? The driver's rule, our rights, and the real try. */
#include <stdlib.h>
#include <string.h>

#include "cli/doctor/doctor.h"
#include "core/base/count_of.h"

enum { CAPABILITY_SYS_ADMIN = 21, CAPABILITY_PERFMON = 38 };

bool doctor_may_profile(const struct machine *m)
{
    struct str status;
    char value[MACHINE_LINE_BYTES];
    str_init(&status);
    bool may = false;
    if (machine_read(m, "/proc/self/status", &status) && machine_field(str_text(&status), "CapEff", value)) {
        const unsigned long long mask = strtoull(value, NULL, 16);
        may = mask >> CAPABILITY_SYS_ADMIN & 1 || mask >> CAPABILITY_PERFMON & 1;
    }
    str_release(&status);
    return may;
}

/* 1 administrators only, 0 everybody, -1 unknown. The parameter is set as
 * NVreg_RestrictProfilingToAdminUsers and shown under another name. */
static int admin_only(const struct machine *m)
{
    static const char *const names[] = {"RmProfilingAdminOnly", "RestrictProfilingToAdminUsers"};
    struct str params;
    char value[MACHINE_LINE_BYTES];
    int answer = -1;
    str_init(&params);
    if (machine_read(m, "/proc/driver/nvidia/params", &params))
        for (size_t i = 0; i < COUNT_OF(names) && answer < 0; i++)
            if (machine_field(str_text(&params), names[i], value))
                answer = strtol(value, NULL, 10) != 0;
    str_release(&params);
    return answer;
}

static const char *const open_up =
    "run as root, or have the driver loaded with NVreg_RestrictProfilingToAdminUsers=0 (a line `options nvidia "
    "NVreg_RestrictProfilingToAdminUsers=0` in /etc/modprobe.d, then reboot); in a container on such a host: "
    "--cap-add=SYS_ADMIN";

static void check_permission(int restricted, bool may, struct checkup *c)
{
    if (restricted < 0) {
        checkup_ok(c, "counter permission", "the driver does not say (no /proc/driver/nvidia/params); this process %s",
                   may ? "has CAP_SYS_ADMIN or CAP_PERFMON" : "has neither CAP_SYS_ADMIN nor CAP_PERFMON");
    } else if (!restricted) {
        checkup_ok(c, "counter permission", "everybody may read counters");
    } else if (may) {
        checkup_ok(c, "counter permission", "administrators only; this process is one (CAP_SYS_ADMIN or CAP_PERFMON)");
    } else {
        checkup_note(c, "counter permission", "administrators only, and this process is none");
        checkup_advise(c, "%s", open_up);
    }
}

/* The rule may let us and the machine not: only the try counts. */
static void check_try(const json_t *counters, bool is_refused, struct checkup *c)
{
    const json_t *works = json_object_get(counters, "works");
    if (json_is_true(works)) {
        checkup_ok(c, "counters", "one was read on GPU %lld", json_get_integer(counters, "device", 0));
    } else if (json_is_false(works)) {
        checkup_missing(c, "counters", STOPS_RUN, "%s", json_get_text(counters, "error", "they cannot be read"));
        checkup_advise(c, "%s",
                       is_refused ? open_up
                                  : "`run` then times and verifies, but cannot prove which instructions ran nor what "
                                    "bounds a kernel; `capture` traces without them");
    }
}

void check_counters(const struct doctor_input *in, struct checkup *c)
{
    const int restricted = admin_only(in->machine);
    const bool may = doctor_may_profile(in->machine);
    check_permission(restricted, may, c);
    check_try(json_object_get(in->probe, "counters"), restricted == 1 && !may, c);
}
