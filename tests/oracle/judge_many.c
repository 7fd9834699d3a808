/* What do rules say of many traces? For oracles that try more traces than programs can be started.
 *
 *     judge_many < LINES
 *
 * A line has the path of a trace and rules, with a tab in front of each rule, and so may have --range=REGEX and
 * --comm=REGEX. Each is answered with the document of `cpprof check --format json`, or {"error": ...}, on a line of its
 * own. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/trace_check.h"
#include "core/base/json.h"

enum { RULES_MAX = 64 };

static json_t *judge(const struct trace_check_options *options)
{
    struct err e = {0};
    struct trace_check check = {0};
    json_t *answer = NULL;
    if (!trace_check_do(&check, options, false, &e)) {
        const struct check_report report = trace_check_report(&check, options);
        answer = json_check(&report);
    }
    trace_check_release(&check);
    return answer ? answer : json_pack("{ss}", "error", e.text);
}

static void add_word(struct trace_check_options *options, const char *word)
{
    if (!strncmp(word, "--range=", 8))
        options->scope.range = word + 8;
    else if (!strncmp(word, "--comm=", 7))
        options->scope.comm = word + 7;
    else
        options->rules[options->rule_count++].text = word;
}

static int answer_line(char *line)
{
    char *rest = line;
    const char *path = strsep(&rest, "\t");
    struct rule_option rules[RULES_MAX] = {0};
    struct trace_check_options options = {.traces = &path, .trace_count = 1, .rules = rules};
    while (rest && options.rule_count < RULES_MAX)
        add_word(&options, strsep(&rest, "\t"));
    json_t *answer = judge(&options);
    const int failed = !answer || json_dumpf(answer, stdout, JSON_COMPACT) || putchar('\n') < 0 || fflush(stdout);
    json_decref(answer);
    return failed;
}

int main(void)
{
    char *line = NULL;
    size_t room = 0;
    int failed = 0;
    for (ssize_t got; !failed && (got = getline(&line, &room, stdin)) > 0;) {
        line[got - 1] = '\0';
        failed = answer_line(line);
    }
    free(line);
    return failed;
}
