/* guest_stand_aside.h - must CUPTI be left to the program? */
#ifndef CPPROF_GUEST_STAND_ASIDE_H
#define CPPROF_GUEST_STAND_ASIDE_H

#include "core/base/err.h"

/* Returns ERR_ENVIRONMENT when the program is linked with CUPTI. It may have registered for CUPTI's records before CUDA
 * starts. CUPTI serves only the last one that registers, and does not report an earlier one. */
int guest_stand_aside(struct err *e);

#endif
