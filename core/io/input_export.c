/* Is this the report of a tool, which that tool can export as something that is read here? */
#define _GNU_SOURCE
#include "core/io/input_export.h"

#include <sys/stat.h>

#include "core/io/known_input.h"

#define NCU_MAGIC "NVR"

static input_exporter *exporter; /* set once, when the program starts */

void input_export_by(input_exporter *new_exporter)
{
    exporter = new_exporter;
}

enum tool_report tool_report_of(const struct open_input *input)
{
    static const struct known_input of_ncu[] = {{KNOWN_MAGIC(NCU_MAGIC)}, {.suffix = ".ncu-rep"}};
    static const struct known_input of_nsys[] = {{.suffix = ".nsys-rep"}, {.suffix = ".qdrep"}};
    if (!input->file || !input_is_binary(input))
        return TOOL_REPORT_NONE;
    if (known_input_find(of_ncu, 2, input))
        return TOOL_REPORT_NCU;
    return known_input_find(of_nsys, 2, input) ? TOOL_REPORT_NSYS : TOOL_REPORT_NONE;
}

/* A tool opens the path by itself: what we unpacked, or got from a pipe, is not there. */
static bool is_what_the_path_names(const struct open_input *input)
{
    struct stat opened, named;
    return !fstat(fileno(input->file), &opened) && !stat(input->path, &named) && S_ISREG(named.st_mode) &&
           opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

int input_export(struct input_file *in, enum tool_report wanted, struct err *e)
{
    FILE *exported = NULL;
    if (!exporter || tool_report_of(&in->input) != wanted || !is_what_the_path_names(&in->input))
        return 0;
    int rc = exporter(in->input.path, wanted, &exported, e);
    if (!rc && exported) {
        in->input.is_export = true;
        rc = input_file_replace(in, exported, e);
    }
    if (rc)
        input_file_close(in);
    return rc;
}
