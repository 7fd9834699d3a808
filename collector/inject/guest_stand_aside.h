/* guest_stand_aside.h - must CUPTI be left to the program? */
#ifndef CPPROF_GUEST_STAND_ASIDE_H
#define CPPROF_GUEST_STAND_ASIDE_H

#include "base/err.h"

/* ERR_ENVIRONMENT when the program is itself linked with CUPTI. Such a one may have
 * registered for its records before CUDA begins; CUPTI serves one, the last, and
 * does not tell who was there before. */
int guest_stand_aside(struct err *e);

#endif
