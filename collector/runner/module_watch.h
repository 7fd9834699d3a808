/* module_watch.h - which machine code does CUDA load? The images of cubins as CUPTI shows them: the code that really
 * runs, even if the driver compiled it from PTX. */
#ifndef CPPROF_MODULE_WATCH_H
#define CPPROF_MODULE_WATCH_H

#include <stddef.h>

#include "collector/dynload/cupti_api.h"
#include "core/base/err.h"

/* Called on the thread that loads. The image is only valid during the call. */
typedef void (*module_seen)(const void *image, size_t bytes);

/* Watches module loads from now on. One watcher per process. */
int module_watch_start(const struct cupti_api *api, module_seen seen, struct err *e);

#endif
