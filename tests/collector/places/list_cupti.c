/* Which copies of CUPTI does a program find, and which does it take?
 * usage: list_cupti [every] [LIBRARY...]: loads these first, as a program would. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "collector/dynload/cupti_search.h"

int main(int count, char **arguments)
{
    struct cupti_search s;
    const int every = count > 1 && !strcmp(arguments[1], "every");
    for (int i = 1 + every; i < count; i++)
        if (!dlopen(arguments[i], RTLD_NOW | RTLD_LOCAL)) {
            fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
    cupti_search(&s, every);
    for (size_t i = 0; i < s.count; i++) {
        const struct cupti_place *p = &s.places[i];
        printf("%s | %s | %u | %s\n", p->kind, p->path, p->version, p == s.taken ? "taken" : p->why);
    }
    if (s.taken)
        cupti_load_counters_beside(s.taken->library);
    void *counters = dlopen("libnvperf_host.so", RTLD_NOW | RTLD_NOLOAD);
    struct link_map *map = NULL;
    if (counters && !dlinfo(counters, RTLD_DI_LINKMAP, &map))
        printf("counters | %s\n", map->l_name);
    cupti_search_release(&s);
    return 0;
}
