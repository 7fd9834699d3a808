/* Which process runs solutions that are functions of Python files? */
#include "cli/record/python_runner.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/files.h"
#include "core/base/str.h"
#include "core/base/words.h"

bool python_runner_takes(const char *load)
{
    const size_t name = words_name_length(load);
    return name && words_python_length(load + name + 1);
}

bool python_runner_is_needed(const struct runner_arguments *a)
{
    for (size_t i = 0; i < a->count; i++) {
        const char *load = runner_argument_value(a->items[i], "--load=");
        if (load && python_runner_takes(load))
            return true;
    }
    return false;
}

static int add_beside(struct runner_arguments *out, const char *runner, const char *name, struct err *e)
{
    const char *slash = strrchr(runner, '/');
    const int folder = slash ? (int)(slash - runner) : 1;
    const int rc = runner_argument(out, e, "%.*s/%s", folder, slash ? runner : ".", name);
    if (rc || files_exists(out->items[out->count - 1]))
        return rc;
    return err_set(e, ERR_ENVIRONMENT, "'%s' was not found: it runs the functions of Python files that are solutions",
                   out->items[out->count - 1]);
}

/* What a module warns of at its import would stand before the error of a process that fails. */
int python_runner_arguments(struct runner_arguments *out, const char *runner, const struct runner_arguments *a,
                            struct err *e)
{
    const char *python = getenv("CPPROF_PYTHON");
    int rc = runner_argument(out, e, "%s", python && *python ? python : "python3");
    if (!rc)
        rc = runner_argument(out, e, "-Wignore");
    if (!rc)
        rc = add_beside(out, runner, "cpprof_python.py", e);
    if (!rc)
        rc = add_beside(out, runner, "cpprof-runner-python.so", e);
    for (size_t i = 1; i < a->count && !rc; i++)
        rc = runner_argument(out, e, "%s", a->items[i]);
    return rc;
}
