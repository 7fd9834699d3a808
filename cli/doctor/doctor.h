/* doctor.h - what does this machine allow, and what to do about the rest? One
 * file per group of checks, one line of the table in doctor.c each. */
#ifndef CPPROF_DOCTOR_H
#define CPPROF_DOCTOR_H

#include "cli/doctor/checkup.h"
#include "cli/doctor/machine.h"

struct doctor_input {
    const struct machine *machine;
    const json_t *probe;          /* cpprof.probe/1 (docs/doctor.md); NULL when the runner left none */
    const char *probe_error;      /* then why */
    const char *injection;        /* the library that `capture` would use; NULL: there is none in its places */
    const char *bundle_directory; /* where a bundle would be written */
};

/* Makes every check. The checkup keeps no pointer into the input but the probe. */
void doctor_examine(const struct doctor_input *in, struct checkup *c);

/* The groups, in the order in which they are shown. */
void check_installation(const struct doctor_input *in, struct checkup *c);
void check_driver(const struct doctor_input *in, struct checkup *c);
void check_gpus(const struct doctor_input *in, struct checkup *c);
void check_links(const struct doctor_input *in, struct checkup *c);
void check_cupti(const struct doctor_input *in, struct checkup *c);
void check_counters(const struct doctor_input *in, struct checkup *c);
void check_profilers(const struct doctor_input *in, struct checkup *c);
void check_process_limits(const struct doctor_input *in, struct checkup *c);
void check_storage(const struct doctor_input *in, struct checkup *c);

/* Has this process one of the capabilities that open the counters? They hold
 * for the programs that it starts, too. */
bool doctor_may_profile(const struct machine *m);

#endif
