/* Which cpprof is this? */
#include "build_stamp.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/record/messages.h"

int cmd_version(int argc, char **argv)
{
    static const struct argp argp = {.doc = "Shows the version, the commit and the build of this cpprof."};
    command_parse(&argp, argc, argv, NULL);
    static const char text[] = "cpprof " CPPROF_VERSION "\ncommit " CPPROF_COMMIT "\nbuild  " CPPROF_BUILD_FLAGS "\n";
    struct err e = {0};
    return output_write(NULL, false, text, sizeof text - 1, &e) ? message_error(&e) : EXIT_PASS;
}
