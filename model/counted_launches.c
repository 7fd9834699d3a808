/* Which launches did another tool count? */
#include "model/counted_launches.h"

#include <stdlib.h>

#include "model/readers/input_file.h"
#include "model/readers/ncu_csv.h"

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

int counted_launches_read(struct counted_launches *out, const char *path, struct err *e)
{
    struct input_file in;
    int rc = input_file_open(&in, path, &out->caveats, e);
    if (rc)
        return rc;
    rc = ncu_csv_read(&in.input, out, e);
    input_file_close(&in);
    return rc;
}
