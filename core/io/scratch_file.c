/* Where is data kept that does not fit in memory? */
#define _GNU_SOURCE
#include "core/io/scratch_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/files.h"
#include "core/base/str.h"

const char *scratch_place(void)
{
    const char *folder = getenv("TMPDIR");
    return folder && *folder ? folder : "/tmp";
}

int scratch_folder_make(struct str *out, struct err *e)
{
    files_join(out, scratch_place(), "cpprof-XXXXXX");
    if (out->failed)
        return err_memory(e);
    return mkdtemp(out->text)
               ? 0
               : err_set(e, ERR_ENVIRONMENT, "cannot make a folder in '%s': %s; set TMPDIR to one with room",
                         scratch_place(), strerror(errno));
}

int scratch_file_open(struct err *e)
{
    const char *folder = scratch_place();
    struct str path;
    str_init(&path);
    files_join(&path, folder, "cpprof-XXXXXX");
    int fd = -1;
    if (path.failed)
        fd = err_memory(e);
    else if ((fd = mkostemp(path.text, O_CLOEXEC)) >= 0)
        unlink(path.text);
    else
        fd = err_set(e, ERR_ENVIRONMENT, "cannot create a temporary file in '%s': %s; set TMPDIR to a folder with room",
                     folder, strerror(errno));
    str_release(&path);
    return fd;
}

int scratch_file_stream(FILE **out, struct err *e)
{
    *out = NULL;
    int fd = scratch_file_open(e);
    if (fd < 0)
        return fd;
    *out = fdopen(fd, "w+b");
    if (*out)
        return 0;
    close(fd);
    return err_memory(e);
}

int scratch_file_full(struct err *e)
{
    return err_set(e, ERR_ENVIRONMENT,
                   "cannot copy the input to a temporary file: %s; set TMPDIR to a folder with room", strerror(errno));
}
