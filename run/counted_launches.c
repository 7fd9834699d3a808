/* Which launches did another tool count? */
#include "run/counted_launches.h"

#include <stdlib.h>

enum { TEXT_BYTES_MAX = 128 * 1024 * 1024 };

void counted_launches_init(struct counted_launches *list)
{
    *list = (struct counted_launches){0};
    strtab_init(&list->texts);
    list->texts.size_bytes_max = TEXT_BYTES_MAX;
    caveat_list_init(&list->caveats);
}

void counted_launches_release(struct counted_launches *list)
{
    free(list->items);
    strtab_release(&list->texts);
    caveat_list_release(&list->caveats);
    *list = (struct counted_launches){0};
}
