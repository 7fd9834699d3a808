/* What does it cost to launch it? */
#include "analyzers/entries.h"
#include "analyzers/launch/launch_costs.h"
#include "bundle/bundle.h"
#include "run/launches.h"

int launch_analyze(struct analysis *a, struct err *e)
{
    if (!a->bundle->path)
        return 0;
    struct launch_list launches;
    launch_list_init(&launches);
    int rc = launches_read(&launches, a->bundle->path, e);
    if (!rc)
        rc = launch_costs_add(a, &launches, e);
    if (rc == ERR_INPUT)
        rc = 0; /* an unusable trace: the selection says why, the rest still speaks */
    launch_list_release(&launches);
    return rc;
}
