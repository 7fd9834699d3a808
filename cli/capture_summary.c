/* What is in the capture that has just been made? */
#include "cli/capture_summary.h"

#include <stdio.h>

#include "analyzers/capture/capture_facts.h"
#include "base/str.h"
#include "reports/capture_report.h"

int capture_summary(const char *path, bool is_profile, struct err *e)
{
    struct capture_facts facts;
    struct document d;
    struct str text;
    document_init(&d);
    str_init(&text);
    int rc = capture_facts_open(&facts, path, e);
    if (!rc && is_profile)
        rc = capture_facts_measure(&facts, e);
    if (!rc)
        rc = is_profile ? report_profile_summary(&facts, path, &d, e) : report_capture_summary(&facts, path, &d, e);
    if (!rc && document_format_by_name("text")->render(&d, &view_everything, &text))
        rc = err_memory(e);
    if (!rc)
        fputs(str_text(&text), stderr);
    capture_facts_release(&facts);
    str_release(&text);
    document_release(&d);
    return rc;
}
