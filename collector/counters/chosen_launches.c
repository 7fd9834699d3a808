/* Is this launch one of those that were chosen? */
#define _GNU_SOURCE
#include "collector/counters/chosen_launches.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/launch_key.h"
#include "core/base/strtab.h"

struct listed {
    char *numbers; /* what is left of them: "7,12,90" */
    long seen;
};

struct chosen_launches {
    struct strtab texts;
    ARRAY_OF(struct listed) kernels; /* index: id of the text minus 1 */
    struct str text;                 /* of the launch that is being looked at */
};

static int take_line(struct chosen_launches *c, const char *path, char *line, struct err *e)
{
    struct launch_key key;
    char *blank = strchr(line, ' ');
    line[strcspn(line, "\n")] = '\0';
    if (!blank || strspn(line, "0123456789,?") != (size_t)(blank - line) || !launch_key_read(&key, blank + 1))
        return err_set(e, ERR_INPUT, "%s: '%.200s' names no launches", path, line);
    *blank = '\0';
    const size_t before = strtab_count(&c->texts);
    if (!strtab_add(&c->texts, blank + 1))
        return err_memory(e);
    if (strtab_count(&c->texts) == before)
        return err_set(e, ERR_INPUT, "%s: '%.200s' is there twice", path, blank + 1);
    struct listed *listed = ARRAY_PUSH(&c->kernels);
    if (!listed || !(listed->numbers = strdup(line)))
        return err_memory(e);
    return 0;
}

int chosen_launches_read(struct chosen_launches **out, const char *path, struct err *e)
{
    struct chosen_launches *c = *out = calloc(1, sizeof *c);
    FILE *file = c ? fopen(path, "re") : NULL;
    char *line = NULL;
    size_t bytes = 0;
    if (!c)
        return err_memory(e);
    if (!file)
        return err_set(e, ERR_ENVIRONMENT, "cannot read '%s': %s", path, strerror(errno));
    strtab_init(&c->texts);
    str_init(&c->text);
    int rc = 0;
    while (!rc && getline(&line, &bytes, file) >= 0)
        rc = take_line(c, path, line, e);
    free(line);
    fclose(file);
    return rc;
}

/* Numbers ascend, as launches do. */
static enum launch_choice choose(struct listed *listed)
{
    char *end;
    if (!*listed->numbers || strtol(listed->numbers, &end, 10) != listed->seen)
        return LAUNCH_LISTED;
    const enum launch_choice choice = *end == '?' ? LAUNCH_WELCOME : LAUNCH_CHOSEN;
    end += strspn(end, "?,");
    memmove(listed->numbers, end, strlen(end) + 1);
    return choice;
}

enum launch_choice chosen_launches_take(struct chosen_launches *c, const char *symbol, const uint32_t grid[3],
                                        const uint32_t block[3], long *number, const char **text)
{
    str_clear(&c->text);
    launch_key_add(&c->text, grid, block, symbol);
    const uint32_t id = strtab_find(&c->texts, str_text(&c->text));
    if (!id || c->text.failed)
        return LAUNCH_OF_OTHERS;
    struct listed *listed = &c->kernels.items[id - 1];
    const enum launch_choice choice = choose(listed);
    *number = listed->seen++;
    *text = strtab_text(&c->texts, id);
    return choice;
}
