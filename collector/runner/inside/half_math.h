/* half_math.h - which kernels do half-precision math on data? ptxas also makes constants by HFMA2, of RZ and an
 * immediate, and their number changes with the schedule. */
#ifndef CPPROF_HALF_MATH_H
#define CPPROF_HALF_MATH_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/base/json.h"

struct runner;
struct run_case;

/* Counts in one section of machine code the HFMA2 that have a source other than RZ and an immediate. `sm` is its
 * compute capability, 90 for 9.0. */
size_t half_math_count(const unsigned char *code, size_t bytes, unsigned sm);

/* Watches the modules that are loaded from now on. Without CUPTI nothing is known, which is no error. */
void half_math_start(void);

/* Adds the kernels of one cubin (an ELF64 image); anything else is ignored. */
void half_math_add_cubin(const void *image, size_t bytes);

/* Launches the arm once, so that its code is loaded. */
int half_math_load(struct runner *r, const struct run_case *c, struct err *e);

/* Adds `half_math` to the report of a process: the counts of all kernels that were loaded, by symbol. */
void half_math_report(json_t *report);

#endif
