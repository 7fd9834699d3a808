/* What is in the capture that has just been made? */
#include "cli/capture_summary.h"

#include "analyzers/capture/capture_facts.h"
#include "cli/output.h"
#include "reports/capture_report.h"

int capture_summary(const char *path, bool is_profile, struct err *e)
{
    struct capture_facts facts;
    struct document d;
    document_init(&d);
    int rc = capture_facts_open(&facts, path, NULL, e);
    if (!rc && is_profile)
        rc = capture_facts_measure(&facts, e);
    if (!rc)
        rc = is_profile ? report_profile_summary(&facts, path, &d, e) : report_capture_summary(&facts, path, &d, e);
    if (!rc)
        rc = output_summary(&d, e);
    capture_facts_release(&facts);
    document_release(&d);
    return rc;
}
