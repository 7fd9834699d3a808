/* command.h - the commands of cpprof: one function, one file, one table line each. */
#ifndef CPPROF_COMMAND_H
#define CPPROF_COMMAND_H

#include <argp.h>
#include <stddef.h>
#include <stdio.h>

#include "core/base/err.h"

/* argv[0] is the command's name; the result is the exit status (enum exit_status). */
struct command {
    const char *group; /* its heading in `cpprof help`; commands of a group stand together */
    const char *name;
    const char *summary; /* one line, for `cpprof help` */
    int (*run)(int argc, char **argv);
    const char *examples[2]; /* for its own help, without "cpprof "; paths are those of this tree */
};

extern const struct command command_table[];
extern const size_t command_count;

const struct command *command_find(const char *name); /* NULL when unknown */
const char *command_meant(const char *word);          /* our name of another tool's command; NULL: none */
int command_unknown(const char *name, struct err *e); /* ERR_USAGE, with the nearest name if one is close */
void command_usage(FILE *to);

/* argp_parse as every command uses it: options and operands in any order, `--`
 * ends the options, messages begin with "cpprof NAME". Does not return from
 * --help (exit 0) nor from a wrong command line (exit 2). */
void command_parse(const struct argp *argp, int argc, char **argv, void *input);

/* The same for a command that starts another one: the first operand ends the
 * options, as what follows it is that command's. */
void command_parse_in_order(const struct argp *argp, int argc, char **argv, void *input);

int cmd_aa(int argc, char **argv);
int cmd_bisect(int argc, char **argv);
int cmd_capture(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_classify(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_gaps(int argc, char **argv);
int cmd_help(int argc, char **argv);
int cmd_history(int argc, char **argv);
int cmd_init(int argc, char **argv);
int cmd_inside(int argc, char **argv);
int cmd_launch(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_merge(int argc, char **argv);
int cmd_overlap(int argc, char **argv);
int cmd_profile(int argc, char **argv);
int cmd_ranks(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_slack(int argc, char **argv);
int cmd_stats(int argc, char **argv);
int cmd_version(int argc, char **argv);

#endif
