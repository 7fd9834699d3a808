/* oldest_driver.h - which driver do our calls need? */
#ifndef CPPROF_OLDEST_DRIVER_H
#define CPPROF_OLDEST_DRIVER_H

/* Returns the oldest branch of the driver that works with a runner of this CUDA version, as CUDA counts (13000 is
 * 13.0): "580". A version that is not known is taken for the newest. The runtime decides: a driver serves all minor
 * versions of its major one (CUDA's release notes, "Minor Version Compatibility"), and of the driver's own functions we
 * look up none that is newer than CUDA 12.0. tests/guards/driver_calls.sh holds that. */
const char *oldest_driver(long long cuda_version);

#endif
