/* Is there room where a bundle would go, and is the place fast enough? */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/doctor/doctor.h"
#include "core/base/count_of.h"
#include "core/base/units.h"

/* Less than the first holds no run, less than the second no long capture. */
static const uint64_t too_little_bytes = 16 * 1024 * 1024, little_bytes = 2ULL * 1024 * 1024 * 1024;
enum { FEW_FILES = 1000 };

static const char *advice_on_kind(const char *kind)
{
    static const struct {
        const char *kind, *advice;
    } table[] = {
        {"tmpfs", "it is memory: what a bundle takes the programs lack"},
        {"ramfs", "it is memory: what a bundle takes the programs lack"},
        {"nfs", "over the network a fast capture may have to drop records: write to a local disk"},
        {"cifs", "over the network a fast capture may have to drop records: write to a local disk"},
        {"fuse", "through a FUSE file system a fast capture may have to drop records: write to a local disk"},
    };
    for (size_t i = 0; i < COUNT_OF(table); i++)
        if (!strcmp(table[i].kind, kind))
            return table[i].advice;
    return "";
}

static void judge_room(const struct machine_space *space, const char *path, struct checkup *c)
{
    char left[UNITS_TEXT_BYTES];
    const char *advice = advice_on_kind(space->kind), *open = *space->kind ? " (" : "",
               *close = *space->kind ? ")" : "";
    unit_format(left, UNIT_BYTES, (double)space->free_bytes);
    if (space->free_bytes < too_little_bytes || !space->free_files) {
        checkup_missing(c, "room for bundles", STOPS_BOTH, "'%s'%s%s%s: %s free%s", path, open, space->kind, close,
                        left, space->free_files ? "" : ", and no more files");
        checkup_advise(c, "make room, or write elsewhere with -o");
    } else if (space->free_bytes < little_bytes || space->free_files < FEW_FILES || *advice) {
        checkup_note(c, "room for bundles", "'%s'%s%s%s: %s free", path, open, space->kind, close, left);
        checkup_advise(c, "%s",
                       *advice ? advice : "a run takes a few MiB, a long capture some GiB: write elsewhere with -o");
    } else {
        checkup_ok(c, "room for bundles", "'%s'%s%s%s: %s free", path, open, space->kind, close, left);
    }
}

void check_storage(const struct doctor_input *in, struct checkup *c)
{
    struct machine_space space;
    const char *path = in->bundle_directory;
    if (access(path, W_OK | X_OK)) {
        checkup_missing(c, "room for bundles", STOPS_BOTH, "'%s' cannot be written to: %s", path, strerror(errno));
        checkup_advise(c, "change to another folder, or name one with -o");
        return;
    }
    if (in->machine->space(path, &space)) {
        judge_room(&space, path, c);
    } else {
        checkup_note(c, "room for bundles", "'%s': the free space is not known", path);
        checkup_advise(c, "look with `df`; a run takes a few MiB, a long capture some GiB");
    }
}
