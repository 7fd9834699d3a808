/* page_difference.h - does a page of docs/ say what was made from the tables? */
#ifndef CPPROF_PAGE_DIFFERENCE_H
#define CPPROF_PAGE_DIFFERENCE_H

#include <stdio.h>
#include <string.h>

/* Says the first line that differs, and the target of the build that writes the page anew. Returns 1, or 0 when none
 * does. */
static inline int page_difference(const char *path, const char *is, const char *should, const char *target)
{
    size_t line = 1, at = 0, start = 0;
    for (; is[at] == should[at] && is[at]; at++)
        if (is[at] == '\n') {
            line++;
            start = at + 1;
        }
    if (!is[at] && !should[at])
        return 0;
    fprintf(stderr, "%s:%zu: expected '%.*s', found '%.*s'; to write it anew: cmake --build BUILD --target %s\n", path,
            line, (int)strcspn(should + start, "\n"), should + start, (int)strcspn(is + start, "\n"), is + start,
            target);
    return 1;
}

#endif
