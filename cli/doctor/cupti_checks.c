/* Which CUPTI do we use, which others may a program bring, does it record what runs, and is somebody else in its
 * place? */
#include "cli/doctor/doctor.h"
#include "core/base/count_of.h"

/* The runner looked for them as the collector does in a program (collector/dynload/cupti_search.c). */
static void check_copies(const json_t *copies, struct checkup *c)
{
    static const char *const name = "other copy of CUPTI";
    size_t others = 0;
    for (size_t i = 0; i < json_array_size(copies); i++) {
        const json_t *copy = json_array_get(copies, i);
        const char *why = json_get_text(copy, "why", ""), *cuda = json_get_text(copy, "cuda", "");
        if (*why) {
            checkup_ok(c, name, "'%s' (%s%s%s): %s", json_get_text(copy, "path", ""), json_get_text(copy, "found", ""),
                       *cuda ? ", CUDA " : "", cuda, why);
            others++;
        }
    }
    if (!others)
        checkup_ok(c, name, "none in Python's packages, conda, the loader's path and toolkits");
}

/* By CUPTI_API_VERSION. An update of a toolkit may keep the number, so some have the fault no more. */
static void check_faults(long long version, struct checkup *c)
{
    static const struct {
        long long first, last;
        const char *fault, *source;
    } faults[] = {
        {22, 23, "12.4 Update 1 and 12.5 trace no kernels; mended in 12.5 Update 1",
         "https://github.com/JuliaGPU/CUDA.jl/issues/2328"},
        {130000, 130000,
         "13.0 has no records of cudaDeviceSynchronize, and may deadlock when tracing ends; mended in 13.0 Update 1",
         "https://forums.developer.nvidia.com/t/341320"},
        {130100, 130100,
         "13.1 gives graph launches wrong correlation ids after a first session; mended in 13.1 Update 1",
         "https://docs.nvidia.com/cupti/release-notes/release-notes.html"},
        {130400, 130400, "13.4 takes ever more CPU time in a long trace; mended in 13.4 Update 1",
         "https://forums.developer.nvidia.com/t/383026"},
    };
    for (size_t i = 0; i < COUNT_OF(faults); i++)
        if (version >= faults[i].first && version <= faults[i].last) {
            checkup_note(c, "CUPTI's faults", "%s", faults[i].fault);
            checkup_advise(c, "use the CUPTI of a later toolkit that the driver knows (%s)", faults[i].source);
        }
}

/* A CUPTI that is older than the GPU refuses nothing and records nothing: github.com/parca-dev/parcagpu/issues/24. */
static void check_records(const json_t *records, struct checkup *c)
{
    const char *error = json_get_text(records, "error", "");
    if (!records)
        return;
    if (!*error && json_get_integer(records, "kernels", 0) > 0) {
        checkup_ok(c, "CUPTI's records", "a kernel of our own has one");
        return;
    }
    checkup_missing(c, "CUPTI's records", STOPS_BOTH, "%s", *error ? error : "a kernel of our own ran and has none");
    checkup_advise(c, "traces would be empty: a CUPTI that is older than the GPU may record nothing; install that of a "
                      "newer toolkit, or set CPPROF_CUPTI to the file");
}

static void check_library(const json_t *cupti, struct checkup *c)
{
    const char *error = json_get_text(cupti, "error", "");
    if (*error) {
        checkup_missing(c, "CUPTI", STOPS_BOTH, "%s", error);
        checkup_advise(
            c, "traces and counters need it: install the toolkit's CUPTI, add its folder to LD_LIBRARY_PATH, or set "
               "CPPROF_CUPTI to the file");
        return;
    }
    checkup_ok(c, "CUPTI", "'%s', API version %lld, found through: %s", json_get_text(cupti, "library", "libcupti.so"),
               json_get_integer(cupti, "version", 0), json_get_text(cupti, "found", "unknown"));
}

/* What the runner's own subscription met. */
static void check_subscriber(const json_t *cupti, struct checkup *c)
{
    const char *other = json_get_text(cupti, "subscriber", ""), *error = json_get_text(cupti, "subscribe_error", "");
    if (*json_get_text(cupti, "error", "") || !json_object_get(cupti, "subscribe_error"))
        return;
    if (!*error) {
        checkup_ok(c, "CUPTI's subscriber", "the place is free");
        return;
    }
    checkup_missing(c, "CUPTI's subscriber", STOPS_BOTH, "%s%s%s%s", error, *other ? ": '" : "", other,
                    *other ? "'" : "");
    checkup_advise(
        c, *other ? "another profiler is in every CUDA process that starts from here: run cpprof outside of it, and "
                    "see the environment below"
                  : "CUPTI cannot be used here: see the driver and the counters");
}

void check_cupti(const struct doctor_input *in, struct checkup *c)
{
    const json_t *cupti = json_object_get(in->probe, "cupti");
    if (!cupti)
        return;
    check_library(cupti, c);
    check_copies(json_object_get(cupti, "copies"), c);
    check_faults(json_get_integer(cupti, "version", 0), c);
    check_subscriber(cupti, c);
    check_records(json_object_get(in->probe, "records"), c);
}
