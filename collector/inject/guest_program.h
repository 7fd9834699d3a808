/* guest_program.h - what can be known of the program before it has done anything. */
#ifndef CPPROF_GUEST_PROGRAM_H
#define CPPROF_GUEST_PROGRAM_H

#include "base/err.h"

/* ERR_ENVIRONMENT when the program is itself linked with CUPTI. Such a one may have
 * registered for its records before CUDA begins; CUPTI serves one, the last, and
 * does not tell who was there before. */
int guest_program_profiles_itself(struct err *e);

#endif
