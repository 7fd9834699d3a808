/* Who reads the traces of this program? It is the same for whatever command the process runs. */
#include "cli/parts/program_parts.h"

#include <stddef.h>

static struct part_source *reading;

void program_parts_set(struct part_source *source)
{
    reading = source;
}

struct part_source *program_parts(void)
{
    return reading;
}
