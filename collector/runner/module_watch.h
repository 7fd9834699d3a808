/* module_watch.h - which machine code does CUDA load? The images of cubins as
 * CUPTI shows them: what really runs, also when the driver compiled it from PTX. */
#ifndef CPPROF_MODULE_WATCH_H
#define CPPROF_MODULE_WATCH_H

#include <stddef.h>

#include "base/err.h"
#include "collector/dynload/cupti_api.h"

/* Called on the thread that loads; the image is gone afterwards. */
typedef void (*module_seen)(const void *image, size_t bytes);

/* Watches module loads from now on; one watcher a process. */
int module_watch_start(const struct cupti_api *api, module_seen seen, struct err *e);

#endif
