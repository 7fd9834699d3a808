/* Which groups of checks are there? */
#include "cli/doctor/doctor.h"

#include "core/base/count_of.h"

static const struct {
    const char *name;
    void (*check)(const struct doctor_input *in, struct checkup *c);
} groups[] = {
    {"installation", check_installation},
    {"driver", check_driver},
    {"gpu", check_gpus},
    {"links", check_links},
    {"cupti", check_cupti},
    {"counters", check_counters},
    {"profilers", check_profilers},
    {"limits", check_process_limits},
    {"storage", check_storage},
};

void doctor_examine(const struct doctor_input *in, struct checkup *c)
{
    for (size_t i = 0; i < COUNT_OF(groups); i++) {
        c->group = groups[i].name;
        groups[i].check(in, c);
    }
}
