/* doctor_report.h - what `doctor` prints of a checkup. */
#ifndef CPPROF_DOCTOR_REPORT_H
#define CPPROF_DOCTOR_REPORT_H

#include "cli/doctor/checkup.h"
#include "core/base/err.h"
#include "reports/document/document.h"

/* One answer first, then what to do, the checks, the GPUs, the matrix of links. */
int report_doctor(const struct checkup *c, struct document *out, struct err *e);

/* The tables of cpprof.ceilings/1 (ceilings_report.c). */
void doctor_ceilings_add(const json_t *ceilings, struct document *d);

json_t *json_doctor(const struct checkup *c); /* cpprof.doctor/1, docs/doctor.md */

#endif
