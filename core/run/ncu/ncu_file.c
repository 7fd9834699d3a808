/* Which launches are in this file? */
#include "core/run/ncu/ncu_file.h"

#include "core/io/input_export.h"
#include "core/io/input_file.h"
#include "core/run/ncu/ncu_csv.h"

int imported_launches_read(struct imported_launches *out, const char *path, struct err *e)
{
    struct input_file in;
    int rc = input_file_open(&in, path, &out->caveats, e);
    if (!rc)
        rc = input_export(&in, TOOL_REPORT_NCU, e);
    if (rc)
        return rc;
    rc = ncu_csv_read(&in.input, out, e);
    input_file_close(&in);
    return rc;
}
