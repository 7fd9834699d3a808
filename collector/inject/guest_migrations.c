/* Does the program use memory whose pages migrate, and from when on are migrations recorded? */
#include "collector/inject/guest_migrations.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "collector/activity/record_kinds.h"
#include "collector/inject/guest_gpus.h"
#include "core/base/err.h"

static struct {
    atomic_flag asked;
    const char *what;
    struct err why; /* written once, before `told` */
    atomic_bool told;
} migrations = {.asked = ATOMIC_FLAG_INIT};

void guest_migrations_start(const struct cupti_api *api, int64_t late_ns)
{
    if (atomic_flag_test_and_set(&migrations.asked))
        return;
    migrations.what = "migrations";
    if (!record_kinds_migrations(api, guest_gpus_count(), &migrations.why)) {
        if (!late_ns)
            return;
        migrations.what = "early migrations";
        err_set(&migrations.why, ERR_ENVIRONMENT,
                "pages that moved in the first %lld ms of CUDA are not recorded: the program's managed memory was "
                "noticed then",
                (long long)((late_ns + 999999) / 1000000));
    }
    atomic_store(&migrations.told, true);
}

void guest_migrations_leave_out(void)
{
    if (atomic_flag_test_and_set(&migrations.asked))
        return;
    migrations.what = "migrations";
    err_set(
        &migrations.why, ERR_ENVIRONMENT,
        "it has managed memory, and how its pages move is recorded with --migrations only, which slows kernels that "
        "wait for pages");
    atomic_store(&migrations.told, true);
}

const char *guest_migrations_missing(const char **why)
{
    if (!atomic_load(&migrations.told))
        return NULL;
    *why = migrations.why.text;
    return migrations.what;
}
