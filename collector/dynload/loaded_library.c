/* Which file was this library loaded from? */
#define _GNU_SOURCE
#include "collector/dynload/loaded_library.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>

_Static_assert(LIBRARY_PATH_BYTES >= PATH_MAX, "realpath needs the room");

const char *loaded_library_path(void *library, char path[static LIBRARY_PATH_BYTES])
{
    struct link_map *map = NULL;
    path[0] = '\0';
    if (library && !dlinfo(library, RTLD_DI_LINKMAP, &map) && map->l_name && !realpath(map->l_name, path))
        snprintf(path, LIBRARY_PATH_BYTES, "%s", map->l_name);
    return path;
}
