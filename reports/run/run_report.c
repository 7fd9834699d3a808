/* What does the report of a run consist of, and in which order? */
#include "reports/run/run_report.h"

#include "core/base/count_of.h"
#include "core/run/instrumented_arm.h"
#include "reports/reports.h"
#include "reports/run/run_cases.h"

/* Builds with marks stand beside what was asked for: they make no pair to many. */
static bool is_of_many(const struct analysis *a)
{
    size_t timings = 0;
    for (size_t i = 0; i < a->timings.count; i++)
        timings += !arm_is_instrumented(a->timings.items[i].arm);
    return a->comparisons.count > 1 || timings > 2;
}

/* What explains each kernel: of several solutions it is evidence, and whether they pass and how fast they are is the
 * page. */
typedef void part_of_run(const struct analysis *, struct document *);
static bool is_evidence(const struct analysis *a, part_of_run *part)
{
    static part_of_run *const explaining[] = {run_roofline_add, run_launches_add, run_timeline_add, run_resources_add};
    bool is_one = false;
    for (size_t i = 0; i < COUNT_OF(explaining); i++)
        is_one |= part == explaining[i];
    return is_one && run_solution_rows(a) > 2;
}

int report_run(const struct analysis *a, struct document *out, struct err *e)
{
    static part_of_run *const parts[] = {
        run_screen_add,           run_solutions_add, run_progress_add,  run_selection_add,  run_witnesses_add,
        run_correctness_add,      run_speed_add,     run_evolution_add, run_iterations_add, run_bounds_add,
        run_roofline_add,         run_inside_add,    run_slack_add,     run_hotspots_add,   run_links_add,
        run_expected_changes_add, run_findings_add,  run_launches_add,  run_timeline_add,   run_resources_add,
        run_provenance_add,
    };
    enum { LINES_OF_A_PAIR = 200, LINES_OF_MANY = 150 };
    out->lines_max = is_of_many(a) ? LINES_OF_MANY : LINES_OF_A_PAIR;
    json_decref(out->facts);
    out->facts = json_brief_facts(a);
    cases_begin(a, out);
    document_tier(out, TIER_SCREEN);
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        parts[i](a, out);
        document_tier(out, i + 1 < COUNT_OF(parts) && is_evidence(a, parts[i + 1]) ? TIER_ALL : TIER_SECTIONS);
    }
    return out->failed ? err_memory(e) : 0;
}
