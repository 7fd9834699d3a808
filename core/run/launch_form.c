/* By which text is a form of a launch known? */
#include "core/run/launch_form.h"

#include <ctype.h>
#include <stdlib.h>

void launch_form_add(struct str *out, const struct cpprof_event *kernel, const char *symbol)
{
    const uint32_t block[3] = {kernel->block[0], kernel->block[1], kernel->block[2]};
    str_addf(out, "%llu ", (unsigned long long)kernel->shared_static_bytes + kernel->shared_dynamic_bytes);
    launch_key_add(out, kernel->grid, block, symbol);
}

bool launch_form_read(struct launch_form *out, const char *text)
{
    char *end;
    if (!isdigit((unsigned char)*text))
        return false;
    out->shared_bytes = strtoull(text, &end, 10);
    return *end == ' ' && launch_key_read(&out->key, end + 1);
}
