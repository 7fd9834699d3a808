/* Which launches did another tool count? */
#include "core/run/imported_launches.h"

#include <stdlib.h>

enum { TEXT_BYTES_MAX = 128 * 1024 * 1024 };

void imported_launches_init(struct imported_launches *list)
{
    *list = (struct imported_launches){0};
    strtab_init(&list->texts);
    list->texts.size_bytes_max = TEXT_BYTES_MAX;
    caveat_list_init(&list->caveats);
}

void imported_launches_release(struct imported_launches *list)
{
    free(list->items);
    free(list->names.items);
    strtab_release(&list->texts);
    caveat_list_release(&list->caveats);
    *list = (struct imported_launches){0};
}
