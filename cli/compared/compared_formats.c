/* How do verdicts reach a CI server? */
#include "cli/compared/compared_formats.h"

#include <string.h>

#include "cli/record/messages.h"

enum { CSV, JUNIT, GITHUB, FORMAT_COUNT };

const struct other_format compared_formats[] = {
    [CSV] = {"csv", ".csv"}, [JUNIT] = {"junit", NULL}, [GITHUB] = {"github", NULL}, {0}};

typedef int verdicts_renderer(const struct verdict_rows *r, struct str *out, struct err *e);
static verdicts_renderer *const renderers[FORMAT_COUNT] = {[JUNIT] = junit_verdicts, [GITHUB] = github_verdicts};

static verdicts_renderer *renderer_of(const char *format)
{
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        if (!strcmp(compared_formats[i].name, format))
            return renderers[i];
    return NULL;
}

bool compared_is_verdicts(const char *format)
{
    return renderer_of(format) != NULL;
}

int compared_write_verdicts(struct verdict_rows *r, enum exit_status status, const char *format, const char *output,
                            bool force, struct err *e)
{
    struct str text;
    str_init(&text);
    int rc = verdict_rows_add_status(r, status, e);
    if (!rc)
        rc = renderer_of(format)(r, &text, e);
    if (!rc)
        rc = output_write(output, force, str_text(&text), text.length, e);
    str_release(&text);
    return rc;
}

void compared_write_failure(const char *first, const char *second, const struct err *why, const char *format,
                            const char *output, bool force)
{
    struct err e = {0};
    struct verdict_rows rows;
    int rc = verdict_rows_of_failure(&rows, first, second, why, &e);
    if (!rc)
        rc = compared_write_verdicts(&rows, err_exit_status(why->code), format, output, force, &e);
    if (rc)
        message_note("%s", e.text);
    verdict_rows_release(&rows);
}
